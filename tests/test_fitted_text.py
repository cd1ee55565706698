"""What has been fitted: derived when it is asked for, columns that stay, and what follows a change."""

import numpy as np
import pytest
from golden_models import make_format_1 as golden
from test_auto import LABELS, TEXTS, UNSEEN

from textnb import TextClassifier, load
from textnb.fitted_text import FittedText
from textnb.policy import Policy

POLICY = Policy(unsure=0.3)


@pytest.fixture
def classifier():
    return TextClassifier().fit(TEXTS, LABELS)


def test_nothing_is_derived_before_it_is_needed(classifier, monkeypatch):
    fitted = FittedText(classifier.fitted_.learner)
    monkeypatch.setattr(fitted.learner, "derive", lambda: pytest.fail("derived"))
    assert fitted.classes.tolist() == ["ham", "other", "spam"]
    assert fitted.n_documents == len(TEXTS)


def test_calibration_and_policy_follow_a_change(classifier):
    fitted = classifier.fitted_.with_policy(POLICY)
    after = fitted.followed_by(fitted.learner)
    for one in (fitted, after):
        assert (one.calibration, one.policy) == (classifier.calibration_, POLICY)
        assert (one.predictor.calibration, one.predictor.policy) == (classifier.calibration_, POLICY)


def test_another_policy_changes_nothing_else(classifier):
    before = classifier.fitted_
    after = before.with_policy(POLICY)
    assert before.policy is None
    assert before.predictor.policy is None
    assert (after.learner, after.derived) == (before.learner, before.derived)
    np.testing.assert_array_equal(after.predictor.log_proba(UNSEEN), before.predictor.log_proba(UNSEEN))
    assert after.vocabulary == before.vocabulary
    assert after.statistics == before.statistics


def test_columns_that_were_seen_stay_under_a_policy(classifier):
    seen = dict(classifier.vocabulary_)
    classifier.decide_by(unsure=0.3).learn(["aardvark"], ["ham"])
    assert seen.items() <= classifier.vocabulary_.items()
    assert classifier.vocabulary_["aardvark"] == len(seen)


def test_a_model_of_an_older_format_can_decide_but_has_no_counts():
    old = load(golden.FOLDER / "format-1-complement.tnb")
    old.decide_by(unsure=0.0)
    assert set(old.decide(["a text"])) == {None}
    with pytest.raises(ValueError, match="saved by an older textnb, without all its counts"):
        old.learn(["a text"], [old.classes_[0]])
