"""What the readers of tables share."""

import gzip
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias, cast

from textnb.corpora.corpus import Problem
from textnb.corpora.decoding import STRAY_BYTES, marked_encoding, without_lone_surrogates

Report = Callable[[Problem], None]
Value: TypeAlias = str | float | None
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


class Row(NamedTuple):
    """A document of the user's own; `label` is empty where there is none and none is required."""

    where: str
    text: str
    label: str
    values: tuple[Value, ...] = ()  # of further columns


class Columns(NamedTuple):
    """The names of the columns to read: without a name for the text, it is empty; `numeric` are some of `more`."""

    text: str | None
    label: str
    label_required: bool
    more: tuple[str, ...] = ()
    numeric: frozenset[str] = frozenset()


def wanted_columns(
    text: str | None, label: str, columns: Sequence[str], numeric: Sequence[str], label_required: bool
) -> Columns:
    """The columns that a reader is asked for: values come in the order of `columns`, then `numeric`."""
    return Columns(text, label, label_required, (*columns, *numeric), frozenset(numeric))


class BadRow(ValueError):
    """Why a row cannot be used."""


class BadTable(ValueError):
    """Why a whole table cannot be used."""


@contextmanager
def open_lines(path: Path, encoding: str | None) -> Iterator[Iterator[str]]:
    """The lines of a file, which may be gzipped."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        yield decoded_lines(cast(io.BufferedReader, file), encoding)


def decoded_lines(file: io.BufferedReader | gzip.GzipFile, encoding: str | None) -> Iterator[str]:
    """The lines of an open file.

    The encoding is the one given, else what the byte order mark says, else UTF-8 with stray bytes read as Windows-1252.
    With an encoding given, bytes outside it become surrogates, for `require_decoded` to find.
    """
    marked = marked_encoding(file.peek(4)[:4])
    errors = "surrogateescape" if encoding else "replace" if marked else STRAY_BYTES
    return io.TextIOWrapper(cast(IO[bytes], file), encoding=encoding or marked or "utf-8", errors=errors, newline="")


def require_decoded(text: str) -> None:
    """Refuse text with bytes that were not in the encoding given."""
    if has_surrogates(text) and ESCAPED_BYTE.search(text):
        raise BadRow("it is not in the encoding given")


def has_surrogates(text: str) -> bool:
    """Whether no encoding can write the text. (Trying is six times as fast as a regular expression.)"""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def checked_row(where: str, text: str, label: str, columns: Columns, cells: Sequence[str] = ()) -> Row:
    """A row that can be used, with the values of the cells of further columns; or the reason why not."""
    if columns.label_required and not label.strip():
        raise BadRow(f"its {columns.label!r} is empty")
    if "\0" in label:
        raise BadRow(f"its {columns.label!r} holds a NUL character")
    values: tuple[Value, ...] = ()
    if columns.more:
        values = tuple(cell_value(name, cell, columns) for name, cell in zip(columns.more, cells, strict=True))
    if has_surrogates(text):
        text = without_lone_surrogates(text)
    return Row(where, text, without_lone_surrogates(label), values)


def cell_value(name: str, cell: str, columns: Columns) -> Value:
    """A cell as a string, or as a number in a numeric column; an empty one is missing: None, or NaN."""
    if name not in columns.numeric:
        return without_lone_surrogates(cell) if cell.strip() else None
    if not cell.strip():
        return math.nan
    try:
        number = math.nan if "_" in cell else float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadRow(f"its {name!r} is {cell[:40]!r}, which is no number; leave the cell empty where there is none")
    return number
