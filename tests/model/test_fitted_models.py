"""Linear models of text: fitted to documents, explained, saved, and refused where counts would have to add up."""

import json

import numpy as np
import pytest
from golden_models import make_fitted as golden

from textnb import TextClassifier, load
from textnb.compiled import compiled_kernel
from textnb.model.file import predictor_of
from textnb.model.scorer import open_scorer
from textnb.model.settings import CHOSEN_READER
from textnb.selection.linear_tuning import HeldOut, grouped_folds
from textnb.storage import ModelFileError, open_model, write_model

SPAM = ["buy cheap pills now", "cheap watches for you", "buy now, pills and watches", "cheap offer for you"]
HAM = ["lunch at noon with you", "the meeting is at noon", "minutes of the meeting", "lunch with the minutes"]
NEWS = ["stocks fell at noon", "the minister fell", "stocks of the minister rose", "now the stocks rose"]
TEXTS = (SPAM + HAM + NEWS) * 6
LABELS = np.array((["spam"] * 4 + ["ham"] * 4 + ["news"] * 4) * 6)
TWO = LABELS != "news"
ASKED = ["cheap lunch for you at noon", "the minister rose", "unheard words", "", "pills pills pills"]
SETTINGS = [
    {"model": "nbsvm"},
    {"model": "nblr", "weights": "binary", "C": 1.0},
    {"model": "nbsvm", "weights": "counts", "unknown": "token", "C": 0.3, "beta": 0.5},
    {"model": "nbsvm", "unknown": "token", "ngrams": (1, 1), "C": 1.0, "beta": 1.0},
    {"model": "nbsvm", "analyzer": "char_wb", "ngrams": (2, 3), "C": 0.1, "beta": 0.25},
]


def fitted(settings, two=False):
    texts = [text for text, kept in zip(TEXTS, TWO, strict=True) if kept] if two else TEXTS
    return TextClassifier(**settings).fit(texts, LABELS[TWO] if two else LABELS)


@pytest.fixture(params=SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())))
def settings(request):
    return request.param


@pytest.mark.parametrize("two", [False, True])
def test_a_file_says_what_the_model_says_to_the_last_digit(settings, two, tmp_path):
    model = fitted(settings, two)
    model.save(tmp_path / "a.tnb")
    model.save(tmp_path / "small.tnb", compact=True)
    expected, raw = model.predict_log_proba(ASKED), model.predictor_.scored(ASKED)[0]
    for name in ("a.tnb", "small.tnb"):
        assert np.array_equal(load(tmp_path / name).predict_log_proba(ASKED), expected)
        opened = predictor_of(open_model(tmp_path / name, verify="touched"))
        assert np.array_equal(opened.log_proba(ASKED), expected)
        if compiled_kernel() is not None:
            scorer = open_scorer(tmp_path / name)
            assert [scorer.scored(text).joint for text in ASKED] == raw.tolist()
    load(tmp_path / "a.tnb").save(tmp_path / "again.tnb")
    assert (tmp_path / "a.tnb").read_bytes() == (tmp_path / "again.tnb").read_bytes()
    assert (tmp_path / "small.tnb").stat().st_size < (tmp_path / "a.tnb").stat().st_size


@pytest.mark.parametrize("two", [False, True])
def test_the_rows_of_an_explanation_add_up_to_the_difference_of_scores(settings, two, tmp_path):
    model = fitted(settings, two)
    model.save(tmp_path / "a.tnb")
    scores = model.predictor_.scored(ASKED[:1])[0][0]
    labels = model.classes_.tolist()
    for explainer in (model, load(tmp_path / "a.tnb")):
        why = explainer.explain(ASKED[0])
        difference = scores[labels.index(why.label)] - scores[labels.index(why.against)]
        assert sum(row.contribution for row in why.rows) == pytest.approx(difference, rel=1e-9)
        assert why.log_odds == pytest.approx(difference, rel=1e-9)


def test_what_was_chosen_is_said_and_stays_chosen_in_a_file(tmp_path):
    model = fitted({"model": "nbsvm"})
    best = model.choice_.best.candidate
    assert (model.parameters_in_use["C"], model.parameters_in_use["beta"]) == (best.C, best.beta)
    assert model.choice_.estimate == "5-fold cross-validation"
    model.save(tmp_path / "a.tnb")
    again = load(tmp_path / "a.tnb")
    assert (again.C, again.beta) == (None, None)
    assert again.parameters_in_use["C"] == best.C


def test_what_is_given_is_not_chosen():
    model = fitted({"model": "nbsvm", "C": 0.3, "beta": 0.5})
    assert not hasattr(model, "choice_")
    assert model.calibration_ is not None  # by folds, too
    assert {trial.candidate.beta for trial in fitted({"model": "nbsvm", "beta": 0.5}).choice_.trials} == {0.5}


def test_auto_chooses_the_terms_as_well():
    model = fitted({"model": "nbsvm", "weights": "auto", "ngrams": "auto", "min_df": "auto"})
    tried = {(trial.candidate.weights, trial.candidate.ngrams) for trial in model.choice_.trials}
    assert tried == {(weights, (1, n)) for weights in ("log-tfidf", "binary") for n in (1, 2)}
    best = model.choice_.best.candidate
    assert model.parameters_in_use["weights"] == best.weights
    assert model.choice_.best == min(model.choice_.trials, key=lambda trial: trial.rank)


def test_few_documents_get_the_usual_values():
    model = TextClassifier(model="nblr", min_df=1).fit(SPAM + HAM, ["spam"] * 4 + ["ham"] * 4)
    assert (model.parameters_in_use["C"], model.parameters_in_use["beta"]) == (3.0, 1.0)
    assert not hasattr(model, "choice_")


def test_one_class_is_certain():
    model = TextClassifier(model="nbsvm", min_df=1).fit(SPAM, ["spam"] * 4)
    assert model.predict_proba(ASKED).tolist() == [[1.0]] * len(ASKED)


def test_scores_that_choose_are_of_models_without_the_fold():
    """Each document has a word of its own that gives its class away to whoever has seen it."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 200)
    texts = [f"{label}{i // 2} common words" for i, label in enumerate(labels)]
    labels[1::2], texts[1::2] = labels[::2], texts[::2]  # twins know each other's
    groups = np.arange(200) // 2
    apart = TextClassifier(model="nbsvm", min_df=1).fit(texts, labels, groups=groups)
    together = TextClassifier(model="nbsvm", min_df=1).fit(texts, labels)
    assert together.choice_.best.accuracy > 0.75
    assert apart.choice_.best.accuracy < 0.65
    assert apart.choice_.estimate == "5-fold cross-validation by group"


def test_held_out_scores_are_those_of_models_fitted_to_the_other_folds():
    from textnb.likelihood.nb_weighted import Problems, fit_rule

    model = fitted({"model": "nbsvm", "C": 0.3, "beta": 0.5})
    training = model.training_documents()
    rows = training.weighted
    folds = grouped_folds(training.class_ids, 4)
    (scores,) = HeldOut(Problems(rows, training.class_ids, 3), folds).scores(0.3, [0.5])
    for fold in range(4):
        others, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        rule = fit_rule(Problems(rows.take_rows(others), training.class_ids[others], 3), 0.3, 0.5)
        assert np.allclose(scores[own], rule.log_likelihood(rows.take_rows(own)), rtol=1e-6, atol=1e-8)


def test_folds_keep_groups_together_and_share_the_classes():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 80, 1000)
    class_ids = (groups % 3 + (rng.random(1000) < 0.2)) % 3
    folds = grouped_folds(class_ids, 5, groups)
    assert all(len(set(folds[groups == group])) == 1 for group in set(groups))
    shares = np.array([np.bincount(class_ids[folds == fold], minlength=3) for fold in range(5)])
    assert shares.min() > 0.7 * shares.mean(axis=0).min()
    with pytest.raises(ValueError, match="3 groups cannot be divided into 5 folds"):
        grouped_folds(np.zeros(6, int), 5, np.array([0, 0, 1, 1, 2, 2]))


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.learn(["cheap"], ["spam"]),
        lambda model: model.learn(["cheap"], ["spam"], once=True),
        lambda model: model.forget(TEXTS[:1], LABELS[:1]),
        lambda model: model.merge(model),
        lambda model: model + model,
        lambda model: model.partial_fit(["cheap"], ["spam"]),
        lambda model: model.blank(),
        lambda model: TextClassifier(model="nbsvm").learn(["cheap"], ["spam"]),
        lambda model: TextClassifier(model="nbsvm").partial_fit(["cheap"], ["spam"], classes=["ham", "spam"]),
    ],
)
def test_what_needs_counts_that_add_up_says_to_refit(change):
    model = fitted({"model": "nbsvm", "C": 1.0})
    before = model.predict_proba(ASKED)
    with pytest.raises(ValueError, match="a linear model must be refitted, by `textnb refit MODEL CORPUS` or by fit"):
        change(model)
    assert np.array_equal(model.predict_proba(ASKED), before)


def test_leaving_one_out_is_refused_and_a_ceiling_is_kept_by_folds():
    model = fitted({"model": "nbsvm", "C": 1.0}, two=True)
    with pytest.raises(ValueError, match="to leave one out is to fit it anew"):
        model.leave_one_out()
    assert model.decide_by(protected="ham", ceiling=0.05).policy_.threshold is not None
    uncalibrated = fitted({"model": "nbsvm", "C": 1.0, "beta": 1.0, "calibrate": False}, two=True)
    with pytest.raises(ValueError, match="were not scored by models without them"):
        uncalibrated.decide_by(protected="ham", ceiling=0.05)


@pytest.mark.parametrize("name", ["C", "beta"])
def test_settings_of_linear_models_are_for_no_others(name):
    with pytest.raises(ValueError, match=f"{name} is for nbsvm, nblr: leave it out"):
        TextClassifier(model="multinomial", **{name: 0.5}).fit(TEXTS, LABELS)


def test_samples_and_mixed_models_need_a_likelihood():
    with pytest.raises(ValueError, match="a nbsvm model has no likelihood"):
        fitted({"model": "nbsvm", "C": 1.0, "weights": "counts"}).sample(1)


def test_weights_of_documents_count_as_repetitions_do():
    times = np.tile([1, 2, 3], 24)
    repeated = [text for text, n in zip(TEXTS, times, strict=True) for _ in range(n)]
    given = {"model": "nbsvm", "weights": "counts", "C": 0.3, "beta": 0.5, "min_df": 1, "calibrate": False}
    a = TextClassifier(**given).fit(repeated, np.repeat(LABELS, times))
    b = TextClassifier(**given).fit(TEXTS, LABELS, sample_weight=times.astype(float))
    assert np.allclose(a.predict_log_proba(ASKED), b.predict_log_proba(ASKED), rtol=1e-5)


@pytest.mark.parametrize("name", golden.CLASSIFIERS)
def test_files_of_fitted_models_stay_loadable(name, tmp_path):
    path = golden.FOLDER / f"fitted-{name}.tnb"
    expected = json.loads((golden.FOLDER / "fitted.json").read_text())[name]
    assert np.allclose(load(path).predict_proba(golden.ASKED), expected, rtol=1e-10, atol=0)
    load(path).save(tmp_path / "again.tnb")
    assert load(tmp_path / "again.tnb").get_params() == load(path).get_params()


def test_older_readers_are_told_that_it_is_newer(tmp_path, monkeypatch):
    fitted({"model": "nbsvm", "C": 1.0}).save(tmp_path / "a.tnb")
    monkeypatch.setattr("textnb.storage.header.READER_VERSION", CHOSEN_READER - 1)
    with pytest.raises(ModelFileError, match=f"newer textnb: needs reader version {CHOSEN_READER}"):
        load(tmp_path / "a.tnb")


def forge(path, settings=None, **arrays):
    file = open_model(path)
    everything = {name: file.array(name) for name in file.names if name != "__blocks__"} | arrays
    everything = {name: array for name, array in everything.items() if array is not None}
    write_model(path, everything, file.settings | (settings or {}), reader=CHOSEN_READER)


def nan_at_the_end(weights):
    weights = weights.copy()
    weights[-1, -1] = np.nan
    return weights


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda a: {"weights": nan_at_the_end(a)}, "weights' has values that are no finite numbers"),
        (lambda a: {"weights": a[:-1]}, "array 'weights' is float32 of shape"),
        (lambda a: {"weights": a[:, :-1]}, "array 'weights' is float32 of shape"),
        (lambda a: {"weights": a.astype(np.float64)}, "array 'weights' is float64 of shape"),
        (lambda a: {"weights": None}, "it has no array 'weights'"),
        (lambda a: {"intercept": np.array([0.0, np.inf, 0.0])}, "array 'intercept' has values that are no finite"),
        (lambda a: {"intercept": np.zeros(2)}, "array 'intercept' is float64 of shape"),
        (lambda a: {"log_prior": np.full(3, np.nan)}, "array 'log_prior' has values"),
    ],
)
def test_forged_rules_are_refused(change, what, compact, tmp_path):
    path = tmp_path / "a.tnb"
    fitted({"model": "nbsvm", "C": 1.0}).save(path, compact=compact)
    forge(path, **change(open_model(path).array("weights")))
    with pytest.raises(ModelFileError, match=what):
        load(path)
    with pytest.raises(ModelFileError):
        predictor_of(open_model(path, verify="touched")).log_proba(TEXTS)
    if compiled_kernel() is not None and (scorer := open_scorer(path)) is not None:
        with pytest.raises(ModelFileError):
            [scorer.scored(text) for text in TEXTS]


@pytest.mark.parametrize(
    "settings",
    [{"C": 0}, {"C": 1e300}, {"beta": 2}, {"rule": "linear"}, {"model": "multinomial"}, {"vocabulary": "growing"}],
)
def test_forged_settings_are_refused(settings, tmp_path):
    path = tmp_path / "a.tnb"
    fitted({"model": "nbsvm", "C": 1.0}).save(path)
    forge(path, settings)
    with pytest.raises(ModelFileError, match="its settings cannot be understood"):
        load(path)
