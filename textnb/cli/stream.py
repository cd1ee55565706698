"""`textnb train` on a stream: documents are read as often as needed, and never held all at once."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from textnb.classifier import TextClassifier
from textnb.cli.evaluation import Outcome, shown_settings
from textnb.cli.output import ByteBar, notice, status
from textnb.corpora import corpus_names
from textnb.corpora.stream import DocumentStream, open_stream
from textnb.engines.checkpoint import resume, write_checkpoint
from textnb.engines.stream import Block, StreamLearner, blocks_of, is_held_out
from textnb.report import evaluate
from textnb.text.documents import batches

if TYPE_CHECKING:
    from textnb.report import Evaluation

Undisturbed: TypeAlias = Callable[[], AbstractContextManager[None]]

MOST_EVALUATED = 200_000  # documents held out that are predicted, however many there are


@dataclass(frozen=True)
class StreamPlan:
    """What to read, and what to do with it."""

    spec: str
    text: str
    label: str
    format: str | None
    encoding: str | None
    strict: bool
    share: float  # held out, by a hash of the document
    seed: int
    prune: int | None = None
    checkpoint: Path | None = None
    use_dask: bool = False
    scheduler: str | None = None

    def open(self, passes: int) -> DocumentStream:
        return open_stream(
            self.spec,
            text=self.text,
            label=self.label,
            format=self.format,
            encoding=self.encoding,
            strict=self.strict,
            passes=passes,
        )

    def identity(self) -> dict[str, Any]:
        """What a checkpoint must have in common with the training that goes on from it."""
        return {
            "source": self.spec,
            "text": self.text,
            "label": self.label,
            "format": self.format,
            "encoding": self.encoding,
            "test size": self.share,
            "seed": self.seed,
            "prune": self.prune,
        }

    def is_held_out(self, text: str) -> bool:
        return is_held_out(text, self.share, self.seed)


def run_stream_training(plan: StreamPlan, settings: dict[str, Any], output: Path, *, quiet: bool) -> Outcome:
    """Learn from a stream, evaluate on the documents held out of it, save the model."""
    if plan.checkpoint == output:
        raise ValueError("--checkpoint and --output are two files: a checkpoint is removed when the model is done")
    if plan.spec in corpus_names() or Path(plan.spec).is_dir():
        raise ValueError(
            f"{plan.spec} is no table, and is read as a whole: leave out --stream, --prune, --checkpoint and "
            "--engine dask, or give .csv, .tsv or .jsonl files"
        )
    keep_ledger = settings["ledger"] is True
    classifier = TextClassifier(**settings | {"ledger": keep_ledger, "calibrate": False})  # which needs all documents
    learning = StreamLearner(classifier.new_learner(keep_ledger=keep_ledger), prune=plan.prune)
    documents = plan.open(passes=len(learning.stages) + 1)
    with kept_if_interrupted(plan, learning, classifier.fitted_settings()["parameters"], quiet) as undisturbed:
        if plan.use_dask:
            learn_on_cluster(plan, classifier, quiet)
        else:
            learning.run(
                lambda skip: watched_blocks(documents, skip, learning.stage, quiet, plan.is_held_out), undisturbed
            )
            classifier.adopt(learning.learner)
        if len(classifier.classes_) < 2:
            (only,) = classifier.classes_.tolist()
            raise ValueError(f"{plan.spec} has only the class {only!r} to learn: a classifier needs two or more")
        status("evaluating …", quiet)
        evaluation, n_held_out = evaluate_stream(plan, classifier, documents)
    classifier.save(output)
    if plan.checkpoint is not None:
        plan.checkpoint.unlink(missing_ok=True)
    n_train = classifier.n_documents_
    some = f", {evaluation.n:,} of them predicted" if evaluation.n < n_held_out else ""
    return Outcome(
        corpus=plan.spec,
        edition=f"{documents.name}, {n_train + n_held_out:,} documents",
        n_train=n_train,
        evaluated_on=f"{plan.share:.0%} held out by a hash of the text{some}",
        settings=shown_settings(classifier.parameters_in_use),
        evaluation=evaluation,
        model_file=str(output),
        problems=documents.problems,
        n_problems=documents.n_problems,
    )


@contextmanager
def kept_if_interrupted(
    plan: StreamPlan, learning: StreamLearner, parameters: dict[str, Any], quiet: bool
) -> Iterator[Undisturbed]:
    """Go on from the checkpoint of a training, if there is one, and save another if this one is interrupted."""
    if plan.checkpoint is None:
        yield nullcontext
        return
    about = {"parameters": parameters, **plan.identity()}
    if plan.checkpoint.exists():
        resume(plan.checkpoint, learning, about)
        where = f"{learning.rows:,} documents into the pass" if learning.stages else "where all was learned"
        notice(f"going on from {plan.checkpoint}, {where}", quiet)
    with Interrupts() as interrupts:
        try:
            yield interrupts.undisturbed
        except KeyboardInterrupt:
            if not interrupts.busy:
                saved = write_checkpoint(plan.checkpoint, learning, about)
                notice(
                    f"saved what was learned in {plan.checkpoint}; the same command goes on from there"
                    if saved
                    else f"nothing was learned yet: there is nothing to save in {plan.checkpoint}",
                    quiet=False,
                )
            raise


class Interrupts:
    """Ctrl-C and SIGTERM raise KeyboardInterrupt; the first one within what is `undisturbed` waits for its end."""

    def __init__(self) -> None:
        self.asked = self.busy = False
        self._handlers: dict[int, Any] = {}

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        self.busy = True  # and stays so if an exception leaves from within
        yield
        self.busy = False
        if self.asked:
            raise KeyboardInterrupt

    def _ask(self, number: int, frame: Any) -> None:
        if self.asked or not self.busy:
            raise KeyboardInterrupt
        self.asked = True
        notice("stopping after this block, then saving; once more stops at once", quiet=False)

    def __enter__(self) -> Interrupts:
        self._handlers = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


def watched_blocks(
    documents: DocumentStream,
    skip: int,
    stage: str,
    quiet: bool,
    is_held_out: Callable[[str], bool] = lambda text: False,
) -> Iterator[Block]:
    """The blocks of a pass over a stream, with a bar."""
    with ByteBar(documents, stage, quiet) as bar:
        for block in blocks_of(documents.iterate(skip), is_held_out):
            yield block
            bar.update(block.n_rows)


def learn_on_cluster(plan: StreamPlan, classifier: TextClassifier, quiet: bool) -> None:
    """The same on the workers of a dask cluster."""
    from textnb.engines.dask import connect, fit_bag, hold_out, table_bag

    if plan.prune is not None or plan.checkpoint is not None or plan.spec == "-":
        raise ValueError("--engine dask reads files, and takes no --prune and no --checkpoint")
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # of what an interrupt leaves behind it prints tracebacks
    with connect(plan.scheduler) as client:
        status(f"counting on {client} …", quiet)
        tables = table_bag(
            plan.spec,
            text=plan.text,
            label=plan.label,
            format=plan.format,
            encoding=plan.encoding,
            strict=plan.strict,
        )
        learn, _ = hold_out(tables, plan.share, plan.seed)
        fit_bag(classifier, learn, client, report=lambda problems: None)  # evaluation meets the same, and tells


def evaluate_stream(plan: StreamPlan, classifier: TextClassifier, documents: DocumentStream) -> tuple[Evaluation, int]:
    """How the classifier does on documents held out, and how many of them there are."""
    classes = classifier.classes_.astype(np.str_)
    held_out = (row for row in documents.iterate() if plan.is_held_out(row.text))
    truth: list[str] = []
    scores = []
    n = 0
    for rows in batches(held_out, 1000):
        n += len(rows)
        if n <= MOST_EVALUATED:
            truth += [row.label for row in rows]
            scores.append(classifier.predict_log_proba([row.text for row in rows]))
    if not truth:
        raise ValueError(f"no document of {plan.spec} was held out to evaluate on: use a larger --test-size")
    log_probabilities = np.concatenate(scores)
    predicted = classes[log_probabilities.argmax(axis=1)]
    return evaluate(np.array(truth), predicted, classes, log_probabilities=log_probabilities), n
