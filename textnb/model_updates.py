"""Changing a model file: one writer at a time, readers never held up, the old model or the new whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

from textnb.learner import Learner
from textnb.learner_file import carried, learner_content, learner_of
from textnb.storage import ModelFile, open_model, write_model
from textnb.storage.lock import writer_lock
from textnb.storage.reader import Verify

Result = TypeVar("Result")


def update_model(path: str | Path, change: Callable[[Learner], Result]) -> tuple[Result, Learner]:
    """Change the model of a file. When this returns what `change` gave, and the learner, the change is on the disk."""
    open_text_model(path, verify="touched")  # a wrong path gets no lock file beside it
    with writer_lock(path):
        file = open_text_model(path, verify="touched")  # all but the old rule, which is not needed
        learner = learner_of(file, sorted_terms=False)
        result = change(learner)
        if not learner.counts.n_documents:
            raise ValueError(f"nothing would be left of {path}: it needs a document to be a model. Remove the file.")
        write_learner(path, learner, carried(file))
    return result, learner


def merge_models(output: str | Path, paths: Sequence[str | Path]) -> Learner:
    """Write to a file what the models of several files, which may be one of them, have learned together."""
    for path in paths:
        open_text_model(path, verify="touched")
    with writer_lock(output):
        files = [open_text_model(path) for path in paths]
        merged = reduce(Learner.merged, map(learner_of, files))
        write_learner(output, merged, carried(files[0]) | {"parameters": _merged_parameters(files, merged)})
    return merged


def _merged_parameters(files: Sequence[ModelFile], merged: Learner) -> dict[str, Any]:
    """Those that the files have in common, in whatever order they come; whether to keep a ledger need not be one."""
    parameters: dict[str, Any] = files[0].settings["parameters"]
    if any(file.settings["parameters"].get("ledger") != parameters.get("ledger") for file in files):
        return parameters | {"ledger": merged.ledger is not None}
    return parameters


def open_text_model(path: str | Path, verify: Verify = "all") -> ModelFile:
    """A model file that can be changed, which one of several columns cannot."""
    file = open_model(path, verify=verify)
    if file.settings.get("kind") == "mixed":
        raise ValueError(
            f"{path} is a model of columns, which is trained as a whole: train it again with all documents"
        )
    if "checkpoint" in file.settings:
        raise ValueError(f"{path} is the checkpoint of a training: finish that first, with the command that it is of")
    return file


def write_learner(path: str | Path, learner: Learner, fitted: dict[str, Any]) -> None:
    write_model(path, *learner_content(learner, learner.derive(), fitted))
