"""Header values as people read them: RFC 2047 words, RFC 2231 parameters, 8-bit text, broken variants of each."""

from __future__ import annotations

import binascii
import re

from textnb.text.mail.charsets import decode
from textnb.text.mail.normalize import drop_controls
from textnb.text.mail.transfer import decode_base64, to_bytes

LONGEST_HEADER = 8192

# The text may have blanks and question marks that do not belong there; the end may be missing.
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\n]*(?:\?(?!=)[^?\n]*)*)(?:\?=|$)(?:\s++(?==\?))?")
_CHARSET = re.compile(r"=\?([^?*\s]{1,60})")
_PARAMETER = re.compile(r';\s*([\w*-]{1,40})\s*=\s*("[^"]*"?|[^;\s]*)')
_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})")


def _decode_word(word: re.Match[str]) -> str:
    charset, encoding, text = word.groups()
    data = to_bytes(text)
    data = decode_base64(data) if encoding in "bB" else binascii.a2b_qp(data.replace(b"_", b" "))
    return decode(data, charset.partition("*")[0])


def header_text(value: str, hint: str | None = None) -> str:
    """The value with encoded words decoded, as one line without control characters."""
    value = value[:LONGEST_HEADER]
    if not value.isascii():
        value = decode(to_bytes(value), None, hint or encoded_charset(value))
    if "=?" in value:
        value = _ENCODED_WORD.sub(_decode_word, value)
    if not value.isprintable():
        value = drop_controls(value)
    return " ".join(value.split())


def encoded_charset(value: str) -> str | None:
    """The charset of the first encoded word."""
    found = _CHARSET.search(value[:LONGEST_HEADER]) if "=?" in value else None
    return found[1] if found else None


def parameters(value: str) -> dict[str, str]:
    """The parameters of a header such as Content-Type. Pieces of a long one are joined, percent escapes resolved."""
    found: dict[str, str] = {}
    for name, text in _PARAMETER.findall(value[:LONGEST_HEADER]):
        whole, star, _ = name.lower().partition("*")
        text = text.strip('"')
        if star:
            text = found.get(whole, "") + (_decode_extended(text) if name.endswith("*") else text)
        elif whole in found:
            continue
        found[whole] = text
    return found


def _decode_extended(text: str) -> str:
    charset, quote, rest = text.partition("'")
    data = to_bytes(rest.partition("'")[2] if quote else text)
    return decode(_ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), data), charset if quote else None)
