"""Learning from what does not fit in memory: block by block, in as many passes as the recipe needs.

Counts take one pass. Document frequencies, for idf and for which words are unknown, must be known before documents are
weighted: they take a pass of their own, and the document frequency of `<UNK>` in tf-idf takes one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.model.file import Fitted, counts_content, learner_of
from textnb.model.learner import Learner
from textnb.model.parameters import CLARITY_SETTINGS
from textnb.model.settings import lowest_reader
from textnb.statistics.ledger import hashes
from textnb.statistics.tally import Tally
from textnb.statistics.text_counts import TextCounts
from textnb.storage import ModelFileError, open_model, write_model
from textnb.text import documents as text_documents
from textnb.text.threads import read_ahead

if TYPE_CHECKING:
    from textnb.corpora.rows import Row

FREQUENCIES, UNKNOWN, LEARNING = "frequencies", "unknown", "learning"
TALLIED_CHARACTERS = 1 << 22  # of a block that is only added up: few, so that reading and counting overlap at once
FREQUENCY_PARAMETERS: dict[str, Any] = {
    "model": "multinomial",
    "weights": "counts",
    "fit_prior": True,
    "class_prior": None,
    **dict.fromkeys(CLARITY_SETTINGS),
}


class Block(NamedTuple):
    """Documents to learn from, and the number of source rows they came from."""

    n_rows: int
    texts: list[str]
    labels: list[Any]


Read = Callable[[int], Iterable[Block]]  # the blocks after so many rows


def is_held_out(text: str, share: float, seed: int) -> bool:
    """Whether a document belongs to a random share, decided by a hash of its text: the same in every pass."""
    (digest,) = hashes([f"{seed}:{text}"])
    return int.from_bytes(digest[:8], "little") < share * 2**64


def blocks_of(
    rows: Iterable[Row], is_held_out: Callable[[str], bool], size: int = text_documents.BLOCK_CHARACTERS
) -> Iterator[Block]:
    """Rows that are not held out, in blocks of so many characters, read ahead while a block is counted."""
    return read_ahead(_blocks(rows, is_held_out, min(size, text_documents.BLOCK_CHARACTERS)))


def _blocks(rows: Iterable[Row], is_held_out: Callable[[str], bool], size: int) -> Iterator[Block]:
    n_rows = characters = 0
    texts: list[str] = []
    labels: list[Any] = []
    for row in rows:
        n_rows += 1
        if not is_held_out(row.text):
            texts.append(row.text)
            labels.append(row.label)
            characters += len(row.text)
        if characters >= size:
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
    """A learner that only counts terms: all documents under one label, unweighted."""
    recipe = replace(learner.recipe, **FREQUENCY_PARAMETERS)
    return Learner.new(recipe, learner.counts.terms if learner.vocabulary_is_given else None)


def freeze_frequencies(learner: Learner, counted: Learner) -> Learner:
    """The learner that weights by the counted frequencies. After pruning, it takes no new terms."""
    counts = counted.counts
    if counted.pruned:
        limits, occurrences = learner.recipe.limits, counts.occurrences
        counts = counts.fold(limits.kept(counts.document_frequency, lambda: occurrences, counts.n_documents))
        learner = replace(learner, base=TextCounts.nothing(counts.terms, fixed=True), pruned=True)
    return learner.frozen_at_frequencies(
        counts.terms,
        counts.document_frequency,
        counts.occurrences,
        counts.n_documents,
        some_outside=bool(counts.outside.any()),
    )


class State(NamedTuple):
    """Progress of a stream: the pass, the rows read in it (None for all of them), and the learner."""

    stage: str
    rows: int | None
    learner: Learner


class StreamLearner:
    """A learner that reads its documents in passes, and can be stopped between blocks and go on later."""

    def __init__(self, learner: Learner, *, prune: int | None = None) -> None:
        learner.require_sums()
        self.learner = learner
        self.prune = prune
        self.stages = stages_of(learner)
        self.counted = frequency_learner(learner)
        self.rows = 0  # of the source that were read in this pass
        self.is_busy = False  # or was stopped within a block, of which it may have learned a part
        self._with_unknown = 0
        self._tally: Tally | None = None  # of this pass, as far as it is not in its learner yet

    @property
    def stage(self) -> str:
        return self.stages[0]

    @property
    def block_characters(self) -> int:
        """How large blocks had better be. What is pruned after each depends on it: then they are as large as ever."""
        tallies = self.prune is None and self.stage != UNKNOWN and self._learner.tally() is not None
        return TALLIED_CHARACTERS if tallies else text_documents.BLOCK_CHARACTERS

    @property
    def _learner(self) -> Learner:
        """The learner of this pass."""
        return self.counted if self.stage == FREQUENCIES else self.learner

    @_learner.setter
    def _learner(self, learner: Learner) -> None:
        if self.stage == FREQUENCIES:
            self.counted = learner
        else:
            self.learner = learner

    def run(self, read: Read, undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """Learn from all blocks. What happens within `undisturbed` may not be stopped halfway."""
        while self.stages:
            for block in read(self.rows):
                with undisturbed(), self._busy():
                    self._take(block)
                    self.rows += block.n_rows
            with undisturbed(), self._busy():
                self._finish_pass()

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self.is_busy = True  # and stays so if an exception leaves from within
        yield
        self.is_busy = False

    def state(self) -> State:
        if not self.stages:
            return State(LEARNING, None, self.learner)
        self._settle()
        if self.stage == LEARNING and self.learner.counts.n_documents:
            return State(LEARNING, self.rows, self.learner)
        return State(FREQUENCIES, self.rows if self.stage == FREQUENCIES else None, self.counted)

    def go_on(self, state: State) -> None:
        if state.stage == LEARNING:
            self.learner, self.stages = replace(state.learner, recipe=self.learner.recipe), [LEARNING]
        else:
            self.counted = replace(state.learner, recipe=self.counted.recipe)
        self.rows = state.rows or 0
        if state.rows is None:
            self._finish_pass()

    def _take(self, block: Block) -> None:
        if not block.texts:
            return
        if self.stage == UNKNOWN:
            self._with_unknown += self.learner.documents_with_unknown(block.texts)
            return
        labels = ["all"] * len(block.texts) if self.stage == FREQUENCIES else block.labels
        self._tally = self._tally or self._learner.tally()
        if self._tally is not None:
            self._tally.add(block.texts, labels)
            if self.prune is not None:
                self._settle()
            return
        names = sorted(set(labels))  # quicker than to sort all labels, as numpy does
        positions = dict(zip(names, range(len(names)), strict=True))
        class_ids = np.fromiter(map(positions.__getitem__, labels), np.int64, len(labels))
        self._learner = self._pruned(self._learner.add(block.texts, class_ids, np.array(names)))

    def _settle(self) -> None:
        """Have what was added up in the learner."""
        if self._tally is not None:
            self._learner = self._pruned(self._learner.with_counts(self._tally.counts()))
            self._tally = None

    def _pruned(self, learner: Learner) -> Learner:
        return learner if self.prune is None or learner.vocabulary_is_given else learner.prune(self.prune)

    def _finish_pass(self) -> None:
        self._settle()
        if self.stage == UNKNOWN:
            self.learner = self.learner.frozen_at_unknown(self._with_unknown)
        elif not (self.counted if self.stage == FREQUENCIES else self.learner).counts.n_documents:
            raise ValueError("no document is left to learn from: all are held out. Hold out a smaller share.")
        elif self.stage == FREQUENCIES:
            self.learner = freeze_frequencies(self.learner, self.counted)
        del self.stages[0]
        self.rows = 0


def write_checkpoint(path: Path, learning: StreamLearner, about: dict[str, Any]) -> bool:
    """Save what was learned so far; False if that is nothing, and there is nothing to save.

    The file holds the learner, or in the first pass of two the one that counts frequencies. `about` says what was
    learned from what, and how; only the same training can go on.
    """
    stage, rows, learner = learning.state()
    if not learner.counts.n_documents:
        return False
    arrays, settings = counts_content(learner, Fitted(ledger=learner.ledger is not None))
    checkpoint = {"checkpoint": about | {"stage": stage, "rows": rows}}
    write_model(path, arrays, settings | checkpoint, reader=lowest_reader(settings))
    return True


def is_checkpoint(path: Path, about: dict[str, Any]) -> bool:
    """Whether a file is a checkpoint of this training."""
    try:
        saved = open_model(path, verify="touched").settings.get("checkpoint")
    except ModelFileError:
        return False
    return isinstance(saved, dict) and all(saved.get(name) == value for name, value in about.items())


def resume(path: Path, learning: StreamLearner, about: dict[str, Any]) -> None:
    """Go on from a checkpoint; a file that is none of this training is refused."""
    file = open_model(path)
    saved = file.settings.get("checkpoint")
    if not isinstance(saved, dict):
        raise ValueError(f"{path} is no checkpoint: choose another name, remove it, or overwrite it (--overwrite)")
    for name, value in about.items():
        if saved.get(name) != value:
            raise ValueError(
                f"{path} is the checkpoint of a training with another {name}: remove it to begin anew, "
                "or overwrite it (--overwrite)"
            )
    stage, rows = saved.get("stage"), saved.get("rows")
    if stage not in (FREQUENCIES, LEARNING) or not (rows is None or (type(rows) is int and rows >= 0)):
        raise file.damaged(f"it was stopped in the pass {stage!r:.60}, after {rows!r:.60} rows")
    learning.go_on(State(stage, rows, learner_of(file)))
