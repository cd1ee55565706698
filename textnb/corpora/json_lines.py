"""JSON lines, read as a stream: one object per line. A bad line is reported and skipped."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from json import JSONDecoder, dumps
from typing import Any, NoReturn, TypeAlias

from textnb.corpora.columns import OPTIONS, NoColumn, found_columns
from textnb.corpora.decoding import LongLine
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, Line, Note, ReadOptions, Record, checked_row, require_decoded

NumberedObject: TypeAlias = tuple[int, str | None, dict[str, Any] | BadRow]
"""An object or why a text is none, its number, and how it is written; the unread rest of a file is not written."""


def json_records(lines: Iterable[str], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows of a JSON-lines file without blank lines; `place` and line number locate each."""
    return object_records(_line_objects(lines), options, f"{place}line ", note)


def object_records(objects: Iterable[NumberedObject], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows that numbered texts of objects are, or why a text is none; the first object is the header."""
    has_names = are_found = False
    for number, text, record in objects:
        where = f"{place}{number}"
        if isinstance(record, BadRow):
            yield Problem(where, str(record)), None if text is None else Line(text, None)
            continue
        line = Line(text or "", record)
        if not has_names:
            has_names = True
            yield None, line
        if not are_found:
            with suppress(NoColumn):  # which this object may lack, and not the next one
                options, are_found = found_columns(options, list(record), note), True
        try:
            content, label = _fields(record, options)
            yield checked_row(where, content, label, options, [_cell(record, name) for name in options.more]), line
        except BadRow as error:
            yield Problem(where, str(error)), line


def json_names(lines: Iterable[str]) -> list[str]:
    return first_names(_line_objects(lines))


def first_names(objects: Iterable[NumberedObject]) -> list[str]:
    """The names in the first object."""
    return next((list(record) for _, _, record in objects if not isinstance(record, BadRow)), [])


def _line_objects(lines: Iterable[str]) -> Iterator[NumberedObject]:
    for number, line in enumerate(lines, 1):
        if isinstance(line, LongLine):
            yield number, "", BadRow(line.why)
        elif line := line.strip():
            try:
                yield number, line, parse_object(line)
            except BadRow as error:
                yield number, line, error


def parse_object(line: str) -> dict[str, Any]:
    """The object that a line without white space around it is."""
    require_decoded(line)  # before the escapes are read, which can make any surrogate
    record = _quick_parser()(line)
    return as_object(_parsed(line) if record is None else record)


def _parsed(line: str) -> Any:
    """The value that a line is, by the standard library, which says what is wrong of one that is none."""
    value, end = parse_start(line)
    if end != len(line):
        raise BadRow("it is not JSON: there is more after its end")
    return value


class NotJson(BadRow):
    """A text that is no JSON, or not yet all of it."""


class NoNumber(BadRow):
    """NaN or an infinity in a text, which may be JSON otherwise."""


def _refuse_constant(name: str) -> NoReturn:
    raise NoNumber(f"it is not JSON: {name} is no JSON number")


DECODER = JSONDecoder(parse_constant=_refuse_constant)
ANY_NUMBER = JSONDecoder()  # which takes those, too


def parse_start(text: str, start: int = 0, decoder: JSONDecoder = DECODER) -> tuple[Any, int]:
    """The value that is written from a place in a text on, and where it ends."""
    try:
        return decoder.raw_decode(text, start)
    except BadRow:
        raise
    except ValueError as error:
        raise NotJson(f"it is not JSON: {error}") from error
    except RecursionError:
        raise BadRow("it is nested too deeply") from None


def as_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRow("it is not a JSON object")
    return value


@cache
def _quick_parser() -> Callable[[str], Any]:
    """msgspec's parser where it is installed: quicker, and what it reads, the standard library reads alike."""
    try:
        from msgspec.json import Decoder
    except ImportError:
        return lambda line: None
    decode = Decoder().decode

    def parse(line: str) -> Any:
        try:
            return decode(line)
        except (ValueError, RecursionError):  # the standard library has the last word, and says what is wrong
            return None

    return parse


def _fields(record: dict[str, Any], options: ReadOptions) -> tuple[str, str]:
    text, label = "" if options.text is None else record.get(options.text), record.get(options.label)
    if text is None:
        raise _lacks(record, options.text, OPTIONS["text"])
    if label is None and options.label_required:
        raise _lacks(record, options.label, OPTIONS["label"])
    if not isinstance(text, str):
        raise BadRow(f"its {options.text!r} is not a string")
    return text, _as_text(label, options.label)


def _cell(record: dict[str, Any], name: str) -> str:
    if name not in record:
        raise _lacks(record, name)
    return _as_text(record[name], name)


def _as_text(value: Any, name: str) -> str:
    """A string as it is, null as the empty one, a number or true or false as JSON writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise BadRow(f"its {name!r} is not a string or a number")
    return "" if value is None else dumps(value)


def _lacks(record: dict[str, Any], name: str | None, option: str | None = None) -> BadRow:
    if name in record:
        return BadRow(f"its {name!r} is null")
    keys = ", ".join(repr(key[:40]) for key in list(record)[:20]) or "none"
    return BadRow(f"it has no {name!r} (keys: {keys}){f'; {option} chooses one' if option else ''}")
