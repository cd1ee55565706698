"""Pictures. matplotlib is imported only when one is drawn, its settings and windows left as the user has them."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.report.safe import columns, escape, printable, shorten
from textnb.report.tables import UNSURE_COLUMN
from textnb.workflow.metrics import (
    HISTOGRAM_EDGES,
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
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from textnb.selection.trials import Trial
    from textnb.selection.tuning import Choice

MOST_CURVES = 10  # the best ones
MOST_CLASSES = 30  # more cannot be read on one page
CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")
SHOWN_LETTERS = 5  # in a notice
NAME_WIDTH, TITLE_WIDTH = 32, 80
FONT = "DejaVu Sans"  # which comes with matplotlib
FONTS_WITHOUT_LETTERS = ("lastresort", "blank")  # they have a box, or nothing, for every character
LOWEST, HIGHEST = 0.01, 0.5  # where the scale of a reliability diagram may begin
SHARES = (0, 0.05, 0.25, 0.5, 1)
TICKS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)
# What files carry besides the picture, left out so that the same result gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
STYLE = {"text.parse_math": False, "svg.hashsalt": "textnb"}  # a class may be called "$x_$"


class Lettering(NamedTuple):
    """The fonts of a picture, and the characters that none of them has."""

    fonts: list[str]
    missing: frozenset[str]

    def name(self, label: object, width: int = NAME_WIDTH) -> str:
        """A label as it is drawn: what cannot be is escaped, and the empty one stands in quotation marks."""
        return shorten(escape(printable(str(label)), self.missing.__contains__), width) or '""'


def confusion_heatmap(
    shown: Evaluation | Outcomes, path: str | PathLike[str], *, title: str | None = None, true_across: bool = False
) -> frozenset[str]:
    """Draw the confusion matrix to `path` (.png, .svg, .pdf): counts in the cells, shaded by share of the true class.

    True classes run down and predicted ones across, with a last column for unsure if it is that of decisions; the other
    way round if they are `true_across`. Of more than `MOST_CLASSES` classes, the most confused are drawn.
    The result are the characters that no installed font has, and that are drawn as escapes; so it is of all pictures.
    """

    def draw(figure: "Figure", lettering: Lettering) -> None:
        _draw_heatmap(figure, lettering, shown, title, true_across)

    return _save(path, draw, [title, *shown.classes])


def reliability_diagram(
    evaluation: Evaluation, path: str | PathLike[str], *, title: str | None = None
) -> frozenset[str]:
    """Draw to `path` (.png, .svg, .pdf) how often documents were right, by how sure the model was of them.

    One point per bin of documents, all bins of equal mass, with twice its standard error; where probabilities can be
    acted on, the points lie on the diagonal. Of a calibrated model, raw probabilities have a curve of their own. Above
    stands how many documents there are of each confidence. Both scales are of log-odds: 0.9 and 0.99 are as far apart
    as 0.99 and 0.999, for that is where most documents are.
    """
    if evaluation.reliability is None:
        raise ValueError("there is no reliability to draw: measure with log_probabilities.")
    return _save(path, lambda figure, lettering: _draw_reliability(figure, lettering, evaluation, title), [title])


def tuning_curve(choice: "Choice", path: str | PathLike[str], *, title: str | None = None) -> frozenset[str]:
    """Draw to `path` (.png, .svg, .pdf) what was measured of candidates by alpha (C of linear models), a line a recipe.

    The chosen one is marked, and so is the edge of the grid that it was chosen from.
    """
    return _save(path, lambda figure, lettering: _draw_curves(figure, lettering, choice, title), [title])


def _save(
    path: str | PathLike[str], draw: Callable[["Figure", Lettering], None], texts: Iterable[object | None]
) -> frozenset[str]:
    suffix = check_picture(path)
    from matplotlib import style
    from matplotlib.figure import Figure

    picture = BytesIO()
    lettering = _lettering(texts)
    with style.context(["default", STYLE, {"font.family": lettering.fonts}]):
        figure = Figure()
        draw(figure, lettering)
        figure.savefig(picture, format=suffix[1:], dpi=200, bbox_inches="tight", metadata=METADATA[suffix])
    try:
        Path(path).write_bytes(picture.getvalue())
    except OSError as error:
        reason = f"{error.strerror}; choose a folder that exists and may be written to"
        raise OSError(error.errno, f"cannot write the picture: {reason}", printable(str(path))) from error
    return lettering.missing


def lacking_letters(characters: frozenset[str]) -> str:
    """What to say of characters that no installed font has."""
    is_cjk = any(unicodedata.name(c, "").startswith(CJK) for c in characters)
    some = "".join(sorted(characters)[:SHOWN_LETTERS])
    more = f", {len(characters)} in all" if len(characters) > SHOWN_LETTERS else ""
    font = "such as Noto Sans CJK" if is_cjk else "such as one of the Noto fonts"
    return (
        f"no installed font has the letters {some}{more}: they are drawn as escapes; install one that has them, {font}"
    )


def _lettering(texts: Iterable[object | None]) -> Lettering:
    """The usual font, and of those installed the fewest that have the characters which it lacks."""
    from matplotlib.font_manager import findfont, fontManager
    from matplotlib.ft2font import FT2Font

    def lacking(font: str, characters: set[str]) -> set[str]:
        try:
            has = FT2Font(font).get_charmap()
        except (OSError, RuntimeError):  # it is gone, or damaged
            return characters
        return {character for character in characters if ord(character) not in has}

    fonts, missing = [FONT], lacking(findfont(FONT), {c for text in texts if text for c in printable(str(text))})
    if missing:
        installed = {
            entry.name: lacking(entry.fname, missing)
            for entry in fontManager.ttflist
            if (entry.style, str(entry.weight)) in (("normal", "400"), ("normal", "normal"))
            and not any(word in entry.name.lower().replace(" ", "") for word in FONTS_WITHOUT_LETTERS)
        }
        while installed and missing:
            best = min(sorted(installed), key=lambda font: len(missing & installed[font]))
            rest = missing & installed.pop(best)
            if rest == missing:
                break
            fonts, missing = [*fonts, best], rest
    return Lettering(fonts, frozenset(missing))


def check_picture(path: str | PathLike[str]) -> str:
    """The suffix of `path`, once it is known that such a picture can be drawn; a ValueError before work is spent."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise ValueError(f"cannot draw '{printable(str(path))}': its name must end in .png, .svg or .pdf.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ValueError('pictures need matplotlib: pip install ".[plot]" in the clone of textnb') from error
    return suffix


def _axes(figure: "Figure", width: float, height: float) -> "Axes":
    """Axes of that size in inches; their labels lie outside, and the tight bounding box takes them in."""
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _draw_title(axes: "Axes", lettering: Lettering, title: str | None, subtitle: str = "") -> None:
    lines = [lettering.name(title, TITLE_WIDTH) if title else "", subtitle]
    axes.set_title("\n".join(filter(None, lines)), size="medium", pad=12)


def _draw_heatmap(
    figure: "Figure", lettering: Lettering, shown: Evaluation | Outcomes, title: str | None, true_across: bool
) -> None:
    matrix = shown.confusion_matrix
    part, subtitle = _classes_drawn(matrix)
    counts = part_of_matrix(matrix, part)
    shares = counts / np.maximum(matrix[part].sum(axis=1, keepdims=True), 1)
    true = [lettering.name(shown.classes[number]) for number in part]
    predicted = [*true, *([UNSURE_COLUMN] if is_decided(matrix) else [])]
    sides = [("true class", true), ("decided class" if is_decided(matrix) else "predicted class", predicted)]
    if true_across:
        counts, shares, sides = counts.T, shares.T, sides[::-1]
    cell = 0.36 + 1.6 / len(part)  # inches: few classes get large cells
    (down, rows), (across, names) = sides
    axes = _axes(figure, cell * len(names), cell * len(rows))
    _draw_title(axes, lettering, title, subtitle)
    axes.set_xlabel(across)
    axes.set_ylabel(down)
    _draw_names(axes, names, rows, cell)
    _draw_shades(figure, axes, shares)
    _draw_counts(axes, counts, shares, cell)


def _draw_reliability(figure: "Figure", lettering: Lettering, evaluation: Evaluation, title: str | None) -> None:
    bins, raw = evaluation.reliability, evaluation.raw_reliability
    assert bins is not None
    axes = _axes(figure, 4.5, 4.5)
    above = axes.inset_axes((0, 1.04, 1, 0.22))
    above.spines[["top", "right"]].set_visible(False)
    frame = _frame([bins] if raw is None else [bins, raw], evaluation.n)
    for axis in (axes.xaxis, axes.yaxis, above.xaxis):
        _draw_log_odds(axis, frame)
    axes.plot(frame, frame, color="silver", linewidth=1, zorder=0)
    if raw is not None:
        _draw_curve(axes, above, raw, frame, "raw", "tab:orange", "s--")
    _draw_curve(axes, above, bins, frame, "probabilities" if raw is None else "calibrated", "tab:blue", "o-")
    above.set_yscale("function", functions=(np.sqrt, np.square))  # or most would lie flat beside a peak
    above.set_ylim(0, 1)
    above.set_yticks(SHARES, [f"{share:.0%}".replace("%", " %") for share in SHARES])
    above.tick_params(axis="x", labelbottom=False)
    above.set_ylabel("documents")
    axes.set_xlabel("probability of the most probable class")
    axes.set_ylabel("how often it was the true one")
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.12), frameon=False, fontsize="small")
    measured = f"accuracy {evaluation.accuracy:.4f}, log-loss {evaluation.log_loss:.4f}, {evaluation.n:,} documents"
    _draw_title(above, lettering, title, measured)


def _frame(curves: Sequence[Reliability], n: int) -> tuple[float, float]:
    """The least and the largest probability that are drawn; what `n` documents cannot tell from 1 is the end."""
    least = min(float(np.minimum(bins.confidence, bins.accuracy).min()) for bins in curves)
    return min(max(least, LOWEST), HIGHEST), 1 - 1 / (2 * max(n, 10))


def _draw_curve(
    axes: "Axes", above: "Axes", bins: Reliability, frame: tuple[float, float], what: str, colour: str, sign: str
) -> None:
    """Points with their errors on `axes`, and the shares of documents by confidence `above`."""
    # One document more of each kind: a bin without an error is not free of doubt.
    share = (bins.accuracy * bins.counts + 1) / (bins.counts + 2)
    errors = 2 * np.sqrt(share * (1 - share) / (bins.counts + 2))
    confidence, accuracy = np.clip(bins.confidence, *frame), np.clip(bins.accuracy, *frame)
    low, high = np.clip(bins.accuracy - errors, *frame), np.clip(bins.accuracy + errors, *frame)
    axes.vlines(confidence, low, high, color=colour, linewidth=1, alpha=0.6)
    label = f"{what}, calibration error {bins.expected_calibration_error:.4f}"
    axes.plot(confidence, accuracy, sign, color=colour, markersize=4, linewidth=1, label=label)
    inside = (frame[0] < HISTOGRAM_EDGES) & (frame[1] > HISTOGRAM_EDGES)
    below = np.concatenate([[0], np.cumsum(bins.histogram)[:-1][inside], [bins.counts.sum()]])
    edges = np.concatenate([[frame[0]], HISTOGRAM_EDGES[inside], [frame[1]]])
    above.stairs(np.diff(below) / below[-1], edges, color=colour, fill=True, alpha=0.35)


def _draw_log_odds(axis: "Axis", frame: tuple[float, float]) -> None:
    """A scale of probabilities in per cent; 100 % stands at its end, which it would never reach."""
    low, high = np.log(frame) - np.log1p(-np.array(frame))
    margin = 0.03 * (high - low)
    ticks = [tick for tick in TICKS if frame[0] <= tick and np.log(tick / (1 - tick)) < high - 4 * margin]
    begin, end = 1 / (1 + np.exp([margin - low, -margin - high]))
    if axis is axis.axes.xaxis:
        axis.axes.set(xscale="logit", xlim=(begin, end))
    else:
        axis.axes.set(yscale="logit", ylim=(begin, end))
    axis.set_ticks([*ticks, frame[1]], [*(f"{100 * tick:g} %" for tick in ticks), "100 %"])
    axis.set_ticks([], minor=True)


def _draw_curves(figure: "Figure", lettering: Lettering, choice: "Choice", title: str | None) -> None:
    from textnb.selection.linear_tuning import LinearCandidate

    is_linear = isinstance(choice.best.candidate, LinearCandidate)
    if choice.naive_bayes is not None and not is_linear:
        choice = choice.naive_bayes
    name = "C" if is_linear else "alpha"

    def point(trial: "Trial") -> tuple[float, float]:
        return getattr(trial.candidate, name), getattr(trial, trial.field)

    trials = [trial for trial in choice.trials if isinstance(trial.candidate, LinearCandidate) == is_linear]
    lines: dict[str, list[tuple[float, float]]] = {}
    for trial in sorted(trials, key=lambda trial: trial.rank):  # the best recipe comes first
        lines.setdefault(_recipe(trial.candidate, is_linear), []).append(point(trial))
    chosen, at = _recipe(choice.best.candidate, is_linear), point(choice.best)
    drawn = dict.fromkeys([chosen, *lines])  # that of the choice, too, where it is not the best
    grid = sorted({across for across, _ in lines[chosen]})
    axes = _axes(figure, 6.5, 4.5)
    _draw_title(axes, lettering, title, _edge_reached(name, at[0], grid))
    for label in list(drawn)[:MOST_CURVES]:
        axes.plot(*zip(*sorted(lines[label]), strict=True), "o-", markersize=3, linewidth=1, label=label)
    if len(grid) > 1:
        for edge, label in ((grid[0], "edge of the grid"), (grid[-1], "")):
            axes.axvline(edge, color="silver", linestyle=":", zorder=0, label=label)
    axes.plot(*at, "*", color="black", markersize=12, label=f"chosen, {at[1]:.4f}")
    ticks = sorted({across for line in lines.values() for across, _ in line})
    if ticks[0] > 0:
        axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    axes.minorticks_off()
    axes.set_xlabel(name)
    axes.set_ylabel(f"{choice.objective}, {choice.estimate}")
    axes.legend(fontsize="x-small", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _recipe(candidate: Any, is_linear: bool) -> str:
    """What a line of candidates have in common."""
    terms = f"{'–'.join(map(str, dict.fromkeys(candidate.ngrams)))}-grams, min_df {candidate.min_df:g}"
    if not candidate.terms.has_plain_units:
        terms = f"{candidate.units} {terms}"
    if candidate.min_deviation is not None:
        terms += f", min_deviation {candidate.min_deviation:g}"
    if is_linear:
        terms += f", beta {candidate.beta:g}"
    return f"{candidate.model}, {candidate.weights}, {terms}"


def _edge_reached(name: str, chosen: float, grid: list[float]) -> str:
    """That the choice is the first or the last of what was tried, if so: another one may be better still."""
    if len(grid) < 2 or chosen not in (grid[0], grid[-1]):
        return ""
    which, better = ("smallest", "smaller") if chosen == grid[0] else ("largest", "larger")
    return f"the choice is the {which} {name} tried: a {better} one may be better"


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


def _classes_drawn(matrix: Counts) -> tuple[Counts, str]:
    """The numbers of the classes to draw, and which they are, if not all."""
    if len(matrix) <= MOST_CLASSES:
        return np.arange(len(matrix)), ""
    confused = most_confused_classes(matrix, MOST_CLASSES)
    if len(confused):
        return confused, f"the {len(confused)} most confused of {len(matrix)} classes"
    return np.arange(MOST_CLASSES), f"the first {MOST_CLASSES} of {len(matrix)} classes; none was taken for another"
