"""From joint log-likelihoods to posteriors, labels and decisions, at the edges of floating point too."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from textnb.model.calibration import Calibration
from textnb.model.decision import (
    UNSURE,
    DecisionRule,
    log_odds_against,
    log_posterior,
    most_probable,
    resolve_impossible,
)
from textnb.model.plain import cost_table, spam_among
from textnb.model.records import from_json, to_json
from textnb.workflow.prediction import positive_class

pytestmark = pytest.mark.filterwarnings("error")

scores = st.floats(-1e308, 1e308) | st.floats(-100, 0) | st.just(-np.inf)
joints = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=scores)


def uniform(joint):
    return np.full(joint.shape[1], -np.log(joint.shape[1]))


@given(joints)
def test_posteriors_sum_to_one_whatever_the_scores(joint):
    posterior = np.exp(log_posterior(joint, uniform(joint)))
    assert not np.isnan(posterior).any()
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-14)


@given(joints)
def test_the_most_probable_class_has_the_largest_posterior(joint):
    found = log_posterior(joint, uniform(joint))
    chosen = most_probable(joint, uniform(joint))
    np.testing.assert_array_equal(found[np.arange(len(found)), chosen], found.max(axis=1))


def test_bayes_rule():
    joint = np.log([[0.1, 0.3], [0.02, 0.06]])
    np.testing.assert_allclose(np.exp(log_posterior(joint, np.log([0.5, 0.5]))), [[0.25, 0.75]] * 2, rtol=1e-14)


def test_a_posterior_does_not_change_when_all_classes_lose_the_same():
    far = np.array([[-1e6, -1e6 - 1, -1e6 - 2]])
    near = np.array([[0.0, -1.0, -2.0]])
    np.testing.assert_array_equal(log_posterior(far, np.zeros(3)), log_posterior(near, np.zeros(3)))


def test_where_no_class_is_possible_the_posterior_is_the_prior():
    joint = np.array([[-np.inf, -np.inf], [-np.inf, -5.0]])
    prior = np.log([0.8, 0.2])
    np.testing.assert_allclose(np.exp(log_posterior(joint, prior)), [[0.8, 0.2], [0, 1]], rtol=1e-15)
    assert most_probable(joint, prior).tolist() == [0, 1]


def test_a_prior_with_zeros_that_sums_to_something_else_is_normalised():
    prior = np.array([-np.inf, np.log(2.0), np.log(6.0)])
    posterior = np.exp(log_posterior(np.full((1, 3), -np.inf), prior))
    np.testing.assert_allclose(posterior, [[0, 0.25, 0.75]], rtol=1e-15)
    assert most_probable(np.full((1, 3), -np.inf), prior).tolist() == [2]


def test_of_equals_the_first_is_chosen():
    assert most_probable(np.zeros((1, 3)), uniform(np.zeros((1, 3)))).tolist() == [0]


@pytest.mark.parametrize("value", [1e308, -1e308])
def test_differences_beyond_floating_point_decide_for_certain(value):
    joint = np.array([[value, -value]])
    expected = [[1.0, 0.0]] if value > 0 else [[0.0, 1.0]]
    assert np.exp(log_posterior(joint, uniform(joint))).tolist() == expected


def test_possible_rows_are_passed_on_as_they_are():
    joint = np.array([[0.0, -np.inf]])
    assert resolve_impossible(joint, np.zeros(2)) is joint


# Scores on a grid: differences smaller than the smallest number that a temperature leaves are no differences.
graded = st.integers(-(10**9), 10**9).map(lambda number: number / 1024) | st.just(-np.inf)
graded_joints = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=graded)
calibrations = st.builds(Calibration, st.floats(1e-3, 1e3), st.floats(-2, 2))


@given(graded_joints, calibrations, st.data())
def test_calibration_never_changes_the_most_probable_class(joint, calibration, data):
    lengths = data.draw(arrays(np.int64, len(joint), elements=st.integers(0, 10**6)))
    calibrated = calibration.apply(joint, lengths)
    prior = uniform(joint)
    np.testing.assert_array_equal(most_probable(calibrated, prior), most_probable(joint, prior))
    posterior = log_posterior(calibrated, prior)
    assert not np.isnan(posterior).any()
    chosen = most_probable(joint, prior)
    np.testing.assert_array_equal(posterior[np.arange(len(joint)), chosen], posterior.max(axis=1))


@given(joints)
def test_no_calibration_leaves_posteriors_as_they_are(joint):
    prior = uniform(joint)
    np.testing.assert_array_equal(log_posterior(Calibration().apply(joint), prior), log_posterior(joint, prior))


def test_calibration_divides_log_odds_by_temperature_and_power_of_length():
    joint = np.array([[-100.0, -112.0], [-100.0, -112.0]])
    calibrated = Calibration(temperature=2.0, length_exponent=0.5).apply(joint, np.array([1, 9]))
    posterior = log_posterior(calibrated, np.log([0.5, 0.5]))
    np.testing.assert_allclose(posterior[:, 0] - posterior[:, 1], [6.0, 2.0], rtol=1e-14)


def test_offsets_move_the_borders_between_classes():
    calibrated = Calibration(temperature=2.0, offsets=(0.0, 3.0)).apply(np.array([[-10.0, -12.0], [-10.0, -20.0]]))
    posterior = log_posterior(calibrated, np.log([0.5, 0.5]))
    np.testing.assert_allclose(posterior[:, 1] - posterior[:, 0], [2.0, -2.0], rtol=1e-14)


def test_a_document_without_a_known_word_keeps_the_prior():
    prior = np.log([0.9, 0.1])
    calibrated = Calibration(5.0, 0.5, (1.0, -1.0)).apply(np.stack([prior, prior]), np.array([0, 4]))
    posterior = np.exp(log_posterior(calibrated, prior))
    np.testing.assert_allclose(posterior[0], [0.9, 0.1], rtol=1e-14)
    assert posterior[1, 0] != posterior[0, 0]


def test_impossible_classes_stay_impossible_and_impossible_documents_get_the_prior():
    joint = np.array([[-np.inf, -5.0, -9.0], [-np.inf, -np.inf, -np.inf]])
    prior = np.log([0.5, 0.3, 0.2])
    posterior = np.exp(log_posterior(Calibration(4.0, 0.0, (9.0, 0.0, 0.0)).apply(joint), prior))
    np.testing.assert_allclose(posterior, [[0, np.e / (1 + np.e), 1 / (1 + np.e)], [0.5, 0.3, 0.2]], rtol=1e-14)


def test_a_calibration_says_what_it_misses():
    with pytest.raises(ValueError, match="pass lengths"):
        Calibration(1.0, 0.5).apply(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="calibrated for 3 classes, got scores of 2"):
        Calibration(offsets=(0.0, 0.0, 0.0)).apply(np.zeros((1, 2)))


def test_calibrating_nothing_gives_nothing():
    assert Calibration(2.0, 0.5, (0.0, 1.0)).apply(np.zeros((0, 2)), np.zeros(0)).shape == (0, 2)


def test_a_plain_rule_names_the_most_probable_class():
    rng = np.random.default_rng(0)
    posterior = log_posterior(rng.normal(0, 3, (500, 4)), np.zeros(4))
    np.testing.assert_array_equal(DecisionRule(cost_table(4)).decide(posterior), posterior.argmax(axis=1))


@given(arrays(np.float64, (3, 4), elements=st.floats(0, 100)), st.integers(0, 2**32))
def test_no_other_option_has_a_lower_expected_cost(costs, seed):
    posterior = log_posterior(np.random.default_rng(seed).normal(0, 3, (20, 3)), np.zeros(3))
    rule = DecisionRule(tuple(map(tuple, costs.tolist())))
    chosen = np.where((decided := rule.decide(posterior)) == UNSURE, 3, decided)
    for row, option in zip(np.exp(posterior), chosen, strict=True):
        expected = [sum(p * c for p, c in zip(row, column, strict=True)) for column in costs.T]
        np.testing.assert_allclose(expected[option], min(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_classes", [5, 7, 20])
def test_a_decision_does_not_depend_on_the_rows_beside_it(n_classes):
    """A product of matrices rounds by their shapes: of equals it chose one in a block of rows, and another alone."""
    joint = np.random.default_rng(0).integers(-2, 1, (400, n_classes)) * 1.5  # many ties
    posterior, rule = log_posterior(joint, np.zeros(n_classes)), DecisionRule(cost_table(n_classes))
    assert rule.decide(posterior).tolist() == [int(rule.decide(posterior[i : i + 1])[0]) for i in range(400)]


def test_a_dear_error_needs_better_odds():
    """Losing ham costs 9 times what letting spam through does: it takes more than 0.9 to call it spam."""
    rule = DecisionRule(cost_table(2, {(0, 1): 9.0}))
    assert rule.decide(np.log([[0.11, 0.89], [0.09, 0.91]])).tolist() == [0, 1]


def test_unsure_is_chosen_where_no_class_is_probable_enough():
    """At a price of 0.3 against 1 for an error, a class is named above 0.7 (Chow 1970)."""
    rule = DecisionRule(cost_table(3, unsure=0.3))
    assert rule.decide(np.log([[0.71, 0.2, 0.09], [0.69, 0.2, 0.11], [0.1, 0.1, 0.8]])).tolist() == [0, UNSURE, 2]


def test_a_protected_class_is_left_only_above_the_threshold():
    rule = DecisionRule(cost_table(3), protected=0, threshold=np.log(4))
    posterior = np.log([[0.3, 0.7, 1e-300], [0.19, 0.41, 0.4], [0.21, 0.78, 0.01], [0.9, 0.05, 0.05]])
    assert rule.decide(posterior).tolist() == [0, 1, 0, 0]


def test_below_the_threshold_unsure_is_still_possible():
    rule = DecisionRule(cost_table(2, unsure=0.3), protected=0, threshold=np.log(99))
    assert rule.decide(np.log([[0.2, 0.8], [0.9, 0.1], [0.001, 0.999]])).tolist() == [UNSURE, 0, 1]


def test_log_odds_are_exact_where_probabilities_are_not():
    posterior = np.array([[0.0, -800.0, -801.0], [-900.0, 0.0, -5000.0]])
    expected = [-800 + np.log1p(np.exp(-1)), 900.0]
    np.testing.assert_allclose(log_odds_against(posterior, 0), expected, rtol=1e-14)


def test_certain_classes_have_infinite_odds():
    with np.errstate(divide="ignore"):
        posterior = np.log([[1.0, 0.0], [0.0, 1.0]])
    assert log_odds_against(posterior, 0).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("stored", [Calibration(0.5, 0.25, (1.5, -1.5)), Calibration()])
def test_settings_survive_json(stored):
    assert from_json(Calibration, json.loads(json.dumps(to_json(stored)))) == stored


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperature": 0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"temperature": "1"}, "temperature"),
        ({"temperature": 10**400}, "temperature"),
        ({"length_exponent": float("inf")}, "length_exponent"),
        ({"length_exponent": None}, "length_exponent"),
        ({"offsets": [1.0, None]}, "offsets"),
        ({"offsets": "ab"}, "offsets"),
        ({"more": 1}, "nothing else"),
    ],
)
def test_a_calibration_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        from_json(Calibration, to_json(Calibration()) | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"costs": [[0, 1], [1]]}, "square"),
        ({"costs": [[0, 1, 2, 3], [1, 0, 2, 3]]}, "square"),
        ({"costs": [[0, 1], [float("inf"), 0]]}, "costs"),
        ({"costs": [[0, "1"], [1, 0]]}, "costs"),
        ({"protected": 2, "threshold": 0.0}, "protected"),
        ({"protected": True, "threshold": 0.0}, "protected"),
        ({"protected": 0}, "threshold"),
        ({"threshold": 1.0}, "protect"),
        ({"protected": 0, "threshold": float("nan")}, "threshold"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        DecisionRule(**vars(DecisionRule(cost_table(2))) | change)


@pytest.mark.parametrize("settings", [None, [], {}, 1])
def test_settings_of_another_kind_are_refused(settings):
    with pytest.raises(ValueError, match="Calibration must have"):
        from_json(Calibration, settings)


def test_a_rule_for_other_classes_is_refused():
    with pytest.raises(ValueError, match="costs are given for 3 classes, got 2"):
        DecisionRule(cost_table(3)).decide(np.log([[0.5, 0.5]]))


@pytest.mark.parametrize(
    ("classes", "position"),
    [
        (["ham", "spam"], 1),
        (["SPAM", "ok"], 0),
        (["ham", "spam", "unsure"], 1),
        (["Spam", "spam"], 1),
        (["Spam", "SPAM"], None),
        (["ham", "junk"], None),
        ([0, 1], None),
    ],
)
def test_spam_is_what_is_called_so(classes, position):
    assert spam_among(classes) == position
    assert positive_class(classes) == position
