"""A message with the verdict in its header, every other byte as it was."""

from __future__ import annotations

import re

NAME = b"X-Textnb"
_ENVELOPE = re.compile(rb"(?:From [^\r\n]*+\r?\n)++")  # of an mbox, before the header
_HEADER_LINE = re.compile(rb"[^\s:]++[ \t]*+:|>From |\r?\n")  # how a header begins; the last one is empty
_LINE_END = rb"(?:\r*+\n|\r|\Z)"  # a carriage return alone ends a line for some who read mail
_CONTINUATION = rb"[ \t][^\r\n]*+" + _LINE_END
_TAG = NAME + rb"[ \t]*+:[^\r\n]*+" + _LINE_END + rb"(?:" + _CONTINUATION + rb")*+"
_FORGED = re.compile(rb"(\n|(?<![\r\n])\r)(?:" + _TAG + rb")++", re.IGNORECASE)
_LAST_END = re.compile(rb"(?:\r*\n|\r)?\Z")


def tagged(content: bytes, value: str) -> bytes:
    r"""The message with one header `X-Textnb`, and without those that it came with.

    The header goes to the top, where servers on the way put theirs (after the `From ` line of an mbox): there it is in
    the header whatever the rest looks like, and before the blank line it might not be, because where a damaged header
    ends is a matter of opinion. A message without a header gets one, and a blank line after it. Line ends are the
    message's own.

    Examples
    --------
    >>> tagged(b"Subject: lunch\r\nx-textnb: ham; 0.001\r\n  forged\r\n\r\nNoon?", "spam; 0.998; score 6.2")
    b'X-Textnb: spam; 0.998; score 6.2\r\nSubject: lunch\r\n\r\nNoon?'
    """
    envelope = _ENVELOPE.match(content)
    start = 0 if envelope is None else envelope.end()
    is_headed = _HEADER_LINE.match(content, start) is not None
    end = _end_of_header(content, start) if is_headed else start
    header = _FORGED.sub(_end_around, b"\n" + content[start:end])[1:]
    line_end = _line_end(header) or _line_end(content[end:]) or _line_end(content[:start]) or b"\n"
    added = b"%s: %s%s" % (NAME, value.encode("ascii", "backslashreplace"), line_end)
    return b"".join([content[:start], added, header, b"" if is_headed else line_end, content[end:]])


def _end_around(forged: re.Match[bytes]) -> bytes:
    """The line end to keep, of those before and behind removed headers: not a CR that might join the next."""
    behind = _LAST_END.search(forged[0])
    return b"\n" if forged[1] == b"\n" or behind is None else behind[0]


def _end_of_header(content: bytes, start: int) -> int:
    """Where the blank line begins, or the end of a message that has none."""
    if content.startswith((b"\n", b"\r\n"), start):
        return start
    ends = [content.find(blank, start) + 1 for blank in (b"\n\n", b"\n\r\n")]
    return min((end for end in ends if end), default=len(content))


def _line_end(content: bytes) -> bytes:
    """How the first line ends; empty if it has no end."""
    at = content.find(b"\n")
    return b"" if at < 0 else b"\r\n" if content[at - 1 : at] == b"\r" else b"\n"
