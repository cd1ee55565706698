"""What is mail, by its content: messages have the headers that mail gets on its way. Imports little."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from textnb.corpora.decoding import marked_encoding
from textnb.corpora.files import PARTS, STDIN, TABLE_NAME, has_parts, is_maildir, is_table, peek_stdin, walk_files
from textnb.corpora.mbox import Mbox, is_mbox
from textnb.corpora.packed import Archive, PackedError, is_archive, unpack
from textnb.text.mail.grammar import BEFORE_HEADER, CONTINUATION, MAILBOX_LINE, NAME, NAME_AND_COLON

LOOKED_AT = 20  # files of a folder or an archive, and paths of a source
_HEADER_LINE = re.compile(rf"(?=({NAME})?+)(?:{NAME_AND_COLON}|{CONTINUATION}|{MAILBOX_LINE})".encode())
_BEFORE_HEADER = re.compile(BEFORE_HEADER)
_USUAL = {
    *(b"from", b"to", b"cc", b"subject", b"date", b"received", b"message-id", b"return-path", b"mime-version"),
    *(b"content-type", b"delivered-to", b"reply-to"),
}
_ON_THE_WAY = {b"received", b"return-path", b"delivered-to", b"envelope-to", b"x-original-to"}


class Kinds(NamedTuple):
    """How many of some documents are messages, and how many are not; whether there is a mailbox or a maildir."""

    n_mail: int = 0
    n_other: int = 0
    has_mailbox: bool = False

    @property
    def is_mail(self) -> bool | None:
        """What most of them are; with a mailbox, half of them are enough. None if there are none to tell by."""
        if not (self.n_mail or self.n_other):
            return None
        return self.n_mail > self.n_other or (self.has_mailbox and self.n_mail == self.n_other)

    @property
    def is_mixed(self) -> bool:
        return bool(self.n_mail and self.n_other)


_NONE, _MESSAGE, _OTHER = Kinds(), Kinds(n_mail=1), Kinds(n_other=1)
_MESSAGE_OF_MAILDIR = Kinds(n_mail=1, has_mailbox=True)


def header_names(start: bytes) -> set[bytes]:
    """The names of the header lines that a message starts with, in lower case."""
    names = set()
    for line in start[_BEFORE_HEADER.match(start).end() :].split(b"\n"):  # type: ignore[union-attr]
        found = _HEADER_LINE.match(line)
        if found is None:
            break
        if found[0].endswith(b":"):
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
    """Whether the documents of the class folders at a path are mail; None if there are none to tell by."""
    return kinds_of([path], of_classes=True).is_mail


def kinds_of(paths: Sequence[str], *, of_classes: bool = False) -> Kinds:
    """What the documents at some paths are, by a few of them; `of_classes` if only those in class folders are wanted.

    What cannot be read or is no text has no say. A mailbox counts for as many documents as its start shows.
    """
    some = paths[:: len(paths) // LOOKED_AT + 1]
    return _sum(kinds for path in some for kinds in _kinds_at(path, of_classes))


def box_of_one_class(path: str) -> str | None:
    """What a path is if all its documents are mail of one class, whatever that is; None for all else."""
    if is_maildir(path):
        return "a maildir"
    if is_table(path) or not Path(path).is_file():
        return None
    try:
        with Path(path).open("rb") as file:
            kinds = _kinds_of_start(unpack(file)[0])
    except (OSError, PackedError):
        return None
    return "a mailbox" if kinds.has_mailbox else "a message" if kinds.is_mail else None


def mail_notice(name: str) -> str:
    """What to say where mail is read as mail, and nobody has asked for it."""
    return (
        f"{name} is mail: words of headers and bodies are counted by the mail analyzer; --analyzer word reads it as "
        "plain text"
    )


def mixed_notice(name: str, *, as_mail: bool) -> str:
    """How documents are read of which some are mail and some are not, where nobody has said it."""
    if as_mail:
        return f"{name} has mail and other files, and all are read as mail; --analyzer word reads them as plain text"
    return f"{name} has mail and other files, and all are read as plain text; --analyzer mail reads them as messages"


def _sum(several: Iterable[Kinds]) -> Kinds:
    total = _NONE
    for one in several:
        total = Kinds(total.n_mail + one.n_mail, total.n_other + one.n_other, total.has_mailbox or one.has_mailbox)
    return total


def _kinds_at(path: str, of_classes: bool) -> Iterator[Kinds]:
    if path == STDIN:
        yield _kinds_of_start(peek_stdin())
    elif Path(path).is_dir():
        for file, in_maildir in _some_files(path, of_classes):
            if of_classes or not is_table(file):  # which is given by its name, or is not read
                yield _MESSAGE_OF_MAILDIR if in_maildir else _kinds_of_file(file, of_classes)
    else:
        yield _kinds_of_file(path, of_classes)


def _some_files(top: str, of_classes: bool) -> Iterator[tuple[str, bool]]:
    """Some files of each folder in a folder, and whether they are messages by where they lie."""
    tops = [str(Path(top, part)) for part in PARTS] if of_classes and has_parts(Path(top)) else [top]
    folders = [folder for one in tops if not is_maildir(one) for folder in _visible_folders(one)]
    chosen = folders[:: max(len(folders) // LOOKED_AT, 1)][:LOOKED_AT]
    if not (of_classes and folders):
        chosen.insert(0, top)
    each = -(-LOOKED_AT // len(chosen))
    for folder in chosen:
        files: Iterator[str] = (path for path, _ in walk_files(folder, lambda where, why: None))
        if folder == top and folders:
            files = takewhile(lambda path: Path(path).parent == Path(top), files)
        for path in islice(files, each):
            yield path, is_maildir(Path(path).parent.parent)


def _visible_folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []


def _kinds_of_file(path: str, of_classes: bool) -> Kinds:
    """What a file is; of an archive, some of its files."""
    if not Path(path).is_file():  # what a pipe has can be read only once
        return _NONE
    try:
        with Path(path).open("rb") as file:
            if is_table(path):
                return _OTHER
            start, _, _ = unpack(file)
            if not is_archive(start):
                return _kinds_of_start(start)
            inside = (member for place, member in Archive(file) if of_classes or not TABLE_NAME.search(place))
            return _sum(map(_kinds_of_member, islice(inside, LOOKED_AT)))
    except (OSError, PackedError):
        return _NONE


def _kinds_of_member(file: object) -> Kinds:
    try:
        start, _, _ = unpack(file)
        return _NONE if is_archive(start) else _kinds_of_start(start)
    except PackedError:
        return _NONE


def _kinds_of_start(start: bytes) -> Kinds:
    """What a file is that starts like this: a mailbox, a message, another text, or none of them."""
    if is_mbox(start) and len(header_names(start) & _USUAL) >= 2:
        return Kinds(n_mail=sum(1 for _ in Mbox(BytesIO(start))), has_mailbox=True)
    if is_delivered_message(start):
        return _MESSAGE
    is_text = not start.isspace() and start != b"" and (b"\0" not in start or marked_encoding(start) is not None)
    return _OTHER if is_text else _NONE
