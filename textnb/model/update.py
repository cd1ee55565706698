"""Changing a model file: one writer at a time, readers never held up, the old model or the new whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TypeVar

from textnb.model.file import Fitted, content, fitted_of, learner_of, require_counts
from textnb.model.learner import Learner
from textnb.model.settings import lowest_reader, merged_record
from textnb.storage import ModelFile, open_model, write_model
from textnb.storage.lock import writer_lock
from textnb.storage.reader import Verify
from textnb.text.steps import each

Result = TypeVar("Result")


def update_model(
    path: str | Path,
    change: Callable[[Learner], tuple[Learner, Result]],
    start: Callable[[], tuple[Learner, Fitted]] | None = None,
) -> tuple[Result, Learner]:
    """Change the model of a file: the result of `change`, and the learner. When this returns, both are on the disk.

    Where there is no file, the model to change is that of `start`, if given. A file that `change` gives the same
    learner for is left as it is.
    """
    if start is None or Path(path).exists():
        open_text_model(path, verify="touched")  # a wrong path is not locked
    with writer_lock(path):
        if start is None or Path(path).exists():
            file = open_text_model(path, verify="touched")
            learner, fitted = learner_of(file, compare_rule=False), fitted_of(file)
        else:
            learner, fitted = start()
        before, (learner, result) = learner, change(learner)
        if learner is before and Path(path).exists():
            return result, learner
        if not learner.counts.n_documents:
            raise ValueError(f"nothing would be left of {path}: it needs a document to be a model. Remove the file.")
        if not len(learner.counts.terms):
            raise ValueError(f"the documents have no words that {path} could learn: give documents with some")
        write_learner(path, learner, fitted.kept(before.counts.classes, learner.counts.classes))
    return result, learner


def merge_models(
    output: str | Path, paths: Sequence[str | Path], check: Callable[[Learner], None] = lambda merged: None
) -> tuple[Learner, int, tuple[str, ...]]:
    """Write to a file what the models of several files, which may be one of them, have learned together.

    Returned are the learner, how many documents several of the models know, which now count more than once, and what
    the models differ in and the file therefore has not.
    `check` may refuse to write it, by who holds the lock.
    """
    for path in paths:
        open_text_model(path, verify="touched")
    with writer_lock(output):
        files = [open_text_model(path) for path in each(paths, "reading", " models", len(paths))]
        learners = list(map(learner_of, files))
        merged = reduce(Learner.merged, each(learners, "merging", " models", len(learners)))
        check(merged)
        classes = merged.counts.classes
        parts = [fitted_of(file).kept(of.counts.classes, classes) for file, of in zip(files, learners, strict=True)]
        record, dropped = merged_record(parts, has_ledger=merged.ledger is not None)
        write_learner(output, merged, record)
    return merged, sum(_n_shared(later, learners[:i]) for i, later in enumerate(learners)), dropped


def _n_shared(learner: Learner, others: Sequence[Learner]) -> int:
    """How many documents of a ledger are in those of others."""
    ledgers = [other.ledger for other in others if other.ledger is not None]
    return 0 if learner.ledger is None else learner.ledger.n_shared_with(ledgers)


def drop_ledger(path: str | Path) -> tuple[int, Learner]:
    """Take the ledger out of a model file: how many documents it had, and the learner without it."""
    open_text_model(path, verify="touched")
    with writer_lock(path):
        file = open_text_model(path, verify="touched")
        learner = learner_of(file, compare_rule=False)
        if learner.ledger is None:
            raise ValueError(f"{path} has no ledger")
        without = replace(learner, ledger=None, message_ids=None)
        write_learner(path, without, replace(fitted_of(file), ledger=False))
    return len(learner.ledger), without


def open_text_model(path: str | Path, verify: Verify = "all") -> ModelFile:
    """A model file that can be changed, which one of several columns cannot."""
    file = open_model(path, verify=verify)
    if file.settings.get("kind") == "mixed":
        raise ValueError(
            f"{path} is a model of columns, which is trained as a whole: train it again with all documents"
        )
    if "checkpoint" in file.settings:
        raise ValueError(f"{path} is the checkpoint of a training: finish that first, with the command that it is of")
    require_counts(file)
    return file


def write_learner(path: str | Path, learner: Learner, fitted: Fitted) -> None:
    arrays, settings = content(learner, fitted)
    write_model(path, arrays, settings, reader=lowest_reader(settings))
