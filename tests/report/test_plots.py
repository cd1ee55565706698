import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, fontManager
from matplotlib.image import imread

from textnb.report.plots import (
    MOST_CLASSES,
    Lettering,
    _draw_reliability,
    check_picture,
    confusion_heatmap,
    lacking_letters,
    reliability_diagram,
    tuning_curve,
)
from textnb.selection.candidates import Candidate
from textnb.selection.trials import Trial
from textnb.selection.tuning import Choice
from textnb.workflow.metrics import Evaluation, Outcomes, measure

MATRIX = np.array([[40, 3, 1], [0, 50, 7], [2, 0, 60]])


def evaluation_of(matrix: np.ndarray, classes: list[str]) -> Evaluation:
    true, predicted = np.nonzero(matrix)
    names = np.array(classes, dtype=object)
    times = matrix[true, predicted]
    return measure(np.repeat(names[true], times), np.repeat(names[predicted], times), classes)


@pytest.fixture
def evaluation() -> Evaluation:
    return evaluation_of(MATRIX, ["ham", "eggs", "spam"])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures saved during a test."""
    figures: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *args, **kwargs: (figures.append(self), save(self, *args, **kwargs))
    )
    return figures


def grid(figure: Figure) -> tuple[list[str], list[str], np.ndarray]:
    """Names across, names down and the counts as they stand on the page, from left to right and top to bottom."""
    axes = figure.axes[0]
    assert axes.yaxis.get_inverted()
    counts = np.zeros((len(axes.get_yticks()), len(axes.get_xticks())), dtype=int)
    for text in axes.texts:
        column, row = text.get_position()
        counts[int(row), int(column)] = int(text.get_text())
    return [t.get_text() for t in axes.get_xticklabels()], [t.get_text() for t in axes.get_yticklabels()], counts


@pytest.mark.parametrize("true_across", [False, True])
def test_true_classes_run_down_unless_they_are_wanted_across(
    evaluation: Evaluation, drawn: list, tmp_path: Path, true_across: bool
) -> None:
    confusion_heatmap(evaluation, tmp_path / "picture.png", title="20news", true_across=true_across)
    axes = drawn[0].axes[0]
    across, down, counts = grid(drawn[0])
    labels = [axes.get_ylabel(), axes.get_xlabel()]
    shares = MATRIX / MATRIX.sum(axis=1, keepdims=True)
    assert (labels[::-1] if true_across else labels) == ["true class", "predicted class"]
    assert axes.get_title() == "20news"
    assert across == down == ["ham", "eggs", "spam"]
    assert counts.tolist() == (MATRIX.T if true_across else MATRIX).tolist()
    assert np.allclose(axes.collections[0].get_array(), shares.T if true_across else shares)


@pytest.mark.parametrize("true_across", [False, True])
def test_decisions_have_a_last_column_for_unsure(drawn: list, tmp_path: Path, true_across: bool) -> None:
    matrix = np.column_stack([MATRIX, [4, 0, 9]])
    names = ["ham", "eggs", "spam"]
    confusion_heatmap(Outcomes(names, matrix), tmp_path / "picture.png", true_across=true_across)
    across, down, counts = grid(drawn[0])
    sides, axes = (down, across), drawn[0].axes[0]
    assert (sides[::-1] if true_across else sides) == (names, [*names, "unsure"])
    assert counts.tolist() == (matrix.T if true_across else matrix).tolist()
    assert (axes.get_ylabel() if true_across else axes.get_xlabel()) == "decided class"


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".PNG", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_the_suffix_chooses_the_format_and_the_bytes_repeat(
    evaluation: Evaluation, tmp_path: Path, suffix: str, start: bytes
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    confusion_heatmap(evaluation, first)
    confusion_heatmap(evaluation, str(second))
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()
    assert b"date>" not in first.read_bytes()
    assert b"CreationDate" not in first.read_bytes()


def test_hostile_names_are_drawn_as_they_are(drawn: list, tmp_path: Path) -> None:
    names = ["$x_$ \\frac{", "\x1b[31m\u202e\ud800", "<script>&\n"]
    path = tmp_path / "picture.svg"
    confusion_heatmap(evaluation_of(MATRIX, names), path, title="$\\bad{\x00")
    assert grid(drawn[0])[0] == ["$x_$ \\frac{", r"\x1b[31m\u202e\ud800", r"<script>&\n"]
    assert drawn[0].axes[0].get_title() == r"$\bad{\x00"
    assert not any(element.tag.endswith("script") for element in ElementTree.parse(path).iter())


@pytest.mark.parametrize("n", [1, 2, 20])
def test_nothing_is_cut_off_and_counts_stay_in_their_cells(drawn: list[Figure], tmp_path: Path, n: int) -> None:
    names = [f"a.rather.long.name.of.a.group.{number}" for number in range(n)]
    result = evaluation_of(np.ones((n, n), dtype=int), names)
    confusion_heatmap(replace(result, confusion_matrix=result.confusion_matrix * 123456), tmp_path / "picture.png")
    height, width, _ = imread(tmp_path / "picture.png").shape
    drawn[0].draw_without_rendering()
    everything = drawn[0].get_tightbbox()
    assert width >= 200 * everything.width
    assert height >= 200 * everything.height
    axes = drawn[0].axes[0]
    cell = axes.get_window_extent().width / n
    assert all(text.get_window_extent().width < cell for text in axes.texts)


@pytest.mark.parametrize("confusions", [1, 0])
def test_of_too_many_classes_a_part_is_drawn(drawn: list, tmp_path: Path, confusions: int) -> None:
    n = MOST_CLASSES + 20
    matrix = np.eye(n, dtype=int) * 9 + np.eye(n, k=1, dtype=int)[::-1, ::-1] * confusions
    confusion_heatmap(evaluation_of(matrix, [f"{number:03d}" for number in range(n)]), tmp_path / "picture.svg")
    assert len(grid(drawn[0])[0]) == MOST_CLASSES
    which = f"the {MOST_CLASSES} most confused of {n} classes"
    if not confusions:
        which = f"the first {MOST_CLASSES} of {n} classes; none was taken for another"
    assert drawn[0].axes[0].get_title() == which


def test_letters_that_no_font_has_are_escaped_without_a_warning(
    drawn: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fontManager, "ttflist", [font for font in fontManager.ttflist if font.name == "DejaVu Sans"])
    classes = ["日本", "ναί", "🦜"]
    escaped = confusion_heatmap(evaluation_of(MATRIX, classes), tmp_path / "picture.png", title="日 2")
    assert grid(drawn[0])[0] == [r"\u65e5\u672c", "ναί", r"\U0001f99c"]
    assert drawn[0].axes[0].get_title() == r"\u65e5 2"
    assert escaped == {"日", "本", "🦜"}
    assert lacking_letters(escaped).startswith("no installed font has the letters 日本🦜: they are drawn as escapes;")
    assert lacking_letters(escaped).endswith("such as Noto Sans CJK")


def test_an_installed_font_is_taken_that_has_the_letters(
    drawn: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A font of boxes for every letter, such as the one that comes with matplotlib, is none that has them."""
    usual = [font for font in fontManager.ttflist if font.name == "DejaVu Sans"]
    made = [("Of one", "日"), ("Of two", "日本"), ("Last Resort", "日本語"), ("Of Latin", "abc")]
    fonts = [
        FontEntry(fname=font_with(letters, tmp_path / f"{name}.ttf"), name=name, weight=400) for name, letters in made
    ]
    monkeypatch.setattr(
        fontManager, "ttflist", [*usual, *fonts, FontEntry(fname=str(tmp_path / "gone.ttf"), name="Gone")]
    )
    confusion_heatmap(evaluation_of(MATRIX, ["日本", "語", "spam"]), tmp_path / "picture.png")
    label = drawn[0].axes[0].get_xticklabels()[0]
    assert grid(drawn[0])[0] == ["日本", r"\u8a9e", "spam"]
    assert label.get_fontfamily() == ["DejaVu Sans", "Of two"]


def font_with(letters: str, path: Path) -> str:
    """The path of a font whose letters are squares."""
    font, names = FontBuilder(1000, isTTF=True), [".notdef", *(f"u{ord(letter):x}" for letter in letters)]
    pen = TTGlyphPen(None)
    for move, corner in zip([pen.moveTo, *[pen.lineTo] * 3], [(0, 0), (0, 700), (700, 700), (700, 0)], strict=True):
        move(corner)
    pen.closePath()
    font.setupGlyphOrder(names)
    font.setupCharacterMap(dict(zip(map(ord, letters), names[1:], strict=True)))
    font.setupGlyf(dict.fromkeys(names, pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys(names, (800, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": path.stem, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return str(path)


def test_the_settings_of_the_user_are_neither_used_nor_changed(evaluation: Evaluation, tmp_path: Path) -> None:
    confusion_heatmap(evaluation, tmp_path / "plain.png")
    with matplotlib.rc_context({"text.usetex": True, "font.size": 30, "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        confusion_heatmap(evaluation, tmp_path / "styled.png")
        assert dict(matplotlib.rcParams) == before
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "styled.png").read_bytes()


def test_drawing_starts_no_window_system(tmp_path: Path) -> None:
    program = (
        "import sys; from textnb.report.plots import *; from textnb.workflow.metrics import measure;"
        f"confusion_heatmap(measure('ab', 'ab', 'ab'), {str(tmp_path / 'picture.png')!r});"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )


@pytest.mark.parametrize("path", ["picture", "picture.jpeg", "folder.png/picture", "\x1b.txt"])
def test_an_unknown_suffix_is_refused_before_drawing(evaluation: Evaluation, path: str) -> None:
    for draw in (check_picture, lambda path: confusion_heatmap(evaluation, path)):
        with pytest.raises(ValueError, match=r"must end in \.png, \.svg or \.pdf") as refusal:
            draw(path)
        assert str(refusal.value).isprintable()


def test_without_matplotlib_the_error_says_what_to_install(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ValueError, match=r'pip install "\.\[plot\]" in the clone') as refusal:
        confusion_heatmap(evaluation, "picture.png")
    assert isinstance(refusal.value.__cause__, ImportError)


def test_a_path_that_cannot_be_written_is_named(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"cannot write the picture: .*choose a folder.*picture\.png"):
        confusion_heatmap(evaluation, tmp_path / "missing" / "picture.png")
    with pytest.raises(IsADirectoryError, match="cannot write the picture"):
        (tmp_path / "folder.png").mkdir()
        confusion_heatmap(evaluation, tmp_path / "folder.png")


def probabilities(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    second = random.random(n)
    return np.log(np.column_stack([1 - second, second])), (random.random(n) < second).astype(int)


@pytest.fixture(scope="module")
def of_two() -> tuple[Evaluation, Figure]:
    """An evaluation whose raw probabilities are too sure of themselves, and its diagram."""
    given, labels = probabilities()
    raw = 9 * given
    raw -= np.logaddexp(*raw.T)[:, None]
    result = measure(labels, given.argmax(axis=1), [0, 1], log_probabilities=given, raw=raw)
    figure = Figure()
    _draw_reliability(figure, Lettering([], frozenset()), result, "$spam_")
    return result, figure


def test_raw_and_calibrated_probabilities_have_a_curve_each(of_two: tuple[Evaluation, Figure]) -> None:
    result, figure = of_two
    axes = figure.axes[0]
    curves = {line.get_label().partition(",")[0]: line for line in axes.lines}
    for what, bins in (("calibrated", result.reliability), ("raw", result.raw_reliability)):
        frame = axes.lines[0].get_xdata()  # the diagonal
        assert np.allclose(curves[what].get_xdata(), np.clip(bins.confidence, *frame), rtol=0, atol=1e-12)
        assert np.allclose(curves[what].get_ydata(), np.clip(bins.accuracy, *frame), rtol=0, atol=1e-12)
        assert curves[what].get_label() == f"{what}, calibration error {bins.expected_calibration_error:.4f}"
    assert [len(lines.get_segments()) for lines in axes.collections] == [len(result.raw_reliability.counts), 15]
    assert result.raw_reliability.expected_calibration_error > 3 * result.ece
    assert len(axes.get_legend().get_texts()) == 2


def test_above_the_curves_stands_how_many_documents_are_how_sure(of_two: tuple[Evaluation, Figure]) -> None:
    result, figure = of_two
    (above,) = figure.axes[0].child_axes
    assert above.get_title() == f"$spam_\naccuracy {result.accuracy:.4f}, log-loss {result.log_loss:.4f}, 600 documents"
    given = np.exp(probabilities()[0]).max(axis=1)
    raw, calibrated = (patch.get_data() for patch in above.patches)
    for values, edges, _ in (raw, calibrated):
        assert values.sum() == pytest.approx(1)
        assert above.get_xlim()[0] < edges[0] < edges[-1] < above.get_xlim()[1]
    assert np.allclose(calibrated.values[1:-1] * 600, np.histogram(given, calibrated.edges)[0][1:-1], atol=1e-9)
    assert calibrated.values[-1] * 600 == pytest.approx((given >= calibrated.edges[-2]).sum())
    assert raw.values[-1] > 2 * calibrated.values[-1]


@pytest.mark.parametrize("is_good", [True, False])
def test_the_scale_uses_the_frame(tmp_path: Path, drawn: list, is_good: bool) -> None:
    """Points of a model that is nearly always right, and sure of it, are as far apart as those of a bad one."""
    sure = 1 - np.geomspace(1e-4, 0.1 if is_good else 0.6, 3000)
    given = np.log(np.column_stack([1 - sure, sure]))
    labels = (np.random.default_rng(0).random(3000) < sure).astype(int)
    reliability_diagram(measure(labels, [1] * 3000, [0, 1], log_probabilities=given), tmp_path / "picture.svg")
    axes = drawn[0].axes[0]
    diagonal, points = axes.lines
    width = np.ptp(axes.transAxes.inverted().transform(axes.transData.transform(points.get_xydata()))[:, 0])
    assert width > 0.6
    assert points.get_label().startswith("probabilities, calibration error")
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlim()[0] < diagonal.get_xdata()[0] <= 0.5
    assert axes.get_xticklabels()[-1].get_text() == "100 %"


def test_standard_errors_stay_in_the_frame_and_do_not_vanish(drawn: list, tmp_path: Path) -> None:
    given = np.log([[0.9, 0.1]] * 4)
    reliability_diagram(measure("aaaa", "aaaa", "ab", log_probabilities=given), tmp_path / "picture.svg")
    axes = drawn[0].axes[0]
    ((low, high),) = [segment[:, 1] for segment in axes.collections[0].get_segments()]
    assert axes.get_ylim()[0] < low < high < axes.get_ylim()[1]
    assert high == axes.get_yticks()[-1]


def test_an_evaluation_without_probabilities_has_no_reliability_to_draw(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="measure with log_probabilities"):
        reliability_diagram(evaluation, tmp_path / "picture.png")


def choice_of(*measured: tuple[float, float], best: int, objective: str = "accuracy") -> Choice:
    """A choice among candidates that differ in alpha, given with their accuracy."""
    trials = [
        Trial(Candidate("multinomial", "counts", (1, 1), 1, alpha), accuracy, 1 - accuracy, objective=objective)
        for alpha, accuracy in measured
    ]
    other = Trial(Candidate("complement", "counts", (1, 2), 1, 1.0), 0.5, 0.5, objective=objective)
    return Choice(trials[best], [*trials, other], "leave-one-out", 100, None)


MEASURED = ((0.01, 0.9), (0.1, 0.95), (1.0, 0.8))


def test_of_tuning_the_choice_and_the_edge_of_the_grid_are_marked(drawn: list, tmp_path: Path) -> None:
    tuning_curve(choice_of(*MEASURED, best=1), tmp_path / "picture.svg", title="mail")
    axes = drawn[0].axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["chosen, 0.9500"].get_xydata().tolist() == [[0.1, 0.95]]
    assert lines["multinomial, counts, 1-grams, min_df 1"].get_xydata().tolist() == [list(point) for point in MEASURED]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"] == [0.01, 1.0]
    assert [text.get_text() for text in axes.get_legend().get_texts()].count("edge of the grid") == 1
    assert (axes.get_title(), axes.get_ylabel()) == ("mail", "accuracy, leave-one-out")


@pytest.mark.parametrize(("best", "which"), [(0, "smallest"), (2, "largest")])
def test_a_choice_at_the_edge_of_the_grid_is_said(drawn: list, tmp_path: Path, best: int, which: str) -> None:
    tuning_curve(choice_of(*MEASURED, best=best), tmp_path / "picture.svg", title="mail")
    assert drawn[0].axes[0].get_title().startswith(f"mail\nthe choice is the {which} alpha tried")


def test_one_alpha_has_no_edge(drawn: list, tmp_path: Path) -> None:
    tuning_curve(choice_of((0.1, 0.9), best=0), tmp_path / "picture.svg")
    assert drawn[0].axes[0].get_title() == ""
    assert not [line for line in drawn[0].axes[0].lines if line.get_linestyle() == ":"]


def test_what_was_chosen_by_is_drawn(drawn: list, tmp_path: Path) -> None:
    tuning_curve(choice_of(*MEASURED, best=1, objective="log-loss"), tmp_path / "picture.svg")
    assert drawn[0].axes[0].get_ylabel() == "log-loss, leave-one-out"
    assert drawn[0].axes[0].lines[-1].get_xydata().tolist() == [[0.1, pytest.approx(0.05)]]
