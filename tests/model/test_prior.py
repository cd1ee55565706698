"""Another mix of classes than a model was trained on: Bayes' rule, by hand and in every reader of models."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import MixedNB, TextClassifier, load
from textnb.model import plain
from textnb.model.calibration import Calibration
from textnb.model.decision import DecisionRule, for_prior
from textnb.model.file import predictor_of
from textnb.model.prior import log_ratios, shares_of
from textnb.model.scorer import compiled_kernel, open_scorer
from textnb.storage import open_model

TEXTS = ["cheap pills", "win a prize", "cheap lunch", "lunch at noon", "the minutes", "a prize at noon", "cheap pills"]
LABELS = ["spam", "spam", "ham", "ham", "ham", "ham", "spam"]
QUESTIONS = ["cheap lunch", "the prize", "cheap cheap pills", "noon", "", "unheard"]
NEW = {"spam": 0.1, "ham": 0.9}


def fitted(model="multinomial", weights="counts", **options):
    return TextClassifier(model, weights, alpha=1.0, **{"calibrate": False, **options}).fit(TEXTS, LABELS)


# Bayes' rule


def test_by_hand():
    """P(spam | x) = 0.6 where half are spam; where one in ten is, 0.6 · 0.2 : 0.4 · 1.8, that is 1 : 6."""
    ratios = log_ratios([0.9, 0.1], [0.5, 0.5], ["ham", "spam"])
    found = np.exp(for_prior(np.log([[0.4, 0.6]]), ratios, [0.9, 0.1]))
    np.testing.assert_allclose(found, [[6 / 7, 1 / 7]], rtol=1e-14)


def test_a_model_of_counts_is_the_one_that_was_given_this_prior():
    with_its_own = fitted(class_prior=[0.9, 0.1])
    np.testing.assert_allclose(
        fitted().predict_proba(QUESTIONS, prior=NEW), with_its_own.predict_proba(QUESTIONS), rtol=1e-12
    )
    np.testing.assert_array_equal(fitted().predict(QUESTIONS, prior=NEW), with_its_own.predict(QUESTIONS))


def test_a_given_prior_is_what_is_corrected():
    """Priors that were given need not add up to 1."""
    given_one = fitted(class_prior=[3.0, 1.0])
    np.testing.assert_allclose(
        given_one.predict_proba(QUESTIONS, prior=NEW), fitted().predict_proba(QUESTIONS, prior=NEW), rtol=1e-12
    )


def test_scores_without_a_prior_assume_equal_shares():
    plain_ones = fitted("complement")
    odds = np.diff(plain_ones.predict_log_proba(QUESTIONS))
    moved = np.diff(plain_ones.predict_log_proba(QUESTIONS, prior=NEW))
    np.testing.assert_allclose(moved, odds + np.log(0.1 / 0.9), rtol=1e-12)


def test_calibrated_probabilities_assume_the_mix_that_they_were_calibrated_on():
    model = fitted()
    model.calibration_ = Calibration(3.0, 0.5, mix=(0.25, 0.75))
    expected = model.predict_proba(QUESTIONS) * [0.9 / 0.25, 0.1 / 0.75]
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(QUESTIONS, prior=NEW), expected, rtol=1e-12)
    model.calibration_ = Calibration(3.0, 0.5)  # of an older file
    assert model.predictor_.assumed_shares() == pytest.approx([4 / 7, 3 / 7])


def test_a_fit_says_which_mix_it_calibrated_on():
    model = TextClassifier("complement", alpha=1.0).fit(TEXTS * 3, LABELS * 3)
    assert model.calibration_.mix == pytest.approx((4 / 7, 3 / 7))


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement", "robinson"])
@pytest.mark.parametrize("calibrate", [True, False])
def test_the_mix_that_is_assumed_changes_nothing(model, calibrate):
    one = TextClassifier(model, alpha=1.0, calibrate=calibrate).fit(TEXTS * 3, LABELS * 3)
    same = dict(zip(one.classes_, one.predictor_.assumed_shares(), strict=True))
    np.testing.assert_allclose(one.predict_proba(QUESTIONS, prior=same), one.predict_proba(QUESTIONS), rtol=1e-12)
    np.testing.assert_array_equal(one.predict(QUESTIONS, prior=same), one.predict(QUESTIONS))


@given(
    st.lists(st.floats(-50, 0), min_size=2, max_size=5),
    st.lists(st.floats(0.01, 1), min_size=5, max_size=5),
    st.lists(st.floats(0, 1), min_size=5, max_size=5),
    st.booleans(),
)
def test_plain_floats_and_arrays_agree_and_add_up_to_one(scores, old, new, impossible):
    n = len(scores)
    if impossible:
        scores[0] = -np.inf
    posterior = plain.log_posterior(scores)
    old = [share / sum(old[:n]) for share in old[:n]]
    if not any(new[:n]):
        new = [1.0] * 5
    new = [share / sum(new[:n]) for share in new[:n]]
    ratios = log_ratios(new, old, range(n))
    found = plain.for_prior(posterior, ratios, new)
    np.testing.assert_allclose(for_prior(np.array([posterior]), ratios, new)[0], found, rtol=1e-12, atol=1e-12)
    assert np.exp(found).sum() == pytest.approx(1)
    again = plain.for_prior(found, log_ratios(old, new, range(n)), old) if all(new) else posterior
    np.testing.assert_allclose(again, posterior, rtol=1e-9, atol=1e-9)


def test_a_reweighted_test_set_has_a_better_log_loss_with_its_prior(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(60)])
    weights = rng.dirichlet(np.full(60, 0.7), size=2)

    def drawn(n_spam, n_ham):
        ids = np.repeat([0, 1], [n_ham, n_spam])
        return [" ".join(rng.choice(words, 6, p=weights[c])) for c in ids], np.array(["ham", "spam"])[ids]

    texts, labels = drawn(600, 600)
    later, truth = drawn(60, 1140)
    for calibrate in (True, False):
        model = TextClassifier("multinomial", "counts", alpha=1.0, calibrate=calibrate).fit(texts, labels)

        def loss(prior, model=model):
            return -model.predict_log_proba(later, prior=prior)[np.arange(len(later)), (truth == "spam") * 1].mean()

        right, wrong = {"spam": 0.05, "ham": 0.95}, {"spam": 0.9, "ham": 0.1}
        assert loss(right) < 0.8 * loss(None) < 0.8 * loss(wrong)
        assert (model.predict(later, prior=right) == truth).mean() > (model.predict(later) == truth).mean()


def test_classes_that_are_not_there_are_never_named():
    texts, labels = [*TEXTS, "agenda", "the agenda"], [*LABELS, "work", "work"]
    model = TextClassifier("multinomial", "counts", alpha=1.0).fit(texts, labels)
    found = model.predict_proba(QUESTIONS, prior={"spam": 0.5, "ham": 0.5, "work": 0})
    assert not found[:, 2].any()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_what_no_class_can_have_said_has_the_new_mix():
    model = TextClassifier("multinomial", "counts", alpha=0.0, calibrate=False).fit(TEXTS, LABELS)
    np.testing.assert_allclose(model.predict_proba(["pills minutes"], prior=NEW), [[0.9, 0.1]])


# What is refused


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"spam": 0.2}, "prior: give the share of every class; 'ham' has none"),
        ({"spam": 0.2, "ham": 0.7, "eggs": 0.1}, "prior: the model has no class 'eggs'; it has 'ham', 'spam'"),
        ({"spam": 20, "ham": 80}, "prior: the shares of the classes must add up to 1, and are 100 together"),
        ({"spam": 0.2, "ham": 0.7}, "must add up to 1, and are 0.9 together"),
        ({"spam": -0.2, "ham": 1.2}, "prior: the share of 'spam' must be a number from 0 to 1, got -0.2"),
        ({"spam": "0.2", "ham": 0.8}, "prior: the share of 'spam' must be a number from 0 to 1, got '0.2'"),
        ({"spam": float("nan"), "ham": 0.8}, "must be a number from 0 to 1, got nan"),
        ({"spam": 0, "ham": 1}, "prior: only one class has a share, so that there is nothing to decide"),
        ([0.2, 0.8], "prior must be a dict of every class to its share, got [0.2, 0.8]"),
    ],
)
def test_no_prior(prior, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fitted().predict_proba(["lunch"], prior=prior)


def test_shares_may_be_rounded_and_classes_named_as_at_the_prompt():
    assert shares_of({"a": 0.333, "b": 0.333, "c": 0.333}, ["a", "b", "c"]) == pytest.approx((1 / 3,) * 3)
    assert shares_of({"1": 0.25, "2": 0.75}, [1, 2]) == (0.25, 0.75)


def test_no_share_makes_an_impossible_class_possible():
    model = fitted(class_prior=[1.0, 0.0])
    with pytest.raises(ValueError, match="takes 'spam' for impossible"):
        model.predict(["lunch"], prior=NEW)


# Decisions


def test_costs_are_expected_in_the_new_mix():
    model = fitted().decide_by({("ham", "spam"): 4.0}, unsure=0.3)
    posterior = model.predict_proba(QUESTIONS, prior=NEW)
    costs = np.column_stack([posterior[:, 1], 4 * posterior[:, 0], np.full(len(posterior), 0.3)])
    expected = [["ham", "spam", None][c] for c in costs.argmin(axis=1)]
    assert model.decide(QUESTIONS, prior=NEW) == expected
    assert model.decide(QUESTIONS) != expected


@pytest.mark.parametrize("prior", [NEW, {"spam": 0.95, "ham": 0.05}])
def test_a_ceiling_is_kept_whatever_the_mix(prior):
    """Which ham is lost is a share of the ham: it does not depend on how much there is of it."""
    model = TextClassifier("multinomial", "counts", alpha=1.0).fit(TEXTS * 4, LABELS * 4)
    model.decide_by(protected="ham", ceiling=0.2)
    odds = np.diff(model.predict_log_proba(QUESTIONS)).ravel()
    decided = np.array(model.decide(QUESTIONS, prior=prior))
    assert (decided[odds <= model.policy_.threshold] == "ham").all()
    moved = np.diff(model.predict_log_proba(QUESTIONS, prior=prior)).ravel()
    np.testing.assert_array_equal(decided == "spam", (odds > model.policy_.threshold) & (moved > 0))


def test_the_threshold_is_on_the_odds_before():
    rule = DecisionRule(((0.0, 1.0), (1.0, 0.0)), 0, 1.0)
    before = np.log([[0.3, 0.7], [0.2, 0.8]])  # log-odds 0.85 and 1.39
    ratios = log_ratios([0.05, 0.95], [0.5, 0.5], "ab")
    after = for_prior(before, ratios, [0.05, 0.95])
    assert rule.decide(after, ratios).tolist() == rule.decide(before).tolist() == [0, 1]
    for row in after:
        found = plain.PlainRule(rule.costs, 0, 1.0).decide(row.tolist(), ratios)
        assert found == rule.decide(row[np.newaxis], ratios)[0]


# Explanations


def test_an_explanation_says_what_the_mix_adds():
    model = fitted()
    before, why = model.explain("cheap lunch"), model.explain("cheap lunch", label="spam", prior=NEW)
    (row,) = [row for row in why.rows if row.term == "prior shift"]
    assert row.kind == "prior"
    assert row.contribution == pytest.approx(np.log(0.1 / (3 / 7)) - np.log(0.9 / (4 / 7)))
    assert why.log_odds == pytest.approx(sum(row.contribution for row in why.rows))
    assert why.log_odds - before.of("spam", "ham").log_odds == pytest.approx(row.contribution)
    assert why.probabilities == pytest.approx(
        dict(zip(model.classes_, model.predict_proba(["cheap lunch"], prior=NEW)[0], strict=True))
    )


def test_what_is_explained_is_what_is_predicted():
    model = TextClassifier("complement", alpha=1.0).fit(TEXTS * 3, LABELS * 3)
    for prior in (None, NEW, {"spam": 0.9, "ham": 0.1}):
        labels = [model.explain(text, prior=prior).label for text in QUESTIONS]
        assert labels == model.predict(QUESTIONS, prior=prior).tolist()


def test_what_flips_the_label_does_so_in_the_new_mix():
    model, prior = fitted(), {"spam": 0.7, "ham": 0.3}
    why = model.explain("cheap pills at noon", prior=prior)
    flip = why.what_would_flip()
    assert why.label == "spam"
    left = " ".join(word for word in ["cheap", "pills", "at", "noon"] if word not in flip.words)
    assert model.predict([left], prior=prior).tolist() == [flip.label] == ["ham"]


# Other readers of models


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("calibrate", [True, False])
def test_files_answer_as_the_classifier(tmp_path, model, calibrate):
    one = TextClassifier(model, alpha=1.0, calibrate=calibrate).fit(TEXTS * 3, LABELS * 3)
    one.decide_by({("ham", "spam"): 3.0}, unsure=0.4).save(tmp_path / "m.tnb")
    predictor = predictor_of(open_model(tmp_path / "m.tnb")).with_prior(NEW)
    readers = [predictor]
    if compiled_kernel() is not None:
        readers.append(open_scorer(tmp_path / "m.tnb").with_prior(NEW))
    for raw in (False, True):
        expected = one.predict_log_proba(QUESTIONS, raw=raw, prior=NEW)
        np.testing.assert_allclose(predictor.log_proba(QUESTIONS, raw=raw), expected, rtol=1e-10)
        for scorer in readers[1:]:
            found = [scorer.log_proba(text, raw=raw) for text in QUESTIONS]
            np.testing.assert_allclose(found, expected, rtol=1e-10)
    for scorer in readers[1:]:
        assert [scorer.decide(text) for text in QUESTIONS] == one.decide(QUESTIONS, prior=NEW)
    assert predictor.decide(QUESTIONS) == one.decide(QUESTIONS, prior=NEW)


def test_a_scorer_stays_as_it_is(tmp_path):
    if compiled_kernel() is None:
        pytest.skip("the kernel was not compiled")
    fitted().save(tmp_path / "m.tnb")
    scorer = open_scorer(tmp_path / "m.tnb")
    before = scorer.log_proba("cheap")
    assert scorer.with_prior(NEW).log_proba("cheap") != before == scorer.log_proba("cheap")
    with pytest.raises(ValueError, match="give the share of every class"):
        scorer.with_prior({"ham": 1})


def test_what_is_saved_is_the_model_as_it_is(tmp_path):
    model = fitted()
    model.with_prior(NEW).save(tmp_path / "m.tnb")
    np.testing.assert_array_equal(load(tmp_path / "m.tnb").predict_proba(QUESTIONS), model.predict_proba(QUESTIONS))


def test_a_mixed_model_takes_it_as_its_prior():
    X = [["cheap pills", 9.0], ["lunch at noon?", 0.0], ["cheap flights", 4.0], ["the minutes", 1.0], ["noon", 2.0]]
    y = ["spam", "ham", "spam", "ham", "ham"]
    model = MixedNB().fit(X, y)
    expected = MixedNB(priors=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(model.with_prior(NEW).predict_proba(X), expected.predict_proba(X))
    assert model.with_prior(NEW).explain(X[0]).log_odds == pytest.approx(expected.explain(X[0]).log_odds)
    assert model.class_log_prior_ == pytest.approx(np.log([0.6, 0.4]))
    with pytest.raises(ValueError, match="give the share of every class"):
        model.with_prior({"ham": 1.0})
