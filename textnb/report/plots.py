"""Pictures. matplotlib is imported only when one is drawn, its settings and windows left as the user has them."""

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.report.metrics import Counts, Evaluation, Floats, most_confused_classes
from textnb.report.safe import columns, name, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CLASSES = 40  # more cannot be read on one page
NAME_WIDTH, TITLE_WIDTH = 32, 80
# What files carry besides the picture, left out so that the same result gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
STYLE = {"text.parse_math": False, "svg.hashsalt": "textnb"}  # a class may be called "$x_$"


def confusion_heatmap(
    evaluation: Evaluation, path: str | PathLike[str], *, title: str | None = None, true_across: bool = True
) -> None:
    """Draw the confusion matrix to `path` (.png, .svg, .pdf): counts in the cells, shaded by share of the true class.

    True classes run across and predicted ones down, or the other way round. Of more than `MOST_CLASSES` classes, the
    most confused are drawn.
    """
    suffix = check_picture(path)
    from matplotlib import style
    from matplotlib.figure import Figure

    picture = BytesIO()
    with style.context(["default", STYLE]):
        figure = Figure()
        _draw_heatmap(figure, evaluation, title, true_across)
        figure.savefig(picture, format=suffix[1:], dpi=200, bbox_inches="tight", metadata=METADATA[suffix])
    try:
        Path(path).write_bytes(picture.getvalue())
    except OSError as error:
        reason = f"{error.strerror}; choose a folder that exists and may be written to"
        raise OSError(error.errno, f"cannot write the picture: {reason}", printable(str(path))) from error


def check_picture(path: str | PathLike[str]) -> str:
    """The suffix of `path`, once it is known that such a picture can be drawn; a ValueError before work is spent."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise ValueError(f"cannot draw '{printable(str(path))}': its name must end in .png, .svg or .pdf.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ValueError('pictures need matplotlib: pip install "textnb[plot]"') from error
    return suffix


def _draw_heatmap(figure: "Figure", evaluation: Evaluation, title: str | None, true_across: bool) -> None:
    part = _classes_drawn(evaluation.confusion_matrix)
    counts = evaluation.confusion_matrix[np.ix_(part, part)]
    shares = counts / np.maximum(evaluation.confusion_matrix[part].sum(axis=1, keepdims=True), 1)
    across, down = "true class", "predicted class"
    if true_across:
        counts, shares = counts.T, shares.T
    else:
        across, down = down, across

    cell = 0.36 + 1.6 / len(part)  # inches: few classes get large cells
    figure.set_size_inches(cell * len(part), cell * len(part))
    axes = figure.add_axes((0, 0, 1, 1))  # labels lie outside; the tight bounding box takes them in
    axes.set_xlabel(across)
    axes.set_ylabel(down)
    _draw_names(axes, [name(evaluation.classes[number], NAME_WIDTH) for number in part], cell)
    _draw_shades(figure, axes, shares)
    _draw_counts(axes, counts, shares, cell)
    lines = [name(title, TITLE_WIDTH)] if title else []
    if len(part) < len(evaluation.classes):
        lines.append(f"{len(part)} of {len(evaluation.classes)} classes")
    axes.set_title("\n".join(lines), size="medium", pad=12)


def _draw_names(axes: "Axes", names: list[str], cell: float) -> None:
    centres = np.arange(len(names)) + 0.5
    axes.set_yticks(centres, names)
    if max(map(columns, names)) * 0.1 > cell:  # a letter is about 0.1 inches wide
        axes.set_xticks(centres, names, rotation=45, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(centres, names)
    axes.tick_params(length=0)


def _draw_shades(figure: "Figure", axes: "Axes", shares: Floats) -> None:
    """Squares and their legend; by the square root, or a confusion of one in a hundred would look like none."""
    from matplotlib.colors import PowerNorm

    norm = PowerNorm(0.5, vmin=0, vmax=1)
    squares = axes.pcolormesh(shares, cmap="Blues", norm=norm, edgecolors="white", linewidth=1)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    thickness = 0.15 / figure.get_figwidth()
    bar = figure.colorbar(squares, cax=axes.inset_axes((1 + thickness, 0, thickness, 1)))
    bar.set_ticks([0, 0.01, 0.1, 0.25, 0.5, 1], labels=["0", "1 %", "10 %", "25 %", "50 %", "100 %"])
    bar.set_label("share of the true class")
    bar.outline.set_visible(False)


def _draw_counts(axes: "Axes", counts: Counts, shares: Floats, cell: float) -> None:
    digits = len(str(counts.max()))
    size = min(11, 0.8 * 72 * cell / (0.64 * digits))  # in points; a digit is 0.64 times as wide
    for (row, column), count in np.ndenumerate(counts):
        colour = "white" if shares[row, column] > 0.3 else "black" if count else "silver"
        axes.text(column + 0.5, row + 0.5, str(count), ha="center", va="center", size=size, color=colour)


def _classes_drawn(matrix: Counts) -> Counts:
    if len(matrix) <= MOST_CLASSES:
        return np.arange(len(matrix))
    confused = most_confused_classes(matrix, MOST_CLASSES)
    return confused if len(confused) else np.arange(MOST_CLASSES)
