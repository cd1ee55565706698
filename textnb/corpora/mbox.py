"""Mailboxes in one file, as mboxrd and its relatives write them: split as a stream, a message at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedIOBase

BLOCK = 1 << 20
MAX_MESSAGE = 1 << 27  # bytes
_LONGEST_START = 4096  # bytes of a separator and the header line after it
_HEADER = rb"(?=[!-9;-~]{1,200}[ \t]*:|>?From )"
_MONTH = rb"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_FIRST = re.compile(rb"[\r\n]*From [^\n]{0,1000}\n" + _HEADER)
_SEPARATOR = re.compile(
    rb"From (?=[^\n]*" + _MONTH + rb")(?=[^\n]*\b\d\d?:\d\d\b)(?=[^\n]*\b(?:19|20)\d\d\b)[^\n]{1,1000}\n" + _HEADER
)
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)


def too_large() -> str:
    """Why a message is not read that is larger than any."""
    return f"it has more than {MAX_MESSAGE:,} bytes, the most that a message may have"


def is_mbox(start: bytes) -> bool:
    """Whether a file that starts like this is a mailbox: with a `From ` line, and a header line after it."""
    return _FIRST.match(start) is not None


class Mbox:
    """The messages of an open mailbox, in order, as they stand there; None for one that is too large.

    A message starts at a `From ` line that has a date, or is the first, and is followed by a header line; some programs
    leave out the blank line before it. `has_unrecognised` says whether there were others after a blank line, without a
    date, which stay part of their message.
    """

    def __init__(self, file: BufferedIOBase) -> None:
        self.file = file
        self.has_unrecognised = False

    def __iter__(self) -> Iterator[bytes | None]:
        buffer = bytearray(self.file.read(BLOCK))
        first = _FIRST.match(buffer)
        searched, too_large = 0 if first is None else first.end(), False
        while True:
            if next_start := self._next_start(buffer, searched):
                yield None if too_large else bytes(buffer[:next_start])
                del buffer[:next_start]
                searched, too_large = 1, False
                continue
            block = self.file.read(BLOCK)
            if not block:
                break
            searched = max(len(buffer) - _LONGEST_START, searched)
            buffer += block
            if len(buffer) > MAX_MESSAGE:
                del buffer[:searched]
                searched, too_large = 0, True
        yield None if too_large else bytes(buffer)

    def _next_start(self, buffer: bytearray, start: int) -> int:
        """Where the next message begins, as far as that is in the buffer; otherwise 0."""
        at = buffer.find(b"\nFrom ", start)
        while at >= 0:
            if _FIRST.match(buffer, at + 1):
                if _SEPARATOR.match(buffer, at + 1):
                    return at + 1
                self.has_unrecognised |= buffer[at - 1 : at] == b"\n" or buffer[max(at - 2, 0) : at] == b"\n\r"
            at = buffer.find(b"\nFrom ", at + 1)
        return 0


def message_in(entry: bytes) -> bytes:
    """The message of a mailbox's entry: without its first line and its last, which is blank, and unescaped.

    Where there is no such first line, nobody has changed the message.
    """
    first = _FIRST.match(entry)
    if first is None:
        return entry
    end = len(entry)
    if entry.endswith((b"\n\n", b"\n\r\n")):
        end = entry.rindex(b"\n", 0, -1) + 1
    message = entry[first.end() : end]
    return _ESCAPED.sub(b"", message) if b">From " in message else message
