"""`model="best"`: naive Bayes or a linear model, whichever does better on documents that it has not seen."""

import random

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from textnb import TextClassifier, load
from textnb.likelihood.families import family
from textnb.selection.linear_tuning import LinearCandidate, grouped_folds

SETTINGS = ("model", "weights", "ngrams", "min_df", "alpha")


def independent(n=120, seed=1):
    """Words that say of their class what naive Bayes assumes, each by itself."""
    choose = random.Random(seed)
    words = {label: [f"{label}{i}" for i in range(30)] for label in ("ham", "spam")}
    labels = ["ham", "spam"] * (n // 2)
    return [
        " ".join(choose.choices(words[label], k=2) + choose.choices(words["ham"] + words["spam"], k=4))
        for label in labels
    ], np.array(labels)


def repeated(n=120, seed=0):
    """One word mostly decides; twelve that come together are one piece of evidence, and not as good."""
    choose = random.Random(seed)
    texts, labels = [], []
    for i in range(n):
        label = ("ham", "spam")[i % 2]
        other = ("spam", "ham")[i % 2]
        leaning = label if choose.random() < 0.7 else other
        said = label if choose.random() < 0.97 else other
        texts.append(" ".join([f"said{said}", *(f"{leaning}{i}" for i in range(12)), choose.choice("abcdefgh") * 3]))
        labels.append(label)
    return texts, np.array(labels)


@pytest.fixture(scope="module")
def linear():
    return TextClassifier("best", ngrams=(1, 1), min_df=1).fit(*repeated())


@pytest.fixture(scope="module")
def naive():
    return TextClassifier("best", ngrams=(1, 1), min_df=1).fit(*independent())


def test_where_evidence_repeats_itself_it_is_a_linear_model(linear):
    assert family(linear.parameters_in_use["model"]).fitted_to_documents
    assert isinstance(linear.choice_.best.candidate, LinearCandidate)
    (of_naive,) = (trial for trial in linear.choice_.trials if not isinstance(trial.candidate, LinearCandidate))
    assert of_naive.candidate == linear.choice_.naive_bayes.best.candidate
    assert of_naive.accuracy < 0.8 < 0.9 < linear.choice_.best.accuracy
    assert linear.score(*repeated(seed=1)) > 0.9


def test_otherwise_it_is_naive_bayes_as_it_would_be_chosen(naive):
    texts, labels = independent()
    auto = TextClassifier("auto", "auto", (1, 1), min_df=1, alpha="auto").fit(texts, labels)
    assert {name: naive.parameters_in_use[name] for name in SETTINGS} == {
        name: auto.parameters_in_use[name] for name in SETTINGS
    }
    assert naive.choice_.naive_bayes.best == auto.choice_.best
    assert np.array_equal(naive.predict_proba(texts), auto.predict_proba(texts))
    assert naive.learn(["ham1 ham2"], ["ham"]).n_documents_ == len(texts) + 1


@pytest.mark.parametrize("groups", [None, np.arange(120) // 3], ids=["documents", "groups"])
def test_naive_bayes_is_compared_by_the_same_folds(groups):
    texts, labels = independent()
    choice = TextClassifier("best", "counts", (1, 1), min_df=2).fit(texts, labels, groups=groups).choice_
    (trial,) = (each for each in choice.trials if not isinstance(each.candidate, LinearCandidate))
    folds = grouped_folds((labels == "spam").astype(int), 5, groups)
    right = 0
    for fold in range(5):
        part = TextClassifier(**trial.candidate._asdict(), calibrate=False)
        part.fit([text for text, f in zip(texts, folds, strict=True) if f != fold], labels[folds != fold])
        held_out = [text for text, f in zip(texts, folds, strict=True) if f == fold]
        right += np.sum(part.predict(held_out) == labels[folds == fold])
    assert trial.accuracy == right / len(texts)


def test_a_linear_winner_cannot_learn_and_says_so(linear):
    for change in (linear.learn, linear.forget):
        with pytest.raises(ValueError, match="a linear model must be refitted"):
            change(["saidspam"], ["spam"])


@pytest.mark.parametrize("which", ["linear", "naive"])
def test_a_saved_model_predicts_alike_and_chooses_anew(which, request, tmp_path):
    model = request.getfixturevalue(which)
    texts, labels = independent(60, seed=3)
    model.save(tmp_path / "m.tnb")
    loaded = load(tmp_path / "m.tnb")
    assert np.array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    assert loaded.parameters_in_use == model.parameters_in_use
    assert loaded.model == {"linear": "best", "naive": "auto"}[which]
    assert (loaded.fit(texts, labels).choice_.naive_bayes is not None) == (which == "linear")


@pytest.mark.parametrize("objective", ["macro-f1", "auc", "log-loss"])
def test_both_are_compared_by_the_objective(objective):
    texts, labels = independent()
    labels[::5] = "news"  # of which nothing speaks
    choice = (
        TextClassifier("best", "counts", (1, 1), min_df=1, alpha=1.0, objective=objective).fit(texts, labels).choice_
    )
    ranks = [trial.rank[0] for trial in choice.trials]
    assert choice.best.rank[0] == min(ranks)
    assert choice.naive_bayes.objective == choice.objective == objective
    assert -choice.best.rank[0] == (
        -choice.best.log_loss if objective == "log-loss" else getattr(choice.best, choice.best.field)
    )


@pytest.mark.parametrize("objective", ["macro-f1", "auc"])
def test_measures_of_a_trial_are_those_of_scikit_learn(objective):
    texts, labels = independent()
    words = sorted({word for text in texts for word in text.split()})
    model = TextClassifier("multinomial", "counts", alpha="auto", vocabulary=words, objective=objective)
    joint = model.fit(texts, labels).leave_one_out()
    expected = {
        "macro-f1": f1_score(labels, model.classes_[joint.argmax(axis=1)], average="macro"),
        "auc": roc_auc_score(labels == "spam", joint[:, 1] - joint[:, 0]),
    }
    assert -model.choice_.best.rank[0] == pytest.approx(expected[objective])


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["cheap pills", "lunch at noon", "cheap"], ["spam", "ham", "spam"]),
        (["lunch", "noon", "lunch at noon"], ["ham"] * 3),
    ],
    ids=["few", "one class"],
)
def test_where_nothing_can_be_divided_it_is_naive_bayes_or_what_little_there_is(texts, labels):
    model = TextClassifier("best").fit(texts, labels)
    assert model.predict(texts[:1]) == labels[:1]


def test_what_is_given_holds_for_both_kinds():
    texts, labels = repeated()
    choice = TextClassifier("best", weights="binary", ngrams=(1, 1), min_df=3).fit(texts, labels).choice_
    for trial in (*choice.trials, *choice.naive_bayes.trials):
        assert trial.candidate.weights == "binary" or trial.candidate.model == "bernoulli"
        assert (trial.candidate.ngrams, trial.candidate.min_df) == ((1, 1), 3)


def test_what_learns_bit_by_bit_cannot_choose():
    texts, labels = independent()
    message = "model='best' is chosen by fit, from documents that are all in memory"
    with pytest.raises(ValueError, match=message):
        TextClassifier("best").learn(texts, labels)
    with pytest.raises(ValueError, match=message):
        TextClassifier("best").partial_fit(texts, labels, classes=["ham", "spam"])


def test_other_names_are_refused():
    with pytest.raises(ValueError, match=r"model must be one of .*, auto or best, got 'better'"):
        TextClassifier("better").fit(*independent(20))


@pytest.mark.parametrize("given", [{"C": 0.3}, {"beta": 0.5}, {"most_terms": 10}], ids=lambda given: next(iter(given)))
def test_what_is_given_for_models_of_one_kind_is_left_where_another_is_best(given, tmp_path):
    (name,) = given
    for documents in (repeated(), independent()):
        model = TextClassifier("best", weights="log-tfidf", ngrams=(1, 1), min_df=1, alpha=1.0, **given).fit(*documents)
        is_linear = family(model.parameters_in_use["model"]).fitted_to_documents
        assert model.parameters_in_use[name] == (given[name] if is_linear and name != "most_terms" else None)
        model.save(tmp_path / "a.tnb")
        assert load(tmp_path / "a.tnb").predict(documents[0]).tolist() == model.predict(documents[0]).tolist()


@pytest.mark.parametrize(("n", "C", "beta"), [(120, 0.3, 0.75), (20, None, None)], ids=["all given", "few documents"])
@pytest.mark.parametrize("calibrate", [True, False])
def test_models_are_compared_where_all_else_is_given(n, C, beta, calibrate):
    given = {"weights": "log-tfidf", "ngrams": (1, 1), "min_df": 1, "alpha": 1.0, "C": C, "beta": beta}
    for documents in (repeated(n), independent(n)):
        model = TextClassifier("best", calibrate=calibrate, **given).fit(*documents)
        tried = {family(trial.candidate.model).fitted_to_documents for trial in model.choice_.trials}
        assert tried == {True, False}
        assert model.parameters_in_use["model"] == model.choice_.best.candidate.model


def test_units_are_chosen_where_that_is_asked_for():
    model = TextClassifier("best", analyzer="auto", min_df=1).fit(*repeated())
    assert family(model.parameters_in_use["model"]).fitted_to_documents
    with pytest.raises(ValueError, match="analyzer='auto' is chosen with naive Bayes, not for nbsvm alone"):
        TextClassifier("nbsvm", analyzer="auto").fit(*repeated())


@pytest.mark.parametrize("ngrams", [None, (1, 2)])
def test_no_linear_model_is_tried_twice(ngrams):
    """The terms that naive Bayes does best with may be those that are tried anyway."""
    texts, labels = repeated()
    paired = [
        " ".join(f"{word} {label}" for word in text.split()[:3]) for text, label in zip(texts, labels, strict=True)
    ]
    model = TextClassifier("best", ngrams=ngrams).fit(paired, labels)
    tried = [trial.candidate for trial in model.choice_.trials if isinstance(trial.candidate, LinearCandidate)]
    recipes = [candidate._replace(analyzer=None) for candidate in tried if candidate.terms.has_plain_units]
    assert len(recipes) == len(set(recipes))
    best = model.choice_.naive_bayes.best.candidate.terms
    assert (best.ngrams, best.min_df) in {(each.ngrams, each.min_df) for each in recipes}
