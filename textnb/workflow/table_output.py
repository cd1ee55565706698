"""Tables of predictions: the rows of a table as they stand with two columns added, or a list of documents."""

from __future__ import annotations

import gzip
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from json import dumps
from pathlib import Path
from typing import IO, Protocol

from textnb.corpora.delimited import quoted_cell
from textnb.corpora.files import is_gzip_name
from textnb.corpora.rows import Line
from textnb.workflow.prediction import Answer

DELIMITERS = {"csv": ",", "tsv": "\t"}
ADDED = ("label", "probability")


class TableOutput(Protocol):
    """A table that is written: its header, and then rows; one that cannot be predicted has no answer."""

    def header(self, line: Line) -> None: ...

    def row(self, name: str, line: Line | None, answer: Answer | None) -> None: ...


@contextmanager
def replaced_file(path: str) -> Iterator[IO[str]]:
    """A new file that takes its name when all is written, and is removed if that fails; packed if it ends in .gz."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".textnb-{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if is_gzip_name(path) else file
            # bytes that were in no encoding are written as they were read
            with TextIOWrapper(packed, "utf-8", errors="surrogateescape", newline="") as text:
                yield text
                text.flush()
                if packed is not file:
                    packed.close()
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def table_output(file: IO[str], format: str, *, has_rows: bool) -> TableOutput:
    """An output for the rows of a table of the same format, or for a list of documents by their ids."""
    if has_rows:
        return DelimitedRows(file, DELIMITERS[format]) if format in DELIMITERS else JsonRows(file)
    return DelimitedList(file, DELIMITERS[format]) if format in DELIMITERS else JsonList(file)


class DelimitedRows:
    """The lines of a CSV or TSV table with two cells added to each, untouched where there is an answer.

    Other rows are written anew, so that quotes are closed; cells that have no column are joined to the last that has.
    A table without a header stays one.
    """

    def __init__(self, file: IO[str], delimiter: str) -> None:
        self.file, self.delimiter, self.n_columns = file, delimiter, 0

    def header(self, line: Line) -> None:
        cells = line.cells or ()
        self._begin(line)
        self.file.write(self.delimiter.join([line.text, *added_names(cells)]) + "\n")

    def row(self, name: str, line: Line | None, answer: Answer | None) -> None:
        if line is None:  # as it is of the unread rest of a file
            return
        if not self.n_columns:
            self._begin(line)
        text, cells, last = line.text, list(line.cells or ()), self.n_columns - 1
        if answer is None:  # an open quote would swallow what follows, and surplus cells stand under the predictions
            kept = cells if len(cells) <= self.n_columns else [*cells[:last], self.delimiter.join(cells[last:])]
            text = self.delimiter.join([quoted_cell(cell, self.delimiter) for cell in kept])
        lacking = [""] * (self.n_columns - len(cells))
        self.file.write(self.delimiter.join([text, *lacking, *_cells(answer, self.delimiter)]) + "\n")

    def _begin(self, line: Line) -> None:
        self.n_columns, self.delimiter = len(line.cells or ()), line.delimiter or self.delimiter


class DelimitedList:
    """The columns id, label and probability."""

    def __init__(self, file: IO[str], delimiter: str) -> None:
        self.file, self.delimiter = file, delimiter
        file.write(delimiter.join(["id", *ADDED]) + "\n")

    def header(self, line: Line) -> None:
        """The header of a table that was read is not wanted."""

    def row(self, name: str, line: Line | None, answer: Answer | None) -> None:
        self.file.write(
            self.delimiter.join([quoted_cell(name, self.delimiter), *_cells(answer, self.delimiter)]) + "\n"
        )


class JsonRows:
    """The lines of a JSON-lines table, each with two more values before its last brace; what is no object stays."""

    def __init__(self, file: IO[str]) -> None:
        self.file, self.names = file, ADDED

    def header(self, line: Line) -> None:
        self.names = added_names(line.cells or ())

    def row(self, name: str, line: Line | None, answer: Answer | None) -> None:
        if line is None:
            return
        text = line.text
        if line.cells is not None:
            for key in self.names:
                if key in line.cells:
                    raise ValueError(f"{name} has a {key!r} already, and its table's first row has not: rename it")
            values = (None, None) if answer is None else (answer.label, answer.probability)
            added = [f"{dumps(key)}: {dumps(value)}" for key, value in zip(self.names, values, strict=True)]
            before = [text[:-1].rstrip()] if line.cells else []
            text = f"{'' if before else '{'}{', '.join([*before, *added])}}}"
        self.file.write(f"{text}\n")


class JsonList:
    """Objects with id, label and probability."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file

    def header(self, line: Line) -> None:
        """The header of a table that was read is not wanted."""

    def row(self, name: str, line: Line | None, answer: Answer | None) -> None:
        label, probability = (None, None) if answer is None else (answer.label, answer.probability)
        self.file.write(dumps({"id": name, "label": label, "probability": probability}) + "\n")


def added_names(columns: Collection[str]) -> tuple[str, str]:
    """`label` and `probability`, with `predicted_` before a name that the table has already."""
    label, probability = (f"predicted_{name}" if name in columns else name for name in ADDED)
    for name in (label, probability):
        if name in columns:
            raise ValueError(
                f"the table has columns {name.removeprefix('predicted_')!r} and {name!r} already, and predictions need "
                "one of these names: rename its columns"
            )
    return label, probability


def _cells(answer: Answer | None, delimiter: str) -> list[str]:
    if answer is None:
        return ["", ""]
    return [quoted_cell(answer.label_text, delimiter), repr(answer.probability)]
