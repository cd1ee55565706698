"""A folder of class folders, read as a stream: one document per file. A bad file is reported and skipped."""

from collections.abc import Iterator
from pathlib import Path

from textnb.corpora.decoding import decode, why_no_document
from textnb.corpora.files import walk_files
from textnb.corpora.problems import Problem
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

    def skip(path: str, why: str) -> None:
        report(Problem(str(Path(path).relative_to(root)), why))

    for path in map(Path, walk_files(str(top), skip)):
        where = str(path.relative_to(root))
        try:
            yield _read_document(path, where, path.relative_to(top).parts[:-1], options)
        except (OSError, UnicodeDecodeError, BadRow) as error:
            report(Problem(where, str(error)))


def _read_document(path: Path, where: str, parents: tuple[str, ...], options: ReadOptions) -> Row:
    if not parents and options.label_required:
        raise BadRow("it is in no class folder")
    text = decode(path.read_bytes(), options.encoding)
    if why := why_no_document(text):
        raise BadRow(why)
    return checked_row(where, text, parents[0] if parents else "", options)
