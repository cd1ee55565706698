"""CSV and TSV, read as a stream: a header line, then a document a row. A bad row is reported and skipped."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator

from textnb.corpora.corpus import Problem, did_you_mean
from textnb.corpora.rows import BadRow, BadTable, Columns, Report, Row, checked_row, require_decoded

MAX_FIELD = 2**31 - 1
MAX_LINES_READ_AGAIN = 2_000_000
SWALLOWED_ROWS = 3


def delimited_rows(lines: Iterable[str], columns: Columns, report: Report, delimiter: str) -> Iterator[Row]:
    """The rows of a CSV or TSV file."""
    records = iter(Records(lines, delimiter, columns.label, report))
    header = _header(records)
    text_at = None if columns.text is None else _position(columns.text, header)
    more_at = [_position(name, header) for name in columns.more]
    label_at = _position(columns.label, header) if columns.label_required or columns.label in header else None
    for number, fields in records:
        where = f"line {number}"
        try:
            if len(fields) != len(header):
                raise BadRow(f"it has {len(fields)} columns, the header has {len(header)}")
            text, label = ("" if at is None else fields[at] for at in (text_at, label_at))
            cells = [fields[at] for at in more_at]
            for cell in (text, label, *cells):
                require_decoded(cell)
            yield checked_row(where, text, label, columns, cells)
        except BadRow as error:
            report(Problem(where, str(error)))


def delimited_names(lines: Iterable[str], delimiter: str) -> list[str]:
    """The names of the columns of a CSV or TSV file."""
    return _header(iter(Records(lines, delimiter, label="", report=lambda problem: None)))


def _header(records: Iterator[tuple[int, list[str]]]) -> list[str]:
    _, header = next(records, (0, []))
    if not header:
        raise BadTable("it is empty, or has no header line")
    return header


class Records:
    """Records, each with the number of its first line; the first is the header.

    A quote that is opened and not closed would swallow the rows that follow. Where the csv module stumbles over it, or
    lines inside a field look like rows, only the record's first line is given up, and reading goes on with the second.
    A TSV file need not quote at all, so there that line is taken as it stands.
    """

    def __init__(self, lines: Iterable[str], delimiter: str, label: str, report: Report) -> None:
        csv.field_size_limit(MAX_FIELD)  # the csv module has no other place for it
        self.lines = ReplayableLines(lines)
        self.delimiter, self.label, self.report = delimiter, label, report
        self.header: list[str] = []
        self.labels: set[str] = set()

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(self.lines, delimiter=self.delimiter, strict=True)
        while True:
            number = self.lines.begin_record()
            try:
                fields, why = next(reader), ""
                if rows := self.rows_swallowed(fields):
                    why = f"it has an unbalanced quote, which would swallow {rows:,} rows"
            except StopIteration:
                return
            except csv.Error as error:
                why = _reason(error)
            if why:
                fields = self.lines.return_to_second_line().rstrip("\r\n").split(self.delimiter)
                if self.delimiter != "\t" or len(fields) != len(self.header):
                    self.report(Problem(f"line {number}", why))
                    continue
            if fields:
                self.labels.update(self.label_of(fields))
                self.header = self.header or fields
                yield number, fields

    def rows_swallowed(self, fields: list[str]) -> int:
        """How many lines after the record's first would be rows on their own, with a label seen before; 0 for a few."""
        if len(self.lines.record) <= SWALLOWED_ROWS:
            return 0
        known = self.labels.union(self.label_of(fields))
        alone = csv.reader(self.lines.record[1:], delimiter=self.delimiter, quoting=csv.QUOTE_NONE)
        rows = sum(not known.isdisjoint(self.label_of(row)) for row in alone)
        return rows if rows >= SWALLOWED_ROWS else 0

    def label_of(self, fields: list[str]) -> list[str]:
        """The label of a row, if it is one."""
        if len(fields) != len(self.header) or self.label not in self.header:
            return []
        return [fields[self.header.index(self.label)]]


class ReplayableLines:
    """Lines that can be read again from the second line of the record at hand."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines, self.ahead = iter(lines), deque[str]()
        self.record: list[str] = []
        self.number = self.read_again = 0

    def __iter__(self) -> "ReplayableLines":
        return self

    def __next__(self) -> str:
        line = self.ahead.popleft() if self.ahead else next(self.lines)
        self.record.append(line)
        self.number += 1
        return line

    def begin_record(self) -> int:
        """The number of the line that is read next."""
        self.record = []
        return self.number + 1

    def return_to_second_line(self) -> str:
        """Go back to after the record's first line, and return that one."""
        first, *rest = self.record
        self.ahead.extendleft(reversed(rest))
        self.number -= len(rest)
        self.read_again += len(rest)
        if self.read_again > MAX_LINES_READ_AGAIN:  # or a hostile file would take quadratic time
            raise BadTable(f"too many of its rows have unbalanced quotes, the last of them on line {self.number}")
        return first


def _reason(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "it has an unbalanced quote, which is never closed"
    if "expected after" in str(error):
        return "it has an unbalanced quote (inside a quoted field, a quote is written twice)"
    return f"it cannot be parsed: {error}"


def _position(column: str, header: list[str]) -> int:
    if header.count(column) == 1:
        return header.index(column)
    shown = ", ".join(repr(name if len(name) <= 40 else f"{name[:40]}…") for name in header[:20])
    if column in header:
        raise BadTable(f"it has two columns {column!r} (columns: {shown})")
    raise BadTable(
        f"it has no column {column!r}.{did_you_mean(column, header)} Its first line names the columns {shown}: choose "
        "among them, or add a header line if that is not one"
    )
