"""The documents that files and archives hold: mailboxes are split into their messages. Imports little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from textnb.corpora.decoding import decode, why_no_document
from textnb.corpora.files import TABLE_NAME, os_error_reason
from textnb.corpora.packed import START, Archive, ArchiveError, Content, PackedError, is_archive, unpack


class Reading(NamedTuple):
    """How documents are read, and who is told of what cannot be."""

    mail: bool  # whether they are wanted as messages; as plain text otherwise
    skip: Callable[[str, str], None]  # is told where, and why
    note: Callable[[str], None]  # is told what people should know
    encoding: str | None = None  # of plain text
    tables: bool = True  # whether a table in an archive is a document like another


class NoDocument(ValueError):
    """Why bytes are no document."""


def text_of(content: bytes, reading: Reading) -> str:
    """The document that these bytes are; a NoDocument if they are none."""
    if not reading.mail:
        text = decode(content, reading.encoding)
        if why := why_no_document(text):
            raise NoDocument(why)
        return text
    if not content or content.isspace():
        raise NoDocument("it is empty")
    if b"\0" in content[:START]:
        from textnb.corpora.recognition import header_names

        if not header_names(content[:START]):
            raise NoDocument("it is no message: it has NUL bytes, and no header")
    from textnb.text.mail import as_message
    from textnb.text.mail.canonical import canonical

    return canonical(as_message(content))


def path_documents(path: str, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """(place, text) of the documents of a file in a folder: one, or the messages of a mailbox."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (there may be many thousands, and Path takes its time)
            yield from _inner_documents(file, place, reading)
    except PackedError as error:
        reading.skip(place, str(error))
    except OSError as error:
        reading.skip(place, os_error_reason(error))


def file_documents(file: Any, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """(place, text) of the documents of an open file: one, or the messages of a mailbox, or all those of an archive."""
    try:
        start, content, is_packed = unpack(file)
        if not is_archive(start):
            yield from _documents(start, content, place, reading, limited=is_packed)
        elif file.seekable():
            yield from archive_documents(Archive(file), place, reading)
        else:
            reading.skip(place, "it is an archive: give it by its name")
    except PackedError as error:
        reading.skip(place, str(error))


def archive_documents(archive: Archive, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """(place, text) of the documents of an archive; a file in it that cannot be read is skipped."""
    n_read = 0
    try:
        for inside, member in archive:
            where = f"{place}/{inside}"
            if not reading.tables and TABLE_NAME.search(inside):
                reading.skip(where, "it is a table of documents: unpack it, and give it by its name")
                continue
            try:
                for document in _inner_documents(member, where, reading):
                    n_read += 1
                    yield document
            except ArchiveError:
                raise
            except PackedError as error:
                reading.skip(where, str(error))
    except ArchiveError as error:
        reading.skip(place, str(error))
    else:
        if not n_read:
            reading.skip(place, "it is an archive in which there is no document that can be read")


def _inner_documents(file: Any, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """(place, text) of the documents of a file in a folder or an archive."""
    start, content, is_packed = unpack(file)
    if is_archive(start):
        reading.skip(place, "it is an archive, which is read only if it is given by its name")
    else:
        yield from _documents(start, content, place, reading, limited=is_packed or not file.seekable())


def _documents(
    start: bytes, content: Content, place: str, reading: Reading, *, limited: bool
) -> Iterator[tuple[str, str]]:
    """(place, text) of the documents of what is not an archive; `limited` if it may be larger than a file is."""
    if start.lstrip(b"\xef\xbb\xbf\r\n").startswith(b"From "):
        from textnb.corpora.mbox import is_mbox

        if is_mbox(start):
            yield from _mailbox_documents(content, place, reading)
            return
    whole: bytes | None = start
    if len(start) == START:
        whole = _limited(content) if limited else content.read()
    yield from _document(whole, place, reading)


def _limited(content: Content) -> bytes | None:
    """The whole content of a file; None if it is larger than a message can be."""
    from textnb.corpora.mbox import MAX_MESSAGE

    whole = content.read(MAX_MESSAGE + 1)
    return whole if len(whole) <= MAX_MESSAGE else None


def _mailbox_documents(content: Content, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """(place, text) of the messages of a mailbox, numbered where there are several."""
    from textnb.corpora.mbox import Mbox, is_followed_by_header, message_in

    def message_of(entry: bytes | None) -> bytes | None:
        if entry is None or (reading.mail and is_followed_by_header(entry)):  # `canonical` takes the first line away
            return entry
        return message_in(entry)

    mailbox = Mbox(content)
    entries = iter(mailbox)
    first, second = next(entries), next(entries, b"")
    if second == b"":
        yield from _document(message_of(first) if reading.mail else first, place, reading)
    else:
        for number, entry in enumerate(chain([first, second], entries), 1):
            yield from _document(message_of(entry), f"{place}:{number}", reading)
    if mailbox.has_unrecognised:
        reading.note(
            f"{place} has lines that begin with 'From ' and have no date, after a blank line: they are taken for text, "
            "not for the start of a message"
        )


def _document(content: bytes | None, place: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """The place and the text of a document, if it is one; None stands for one that is too large."""
    if content is None:
        from textnb.corpora.mbox import too_large

        reading.skip(place, too_large())
        return
    try:
        yield place, text_of(content, reading)
    except (NoDocument, UnicodeDecodeError) as error:
        reading.skip(place, str(error))
