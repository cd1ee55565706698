"""Tables of every format: what a file is, and its rows."""

from __future__ import annotations

import gzip
import math
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import IO, Any, NamedTuple

from textnb.corpora.decoding import decoded_start, known_encoding, other_kind, why_no_document
from textnb.corpora.delimited import delimited_names, delimited_records
from textnb.corpora.fasttext import PREFIX, fasttext_names, fasttext_records
from textnb.corpora.files import is_gzip_name
from textnb.corpora.json_array import array_names, array_records
from textnb.corpora.json_lines import json_names, json_records
from textnb.corpora.packed import PackedError
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadTable, Note, ReadOptions, Record, Report, Row, decoded_lines

START = 8  # bytes, which tell the kinds of files that are no tables
GZIP_MARK = b"\x1f\x8b"
MOST_TIMES, MOST_AT_LEAST = 200, 1 << 30  # characters of all texts of a packed file: times its size, and in any case
UNREADABLE = (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError, PackedError)


class Format(NamedTuple):
    """How a kind of table is read: its records, and the names of its columns."""

    records: Callable[[Any, ReadOptions, str, Note], Iterator[Record]]
    names: Callable[[Any, str | None], list[str]]
    is_text: bool = True


def of_lines(
    records: Callable[[Iterable[str], ReadOptions, str, Note], Iterator[Record]],
    names: Callable[[Iterable[str]], list[str]],
) -> Format:
    return Format(
        lambda file, options, place, note: records(decoded_lines(file, options.encoding), options, place, note),
        lambda file, encoding: names(decoded_lines(file, encoding)),
    )


def _of_arrow(kind: str) -> Format:
    """A format that another library reads, which is imported when it is needed."""

    def records(*arguments: Any) -> Iterator[Record]:
        from textnb.corpora import arrow

        return getattr(arrow, f"{kind}_records")(*arguments)

    def names(*arguments: Any) -> list[str]:
        from textnb.corpora import arrow

        return getattr(arrow, f"{kind}_names")(*arguments)

    return Format(records, names, is_text=False)


FORMATS: dict[str, Format] = {
    "csv": of_lines(partial(delimited_records, delimiter=","), partial(delimited_names, delimiter=",")),
    "tsv": of_lines(partial(delimited_records, delimiter="\t"), partial(delimited_names, delimiter="\t")),
    "jsonl": of_lines(json_records, json_names),
    "json": Format(array_records, array_names),
    "fasttext": of_lines(fasttext_records, fasttext_names),
    "parquet": _of_arrow("parquet"),
    "arrow": _of_arrow("arrow"),
    "feather": _of_arrow("arrow"),
}


def sniffed_format(start: str) -> str:
    """What a table is, by its first characters: JSON begins with a bracket, the header of TSV has tabs."""
    start = start.lstrip()
    if start.startswith("{"):
        return "jsonl"
    if start.startswith("["):
        return "json"
    if start.startswith(PREFIX):
        return "fasttext"
    header = start.partition("\n")[0]
    return "tsv" if header.count("\t") > header.count(",") else "csv"


def table_rows(
    file: Any, name: str, format: str | None, options: ReadOptions, report: Report, place: str = "", *, note: Note
) -> Iterator[Row]:
    """The rows of an open table, located by `place` and line number; a useless table is a BadTable."""
    for row, _ in table_records(file, name, format, options, place, note=note):
        if isinstance(row, Row):
            yield row
        elif row is not None:
            report(row)


def table_records(
    file: Any, name: str, format: str | None, options: ReadOptions, place: str = "", *, note: Note
) -> Iterator[Record]:
    """The rows of an open table and why others cannot be used, in their order, each with its line.

    `note` is told, with the table's name, what people should know of how it is read.
    """
    start = ""
    try:
        format, content, start = _opened(file, name, format, options.encoding)
        records = FORMATS[format].records(content, options, place, lambda line: note(f"{name}: {line}"))
        yield from records if content is file and FORMATS[format].is_text else _in_proportion(records, file, place)
    except BadTable:
        if "\0" in start:  # then what was taken for a header is none, and nothing to show
            raise BadTable(str(why_no_document(start))) from None
        raise
    except UNREADABLE as error:
        yield Problem(f"{place}the rest of the file", f"it cannot be read: {error}"), None


def _in_proportion(records: Iterable[Record], file: Any, place: str) -> Iterator[Record]:
    """The records of a packed file until their texts are out of all proportion to it, as those of a bomb are.

    What is read from a pipe has no size, and is not held in memory.
    """
    most = math.inf
    if file.seekable():
        position = file.tell()
        most = max(MOST_TIMES * file.seek(0, os.SEEK_END), MOST_AT_LEAST)
        file.seek(position)
    characters = 0
    for record in records:
        row, _ = record
        characters += len(row.text) if isinstance(row, Row) else 0
        if characters > most:
            why = f"its texts are more than {MOST_TIMES} times as large as the file: unpack it first, if that is right"
            yield Problem(f"{place}the rest of the file", f"it is not read: {why}"), None
            return
        yield record


def table_names(file: Any, name: str, format: str | None, encoding: str | None) -> list[str]:
    """The names of the columns of an open table."""
    encoding = known_encoding(encoding)
    try:
        format, content, _ = _opened(file, name, format, encoding)
        return FORMATS[format].names(content, encoding)
    except UNREADABLE as error:
        raise BadTable(str(error)) from error


def _opened(file: Any, name: str, format: str | None, encoding: str | None) -> tuple[str, Any, str]:
    """The format of a table, and its content, unpacked, with its first characters if it is text."""
    if format is not None and not FORMATS[format].is_text:
        content = _seekable(file)
        _require_table(content.read(START))
        content.seek(0)
        return format, content, ""
    content = _unpacked(file, name)
    _require_table(content.peek(START))
    start = decoded_start(content.peek(1), encoding)
    return format or sniffed_format(start), content, start


def _require_table(start: bytes) -> None:
    if kind := other_kind(start):
        raise BadTable(f"it looks like {kind}, whatever its name says, and not like a table")


def _unpacked(file: Any, name: str) -> Any:
    """The content of a buffered file that may be gzipped."""
    is_packed = is_gzip_name(name) or file.peek(2).startswith(GZIP_MARK)
    return gzip.GzipFile(fileobj=file) if is_packed else file


def _seekable(file: Any) -> IO[bytes]:
    """The same file, or a copy in an unnamed one where it can only be read from its start on."""
    if file.seekable():
        return file
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (it goes when nobody has it any more)
    shutil.copyfileobj(file, copy)
    copy.seek(0)
    return copy
