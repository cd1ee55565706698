"""Pictures. matplotlib is imported only when one is drawn, its settings and windows left as the user has them."""

from collections.abc import Callable
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.report.safe import columns, name, printable
from textnb.report.tables import UNSURE_COLUMN
from textnb.workflow.metrics import (
    Counts,
    Evaluation,
    Floats,
    Outcomes,
    Reliability,
    is_decided,
    most_confused_classes,
    part_of_matrix,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from textnb.selection.tuning import Choice

MOST_CURVES = 10  # the best ones
MOST_CLASSES = 40  # more cannot be read on one page
NAME_WIDTH, TITLE_WIDTH = 32, 80
# What files carry besides the picture, left out so that the same result gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
STYLE = {"text.parse_math": False, "svg.hashsalt": "textnb"}  # a class may be called "$x_$"


def confusion_heatmap(shown: Evaluation | Outcomes, path: str | PathLike[str], *, title: str | None = None) -> None:
    """Draw the confusion matrix to `path` (.png, .svg, .pdf): counts in the cells, shaded by share of the true class.

    True classes run across and predicted ones down, with a last row for unsure if it is that of decisions. Of more
    than `MOST_CLASSES` classes, the most confused are drawn.
    """
    _save(path, lambda figure: _draw_heatmap(figure, shown, title))


def reliability_diagram(evaluation: Evaluation, path: str | PathLike[str], *, title: str | None = None) -> None:
    """Draw to `path` (.png, .svg, .pdf) how often documents were right, by how sure the model was of them.

    One point per bin of documents, all bins of equal mass, with twice its standard error; where probabilities can be
    acted on, the points lie on the diagonal.
    """
    bins = evaluation.reliability
    if bins is None:
        raise ValueError("there is no reliability to draw: measure with log_probabilities.")
    _save(path, lambda figure: _draw_reliability(figure, evaluation, bins, title))


def tuning_curve(choice: "Choice", path: str | PathLike[str], *, title: str | None = None) -> None:
    """Draw to `path` (.png, .svg, .pdf) the accuracy of candidates by alpha, one line per recipe, the best marked."""
    _save(path, lambda figure: _draw_curves(figure, choice, title))


def _save(path: str | PathLike[str], draw: Callable[["Figure"], None]) -> None:
    suffix = check_picture(path)
    from matplotlib import style
    from matplotlib.figure import Figure

    picture = BytesIO()
    with style.context(["default", STYLE]):
        figure = Figure()
        draw(figure)
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


def _axes(figure: "Figure", width: float, height: float, title: str | None, subtitle: str = "") -> "Axes":
    """Axes of that size in inches; their labels lie outside, and the tight bounding box takes them in."""
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.spines[["top", "right"]].set_visible(False)
    lines = [name(title, TITLE_WIDTH) if title else "", subtitle]
    axes.set_title("\n".join(filter(None, lines)), size="medium", pad=12)
    return axes


def _draw_heatmap(figure: "Figure", shown: Evaluation | Outcomes, title: str | None) -> None:
    matrix = shown.confusion_matrix
    part = _classes_drawn(matrix)
    counts = part_of_matrix(matrix, part).T
    shares = counts / np.maximum(matrix[part].sum(axis=1), 1)
    cell = 0.36 + 1.6 / len(part)  # inches: few classes get large cells
    subtitle = "" if len(part) == len(matrix) else f"{len(part)} of {len(matrix)} classes"
    axes = _axes(figure, cell * len(part), cell * len(counts), title, subtitle)
    axes.set_xlabel("true class")
    axes.set_ylabel("decided class" if is_decided(matrix) else "predicted class")
    names = [name(shown.classes[number], NAME_WIDTH) for number in part]
    _draw_names(axes, names, [*names, *([UNSURE_COLUMN] if is_decided(matrix) else [])], cell)
    _draw_shades(figure, axes, shares)
    _draw_counts(axes, counts, shares, cell)


def _draw_reliability(figure: "Figure", evaluation: Evaluation, bins: Reliability, title: str | None) -> None:
    axes = _axes(figure, 4.5, 4.5, title)
    axes.plot([0, 1], [0, 1], color="silver", linewidth=1, zorder=0)
    # One document more of each kind: a bin without an error is not free of doubt.
    share = (bins.accuracy * bins.counts + 1) / (bins.counts + 2)
    errors = 2 * np.sqrt(share * (1 - share) / (bins.counts + 2))
    low, high = np.minimum(errors, bins.accuracy), np.minimum(errors, 1 - bins.accuracy)
    axes.vlines(bins.confidence, bins.accuracy - low, bins.accuracy + high, color="tab:blue", linewidth=1)
    axes.plot(bins.confidence, bins.accuracy, "o", color="tab:blue", markersize=5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("probability of the most probable class")
    axes.set_ylabel("how often it was the true one")
    measured = f"calibration error {evaluation.ece:.4f}\nlog-loss {evaluation.log_loss:.4f}"
    axes.text(0.03, 0.97, f"{measured}\n{evaluation.n:,} documents", va="top", transform=axes.transAxes)


def _draw_curves(figure: "Figure", choice: "Choice", title: str | None) -> None:
    axes = _axes(figure, 6.5, 4.5, title)
    from textnb.selection.linear_tuning import LinearCandidate

    is_linear = isinstance(choice.best.candidate, LinearCandidate)
    if choice.naive_bayes is not None and not is_linear:
        choice = choice.naive_bayes
    trials = [trial for trial in choice.trials if isinstance(trial.candidate, LinearCandidate) == is_linear]
    lines: dict[str, list[tuple[float, float]]] = {}
    for trial in sorted(trials, key=lambda trial: trial.rank):  # the best recipe comes first
        chosen = trial.candidate
        terms = f"{'–'.join(map(str, dict.fromkeys(chosen.ngrams)))}-grams, min_df {chosen.min_df:g}"
        if not chosen.terms.has_plain_units:
            terms = f"{chosen.units} {terms}"
        if chosen.min_deviation is not None:
            terms += f", min_deviation {chosen.min_deviation:g}"
        if is_linear:
            terms += f", beta {chosen.beta:g}"
        across = chosen.C if is_linear else chosen.alpha
        lines.setdefault(f"{chosen.model}, {chosen.weights}, {terms}", []).append((across, trial.accuracy))
    for label, points in list(lines.items())[:MOST_CURVES]:
        axes.plot(*zip(*sorted(points), strict=True), "o-", markersize=3, linewidth=1, label=label)
    best = choice.best
    at = best.candidate.C if is_linear else best.candidate.alpha
    axes.plot(at, best.accuracy, "*", color="black", markersize=12, label=f"best, {best.accuracy:.4f}")
    alphas = sorted({trial.candidate.C if is_linear else trial.candidate.alpha for trial in trials})
    if alphas[0] > 0:
        axes.set_xscale("log")
    axes.set_xticks(alphas, [f"{alpha:g}" for alpha in alphas], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("C" if is_linear else "alpha")
    axes.set_ylabel(f"accuracy, {choice.estimate}")
    axes.legend(fontsize="x-small", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _draw_names(axes: "Axes", names: list[str], down: list[str], cell: float) -> None:
    centres = np.arange(len(names)) + 0.5
    axes.set_yticks(np.arange(len(down)) + 0.5, down)
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
