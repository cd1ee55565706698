"""CSV and TSV, read as a stream: a header line, then one document per row. A bad row is reported and skipped."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from textnb.corpora.columns import USUAL, NoColumn, SameName, folded, found_columns, is_number, listed
from textnb.corpora.decoding import LongLine
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, BadTable, Line, Note, ReadOptions, Record, Row, checked_row, require_decoded

MAX_FIELD = 2**31 - 1
MAX_QUOTED = 1 << 26  # characters of a field after its first line
MAX_QUOTED_LINES = 100_000  # each takes memory, however short
MAX_LINES_READ_AGAIN = 2_000_000  # in all, of quotes that are not closed
MAX_LINES_AFTERWARDS = 16  # of a quote, once so many were read again: or a hostile file would take quadratic time
LINES_LOOKED_AT = 20
SWALLOWED_ROWS = 3
FIRST_CHECK = 256  # lines of a record
SEPARATORS = {";": "semicolons", "|": "'|'", "\t": "tabs", ",": "commas"}
BY_NUMBER = "--text 2 --label 1"
NO_HEADER = "it is empty, or has no header line"


def delimited_records(
    lines: Iterable[str], options: ReadOptions, place: str, note: Note, *, delimiter: str
) -> Iterator[Record]:
    """The header and the rows of a CSV or TSV file; `place` and the line number locate each.

    Where columns are named by number, the first line is no header, unless it has the usual names there.
    """
    place = f"{place}line "
    lines, delimiter = with_delimiter(lines, delimiter, note)
    records = Records(lines, delimiter)
    columns: Columns | None = None
    for number, line, fields, why in records:
        if columns is None:
            cells = fields if why is None else [cell.strip(' "') for cell in fields]
            try:
                columns = Columns.of(cells, delimiter, options, note)
            except NoColumn:
                if why is None:
                    raise
                yield Problem(f"{place}{number}", why), Line(line, fields, delimiter)
                continue
            records.header, records.label_at = cells, columns.label_at
            if columns.has_header:
                if why is not None:
                    note(f"its header is taken as it stands: {why}")
                yield None, Line(line, cells, delimiter)
                continue
        whole_line = Line(line, fields, delimiter)
        try:
            if why is not None:
                raise BadRow(why)
            if len(fields) != len(records.header):
                shape = "header" if columns.has_header else "first line"
                raise BadRow(
                    f"it has {len(fields)} column{'s' * (len(fields) > 1)}, the {shape} has {len(records.header)}"
                )
            yield columns.row(f"{place}{number}", fields), whole_line
        except BadRow as error:
            yield Problem(f"{place}{number}", str(error)), whole_line
    if columns is None:
        raise BadTable(NO_HEADER)


def delimited_names(lines: Iterable[str], delimiter: str) -> list[str]:
    lines, delimiter = with_delimiter(lines, delimiter)
    header = next((fields for _, _, fields, why in Records(lines, delimiter) if why is None), None)
    if header is None:
        raise BadTable(NO_HEADER)
    return header


class Columns(NamedTuple):
    """Where the columns of a table are, as its first line says, or as they are named by number."""

    options: ReadOptions
    text_at: int | None
    label_at: int | None
    more_at: list[int]
    has_header: bool

    @classmethod
    def of(cls, first: list[str], delimiter: str, options: ReadOptions, note: Note) -> Columns:
        named = [name for name in (options.text, options.label, *options.more) if name is not None]
        by_number = any(is_number(name) and name not in first for name in named)
        has_header = not by_number
        names = first
        if by_number:
            names = [str(position) for position in range(1, len(first) + 1)]
            if not options.label_required and not is_number(options.label):
                named.remove(options.label)
            if any(name not in names for name in named):
                raise NoColumn(
                    f"its first line has {len(first)} column{'s' * (len(first) > 1)}, and a table without a header has "
                    f"its columns by number, as in {BY_NUMBER}: {listed(named)} are not all of them"
                )
            usual = (*USUAL["text"], *USUAL["label"])
            has_header = all(folded(first[int(name) - 1]) in usual for name in named)
            if has_header:
                note("its first line is taken for a header")
        try:
            options = found_columns(options, names, note)
        except SameName as error:
            raise SameName(f"{error}: name the column by its number, as in {BY_NUMBER}") from None
        except NoColumn as error:
            raise NoColumn(f"{error}{advice_for(first, delimiter)}") from None
        return cls(
            options,
            None if options.text is None else names.index(options.text),
            names.index(options.label) if options.label in names else None,
            [names.index(name) for name in options.more],
            has_header,
        )

    def row(self, where: str, fields: list[str]) -> Row:
        text = "" if self.text_at is None else fields[self.text_at]
        label = "" if self.label_at is None else fields[self.label_at]
        cells = [fields[at] for at in self.more_at]
        for cell in (text, label, *cells):
            require_decoded(cell)
        return checked_row(where, text, label, self.options, cells)


def with_delimiter(lines: Iterable[str], delimiter: str, note: Note = lambda notice: None) -> tuple[Iterable[str], str]:
    """The lines of a table and what separates its columns: in a .csv file it may be a semicolon or a tab.

    The first line says it, unless it has several of these signs: then the one that gives all the first lines as many
    columns.
    """
    lines = iter(lines)
    start = list(islice(lines, 1))
    if delimiter != "," or not start:
        return chain(start, lines), delimiter
    signs = [sign for sign in (",", ";", "\t") if sign in start[0]]
    if len(signs) > 1:
        start += islice(lines, LINES_LOOKED_AT - 1)
    delimiter = next((sign for sign in signs if len(signs) == 1 or _is_even(start, sign)), ",")
    if delimiter != ",":
        note(f"its columns are separated by {SEPARATORS[delimiter]}")
    return chain(start, lines), delimiter


def _is_even(lines: list[str], delimiter: str) -> bool:
    """Whether lines have as many columns each, but for the last record, which may be cut off if it is long."""
    csv.field_size_limit(MAX_FIELD)
    try:
        records = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    is_cut_off = len(records) > 2 and any("\n" in cell for cell in records[-1])
    rows = [len(fields) for fields in records[: -1 if is_cut_off else None] if fields]
    return rows[0] > 1 and len(set(rows)) == 1


def advice_for(first: list[str], delimiter: str) -> str:
    """What to do with a first line that names no column that is wanted."""
    if len(first) == 1 and (sign := next((sign for sign in SEPARATORS if sign in first[0]), None)):
        return (
            f"; its first line seems to be separated by {SEPARATORS[sign]}: separate the columns of a .csv file by "
            "commas, semicolons or tabs, and those of a .tsv file by tabs"
        )
    return f", or name them by number if its first line is no header, as in {BY_NUMBER}"


def quoted_cell(text: str, delimiter: str) -> str:
    """A cell as it is written, quoted if it must be."""
    needs_quotes = any(sign in text for sign in (delimiter, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


class Records:
    """Records: the number of their first line, their lines, their cells, and why they were given up, if they were.

    A quote that is opened and not closed would swallow the rows that follow. Where the csv module stumbles over it, or
    lines inside a field look like rows, only the record's first line is given up, and reading goes on with the second.
    A TSV file need not quote at all, so there that line is taken as it stands. What rows look like, `header` and
    `label_at` say, once somebody has set them.
    """

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        csv.field_size_limit(MAX_FIELD)  # the csv module has no other place for it
        self.lines = ReplayableLines(lines, self.refuse_swallowed_rows)
        self.reader = csv.reader(self.lines, delimiter=delimiter, strict=True)
        self.delimiter = delimiter
        self.header: list[str] = []
        self.label_at: int | None = None
        self.labels: set[str | None] = set()

    def __iter__(self) -> Iterator[tuple[int, str, list[str], str | None]]:
        while line := self.lines.begin_record():
            number = self.lines.number
            if isinstance(line, LongLine):
                yield number, "", [""], line.why
                continue
            line, fields, why = self.quoted_record() if '"' in line else (line, self.split(line), None)
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

    def __iter__(self) -> ReplayableLines:
        return self

    def __next__(self) -> str:
        if not self.record:
            self.characters, self.check_at = 0, FIRST_CHECK
            self.record.append(self.first)
            return self.first
        line = self.ahead.popleft() if self.ahead else next(self.lines)
        self.number += 1
        if isinstance(line, LongLine):
            self.record.append(line)
            raise BadRow(f"it has an unbalanced quote, or one around a line that is too long: {line.why}")
        self.record.append(line)
        self.characters += len(line)
        if self.characters > MAX_QUOTED:
            raise BadRow(f"it has an unbalanced quote, or one around more than {MAX_QUOTED:,} characters")
        if len(self.record) > MAX_QUOTED_LINES:
            raise BadRow(f"it has an unbalanced quote, or one around more than {MAX_QUOTED_LINES:,} lines")
        if self.read_again > MAX_LINES_READ_AGAIN and len(self.record) > MAX_LINES_AFTERWARDS:
            raise BadRow(
                f"it has an unbalanced quote, as many rows before it, or one around {len(self.record):,} lines"
            )
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
        return first


def _reason(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "it has an unbalanced quote, which is never closed"
    if "expected after" in str(error):
        return "it has an unbalanced quote (inside a quoted field, a quote is written twice)"
    return f"it cannot be parsed: {error}"
