"""A JSON file that is an array of objects, read as a stream, or JSON lines under the name of .json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import dumps
from typing import IO, Any

from textnb.corpora.decoding import decoded_start, longest
from textnb.corpora.json_lines import (
    ANY_NUMBER,
    DECODER,
    NoNumber,
    NotJson,
    NumberedObject,
    as_object,
    first_names,
    json_names,
    json_records,
    object_records,
    parse_start,
)
from textnb.corpora.packed import gives_packed
from textnb.corpora.rows import BadRow, Note, ReadOptions, Record, decoded_lines, decoded_text, require_decoded

BLOCK = 1 << 16  # characters read at a time; more while an object is longer
_BLANKS = re.compile(r"[ \t\r\n]*")
_LOST = "everything after it is lost"


def array_records(file: Any, options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows of a JSON file, located by `place` and their number in the array.

    After what is no JSON, nothing more can be read; of an object with NaN or an infinity, the end is known.
    """
    if _is_array(file, options.encoding):
        return object_records(_objects(file, options.encoding), options, f"{place}item ", note)
    return json_records(decoded_lines(file, options.encoding), options, place, note)


def array_names(file: Any, encoding: str | None) -> list[str]:
    if _is_array(file, encoding):
        return first_names(_objects(file, encoding))
    return json_names(decoded_lines(file, encoding))


def _is_array(file: Any, encoding: str | None) -> bool:
    return decoded_start(file.peek(1), encoding).lstrip("\ufeff \t\r\n").startswith("[")


def _objects(file: Any, encoding: str | None) -> Iterator[NumberedObject]:
    """Each object of an array, with its number and how it is written, on one line; the unread rest is not written."""
    ahead, number = Ahead(decoded_text(file, encoding), longest(gives_packed(file))), 0
    ahead.next_sign()
    ahead.at += 1  # its bracket
    sign = ahead.next_sign()
    while sign and (number or sign != "]"):
        number += 1
        try:
            value, written, refused = ahead.value()
        except BadRow as error:
            yield number, None, BadRow(f"{error}; {_LOST}")
            return
        yield number, *_object(value, written, refused)
        sign = ahead.next_sign()
        if sign == "]":
            break
        if sign and sign != ",":
            yield number + 1, None, BadRow(f"there is no comma before it; it and {_LOST}")
            return
        ahead.at += 1
        sign = ahead.next_sign()
    if sign != "]":
        yield number + 1, None, BadRow("the array has no end: the file is cut off")
        return
    ahead.at += 1
    if ahead.next_sign():
        yield number + 1, None, BadRow(f"it stands after the end of the array; it and {_LOST}")


def _object(value: Any, written: str, refused: BadRow | None) -> tuple[str, dict[str, Any] | BadRow]:
    try:
        require_decoded(written)
        if "\n" in written or "\r" in written:
            written = dumps(value, ensure_ascii=False)
        return written, refused or as_object(value)
    except BadRow as error:
        return written, error


class Ahead:
    """The characters of a text that were read and not yet taken."""

    def __init__(self, text: IO[str], limit: int) -> None:
        self.buffer, self.at, self.text, self.limit = "", 0, text, limit

    def next_sign(self) -> str:
        """The next character that is not blank, or nothing at the end."""
        while True:
            self.at = _BLANKS.match(self.buffer, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.read_on(BLOCK):
                return ""

    def value(self) -> tuple[Any, str, BadRow | None]:
        """The value that begins here, how it is written, and why it is refused if a number in it is none.

        Twice as much is read until it has an end.
        """
        refused = None
        while True:
            try:
                value, end = parse_start(self.buffer, self.at, DECODER if refused is None else ANY_NUMBER)
            except NoNumber as error:
                refused = error
            except NotJson:
                length = len(self.buffer) - self.at
                if length > self.limit:
                    raise NotJson(f"it is no JSON, or longer than {self.limit:,} characters") from None
                if not self.read_on(max(length, BLOCK)):
                    raise
            else:
                written, self.at = self.buffer[self.at : end], end
                return value, written, refused

    def read_on(self, size: int) -> bool:
        """Whether there was more to read."""
        more = self.text.read(size)
        self.buffer, self.at = self.buffer[self.at :] + more, 0
        return bool(more)
