"""Bytes of unknown encoding to text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import AnyStr

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose little-endian mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
OTHER_KINDS = {  # of files that are given in place of texts, by what they begin with
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip file (as .xlsx, .docx and .ods are)",
}
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
MOST_CHARACTERS = (1 << 30) - 1  # of a document, as the kernel counts them
MAX_LINE = 1 << 27  # characters of a line
MAX_PACKED_LINE = 1 << 24  # of a packed file: a small one can hold a line of gigabytes


def marked_encoding(start: bytes) -> str | None:
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), None)


def decoded_start(start: bytes, encoding: str | None) -> str:
    """The first characters of a table, as far as they can be read."""
    return start.decode(encoding or marked_encoding(start) or "utf-8", errors="ignore")


def known_encoding(encoding: str | None) -> str | None:
    """The encoding given, if Python has it; UTF-8 always passes over a byte order mark."""
    if encoding is None:
        return None
    try:
        " ".encode(encoding)
    except LookupError:
        raise ValueError(f"There is no text encoding {encoding!r}; utf-8, cp1252 and latin-1 are some.") from None
    return "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding


def decode(content: bytes, encoding: str | None = None) -> str:
    """One document's text: as its byte order mark says, else UTF-8, else Windows-1252, else Latin-1.

    An encoding that is given wins, and is strict; Latin-1 takes any byte.
    """
    if encoding is not None:
        return content.decode(encoding)
    for candidate in (marked_encoding(content), "utf-8", "cp1252"):
        try:
            if candidate is not None:
                return content.decode(candidate)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


class LongLine(str):
    """An empty line in place of one that is too long to be one of a document's, and why it is none."""

    why = ""

    @classmethod
    def of(cls, limit: int) -> LongLine:
        line = cls("\n")
        line.why = f"it is longer than {limit:,} characters"
        return line


def bounded_lines(read_line: Callable[[int], AnyStr], *, is_packed: bool = False) -> Iterator[AnyStr | LongLine]:
    """Lines with their ends, from a file's `readline`; one that is too long is passed over, and given as a LongLine."""
    limit = longest(is_packed)
    while line := read_line(limit):
        if len(line) < limit or line[-1:] in ("\n", b"\n"):
            yield line
            continue
        del line
        while (rest := read_line(limit)) and rest[-1:] not in ("\n", b"\n"):
            pass
        yield LongLine.of(limit)


def longest(is_packed: bool) -> int:
    """How many characters a line, or whatever else is a document, may have."""
    return min(MAX_LINE, MAX_PACKED_LINE) if is_packed else MAX_LINE


def other_kind(start: bytes) -> str | None:
    """What a file of no text is that begins like this, if it is of a kind that people know."""
    return next((kind for mark, kind in OTHER_KINDS.items() if start.startswith(mark)), None)


def why_no_document(text: str) -> str | None:
    """Why a text is no document: it is empty but for white space, or was no text; None if it is one.

    Named corpora do not ask: they stay as they were published, the papers' empty posts among them.
    """
    if not text or text.isspace():
        return "it is empty"
    if len(text) > MOST_CHARACTERS:
        return f"it is {len(text):,} characters long, of which {MOST_CHARACTERS:,} can be counted at most"
    if "\0" in text:
        return "it is no text, it has NUL bytes (UTF-16 is read if it begins with a byte order mark)"
    return None


def without_lone_surrogates(text: str) -> str:
    """The text with U+FFFD for every code point that no encoding can write."""
    return text if text.isascii() else LONE_SURROGATE.sub("\ufffd", text)


def _decode_stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return decode(error.object[error.start : error.end]), error.end


# A table is decoded as a stream, so the fall-back is a matter of single bytes: one stray byte in the millionth row must
# not turn the whole file into Windows-1252.
STRAY_BYTES = "textnb-stray-bytes"
codecs.register_error(STRAY_BYTES, _decode_stray_bytes)
