"""Decisions by what errors cost: asked for by the names of classes, saved, and the same when classes come and go."""

import json

import numpy as np
import pytest
from estimators.test_auto import CLASS_IDS, LABELS, TEXTS, UNSEEN
from hypothesis import given
from hypothesis import strategies as st
from model.test_model_files import forged
from opened_models import open_predictor
from selection.test_tuning import made_texts
from sklearn.exceptions import NotFittedError

from textnb import TextClassifier, load
from textnb.model.decision import log_odds_against, log_posterior
from textnb.model.policy import Policy
from textnb.model.records import from_json, to_json
from textnb.storage import open_model

CLASSES = np.array(["ham", "other", "spam"])


@pytest.fixture
def classifier():
    return TextClassifier().fit(TEXTS, LABELS)


# The policy itself


def test_costs_are_by_name():
    policy = Policy.among(CLASSES, {("ham", "spam"): 100, ("spam", "other"): 0.5}, unsure=0.2)
    assert policy.rule(CLASSES).costs == ((0, 1, 100, 0.2), (1, 0, 1, 0.2), (1, 0.5, 0, 0.2))


def test_it_means_the_same_when_classes_come_and_go():
    policy = Policy.among(CLASSES, {("ham", "spam"): 100}, protected="ham", ceiling=0.1)
    policy = Policy(**vars(policy) | {"threshold": 2.5})
    more = policy.rule(np.array(["bills", "ham", "other", "spam"]))
    assert (more.costs[1], more.protected, more.threshold) == ((1, 0, 1, 100), 1, 2.5)
    fewer = policy.rule(np.array(["other", "spam"]))
    assert (fewer.costs, fewer.protected, fewer.threshold) == (((0, 1), (1, 0)), None, None)


def test_labels_become_those_of_the_classes():
    policy = Policy.among(np.array([3, 7]), {(np.int64(3), np.int64(7)): np.float32(2)}, np.int64(1), np.int64(3), 0.5)
    assert json.loads(json.dumps(to_json(policy))) == {
        "prices": [[3, 7, 2.0]],
        "unsure": 1.0,
        "protected": 3,
        "ceiling": 0.5,
    }


@pytest.mark.parametrize("costs", [[[0, 1], [2, 0]], {"ham": 5}, {("ham", "spam", "other"): 1}, 3], ids=str)
def test_costs_of_another_shape_are_refused(costs):
    with pytest.raises(ValueError, match=r"costs must be a dict of \(true class, class named\) to what "):
        Policy.among(CLASSES, costs)


labels = st.text(max_size=3) | st.integers(-(2**62) + 1, 2**62 - 1) | st.booleans()
numbers = st.floats(-1e99, 1e99)
policies = st.builds(
    lambda prices, unsure, protected: Policy(tuple(prices), unsure, *protected),
    st.lists(st.tuples(labels, labels, numbers), max_size=3),
    st.none() | numbers,
    st.just((None, None, None)) | st.tuples(labels, numbers, numbers),
)


@given(policies)
def test_settings_bring_it_back(policy):
    assert from_json(Policy, json.loads(json.dumps(to_json(policy)))) == policy


GOOD = to_json(Policy.among(CLASSES, {("ham", "spam"): 2.0}, 0.5))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": 1}, "policy must have prices, unsure, protected, ceiling, threshold, and nothing else"),
        ({"prices": 5}, "policy.prices is 5"),
        ({"prices": [["ham", "spam"]]}, "policy.prices has 2 values, not 3"),
        ({"prices": [["ham", "spam", "much"]]}, "policy.prices is 'much'"),
        ({"prices": [["ham", ["spam"], 1]]}, r"policy.prices is \['spam'\]"),
        ({"prices": [["ham", "spam", 1e300]]}, "what a policy states must be numbers, got 1e[+]300"),
        ({"prices": [["ham", "spam", True]]}, "policy.prices is True"),
        ({"unsure": "no"}, "policy.unsure is 'no'"),
        ({"ceiling": [0.1]}, r"policy.ceiling is \[0.1\]"),
        ({"threshold": float("nan")}, "policy.threshold is nan"),
        ({"protected": {}}, "policy.protected is {}"),
        ({"protected": "ham"}, "policy: a protected class and its threshold come together"),
        ({"threshold": 1.0}, "a threshold needs the class that it protects"),
    ],
    ids=str,
)
def test_forged_settings_are_refused_by_name(change, said, classifier, tmp_path):
    if change != {"protected": "ham"}:  # its threshold may be chosen later
        with pytest.raises(ValueError, match=said):
            from_json(Policy, GOOD | change, "policy")
    if change.get("threshold") != change.get("threshold"):
        return  # the writer of files refuses what is no number
    classifier.save(tmp_path / "model.tnb")
    other = forged(tmp_path / "model.tnb", settings={"policy": GOOD | change})
    for opened in (load, open_predictor):
        with pytest.raises(ValueError, match=rf"forged\.tnb.*its settings cannot be understood \({said}"):
            opened(other)


@pytest.mark.parametrize("settings", [5, [], "policy", {}])
def test_what_is_no_policy_is_refused(settings):
    with pytest.raises(ValueError, match="Policy must have prices, unsure"):
        from_json(Policy, settings)


# The classifier that decides by it


def test_without_a_policy_the_most_probable_class_is_named(classifier):
    assert classifier.policy_ is None
    assert classifier.decide(UNSEEN) == classifier.predict(UNSEEN).tolist()


def test_the_cheapest_class_is_named(classifier):
    classifier.decide_by({("ham", "spam"): 20, ("ham", "other"): 3}, unsure=0.6)
    costs = np.array([[0, 3, 20, 0.6], [1, 0, 1, 0.6], [1, 1, 0, 0.6]])
    cheapest = (classifier.predict_proba(UNSEEN) @ costs).argmin(axis=1)
    names = ["ham", "other", "spam", None]
    found = classifier.decide(UNSEEN)
    assert found == [names[c] for c in cheapest]
    assert set(found) == set(names)
    np.testing.assert_array_equal(classifier.predict(UNSEEN), TextClassifier().fit(TEXTS, LABELS).predict(UNSEEN))


@pytest.mark.parametrize("groups", [None, np.arange(300) // 30], ids=["documents", "groups"])
def test_a_ceiling_is_kept_on_documents_that_the_model_had_not_seen(groups):
    texts, labels = made_texts(seed=3, n=300), np.tile(LABELS, 10)
    classifier = TextClassifier("multinomial").fit(texts, labels, groups=groups)
    classifier.decide_by(protected="ham", ceiling=0.05)
    policy = classifier.policy_
    training = classifier.training_documents()
    joint = classifier.leave_one_out() if groups is None else classifier.leave_one_group_out()
    calibrated = classifier.calibration_.apply(joint, training.lengths)
    odds = log_odds_against(log_posterior(calibrated, classifier.predictor_.log_prior), 0)[labels == "ham"]
    assert 0 < np.sum(odds > policy.threshold) <= 5  # of 100
    assert (policy.protected, policy.ceiling) == ("ham", 0.05)
    loose = policy.threshold
    classifier.decide_by(protected="ham", ceiling=0.05, confidence=0.95)
    assert classifier.policy_.threshold > loose


def test_a_policy_can_be_taken_back(classifier):
    classifier.decide_by(unsure=0.0)
    assert set(classifier.decide(UNSEEN)) == {None}
    classifier.set_policy(None)
    assert classifier.decide(UNSEEN) == classifier.predict(UNSEEN).tolist()


def test_labels_keep_their_type_in_decisions(tmp_path):
    classifier = TextClassifier().fit(TEXTS, CLASS_IDS)
    classifier.decide_by({(classifier.classes_[0], classifier.classes_[2]): 50}, protected=np.int64(0), ceiling=0.5)
    classifier.save(tmp_path / "model.tnb")
    found = load(tmp_path / "model.tnb").decide(UNSEEN)
    assert found == classifier.decide(UNSEEN)
    assert {type(label) for label in found} == {int}


def test_it_is_saved(classifier, tmp_path):
    classifier.decide_by({("ham", "spam"): 20}, unsure=0.4, protected="ham", ceiling=0.2).save(tmp_path / "model.tnb")
    loaded = load(tmp_path / "model.tnb")
    assert loaded.policy_ == classifier.policy_
    found = classifier.decide(UNSEEN)
    assert loaded.decide(UNSEEN) == open_predictor(tmp_path / "model.tnb").decide(UNSEEN) == found


def test_it_survives_a_new_class(classifier, tmp_path):
    classifier.decide_by({("ham", "spam"): 20}, unsure=0.4, protected="ham", ceiling=0.2)
    policy = classifier.policy_
    classifier.learn(["invoice overdue", "pay the invoice"], ["bills", "bills"])
    assert classifier.policy_ == policy
    assert set(classifier.decide([*UNSEEN, "invoice invoice overdue pay"])) <= {*classifier.classes_.tolist(), None}
    classifier.save(tmp_path / "model.tnb")
    assert load(tmp_path / "model.tnb").policy_ == policy
    classifier.forget([text for text, label in zip(TEXTS, LABELS, strict=True) if label == "ham"], ["ham"] * 10)
    assert classifier.policy_ == policy
    assert "ham" not in classifier.decide(UNSEEN)


def test_a_loaded_model_takes_costs_but_has_no_documents_for_a_ceiling(classifier, tmp_path):
    classifier.save(tmp_path / "model.tnb")
    loaded = load(tmp_path / "model.tnb")
    assert loaded.decide_by(unsure=0.4).decide(UNSEEN) == classifier.decide_by(unsure=0.4).decide(UNSEEN)
    with pytest.raises(ValueError, match="the documents of the last fit are not at hand"):
        loaded.decide_by(protected="ham", ceiling=0.2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"costs": {("ham", "eggs"): 1}}, "there is no class 'eggs': the classes are ham, other, spam"),
        ({"costs": {("eggs", "ham"): 1}}, "there is no class 'eggs'"),
        ({"costs": {("ham", "spam"): "much"}}, "a cost must be a number, got 'much'"),
        ({"costs": {("ham", "spam"): float("nan")}}, "a cost must be a number, got nan"),
        ({"unsure": float("inf")}, "unsure must be a number, got inf"),
        ({"protected": "eggs", "ceiling": 0.1}, "there is no class 'eggs'"),
        ({"protected": "ham"}, "protected and ceiling come together"),
        ({"ceiling": 0.1}, "protected and ceiling come together"),
        ({"protected": "ham", "ceiling": 0}, "ceiling must be a share between 0 and 1"),
        ({"protected": "ham", "ceiling": 1}, "ceiling must be a share between 0 and 1"),
        ({"protected": "ham", "ceiling": 0.001}, "a ceiling of 0.001 needs 999 documents of the protected class"),
        ({"protected": "ham", "ceiling": 0.2, "confidence": 2}, "confidence must be a probability"),
        ({"confidence": 0.9}, "confidence is that a ceiling is kept"),
    ],
    ids=str,
)
def test_what_cannot_be_decided_by_is_refused(classifier, asked, said):
    classifier.decide_by(unsure=0.3)
    before = classifier.policy_
    with pytest.raises(ValueError, match=said):
        classifier.decide_by(**asked)
    assert classifier.policy_ == before


@pytest.mark.parametrize(
    "call", [lambda c: c.decide_by(unsure=1), lambda c: c.decide(["a"]), lambda c: c.set_policy(None)]
)
def test_nothing_is_decided_before_fit(call):
    with pytest.raises(NotFittedError):
        call(TextClassifier())


def test_a_policy_is_a_setting_of_the_file(classifier, tmp_path):
    classifier.save(tmp_path / "plain.tnb")
    assert "policy" not in open_model(tmp_path / "plain.tnb").settings
    classifier.decide_by(unsure=0.3).save(tmp_path / "model.tnb")
    assert open_model(tmp_path / "model.tnb").settings["policy"] == to_json(classifier.policy_)
