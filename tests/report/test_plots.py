import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from textnb.report.plots import MOST_CLASSES, check_picture, confusion_heatmap, reliability_diagram
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


def test_true_classes_run_across_and_predicted_ones_down(evaluation: Evaluation, drawn: list, tmp_path: Path) -> None:
    confusion_heatmap(evaluation, tmp_path / "picture.png", title="20news")
    axes = drawn[0].axes[0]
    across, down, counts = grid(drawn[0])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("true class", "predicted class", "20news")
    assert across == down == ["ham", "eggs", "spam"]
    assert counts.tolist() == MATRIX.T.tolist()
    assert np.allclose(axes.collections[0].get_array(), (MATRIX / MATRIX.sum(axis=1, keepdims=True)).T)


def test_decisions_have_a_last_row_for_unsure(drawn: list, tmp_path: Path) -> None:
    matrix = np.column_stack([MATRIX, [4, 0, 9]])
    confusion_heatmap(Outcomes(["ham", "eggs", "spam"], matrix), tmp_path / "picture.png")
    across, down, counts = grid(drawn[0])
    assert (across, down) == (["ham", "eggs", "spam"], ["ham", "eggs", "spam", "unsure"])
    assert counts.tolist() == matrix.T.tolist()
    assert drawn[0].axes[0].get_ylabel() == "decided class"


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
    assert drawn[0].axes[0].get_title() == f"{MOST_CLASSES} of {n} classes"


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
    with pytest.raises(ValueError, match=r'pip install "textnb\[plot\]"') as refusal:
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


def test_reliability_is_drawn_a_point_a_bin(drawn: list, tmp_path: Path) -> None:
    given, labels = probabilities()
    result = measure(labels, given.argmax(axis=1), [0, 1], log_probabilities=given)
    reliability_diagram(result, tmp_path / "picture.png", title="$spam_")
    axes = drawn[0].axes[0]
    points = axes.lines[1]
    assert np.array_equal(points.get_xdata(), result.reliability.confidence)
    assert np.array_equal(points.get_ydata(), result.reliability.accuracy)
    assert len(axes.collections[0].get_segments()) == 15
    assert f"calibration error {result.ece:.4f}" in axes.texts[0].get_text()
    assert axes.get_title() == "$spam_"
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_standard_errors_stay_between_0_and_1_and_do_not_vanish(drawn: list, tmp_path: Path) -> None:
    given = np.log([[0.9, 0.1]] * 4)
    reliability_diagram(measure("aaaa", "aaaa", "ab", log_probabilities=given), tmp_path / "picture.svg")
    ((low, high),) = [segment[:, 1] for segment in drawn[0].axes[0].collections[0].get_segments()]
    assert 0 < low < high == 1


def test_an_evaluation_without_probabilities_has_no_reliability_to_draw(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="measure with log_probabilities"):
        reliability_diagram(evaluation, tmp_path / "picture.png")
