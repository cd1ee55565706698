"""Calibration recovers what made the labels, and does no harm where there is nothing to learn."""

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedKFold

from textnb import CountVectorizer, MultinomialNB
from textnb.model.calibration import Calibration
from textnb.model.decision import log_posterior
from textnb.selection import calibration as fitting
from textnb.selection.calibration import FEWEST_DOCUMENTS, fit_calibration

pytestmark = pytest.mark.filterwarnings("error")


def made(n, n_classes, calibration, seed=0):
    """Scores, true classes and lengths of documents whose posterior is that of the calibration."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 1000, n)
    spread = calibration.temperature * lengths**calibration.length_exponent
    joint = -1000 - 20 * rng.random((n, 1)) + 2 * rng.normal(size=(n, n_classes)) * spread[:, np.newaxis]
    posterior = np.exp(log_posterior(calibration.apply(joint, lengths), np.zeros(n_classes)))
    class_ids = (rng.random((n, 1)) > posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return joint, class_ids, lengths


def log_loss(calibration, joint, class_ids, lengths):
    n_classes = joint.shape[1]
    posterior = log_posterior(calibration.apply(joint, lengths), np.full(n_classes, -np.log(n_classes)))
    return -posterior[np.arange(len(class_ids)), class_ids].mean()


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("temperature", [0.05, 1.0, 40.0])
def test_a_temperature_is_found_again(n_classes, temperature):
    joint, class_ids, lengths = made(20_000, n_classes, Calibration(temperature))
    found = fit_calibration(joint, class_ids, lengths)
    assert found.temperature == pytest.approx(temperature, rel=0.05)
    assert found.length_exponent == 0
    assert found.offsets == ()


def test_a_length_exponent_is_found_again():
    joint, class_ids, lengths = made(20_000, 3, Calibration(0.3, 0.8))
    found = fit_calibration(joint, class_ids, lengths)
    assert found.length_exponent == pytest.approx(0.8, abs=0.03)
    assert found.temperature == pytest.approx(0.3, rel=0.15)


def test_offsets_are_found_again_where_they_may_be():
    joint, class_ids, lengths = made(20_000, 3, Calibration(2.0, 0.5, (1.0, 0.0, -1.0)))
    assert fit_calibration(joint, class_ids, lengths, offsets=False).offsets == ()
    found = fit_calibration(joint, class_ids, lengths, keep_label=False)
    assert (found.slopes, found.keeps_label) == (None, False)
    np.testing.assert_allclose(found.offsets, [1.0, 0.0, -1.0], atol=0.1)
    assert found.length_exponent == pytest.approx(0.5, abs=0.03)


def test_slopes_are_found_again():
    made_by = Calibration(2.0, 0.5, (-3.0, 0.0, 3.0), (0.8, 0.0, -0.8), keeps_label=False)
    joint, class_ids, lengths = made(20_000, 3, made_by)
    found = fit_calibration(joint, class_ids, lengths, keep_label=False)
    np.testing.assert_allclose(found.slopes, made_by.slopes, atol=0.06)
    np.testing.assert_allclose(found.offsets, made_by.offsets, atol=0.35)
    assert log_loss(found, joint, class_ids, lengths) < log_loss(made_by, joint, class_ids, lengths) + 1e-4


def test_offsets_under_which_the_label_stays_are_better_than_none():
    joint, class_ids, lengths = made(5000, 4, Calibration(2.0, 0.5, (1.5, 0.5, -0.5, -1.5)))
    half = np.arange(5000) % 2 == 0
    known, later = (joint[half], class_ids[half], lengths[half]), (joint[~half], class_ids[~half], lengths[~half])
    none, kept, moved = (
        fit_calibration(*known, **how) for how in ({"offsets": False}, {}, {"offsets": True, "keep_label": False})
    )
    assert kept.keeps_label
    losses = [log_loss(one, *later) for one in (none, kept, moved)]
    assert losses == sorted(losses, reverse=True)
    assert losses[1] < losses[0] - 0.1
    np.testing.assert_array_equal(kept.apply(*later[::2]).argmax(axis=1), later[0].argmax(axis=1))
    assert (moved.apply(*later[::2]).argmax(axis=1) != later[0].argmax(axis=1)).mean() > 0.05


def test_the_order_of_the_documents_does_not_matter():
    joint, class_ids, lengths = made(3000, 4, Calibration(2.0, 0.5, (-2.0, 0.0, 0.0, 2.0), (0.8, 0.0, 0.0, -0.8)))
    expected = fit_calibration(joint, class_ids, lengths)
    assert expected.slopes is not None
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(3000)
        assert fit_calibration(joint[order], class_ids[order], lengths[order]) == expected


def test_of_very_many_documents_some_are_enough(monkeypatch):
    joint, class_ids, lengths = made(20_000, 3, Calibration(2.0, 0.5, (1.0, 0.0, -1.0)))
    whole = fit_calibration(joint, class_ids, lengths)
    monkeypatch.setattr(fitting, "_MOST_DOCUMENTS", 5000)
    some = fit_calibration(joint, class_ids, lengths)
    assert some != whole
    assert some.mix == whole.mix
    assert log_loss(some, joint, class_ids, lengths) < log_loss(whole, joint, class_ids, lengths) + 0.001


def test_of_very_many_classes_none_has_an_offset(monkeypatch):
    joint, class_ids, lengths = made(2000, 4, Calibration(2.0, 0.0, (2.0, 0.0, 0.0, -2.0)))
    assert fit_calibration(joint, class_ids, lengths).offsets
    monkeypatch.setattr(fitting, "MOST_CLASSES", 3)
    assert fit_calibration(joint, class_ids, lengths).offsets == ()


def test_parameters_that_explain_nothing_are_left_out():
    joint, class_ids, lengths = made(2000, 4, Calibration(3.0))
    found = fit_calibration(joint, class_ids, lengths, offsets=True)
    assert (found.length_exponent, found.offsets) == (0.0, ())


@pytest.mark.parametrize("start", [-3.0, 0.0, 3.0])
def test_no_other_parameters_have_a_lower_log_loss(start):
    """Against scipy's simplex search; the doubt about the labels and the end of the search are worth 0.0001 nats."""
    joint, class_ids, lengths = made(3000, 4, Calibration(0.3, 0.8))

    def loss(parameters):
        return log_loss(Calibration(np.exp(parameters[0]), parameters[1]), joint, class_ids, lengths)

    rival = minimize(loss, [start, 0.5], method="Nelder-Mead")
    assert log_loss(fit_calibration(joint, class_ids, lengths), joint, class_ids, lengths) < rival.fun + 1e-4


def test_what_is_the_same_for_all_classes_does_not_matter():
    joint, class_ids, lengths = made(500, 3, Calibration(2.0, 0.5))
    moved = joint + np.arange(500)[:, np.newaxis]
    one, other = (fit_calibration(scores, class_ids, lengths, offsets=True) for scores in (joint, moved))
    assert one.temperature == pytest.approx(other.temperature, rel=1e-6)
    assert one == fit_calibration(joint, class_ids, lengths, offsets=True)


def test_without_lengths_there_is_only_a_temperature():
    joint, class_ids, _ = made(5000, 3, Calibration(2.0, 0.5))
    assert fit_calibration(joint, class_ids).length_exponent == 0


def test_too_few_documents_or_one_class_leave_scores_as_they_are():
    joint, class_ids, lengths = made(50, 3, Calibration(7.0))
    few = FEWEST_DOCUMENTS - 1
    assert fit_calibration(joint[:few], class_ids[:few], lengths[:few], offsets=True) == Calibration()
    assert fit_calibration(joint, np.zeros(50, dtype=int), lengths, offsets=True) == Calibration()
    assert fit_calibration(joint[:0], class_ids[:0], lengths[:0]) == Calibration()
    assert fit_calibration(joint[:, :1], np.zeros(50, dtype=int), lengths) == Calibration()


def test_documents_impossible_in_their_class_or_empty_are_passed_over():
    joint, class_ids, lengths = made(1000, 3, Calibration(2.0))
    expected = fit_calibration(joint, class_ids, lengths)
    odd = np.array([[-np.inf, -1.0, -2.0], [-np.inf] * 3, [-1.0, -2.0, -3.0]])
    found = fit_calibration(
        np.concatenate([joint, odd]), np.append(class_ids, [0, 1, 2]), np.append(lengths, [5, 5, 0])
    )
    assert found == expected


def test_classes_that_are_impossible_take_no_part():
    joint, class_ids, lengths = made(2000, 2, Calibration(2.0, 0.5))
    wider = np.column_stack([joint, np.full(2000, -np.inf)])
    one, other = fit_calibration(joint, class_ids, lengths), fit_calibration(wider, class_ids, lengths)
    assert one.temperature == pytest.approx(other.temperature, rel=1e-9)
    assert one.length_exponent == pytest.approx(other.length_exponent, rel=1e-9)
    assert fit_calibration(wider, class_ids, lengths, offsets=True).length_exponent > 0


def test_a_model_without_an_error_is_sure_but_not_certain():
    """Of 200 documents all were right: of the next, about one in 200 may be wrong."""
    rng = np.random.default_rng(0)
    class_ids = rng.integers(0, 2, 200)
    joint = np.zeros((200, 2))
    joint[np.arange(200), class_ids] = 30.0
    posterior = np.exp(log_posterior(fit_calibration(joint, class_ids).apply(joint), np.zeros(2)))
    assert posterior.min() == pytest.approx(1 / 404, rel=0.2)


@pytest.mark.parametrize("joint", [np.zeros((40, 3)), np.full((40, 3), 1e300) * [1, -1, 0.5]])
def test_scores_that_tell_nothing_or_everything_do_no_harm(joint):
    class_ids = np.arange(40) % 3
    found = fit_calibration(joint, class_ids, np.arange(1, 41), offsets=True)
    posterior = log_posterior(found.apply(joint, np.arange(1, 41)), np.zeros(3))
    assert not np.isnan(posterior).any()


@pytest.mark.parametrize("offsets", [False, True])
def test_scores_that_mislead_keep_the_label(offsets):
    class_ids = np.arange(60) % 3
    joint = np.random.default_rng(0).normal(size=(60, 3))
    joint[np.arange(60), class_ids] -= 3.0  # the true class is seldom the best: no temperature is high enough
    found = fit_calibration(joint, class_ids, offsets=offsets)
    posterior = log_posterior(found.apply(joint), np.zeros(3))
    assert np.array_equal(posterior.argmax(axis=1), joint.argmax(axis=1))


def test_held_out_messages_have_better_probabilities():
    corpus = corpus_or_skip("sms-spam")
    counts = CountVectorizer().fit_transform(corpus.texts)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    class_ids = (corpus.labels == "spam").astype(int)
    joint = np.empty((len(class_ids), 2))
    for train, test in StratifiedKFold(5).split(joint, class_ids):
        joint[test] = MultinomialNB().fit(counts[train], class_ids[train]).predict_joint_log_proba(counts[test])
    known, later = np.arange(len(class_ids)) % 2 == 0, np.arange(len(class_ids)) % 2 == 1
    found = fit_calibration(joint[known], class_ids[known], lengths[known])
    assert found.length_exponent > 0.5
    held_out = joint[later], class_ids[later], lengths[later]
    assert log_loss(found, *held_out) < 0.6 * log_loss(Calibration(), *held_out)
    assert log_loss(found, *held_out) < 0.8 * log_loss(fit_calibration(joint[known], class_ids[known]), *held_out)
