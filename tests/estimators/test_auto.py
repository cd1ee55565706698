"""A classifier that chooses for itself and corrects its probabilities: what it chooses lasts, and where it cannot."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from model.test_model_files import forged
from opened_models import open_predictor
from selection.test_tuning import LABELS as NUMBERS
from selection.test_tuning import TEXTS, made_texts
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from textnb import TextClassifier, load
from textnb.model.decision import log_posterior
from textnb.model.parameters import UNITS
from textnb.selection.tuning import Fixed, tune
from textnb.storage import open_model
from textnb.text import counting

LABELS = np.array(["ham", "spam", "other"])[NUMBERS]
CLASS_IDS = np.unique(LABELS, return_inverse=True)[1]
GROUPS = np.arange(30) // 4
UNSEEN = [*made_texts(seed=1, n=20), "", "unheard of"]
OPEN = Fixed(units=False)
ALL = {"model": "auto", "weights": "auto", "ngrams": "auto", "min_df": "auto", "alpha": "auto"}


@pytest.fixture
def chosen():
    return TextClassifier(**ALL).fit(TEXTS, LABELS)


def in_use(classifier):
    return {name: classifier.parameters_in_use[name] for name in (*ALL, *UNITS)}


def five(settings):
    return {name: value for name, value in settings.items() if name in ALL}


def assert_same_model(one, other):
    assert one.statistics_ == other.statistics_
    np.testing.assert_array_equal(one.predict_log_proba(UNSEEN, raw=True), other.predict_log_proba(UNSEEN, raw=True))


# Choosing


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["documents", "groups"])
def test_the_best_of_the_candidates_is_fitted(groups):
    classifier = TextClassifier(**ALL).fit(TEXTS, LABELS, groups=groups)
    best = tune(TEXTS, CLASS_IDS, fixed=OPEN, groups=groups).best
    assert classifier.choice_.best == best
    assert in_use(classifier) == {name: getattr(best.candidate, name) for name in (*ALL, *UNITS)}
    given = TextClassifier(**best.candidate._asdict()).fit(TEXTS, LABELS, groups=groups)
    assert_same_model(classifier, given)
    assert classifier.calibration_ == given.calibration_


@pytest.mark.parametrize("parameters", [ALL, ALL | {"vocabulary": ["word1", "word3", "word7"]}, {"alpha": "auto"}])
def test_what_was_counted_to_choose_is_not_counted_again_to_fit(parameters, monkeypatch):
    parsed = []

    def count_all(texts, analyzer, n_jobs=None):
        parsed.append(analyzer.ngrams)
        return counting.count_all(texts, analyzer, n_jobs)

    with monkeypatch.context() as patch:
        patch.setattr("textnb.model.learner.count_all", count_all)
        found = TextClassifier(**parameters).fit(TEXTS, LABELS)
    assert parsed == []
    given = TextClassifier(**parameters | in_use(found)).fit(TEXTS, LABELS)
    assert_same_model(found, given)
    assert found.calibration_ == given.calibration_


def test_of_very_many_documents_all_are_fitted(monkeypatch):
    monkeypatch.setattr("textnb.selection.tuning.MOST_DOCUMENTS", 12)
    found = TextClassifier(**ALL).fit(TEXTS, LABELS)
    assert (found.choice_.n_documents, found.n_documents_) == (12, 30)
    assert_same_model(found, TextClassifier(**in_use(found)).fit(TEXTS, LABELS))


def test_groups_change_what_is_found_out():
    alone, together = (TextClassifier(**ALL).fit(TEXTS, LABELS, groups=groups) for groups in (None, GROUPS))
    assert (alone.choice_.estimate, together.choice_.estimate) == ("leave-one-out", "leave-one-group-out")
    assert [trial.accuracy for trial in alone.choice_.trials] != [trial.accuracy for trial in together.choice_.trials]


@pytest.mark.parametrize(
    "given",
    [
        {"model": "multinomial"},
        {"weights": "tfidf", "min_df": 2},
        {"ngrams": (1, 2), "alpha": 0.3},
        {"model": "bernoulli", "alpha": 0},
    ],
    ids=lambda given: " ".join(given),
)
def test_what_is_given_is_not_chosen(given):
    classifier, units = TextClassifier(**ALL | given).fit(TEXTS, LABELS), bool({"ngrams", "min_df"} & set(given))
    assert given.items() <= classifier.parameters_in_use.items()
    assert classifier.choice_.best == tune(TEXTS, CLASS_IDS, fixed=Fixed(**given, units=units)).best


def test_parameters_stay_auto(chosen):
    assert ALL.items() <= chosen.get_params().items()
    assert not hasattr(clone(chosen), "choice_")
    assert ALL.items() <= clone(chosen).get_params().items()


def test_a_later_fit_chooses_anew_or_not_at_all(chosen):
    chosen.fit(made_texts(seed=5), LABELS)
    assert chosen.choice_ == tune(made_texts(seed=5), CLASS_IDS, fixed=OPEN)
    chosen.set_params(model="complement", weights="counts", ngrams=(1, 1), min_df=1, alpha=1.0).fit(TEXTS, LABELS)
    assert not hasattr(chosen, "choice_")
    assert chosen.fitted_record().auto == ()


def test_an_iterator_of_documents_is_chosen_on_too(chosen):
    assert_same_model(TextClassifier(**ALL).fit(iter(TEXTS), LABELS), chosen)


@pytest.mark.parametrize("name", ALL)
def test_what_learns_bit_by_bit_cannot_choose(name):
    message = f"{name}='auto' is chosen by fit, from documents that are all in memory: give a value"
    with pytest.raises(ValueError, match=message):
        TextClassifier(**{name: "auto"}).learn(TEXTS, LABELS)
    with pytest.raises(ValueError, match=message):
        TextClassifier(**{name: "auto"}).partial_fit(TEXTS, LABELS, classes=np.unique(LABELS))


# Left out

MANY_TEXTS, MANY_LABELS = made_texts(seed=2, n=60), np.resize(LABELS, 60)
FIXED = {"model": "complement", "weights": "log-tfidf", "ngrams": (1, 1), "min_df": 1, "alpha": 1.0}
FIXED |= {"analyzer": "word", "tokenizer": None}


def test_where_nothing_is_given_all_is_chosen():
    """A class that took fixed values, where the command chose, was up to 17 points worse than it."""
    classifier, asked = (TextClassifier(**settings).fit(MANY_TEXTS, MANY_LABELS) for settings in ({}, ALL))
    assert classifier.choice_ == asked.choice_
    best = classifier.choice_.best.candidate
    assert in_use(classifier) == in_use(asked) == {name: getattr(best, name) for name in (*ALL, *UNITS)}
    assert_same_model(classifier, asked)
    assert classifier.get_params() == TextClassifier().get_params()
    assert repr(classifier) == "TextClassifier()"


@pytest.mark.parametrize(
    "given",
    [{"model": "multinomial"}, {"weights": "tfidf"}, {"ngrams": (1, 2)}, {"min_df": 2}, {"alpha": 0.3}],
    ids=lambda given: " ".join(given),
)
def test_where_one_is_given_the_others_are_those_of_the_literature(given):
    classifier = TextClassifier(**given).fit(MANY_TEXTS, MANY_LABELS)
    assert in_use(classifier) == FIXED | given
    assert not hasattr(classifier, "choice_")
    assert_same_model(classifier, TextClassifier(**FIXED | given).fit(MANY_TEXTS, MANY_LABELS))


@pytest.mark.parametrize("name", ALL)
def test_auto_chooses_one_and_leaves_the_others_to_the_literature(name):
    classifier = TextClassifier(**{name: "auto"}).fit(MANY_TEXTS, MANY_LABELS)
    fixed = {other: value for other, value in FIXED.items() if other != name}
    assert fixed.items() <= in_use(classifier).items()
    assert classifier.choice_ == tune(
        MANY_TEXTS, np.unique(MANY_LABELS, return_inverse=True)[1], fixed=Fixed(**five(fixed))
    )
    assert classifier.fitted_record().auto == (name,)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (MANY_TEXTS[:49], MANY_LABELS[:49]),
        (MANY_TEXTS, np.array([*map(str, range(31)), *MANY_LABELS[31:]])),
        (MANY_TEXTS, np.full(60, "only")),
    ],
    ids=["few documents", "most classes of one", "one class"],
)
def test_little_data_chooses_nothing(texts, labels):
    classifier = TextClassifier().fit(texts, labels)
    assert in_use(classifier) == FIXED
    assert not hasattr(classifier, "choice_")
    assert TextClassifier(**ALL).fit(texts, labels).choice_ is not None  # where it is asked for, it is done


def test_a_rare_class_does_not_prevent_a_choice():
    labels = np.array([*MANY_LABELS[:59], "lone"])
    assert TextClassifier().fit(MANY_TEXTS, labels).choice_ == TextClassifier(**ALL).fit(MANY_TEXTS, labels).choice_


@pytest.mark.parametrize(
    "fit",
    [
        lambda c: c.fit(iter(MANY_TEXTS), MANY_LABELS),
        lambda c: c.partial_fit(MANY_TEXTS, MANY_LABELS, classes=np.unique(LABELS)),
        lambda c: c.learn(MANY_TEXTS, MANY_LABELS),
    ],
    ids=["iterator", "partial_fit", "learn"],
)
def test_what_does_not_hold_all_documents_chooses_nothing(fit):
    classifier = fit(TextClassifier())
    assert in_use(classifier) == FIXED
    assert not hasattr(classifier, "choice_")
    assert_same_model(classifier, fit(TextClassifier(**FIXED)))


def test_groups_leave_together_where_nothing_is_given():
    groups = np.arange(60) // 4
    classifier = TextClassifier().fit(MANY_TEXTS, MANY_LABELS, groups=groups)
    assert classifier.choice_.estimate == "leave-one-group-out"
    assert TextClassifier().fit(MANY_TEXTS, MANY_LABELS, groups=MANY_LABELS).choice_.estimate == "leave-one-group-out"


def test_what_was_left_out_can_be_searched_over():
    grid = [{"model": [None, "multinomial", "auto"]}, {"weights": ["counts"]}, {"ngrams": [(1, 2)]}]
    grid += [{"min_df": [2, None]}, {"alpha": [0.5, "auto"]}]
    search = GridSearchCV(TextClassifier(), grid, cv=2, error_score="raise").fit(MANY_TEXTS, MANY_LABELS)
    assert len(search.cv_results_["params"]) == 9


@pytest.mark.parametrize("n", [40, 60], ids=["taken from the literature", "chosen"])
def test_a_loaded_classifier_fits_like_the_saved_one(n, tmp_path):
    """What was left out stays left out: with other documents it may be chosen, or chosen otherwise."""
    classifier = TextClassifier(calibrate=False).fit(MANY_TEXTS[:n], MANY_LABELS[:n])
    copies = [save_and_load(classifier, tmp_path / "model.tnb"), pickle.loads(pickle.dumps(classifier))]
    for copy in copies:
        assert in_use(copy) == in_use(classifier)
        assert copy.get_params() == classifier.get_params()
        assert_same_model(copy, classifier)
        for size in (20, 60):
            texts, labels = MANY_TEXTS[-size:], MANY_LABELS[-size:]
            again = clone(copy).fit(texts, labels)
            assert in_use(again) == in_use(clone(classifier).fit(texts, labels))
            assert hasattr(again, "choice_") == (size == 60)


def test_a_parameter_set_after_the_choice_leaves_the_others_chosen(tmp_path):
    classifier = TextClassifier(calibrate=False).fit(MANY_TEXTS, MANY_LABELS)
    expected = in_use(classifier) | {"alpha": 7.0}
    classifier.set_params(alpha=7.0).learn(["more"], ["ham"])
    loaded = save_and_load(classifier, tmp_path / "model.tnb")
    assert in_use(classifier) == in_use(loaded) == expected
    assert in_use(clone(loaded).fit(MANY_TEXTS, MANY_LABELS)) == FIXED | {"alpha": 7.0}


def test_files_of_given_values_do_not_say_which_were_left_out(tmp_path):
    """The same settings and counts are the same bytes."""
    for name, settings in (("some", {"alpha": 1.0}), ("all", FIXED)):
        TextClassifier(**settings).fit(MANY_TEXTS, MANY_LABELS).save(tmp_path / name)
    assert (tmp_path / "some").read_bytes() == (tmp_path / "all").read_bytes()


def test_models_chosen_differently_say_how_to_count_alike():
    first = TextClassifier().fit(MANY_TEXTS, MANY_LABELS)
    chosen = in_use(first)
    other = {"model": "multinomial" if chosen["model"] != "multinomial" else "complement", "alpha": 3.0}
    second = TextClassifier(**chosen | other).fit(TEXTS, LABELS)
    message = (
        rf"model is '{chosen['model']}', and '{other['model']}'; alpha is {chosen['alpha']}, and 3\.0\. "
        r"Count the second like the first: first\.blank\(\)\.learn\(texts, labels\)"
    )
    with pytest.raises(ValueError, match=message):
        first + second
    both = first + first.blank().learn(TEXTS, LABELS)
    assert both.n_documents_ == 90
    assert both.calibration_ == first.calibration_ is not None
    assert in_use(both) == chosen
    assert_same_model(both, pickle.loads(pickle.dumps(first)).learn(TEXTS, LABELS))


@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_a_blank_classifier_has_learned_nothing_and_counts_alike(weights, unknown):
    classifier = TextClassifier(weights=weights, unknown=unknown, calibrate=False).fit(MANY_TEXTS, MANY_LABELS)
    before = classifier.n_documents_
    blank = classifier.blank()
    assert (blank.n_documents_, classifier.n_documents_) == (0, before)
    part = blank.learn(TEXTS, LABELS)
    assert_same_model(classifier + part, pickle.loads(pickle.dumps(classifier)).learn(TEXTS, LABELS))


# What was chosen lasts


def save_and_load(classifier, path):
    classifier.save(path)
    return load(path)


def test_what_was_chosen_is_saved(chosen, tmp_path):
    loaded = save_and_load(chosen, tmp_path / "model.tnb")
    assert in_use(loaded) == in_use(chosen)
    assert ALL.items() <= loaded.get_params().items()
    assert loaded.calibration_ == chosen.calibration_
    np.testing.assert_array_equal(loaded.predict_proba(UNSEEN), chosen.predict_proba(UNSEEN))
    np.testing.assert_array_equal(
        open_predictor(tmp_path / "model.tnb").log_proba(UNSEEN), chosen.predict_log_proba(UNSEEN)
    )
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(chosen)).predict_proba(UNSEEN), chosen.predict_proba(UNSEEN)
    )


@pytest.mark.parametrize("through_a_file", [False, True])
def test_what_was_chosen_stays_while_more_is_learned(chosen, through_a_file, tmp_path):
    settings, calibration = in_use(chosen), chosen.calibration_
    before = pickle.dumps(chosen.predict_proba(UNSEEN))
    classifier = save_and_load(chosen, tmp_path / "model.tnb") if through_a_file else chosen
    classifier.learn(["a new word"], ["new class"])
    with_its_classes = replace(calibration, labels=("ham", "other", "spam"))
    assert (in_use(classifier), classifier.calibration_) == (settings, with_its_classes)
    classifier.forget(["a new word"], ["new class"])
    assert (in_use(classifier), classifier.calibration_) == (settings, calibration)
    assert pickle.dumps(classifier.predict_proba(UNSEEN)) == before


def test_what_was_chosen_stays_in_a_merger(chosen):
    other = TextClassifier(**in_use(chosen), vocabulary=chosen.vocabulary).fit(TEXTS, LABELS)
    both = chosen + other
    assert (in_use(both), both.calibration_) == (in_use(chosen), chosen.calibration_)
    assert both.n_documents_ == 2 * chosen.n_documents_
    assert (in_use(chosen.merge(other)), chosen.calibration_) == (in_use(both), both.calibration_)


def test_an_alpha_set_after_fitting_takes_the_place_of_the_chosen_one(chosen, tmp_path):
    chosen.set_params(alpha=7.0).learn(["more"], ["ham"])
    loaded = save_and_load(chosen, tmp_path / "model.tnb")
    assert chosen.parameters_in_use["alpha"] == loaded.parameters_in_use["alpha"] == 7.0
    ours, theirs = (each.learn(["yet more"], ["ham"]).predict_proba(UNSEEN) for each in (loaded, chosen))
    np.testing.assert_array_equal(ours, theirs)


# Calibration


@pytest.mark.parametrize("model", ["complement", "multinomial", "bernoulli"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_calibrated_probabilities_keep_the_most_probable_class(model, unknown):
    calibrated, plain = (
        TextClassifier(model, unknown=unknown, calibrate=calibrate).fit(TEXTS, LABELS) for calibrate in (True, False)
    )
    assert calibrated.calibration_ is not None
    assert plain.calibration_ is None
    probabilities, raw = calibrated.predict_proba(UNSEEN), plain.predict_proba(UNSEEN)
    assert not np.allclose(probabilities, raw)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), raw.argmax(axis=1))
    np.testing.assert_array_equal(calibrated.predict(UNSEEN), plain.predict(UNSEEN))
    np.testing.assert_array_equal(calibrated.predict_proba(UNSEEN, raw=True), raw)
    np.testing.assert_array_equal(calibrated.predict_log_proba(UNSEEN, raw=True), plain.predict_log_proba(UNSEEN))


def test_it_is_what_calibration_says(chosen):
    predictor = chosen.predictor_
    joint = predictor.log_likelihood(UNSEEN) + (predictor.log_prior if predictor.prior_in_score else 0)
    lengths = predictor.count(UNSEEN).row_sums()
    expected = log_posterior(chosen.calibration_.apply(joint, lengths), predictor.log_prior)
    np.testing.assert_allclose(chosen.predict_log_proba(UNSEEN), expected, rtol=1e-12)


def test_calibration_is_by_groups_where_there_are_any():
    alone, together = (TextClassifier().fit(TEXTS, LABELS, groups=groups) for groups in (None, GROUPS))
    assert alone.calibration_ != together.calibration_
    one_each = TextClassifier().fit(TEXTS, LABELS, groups=np.arange(30))
    assert one_each.calibration_ == alone.calibration_


# Forged files


@pytest.mark.parametrize(
    "change",
    [
        {"auto": None},
        {"auto": {}},
        {"auto": ["strange"]},
        {"auto": ["norm"]},
        {"auto": ["class_prior"]},
        {"auto": ["alpha", "alpha"]},
        {"left_out": "alpha"},
        {"left_out": ["norm"]},
        {"left_out": ["alpha", "alpha"]},
        {"left_out": ["alpha"], "auto": [], "alpha": 7.0},
        {"left_out": ["min_df"], "auto": [], "min_df": 1.0},
        {"left_out": ["model"], "auto": [], "model": "multinomial"},
        {"model": "gaussian"},
        {"weights": "bm25"},
        {"analyzer": {"ngrams": 5}},
        {"analyzer": {"ngrams": [2, 1]}},
        {"analyzer": {"ngrams": ["1", "2"]}},
        {"min_df": "two"},
        {"min_df": -1},
        {"alpha": "auto"},
        {"alpha": None},
        {"alpha": [1.0]},
    ],
    ids=str,
)
def test_a_forged_choice_is_refused(chosen, tmp_path, change):
    chosen.save(tmp_path / "model.tnb")
    if "analyzer" in change:
        change = {"analyzer": open_model(tmp_path / "model.tnb").settings["analyzer"] | change["analyzer"]}
    other = forged(tmp_path / "model.tnb", settings=change)
    with pytest.raises(ValueError, match=r"forged\.tnb.*its settings cannot be understood"):
        load(other)


@pytest.mark.parametrize(
    ("calibration", "said"),
    [
        (5, "calibration must have"),
        ({}, "calibration must have"),
        ({"temperature": 0, "length_exponent": 0, "offsets": []}, "temperature must be a number above 0"),
        ({"temperature": "warm", "length_exponent": 0, "offsets": []}, "calibration.temperature is 'warm'"),
        ({"temperature": 1, "length_exponent": 99, "offsets": []}, "length_exponent must be a number"),
        ({"temperature": 1, "length_exponent": 0, "offsets": [1.0]}, "calibration.offsets are 1 for 3 classes"),
        ({"temperature": 1, "length_exponent": 0, "offsets": ["a", 0, 0]}, "calibration.offsets is 'a'"),
    ],
    ids=str,
)
def test_a_forged_calibration_is_refused(chosen, tmp_path, calibration, said):
    chosen.save(tmp_path / "model.tnb")
    other = forged(tmp_path / "model.tnb", settings={"calibration": calibration})
    for opened in (load, open_predictor):
        with pytest.raises(ValueError, match=rf"forged\.tnb.*its settings cannot be understood \({said}"):
            opened(other)
