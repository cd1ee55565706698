import numpy as np
import pytest

from textnb.report.safe import columns
from textnb.report.tables import confused_pairs_table, confusion_table, decided_table, per_class_table, table
from textnb.workflow.metrics import Evaluation, Outcomes, measure

HOSTILE = ["\x1b[2J\u202e", "[/bold]<b>$x_$", "日本語のクラス名", "", "a\nb", "e" + "\u0301" * 50, "\ud800"]


def evaluation_of(matrix: list[list[int]] | np.ndarray, classes: list[str]) -> Evaluation:
    true, predicted = np.nonzero(matrix)
    times = np.asarray(matrix)[true, predicted]
    names = np.array(classes, dtype=object)
    return measure(np.repeat(names[true], times), np.repeat(names[predicted], times), classes)


def many_classes(n: int, largest: int) -> Evaluation:
    random = np.random.default_rng(n)
    matrix = random.poisson(0.3, (n, n)) + np.diag(random.integers(largest // 2, largest, n, endpoint=True))
    return evaluation_of(matrix, [f"group.with.a.long.name.{number:04d}" for number in range(n)])


def test_cells_are_aligned_by_columns_and_lines_have_no_trailing_space() -> None:
    assert table(("name", "n"), [("日本", 1), ("ab", 10)], "lr").splitlines() == ["name   n", "日本   1", "ab    10"]
    assert table(("n", "name"), [(1, "a")], "rl") == "n  name\n1  a"


def test_a_table_of_a_width_shortens_its_widest_names_first() -> None:
    rows = [("a.rather.long.name", "short", 1000), ("日本語のクラス名です", "x", 2)]
    lines = table(("class", "other", "n"), rows, "llr", width=22).splitlines()
    assert [columns(line) for line in lines] == [22] * 3
    assert lines[1:] == ["a.ra…name  short  1000", "日本…です  x         2"]
    assert table(("class", "other", "n"), rows, "llr", width=80) == table(("class", "other", "n"), rows, "llr")


def test_numbers_are_not_shortened_whatever_the_width() -> None:
    lines = table(("class", "n"), [("a.rather.long.name", 123456)], "lr", width=3).splitlines()
    assert lines == ["class        n", "a.r…me  123456"]


def test_a_table_without_rows_is_its_headers() -> None:
    assert table(("a", "b"), [], "lr") == "a  b"


def test_a_row_or_alignment_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        table(("a", "b"), [("only one",)], "ll")
    with pytest.raises(ValueError, match="zip"):
        table(("a", "b"), [], "l")


def test_per_class_table_ends_with_the_means() -> None:
    assert per_class_table(evaluation_of([[90, 10], [5, 15]], ["ham", "spam"])).splitlines() == [
        "   class          precision  recall     f1  support",
        "1  ham                0.947   0.900  0.923      100",
        "2  spam               0.600   0.750  0.667       20",
        "   macro average      0.774   0.825  0.795      120",
    ]


def test_confusion_table_shows_zeros_as_dots() -> None:
    assert confusion_table(evaluation_of([[90, 10], [0, 1500]], ["ham", "spam"])).splitlines() == [
        r"  true \ predicted  1    2",
        "1 ham              90   10",
        "2 spam              · 1500",
    ]


def test_decisions_have_a_last_column_for_unsure() -> None:
    outcomes = Outcomes(["ham", "spam"], np.array([[90, 0, 10], [5, 1500, 0]]))
    assert confusion_table(outcomes).splitlines() == [
        r"  true \ predicted  1    2 unsure",
        "1 ham              90    ·     10",
        "2 spam              5 1500      ·",
    ]
    assert decided_table(outcomes).splitlines() == [
        "   class  caught   lost  unsure  support",
        "1  ham    90.00%  0.00%  10.00%      100",
        "2  spam   99.67%  0.33%   0.00%     1505",
    ]


@pytest.mark.parametrize("width", [60, 100])
def test_decisions_that_do_not_fit_are_shown_in_part_with_unsure(width: int) -> None:
    whole = many_classes(100, 40)
    decided = Outcomes(whole.classes, np.column_stack([whole.confusion_matrix, np.arange(100)]))
    _, head, *rows = confusion_table(decided, width).splitlines()
    assert head.endswith(" unsure")
    assert max(map(columns, (head, *rows))) <= width
    for row in rows:
        number, unsure = int(row.split()[0]), row.split()[-1]
        assert unsure == (str(number - 1) if number > 1 else "·")


def test_a_single_class_has_a_table() -> None:
    only = evaluation_of([[5]], ["only"])
    assert confusion_table(only).splitlines() == [r"  true \ predicted 1", "1 only             5"]
    assert confused_pairs_table(only) == "No class was taken for another."


def test_twenty_classes_fit_in_a_hundred_columns() -> None:
    lines = confusion_table(many_classes(20, largest=399)).splitlines()
    assert len(lines) == 21
    assert max(map(columns, lines)) == 100
    assert lines[0].split()[3:] == [str(number) for number in range(1, 21)]
    assert lines[1].startswith(" 1 group.wi…ame.0000 ")


@pytest.mark.parametrize(("n", "largest"), [(20, 5000), (100, 40), (300, 9), (1200, 3)])
@pytest.mark.parametrize("width", [60, 100])
def test_what_does_not_fit_is_shown_in_part_under_a_notice(n: int, largest: int, width: int) -> None:
    result = many_classes(n, largest)
    notice, head, *rows = confusion_table(result, width).splitlines()
    numbers = [int(number) for number in head.split()[3:]]
    assert (
        notice == f"The confusion matrix of {n} classes does not fit in {width} columns. The {len(rows)} most confused:"
    )
    assert [int(row.split()[0]) for row in rows] == numbers
    assert len(numbers) >= 5
    assert max(map(columns, (head, *rows))) <= width
    for row, number in zip(rows, numbers, strict=True):
        counts = [0 if cell == "·" else int(cell) for cell in row.split()[2:]]
        assert counts == [result.confusion_matrix[number - 1, other - 1] for other in numbers]


def test_many_classes_without_a_confusion_say_so() -> None:
    perfect = evaluation_of(np.diag([1] * 100), [f"{number}" for number in range(100)])
    assert confusion_table(perfect).endswith("does not fit in 100 columns. No class was taken for another.")


def test_confused_pairs_give_the_share_of_the_true_class() -> None:
    newsgroups = ["comp.graphics", "sci.space", "soc.religion.christian", "talk.religion.misc"]
    matrix = [[344, 13, 32, 0], [6, 364, 24, 0], [1, 5, 392, 0], [4, 12, 187, 48]]
    assert confused_pairs_table(evaluation_of(matrix, newsgroups), n=2).splitlines() == [
        "true class          predicted as            count  of class",
        "talk.religion.misc  soc.religion.christian    187     74.5%",
        "comp.graphics       soc.religion.christian     32      8.2%",
    ]


@pytest.mark.parametrize("render", [per_class_table, confusion_table, confused_pairs_table])
def test_hostile_class_names_stay_inside_their_cells(render) -> None:
    text = render(evaluation_of(np.ones((7, 7), dtype=int) * 3, HOSTILE))
    text.encode("utf-8")
    assert text.replace("\n", "").isprintable()
    lines = text.splitlines()
    assert len(lines) == {per_class_table: 9, confusion_table: 8, confused_pairs_table: 6}[render]
    assert len(set(map(columns, lines))) == 1
