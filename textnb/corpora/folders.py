"""A folder of class folders, read as a stream: the documents of its files. A bad one is reported and skipped."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from textnb.corpora.files import PARTS, beginning, has_parts, is_maildir, walk_files
from textnb.corpora.mailboxes import Reading, file_documents, path_documents
from textnb.corpora.maildirs import SetAside
from textnb.corpora.packed import PackedError, archive_files
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, Note, ReadOptions, Report, Row, document_row

NO_CLASS = "it is in no class folder"


def folder_rows(root: Path, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of a folder; the top folder's name is the class of every file below it."""
    if is_maildir(root):
        raise ValueError(
            f"{root} is a maildir, and its messages have no classes: say which class they are of, as in spam={root}"
        )
    if not has_parts(root):
        yield from _class_rows(root, root, options, report, note)
        return
    for part in PARTS:
        yield from _class_rows(root, root / part, options, report, note)
    for name in sorted(path.name for path in root.iterdir()):
        if name not in PARTS and not name.startswith("."):
            report(Problem(name, "it is in neither train nor test"))


def archive_rows(path: Path, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of an archive of class folders, which may all lie in one folder."""

    def skip(place: str, why: str) -> None:
        report(Problem(place.removeprefix(above), why))

    above = f"{path.name}/"
    reading = Reading(bool(options.mail), skip, note, options.encoding)
    with path.open("rb") as file:
        try:
            places = [PurePosixPath(place) for place, _ in archive_files(file)]
        except PackedError as error:
            raise ValueError(f"{path} cannot be read: {error}.") from error
        outer = os.path.commonpath(places) if len(places) > 1 else ""
        depth = len(PurePosixPath(outer).parts)
        file.seek(0)
        for place, text in file_documents(file, path.name, reading):
            where = place.removeprefix(above)
            parents = PurePosixPath(where).parts[depth:-1]
            if parents or not options.label_required:
                yield from _labelled(where, text, parents, options, skip)
            else:
                skip(where, NO_CLASS)


def reads_file(root: Path, file: Path) -> bool:
    """Whether a file, by its place, is one of the documents that are read."""
    try:
        parts = file.resolve().relative_to(root.resolve()).parts
    except ValueError:
        return False
    if has_parts(root):
        parts = parts[1:] if parts[0] in PARTS else ()
    return len(parts) > 1 and not any(name.startswith(".") for name in parts)


def _class_rows(root: Path, top: Path, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of the files below a folder of class folders; hidden ones are passed over."""

    def skip(place: str, why: str) -> None:
        report(Problem(place.removeprefix(above), why))

    above = beginning(root)
    reading = Reading(bool(options.mail), skip, note, options.encoding)
    set_aside = SetAside(str(top))
    for path, place in walk_files(str(top), skip):
        parents = Path(place).relative_to(top).parts[:-1]
        if not parents and options.label_required:
            skip(place, NO_CLASS)
            continue
        set_aside.count(path)
        for where, text in path_documents(path, place, reading):
            yield from _labelled(where.removeprefix(above), text, parents, options, skip)
    for line in set_aside.notices():
        note(line)


def _labelled(
    where: str, text: str, parents: tuple[str, ...], options: ReadOptions, skip: Callable[[str, str], None]
) -> Iterator[Row]:
    """A document with the class that the first folder above it names."""
    try:
        yield document_row(where, text, parents[0] if parents else "", options)
    except BadRow as error:
        skip(where, str(error))
