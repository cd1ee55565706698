"""Character references of HTML, in linear time and without the limits of `html.unescape` on numbers."""

from __future__ import annotations

import re
from functools import cache

_REFERENCE = re.compile(r"&(?:#0*([0-9]{1,10})|#[xX]0*([0-9a-fA-F]{1,8})|([a-zA-Z][a-zA-Z0-9]{1,31}));?")
_COMMON = {"nbsp": " ", "amp": "&", "lt": "<", "gt": ">", "quot": '"'}


@cache
def _names() -> dict[str, str]:
    from html.entities import html5  # only for messages that have rarer references

    return {name.rstrip(";"): text for name, text in html5.items()}


def unescape(text: str) -> str:
    """The text with its character references resolved; unknown ones stay as they are."""
    return _REFERENCE.sub(_resolve, text) if "&" in text else text


def _resolve(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _COMMON.get(name) or _names().get(name, reference[0])
    number = int(decimal) if decimal else int(hexadecimal, 16)
    if number < 0x20 or 0xD800 <= number < 0xE000 or number > 0x10FFFF:
        return " "
    if 0x80 <= number < 0xA0:  # browsers read them as Windows-1252
        return bytes([number]).decode("cp1252", "ignore")
    return chr(number)
