"""One's own data: a folder of class folders, a table, or a named corpus, whichever it is."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from textnb.corpora.corpus import Corpus, Problem, did_you_mean, make_corpus, select
from textnb.corpora.decoding import decode, known_encoding
from textnb.corpora.delimited import delimited_names, delimited_rows
from textnb.corpora.json_lines import json_names, json_rows
from textnb.corpora.manifest import corpus_names
from textnb.corpora.named import load_corpus
from textnb.corpora.rows import BadRow, BadTable, Columns, Report, Row, checked_row, open_lines, wanted_columns

TABLES: dict[str, Callable[[Iterable[str], Columns, Report, str], Iterator[Row]]] = {
    ".csv": partial(delimited_rows, delimiter=","),
    ".tsv": partial(delimited_rows, delimiter="\t"),
    ".jsonl": json_rows,
}
NAMES: dict[str, Callable[[Iterable[str]], list[str]]] = {
    ".csv": partial(delimited_names, delimiter=","),
    ".tsv": partial(delimited_names, delimiter="\t"),
    ".jsonl": json_names,
}
PARTS = ("train", "test")
UNREADABLE = (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError)


def open_corpus(
    spec: str | os.PathLike[str],
    subset: str = "all",
    *,
    categories: Iterable[str] | None = None,
    strip: Iterable[str] = (),
    text: str | None = "text",
    label: str = "label",
    columns: Sequence[str] = (),
    numeric: Sequence[str] = (),
    encoding: str | None = None,
    strict: bool = False,
    label_required: bool = True,
    quiet: bool = False,
) -> Corpus:
    """A named corpus, or what is at a path. (A folder that has a corpus's name is written `./name`.)"""
    if spec in corpus_names():
        _require_table(str(spec), None, text, [*columns, *numeric])
        return load_corpus(str(spec), subset, categories=categories, strip=strip, quiet=quiet)
    if not Path(spec).exists():
        raise ValueError(
            f"{os.fspath(spec)!r} is neither a file or folder nor a named corpus."
            f"{did_you_mean(os.fspath(spec), corpus_names())} Named corpora: {', '.join(corpus_names())}."
        )
    if tuple(strip):
        raise ValueError("Only 20 Newsgroups with headers can be stripped: leave strip out.")
    corpus = _read(Path(spec), wanted_columns(text, label, columns, numeric, label_required), encoding, strict)
    return select(corpus, subset, categories)


def read_corpus(
    path: str | os.PathLike[str],
    *,
    text: str | None = "text",
    label: str = "label",
    columns: Sequence[str] = (),
    numeric: Sequence[str] = (),
    encoding: str | None = None,
    strict: bool = False,
    label_required: bool = True,
) -> Corpus:
    """Read a folder of class folders, or a .csv, .tsv or .jsonl file, which may be gzipped.

    Parameters
    ----------
    path : path
        In a folder, the top folder's name is the class of every file below it; `train/` and `test/` above the class
        folders are taken as a split.
    text, label : str
        The columns of a table. With None for the text it is not read, and empty.
    columns, numeric : list of str
        Further columns of a table, of strings and of numbers, for `.columns`. An empty cell is missing, None or NaN; a
        row with a numeric cell that is no number cannot be used.
    encoding : str, optional
        By default the byte order mark's, else UTF-8, else Windows-1252, else Latin-1: of each document in a folder, of
        each stray byte in a table.
    strict : bool
        Whether a document that cannot be used is an error. Otherwise it is skipped, and `.problems` says which and why.
    label_required : bool
        Whether a document without a label is one that cannot be used. Otherwise its label is empty.
    """
    return _read(Path(path), wanted_columns(text, label, columns, numeric, label_required), encoding, strict)


def _read(path: Path, columns: Columns, encoding: str | None, strict: bool) -> Corpus:
    problems: list[Problem] = []
    rows = list(_rows(path, columns, encoding, None if strict else problems.append))
    if not rows:
        raise nothing_usable(str(path), problems)
    return make_corpus(
        str(path),
        [row.text for row in rows],
        (row.label for row in rows),
        f"{path.name}, {len(rows):,} documents",
        split=np.array([Path(row.where).parts[0] for row in rows]) if has_parts(path) else None,
        problems=tuple(problems),
        where=[row.where for row in rows],
        columns={name: [row.values[j] for row in rows] for j, name in enumerate(columns.more)},
    )


def nothing_usable(name: str, problems: Sequence[Problem]) -> ValueError:
    """The error that nothing could be read, with the first reason why."""
    first = f" The first of its problems, {problems[0].where}: {problems[0].why}." if problems else ""
    return ValueError(f"{name} has no usable documents.{first}")


def iter_rows(
    path: str | os.PathLike[str],
    *,
    text: str | None = "text",
    label: str = "label",
    columns: Sequence[str] = (),
    numeric: Sequence[str] = (),
    encoding: str | None = None,
    label_required: bool = True,
    report: Report | None = None,
) -> Iterator[Row]:
    """The documents at a path, one at a time, as `(where, text, label, values)`, values of `columns`, then `numeric`.

    `report` is called with each `Problem`; without it, the first one is a ValueError.
    """
    return _rows(Path(path), wanted_columns(text, label, columns, numeric, label_required), encoding, report)


def _rows(path: Path, columns: Columns, encoding: str | None, report: Report | None) -> Iterator[Row]:
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    table = table_kind(path)
    _require_table(str(path), table, columns.text, columns.more)
    report = report or partial(_stop, path)
    encoding = known_encoding(encoding)
    if path.is_dir():
        yield from _folder_rows(path, encoding, columns, report)
        return
    if table is None:
        raise ValueError(f"{path} is of no known kind: a folder, or .csv, .tsv or .jsonl, which may end in .gz, is.")
    try:
        with open_lines(path, encoding) as lines:
            yield from TABLES[table](lines, columns, report, "line ")
    except UNREADABLE as error:
        report(Problem("the rest of the file", f"it cannot be read: {error}"))
    except BadTable as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def table_kind(path: str | os.PathLike[str]) -> str | None:
    """`.csv`, `.tsv` or `.jsonl` if a path is that of a table, gzipped or not."""
    path = Path(path)
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    return suffix if suffix in TABLES and not path.is_dir() else None


def column_names(path: str | os.PathLike[str], encoding: str | None = None) -> list[str]:
    """The names of the columns of a table: its header line, or the keys of its first JSON object."""
    path, table = Path(path), table_kind(path)
    _require_table(str(path), table, None, ())
    try:
        with open_lines(path, known_encoding(encoding)) as lines:
            return NAMES[str(table)](lines)
    except (*UNREADABLE, BadTable) as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def _require_table(where: str, table: str | None, text: str | None, more: Sequence[str]) -> None:
    """Further columns, or no text, are for tables alone."""
    if table is None and (more or text is None):
        wanted = f", which columns such as {more[0]!r} are read from" if more else ""
        raise ValueError(f"{where} is no table{wanted}: give a .csv, .tsv or .jsonl file, which may end in .gz.")


def has_parts(path: Path) -> bool:
    """Whether a folder is split into train and test."""
    return all((path / part).is_dir() for part in PARTS)


def _folder_rows(root: Path, encoding: str | None, columns: Columns, report: Report) -> Iterator[Row]:
    if not has_parts(root):
        yield from _class_rows(root, root, encoding, columns, report)
        return
    for part in PARTS:
        yield from _class_rows(root, root / part, encoding, columns, report)
    for name in sorted(path.name for path in root.iterdir()):
        if name not in PARTS and not name.startswith("."):
            report(Problem(name, "it is in neither train nor test"))


def _class_rows(root: Path, top: Path, encoding: str | None, columns: Columns, report: Report) -> Iterator[Row]:
    """The files below a folder of class folders; hidden ones are passed over."""

    def unreadable(error: OSError) -> None:
        report(Problem(str(error.filename), str(error)))

    for parent, folders, files in os.walk(top, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for link in (path for path in map(Path(parent).joinpath, folders) if path.is_symlink()):
            report(Problem(str(link.relative_to(root)), "it is a link to a folder, which is not followed"))
        for file in sorted(name for name in files if not name.startswith(".")):
            path = Path(parent, file)
            where = str(path.relative_to(root))
            try:
                yield _read_document(path, where, path.relative_to(top).parts[:-1], encoding, columns)
            except (OSError, UnicodeDecodeError, BadRow) as error:
                report(Problem(where, str(error)))


def _read_document(path: Path, where: str, parents: tuple[str, ...], encoding: str | None, columns: Columns) -> Row:
    if not path.is_file():
        raise BadRow("it is not a regular file")
    if not parents and columns.label_required:
        raise BadRow("it is in no class folder")
    return checked_row(where, decode(path.read_bytes(), encoding), parents[0] if parents else "", columns)


def _stop(path: Path, problem: Problem) -> None:
    raise ValueError(f"{path}: {problem.where}: {problem.why}.")
