"""Learning from what does not fit in memory: block by block, in as many passes as the recipe needs.

Counts take one pass. What documents are weighed by (idf, and which words count as unknown) must be known before they
are weighed: one pass for the frequencies of terms, and with tf-idf of `<UNK>` one more for its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.learner import Learner
from textnb.statistics.ledger import hashes
from textnb.statistics.text_counts import TextCounts
from textnb.text import documents as text_documents
from textnb.text.threads import read_ahead

if TYPE_CHECKING:
    from textnb.corpora.rows import Row

FREQUENCIES, UNKNOWN, LEARNING = "frequencies", "unknown", "learning"
FREQUENCY_PARAMETERS: dict[str, Any] = {
    "model": "multinomial",
    "weights": "counts",
    "fit_prior": True,
    "class_prior": None,
}


class Block(NamedTuple):
    """Documents to learn from, and how many rows of the source were read for them."""

    n_rows: int
    texts: list[str]
    labels: list[Any]


Read = Callable[[int], Iterable[Block]]  # from so many rows after the start on


def is_held_out(text: str, share: float, seed: int) -> bool:
    """Whether a document belongs to a random share: by its hash, so that it is so wherever and whenever it is read."""
    (digest,) = hashes([f"{seed}:{text}"])
    return int.from_bytes(digest[:8], "little") < share * 2**64


def blocks_of(rows: Iterable[Row], is_held_out: Callable[[str], bool]) -> Iterator[Block]:
    """Rows that are not held out, in blocks of so many characters; reading goes on while a block is being counted."""
    return read_ahead(_blocks(rows, is_held_out))


def _blocks(rows: Iterable[Row], is_held_out: Callable[[str], bool]) -> Iterator[Block]:
    n_rows = characters = 0
    texts: list[str] = []
    labels: list[Any] = []
    for row in rows:
        n_rows += 1
        if not is_held_out(row.text):
            texts.append(row.text)
            labels.append(row.label)
            characters += len(row.text)
        if characters >= text_documents.BLOCK_CHARACTERS:
            yield Block(n_rows, texts, labels)
            n_rows, characters, texts, labels = 0, 0, [], []
    if n_rows:
        yield Block(n_rows, texts, labels)


def stages_of(learner: Learner) -> list[str]:
    """The passes that a learner needs."""
    recipe = learner.recipe
    if not recipe.needs_reference or learner.reference is not None:
        return [LEARNING]
    return [FREQUENCIES, UNKNOWN, LEARNING] if recipe.unknown and recipe.is_tfidf else [FREQUENCIES, LEARNING]


def frequency_learner(learner: Learner) -> Learner:
    """One that counts the same terms, and no more: all documents under one label, unweighed."""
    recipe = replace(learner.recipe, **FREQUENCY_PARAMETERS)
    given = learner.counts if learner.counts.fixed else None
    return Learner(recipe, given)


def freeze_frequencies(learner: Learner, counted: Learner) -> None:
    """Weigh by the frequencies that were counted. Where rare terms were pruned, no others can arrive any more."""
    counts = counted.counts
    if counted.pruned:
        limits, occurrences = learner.recipe.limits, counts.occurrences
        counts = counts.fold(limits.kept(counts.document_frequency, lambda: occurrences, counts.n_documents))
        learner.start_from(TextCounts.nothing(counts.terms, fixed=True))
        learner.pruned = True
    learner.freeze_terms(
        counts.terms,
        counts.document_frequency,
        counts.occurrences,
        counts.n_documents,
        some_outside=bool(counts.outside.any()),
    )


class State(NamedTuple):
    """How far a stream has come: in a pass, after so many rows or after all of them, and what they have taught."""

    stage: str
    rows: int | None
    learner: Learner


class StreamLearner:
    """A learner that reads its documents in passes, and can be stopped between blocks and go on later."""

    def __init__(self, learner: Learner, *, prune: int | None = None) -> None:
        self.learner = learner
        self.prune = prune
        self.stages = stages_of(learner)
        self.counted = frequency_learner(learner)
        self.rows = 0  # of the source that were read in this pass
        self._with_unknown = 0

    @property
    def stage(self) -> str:
        return self.stages[0]

    def run(self, read: Read, undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """Learn from all blocks. What happens within `undisturbed` may not be stopped halfway."""
        while self.stages:
            for block in read(self.rows):
                with undisturbed():
                    self._take(block)
                    self.rows += block.n_rows
            with undisturbed():
                self._finish_pass()

    def state(self) -> State:
        """All that `go_on` needs."""
        if not self.stages:
            return State(LEARNING, None, self.learner)
        if self.stage == LEARNING and self.learner.counts.n_documents:
            return State(LEARNING, self.rows, self.learner)
        return State(FREQUENCIES, self.rows if self.stage == FREQUENCIES else None, self.counted)

    def go_on(self, state: State) -> None:
        """From where another was stopped."""
        if state.stage == LEARNING:
            self.learner, self.stages = state.learner, [LEARNING]
        else:
            self.counted = state.learner
        self.rows = state.rows or 0
        if state.rows is None:
            self._finish_pass()

    def _take(self, block: Block) -> None:
        if not block.texts:
            return
        if self.stage == FREQUENCIES:
            self.counted.add(block.texts, np.zeros(len(block.texts), dtype=np.int64), np.array(["all"]))
            self._prune(self.counted)
        elif self.stage == UNKNOWN:
            self._with_unknown += self.learner.documents_with_unknown(block.texts)
        else:
            names = sorted(set(block.labels))  # quicker than to sort all labels, as numpy does
            positions = dict(zip(names, range(len(names)), strict=True))
            class_ids = np.fromiter(map(positions.__getitem__, block.labels), np.int64, len(block.labels))
            self.learner.add(block.texts, class_ids, np.array(names))
            self._prune(self.learner)

    def _prune(self, learner: Learner) -> None:
        if self.prune is not None and not learner.vocabulary_is_given:
            learner.prune(self.prune)

    def _finish_pass(self) -> None:
        if self.stage == UNKNOWN:
            self.learner.freeze_unknown(self._with_unknown)
        elif not (self.counted if self.stage == FREQUENCIES else self.learner).counts.n_documents:
            raise ValueError("no document is left to learn from: all are held out. Hold out a smaller share.")
        elif self.stage == FREQUENCIES:
            freeze_frequencies(self.learner, self.counted)
        del self.stages[0]
        self.rows = 0
