"""Documents without labels, as mail filters get them: one per file or per line, from files or stdin. Imports little."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from errno import EBADF, ENOSPC
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from textnb.corpora.decoding import LongLine, bounded_lines, decode, marked_encoding, why_no_document
from textnb.corpora.problems import Skipped

STDIN = "-"
ADVICE = {
    FileNotFoundError: "; check the path",
    PermissionError: "; check its permissions",
    IsADirectoryError: "; give a file",
}


def os_error_line(error: OSError) -> str:
    """Where, what, and what to do."""
    if not error.strerror:
        return str(error)
    if error.errno == ENOSPC and error.filename is None:
        return f"the result cannot be written: {error.strerror}; make room, or send it elsewhere"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror}{ADVICE.get(type(error), '')}"


def is_table(source: str) -> bool:
    """Whether a path is that of a table of documents, gzipped or not, by its name."""
    return re.search(r"\.(csv|tsv|jsonl)(\.gz)?$", source) is not None and not Path(source).is_dir()


def has_several(source: str) -> bool:
    """Whether a path is that of several documents, a table or a folder."""
    return is_table(source) or (source != STDIN and Path(source).is_dir())


def read_messages(sources: list[str], lines: bool, skipped: Skipped) -> Iterator[tuple[str, str]]:
    """(id, text) of every document of files, folders and stdin; what cannot be used is skipped."""
    for source in sources:
        if source != STDIN and Path(source).is_dir():
            yield from _folder_messages(source, lines, skipped)
        elif lines:
            yield from _line_messages(source, skipped, skipped.file)
        else:
            yield from _message(source, skipped.file)


def walk_files(top: str, report: Callable[[str, str], None]) -> Iterator[str]:
    """The paths of the files below a folder, sorted; hidden ones are passed over, links to folders not followed."""

    def unreadable(error: OSError) -> None:
        report(os.fsdecode(error.filename), error.strerror or str(error))

    for parent, folders, files in os.walk(top, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(parent, name) for name in folders):
            if path.is_symlink():
                report(str(path), "it is a link to a folder, which is not followed")
        for path in (Path(parent, name) for name in sorted(files) if not name.startswith(".")):
            if path.is_file():
                yield str(path)
            else:
                report(str(path), "it is not a regular file")


def _folder_messages(folder: str, lines: bool, skipped: Skipped) -> Iterator[tuple[str, str]]:
    is_empty = True
    for path in walk_files(folder, skipped.document):
        is_empty = False

        def report(line: str, error: Exception | None = None, path: str = path) -> None:
            skipped.document(path, line.removeprefix(f"{path}: "))

        if is_table(path) and not lines:
            report("it is a table of documents: give it by its name")
        elif lines:
            yield from _line_messages(path, skipped, report)
        else:
            yield from _message(path, report)
    if is_empty:
        skipped.file(f"{folder}: it is a folder without files; give documents")


def _message(source: str, report: Callable[..., None]) -> Iterator[tuple[str, str]]:
    """The document that a file is."""
    try:
        with open_source(source) as file:
            text = decode(file.read())
    except OSError as error:
        error.filename = error.filename or source
        report(os_error_line(error), error)
        return
    if why := why_no_document(text):
        report(f"{'stdin' if source == STDIN else source}: {why}")
    else:
        yield source, text


def _line_messages(source: str, skipped: Skipped, report: Callable[..., None]) -> Iterator[tuple[str, str]]:
    """The document that each line of a file is."""
    try:
        with open_source(source) as file:
            for number, line in enumerate(_decoded_lines(file), 1):
                if why := why_no_document(line):
                    skipped.document(f"{source}:{number}", why)
                else:
                    yield f"{source}:{number}", line
    except LongLine as error:
        report(f"{source}: {error}: the rest of it is not read")
    except OSError as error:
        error.filename = error.filename or source
        report(os_error_line(error), error)


def open_source(source: str) -> AbstractContextManager[BufferedReader]:
    """A file, or for - stdin, which stays open."""
    if source != STDIN:
        return Path(source).open("rb")
    if sys.stdin is None:
        raise OSError(EBADF, "stdin is closed; give a file, or a document on stdin", source)
    return nullcontext(sys.stdin.buffer)  # type: ignore[arg-type]


def _decoded_lines(file: BufferedReader) -> Iterator[str]:
    """Lines without their ends, as they come; each finds its own encoding unless a byte order mark gives a wide one."""
    encoding = marked_encoding(file.peek(4)[:4])
    if encoding in ("utf-16", "utf-32"):
        wide = TextIOWrapper(file, encoding, errors="replace")
        yield from (line.removesuffix("\n") for line in bounded_lines(wide.readline))
    else:
        yield from (decode(line.rstrip(b"\r\n")) for line in bounded_lines(file.readline))
