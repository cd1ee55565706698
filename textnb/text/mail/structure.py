"""What a message is made of: content types, charsets, encodings, file names and sizes."""

from __future__ import annotations

import re
from functools import lru_cache

from textnb.text.mail.encoded_words import header_text, parameters
from textnb.text.mail.message import Part, transfer_encoding

_NAME_WORDS = re.compile(r"[^\W_]+")
_LONGEST = 40


def _value(text: str) -> str:
    """A short value as part of a term."""
    return _short_value(text[:200])


@lru_cache(maxsize=512)
def _short_value(text: str) -> str:
    return "_".join(header_text(text).lower().split())[:_LONGEST]


def part_terms(part: Part) -> list[str]:
    """Terms of a part's own headers and of its size."""
    headers = part.headers
    terms = [f"size:{part.content_type[:_LONGEST]}:{len(part.body).bit_length()}"]
    if "content-type" in headers:
        terms.append(f"type:{part.content_type[:_LONGEST]}")
    if charset := part.parameters.get("charset"):
        terms.append(f"charset:{_value(charset)}")
    if encoding := transfer_encoding(headers):
        terms.append(f"encoding:{_value(encoding)}")
    name = part.parameters.get("name")
    if "content-disposition" in headers:
        disposition = headers["content-disposition"]
        terms.append(f"disposition:{_value(disposition.partition(';')[0])}")
        name = parameters(disposition).get("filename") or name
    return terms + file_terms(name) if name else terms


def file_terms(name: str) -> list[str]:
    """The extension and the words of a file name."""
    name = header_text(name[:500]).lower()
    extension = name.rpartition(".")[2] if "." in name else ""
    words = [f"file:{word[:20]}" for word in _NAME_WORDS.findall(name)[:10]]
    return [f"file:.{_value(extension)[:10]}", *words]


def container_terms(content_type: str, n_parts: int) -> list[str]:
    """Terms of a part that has parts."""
    return [f"type:{content_type[:_LONGEST]}", f"parts:{n_parts.bit_length()}"]
