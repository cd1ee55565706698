import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics
from sklearn.exceptions import UndefinedMetricWarning

from textnb.model.decision import UNSURE, DecisionRule
from textnb.model.plain import cost_table
from textnb.workflow.metrics import (
    Outcomes,
    area_under_curve,
    measure,
    measure_decisions,
    most_confused,
    most_confused_classes,
    reliability_of,
    wilson_interval,
)

CLASSES = ["a", "b", "c", "d"]
pairs_of_labels = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=40)
scored_documents = st.lists(
    st.tuples(st.sampled_from(["ham", "spam"]), st.sampled_from([-1e9, -0.5, 0.0, 0.25, 0.5, 1e-12, 3.0])), min_size=1
)


@given(pairs_of_labels)
def test_every_number_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    labels, predicted = map(list, zip(*pairs, strict=True))
    result = measure(labels, predicted, CLASSES)
    precision, recall, f1, support = sklearn_metrics.precision_recall_fscore_support(
        labels, predicted, labels=CLASSES, zero_division=0
    )
    assert_array_equal(
        result.confusion_matrix, sklearn_metrics.confusion_matrix(labels, predicted, labels=CLASSES), strict=True
    )
    assert_allclose(result.accuracy, sklearn_metrics.accuracy_score(labels, predicted), rtol=1e-14)
    macro_f1 = sklearn_metrics.f1_score(labels, predicted, labels=CLASSES, average="macro", zero_division=0)
    assert_allclose(result.macro_f1, macro_f1, rtol=1e-14)
    for key, expected in {"precision": precision, "recall": recall, "f1": f1, "support": support}.items():
        assert_allclose([row[key] for row in result.per_class], expected, rtol=1e-14)
    assert [row["class"] for row in result.per_class] == CLASSES
    assert result.n == len(pairs)


@given(scored_documents)
def test_area_under_curve_equals_scikit_learn_with_ties(documents: list[tuple[str, float]]) -> None:
    labels, scores = map(list, zip(*documents, strict=True))
    auc = area_under_curve(np.equal(labels, "spam"), np.array(scores))
    if len(set(labels)) < 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            assert np.isnan(sklearn_metrics.roc_auc_score(np.equal(labels, "spam"), scores))
        assert auc is None
    else:
        assert_allclose(auc, sklearn_metrics.roc_auc_score(np.equal(labels, "spam"), scores), rtol=1e-12, atol=1e-15)


def test_area_under_curve_of_a_small_example() -> None:
    """Of the four pairs (spam, ham), two are in order, one is tied and one is the wrong way round."""
    labels, second = ["spam", "spam", "ham", "ham"], np.array([0.9, 0.4, 0.4, 0.8])
    given = np.log(np.column_stack([1 - second, second]))
    assert measure(labels, labels, ["ham", "spam"], log_probabilities=given).auc == 2.5 / 4


def test_tiny_probabilities_keep_their_order() -> None:
    labels = ["ham", "spam"]
    assert measure(labels, labels, labels, log_probabilities=[[0.0, -700.0], [0.0, -600.0]]).auc == 1.0


def test_impossible_classes_rank_last() -> None:
    labels = ["ham", "spam"]
    assert measure(labels, labels, labels, log_probabilities=[[0.0, -np.inf], [-np.inf, 0.0]]).auc == 1.0


def test_area_under_curve_is_only_for_two_classes() -> None:
    thirds = np.log(np.full((2, 3), 1 / 3))
    assert measure(["a", "b"], ["a", "b"], ["a", "b", "c"], log_probabilities=thirds).auc is None
    assert measure(["a", "b"], ["a", "b"], ["a", "b"]).auc is None
    certain = [[0.0], [0.0]]  # a model of one class, another in the test
    assert measure(["a", "b"], ["a", "a"], ["a"], log_probabilities=certain).auc is None


def test_a_class_the_model_never_saw_counts_as_errors_in_its_own_row() -> None:
    given = np.log([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]])
    result = measure(["ham", "eggs", "spam"], ["ham", "ham", "spam"], ["ham", "spam"], log_probabilities=given)
    assert result.classes == ["eggs", "ham", "spam"]
    assert result.confusion_matrix.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert result.accuracy == 2 / 3
    assert result.per_class[0] == {"class": "eggs", "precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1}
    assert result.auc is None


def test_the_given_order_of_classes_is_kept() -> None:
    result = measure(["a", "b"], ["a", "a"], ["b", "a"])
    assert result.classes == ["b", "a"]
    assert result.confusion_matrix.tolist() == [[0, 1], [0, 1]]


def test_labels_that_differ_only_by_a_trailing_nul_stay_apart() -> None:
    assert measure(["a", "a\0"], ["a", "a"], ["a", "a\0"]).accuracy == 0.5


@pytest.mark.parametrize(
    ("labels", "predicted", "message"),
    [
        ([], [], "nothing to evaluate"),
        (["a"], ["a", "b"], "one length, got 1 and 2"),
        ([1], ["a"], "must be of one type, got int and str"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(labels: list, predicted: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure(labels, predicted, ["a", "b"])


@pytest.mark.parametrize("classes", [np.array(["ham", "spam"]), np.array(["ham", "spam"], dtype=object), np.arange(2)])
def test_json_holds_plain_types_only(classes: np.ndarray) -> None:
    result = measure(classes, classes[::-1], classes, log_probabilities=np.log(np.full((2, 2), 0.5))).to_json()
    assert json.loads(json.dumps(result)) == result
    assert result["confusion_matrix"] == [[0, 1], [1, 0]]
    assert result["classes"] == classes.tolist()
    assert list(result) == [
        *("classes", "n", "accuracy", "macro_f1", "auc", "per_class", "confusion_matrix"),
        *("log_loss", "reliability", "accuracy_interval", "ece"),
    ]


def test_most_confused_pairs_come_largest_first_and_ties_in_class_order() -> None:
    matrix = np.array([[9, 2, 3], [2, 9, 0], [3, 1, 9]])
    expected = [("a", "c", 3), ("c", "a", 3), ("a", "b", 2), ("b", "a", 2), ("c", "b", 1)]
    assert most_confused(matrix, ["a", "b", "c"], n=10) == expected
    assert most_confused(matrix, ["a", "b", "c"], n=2) == expected[:2]
    assert most_confused(np.diag([1, 2]), ["a", "b"]) == []


def test_most_confused_classes_are_those_of_the_largest_confusions() -> None:
    matrix = np.diag([5] * 6)
    matrix[4, 1], matrix[0, 5], matrix[2, 4] = 9, 3, 6
    assert most_confused_classes(matrix, 2).tolist() == [1, 4]
    assert most_confused_classes(matrix, 3).tolist() == [1, 2, 4]
    assert most_confused_classes(matrix, 9).tolist() == [0, 1, 2, 4, 5]


def probabilities_of(n: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities, and classes drawn from them: a model that knows how much it knows."""
    random = np.random.default_rng(seed)
    probabilities = random.dirichlet(np.full(n_classes, 0.3), n)
    drawn = (random.random((n, 1)) > probabilities.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return np.log(np.maximum(probabilities, 1e-300)), drawn


def test_log_loss_equals_scikit_learn() -> None:
    given, drawn = probabilities_of(500, 4)
    result = measure(drawn, given.argmax(axis=1), range(4), log_probabilities=given)
    kept = np.exp(given)
    expected = sklearn_metrics.log_loss(drawn, kept / kept.sum(axis=1, keepdims=True), labels=range(4))
    assert_allclose(result.log_loss, expected, rtol=1e-12)


def test_probabilities_rank_documents_too() -> None:
    given, drawn = probabilities_of(500, 2)
    result = measure(drawn, given.argmax(axis=1), range(2), log_probabilities=given)
    assert_allclose(result.auc, sklearn_metrics.roc_auc_score(drawn, given[:, 1] - given[:, 0]), rtol=1e-12)


def test_calibration_error_of_a_small_example() -> None:
    """Two documents at 0.6, one right, and two at 0.9, both right: ½ |0.5 − 0.6| + ½ |1 − 0.9|."""
    given = np.log([[0.6, 0.4], [0.9, 0.1], [0.6, 0.4], [0.1, 0.9]])
    bins = reliability_of(given, np.array([0, 0, 1, 1]))
    assert bins.counts.tolist() == [2, 2]
    assert_allclose(bins.confidence, [0.6, 0.9], rtol=1e-14)
    assert bins.accuracy.tolist() == [0.5, 1.0]
    assert_allclose(bins.expected_calibration_error, 0.1, rtol=1e-12)


def test_bins_hold_equal_numbers_whatever_the_order_of_documents() -> None:
    given, drawn = probabilities_of(1500, 3)
    bins = reliability_of(given, drawn)
    assert bins.counts.tolist() == [100] * 15
    assert (np.diff(bins.confidence) > 0).all()
    shuffled = np.random.default_rng(1).permutation(1500)
    assert_allclose(reliability_of(given[shuffled], drawn[shuffled]).accuracy, bins.accuracy, rtol=1e-12)


@given(st.lists(st.tuples(st.sampled_from([0.5, 0.6, 0.75, 1.0]), st.booleans()), min_size=1, max_size=40))
def test_equal_probabilities_share_a_bin(documents: list[tuple[float, bool]]) -> None:
    confidence, right = map(np.array, zip(*documents, strict=True))
    with np.errstate(divide="ignore"):
        given = np.log(np.column_stack([confidence, 1 - confidence]))
    bins = reliability_of(given, np.where(right, 0, 1))
    assert bins.counts.sum() == len(documents)
    assert len(bins.counts) <= len(np.unique(confidence))
    assert_allclose((bins.counts * bins.accuracy).sum(), right.sum())


def test_honest_probabilities_have_a_small_calibration_error_and_boasting_ones_a_large_one() -> None:
    given, drawn = probabilities_of(20_000, 3)
    boasting = 3 * given - np.logaddexp.reduce(3 * given, axis=1)[:, np.newaxis]
    assert measure(drawn, drawn, range(3), log_probabilities=given).ece < 0.01
    assert measure(drawn, drawn, range(3), log_probabilities=boasting).ece > 0.08


def test_a_class_without_a_probability_makes_the_log_loss_infinite_and_json_null() -> None:
    given = np.log([[0.5, 0.5], [0.9, 0.1]])
    result = measure(["a", "z"], ["a", "a"], ["a", "b"], log_probabilities=given)
    assert result.log_loss == np.inf
    assert result.to_json()["log_loss"] is None
    assert_allclose(result.ece, 0.5 * 0.5 + 0.5 * 0.9)


def test_json_holds_the_bins() -> None:
    result = measure("ab", "ab", "ab", log_probabilities=np.log([[0.8, 0.2], [0.4, 0.6]])).to_json()
    assert json.loads(json.dumps(result)) == result
    assert [bin["count"] for bin in result["reliability"]] == [1, 1]
    assert_allclose(result["ece"], 0.3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 3)), r"shape \(2, 2\), .* got \(2, 3\)"),
        (np.log([[0.5, 0.5], [0.5, 0.4]]), "document 1 .* sum 1"),
        ([[0.0, -np.inf], [np.nan, 0.0]], "document 1"),
    ],
)
def test_what_is_no_log_probability_is_refused(given, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure("ab", "ab", "ab", log_probabilities=given)


def test_decisions_are_paid_by_the_costs_of_the_rule() -> None:
    rule = DecisionRule(cost_table(2, {(0, 1): 10.0}, unsure=0.5), protected=0, threshold=0.0)
    truth, named = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, UNSURE, 0, 0, 1])
    posterior = np.log(np.full((6, 2), 0.5))
    result = measure_decisions(truth, named, rule, posterior)
    paid = [0, 10, 0.5, 0, 1, 0]
    assert_allclose(result.average_cost, np.mean(paid))
    assert_allclose(result.cost_error, np.std(paid) / np.sqrt(6))
    assert_allclose(result.expected_cost, np.mean([0.5, 5, 0.5, 0.5, 0.5, 5]))
    assert result.unsure == 1 / 6
    assert result.false_positive_rate == 1 / 4
    assert result.false_positive_interval[0] < 1 / 4 < result.false_positive_interval[1]
    assert json.loads(json.dumps(result.to_json())) == result.to_json()


def test_without_a_protected_class_there_are_no_false_positives_to_report() -> None:
    result = measure_decisions(np.array([0, 1]), np.array([1, 1]), DecisionRule(cost_table(2)))
    assert (result.average_cost, result.false_positive_rate, result.expected_cost) == (0.5, None, None)


def test_decisions_that_cannot_be_paid_are_refused() -> None:
    rule = DecisionRule(cost_table(2))
    with pytest.raises(ValueError, match="no cost for that"):
        measure_decisions(np.array([0]), np.array([UNSURE]), rule)
    with pytest.raises(ValueError, match="nothing to evaluate"):
        measure_decisions(np.zeros(0, dtype=int), np.zeros(0, dtype=int), rule)


def test_probabilities_that_are_honest_promise_the_cost_that_is_paid() -> None:
    given, drawn = probabilities_of(20_000, 3)
    rule = DecisionRule(cost_table(3, {(0, 1): 7.0, (2, 1): 3.0}, unsure=0.4))
    result = measure_decisions(drawn, rule.decide(given), rule, given)
    assert 0.05 < result.unsure < 0.95
    assert abs(result.average_cost - result.expected_cost) < 3 * result.cost_error


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (0, 10), (7, 10), (10, 10), (985, 1000), (54_321, 99_999)])
def test_the_interval_of_an_accuracy_is_wilsons(right: int, n: int) -> None:
    expected = scipy.stats.binomtest(right, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert_allclose(wilson_interval(right / n, n), [expected.low, expected.high], rtol=1e-12, atol=1e-15)


def test_the_interval_by_hand() -> None:
    """p = 0.5, n = 4, z = 1.96: 0.5 ± 1.96 √(1/16 + 1.96²/64) / (1 + 1.96²/4) = 0.5 ± 0.35."""
    assert_allclose(wilson_interval(0.5, 4), [0.15, 0.85], atol=5e-5)


def test_outcomes_are_shares_of_each_class() -> None:
    outcomes = Outcomes.of(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, UNSURE, 0, 0, 1]), ["ham", "spam", "eggs"])
    assert outcomes.confusion_matrix.tolist() == [[2, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert (outcomes.n, outcomes.accuracy, outcomes.wrong, outcomes.unsure) == (6, 0.5, 2 / 6, 1 / 6)
    ham, spam, eggs = outcomes.per_class
    assert ham == {"class": "ham", "caught": 0.5, "lost": 0.25, "unsure": 0.25, "support": 4}
    assert spam == {"class": "spam", "caught": 0.5, "lost": 0.5, "unsure": 0.0, "support": 2}
    assert eggs == {"class": "eggs", "caught": 0.0, "lost": 0.0, "unsure": 0.0, "support": 0}
    assert most_confused(outcomes.confusion_matrix, outcomes.classes) == [("ham", "spam", 1), ("spam", "ham", 1)]


def test_importing_reports_needs_neither_scikit_learn_nor_scipy_nor_matplotlib() -> None:
    program = (
        "import sys, textnb.report.tables, textnb.workflow.metrics; "
        "print({'sklearn', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"
    )
