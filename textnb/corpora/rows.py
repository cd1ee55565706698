"""What the readers of tables share."""

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from textnb.corpora.corpus import Problem
from textnb.corpora.decoding import STRAY_BYTES, marked_encoding, without_lone_surrogates

Report = Callable[[Problem], None]


class Row(NamedTuple):
    """A document of the user's own; `label` is empty where there is none and none is required."""

    where: str
    text: str
    label: str


class Columns(NamedTuple):
    """The names of the columns to read."""

    text: str
    label: str
    label_required: bool


class BadRow(ValueError):
    """Why a row cannot be used."""


class BadTable(ValueError):
    """Why a whole table cannot be used."""


@contextmanager
def open_lines(path: Path, encoding: str | None) -> Iterator[Iterator[str]]:
    """The lines of a file, which may be gzipped.

    The encoding is the one given, else what the byte order mark says, else UTF-8 with stray bytes read as Windows-1252.
    With an encoding given, bytes outside it become surrogates, for `require_decoded` to find.
    """
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as opened:
        file = cast(io.BufferedReader, opened)
        marked = marked_encoding(file.peek(4)[:4])
        errors = "surrogateescape" if encoding else "replace" if marked else STRAY_BYTES
        yield io.TextIOWrapper(cast(IO[bytes], file), encoding=encoding or marked or "utf-8", errors=errors, newline="")


def require_decoded(text: str) -> None:
    """Refuse text with bytes that were not in the encoding given."""
    if not text.isascii() and any("\udc80" <= character <= "\udcff" for character in text):
        raise BadRow("it is not in the encoding given")


def checked_row(where: str, text: str, label: str, columns: Columns) -> Row:
    """A row that can be used, or the reason why not."""
    if columns.label_required and not label.strip():
        raise BadRow(f"its {columns.label!r} is empty")
    if "\0" in label:
        raise BadRow(f"its {columns.label!r} holds a NUL character")
    return Row(where, without_lone_surrogates(text), without_lone_surrogates(label))
