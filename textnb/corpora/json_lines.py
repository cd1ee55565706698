"""JSON lines, read as a stream: an object a line. A bad line is reported and skipped."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from json import JSONDecoder, dumps
from typing import Any, NoReturn

from textnb.corpora.corpus import Problem
from textnb.corpora.rows import BadRow, Columns, Report, Row, checked_row, require_decoded


def json_rows(lines: Iterable[str], columns: Columns, report: Report, place: str) -> Iterator[Row]:
    """The rows of a JSON-lines file; blank lines are passed over. Where a row is, `place` and its line number say."""
    for number, line in enumerate(lines, 1):
        try:
            if line := line.strip():
                found = _parse(line)
                text, label = _fields(found, columns)
                cells = [_cell(found, name) for name in columns.more] if columns.more else ()
                yield checked_row(f"{place}{number}", text, label, columns, cells)
        except BadRow as error:
            report(Problem(f"{place}{number}", str(error)))


def json_names(lines: Iterable[str]) -> list[str]:
    """The keys of the first line that is a JSON object."""
    for line in lines:
        with suppress(BadRow):
            if line := line.strip():
                return list(_parse(line))
    return []


def _parse(line: str) -> dict[str, Any]:
    """The object that a line without white space around it is."""
    require_decoded(line)  # before the escapes are read, which can make any surrogate
    try:
        found, end = DECODER.raw_decode(line)
    except BadRow:
        raise
    except ValueError as error:
        raise BadRow(f"it is not JSON: {error}") from error
    except RecursionError:
        raise BadRow("it is nested too deeply") from None
    if end != len(line):
        raise BadRow("it is not JSON: there is more after its end")
    if not isinstance(found, dict):
        raise BadRow("it is not a JSON object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise BadRow(f"it is not JSON: {name} is no JSON number")


DECODER = JSONDecoder(parse_constant=_refuse_constant)


def _fields(found: dict[str, Any], columns: Columns) -> tuple[str, str]:
    text, label = "" if columns.text is None else found.get(columns.text), found.get(columns.label)
    if text is None:
        raise _lacks(found, columns.text)
    if label is None and columns.label_required:
        raise _lacks(found, columns.label)
    if not isinstance(text, str):
        raise BadRow(f"its {columns.text!r} is not a string")
    return text, _as_text(label, columns.label)


def _cell(found: dict[str, Any], name: str) -> str:
    if name not in found:
        raise _lacks(found, name)
    return _as_text(found[name], name)


def _as_text(value: Any, name: str) -> str:
    """A string as it is, null as the empty one, a number or true or false as JSON writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise BadRow(f"its {name!r} is not a string or a number")
    return "" if value is None else dumps(value)


def _lacks(found: dict[str, Any], name: str | None) -> BadRow:
    keys = ", ".join(repr(key[:40]) for key in list(found)[:20]) or "none"
    return BadRow(f"it has no {name!r} (keys: {keys})")
