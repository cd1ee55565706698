"""Results as plain text, every cell inert, for a terminal of a known width."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from textnb.report.safe import columns, name, printable, shorten
from textnb.workflow.metrics import (
    Counts,
    Evaluation,
    Outcomes,
    is_decided,
    most_confused,
    most_confused_classes,
    part_of_matrix,
)

NAME_WIDTH = 40
LEAST_WIDTH = 6  # of a shortened cell
CORNER = r"true \ predicted"
UNSURE_COLUMN = "unsure"
NO_CONFUSION = "No class was taken for another."


def table(
    headers: Sequence[object], rows: Iterable[Sequence[object]], align: str, gap: int = 2, width: int | None = None
) -> str:
    """Lines of cells under their headers; `align` has a letter for each column, `gap` spaces stand between two.

    "r" aligns a column to the right, "l" and "L" to the left. Where a `width` is given, cells of "l" are shortened to
    fit into it, as far as they can be; those of "L" have to be typed as they are.
    """
    lines = [[printable(str(cell)) for cell in line] for line in (headers, *rows)]
    widths = [max(map(columns, column)) for column in zip(*lines, strict=True)]
    if width is not None and _narrow(widths, align, width - gap * (len(widths) - 1)):
        lines = [list(map(shorten, line, widths)) for line in lines]
    return "\n".join(
        (" " * gap).join(_pad(*cell) for cell in zip(line, widths, align, strict=True)).rstrip() for line in lines
    )


def _narrow(widths: list[int], align: str, room: int) -> bool:
    """Whether columns do not fit into the room; those on the left give way in place, always the widest of them."""
    before = sum(widths)
    texts = [i for i, side in enumerate(align) if side == "l"]
    while sum(widths) > room and texts and max(widths[i] for i in texts) > LEAST_WIDTH:
        widths[max(texts, key=widths.__getitem__)] -= 1
    return sum(widths) < before


def counted(n: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "document"), counted(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def per_class_table(evaluation: Evaluation, width: int | None = None) -> str:
    """Precision, recall, F1 and support of each class, numbered as in the confusion matrix, and their plain means."""
    measures = ("precision", "recall", "f1")
    rows: list[Sequence[object]] = [
        (number, name(row["class"], NAME_WIDTH), *(f"{row[measure]:.3f}" for measure in measures), row["support"])
        for number, row in enumerate(evaluation.per_class, 1)
    ]
    means = (np.mean([row[measure] for row in evaluation.per_class]) for measure in measures)
    rows.append(("", "macro average", *(f"{mean:.3f}" for mean in means), evaluation.n))
    return table(("", "class", *measures, "support"), rows, "rlrrrr", width=width)


def decided_table(outcomes: Outcomes, width: int | None = None) -> str:
    """The shares of each class that were caught, lost and left unsure."""
    shares = ("caught", "lost", "unsure")
    rows = [
        (number, name(row["class"], NAME_WIDTH), *(f"{row[share]:.2%}" for share in shares), row["support"])
        for number, row in enumerate(outcomes.per_class, 1)
    ]
    return table(("", "class", *shares, "support"), rows, "rlrrrr", width=width)


def confusion_table(shown: Evaluation | Outcomes, width: int = 100) -> str:
    """The confusion matrix, classes by number across, or where `width` columns are too few, its most confused part.

    That of decisions has a last column for unsure.
    """
    matrix, classes = shown.confusion_matrix, shown.classes
    numbers = range(1, len(classes) + 1)
    if _name_room(matrix, numbers, width) >= len(CORNER):
        return _matrix_lines(matrix, numbers, classes, width)

    notice = f"The confusion matrix of {len(classes)} classes does not fit in {width} columns."
    widest_cell = 1 + max(len(str(matrix.max())), len(str(len(classes))))
    room = width - len(str(len(classes))) - 1 - len(CORNER)
    fitting = (room - (len(f" {UNSURE_COLUMN}") if is_decided(matrix) else 0)) // widest_cell
    part = most_confused_classes(matrix, max(fitting, 2))
    if not len(part):
        return f"{notice} {NO_CONFUSION}"
    counts = part_of_matrix(matrix, part)
    lines = _matrix_lines(counts, [numbers[i] for i in part], [classes[i] for i in part], width)
    return f"{notice} The {len(part)} most confused:\n{lines}"


def confused_pairs_table(shown: Evaluation | Outcomes, n: int = 5, width: int | None = None) -> str:
    """The `n` pairs of classes most often confused, with the share of the true class that went astray."""
    support = {row["class"]: row["support"] for row in shown.per_class}
    rows = [
        (name(true, NAME_WIDTH), name(predicted, NAME_WIDTH), count, f"{count / support[true]:.1%}")
        for true, predicted, count in most_confused(shown.confusion_matrix, shown.classes, n)
    ]
    headers = ("true class", "predicted as", "count", "of class")
    return table(headers, rows, "llrr", width=width) if rows else NO_CONFUSION


def _headers(counts: Counts, numbers: Sequence[int]) -> list[str]:
    return [*map(str, numbers), *([UNSURE_COLUMN] if is_decided(counts) else [])]


def _name_room(counts: Counts, numbers: Sequence[int], width: int) -> int:
    """The columns that a confusion matrix of numbered classes leaves for their names."""
    largest, headers = counts.max(axis=0).tolist(), _headers(counts, numbers)
    cells = (1 + max(len(str(count)), len(header)) for count, header in zip(largest, headers, strict=True))
    return width - len(str(numbers[-1])) - 1 - sum(cells)


def _matrix_lines(counts: Counts, numbers: Sequence[int], classes: Sequence[Any], width: int) -> str:
    """A confusion matrix; zeros are dots, so that the diagonal stands out."""
    name_width = max(_name_room(counts, numbers, width), len(CORNER))
    rows = [
        (number, name(label, name_width), *(count or "·" for count in row))
        for number, label, row in zip(numbers, classes, counts.tolist(), strict=True)
    ]
    headers = _headers(counts, numbers)
    return table(("", CORNER, *headers), rows, "rl" + "r" * len(headers), gap=1)


def _pad(cell: str, width: int, align: str) -> str:
    space = " " * (width - columns(cell))
    return space + cell if align == "r" else cell + space
