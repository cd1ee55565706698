import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics
from sklearn.exceptions import UndefinedMetricWarning

from textnb.report.metrics import evaluate, most_confused, most_confused_classes

CLASSES = ["a", "b", "c", "d"]
pairs_of_labels = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=40)
scored_documents = st.lists(
    st.tuples(st.sampled_from(["ham", "spam"]), st.sampled_from([-1e9, -0.5, 0.0, 0.25, 0.5, 1e-12, 3.0])), min_size=1
)


@given(pairs_of_labels)
def test_every_number_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    labels, predicted = map(list, zip(*pairs, strict=True))
    result = evaluate(labels, predicted, CLASSES)
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
    auc = evaluate(labels, labels, ["ham", "spam"], scores).auc
    if len(set(labels)) < 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            assert np.isnan(sklearn_metrics.roc_auc_score(np.equal(labels, "spam"), scores))
        assert auc is None
    else:
        assert_allclose(auc, sklearn_metrics.roc_auc_score(np.equal(labels, "spam"), scores), rtol=1e-12, atol=1e-15)


def test_area_under_curve_of_a_small_example() -> None:
    """Of the four pairs (spam, ham), two are in order, one is tied and one is the wrong way round."""
    labels = ["spam", "spam", "ham", "ham"]
    assert evaluate(labels, labels, ["ham", "spam"], [0.9, 0.4, 0.4, 0.8]).auc == 2.5 / 4


def test_probabilities_and_joint_log_likelihoods_rank_alike() -> None:
    random = np.random.default_rng(0)
    joint = random.normal(-2000, 20, size=(200, 2))  # a document's length shifts both, so neither ranks alone
    second = 1 / (1 + np.exp(joint[:, 0] - joint[:, 1]))
    labels = np.where(joint[:, 1] - joint[:, 0] + random.normal(0, 20, 200) > 0, "spam", "ham")
    auc = evaluate(labels, labels, ["ham", "spam"], joint).auc
    assert auc == evaluate(labels, labels, ["ham", "spam"], np.column_stack([1 - second, second])).auc
    assert_allclose(auc, sklearn_metrics.roc_auc_score(labels == "spam", joint[:, 1] - joint[:, 0]), rtol=1e-14)


def test_tiny_probabilities_keep_their_order() -> None:
    labels = ["ham", "spam"]
    assert evaluate(labels, labels, labels, [[1.0, 1e-300], [1.0, 1e-200]]).auc == 1.0


def test_impossible_classes_rank_last_and_undecidable_documents_are_refused() -> None:
    labels = ["ham", "spam"]
    assert evaluate(labels, labels, labels, [[-5.0, -np.inf], [-np.inf, -5.0]]).auc == 1.0
    with pytest.raises(ValueError, match=r"document 1 no order \(NaN\); give probabilities"):
        evaluate(labels, labels, labels, [[-5.0, -4.0], [-np.inf, -np.inf]])


def test_area_under_curve_is_only_for_two_classes() -> None:
    assert evaluate(["a", "b"], ["a", "b"], ["a", "b", "c"], [0.1, 0.9]).auc is None
    assert evaluate(["a", "b"], ["a", "b"], ["a", "b"]).auc is None
    assert (
        evaluate(["a", "b"], ["a", "a"], ["a"], [[1.0], [1.0]]).auc is None
    )  # a model of one class, another in the test


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"scores must be of shape \(2,\) or \(2, 2\), .* got \(3,\)"):
        evaluate(["a", "b"], ["a", "b"], ["a", "b"], [0.1, 0.2, 0.3])


def test_a_class_the_model_never_saw_counts_as_errors_in_its_own_row() -> None:
    result = evaluate(["ham", "eggs", "spam"], ["ham", "ham", "spam"], ["ham", "spam"], scores=[0.1, 0.2, 0.9])
    assert result.classes == ["eggs", "ham", "spam"]
    assert result.confusion_matrix.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert result.accuracy == 2 / 3
    assert result.per_class[0] == {"class": "eggs", "precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1}
    assert result.auc is None


def test_the_given_order_of_classes_is_kept() -> None:
    result = evaluate(["a", "b"], ["a", "a"], ["b", "a"])
    assert result.classes == ["b", "a"]
    assert result.confusion_matrix.tolist() == [[0, 1], [0, 1]]


def test_labels_that_differ_only_by_a_trailing_nul_stay_apart() -> None:
    assert evaluate(["a", "a\0"], ["a", "a"], ["a", "a\0"]).accuracy == 0.5


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
        evaluate(labels, predicted, ["a", "b"])


@pytest.mark.parametrize("classes", [np.array(["ham", "spam"]), np.array(["ham", "spam"], dtype=object), np.arange(2)])
def test_json_holds_plain_types_only(classes: np.ndarray) -> None:
    result = evaluate(classes, classes[::-1], classes, scores=[0.5, 0.5]).to_json()
    assert json.loads(json.dumps(result)) == result
    assert result["confusion_matrix"] == [[0, 1], [1, 0]]
    assert result["classes"] == classes.tolist()
    assert list(result) == ["classes", "n", "accuracy", "macro_f1", "auc", "per_class", "confusion_matrix"]


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


def test_importing_reports_needs_neither_scikit_learn_nor_scipy_nor_matplotlib() -> None:
    program = "import sys, textnb.report; print({'sklearn', 'scipy', 'matplotlib'} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"
    )
