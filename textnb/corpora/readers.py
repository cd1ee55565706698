"""One's own data: class folders, also packed, a table, labelled sources, or a named corpus, whichever it is."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.corpora.corpus import Corpus, did_you_mean, make_corpus, select
from textnb.corpora.decoding import known_encoding
from textnb.corpora.files import TABLE_KINDS, corpus_format, has_parts
from textnb.corpora.folders import NO_CLASS, archive_rows, common_depth, folder_rows, in_parts
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.manifest import corpus_names
from textnb.corpora.named import has_raw_mail, load_corpus
from textnb.corpora.packed import Archive, is_archive, unpack
from textnb.corpora.problems import Problem, skipped_sentence
from textnb.corpora.recognition import box_of_one_class, is_mail
from textnb.corpora.rows import DEFAULT_OPTIONS, BadTable, Note, ReadOptions, Report, Row
from textnb.corpora.table_parts import (
    archive_table_rows,
    folder_table_rows,
    part_of_table,
    tables_of_archive,
    tables_of_folder,
)
from textnb.corpora.tables import table_names, table_rows
from textnb.text.steps import each


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
    """Read a folder of class folders, a table, a folder of `train` and `test` tables, or an archive of these.

    In a folder, the top folder's name is the class of every file below it, and of every message of a mailbox there;
    `train/` and `test/` above the class folders are taken as a split. Tables are .csv, .tsv, .jsonl and .json, which
    may be gzipped, .parquet, .arrow and .feather, and fastText's lines. Keywords change single `ReadOptions`. What is
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
    columns = {name: [row.values[j] for row in rows] for j, name in enumerate(options.more)}
    groups = None if options.groups is None else group_numbers(columns[options.groups])
    corpus = make_corpus(
        str(path),
        [row.text for row in rows],
        (row.label for row in rows),
        f"{path.name}, {len(rows):,} documents",
        split=_split(path, [row.where for row in rows]),
        problems=tuple(problems),
        where=[row.where for row in rows],
        columns={name: columns[name] for name in (*options.columns, *options.numeric)},
        groups=groups,
        is_mail=bool(options.mail),
        notices=tuple(notices),
    )
    return select(corpus, subset, options.categories)


def _split(path: Path, places: list[str]) -> NDArray[np.str_] | None:
    """The part, "train" or "test", of each document of class folders that lie in such, or of tables of such names."""
    if path.is_dir() and has_parts(path):
        return np.array([Path(place).parts[0] for place in places])
    if not path.is_dir() and corpus_format(path) is not None:
        return None
    parts = [part_of_table(place.rpartition(": ")[0]) for place in places]
    if {"train", "test"} <= set(parts):
        return np.array(parts)
    if path.is_dir() or not in_parts(places):
        return None
    return np.array([PurePosixPath(place).parts[common_depth(places)] for place in places])


def group_numbers(names: Sequence[Any]) -> NDArray[np.int64]:
    """A number for each group of documents; one without a group is a group of its own."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(i if name is None else name, len(numbers)) for i, name in enumerate(names)])


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
    format = corpus_format(path)
    tables = tables_of_folder(path) if path.is_dir() and not has_parts(path) else []
    options = replace(options, encoding=known_encoding(options.encoding))
    report = report or partial(_stop, path)
    try:
        if tables:
            yield from folder_table_rows(path, tables, options, report, note)
        elif path.is_dir():
            _require_table(str(path), None, options)
            yield from folder_rows(path, options, report, note)
        elif format is None:
            yield from _archived_rows(path, options, report, note)
        else:
            with path.open("rb") as file:
                yield from table_rows(file, path.name, format, options, report, note=note)
    except BadTable as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def _archived_rows(path: Path, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of an archive of tables, or of one of class folders."""
    with path.open("rb") as file:
        if not is_archive(unpack(file)[0]):
            raise ValueError(
                f"{path} is of no known kind: give a folder, an archive of one, or a {TABLE_KINDS} file. Documents "
                f"of one class are given with it, as LABEL={path}."
            )
        archive = Archive(file)
        if archive.failure is not None:
            raise ValueError(f"{path} cannot be read: {archive.failure}.") from archive.failure
        tables = tables_of_archive(archive)
        if tables:
            yield from archive_table_rows(archive, tables, options, report, note)
            return
        _require_table(str(path), None, options)
        yield from archive_rows(archive, path.name, options, report, note)


def require_classes(path: Path) -> None:
    """Refuse a maildir, a mailbox or a message: all its documents are of one class, which nobody has said."""
    box = box_of_one_class(str(path))
    if box is not None:
        raise ValueError(f"{path} is {box}, and its class is not known: say it, as LABEL={path}")


def column_names(path: str | os.PathLike[str], encoding: str | None = None) -> list[str]:
    """The column names of a table: its header line, or the keys of its first JSON object."""
    path, format = Path(path), corpus_format(path)
    if format is None and path.is_dir() and (tables := tables_of_folder(path)):
        path, format = tables[0], corpus_format(tables[0])
    _require_table(str(path), format, replace(DEFAULT_OPTIONS, text=None))
    try:
        with path.open("rb") as file:
            return table_names(file, path.name, format, encoding)
    except BadTable as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error


def _require_table(where: str, format: str | None, options: ReadOptions) -> None:
    """Further columns, or no text, are for tables alone."""
    if format is None and (options.more or options.text is None):
        wanted = f", which columns such as {options.more[0]!r} are read from" if options.more else ""
        raise ValueError(f"{where} is no table{wanted}: give a {TABLE_KINDS} file.")


def _stop(path: Path, problem: Problem) -> None:
    raise ValueError(f"{path}: {problem.where}: {problem.why}.")
