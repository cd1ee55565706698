"""Looking at a classifier changes nothing, and an update that fails or is interrupted leaves it as it was."""

import pickle
import tempfile
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb import NBSVM, GaussianNB, LinearDiscriminantAnalysis, MixedNB, MultinomialNB, TextClassifier, load
from textnb.likelihood.families import FAMILIES

TEXTS = ["the cat sat", "a dog ate the cat", "dogs and cats", "the end of the days", "cat and dog", "end of the dog"]
LABELS = ["x", "y", "x", "z", "y", "z"]
ASKED = ["the cat", "unheard of", ""]

options = st.fixed_dictionaries(
    {
        "model": st.sampled_from(sorted(FAMILIES)),
        "weights": st.sampled_from(["counts", "binary", "tfidf", "log-tfidf"]),
        "unknown": st.sampled_from(["ignore", "token"]),
        "ngrams": st.sampled_from([(1, 1), (1, 2)]),
        "min_df": st.sampled_from([1, 2]),
        "ledger": st.booleans(),
        "calibrate": st.booleans(),
        "vocabulary": st.sampled_from([None, ["the", "dog", "cat"]]),
    }
)
LOOKS = {
    "classes_": lambda c: c.classes_,
    "n_documents_": lambda c: c.n_documents_,
    "vocabulary_": lambda c: c.vocabulary_,
    "statistics_": lambda c: c.statistics_,
    "model_": lambda c: c.model_,
    "predictor_": lambda c: c.predictor_,
    "parameters_in_use": lambda c: c.parameters_in_use,
    "predict": lambda c: c.predict(ASKED),
    "predict_proba": lambda c: c.predict_proba(ASKED),
    "decide": lambda c: c.decide(ASKED),
    "top_terms": lambda c: c.top_terms(2),
    "save": lambda c: saved(c),
    "pickle": lambda c: pickle.dumps(c),
    "leave_one_out": lambda c: c.leave_one_out(),
    "add": lambda c: c + c,
    "get_params": lambda c: c.get_params(),
    "repr": repr,
}
UPDATES = {
    "learn": lambda c: c.learn(["aa new", "cat"], ["x", "new"]),
    "forget": lambda c: c.forget(TEXTS[:2], LABELS[:2]),
    "partial_fit": lambda c: c.partial_fit(["aa cat", "dog dog"], ["x", "y"]),
    "merge": lambda c: c.merge(pickle.loads(pickle.dumps(c))),
}
folder = tempfile.TemporaryDirectory()


@pytest.fixture(autouse=True, scope="module")
def unflushed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


def saved(classifier):
    path = Path(folder.name, "model.tnb")
    classifier.save(path)
    return path.read_bytes()


def content(classifier):
    """All that a user can tell of a classifier."""
    try:
        vocabulary, probabilities = list(classifier.vocabulary_.items()), classifier.predict_log_proba(ASKED).tobytes()
        return saved(classifier), vocabulary, probabilities, classifier.classes_.tolist()
    except ValueError as error:  # nothing is left of it
        return str(error)


def fitted(options):
    try:
        return TextClassifier(**options).fit(TEXTS, LABELS)
    except ValueError:
        assume(False)


def update(classifier, how):
    try:
        return UPDATES[how](classifier)
    except ValueError:  # not every model can
        return classifier


def look(classifier, how):
    with suppress(ValueError):  # not everything can be asked of every model
        LOOKS[how](classifier)


@settings(max_examples=100)
@given(options, st.lists(st.sampled_from(sorted(UPDATES)), max_size=3), st.data())
def test_looking_changes_nothing(options, updates, data):
    looked_at, alone = fitted(options), fitted(options)
    for how in [None, *updates]:
        if how is not None:
            looked_at, alone = update(looked_at, how), update(alone, how)
        for name in data.draw(st.lists(st.sampled_from(sorted(LOOKS)), max_size=3)):
            look(looked_at, name)
    assert content(looked_at) == content(alone)


@settings(max_examples=50)
@given(options, st.sampled_from(sorted(UPDATES)))
def test_columns_are_the_places_of_the_sorted_terms(options, how):
    classifier = update(fitted(options), how)
    try:
        vocabulary = classifier.vocabulary_
    except ValueError:
        return
    assert list(vocabulary) == sorted(vocabulary)
    assert list(vocabulary.values()) == list(range(len(vocabulary)))
    assert classifier.statistics_.totals.shape[0] == len(vocabulary) + (options["unknown"] == "token")
    path = Path(folder.name, "again.tnb")
    classifier.save(path)
    assert load(path).vocabulary_ == vocabulary


class Interrupted(BaseException):
    """As KeyboardInterrupt, which pytest would take for its own."""


def failing_updates():
    """Updates of which each fails somewhere: by a document, a label, or what a ledger has."""
    return {
        "a document that is none": lambda c: c.learn(["fine", None], ["x", "x"]),
        "a label of another kind": lambda c: c.learn(["fine"], [3]),
        "a document that was not learned": lambda c: c.forget([TEXTS[0], "never"], ["x", "x"]),
        "an unknown label": lambda c: c.partial_fit(["fine"], ["never announced"]),
        "fewer labels than documents": lambda c: c.learn(["one", "two"], ["x"]),
        "once, and a document that is none": lambda c: c.learn([TEXTS[0], None], ["y", "y"], once=True),
    }


@pytest.mark.parametrize("what", failing_updates())
@pytest.mark.parametrize("min_df", [1, 2])
@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
def test_an_update_that_fails_changes_nothing(what, min_df, weights):
    classifier = TextClassifier("multinomial", weights, min_df=min_df).fit(TEXTS, LABELS)
    before = content(classifier)
    with pytest.raises(ValueError):
        failing_updates()[what](classifier)
    assert content(classifier) == before


@pytest.mark.parametrize("once", [False, True])
def test_a_document_that_takes_too_long_changes_nothing(once, monkeypatch):
    """A relabelled document was forgotten, and then the next one hit the time limit of the pattern."""
    monkeypatch.setattr("textnb.text.tokenize.PATTERN_SECONDS", 0.05)
    pattern = r"(?:a|aa)+$|\w\w+"
    classifier = TextClassifier("multinomial", "counts", token_pattern=pattern, ledger=True).fit(TEXTS, LABELS)
    before = content(classifier)
    with pytest.raises(ValueError, match="took longer"):
        classifier.learn([TEXTS[0], "a" * 60 + "!"], ["y", "y"], once=once)
    assert content(classifier) == before


@pytest.mark.parametrize("how", ["learn", "forget", "partial_fit", "once"])
@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
def test_an_update_that_is_interrupted_anywhere_changes_nothing(how, weights, monkeypatch):
    """An interrupt at the nth call of any function that updates go through, for every n."""
    updates = UPDATES | {"once": lambda c: c.learn([TEXTS[0], "new"], ["y", "x"], once=True)}
    points = [
        "textnb.model.learner.count_all",
        "textnb.model.learner.Ledger.of",
        "textnb.model.learner.totals_by_class",
        "textnb.model.learner.hashes",
        "textnb.statistics.text_counts.TextCounts._combine",
        "textnb.estimators.text_model.TextModel._set",
    ]
    n_interrupted = 0
    for point in points:
        for nth in range(20):
            classifier = TextClassifier("multinomial", weights, min_df=2, ledger=True).fit(TEXTS, LABELS)
            before = content(classifier)
            with monkeypatch.context() as patch:
                interrupt_at(patch, point, nth)
                try:
                    updates[how](classifier)
                except Interrupted:
                    n_interrupted += 1
                else:
                    break
            assert content(classifier) == before
    assert n_interrupted >= 3


def interrupt_at(patch, point, nth):
    """Let the nth call of a function raise instead."""
    home, name = point.rsplit(".", 1)
    owner = home.rsplit(".", 1)
    import importlib

    try:
        holder = importlib.import_module(home)
    except ImportError:
        holder = getattr(importlib.import_module(owner[0]), owner[1])
    original = holder.__dict__[name]
    calls = iter(range(1000))

    def called(*arguments, **options):
        if next(calls) == nth:
            raise Interrupted
        function = original.__func__ if isinstance(original, classmethod) else original
        return function(*arguments, **options)

    patch.setattr(holder, name, classmethod(called) if isinstance(original, classmethod) else called)


def test_labels_of_different_kinds_are_not_merged():
    big = np.array([1600000000000000001, 1600000000000000002])
    classifier = TextClassifier("multinomial", "counts").fit(["aa bb", "cc dd"], big)
    with pytest.raises(ValueError, match="of different types"):
        classifier.learn(["aa"], np.array([5.0]))
    assert classifier.classes_.tolist() == big.tolist()


@pytest.mark.parametrize(
    ("labels", "more"),
    [
        ([1.0, 2.0, 2.0], [3]),
        ([1, 2, 2], [3.0]),
        (np.array([1, 2, 2], dtype=np.int8), [300]),
        (np.array([1, 2, 2], dtype=np.uint64), [3]),
        ([True, False, False], [True]),
    ],
    ids=repr,
)
def test_labels_in_another_type_leave_no_trace_when_they_are_forgotten(labels, more):
    """Learned from whole numbers, a model whose labels were floats came to have integers for good."""
    classifier = TextClassifier("multinomial", "counts", ledger=True).fit(["aa bb", "bb cc", "cc dd"], labels)
    before = content(classifier)
    assert content(classifier.learn(["new words"], more)) != before
    assert content(classifier.forget(["new words"], more)) == before


def test_whole_numbers_beside_floats_that_cannot_hold_them_are_refused():
    """numpy made one class of these two, in a list that also had a float."""
    labels = [1600000000000000001, 1600000000000000002, 5.0]
    table = [[1.0], [2.0], [3.0]]
    models = [MultinomialNB(), GaussianNB(), MixedNB(), NBSVM(), LinearDiscriminantAnalysis()]
    for fit in [partial(TextClassifier().fit, ["aa", "bb", "cc"]), *(partial(model.fit, table) for model in models)]:
        with pytest.raises(ValueError, match="no float holds exactly"):
            fit(labels)


def test_a_label_that_makes_all_labels_huge_is_refused():
    """As wide as the longest, these would take 400 MB, and several times that while they are learned."""
    labels = ["a", "b"] * 250 + ["z" * 200_000]
    with pytest.raises(ValueError, match="label at position 500 has 200,000 characters"):
        TextClassifier().fit(["aa bb"] * 501, labels)


def test_a_fraction_is_no_label_beside_whole_numbers():
    learner = TextClassifier("multinomial", "counts").fit(["aa bb", "cc dd"], [1, 2]).learner_
    with pytest.raises(ValueError, match=r"1\.5 is no label of a model whose labels are whole numbers"):
        learner.learn(["aa"], np.array([1.0, 1.5])[1:])


# What a reader with fresh eyes found


@pytest.mark.parametrize("kernel", [nullcontext, without_kernel])
def test_weighted_documents_without_a_known_word_still_make_a_model_that_cannot_forget(kernel, tmp_path):
    with kernel():
        classifier = TextClassifier("multinomial", "counts", ledger=False)
        classifier.partial_fit(["aa bb", "cc dd"], ["a", "b"], classes=["a", "b"])
        classifier.partial_fit(["zz"], ["a"], sample_weight=[0.5])
        classifier.save(tmp_path / "model.tnb")
        for model in (classifier, load(tmp_path / "model.tnb")):
            with pytest.raises(ValueError, match="weighted documents cannot forget"):
                model.forget(["zz"], ["a"])


def test_a_rule_that_cannot_be_derived_is_an_error_of_fit():
    with pytest.raises(ValueError, match="ComplementNB needs alpha > 0"):
        TextClassifier("complement", alpha=0, calibrate=False).fit(["aa bb", "cc dd"], ["x", "y"])


def test_parameters_that_are_set_after_fit_are_not_saved(tmp_path):
    classifier = TextClassifier(weights="counts", calibrate=False).fit(TEXTS, LABELS)
    before = saved(classifier)
    assert saved(classifier.set_params(vocabulary=["cat"], calibrate=True, ledger=False)) == before


@pytest.mark.parametrize("labels", [[1, "a"], [True, 2], [1.5, False], np.array(["a", 1], dtype=object)], ids=repr)
def test_labels_of_several_kinds_are_refused(labels):
    with pytest.raises(ValueError, match="all of one kind"):
        TextClassifier().fit(["aa bb", "cc dd"], labels)


def test_nothing_can_be_fitted_further_once_all_is_forgotten():
    classifier = TextClassifier("multinomial", "counts").fit(TEXTS, LABELS).forget(TEXTS, LABELS)
    with pytest.raises(ValueError, match="no class is left"):
        classifier.partial_fit(["cat"], ["x"])
