"""Mailboxes in one file, as mboxrd and its relatives write them: split as a stream, a message at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedIOBase

from textnb.text.mail.grammar import BEFORE_HEADER, MAILBOX_LINE, NAME_AND_COLON

BLOCK = 1 << 20
MAX_MESSAGE = 1 << 26  # bytes
_LONGEST_START = 4096  # bytes of a separator and the header line after it
_HEADER = f"(?={NAME_AND_COLON}|{MAILBOX_LINE})".encode()
_LINE = rb"[^\n]{0,1000}\n"
_DAY = rb"(?=[^\n]*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)"
_MONTH = rb"(?=[^\n]*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
_DATE = _MONTH + rb"(?=[^\n]*\b\d\d?:\d\d\b)(?=[^\n]*\b(?:19|20)\d\d\b)"
_UNDATED = rb"From " + _LINE + _HEADER
_DATED = rb"From " + _DAY + _DATE + _LINE
_FIRST = re.compile(BEFORE_HEADER + b"(?:" + _UNDATED + b"|" + _DATED + b")")
_AFTER_BLANK = re.compile(_DATED)
_ANYWHERE = re.compile(rb"From " + _DATE + _LINE + _HEADER)
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_FIRST_IS_HEADED = re.compile(BEFORE_HEADER + _UNDATED)


def too_large() -> str:
    """Why a message is not read that is larger than any."""
    return f"it has more than {MAX_MESSAGE:,} bytes, the most that a message may have"


def is_mbox(start: bytes) -> bool:
    """Whether a file that starts like this is a mailbox: a `From ` line that has a date, or a header line after it."""
    return _FIRST.match(start) is not None


class Mbox:
    """The messages of an open mailbox, in order, as they stand there; None for one that is too large.

    A message starts at a `From ` line that is the first, or that has a day of the week, date and time and stands after
    a blank line, whatever follows; or that has a date and time and a header line after it, because some programs leave
    out the blank line. `has_unrecognised` says whether there were others after a blank line, which stay part of their
    message.
    """

    def __init__(self, file: BufferedIOBase) -> None:
        self.file = file
        self.has_unrecognised = False

    def __iter__(self) -> Iterator[bytes | None]:
        buffer = bytearray(self.file.read(max(BLOCK, _LONGEST_START)))
        first = _FIRST.match(buffer)
        searched, too_large, is_end = 0 if first is None else first.end(), False, False
        while not is_end:
            block = self.file.read(BLOCK)
            buffer += block
            is_end = not block
            while next_start := self._next_start(buffer, searched, is_end):
                yield None if too_large else bytes(buffer[:next_start])
                del buffer[:next_start]
                searched, too_large = 1, False
            searched = max(len(buffer) - _LONGEST_START, searched)
            if len(buffer) > MAX_MESSAGE:
                del buffer[: searched - 2]  # a blank line before what comes next
                searched, too_large = 2, True
        yield None if too_large else bytes(buffer)

    def _next_start(self, buffer: bytearray, start: int, is_end: bool) -> int:
        """Where the next message begins, if that can be told of what has been read; otherwise 0."""
        last = len(buffer) if is_end else len(buffer) - _LONGEST_START
        at = buffer.find(b"\nFrom ", start)
        while 0 <= at < last:
            after_blank = buffer[at - 1 : at] == b"\n" or buffer[max(at - 2, 0) : at] == b"\n\r"
            if _ANYWHERE.match(buffer, at + 1) or (after_blank and _AFTER_BLANK.match(buffer, at + 1)):
                return at + 1
            self.has_unrecognised |= after_blank
            at = buffer.find(b"\nFrom ", at + 1)
        return 0


def is_followed_by_header(entry: bytes) -> bool:
    """Whether a mailbox's entry has a header line right after its first line."""
    return _FIRST_IS_HEADED.match(entry) is not None


def message_in(entry: bytes) -> bytes:
    """The message of a mailbox's entry: without its first line and its last, which is blank, and unescaped.

    Where there is no such first line, nobody has changed the message.
    """
    first = _FIRST.match(entry)
    if first is None:
        return entry
    end = len(entry)
    if entry.endswith((b"\n\n", b"\n\r\n")):
        end = max(entry.rindex(b"\n", 0, -1) + 1, first.end())
    message = entry[first.end() : end]
    return _ESCAPED.sub(b"", message) if b">From " in message else message
