"""A folder of class folders, read as a stream: the documents of its files. A bad one is reported and skipped."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from textnb.corpora.files import PARTS, beginning, has_parts, walk_files
from textnb.corpora.mailboxes import Reading, archive_documents, path_documents
from textnb.corpora.maildirs import SetAside
from textnb.corpora.packed import Archive
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, Note, ReadOptions, Report, Row, document_row

NO_CLASS = "it is in no class folder"
NO_PART = "it is in neither train nor test"
_PART_PARENTS = {(part,) for part in PARTS}


def folder_rows(root: Path, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of a folder; the top folder's name is the class of every file below it."""
    if not has_parts(root):
        yield from _class_rows(root, root, options, report, note)
        return
    for part in PARTS:
        yield from _class_rows(root, root / part, options, report, note)
    for name in sorted(path.name for path in root.iterdir()):
        if name not in PARTS and not name.startswith("."):
            report(Problem(name, NO_PART))


def archive_rows(archive: Archive, name: str, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    """The documents of an archive of class folders, which may all lie in one folder."""

    def skip(place: str, why: str) -> None:
        report(Problem(place.removeprefix(above), why))

    above = f"{name}/"
    reading = Reading(bool(options.mail), skip, note, options.encoding)
    places = list(archive.places.values())
    depth, parted = common_depth(places), in_parts(places)
    for place, text in archive_documents(archive, name, reading):
        where = place.removeprefix(above)
        parents = PurePosixPath(where).parts[depth:-1]
        if parted and parents[:1] not in _PART_PARENTS:
            skip(where, NO_PART)
        elif (parents := parents[parted:]) or not options.label_required:
            yield from _labelled(where, text, parents, options, skip)
        else:
            skip(where, NO_CLASS)


def common_depth(places: Sequence[str]) -> int:
    """How many folders stand above all of these places."""
    return len(PurePosixPath(os.path.commonpath(places)).parts) if len(places) > 1 else 0


def in_parts(places: Sequence[str]) -> bool:
    """Whether there are places in `train/` and in `test/`, beside each other in the folder of all."""
    depth = common_depth(places)
    return {PurePosixPath(place).parts[depth:-1][:1] for place in places} >= _PART_PARENTS


def reads_file(root: Path, file: Path) -> bool:
    """Whether a file, by its place, is one of the documents that are read."""
    try:
        parts = Path(os.path.realpath(file)).relative_to(os.path.realpath(root)).parts
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
