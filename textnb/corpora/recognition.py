"""What is mail, by its content: messages have the headers that mail gets on its way. Imports little."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from textnb.corpora.files import PARTS, STDIN, has_parts, is_maildir, peek_stdin, table_format, walk_files
from textnb.corpora.mbox import is_mbox
from textnb.corpora.packed import PackedError, archive_files, is_archive, unpack

LOOKED_AT = 20  # files of a folder or an archive
_HEADER_LINE = re.compile(rb"([!-9;-~]{1,76})[ \t]*:|[ \t]|>?From ")
_USUAL = {
    *(b"from", b"to", b"cc", b"subject", b"date", b"received", b"message-id", b"return-path", b"mime-version"),
    *(b"content-type", b"delivered-to", b"reply-to"),
}
_ON_THE_WAY = {b"received", b"return-path", b"delivered-to", b"envelope-to", b"x-original-to"}


def header_names(start: bytes) -> set[bytes]:
    """The names of the header lines that a message starts with, in lower case."""
    names = set()
    for line in start.lstrip(b"\r\n").split(b"\n"):
        found = _HEADER_LINE.match(line)
        if found is None:
            break
        if found[1]:
            names.add(found[1].lower())
    return names


def is_delivered_message(start: bytes) -> bool:
    """Whether what starts like this is a message, and no other text with a header, such as an article of a newsgroup.

    It has two or more of the usual headers, and one that only mail has: of its way, or its number and a recipient.
    """
    names = header_names(start)
    by_mail = names & _ON_THE_WAY or (b"message-id" in names and names & {b"to", b"cc"})
    return len(names & _USUAL) >= 2 and bool(by_mail)


def is_mail(path: str) -> bool | None:
    """Whether the documents at a path are mail, by a few of them; None if there are none to tell by."""
    return judge(mail_votes(path))


def judge(votes: Iterable[bool]) -> bool | None:
    """What most votes are for; None if there are none."""
    counted = list(votes)
    return sum(counted) * 2 > len(counted) if counted else None


def mail_votes(path: str) -> Iterator[bool]:
    """Whether some files at a path, spread over its folders, are mail each."""
    if path == STDIN:
        start = peek_stdin()
        yield from [_is_mail_start(start)] if start.strip() else []
        return
    if not Path(path).is_dir():
        yield from _file_votes(path)
        return
    for file, in_maildir in _some_files(path):
        yield from [True] if in_maildir else _file_votes(file)


def _some_files(folder: str) -> Iterator[tuple[str, bool]]:
    """Some files of each folder in a folder, and whether they are messages by where they lie."""
    tops = [Path(folder, part) for part in PARTS] if has_parts(Path(folder)) else [Path(folder)]
    folders = [Path(entry) for top in tops for entry in sorted(os.scandir(top), key=lambda e: e.name) if entry.is_dir()]
    if is_maildir(folder) or not folders:
        folders = [Path(folder)]
    chosen = folders[:: max(len(folders) // LOOKED_AT, 1)][:LOOKED_AT]
    each = -(-LOOKED_AT // len(chosen))
    for part in chosen:
        for file, _ in islice(walk_files(str(part), lambda where, why: None), each):
            yield file, is_maildir(Path(file).parent.parent)


def _file_votes(path: str) -> Iterator[bool]:
    """Whether a file is mail; of an archive, some of its files."""
    if table_format(path) is not None:
        yield False
        return
    if not Path(path).is_file():  # what a pipe has can be read only once
        return
    try:
        with Path(path).open("rb") as file:
            start, _, _ = unpack(file)
            if is_archive(start):
                yield from (_is_mail_start(unpack(member)[0]) for _, member in islice(archive_files(file), LOOKED_AT))
            elif start.strip():
                yield _is_mail_start(start)
    except (OSError, PackedError):
        return


def _is_mail_start(start: bytes) -> bool:
    return is_delivered_message(start) or (is_mbox(start) and len(header_names(start) & _USUAL) >= 2)
