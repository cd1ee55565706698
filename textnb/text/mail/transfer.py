"""The bytes behind a part's transfer encoding, whatever is broken in it."""

from __future__ import annotations

import binascii
import re

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(set(range(256)) - set(_ALPHABET) - set(b"="))
_PROSE = re.compile(rb"[^\s][ \t]+[^\s]")


def to_bytes(text: str) -> bytes:
    """The bytes of a message or a part of it."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return text.encode("utf-8", "surrogatepass")


def decode_base64(data: bytes) -> bytes:
    """What is encoded, without what is no base64: lines of prose at the end, characters in between, padding."""
    prose = _PROSE.search(data)
    if prose:
        encoded = data[: data.rfind(b"\n", 0, prose.start()) + 1]
        if len(encoded) * 2 > len(data):
            data = encoded
    pieces = data.translate(None, _NOT_BASE64).split(b"=")
    return b"".join([_decode_unpadded(piece) for piece in pieces if piece])


def _decode_unpadded(data: bytes) -> bytes:
    if len(data) % 4 == 1:  # six bits are no byte
        data = data[:-1]
    return binascii.a2b_base64(data + b"=" * (-len(data) % 4))


def decode_transfer(text: str, encoding: str) -> bytes:
    """The bytes of a part's body in this transfer encoding; an unknown one is taken for none."""
    if encoding == "base64":
        return decode_base64(to_bytes(text))
    if encoding == "quoted-printable":
        return binascii.a2b_qp(to_bytes(text))
    return to_bytes(text)
