"""TextClassifier: scikit-learn's numbers from raw text in one estimator, and what users do to it."""

import pickle
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import sklearn.feature_extraction.text as their_text
import sklearn.naive_bayes as their_models
from corpora_for_tests import corpus_or_skip
from opened_models import open_predictor
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import textnb
from textnb import TextClassifier
from textnb.model.parameters import CHOOSABLE
from textnb.text.ngram_terms import NgramTerms
from textnb.text.terms import Terms

MODELS = ["multinomial", "complement", "bernoulli"]
WEIGHTS = ["counts", "binary", "tfidf", "log-tfidf"]
COMBINATIONS = list(product(MODELS, WEIGHTS))

TEXTS = ["The cat sat on the mat.", "A dog, a dog!", "", "the mat of the cat", "dog on mat", "dog food, dog bowl"]
LABELS = ["cat", "dog", "cat", "cat", "dog", "dog"]
UNSEEN = ["the dog sat", "unicorn", "", "mat mat mat", "Cat bowl"]

every = pytest.mark.parametrize(("model", "weights"), COMBINATIONS)


def fitted(*settings, **more):
    return TextClassifier(*settings, **more).fit(TEXTS, LABELS)


def assert_same_model(one, other):
    """Equal to the last digit: counts, rule and probabilities."""
    np.testing.assert_array_equal(one.classes_, other.classes_)
    assert one.vocabulary_ == other.vocabulary_
    assert one.statistics_ == other.statistics_
    np.testing.assert_array_equal(one.predict_log_proba(UNSEEN), other.predict_log_proba(UNSEEN))
    np.testing.assert_array_equal(one.predict(UNSEEN), other.predict(UNSEEN))


# The numbers


def their_pipeline(model, weights, **settings):
    binary = weights == "binary" or model == "bernoulli"
    if weights.endswith("tfidf") and not binary:
        vectorizer = their_text.TfidfVectorizer(sublinear_tf=weights == "log-tfidf", **settings)
    else:
        vectorizer = their_text.CountVectorizer(binary=binary, **settings)
    estimators = {"multinomial": "MultinomialNB", "complement": "ComplementNB", "bernoulli": "BernoulliNB"}
    return make_pipeline(vectorizer, getattr(their_models, estimators[model])(alpha=0.5))


def assert_like_scikit_learn(model, weights, train, labels, test):
    theirs = their_pipeline(model, weights, ngram_range=(1, 2), min_df=2).fit(train, labels)
    ours = TextClassifier(model, weights, ngrams=(1, 2), min_df=2, alpha=0.5, calibrate=False).fit(train, labels)
    expected = theirs.predict_log_proba(test)
    joint = theirs[-1].predict_joint_log_proba(theirs[0].transform(test))
    # A log-posterior is a difference of joints: it can be no more exact than they are, and may be next to 0.
    np.testing.assert_allclose(ours.predict_log_proba(test), expected, rtol=1e-10, atol=1e-13 * np.abs(joint).max())
    np.testing.assert_array_equal(ours.predict(test), theirs.predict(test))
    np.testing.assert_allclose(ours.predict_proba(test).sum(axis=1), 1, rtol=1e-12)


@every
def test_it_is_scikit_learns_pipeline_on_messages(model, weights):
    corpus = corpus_or_skip("sms-spam")
    assert_like_scikit_learn(model, weights, corpus.texts[::3], corpus.labels[::3], corpus.texts[1::6])


@pytest.mark.parametrize("model", MODELS)
def test_it_is_scikit_learns_pipeline_on_newsgroups(model):
    corpus = corpus_or_skip("20news", subset="train")
    assert_like_scikit_learn(model, "log-tfidf", corpus.texts[::20], corpus.labels[::20], corpus.texts[1::40])


@every
def test_it_is_scikit_learns_pipeline_on_a_few_sentences(model, weights):
    assert_like_scikit_learn(model, weights, TEXTS, LABELS, UNSEEN)


def test_its_model_is_the_estimator_on_its_columns():
    classifier = fitted("multinomial", "counts")
    X = textnb.CountVectorizer(vocabulary=classifier.vocabulary_).transform(UNSEEN)
    np.testing.assert_allclose(classifier.model_.predict_log_proba(X), classifier.predict_log_proba(UNSEEN), rtol=1e-12)
    assert classifier.model_.class_count_.tolist() == [3, 3]


def test_norm_is_complements():
    plain, normed = fitted(norm=False), fitted(norm=True)
    assert not np.allclose(plain.predict_log_proba(UNSEEN), normed.predict_log_proba(UNSEEN))


def test_priors_are_learned_given_or_uniform():
    uneven = TEXTS[:4], LABELS[:4]  # three to one
    priors = [({}, [0.75, 0.25]), ({"fit_prior": False}, [0.5, 0.5]), ({"class_prior": [0.9, 0.1]}, [0.9, 0.1])]
    for settings, prior in priors:
        classifier = TextClassifier("multinomial", "counts", **settings).fit(*uneven)
        np.testing.assert_allclose(classifier.predict_proba([""]), [prior])


# Parameters


def test_parameters_can_be_read_set_and_cloned():
    classifier = fitted("bernoulli", ngrams=(1, 2), stop_words=["the"], unknown="token", n_jobs=2)
    assert TextClassifier().set_params(**classifier.get_params()).get_params() == classifier.get_params()
    copy = clone(classifier)
    assert copy.get_params() == classifier.get_params()
    assert not hasattr(copy, "classes_")
    assert_same_model(copy.fit(TEXTS, LABELS), classifier)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "gaussian"}, "model must be one of multinomial, .*, auto or best, got 'gaussian'"),
        ({"weights": "bm25"}, "weights must be one of counts, binary, tfidf, log-tfidf, got 'bm25'"),
        ({"model": "bernoulli", "weights": "bm25"}, "weights must be one of"),
        ({"unknown": "maybe"}, "unknown must be one of ignore, token, got 'maybe'"),
        ({"alpha": -1}, "alpha must be 0 or more"),
        ({"alpha": "much"}, "alpha must be a number, 0 or more, or 'auto', got 'much'"),
        ({"alpha": float("nan")}, "alpha must be 0 or more"),
        ({"calibrate": "well"}, "calibrate must be True, False or 'offsets'"),
        ({"ngrams": (2, 1)}, "lower boundary larger"),
        ({"ngrams": "12"}, "a pair of numbers"),
        ({"analyzer": "words"}, "not a valid tokenization scheme"),
        ({"tokenizer": "spacy"}, "unknown tokenizer 'spacy'"),
        ({"stemmer": "spacy"}, "unknown stemmer 'spacy'"),
        ({"strip_accents": "all"}, "Invalid value for \"strip_accents\": 'all'"),
        ({"stop_words": "latin"}, "not a built-in stop list"),
        ({"min_df": 0}, "min_df must be"),
        ({"max_features": -1}, "max_features must be"),
        ({"vocabulary": []}, "empty vocabulary"),
        ({"vocabulary": ["a", "a"]}, "Duplicate term"),
        ({"class_prior": [1.0]}, "Number of priors must match number of classes"),
        ({"class_prior": [2, -1]}, "Priors must be non-negative"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(settings, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier(**settings).fit(TEXTS, LABELS)


def test_fit_changes_no_parameter():
    vocabulary = ["mat", "cat", "dog"]
    classifier = TextClassifier(vocabulary=vocabulary, class_prior=[0.5, 0.5])
    before = dict(classifier.get_params())
    classifier.fit(TEXTS, LABELS)
    assert classifier.get_params() == before
    assert vocabulary == ["mat", "cat", "dog"]
    assert classifier.vocabulary_ == {"cat": 0, "dog": 1, "mat": 2}


@every
def test_the_number_of_threads_changes_nothing(model, weights):
    for n_jobs in (1, 2, -1):
        assert_same_model(fitted(model, weights, n_jobs=n_jobs), fitted(model, weights))


# Before and after fit


@pytest.mark.parametrize("call", ["predict", "predict_proba", "predict_log_proba", "top_terms", "save"])
def test_nothing_works_before_fit(call, tmp_path):
    arguments = {"top_terms": [], "save": [tmp_path / "model.tnb"]}.get(call, [UNSEEN])
    with pytest.raises(NotFittedError):
        getattr(TextClassifier(), call)(*arguments)
    assert list(tmp_path.iterdir()) == []


@every
def test_fitting_again_forgets_and_repeats(model, weights):
    classifier = TextClassifier(model, weights).fit(["something else", "altogether"], [1, 2])
    classifier.fit(TEXTS, LABELS)
    assert_same_model(classifier, fitted(model, weights))
    assert_same_model(classifier.fit(TEXTS, LABELS), fitted(model, weights))


@every
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_a_prediction_depends_on_its_document_alone(model, weights, unknown):
    classifier = fitted(model, weights, unknown=unknown)
    whole = classifier.predict_log_proba(UNSEEN)
    np.testing.assert_array_equal(classifier.predict_log_proba(UNSEEN[::-1]), whole[::-1])
    np.testing.assert_array_equal(classifier.predict_log_proba(UNSEEN[1:3]), whole[1:3])
    many = classifier.predict_log_proba(UNSEEN * 1000)  # more than are counted at a time
    np.testing.assert_array_equal(many, np.tile(whole, (1000, 1)))
    assert classifier.predict(UNSEEN * 1000).tolist() == classifier.predict(UNSEEN).tolist() * 1000


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_training_does_not_matter(model):
    order = [3, 0, 5, 1, 4, 2]
    shuffled = TextClassifier(model, "counts").fit([TEXTS[i] for i in order], [LABELS[i] for i in order])
    assert_same_model(shuffled, fitted(model, "counts"))


@every
def test_a_pickled_classifier_is_the_same(model, weights):
    classifier = fitted(model, weights, unknown="token", stemmer="porter")
    assert_same_model(pickle.loads(pickle.dumps(classifier)), classifier)


def test_no_documents_have_no_predictions():
    assert fitted().predict([]).shape == (0,)
    assert fitted().predict_proba([]).shape == (0, 2)


# Documents and labels


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: np.array(texts).reshape(-1, 1),
        lambda texts: pd.Series(texts, index=range(10, 10 + len(texts))),
        lambda texts: pd.DataFrame({"text": texts}),
        iter,
        lambda texts: [text.encode() for text in texts],
    ],
    ids=["tuple", "array", "objects", "column", "Series", "DataFrame", "iterator", "bytes"],
)
def test_documents_come_in_many_containers(container):
    classifier = TextClassifier().fit(container(TEXTS), LABELS)
    assert_same_model(classifier, fitted())
    np.testing.assert_array_equal(classifier.predict(container(UNSEEN)), classifier.predict(UNSEEN))
    np.testing.assert_array_equal(classifier.predict_proba(container(UNSEEN)), classifier.predict_proba(UNSEEN))


@pytest.mark.parametrize("call", ["fit", "partial_fit", "predict", "predict_proba", "predict_log_proba"])
def test_a_bare_string_is_refused(call):
    labels = [["cat"]] if call.endswith("fit") else []
    with pytest.raises(ValueError, match=r"string object received. For one document, pass \[text\]"):
        getattr(fitted(), call)("the cat", *labels)


@pytest.mark.parametrize("strange", [None, np.nan, pd.NA, 7, ["cat"], b"caf\xe9"], ids=repr)
def test_what_is_no_document_is_named_with_its_position(strange):
    with pytest.raises(ValueError, match="document 2: "):
        TextClassifier().fit([*TEXTS[:2], strange, *TEXTS[3:]], LABELS)
    with pytest.raises(ValueError, match="document 1: "):
        fitted().predict(["cat", strange])


def test_the_position_is_that_in_the_whole_collection():
    with pytest.raises(ValueError, match="document 5000: None is an invalid document"):
        fitted().predict(["cat"] * 5000 + [None])


@pytest.mark.parametrize(
    "container",
    [np.array, tuple, pd.Series, lambda y: pd.Series(y, dtype="category"), lambda y: pd.Series(y, dtype="string")],
    ids=["array", "tuple", "Series", "categories", "strings"],
)
def test_labels_come_in_many_containers(container):
    classifier = TextClassifier().fit(TEXTS, container(LABELS))
    assert classifier.classes_.tolist() == ["cat", "dog"]
    assert classifier.predict(["mat", "bowl"]).tolist() == ["cat", "dog"]


@pytest.mark.parametrize("names", [(False, True), (3, 7), (-1, 0), (0.0, 1.0), ("ham", "spam"), ("", "é")], ids=repr)
def test_labels_keep_their_type(names):
    classifier = TextClassifier().fit(TEXTS, [names[label == "dog"] for label in LABELS])
    found = classifier.predict(["cat", "dog"])
    assert found.tolist() == list(names)
    assert found.dtype == classifier.classes_.dtype == np.array(names).dtype
    assert list(classifier.top_terms(1)) == list(names)


def test_classes_are_sorted():
    classifier = TextClassifier().fit(TEXTS, ["z", "b", "z", "z", "b", "a"])
    assert classifier.classes_.tolist() == ["a", "b", "z"]


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # of NaN, by scikit-learn
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("texts", "y", "message"),
    [
        (TEXTS, LABELS[:-1], r"inconsistent numbers of samples: \[6, 5\]"),
        (TEXTS, None, "requires y to be passed, but the target y is None"),
        (TEXTS, [0.5, 1.5, 0.1, 2.2, 3.3, 1.1], "Unknown label type"),
        (TEXTS, [[0, 1]] * 6, "should be a 1d array"),
        (TEXTS, [*LABELS[:5], None], "labels must be strings, numbers or booleans, all of one kind"),
        (TEXTS, np.array([*LABELS[:5], 7], dtype=object), "all of one kind, got 'dog' and 7"),
        (TEXTS, [label.encode() for label in LABELS], "labels must be strings, .*bytes is not supported"),
        (TEXTS, [1.0, 0.0, 1.0, 0.0, 1.0, np.nan], "NaN"),
        ([], [], r"Found array with 0 sample\(s\): there are no documents"),
    ],
)
def test_labels_that_do_not_fit_are_refused(call, texts, y, message):
    more = {"classes": ["cat", "dog"]} if call == "partial_fit" else {}
    with pytest.raises(ValueError, match=message):
        getattr(TextClassifier(), call)(texts, y, **more)


def test_texts_without_words_have_no_vocabulary():
    with pytest.raises(ValueError, match="empty vocabulary; perhaps the documents only contain stop words"):
        TextClassifier().fit(["", "a !"], ["x", "y"])


@every
def test_empty_and_unknown_documents_have_finite_probabilities(model, weights):
    for unknown in ("ignore", "token"):
        probabilities = fitted(model, weights, unknown=unknown).predict_proba(["", "!", "unicorn", "\x00"])
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@every
def test_one_class_is_certain(model, weights):
    classifier = TextClassifier(model, weights).fit(TEXTS, ["only"] * 6)
    assert classifier.predict(UNSEEN).tolist() == ["only"] * 5
    np.testing.assert_allclose(classifier.predict_proba(UNSEEN), 1)
    assert len(classifier.top_terms(2)["only"]) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")
@pytest.mark.parametrize("model", MODELS)
def test_ten_thousand_classes(model):
    words = [f"{first}{second}" for first in "abcdefghijkl" for second in "abcdefghijkl"]
    texts = [" ".join(pair) for pair in combinations(words, 2)][:10_000]
    calibrate = model == "complement"  # a minute is enough
    classifier = TextClassifier(model, "counts", alpha=0.01, calibrate=calibrate).fit(texts, np.arange(10_000))
    assert len(classifier.classes_) == 10_000
    chosen = list(range(0, 10_000, 997))
    assert classifier.predict([texts[i] for i in chosen]).tolist() == chosen


@every
def test_odd_characters_do_no_harm(model, weights):
    texts = ["ab\ud800cd", "ab\x00cd ef", "\ufeffab gh", "\udfff", "ij\u2028kl"]
    classifier = TextClassifier(model, weights, unknown="token").fit(texts, [0, 1, 0, 1, 1])
    assert np.isfinite(classifier.predict_log_proba([*texts, "\ud800", "\x00"])).all()


def test_a_word_of_ten_million_characters_is_one_word():
    huge = "x" * 10_000_000
    classifier = TextClassifier().fit([huge, "cat"], ["huge", "cat"])
    assert classifier.predict([huge]).tolist() == ["huge"]


# Weights of documents


@pytest.mark.parametrize(
    ("model", "weights"), [("multinomial", "counts"), ("complement", "binary"), ("bernoulli", "counts")]
)
def test_weight_two_is_the_same_as_twice(model, weights):
    doubled = TextClassifier(model, weights).fit(TEXTS, LABELS, sample_weight=[2, 1, 1, 1, 2, 1])
    twice = TextClassifier(model, weights).fit([*TEXTS, TEXTS[0], TEXTS[4]], [*LABELS, LABELS[0], LABELS[4]])
    np.testing.assert_allclose(doubled.predict_log_proba(UNSEEN), twice.predict_log_proba(UNSEEN), rtol=1e-12)
    np.testing.assert_array_equal(doubled.statistics_.totals.toarray(), twice.statistics_.totals.toarray())


@every
def test_weights_of_documents_are_scikit_learns(model, weights):
    """The idf does not know of them: it counts documents."""
    sample_weight = [0.5, 2, 1, 0.25, 3, 1]
    theirs = their_pipeline(model, weights)
    theirs.fit(TEXTS, LABELS, **{f"{theirs.steps[-1][0]}__sample_weight": sample_weight})
    ours = TextClassifier(model, weights, alpha=0.5).fit(TEXTS, LABELS, sample_weight)
    np.testing.assert_allclose(ours.predict_log_proba(UNSEEN), theirs.predict_log_proba(UNSEEN), rtol=1e-10)


@every
def test_equal_weights_change_nothing(model, weights):
    unweighted, weighted = fitted(model, weights), TextClassifier(model, weights).fit(TEXTS, LABELS, np.ones(6))
    np.testing.assert_allclose(weighted.predict_log_proba(UNSEEN), unweighted.predict_log_proba(UNSEEN), rtol=1e-12)


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(6,\)"),
        ([1, 1, 1, 1, 1, -1], "Negative values in sample_weight: -1.0 at position 5"),
        ([0] * 6, "at least one non-zero number"),
        ([1, 1, 1, 1, 1, np.nan], "NaN"),
    ],
)
def test_wrong_weights_of_documents_are_refused(sample_weight, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier().fit(TEXTS, LABELS, sample_weight)


# Learning in batches

VOCABULARY = ["cat", "dog", "mat", "on", "sat", "the"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("weights", ["counts", "binary"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_batches_are_the_same_as_one_fit_where_the_vocabulary_is_given(model, weights, unknown):
    settings = {"vocabulary": VOCABULARY, "unknown": unknown}
    batches = TextClassifier(model, weights, **settings)
    batches.partial_fit(TEXTS[1:4], LABELS[1:4], classes=["dog", "cat"])
    batches.partial_fit(TEXTS[4:], LABELS[4:]).partial_fit(TEXTS[:1], LABELS[:1])
    assert_same_model(batches, fitted(model, weights, **settings))


@pytest.mark.parametrize("weights", ["tfidf", "log-tfidf"])
def test_the_first_batch_fixes_vocabulary_and_idf(weights):
    classifier = TextClassifier("multinomial", weights).partial_fit(TEXTS, LABELS, classes=["cat", "dog"])
    assert_same_model(classifier, fitted("multinomial", weights))
    idf, vocabulary = classifier.predictor_.weighting.idf, classifier.vocabulary_
    classifier.partial_fit(["the bird sang"], ["cat"])
    assert classifier.vocabulary_ == vocabulary
    np.testing.assert_array_equal(classifier.predictor_.weighting.idf, idf)
    assert classifier.statistics_.documents.tolist() == [4, 3]


def test_batches_can_be_weighted():
    classifier = TextClassifier("multinomial", "counts", vocabulary=VOCABULARY)
    classifier.partial_fit(TEXTS[:3], LABELS[:3], ["cat", "dog"], [2, 1, 1]).partial_fit(TEXTS[3:], LABELS[3:])
    once = TextClassifier("multinomial", "counts", vocabulary=VOCABULARY).fit(TEXTS, LABELS, [2, 1, 1, 1, 1, 1])
    assert_same_model(classifier, once)


def test_an_announced_class_may_be_absent():
    classifier = TextClassifier("multinomial").partial_fit(TEXTS, LABELS, classes=["bird", "cat", "dog"])
    assert classifier.classes_.tolist() == ["bird", "cat", "dog"]
    assert classifier.predict_proba(["cat"])[0, 0] == 0


def test_a_label_that_was_not_announced_is_named():
    with pytest.raises(ValueError, match=r"unknown label .*bird.* in partial_fit: it is not among the classes"):
        TextClassifier().partial_fit(["a bird"], ["bird"], classes=["cat", "dog"])
    classifier = fitted()
    with pytest.raises(ValueError, match=r"unknown label .*bird.*\['cat', 'dog'\]. Announce every class there"):
        classifier.partial_fit(["the cat", "a bird"], ["cat", "bird"])
    assert_same_model(classifier, fitted())


def test_classes_are_announced_first_and_stay():
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        TextClassifier().partial_fit(TEXTS, LABELS)
    classifier = TextClassifier().partial_fit(TEXTS, LABELS, classes=["cat", "dog"])
    classifier.partial_fit(TEXTS, LABELS, classes=["dog", "cat"])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        classifier.partial_fit(TEXTS, LABELS, classes=["cat", "fox"])


def test_batches_may_follow_a_fit():
    once = fitted("multinomial", "counts").statistics_
    assert fitted("multinomial", "counts").partial_fit(TEXTS, LABELS).statistics_ == once + once


# Explanations


@every
def test_top_terms_speak_for_their_class(model, weights):
    terms = fitted(model, weights).top_terms(3)
    assert list(terms) == ["cat", "dog"]
    assert terms["dog"][0][0] == "dog"
    assert "cat" in [term for term, _ in terms["cat"]]
    for found in terms.values():
        assert [weight for _, weight in found] == sorted((weight for _, weight in found), reverse=True)
        assert len(found) == 3


def test_equal_terms_come_in_the_order_of_their_columns():
    for texts in (["ee dd cc", "bb aa"], ["dd cc ee", "aa bb"]):
        terms = TextClassifier("multinomial", "counts").fit(texts, ["x", "y"]).top_terms(3)
        assert [term for term, _ in terms["x"]] == ["cc", "dd", "ee"]
        assert [term for term, _ in terms["y"]][:2] == ["aa", "bb"]


def test_more_terms_than_there_are_gives_all():
    classifier = fitted(unknown="token")
    assert {term for term, _ in classifier.top_terms(1000)["cat"]} == {*classifier.vocabulary_, "<UNK>"}


# With scikit-learn


def test_it_is_a_classifier_of_text():
    assert is_classifier(TextClassifier())
    assert TextClassifier().__sklearn_tags__().input_tags.string
    assert fitted().score(TEXTS, LABELS) == 1


def test_it_works_in_a_pipeline():
    shorten = FunctionTransformer(lambda texts: [text[:30] for text in texts])
    pipeline = make_pipeline(shorten, TextClassifier()).fit(TEXTS, LABELS)
    assert pipeline.predict(["cat", "dog"]).tolist() == ["cat", "dog"]


@pytest.mark.parametrize("container", [list, np.array, pd.Series], ids=["list", "array", "Series"])
def test_it_can_be_searched_over_by_name(container):
    grid = {"model": MODELS, "weights": ["counts", "log-tfidf"], "ngrams": [(1, 1), (1, 2)], "alpha": [0.1, 1.0]}
    search = GridSearchCV(TextClassifier(), grid, cv=2, error_score="raise", scoring="neg_log_loss")
    search.fit(container(TEXTS * 2), container(LABELS * 2))
    assert len(search.cv_results_["params"]) == 24
    assert search.predict(["dog"]).tolist() == ["dog"]


def test_it_can_be_cross_validated():
    assert cross_val_score(TextClassifier(), TEXTS * 3, LABELS * 3, cv=3).tolist() == [1, 1, 1]


# The model file

ODD_SETTINGS = [
    {"ngrams": (1, 2), "stop_words": "english"},
    {"stop_words": {"the", "on"}, "min_df": 2, "max_df": 0.9},
    {"analyzer": "char_wb", "ngrams": (2, 4), "max_features": 50},
    {"tokenizer": "whitespace", "stemmer": "snowball-german", "lowercase": False},
    {"strip_accents": "unicode", "token_pattern": r"\w+", "unknown": "token"},
    {"class_prior": np.array([0.25, 0.75]), "fit_prior": False, "norm": True, "n_jobs": 2},
    {"alpha": 0, "model": "multinomial", "weights": "counts"},
    {"alpha": 0, "model": "bernoulli"},
    {"alpha": np.float64(0.5), "min_df": np.int64(1)},
]


def saved_and_loaded(classifier, path):
    classifier.save(path)
    return textnb.load(path)


@every
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_what_was_saved_predicts_the_same_to_the_last_digit(model, weights, unknown, tmp_path):
    classifier = fitted(model, weights, unknown=unknown)
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert_same_model(loaded, classifier)
    assert loaded.get_params() == classifier.parameters_in_use
    np.testing.assert_array_equal(loaded.predict_log_proba(TEXTS), classifier.predict_log_proba(TEXTS))
    predictor = open_predictor(tmp_path / "model.tnb")
    np.testing.assert_array_equal(predictor.log_proba(UNSEEN), classifier.predict_log_proba(UNSEEN))
    np.testing.assert_array_equal(predictor.predict(UNSEEN), classifier.predict(UNSEEN))
    assert loaded.top_terms() == classifier.top_terms()


@pytest.mark.parametrize("settings", ODD_SETTINGS, ids=lambda settings: " ".join(settings))
def test_settings_are_saved_too(settings, tmp_path):
    classifier = fitted(**settings)
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert_same_model(loaded, classifier)
    left_open = not settings.keys() & set(CHOOSABLE)
    for name, value in (classifier.get_params() if left_open else classifier.parameters_in_use).items():
        plain = sorted(value) if isinstance(value, set) else value
        plain = None if name == "n_jobs" else plain  # the machine's, not the model's
        assert np.array_equal(getattr(loaded, name), plain), name
    assert_same_model(clone(loaded).fit(TEXTS, LABELS), classifier)


def test_a_literal_unk_is_saved_as_the_word_it_is(tmp_path):
    settings = {"tokenizer": "whitespace", "lowercase": False, "unknown": "token"}
    classifier = TextClassifier("multinomial", **settings).fit(["<UNK> cat", "dog <UNK> <UNK>"], ["a", "b"])
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert_same_model(loaded, classifier)
    texts = ["<UNK>", "unicorn", "<UNK> unicorn"]
    np.testing.assert_array_equal(loaded.predict_log_proba(texts), classifier.predict_log_proba(texts))


def test_a_given_vocabulary_is_saved_in_order_of_its_terms(tmp_path):
    classifier = fitted("multinomial", "counts", vocabulary=["mat", "cat", "dog"])
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert loaded.vocabulary == ["cat", "dog", "mat"]
    assert loaded.statistics_ == classifier.statistics_
    np.testing.assert_array_equal(loaded.predict_log_proba(UNSEEN), classifier.predict_log_proba(UNSEEN))


@pytest.mark.parametrize("names", [(False, True), (3, 7), (0.0, 1.0), ("ham", "spam"), ("", "é\ud800")], ids=ascii)
def test_labels_are_saved_with_their_type(names, tmp_path):
    classifier = TextClassifier().fit(TEXTS, [names[label == "dog"] for label in LABELS])
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert loaded.classes_.tolist() == list(names)
    assert loaded.classes_.dtype == classifier.classes_.dtype
    assert_same_model(loaded, classifier)


def test_odd_characters_are_saved(tmp_path):
    texts = ["ab\ud800cd éé", "ab\x00cd \U0001f600", "\ufeffab gh"]
    classifier = TextClassifier(analyzer="char", ngrams=(1, 2)).fit(texts, [0, 1, 0])
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    assert loaded.vocabulary_ == classifier.vocabulary_
    np.testing.assert_array_equal(loaded.predict_log_proba(texts), classifier.predict_log_proba(texts))


def test_weighted_counts_are_saved(tmp_path):
    classifier = TextClassifier("multinomial", "counts").fit(TEXTS, LABELS, [0.5, 1, 1, 1, 1, 0.25])
    assert_same_model(saved_and_loaded(classifier, tmp_path / "model.tnb"), classifier)


@every
def test_the_same_model_gives_the_same_bytes(model, weights, tmp_path):
    paths = [tmp_path / f"{name}.tnb" for name in ("first", "second", "refitted", "reloaded")]
    classifier = fitted(model, weights)
    for path in paths[:2]:
        classifier.save(path)
    fitted(model, weights).save(paths[2])
    textnb.load(paths[0]).save(paths[3])
    assert len({path.read_bytes() for path in paths}) == 1


def test_the_order_of_training_does_not_change_the_bytes(tmp_path):
    forward, backward = (
        TextClassifier("multinomial", "counts").fit(texts, labels)
        for texts, labels in ((TEXTS, LABELS), (TEXTS[::-1], LABELS[::-1]))
    )
    forward.save(tmp_path / "forward.tnb")
    backward.save(tmp_path / "backward.tnb")
    assert (tmp_path / "forward.tnb").read_bytes() == (tmp_path / "backward.tnb").read_bytes()


@pytest.mark.parametrize("part", ["analyzer", "tokenizer", "stemmer", "strip_accents"])
def test_a_callable_cannot_be_saved(part, tmp_path):
    classifier = fitted(**{part: str.split if part in ("analyzer", "tokenizer") else str.title})
    name = "kind" if part == "analyzer" else part
    with pytest.raises(ValueError, match=f"its own callable for {name} cannot be saved: a model file holds no code"):
        classifier.save(tmp_path / "model.tnb")
    assert list(tmp_path.iterdir()) == []


def test_labels_of_other_types_cannot_be_saved(tmp_path):
    dates = {"cat": np.datetime64("2001-01-01"), "dog": np.datetime64("2002-02-02")}
    classifier = TextClassifier().fit(TEXTS, np.array([dates[label] for label in LABELS]))
    with pytest.raises(ValueError, match="only strings, numbers and booleans can be saved as class labels"):
        classifier.save(tmp_path / "model.tnb")
    assert list(tmp_path.iterdir()) == []


def test_a_loaded_model_learns_on(tmp_path):
    classifier = fitted("multinomial", "counts", unknown="token")
    loaded = saved_and_loaded(classifier, tmp_path / "model.tnb")
    more = ["the unicorn sat", "dog"], ["cat", "dog"]
    assert_same_model(loaded.partial_fit(*more), classifier.partial_fit(*more))


# What is set after fitting


def test_what_cannot_change_after_fitting_is_refused_by_partial_fit():
    for changed in ({"model": "bernoulli"}, {"weights": "tfidf"}, {"unknown": "token"}, {"ngrams": (1, 2)}):
        classifier = fitted("multinomial", "counts").set_params(**changed)
        with pytest.raises(ValueError, match=f"{next(iter(changed))} was .* fit anew"):
            classifier.partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="model must be one of"):
        fitted("multinomial", "counts").set_params(model="nope").partial_fit(TEXTS, LABELS)


def test_smoothing_may_change_between_batches():
    classifier = fitted("multinomial", "counts").set_params(alpha=0.5).partial_fit(TEXTS, LABELS)
    assert classifier.model_.alpha == 0.5


def test_a_file_holds_what_was_fitted_whatever_was_set_later(tmp_path):
    classifier = fitted("multinomial", "counts")
    before = classifier.predict_proba(TEXTS)
    classifier.set_params(alpha=50.0).save(tmp_path / "model.tnb")
    loaded = textnb.load(tmp_path / "model.tnb")
    assert loaded.alpha == 1.0
    assert (loaded.predict_proba(TEXTS) == before).all()
    assert loaded.model_.alpha == classifier.model_.alpha == 1.0


# A generative model can produce documents


def test_documents_drawn_from_a_model_give_its_probabilities_back():
    classifier = fitted("multinomial", "counts")
    texts, labels = classifier.sample(2000, random_state=0, length=20)
    again = TextClassifier("multinomial", "counts", vocabulary=classifier.vocabulary_).fit(texts, labels)
    expected, found = np.exp(classifier.model_.feature_log_prob_), np.exp(again.model_.feature_log_prob_)
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / (800 * 20))
    texts, labels = fitted("bernoulli", "binary").sample(5, random_state=0)
    assert len(texts) == len(labels) == 5


@pytest.mark.parametrize(("model", "weights"), [("complement", "counts"), ("multinomial", "tfidf")])
def test_what_cannot_produce_documents_says_why(model, weights):
    with pytest.raises(ValueError, match=r"cannot sample|ComplementNB"):
        fitted(model, weights).sample(3, **({"length": 5} if model == "multinomial" else {}))


def test_the_likelihood_of_a_document_leaves_the_prior_out():
    classifier = fitted("multinomial", "counts")
    joint = classifier.log_likelihood(TEXTS) + classifier.predictor_.log_prior
    np.testing.assert_allclose(
        joint - np.logaddexp.reduce(joint, axis=1, keepdims=True), classifier.predict_log_proba(TEXTS)
    )
    with pytest.raises(ValueError, match="no likelihood"):
        fitted("complement", "counts").log_likelihood(TEXTS)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_what_is_no_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        TextClassifier(n_jobs=n_jobs).fit(TEXTS, LABELS)


# Strings


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
def test_terms_are_never_spelled_out_unless_asked_for(ngrams, weights, tmp_path, monkeypatch):
    """Fitting, counting, learning, saving and predicting work on bytes: strings, and the dict of them, cost seconds."""
    monkeypatch.setattr(Terms, "strings", lambda *_: pytest.fail("spelled out"))
    monkeypatch.setattr(NgramTerms, "strings", lambda *_: pytest.fail("spelled out"))
    monkeypatch.setattr(NgramTerms, "numbers", lambda *_: pytest.fail("spelled out"))
    classifier = TextClassifier("multinomial", weights, ngrams=ngrams, min_df=2).fit(TEXTS * 2, LABELS * 2)
    classifier.learn(["new words here"], [LABELS[0]]).forget(["new words here"], [LABELS[0]])
    classifier.save(tmp_path / "model.tnb")
    expected = classifier.predict_log_proba(UNSEEN * 100)
    loaded = textnb.load(tmp_path / "model.tnb")
    np.testing.assert_array_equal(loaded.predict_log_proba(UNSEEN * 100), expected)
    np.testing.assert_array_equal(
        open_predictor(tmp_path / "model.tnb").log_proba(UNSEEN), loaded.predict_log_proba(UNSEEN)
    )
    vectorizer = textnb.TfidfVectorizer(ngram_range=ngrams, min_df=2)
    vectorizer.fit_transform(TEXTS * 2)
    vectorizer.transform(UNSEEN * 100)
    with pytest.raises(pytest.fail.Exception):
        vectorizer.vocabulary_  # noqa: B018
