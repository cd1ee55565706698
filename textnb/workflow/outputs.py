"""What a run may write to. Nothing is overwritten unasked.

Without `overwrite`, an output is refused that is one of the inputs, that is not of its kind, or that is a model that
knows documents which the run does not. The first two are known before anything is read, the last when all is read; and
because others may write meanwhile, a model is checked once more by who holds its lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from textnb.corpora.files import STDIN, matching_paths
from textnb.corpora.folders import reads_file
from textnb.corpora.labelled import LabelledSources
from textnb.model.file import settings_of, stored_ledger
from textnb.statistics.ledger import Ledger, RollCall
from textnb.storage import ModelFile, ModelFileError, open_model
from textnb.storage.lock import writer_lock
from textnb.text.steps import step

if TYPE_CHECKING:
    from textnb.model.learner import Learner

_UNREADABLE = "it exists and is not a model that can be read"
_PICTURES = {".png": (b"\x89PNG\r\n\x1a\n",), ".pdf": (b"%PDF-",), ".svg": (b"<?xml", b"<svg")}
_HTML = (".html", ".htm")
_GENERATOR = b'<meta name="generator" content="textnb">'
_REPORT_START = 500  # bytes, in which a report says that it is one


class OutputRefused(ValueError):
    """A file that a run may not overwrite."""

    def __init__(self, path: str | PathLike[str], why: str) -> None:
        super().__init__(f"{fspath(path)}: {why}; choose another name, or overwrite it (--overwrite)")


def check_new(path: str | PathLike[str], inputs: Iterable[Any] = (), *, overwrite: bool = False) -> None:
    """Refuse to write to a file that is there, such as another table of predictions."""
    if not overwrite and os.path.lexists(path):
        why = "it is one of the inputs" if is_input(path, inputs) else "it exists"
        raise OutputRefused(path, why)


def check_picture_file(path: str | PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse to draw over a file that is not a picture of the same kind, by its first bytes."""
    if overwrite or not os.path.lexists(path):
        return
    with Path(path).open("rb") as file:
        is_picture = file.read(8).startswith(_PICTURES.get(Path(path).suffix.lower(), ()))
    if not is_picture:
        raise OutputRefused(path, "it exists and is not such a picture")


def check_report_file(path: str | PathLike[str], inputs: Iterable[Any] = (), *, overwrite: bool = False) -> None:
    """Refuse a report that is not named as HTML is, and one over an input or over a file that is no report."""
    if Path(path).suffix.lower() not in _HTML:
        raise ValueError(f"{fspath(path)}: a report is an HTML file: give it a name that ends in .html")
    if overwrite or not os.path.lexists(path):
        return
    if is_input(path, inputs):
        raise OutputRefused(path, "it is one of the inputs")
    with Path(path).open("rb") as file:
        start = file.read(_REPORT_START).lower()
    if not (start.lstrip().startswith(b"<!doctype html>") and _GENERATOR in start):
        raise OutputRefused(path, "it exists and is not a report")


def is_input(path: str | PathLike[str], inputs: Iterable[Any]) -> bool:
    """Whether a file is, by whatever name, one of those that are read: models, tables, patterns of them, folders."""
    if not os.path.exists(path):  # noqa: PTH110
        return False
    for spec in inputs:
        if isinstance(spec, LabelledSources):
            if any(_holds(Path(source), Path(path)) for source in spec.paths if source != STDIN):
                return True
            continue
        if not isinstance(spec, str | PathLike) or fspath(spec) == STDIN:
            continue
        for file in map(Path, matching_paths(fspath(spec))):
            if reads_file(file, Path(path)) if file.is_dir() else file.exists() and file.samefile(path):
                return True
    return False


def _holds(source: Path, file: Path) -> bool:
    """Whether a file is a source, or lies in it."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(source)) or (
        source.exists() and source.samefile(file)
    )


@dataclass(frozen=True)
class KnownDocuments:
    """The documents of a run: how many, of which classes, and how many of a ledger are not among them, if known."""

    n: int
    classes: frozenset[str]
    missing: Callable[[Ledger], int] | None = None

    @classmethod
    def of(cls, texts: Sequence[str], classes: Iterable[Any]) -> Self:
        return cls(len(texts), frozenset(map(str, classes)), lambda ledger: ledger.missing_from(texts))

    @classmethod
    def met(cls, n: int, classes: Iterable[Any], roll: RollCall) -> Self:
        """Those of a stream, which has met some of the documents of a ledger."""
        return cls(n, frozenset(map(str, classes)), lambda ledger: ledger.missing_among(roll.met))

    @classmethod
    def learned_by(cls, learner: Learner) -> Self:
        ledger, counts = learner.ledger, learner.counts
        missing = None if ledger is None else lambda old: old.missing_among(ledger.digests)
        return cls(counts.n_documents, frozenset(map(str, counts.classes.tolist())), missing)


@dataclass(frozen=True)
class ModelOutput:
    """A model file to be written."""

    path: str
    overwrite: bool

    @classmethod
    def of(cls, path: str | PathLike[str], inputs: Iterable[Any], *, overwrite: bool) -> Self:
        """Where a run writes its model to; one of the inputs, and what is no model, is refused."""
        output = cls(fspath(path), overwrite)
        if not overwrite and is_input(path, inputs):
            raise OutputRefused(path, "it is one of the inputs")
        output._existing()
        return output

    def roll_call(self) -> RollCall:
        """The documents of the model that is there, to be ticked off as a stream meets them."""
        existing = self._existing()
        return RollCall(None if existing is None else stored_ledger(existing))

    def check(self, known: KnownDocuments) -> None:
        """Refuse a model that knows documents which the run does not."""
        existing = self._existing()
        if existing is None:
            return
        if "checkpoint" in existing.settings:
            raise OutputRefused(self.path, "it is the checkpoint of a training")
        try:
            ledger, n = stored_ledger(existing), _n_documents(existing)
        except ModelFileError:
            raise OutputRefused(self.path, _UNREADABLE) from None
        if ledger is not None and known.missing is not None:
            missing = known.missing(ledger)
            if missing:
                documents = "1 document" if missing == 1 else f"{missing:,} documents"
                raise OutputRefused(self.path, f"it has learned {documents} that this run does not know")
        elif n > known.n:
            raise OutputRefused(self.path, f"it has learned {n:,} documents, and this run has {known.n:,}")
        elif others := sorted(set(map(str, existing.settings["classes"])) - known.classes):
            raise OutputRefused(self.path, f"it knows the class {others[0]!r}, which this run does not have")

    def save(self, known: KnownDocuments, write: Callable[[str], None]) -> str:
        """Write a model; its path. One that is refused by now is written beside, so that no work is lost."""
        with writer_lock(self.path):
            try:
                self.check(known)
            except OutputRefused as refused:
                beside = free_name(Path(self.path))
                try:
                    with step(f"writing {beside}"):
                        write(str(beside))
                except BaseException:
                    beside.unlink(missing_ok=True)
                    raise
                raise ValueError(f"{refused}. What was learned is saved in {beside}") from None
            with step(f"writing {self.path}"):
                write(self.path)
        return self.path

    def _existing(self) -> ModelFile | None:
        """The model that is there and must not be lost."""
        if self.overwrite or not os.path.exists(self.path):  # noqa: PTH110
            return None
        try:
            return open_model(self.path, verify="touched")
        except ModelFileError:
            raise OutputRefused(self.path, _UNREADABLE) from None


def _n_documents(file: ModelFile) -> int:
    if file.settings.get("kind") == "mixed":
        from textnb.estimators.mixed_file import mixed_of
        from textnb.workflow.table_input import rows_of_classes

        return int(sum(rows_of_classes(mixed_of(file))))
    return settings_of(file).n_documents or int(file.array("documents").sum())


def free_name(path: Path) -> Path:
    """A name like that of the file, taken by an empty file until there is another."""
    number = 2
    while True:
        beside = path.with_name(f"{path.stem}-{number}{path.suffix}")
        with suppress(FileExistsError):
            beside.touch(exist_ok=False)
            return beside
        number += 1
