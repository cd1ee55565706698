"""JSON lines, read as a stream: an object a line. A bad line is reported and skipped."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from textnb.corpora.corpus import Problem
from textnb.corpora.rows import BadRow, Columns, Report, Row, checked_row, require_decoded


def json_rows(lines: Iterable[str], columns: Columns, report: Report) -> Iterator[Row]:
    """The rows of a JSON-lines file; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        where = f"line {number}"
        try:
            if line.strip():
                yield checked_row(where, *_fields(_parse(line), columns), columns)
        except BadRow as error:
            report(Problem(where, str(error)))


def _parse(line: str) -> dict[str, Any]:
    require_decoded(line)  # before the escapes are read, which can make any surrogate
    try:
        found = json.loads(line, parse_constant=_refuse_constant)
    except BadRow:
        raise
    except ValueError as error:
        raise BadRow(f"it is not JSON: {error}") from error
    except RecursionError:
        raise BadRow("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise BadRow("it is not a JSON object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise BadRow(f"it is not JSON: {name} is no JSON number")


def _fields(found: dict[str, Any], columns: Columns) -> tuple[str, str]:
    text, label = found.get(columns.text), found.get(columns.label)
    keys = ", ".join(repr(key[:40]) for key in list(found)[:20]) or "none"
    if text is None:
        raise BadRow(f"it has no {columns.text!r} (keys: {keys})")
    if label is None and columns.label_required:
        raise BadRow(f"it has no {columns.label!r} (keys: {keys})")
    if not isinstance(text, str):
        raise BadRow(f"its {columns.text!r} is not a string")
    if isinstance(label, list | dict):
        raise BadRow(f"its {columns.label!r} is not a string or a number")
    return text, label if isinstance(label, str) else "" if label is None else json.dumps(label)
