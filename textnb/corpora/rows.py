"""What the readers of every format share: the options of reading, a row, and why a row or a table cannot be used."""

import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, NamedTuple, TypeAlias, cast

from textnb.corpora.decoding import (
    STRAY_BYTES,
    LongLine,
    bounded_lines,
    marked_encoding,
    why_no_document,
    without_lone_surrogates,
)
from textnb.corpora.packed import gives_packed
from textnb.corpora.problems import Problem

Report = Callable[[Problem], None]
Note = Callable[[str], None]
Value: TypeAlias = str | float | None
LONGEST_LABEL = 255  # characters, as of the name of a folder: arrays of labels are as wide as the longest
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class ReadOptions:
    """What to read of tables, folders and named corpora, and how.

    Parameters
    ----------
    text, label : str
        The columns of a table, in whatever case. Where there is no "text" or "label", the only column with another
        usual name, such as "body" or "class", is taken. A table without a header has its columns by number, from "1".
        With None for the text, no text is read, and every text is empty.
    columns, numeric : sequence of str
        Further columns of a table, of strings and of numbers, for `.columns`. An empty cell is missing, None or NaN; a
        row with a numeric cell that is no number cannot be used.
    categories : iterable of str, optional
        Only documents of these classes.
    strip : iterable of {"headers", "footers", "quotes"}
        What to leave out of the posts of 20 Newsgroups.
    encoding : str, optional
        By default the byte order mark's, else UTF-8, else Windows-1252, else Latin-1: of each document in a folder, of
        each stray byte in a table.
    groups : str, optional
        The column of a table that tells which documents belong together, for `.groups`.
    format : str, optional
        The format of the tables of a stream, one of `textnb.corpora.tables.FORMATS`. By default what the name of a
        file says; of stdin and pipes, what the first line looks like.
    written_as : {"csv", "tsv", "jsonl"}, optional
        How the rows of a table that is no lines of text, such as .parquet, stand in its `Line`s; by default there are
        none, and only the columns above are read.
    strict : bool
        Whether a document that cannot be used is an error. Otherwise it is skipped, and reported as a `Problem`.
    label_required : bool
        Whether a document without a label is one that cannot be used. Otherwise its label is empty.
    mail : bool, optional
        Whether documents are wanted as messages (`textnb.text.mail`), or as plain text. Mailboxes are split into their
        messages either way. By default messages, if the documents look like mail.
    """

    text: str | None = "text"
    label: str = "label"
    columns: Sequence[str] = ()
    numeric: Sequence[str] = ()
    categories: Iterable[str] | None = None
    strip: Iterable[str] = ()
    encoding: str | None = None
    groups: str | None = None
    format: str | None = None
    written_as: str | None = None
    strict: bool = False
    label_required: bool = True
    mail: bool | None = None

    @cached_property
    def more(self) -> tuple[str, ...]:
        """The further columns in the order of a row's values."""
        return (*self.columns, *self.numeric, *(() if self.groups is None else (self.groups,)))


DEFAULT_OPTIONS = ReadOptions()


class Row(NamedTuple):
    """A document; `label` is empty where there is none and none is required."""

    where: str
    text: str
    label: str
    values: tuple[Value, ...] = ()  # of further columns


class Line(NamedTuple):
    """A row as it stands in its table, without the end of its last line."""

    text: str
    cells: Collection[str] | None  # those of a delimited row, or the names in a JSON object, if it is one
    delimiter: str | None = None  # of a delimited row


Record: TypeAlias = tuple[Row | Problem | None, Line | None]
"""A row or why it cannot be used, and its line. The header has only a line, the unread rest of a file has none."""


class BadRow(ValueError):
    """Why a row cannot be used."""


class BadTable(ValueError):
    """Why a whole table cannot be used."""


def decoded_text(file: IO[bytes], encoding: str | None) -> io.TextIOWrapper:
    """An open file as text.

    The encoding is the one given, else what the byte order mark says, else UTF-8 with stray bytes read as Windows-1252.
    With an encoding given, bytes outside it become surrogates, for `require_decoded` to find.
    """
    marked = marked_encoding(cast(io.BufferedReader, file).peek(4)[:4])
    errors = "surrogateescape" if encoding else "replace" if marked else STRAY_BYTES
    return io.TextIOWrapper(file, encoding=encoding or marked or "utf-8", errors=errors, newline="")


def decoded_lines(file: IO[bytes], encoding: str | None) -> Iterator[str]:
    """The lines of an open file; in place of one that is too long, a LongLine."""
    is_packed = gives_packed(file)
    is_plain = encoding is None and not is_packed and isinstance(file, io.BufferedReader)
    if is_plain and marked_encoding(cast(io.BufferedReader, file).peek(4)[:4]) is None:
        return _utf8_lines(file)
    return bounded_lines(decoded_text(file, encoding).readline, is_packed=is_packed)


def _utf8_lines(file: IO[bytes]) -> Iterator[str]:
    """The lines of UTF-8, which are found faster as bytes: a line feed is no part of another character."""
    for line in bounded_lines(file.readline):
        if isinstance(line, LongLine):
            yield line
            continue
        text = line.decode("utf-8", STRAY_BYTES)
        if "\r" in text and "\r" in text[: -2 if text.endswith("\r\n") else -1]:  # with which a line may end, too
            yield from io.StringIO(text, newline="")
        else:
            yield text


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


def checked_row(where: str, text: str, label: str, options: ReadOptions, cells: Sequence[str] = ()) -> Row:
    """A row with the values of its further columns; a BadRow if it cannot be used."""
    label = checked_label(label, options)
    if options.text is not None and (why := why_no_document(text)):  # without a text column, others are the document
        raise BadRow(why.replace("it is", f"its {options.text!r} is", 1))
    values: tuple[Value, ...] = ()
    if cells:
        values = tuple(cell_value(name, cell, options) for name, cell in zip(options.more, cells, strict=True))
    if has_surrogates(text):
        text = without_lone_surrogates(text)
    if options.mail:
        from textnb.text.mail.canonical import canonical  # which other text need not wait for

        text = canonical(text)
    return Row(where, text, label, values)


def checked_label(label: str, options: ReadOptions) -> str:
    """The label as it can be written; a BadRow if it can be none."""
    if options.label_required and not label.strip():
        raise BadRow(f"its {options.label!r} is empty")
    if "\0" in label:
        raise BadRow(f"its {options.label!r} holds a NUL character")
    if len(label) > LONGEST_LABEL:
        raise BadRow(f"its {options.label!r} has {len(label):,} characters, a class's name {LONGEST_LABEL} at most")
    return without_lone_surrogates(label)


def document_row(where: str, text: str, label: str, options: ReadOptions) -> Row:
    """The row of a document that is not of a table: a message is taken as it is."""
    if options.mail:
        return Row(where, text, checked_label(label, options))
    return checked_row(where, text, label, options)


def cell_value(name: str, cell: str, options: ReadOptions) -> Value:
    """A cell as a string, or as a number in a numeric column; an empty one is missing: None, or NaN."""
    if name not in options.numeric:
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
