"""Documents without labels, as mail filters get them: one per file or per line, from files or stdin. Imports little."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from textnb.corpora.decoding import LongLine, bounded_lines, decode, marked_encoding, why_no_document
from textnb.corpora.files import STDIN, is_of_maildir, open_source, os_error_reason, table_format, walk_files
from textnb.corpora.mailboxes import Reading, file_documents, path_documents
from textnb.corpora.maildirs import SetAside
from textnb.corpora.problems import Skipped


def read_messages(
    sources: list[str],
    lines: bool,
    skipped: Skipped,
    *,
    mail: bool = False,
    encoding: str | None = None,
    without: Collection[str] = (),
) -> Iterator[tuple[str, str]]:
    """(id, text) of every document of files, folders and stdin; what cannot be used is skipped.

    Mailboxes and archives have many documents each. With `mail` they are messages (`textnb.text.mail`), otherwise plain
    text, in the encoding given or in the one that each seems to have. Real paths in `without` are left out of folders.
    """
    if lines and mail:
        raise ValueError(
            "the model is one of mail, and a line (--lines) is no message: give messages, or mailboxes, which are "
            "split into them"
        )
    for source in sources:
        if source != STDIN and Path(source).is_dir():
            yield from _folder_messages(source, lines, skipped, mail, encoding, without)
        elif lines:
            yield from _line_messages(source, skipped, skipped.source)
        else:
            yield from _file_messages(source, skipped, mail, encoding)


def _folder_messages(
    folder: str, lines: bool, skipped: Skipped, mail: bool, encoding: str | None, without: Collection[str]
) -> Iterator[tuple[str, str]]:
    is_empty, set_aside = True, SetAside(folder)
    reading = Reading(mail, skipped.document, skipped.notices.append, encoding)
    for path, place in walk_files(folder, skipped.document, without):
        is_empty = False
        set_aside.count(path)

        if table_format(path) and not lines:
            skipped.document(path, "it is a table of documents: give it by its name")
        elif lines:
            yield from _line_messages(path, skipped, lambda where, why, error: skipped.document(where, why))
        else:
            yield from path_documents(path, place, reading)
    skipped.notices += set_aside.notices()
    if is_empty and is_of_maildir(folder):
        skipped.empty_maildir(folder)
    elif is_empty:
        skipped.source(folder, "it is a folder without files; give documents")


def _file_messages(source: str, skipped: Skipped, mail: bool, encoding: str | None) -> Iterator[tuple[str, str]]:
    """The documents of a file: one, or those of a mailbox or an archive."""

    def skip(place: str, why: str) -> None:
        if place == source:
            skipped.source("stdin" if source == STDIN else source, why)
        else:
            skipped.document(place, why)

    try:
        with open_source(source) as file:
            reading = Reading(mail, skip, skipped.notices.append, encoding, tables=False)
            yield from file_documents(file, source, reading)
    except OSError as error:
        error.filename = error.filename or source
        skipped.source(os.fsdecode(error.filename), os_error_reason(error), error)


def _line_messages(
    source: str, skipped: Skipped, report: Callable[[str, str, Exception | None], None]
) -> Iterator[tuple[str, str]]:
    """The document that each line of a file is."""
    try:
        with open_source(source) as file:
            for number, line in enumerate(_decoded_lines(file), 1):
                if why := line.why if isinstance(line, LongLine) else why_no_document(line):
                    skipped.document(f"{source}:{number}", why)
                else:
                    yield f"{source}:{number}", line
    except OSError as error:
        error.filename = error.filename or source
        report(os.fsdecode(error.filename), os_error_reason(error), error)


def _decoded_lines(file: BufferedReader) -> Iterator[str]:
    """Lines without their ends, as they come; each finds its own encoding unless a byte order mark gives a wide one."""
    encoding = marked_encoding(file.peek(4)[:4])
    if encoding in ("utf-16", "utf-32"):
        wide = TextIOWrapper(file, encoding, errors="replace")
        lines = bounded_lines(wide.readline)
        yield from (line if isinstance(line, LongLine) else line.removesuffix("\n") for line in lines)
    else:
        narrow = bounded_lines(file.readline)
        yield from (line if isinstance(line, LongLine) else decode(line.rstrip(b"\r\n")) for line in narrow)
