"""A message taken apart: its headers, and the parts of its body in the order they are shown.

The walk has limits, so that no message takes long: what is over one is left out, and a flag says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from textnb.compiled import compiled_kernel
from textnb.text.mail.encoded_words import LONGEST_HEADER, encoded_charset, parameters
from textnb.text.mail.grammar import MAILBOX_LINE, NAME, NAME_AND_COLON
from textnb.text.mail.transfer import decode_transfer

LONGEST_MESSAGE = 8 * 1024 * 1024
MOST_PARTS = 200
DEEPEST = 20
MOST_HEADERS = 500

Headers = list[tuple[str, str]]
Alternatives = tuple[tuple[int, int], ...]

# Read wherever they stand, so that no number of others in front of them hides them.
_KNOWN_NAMES = """
subject from to cc reply-to sender return-path date message-id received mime-version content-type
content-transfer-encoding content-disposition x-mailer user-agent
"""
_KNOWN = frozenset(_KNOWN_NAMES.split())
# A name, a colon, the rest of the line and lines that begin with a blank; lines that a mailbox puts between headers.
_BLOCK = re.compile(rf"(?:{MAILBOX_LINE}[^\n]*+(?:\n|\Z)|{NAME_AND_COLON}[^\n]*+(?:\n[ \t][^\n]*+)*+(?:\n|\Z))*+")
_HEADER = re.compile(rf"^({NAME})[ \t]*+:[ \t]*+([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)
_PLAIN: tuple[str, Mapping[str, str]] = ("text/plain", {})
_ENCODING = re.compile(r'\s*+(?:\([^()]{0,80}+\)\s*+)?+"?([^\s;("]{1,100})')  # a comment may be on either side
_TYPE = re.compile(r'\s*"?([\w.+-]{1,80}/[\w.+-]{1,80})', re.ASCII)


class Part(NamedTuple):
    """A part that has no parts. `alternatives`: the number of each multipart/alternative around it, its place there."""

    headers: dict[str, str]
    body: str
    content_type: str
    parameters: Mapping[str, str]
    alternatives: Alternatives


class Message(NamedTuple):
    """A message taken apart.

    `values`: the first of each header; `has_more_headers`: whether some were over the limit; `containers`: content type
    and number of parts of each multipart; `forwarded`: headers of attached messages.
    """

    headers: Headers
    values: dict[str, str]
    has_more_headers: bool
    parts: list[Part]
    containers: list[tuple[str, int]]
    forwarded: list[dict[str, str]]
    flags: set[str]


def as_message(message: bytes | str) -> str:
    """A message as a str that gives its bytes back by `.encode("utf-8", "surrogateescape")`."""
    return message if isinstance(message, str) else bytes(message).decode("utf-8", "surrogateescape")


def scan_headers(text: str, most: int, known: frozenset[str]) -> tuple[Headers, int, bool]:
    """Names in lower case and values of the headers, where the first line starts that is not of a header, and a sign.

    The sign is whether there are more than `most` headers. Of those the first of each known name is read if it was not
    met before, and they come first in the list.
    """
    end = _BLOCK.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    found = _HEADER.finditer(text, 0, end)
    headers = [(header[1].lower(), header[2]) for header in islice(found, most)]
    further: dict[str, str] = {}
    is_cut = False
    met = {name for name, _ in headers}
    for header in found:
        is_cut = True
        name = header[1].lower()
        if name in known and name not in met:
            further.setdefault(name, header[2])
    return [*further.items(), *headers], end, is_cut


def split_headers(text: str) -> tuple[Headers, str, bool]:
    """The headers, what follows the first line that is not of a header, and whether there are more headers."""
    kernel = compiled_kernel()
    scan = scan_headers if kernel is None else kernel.mail_headers
    headers, end, is_cut = scan(text, MOST_HEADERS, _KNOWN)
    return headers[:MOST_HEADERS], text[end + 1 :] if text.startswith("\n", end) else text[end:], is_cut


def first_values(headers: Headers) -> dict[str, str]:
    """The first value of each header."""
    return dict(reversed(headers))


def hinted_charset(headers: dict[str, str]) -> str | None:
    """The charset of encoded words in the headers, which is likely the body's."""
    return encoded_charset(headers.get("subject", "")) or encoded_charset(headers.get("from", ""))


def transfer_encoding(headers: dict[str, str]) -> str:
    """The first word of it in lower case; empty if it is not declared."""
    found = _ENCODING.match(headers.get("content-transfer-encoding", ""))
    return found[1].lower() if found else ""


def content_type_of(headers: dict[str, str]) -> tuple[str, Mapping[str, str]]:
    """The content type in lower case and its parameters; text/plain if it is missing or unreadable."""
    return _read_content_type(headers["content-type"][:LONGEST_HEADER]) if "content-type" in headers else _PLAIN


@lru_cache(maxsize=512)
def _read_content_type(value: str) -> tuple[str, Mapping[str, str]]:
    found = _TYPE.match(value)
    return found[1].lower() if found else _PLAIN[0], parameters(value) if ";" in value else {}


def split_parts(body: str, boundary: str, most: int) -> list[str]:
    """The parts between the lines of a boundary, `most` at most."""
    delimiter = "\n--" + boundary
    pieces = f"\n{body}".split(delimiter, most + 1)
    parts: list[list[str]] = []
    for piece in pieces[1:]:
        if piece.startswith("--"):
            break
        if piece and not piece[0].isspace() and parts:  # the line of a longer boundary
            parts[-1] += [delimiter, piece]
        else:
            parts.append([piece.partition("\n")[2]])
    return ["".join(part) for part in parts]


def read_message(text: str) -> Message:
    """All parts of a message, depth first."""
    flags: set[str] = set()
    if len(text) > LONGEST_MESSAGE:
        flags.add("too-large")
        text = text[:LONGEST_MESSAGE]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        flags.add("nul")
        text = text.replace("\0", "")
    headers, body, has_more_headers = split_headers(text)
    parts: list[Part] = []
    containers: list[tuple[str, int]] = []
    forwarded: list[dict[str, str]] = []
    values = first_values(headers)
    waiting: list[tuple[dict[str, str], str, int, Alternatives]] = [(values, body, 0, ())]
    n_met = 0
    while waiting:
        own, body, depth, alternatives = waiting.pop()
        n_met += 1
        if n_met > MOST_PARTS:
            flags.add("too-many-parts")
            break
        content_type, given = content_type_of(own)
        is_multipart = content_type.startswith("multipart/")
        boundary = given.get("boundary") if is_multipart else None
        is_forwarded = content_type == "message/rfc822"
        if depth >= DEEPEST and (boundary or is_forwarded):
            flags.add("too-deep")
            continue
        pieces = split_parts(body, boundary, MOST_PARTS) if boundary else []
        if is_forwarded:
            pieces = [as_message(decode_transfer(body, transfer_encoding(own)))]
        if not pieces:
            if is_multipart:  # programs show such a message as it is
                flags.add("no-parts")
                content_type = "text/plain"
            parts.append(Part(own, body, content_type, given, alternatives))
            continue
        containers.append((content_type, len(pieces)))
        for place in range(len(pieces) - 1, -1, -1):
            inner_headers, inner_body, _ = split_headers(pieces[place])
            inner = first_values(inner_headers)
            inside = alternatives
            if content_type == "multipart/alternative":
                inside = (*alternatives, (len(containers), place))
            if is_forwarded:
                forwarded.append(inner)
            waiting.append((inner, inner_body, depth + 1, inside))
    return Message(headers, values, has_more_headers, parts, containers, forwarded, flags)
