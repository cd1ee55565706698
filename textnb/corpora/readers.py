"""One's own data: class folders, also packed, a table, labelled sources, or a named corpus, whichever it is."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.corpora.corpus import Corpus, did_you_mean, make_corpus, select
from textnb.corpora.decoding import LongLine, known_encoding, marked_encoding, why_no_document
from textnb.corpora.delimited import delimited_names, delimited_records
from textnb.corpora.files import has_parts, table_format
from textnb.corpora.folders import NO_CLASS, archive_rows, common_depth, folder_rows, in_parts
from textnb.corpora.json_lines import json_names, json_records
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.manifest import corpus_names
from textnb.corpora.named import has_raw_mail, load_corpus
from textnb.corpora.packed import is_archive, unpack
from textnb.corpora.problems import Problem, skipped_sentence
from textnb.corpora.recognition import box_of_one_class, is_mail
from textnb.corpora.rows import DEFAULT_OPTIONS, BadTable, Note, ReadOptions, Record, Report, Row, decoded_lines
from textnb.text.steps import each

GZIP_MARK = b"\x1f\x8b"
UNREADABLE = (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError, LongLine)


class Format(NamedTuple):
    """How a kind of table is read: its records, and the names of its columns."""

    records: Callable[[Iterable[str], ReadOptions, str], Iterator[Record]]
    names: Callable[[Iterable[str]], list[str]]


FORMATS: dict[str, Format] = {
    "csv": Format(partial(delimited_records, delimiter=","), partial(delimited_names, delimiter=",")),
    "tsv": Format(partial(delimited_records, delimiter="\t"), partial(delimited_names, delimiter="\t")),
    "jsonl": Format(json_records, json_names),
}


def decoded_start(start: bytes, encoding: str | None) -> str:
    """The first characters of a table, as far as they can be read."""
    return start.decode(encoding or marked_encoding(start) or "utf-8", errors="ignore")


def sniffed_format(start: str) -> str:
    """What a table is, by its first characters: JSON lines begin with a brace, the header of TSV has tabs."""
    start = start.lstrip()
    if start.startswith("{"):
        return "jsonl"
    header = start.partition("\n")[0]
    return "tsv" if header.count("\t") > header.count(",") else "csv"


def unpacked(file: Any, name: str) -> Any:
    """The content of a buffered file that may be gzipped."""
    is_packed = name.endswith(".gz") or file.peek(2).startswith(GZIP_MARK)
    return gzip.GzipFile(fileobj=file) if is_packed else file


def table_rows(
    file: Any, name: str, format: str | None, options: ReadOptions, report: Report, place: str = ""
) -> Iterator[Row]:
    """The rows of an open table, located by `place` and line number; a useless table is a BadTable."""
    for row, _ in table_records(file, name, format, options, place):
        if isinstance(row, Row):
            yield row
        elif row is not None:
            report(row)


def table_records(file: Any, name: str, format: str | None, options: ReadOptions, place: str = "") -> Iterator[Record]:
    """The rows of an open table and why others cannot be used, in their order, each with its line."""
    start = ""
    try:
        content = unpacked(file, name)
        start = decoded_start(content.peek(1), options.encoding)
        yield from FORMATS[format or sniffed_format(start)].records(
            decoded_lines(content, options.encoding), options, place
        )
    except BadTable:
        if "\0" in start:  # then what was taken for a header is none, and nothing to show
            raise BadTable(str(why_no_document(start))) from None
        raise
    except UNREADABLE as error:
        yield Problem(f"{place}the rest of the file", f"it cannot be read: {error}"), None


def open_corpus(
    spec: str | os.PathLike[str] | LabelledSources,
    subset: str = "all",
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    quiet: bool = False,
    **changes: Any,
) -> Corpus:
    """A named corpus, labelled sources, or what is at a path. (A folder that has a corpus's name is `./name`.)

    Keywords change single `ReadOptions`, as in ``open_corpus("mail.csv", text="body")``.
    """
    options = replace(options, **changes)
    if isinstance(spec, LabelledSources):
        from textnb.corpora.labelled_rows import read_labelled

        return select(read_labelled(spec, options), subset)
    if spec in corpus_names():
        _require_table(str(spec), None, options)
        raw = options.mail is not False and has_raw_mail(str(spec))
        return load_corpus(str(spec), subset, categories=options.categories, strip=options.strip, raw=raw, quiet=quiet)
    if not Path(spec).exists():
        raise ValueError(
            f"{os.fspath(spec)!r} is neither a file or folder nor a named corpus."
            f"{did_you_mean(os.fspath(spec), corpus_names())} Named corpora: {', '.join(corpus_names())}."
        )
    return read_corpus(spec, options, subset)


def read_corpus(
    path: str | os.PathLike[str], options: ReadOptions = DEFAULT_OPTIONS, subset: str = "all", **changes: Any
) -> Corpus:
    """Read a folder of class folders, an archive of one, or a .csv, .tsv or .jsonl file, which may be gzipped.

    In a folder, the top folder's name is the class of every file below it, and of every message of a mailbox there;
    `train/` and `test/` above the class folders are taken as a split. Keywords change single `ReadOptions`. What is
    skipped is in `.problems`.
    """
    path, options = Path(path), replace(options, **changes)
    if options.mail is None:
        options = replace(options, mail=bool(is_mail(str(path))))
    if tuple(options.strip):
        raise ValueError("Only 20 Newsgroups with headers can be stripped: leave strip out.")
    problems: list[Problem] = []
    notices: list[str] = []
    read = iter_rows(path, options, report=None if options.strict else problems.append, note=notices.append)
    rows = list(each(read, f"reading {path}", " documents"))
    if not rows:
        error = nothing_usable(str(path), problems)
        if problems and all(problem.why == NO_CLASS for problem in problems):
            error = ValueError(f"{error} Documents of one class are given with it, as LABEL={path}.")
        raise error
    corpus = make_corpus(
        str(path),
        [row.text for row in rows],
        (row.label for row in rows),
        f"{path.name}, {len(rows):,} documents",
        split=_split(path, [row.where for row in rows]),
        problems=tuple(problems),
        where=[row.where for row in rows],
        columns={name: [row.values[j] for row in rows] for j, name in enumerate(options.more)},
        is_mail=bool(options.mail),
        notices=tuple(notices),
    )
    return select(corpus, subset, options.categories)


def _split(path: Path, places: list[str]) -> NDArray[np.str_] | None:
    """The part, "train" or "test", of each document of class folders that lie in such."""
    if path.is_dir():
        return np.array([Path(place).parts[0] for place in places]) if has_parts(path) else None
    if table_format(path) is not None or not in_parts(places):
        return None
    return np.array([PurePosixPath(place).parts[common_depth(places)] for place in places])


def nothing_usable(name: str, problems: Sequence[Problem]) -> ValueError:
    """The error that nothing could be read, with the first reason why."""
    return ValueError(f"{name} has no usable documents.{skipped_sentence(problems)}")


def iter_rows(
    path: str | os.PathLike[str],
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    report: Report | None = None,
    note: Note = lambda notice: None,
    **changes: Any,
) -> Iterator[Row]:
    """The documents at a path, one at a time, as `(where, text, label, values)`, values of `columns`, then `numeric`.

    `report` is called with each `Problem`; without it, the first one is a ValueError. `note` is called with whatever
    else people should know. They are messages where `options.mail` is true, and otherwise plain text.
    """
    path, options = Path(path), replace(options, **changes)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    require_classes(path)
    format = table_format(path)
    _require_table(str(path), format, options)
    report = report or partial(_stop, path)
    options = replace(options, encoding=known_encoding(options.encoding))
    if path.is_dir():
        yield from folder_rows(path, options, report, note)
        return
    if format is None:
        with path.open("rb") as file:
            has_folders = is_archive(unpack(file)[0])
        if not has_folders:
            raise ValueError(
                f"{path} is of no known kind: give a folder, or a .csv, .tsv or .jsonl file (or .gz of it). Documents "
                f"of one class are given with it, as LABEL={path}."
            )
        yield from archive_rows(path, options, report, note)
        return
    try:
        with path.open("rb") as file:
            yield from table_rows(file, path.name, format, options, report)
    except BadTable as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def require_classes(path: Path) -> None:
    """Refuse a maildir, a mailbox or a message: all its documents are of one class, which nobody has said."""
    box = box_of_one_class(str(path))
    if box is not None:
        raise ValueError(f"{path} is {box}, and its class is not known: say it, as LABEL={path}")


def column_names(path: str | os.PathLike[str], encoding: str | None = None) -> list[str]:
    """The column names of a table: its header line, or the keys of its first JSON object."""
    path, format = Path(path), table_format(path)
    _require_table(str(path), format, replace(DEFAULT_OPTIONS, text=None))
    try:
        with path.open("rb") as file:
            return FORMATS[str(format)].names(decoded_lines(unpacked(file, path.name), known_encoding(encoding)))
    except (*UNREADABLE, BadTable) as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def _require_table(where: str, format: str | None, options: ReadOptions) -> None:
    """Further columns, or no text, are for tables alone."""
    if format is None and (options.more or options.text is None):
        wanted = f", which columns such as {options.more[0]!r} are read from" if options.more else ""
        raise ValueError(f"{where} is no table{wanted}: give a .csv, .tsv or .jsonl file, which may end in .gz.")


def _stop(path: Path, problem: Problem) -> None:
    raise ValueError(f"{path}: {problem.where}: {problem.why}.")
