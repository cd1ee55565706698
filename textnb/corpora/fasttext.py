"""fastText's lines, read as a stream: `__label__spam`, a blank, and the text. A bad line is reported and skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textnb.corpora.decoding import LongLine
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, BadTable, Line, Note, ReadOptions, Record, checked_row, require_decoded

PREFIX = "__label__"
NAMES = ["label", "text"]


def fasttext_records(lines: Iterable[str], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows of a file; `place` and line number locate each."""
    if options.more:
        raise BadTable(f"its lines have a label and a text, and no column {options.more[0]!r}")
    for number, line in enumerate(lines, 1):
        where = f"{place}line {number}"
        try:
            if isinstance(line, LongLine):
                raise BadRow(line.why)
            if not line.strip():
                continue
            require_decoded(line)
            label, text = _parted(line.strip())
            yield checked_row(where, text, label, options), Line(line.rstrip("\r\n"), None)
        except BadRow as error:
            yield Problem(where, str(error)), Line(line.rstrip("\r\n"), None)


def fasttext_names(lines: Iterable[str]) -> list[str]:
    return NAMES


def _parted(line: str) -> tuple[str, str]:
    """The label and the text of a line; without a label, the label is empty."""
    labels = []
    while line.startswith(PREFIX):
        label, line = (*line.split(maxsplit=1), "")[:2]
        labels.append(label.removeprefix(PREFIX))
    if len(labels) > 1:
        raise BadRow(f"it has {len(labels)} labels, and one is wanted")
    return labels[0] if labels else "", line
