"""`evaluate` says where classes are not as common as the model takes them to be, and only there."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from textnb import MixedNB, TextClassifier
from textnb.corpora.corpus import make_corpus
from textnb.workflow import evaluate, report
from textnb.workflow.mixes import LEVEL, compare_mixes
from textnb.workflow.progress import Progress

TEXTS = [*(f"cheap pills {i}" for i in range(30)), *(f"lunch at noon {i}" for i in range(70))]
LABELS = np.repeat(["spam", "ham"], [30, 70])


class Heard(Progress):
    def __init__(self):
        self.notices = []

    def notice(self, text):
        self.notices.append(text)


@pytest.fixture(scope="module")
def model():
    return TextClassifier("complement").fit(TEXTS, LABELS)


def later(n_spam, n_ham):
    texts = [*(f"cheap offer {i}" for i in range(n_spam)), *(f"the lunch {i}" for i in range(n_ham))]
    return make_corpus("later", texts, ["spam"] * n_spam + ["ham"] * n_ham, "made up")


def labels(n_spam, n_ham):
    return np.repeat(["spam", "ham"], [n_spam, n_ham])


def test_evaluate_says_so(model):
    heard = Heard()
    result = evaluate(model, later(70, 30), progress=heard)
    (said,) = [line for line in heard.notices if "as common" in line]
    assert said.startswith("the classes are not as common here as the model assumes: 30.0% ham and 70.0% spam")
    assert "not 70.0% and 30.0%" in said
    assert "--prior" in said
    found = result.to_json()["mix"]
    assert found["p_value"] < LEVEL
    assert [(one["class"], one["share"]) for one in found["classes"]] == [("ham", 0.3), ("spam", 0.7)]
    assert [one["assumed"] for one in found["classes"]] == pytest.approx([0.7, 0.3])


def test_it_does_not_where_it_was_told(model):
    heard = Heard()
    result = evaluate(model, later(70, 30), prior={"spam": 0.7, "ham": 0.3}, progress=heard)
    assert not heard.notices
    assert result.mix is None
    assert result.to_json()["prior"] == {"spam": 0.7, "ham": 0.3}
    assert evaluate(model, later(30, 70), prior={"spam": 0.9, "ham": 0.1}).mix is not None


def test_a_report_says_so_too_and_corrects_its_documents(model):
    heard = Heard()
    assert report(model, later(70, 30), progress=heard).result.mix is not None
    assert any("as common" in line for line in heard.notices)
    shifted = report(model, later(5, 5), prior={"spam": 0.999, "ham": 0.001}).result.evaluation
    np.testing.assert_array_equal(shifted.confusion_matrix.sum(axis=0), [0, 10])


@pytest.mark.parametrize(("n_spam", "n_ham"), [(30, 70), (34, 66), (33, 67), (5, 5), (0, 4), (3000, 7000)])
def test_chance_and_small_differences_are_passed_over(model, n_spam, n_ham):
    assert compare_mixes(model, labels(n_spam, n_ham), None, 100) is None


def test_what_is_significant_but_small_is_passed_over(model):
    big = 10**6
    assert compare_mixes(model, labels(33_000, 67_000), None, big) is None
    assert compare_mixes(model, labels(36_000, 64_000), None, big) is not None


def test_the_mix_of_the_training_is_an_estimate_too(model):
    found = compare_mixes(model, labels(50, 50), None, 100_000)
    expected = chi2_contingency([[50, 50], [70_000, 30_000]], correction=False).pvalue
    assert found.p_value == pytest.approx(expected)
    assert compare_mixes(model, labels(50, 50), None, 100) is None  # 70 of 100 were ham: p = 0.004
    told = compare_mixes(model.with_prior({"spam": 0.3, "ham": 0.7}), labels(50, 50), {"spam": 0.3, "ham": 0.7}, 100)
    assert told.p_value == pytest.approx(chisquare([50, 50], [70, 30]).pvalue)


def test_alarms_are_as_seldom_as_they_say():
    """Of ten thousand samples of a mix of ten classes, which the model has estimated."""
    rng = np.random.default_rng(0)
    names = np.array([f"c{i}" for i in range(10)])
    shares = rng.dirichlet(np.full(10, 3.0))
    model = TextClassifier("multinomial", "counts", alpha=1.0, calibrate=False)
    alarms = 0
    for _ in range(20):
        drawn = np.concatenate([names, rng.choice(names, 490, p=shares)])
        fitted = model.fit(drawn.tolist(), drawn)
        alarms += sum(compare_mixes(fitted, rng.choice(names, 60, p=shares), None, 500) is not None for _ in range(50))
    assert alarms <= 8  # 1,000 tests at one in a thousand; more than 8 come by chance once in a million


def test_a_model_of_columns_has_its_prior():
    X = [[text, 1.0 * len(text)] for text in TEXTS]
    model = MixedNB().fit(X, LABELS)
    assert compare_mixes(model, labels(30, 70), None, 100) is None
    found = compare_mixes(model, labels(70, 30), None, 100)
    assert found.assumed == pytest.approx([0.7, 0.3])
    given = MixedNB(priors=[0.5, 0.5]).fit(X, LABELS)
    assert compare_mixes(given, labels(50, 50), None, 100) is None


def test_unknown_classes_do_not_count(model):
    found = compare_mixes(model, np.append(labels(70, 30), ["eggs"] * 50), None, 100)
    assert found.shares == pytest.approx([0.3, 0.7])
    assert compare_mixes(model, np.array(["eggs"] * 50), None, 100) is None
