"""`<UNK>`: what it counts in training and in prediction, and that unknown words get an honest probability."""

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip

from textnb import CountVectorizer, TextClassifier, TfidfVectorizer

# seen once: cat, fox, and hat; sat and the more often
TEXTS = ["the cat sat", "the fox sat sat", "the hat"]


def unknown_counts(texts=TEXTS, **settings):
    """The `<UNK>` column of the training matrix."""
    vectorizer = CountVectorizer(unknown="token", **settings)
    X = vectorizer.fit_transform(texts)
    assert vectorizer.get_feature_names_out()[-1] == "<UNK>"
    assert X.shape[1] == len(vectorizer.vocabulary_) + 1
    return X.toarray()[:, -1].tolist()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"min_df": 2}, [1, 1, 1]),
        ({"max_df": 2}, [1, 1, 1]),  # leaves "the" out
        ({"min_df": 2, "max_df": 2}, [2, 2, 2]),
        ({"max_features": 1, "stop_words": ["the"]}, [1, 1, 1]),  # leaves "sat"
        ({"vocabulary": ["cat", "sat"]}, [1, 2, 2]),
        ({"stop_words": ["the"], "min_df": 2}, [1, 1, 1]),  # a stop word is no unknown word
    ],
)
def test_in_training_it_counts_what_is_left_out(settings, expected):
    assert unknown_counts(**settings) == expected


@pytest.mark.parametrize("settings", [{}, {"max_features": 100}, {"vocabulary": ["cat", "fox", "hat", "sat", "the"]}])
def test_where_nothing_is_left_out_it_counts_words_seen_once_and_they_stay(settings):
    assert unknown_counts(**settings) == [1, 1, 1]
    vectorizer = CountVectorizer(unknown="token", **settings).fit(TEXTS)
    assert {"cat", "fox", "hat"} <= set(vectorizer.vocabulary_)


def test_a_word_twice_in_one_document_is_not_seen_once():
    assert unknown_counts(["sat sat cat", "cat"]) == [0, 0]


def test_in_prediction_every_word_outside_counts_one():
    vectorizer = CountVectorizer(unknown="token").fit(TEXTS)
    X = vectorizer.transform(["the unicorn saw a green green dragon", "the cat", ""])
    assert X.toarray()[:, -1].tolist() == [5, 0, 0]


def test_the_rest_of_the_matrix_is_the_same_without_it():
    for settings in ({}, {"min_df": 2}, {"max_features": 2}, {"ngram_range": (1, 2)}):
        plain = CountVectorizer(**settings)
        with_unknown = CountVectorizer(unknown="token", **settings)
        X, Z = plain.fit_transform(TEXTS).toarray(), with_unknown.fit_transform(TEXTS).toarray()
        np.testing.assert_array_equal(Z[:, :-1], X)
        assert with_unknown.vocabulary_ == plain.vocabulary_


def test_ngrams_outside_the_vocabulary_count_one_each():
    vectorizer = CountVectorizer(unknown="token", ngram_range=(1, 2), vocabulary=["the", "cat", "the cat"])
    X = vectorizer.fit_transform(["the cat sat"])  # left out: sat, cat sat
    assert X.toarray().tolist() == [[1, 1, 1, 2]]
    assert vectorizer.transform(["the the fox"]).toarray().tolist() == [[2, 0, 0, 3]]


def test_binary_says_whether_there_is_any():
    vectorizer = CountVectorizer(unknown="token", binary=True, min_df=2)
    assert vectorizer.fit_transform([*TEXTS, "the sat"]).toarray()[:, -1].tolist() == [1, 1, 1, 0]
    assert vectorizer.transform(["the red red dragon", "the"]).toarray()[:, -1].tolist() == [1, 0]


def test_the_document_frequency_of_tfidf_is_the_documents_with_any():
    vectorizer = TfidfVectorizer(unknown="token", min_df=2).fit([*TEXTS, "the sat", "the big bad wolf"])
    assert vectorizer.idf_[-1] == pytest.approx(1 + np.log((5 + 1) / (4 + 1)))
    X = vectorizer.transform(["dragon"])
    assert X.toarray()[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("settings", [{"tokenizer": "whitespace"}, {"token_pattern": r"\S+"}])
def test_a_literal_unk_is_an_ordinary_word(settings):
    vectorizer = CountVectorizer(unknown="token", lowercase=False, **settings)
    X = vectorizer.fit_transform(["<UNK> <UNK> cat", "cat <UNK>"])
    assert vectorizer.get_feature_names_out().tolist() == ["<UNK>", "cat", "<UNK>"]
    assert X.toarray().tolist() == [[2, 1, 0], [1, 1, 0]]
    assert vectorizer.transform(["<UNK> dragon"]).toarray().tolist() == [[1, 0, 1]]


def test_a_literal_unk_outside_the_vocabulary_is_unknown_like_any_other():
    vectorizer = CountVectorizer(unknown="token", lowercase=False, tokenizer="whitespace", vocabulary=["cat"])
    assert vectorizer.transform(["<UNK> cat"]).toarray().tolist() == [[1, 1]]
    assert CountVectorizer(lowercase=False, tokenizer="whitespace", vocabulary=["cat"]).transform(
        ["<UNK> cat"]
    ).toarray().tolist() == [[1]]


# Probabilities, by hand. Class a: 2 documents, tokens the cat sat the fox sat sat; class b: the hat hat.
# Left out by min_df=2 over all: a: cat, fox; b: hat hat. Vocabulary: sat, the.
LABELLED = ["the cat sat", "the fox sat sat", "the hat hat"], ["a", "a", "b"]


def fitted(model, weights="counts", **settings):
    return TextClassifier(model, weights, unknown="token", min_df=2, **settings).fit(*LABELLED)


def unknown_weights(classifier):
    return classifier.predictor_.rule.coef[:, -1]


def test_multinomial_gives_unknown_words_their_share():
    classifier = fitted("multinomial")
    assert classifier.statistics_.totals.toarray().T.tolist() == [[3, 2, 2], [0, 1, 2]]  # sat, the, <UNK>
    np.testing.assert_allclose(np.exp(unknown_weights(classifier)), [(2 + 1) / (7 + 3), (2 + 1) / (3 + 3)])


def test_complement_takes_the_share_in_the_other_classes():
    np.testing.assert_allclose(np.exp(-unknown_weights(fitted("complement"))), [3 / 6, 3 / 10])


def test_bernoulli_asks_whether_a_document_contains_any():
    classifier = fitted("bernoulli")
    assert classifier.statistics_.totals.toarray().T.tolist() == [[2, 2, 2], [0, 1, 1]]
    present = np.array([(2 + 1) / (2 + 2), (1 + 1) / (1 + 2)])
    np.testing.assert_allclose(unknown_weights(classifier), np.log(present / (1 - present)))
    once, twice = classifier.predict_log_proba(["the dragon", "the dragon unicorn"])
    np.testing.assert_array_equal(once, twice)


@pytest.mark.parametrize("weights", ["tfidf", "log-tfidf", "binary"])
@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_weighted_models_count_unknown_words_by_their_weight(model, weights):
    classifier = fitted(model, weights)
    vectorizer = TfidfVectorizer(
        unknown="token",
        min_df=2,
        binary=weights == "binary",
        use_idf=weights != "binary",
        norm=None if weights == "binary" else "l2",
        sublinear_tf=weights == "log-tfidf",
    )
    X = vectorizer.fit_transform(LABELLED[0]).toarray()
    np.testing.assert_allclose(classifier.statistics_.totals.toarray().T, [X[:2].sum(axis=0), X[2]])
    assert (classifier.statistics_.totals.toarray()[-1] > 0).all()


@pytest.mark.parametrize("model", ["multinomial", "complement", "bernoulli"])
def test_ignored_words_change_nothing(model):
    classifier = TextClassifier(model, min_df=2).fit(*LABELLED)
    one, other = classifier.predict_log_proba(["the", "the green dragon"])
    np.testing.assert_array_equal(one, other)


def log_odds(classifier, text):
    (with_text,), (without,) = (classifier.predict_log_proba([document], raw=True) for document in (text, ""))
    return float(np.diff(with_text - without)[0])


def test_an_unknown_word_says_almost_nothing_about_spam():
    """With smoothing alone it would speak for the smaller class, spam: a large vocabulary seen seldom there."""
    corpus = corpus_or_skip("sms-spam")
    classifier = TextClassifier("multinomial", "counts", unknown="token").fit(corpus.texts, corpus.labels)
    assert round(log_odds(classifier, "zzyzx"), 2) == -0.23
    assert log_odds(classifier, "zzyzx xyzzyx") == pytest.approx(2 * log_odds(classifier, "zzyzx"))

    totals = classifier.statistics_.totals.toarray()
    ham, spam = totals[:-1].sum(axis=0)
    n_terms = len(classifier.vocabulary_)
    assert totals[-1].sum() == (totals.sum(axis=1) == 1).sum()
    assert round(float(np.log((ham + n_terms) / (spam + n_terms))), 2) == 1.01
