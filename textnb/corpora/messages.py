"""Documents without labels, as mail filters get them: one per file or per line, from files or stdin. Imports little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from textnb.corpora.decoding import LongLine, bounded_lines, decode, marked_encoding, why_no_document
from textnb.corpora.files import STDIN, is_table, open_source, os_error_line, walk_files
from textnb.corpora.problems import Skipped


def read_messages(sources: list[str], lines: bool, skipped: Skipped) -> Iterator[tuple[str, str]]:
    """(id, text) of every document of files, folders and stdin; what cannot be used is skipped."""
    for source in sources:
        if source != STDIN and Path(source).is_dir():
            yield from _folder_messages(source, lines, skipped)
        elif lines:
            yield from _line_messages(source, skipped, skipped.file)
        else:
            yield from _message(source, skipped.file)


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


def _decoded_lines(file: BufferedReader) -> Iterator[str]:
    """Lines without their ends, as they come; each finds its own encoding unless a byte order mark gives a wide one."""
    encoding = marked_encoding(file.peek(4)[:4])
    if encoding in ("utf-16", "utf-32"):
        wide = TextIOWrapper(file, encoding, errors="replace")
        yield from (line.removesuffix("\n") for line in bounded_lines(wide.readline))
    else:
        yield from (decode(line.rstrip(b"\r\n")) for line in bounded_lines(file.readline))
