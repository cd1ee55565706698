"""A folder of class folders, read as a stream: one document per file. A bad file is reported and skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

from textnb.corpora.corpus import Problem
from textnb.corpora.decoding import decode
from textnb.corpora.rows import BadRow, ReadOptions, Report, Row, checked_row

PARTS = ("train", "test")


def has_parts(path: Path) -> bool:
    return all((path / part).is_dir() for part in PARTS)


def folder_rows(root: Path, options: ReadOptions, report: Report) -> Iterator[Row]:
    """The files of a folder; the top folder's name is the class of every file below it."""
    if not has_parts(root):
        yield from _class_rows(root, root, options, report)
        return
    for part in PARTS:
        yield from _class_rows(root, root / part, options, report)
    for name in sorted(path.name for path in root.iterdir()):
        if name not in PARTS and not name.startswith("."):
            report(Problem(name, "it is in neither train nor test"))


def reads_file(root: Path, file: Path) -> bool:
    """Whether a file, by its place, is one of the documents that are read."""
    try:
        parts = file.resolve().relative_to(root.resolve()).parts
    except ValueError:
        return False
    if has_parts(root):
        parts = parts[1:] if parts[0] in PARTS else ()
    return len(parts) > 1 and not any(name.startswith(".") for name in parts)


def _class_rows(root: Path, top: Path, options: ReadOptions, report: Report) -> Iterator[Row]:
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
                yield _read_document(path, where, path.relative_to(top).parts[:-1], options)
            except (OSError, UnicodeDecodeError, BadRow) as error:
                report(Problem(where, str(error)))


def _read_document(path: Path, where: str, parents: tuple[str, ...], options: ReadOptions) -> Row:
    if not path.is_file():
        raise BadRow("it is not a regular file")
    if not parents and options.label_required:
        raise BadRow("it is in no class folder")
    return checked_row(where, decode(path.read_bytes(), options.encoding), parents[0] if parents else "", options)
