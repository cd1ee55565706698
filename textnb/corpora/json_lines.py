"""JSON lines, read as a stream: one object per line. A bad line is reported and skipped."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from json import JSONDecoder, dumps
from typing import Any, NoReturn

from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, Line, ReadOptions, Record, checked_row, require_decoded


def json_records(lines: Iterable[str], options: ReadOptions, place: str) -> Iterator[Record]:
    """The rows of a JSON-lines file without blank lines; `place` and line number locate each.

    Its header is its first object, which names the columns.
    """
    more, place = options.more, f"{place}line "
    has_names = False
    for number, line in enumerate(lines, 1):
        record = None
        try:
            if line := line.strip():
                record = parse_object(line)
                if not has_names:
                    has_names = True
                    yield None, Line(line, record)
                text, label = _fields(record, options)
                cells = [_cell(record, name) for name in more] if more else ()
                yield checked_row(f"{place}{number}", text, label, options, cells), Line(line, record)
        except BadRow as error:
            yield Problem(f"{place}{number}", str(error)), Line(line, record)


def json_names(lines: Iterable[str]) -> list[str]:
    for line in lines:
        with suppress(BadRow):
            if line := line.strip():
                return list(parse_object(line))
    return []


def parse_object(line: str) -> dict[str, Any]:
    """The object that a line without white space around it is."""
    require_decoded(line)  # before the escapes are read, which can make any surrogate
    record = _quick_parser()(line)
    if record is None:
        record = _parsed(line)
    if not isinstance(record, dict):
        raise BadRow("it is not a JSON object")
    return record


def _parsed(line: str) -> Any:
    """The value that a line is, by the standard library, which says what is wrong of one that is none."""
    try:
        record, end = DECODER.raw_decode(line)
    except BadRow:
        raise
    except ValueError as error:
        raise BadRow(f"it is not JSON: {error}") from error
    except RecursionError:
        raise BadRow("it is nested too deeply") from None
    if end != len(line):
        raise BadRow("it is not JSON: there is more after its end")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise BadRow(f"it is not JSON: {name} is no JSON number")


DECODER = JSONDecoder(parse_constant=_refuse_constant)


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
        raise _lacks(record, options.text, "--text")
    if label is None and options.label_required:
        raise _lacks(record, options.label, "--label (--label-column)")
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
    keys = ", ".join(repr(key[:40]) for key in list(record)[:20]) or "none"
    return BadRow(f"it has no {name!r} (keys: {keys}){f'; {option} chooses one' if option else ''}")
