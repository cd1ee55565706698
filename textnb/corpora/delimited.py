"""CSV and TSV, read as a stream: a header line, then one document per row. A bad row is reported and skipped."""

import csv
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from textnb.corpora.corpus import did_you_mean
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, BadTable, Line, ReadOptions, Record, checked_row, require_decoded

MAX_FIELD = 2**31 - 1
MAX_QUOTED = 1 << 27  # characters of a field after its first line
MAX_QUOTED_LINES = 1_000_000  # each takes memory, however short
MAX_LINES_READ_AGAIN = 2_000_000
SWALLOWED_ROWS = 3
FIRST_CHECK = 256  # lines of a record
SEPARATORS = {";": "';'", "|": "'|'", "\t": "tabs", ",": "commas"}
NO_HEADER = "it is empty, or has no header line"


def delimited_records(lines: Iterable[str], options: ReadOptions, place: str, *, delimiter: str) -> Iterator[Record]:
    """The header and the rows of a CSV or TSV file; `place` and the line number locate each."""
    place = f"{place}line "
    header: list[str] = []
    for number, line, fields, why in Records(lines, delimiter, options.label):
        if why is not None:
            yield Problem(f"{place}{number}", why), Line(line, fields)
            continue
        if not header:
            header = fields
            text_at = None if options.text is None else _position(options.text, header, "--text")
            more_at = [_position(name, header) for name in options.more]
            needs_label = options.label_required or options.label in header
            label_at = _position(options.label, header, "--label (--label-column)") if needs_label else None
            yield None, Line(line, fields)
            continue
        try:
            if len(fields) != len(header):
                raise BadRow(f"it has {len(fields)} column{'s' * (len(fields) > 1)}, the header has {len(header)}")
            text = "" if text_at is None else fields[text_at]
            label = "" if label_at is None else fields[label_at]
            cells = [fields[at] for at in more_at]
            for cell in (text, label, *cells):
                require_decoded(cell)
            yield checked_row(f"{place}{number}", text, label, options, cells), Line(line, fields)
        except BadRow as error:
            yield Problem(f"{place}{number}", str(error)), Line(line, fields)
    if not header:
        raise BadTable(NO_HEADER)


def delimited_names(lines: Iterable[str], delimiter: str) -> list[str]:
    header = next((fields for _, _, fields, why in Records(lines, delimiter, label="") if why is None), None)
    if header is None:
        raise BadTable(NO_HEADER)
    return header


class Records:
    """Records: the number of their first line, their lines, their cells, and why they were given up, if they were.

    The first that was not given up is the header. A quote that is opened and not closed would swallow the rows that
    follow. Where the csv module stumbles over it, or lines inside a field look like rows, only the record's first line
    is given up, and reading goes on with the second. A TSV file need not quote at all, so there that line is taken as
    it stands.
    """

    def __init__(self, lines: Iterable[str], delimiter: str, label: str) -> None:
        csv.field_size_limit(MAX_FIELD)  # the csv module has no other place for it
        self.lines = ReplayableLines(lines, self.refuse_swallowed_rows)
        self.reader = csv.reader(self.lines, delimiter=delimiter, strict=True)
        self.delimiter, self.label = delimiter, label
        self.header: list[str] = []
        self.label_at: int | None = None
        self.labels: set[str | None] = set()

    def __iter__(self) -> Iterator[tuple[int, str, list[str], str | None]]:
        while line := self.lines.begin_record():
            number = self.lines.number
            line, fields, why = self.quoted_record() if '"' in line else (line, self.split(line), None)
            if why is None and not self.header:
                self.header = fields
                self.label_at = fields.index(self.label) if self.label in fields else None
            if why is None and fields:
                self.labels.add(self.label_of(fields))
            if fields:
                yield number, line.rstrip("\r\n"), fields, why

    def split(self, line: str) -> list[str]:
        """The fields of a line in which quotes mean nothing; none if it is blank."""
        line = line.rstrip("\r\n")
        return line.split(self.delimiter) if line else []

    def quoted_record(self) -> tuple[str, list[str], str | None]:
        """The lines and the fields of the record at hand; if it is given up, those of its first line, and why."""
        try:
            fields = next(self.reader)
            self.refuse_swallowed_rows(self.label_of(fields))
            return "".join(self.lines.record), fields, None
        except csv.Error as error:
            why = _reason(error)
        except BadRow as error:
            why = str(error)
        line = self.lines.return_to_second_line()
        fields = self.split(line)
        if self.delimiter == "\t" and len(fields) == len(self.header):
            return line, fields, None
        return line, fields, why

    def refuse_swallowed_rows(self, own_label: str | None = None) -> None:
        """Refuse a record if lines after its first would be rows on their own, with a label seen before."""
        if len(self.lines.record) <= SWALLOWED_ROWS:
            return
        labels = (self.label_of(self.split(line)) for line in islice(self.lines.record, 1, None))
        rows = sum(label is not None and (label in self.labels or label == own_label) for label in labels)
        if rows >= SWALLOWED_ROWS:
            raise BadRow(f"it has an unbalanced quote, which would swallow {rows:,} rows")

    def label_of(self, fields: list[str]) -> str | None:
        return fields[self.label_at] if self.label_at is not None and len(fields) == len(self.header) else None


class ReplayableLines:
    """Lines that can be read again from the second line of the record at hand.

    `check` may refuse a record that grows long, or an open quote would have the rest of the file in memory.
    """

    def __init__(self, lines: Iterable[str], check: Callable[[], None]) -> None:
        self.lines, self.ahead, self.check = iter(lines), deque[str](), check
        self.first = ""
        self.record: list[str] = []
        self.number = self.read_again = self.characters = self.check_at = 0

    def begin_record(self) -> str:
        """The first line of the next record, or nothing at the end; iterating gives it again, and then what follows."""
        self.first = self.ahead.popleft() if self.ahead else next(self.lines, "")
        self.record = []
        self.number += 1
        return self.first

    def __iter__(self) -> "ReplayableLines":
        return self

    def __next__(self) -> str:
        if not self.record:
            self.characters, self.check_at = 0, FIRST_CHECK
            self.record.append(self.first)
            return self.first
        line = self.ahead.popleft() if self.ahead else next(self.lines)
        self.number += 1
        self.record.append(line)
        self.characters += len(line)
        if self.characters > MAX_QUOTED:
            raise BadRow(f"it has an unbalanced quote, or one around more than {MAX_QUOTED:,} characters")
        if len(self.record) > MAX_QUOTED_LINES:
            raise BadRow(f"it has an unbalanced quote, or one around more than {MAX_QUOTED_LINES:,} lines")
        if len(self.record) == self.check_at:
            self.check_at *= 8  # ever more rarely, for linear time
            self.check()
        return line

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


def _position(column: str, header: list[str], option: str | None = None) -> int:
    if header.count(column) == 1:
        return header.index(column)
    if len(header) == 1 and (sign := next((sign for sign in SEPARATORS if sign in header[0]), None)):
        raise BadTable(
            f"its first line, {header[0][:60]!r}, seems to be separated by {SEPARATORS[sign]}: separate the columns of "
            "a .csv file by commas, and those of a .tsv file by tabs"
        )
    shown = ", ".join(repr(name if len(name) <= 40 else f"{name[:40]}…") for name in header[:20])
    if column in header:
        raise BadTable(f"it has two columns {column!r} (columns: {shown})")
    raise BadTable(
        f"it has no column {column!r}.{did_you_mean(column, header)} Its first line names the columns {shown}: choose "
        f"among them{f' by {option}' if option else ''}, or add a header line if that is not one"
    )
