"""What users do to a vectorizer: containers, odd documents, cloning, pickling, pipelines, searches."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
import sklearn.feature_extraction.text as theirs
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from textnb import CountVectorizer, MultinomialNB, TfidfTransformer, TfidfVectorizer
from textnb.arrays import kernel_name

TEXTS = ["The cat sat on the mat.", "A dog, a dog!", "", "the mat of the cat", "dog on mat"]
LABELS = ["cat", "dog", "cat", "cat", "dog"]

both = pytest.mark.parametrize("Vectorizer", [CountVectorizer, TfidfVectorizer])


def assert_same(X, Z):
    """Equal, entry by entry."""
    assert X.shape == Z.shape
    assert X.dtype == Z.dtype
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(X, part), getattr(Z, part))


# Parameters


@both
def test_scikit_learns_parameters_have_its_defaults(Vectorizer):
    expected = getattr(theirs, Vectorizer.__name__)().get_params()
    ours = Vectorizer().get_params()
    assert expected.items() <= ours.items()
    assert set(ours) - set(expected) == {"unknown", "stemmer", "n_jobs"}


@both
def test_parameters_can_be_read_set_and_cloned(Vectorizer):
    vectorizer = Vectorizer(ngram_range=(1, 2), stop_words=["the"], unknown="token", stemmer="porter", n_jobs=2)
    assert Vectorizer().set_params(**vectorizer.get_params()).get_params() == vectorizer.get_params()
    copy = clone(vectorizer.fit(TEXTS))
    assert copy.get_params() == vectorizer.get_params()
    assert not hasattr(copy, "vocabulary_")


@both
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unknown": "maybe"}, "unknown must be one of 'ignore', 'token', got 'maybe'"),
        ({"input": "url"}, "input must be one of 'filename', 'file', 'content'"),
        ({"decode_error": "guess"}, "decode_error must be one of"),
        ({"analyzer": "words"}, "not a valid tokenization scheme"),
        ({"min_df": 1.5}, "min_df must be a whole number from 1 or a float from 0.0 to 1.0, got 1.5"),
        ({"min_df": 0}, "min_df must be"),
        ({"max_df": -1}, "max_df must be"),
        ({"max_df": True}, "max_df must be"),
        ({"min_df": 4, "max_df": 2}, "max_df corresponds to < documents than min_df"),
        ({"max_features": 0}, "max_features must be a whole number from 1 or None, got 0"),
        ({"stop_words": "latin"}, "not a built-in stop list: latin"),
        ({"vocabulary": []}, "empty vocabulary passed to fit"),
        ({"vocabulary": {"cat": 0, "dog": 2}}, "doesn't contain index 1"),
        ({"token_pattern": "("}, "is not a regular expression"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(Vectorizer, settings, message):
    with pytest.raises(ValueError, match=message):
        Vectorizer(**settings).fit(TEXTS)


@both
def test_the_number_of_threads_changes_nothing(Vectorizer):
    alone = Vectorizer().fit_transform(TEXTS)
    for n_jobs in (1, 2, -1):
        assert_same(Vectorizer(n_jobs=n_jobs).fit_transform(TEXTS), alone)


# Before and after fit


@both
@pytest.mark.parametrize("call", ["transform", "get_feature_names_out", "inverse_transform"])
def test_nothing_works_before_fit(Vectorizer, call):
    arguments = {"transform": [TEXTS], "inverse_transform": [[[1]]]}.get(call, [])
    with pytest.raises(NotFittedError):
        getattr(Vectorizer(), call)(*arguments)


@both
def test_fitting_again_forgets_and_repeats(Vectorizer):
    vectorizer = Vectorizer().fit(["something else"])
    first = vectorizer.fit_transform(TEXTS)
    assert_same(vectorizer.fit_transform(TEXTS), first)
    assert_same(vectorizer.transform(TEXTS), first)
    assert_same(Vectorizer().fit(TEXTS).transform(TEXTS), first)


@both
def test_fit_changes_no_parameter(Vectorizer):
    vocabulary = {"dog": 1, "cat": 0}
    vectorizer = Vectorizer(vocabulary=vocabulary, stop_words=["on"])
    before = dict(vectorizer.get_params())
    vectorizer.fit_transform(TEXTS)
    assert vectorizer.get_params() == before
    assert vectorizer.vocabulary is vocabulary
    assert vocabulary == {"dog": 1, "cat": 0}


@both
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_a_row_depends_on_its_document_alone(Vectorizer, unknown):
    vectorizer = Vectorizer(ngram_range=(1, 2), unknown=unknown).fit(TEXTS[:3])
    whole = vectorizer.transform(TEXTS)
    assert_same(vectorizer.transform(TEXTS[::-1]), whole[::-1])
    assert_same(vectorizer.transform(TEXTS[1:3]), whole[1:3])
    assert vectorizer.transform([]).shape == (0, whole.shape[1])


@both
def test_the_vocabulary_does_not_depend_on_the_order_of_documents(Vectorizer):
    forward, backward = (Vectorizer(min_df=2).fit(texts) for texts in (TEXTS, TEXTS[::-1]))
    assert forward.vocabulary_ == backward.vocabulary_
    assert_same(forward.transform(TEXTS), backward.transform(TEXTS))


@both
def test_a_pickled_vectorizer_is_the_same(Vectorizer):
    vectorizer = Vectorizer(unknown="token", stop_words="english", stemmer="porter", tokenizer="wordpunct")
    X = vectorizer.fit_transform(TEXTS)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert_same(again.transform(TEXTS), vectorizer.transform(TEXTS))
    assert again.get_params() == vectorizer.get_params()
    assert_same(pickle.loads(pickle.dumps(Vectorizer())).set_params(**again.get_params()).fit_transform(TEXTS), X)


@both
def test_names_belong_to_columns(Vectorizer):
    vectorizer = Vectorizer(unknown="token", min_df=2).fit(TEXTS)
    names = vectorizer.get_feature_names_out()
    assert names.dtype == object
    assert names.tolist() == ["cat", "dog", "mat", "on", "the", "<UNK>"]
    X = vectorizer.transform(["the dragon", "mat"])
    assert [row.tolist() for row in vectorizer.inverse_transform(X)] == [["the", "<UNK>"], ["mat"]]
    assert [row.tolist() for row in vectorizer.inverse_transform(X.toarray())] == [["the", "<UNK>"], ["mat"]]


# Documents and their containers


@both
@pytest.mark.parametrize(
    "container",
    [
        tuple,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: np.array(texts).reshape(-1, 1),
        lambda texts: pd.Series(texts, index=range(10, 10 + len(texts))),
        lambda texts: pd.DataFrame({"text": texts}),
        lambda texts: pd.DataFrame({"text": texts})["text"],
        iter,
        lambda texts: [text.encode() for text in texts],
    ],
    ids=["tuple", "array", "objects", "column", "Series", "DataFrame", "its column", "iterator", "bytes"],
)
def test_documents_come_in_many_containers(Vectorizer, container):
    vectorizer = Vectorizer()
    assert_same(vectorizer.fit_transform(container(TEXTS)), Vectorizer().fit_transform(TEXTS))
    assert_same(vectorizer.transform(container(TEXTS)), vectorizer.transform(TEXTS))


@both
@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform"])
def test_a_bare_string_is_refused(Vectorizer, method):
    with pytest.raises(ValueError, match="string object received"):
        getattr(Vectorizer().fit(TEXTS), method)("the cat")


@both
@pytest.mark.parametrize("strange", [None, np.nan, pd.NA, 7, ["cat"], np.array([1, 2])], ids=repr)
def test_what_is_no_document_is_named_with_its_position(Vectorizer, strange):
    with pytest.raises(ValueError, match="document 3: "):
        Vectorizer().fit([*TEXTS[:3], strange])
    with pytest.raises(ValueError, match="document 1: "):
        Vectorizer().fit(TEXTS).transform(["cat", strange])


@both
def test_bytes_are_decoded_as_told(Vectorizer):
    latin = [text.encode("latin-1") for text in ("café noir", "thé")]
    assert set(Vectorizer(encoding="latin-1").fit(latin).vocabulary_) == {"café", "noir", "thé"}
    assert set(Vectorizer(decode_error="ignore").fit(latin).vocabulary_) == {"caf", "noir", "th"}
    with pytest.raises(UnicodeDecodeError, match="document 0: "):
        Vectorizer().fit(latin)


@both
def test_documents_are_read_from_files(Vectorizer, tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_text(text)
    expected = Vectorizer().fit_transform(TEXTS)
    assert_same(Vectorizer(input="filename").fit_transform([str(path) for path in paths]), expected)
    handles = [path.open("rb") for path in paths]
    assert_same(Vectorizer(input="file").fit_transform(handles), expected)
    for handle in handles:
        handle.close()


@both
def test_empty_documents_are_empty_rows(Vectorizer):
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform(["", "cat", " \n", "!"])
    assert np.diff(X.indptr).tolist() == [0, 1, 0, 0]
    assert np.isfinite(X.toarray()).all()
    assert vectorizer.transform([""]).nnz == 0


@both
@pytest.mark.parametrize("texts", [[], [""], ["a b", "!"]])
def test_an_empty_vocabulary_is_an_error(Vectorizer, texts):
    with pytest.raises(ValueError, match="empty vocabulary; perhaps the documents only contain stop words"):
        Vectorizer().fit(texts)


@both
def test_limits_that_leave_nothing_are_an_error(Vectorizer):
    with pytest.raises(ValueError, match=r"After pruning, no terms remain. Try a lower min_df or a higher max_df"):
        Vectorizer(min_df=5).fit(TEXTS)


ODD = {
    "lone surrogates": ["ab\ud800cd", "\udfff", "\ud83d\ude00 ab"],
    "NUL": ["ab\x00cd", "\x00", "ab"],
    "byte order mark": ["\ufeffab cd", "ab"],
    "controls": ["ab\x1bcd\x85ef\u2028gh", "ab"],
    "joiners": ["ab\u200dcd", "a\u0301b\u0301", "ab"],
}


@both
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("texts", ODD.values(), ids=ODD)
def test_odd_characters_are_counted_as_scikit_learn_counts_them(Vectorizer, texts, analyzer):
    ours = Vectorizer(analyzer=analyzer, ngram_range=(1, 2))
    expected = getattr(theirs, Vectorizer.__name__)(analyzer=analyzer, ngram_range=(1, 2))
    X, Z = ours.fit_transform(texts), expected.fit_transform(texts)
    assert ours.vocabulary_ == expected.vocabulary_
    np.testing.assert_allclose(X.toarray(), Z.toarray(), rtol=1e-14)


@both
def test_a_word_of_ten_million_characters_is_one_word(Vectorizer):
    huge = "x" * 10_000_000
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform([huge, "cat"])
    assert sorted(vectorizer.vocabulary_) == sorted([huge, "cat"])
    assert X.toarray().tolist() == [[0, 1], [1, 0]]


def test_items_of_any_kind_go_to_a_users_own_analyzer():
    ours = CountVectorizer(analyzer=lambda numbers: numbers)
    X = ours.fit_transform([[3, 1, 3], (2,)])
    assert ours.vocabulary_ == {1: 0, 2: 1, 3: 2}
    assert X.toarray().tolist() == [[1, 0, 2], [0, 1, 0]]


# With scikit-learn


@both
def test_it_works_in_a_pipeline(Vectorizer):
    pipeline = make_pipeline(Vectorizer(), MultinomialNB()).fit(TEXTS, LABELS)
    assert pipeline.predict(["cat", "dog"]).tolist() == ["cat", "dog"]
    assert pipeline[:-1].get_feature_names_out().tolist() == pipeline[0].get_feature_names_out().tolist()


@both
def test_it_can_be_searched_over_by_name(Vectorizer):
    name = Vectorizer.__name__.lower()
    grid = {f"{name}__ngram_range": [(1, 1), (1, 2)], f"{name}__unknown": ["ignore", "token"]}
    search = GridSearchCV(make_pipeline(Vectorizer(), MultinomialNB()), grid, cv=2, error_score="raise")
    search.fit(TEXTS * 2, LABELS * 2)
    assert len(search.cv_results_["params"]) == 4
    assert search.predict(["dog"]).tolist() == ["dog"]


@both
def test_the_kind_of_matrix_is_the_one_scikit_learn_is_set_to(Vectorizer):
    kind = type(getattr(theirs, Vectorizer.__name__)().fit_transform(TEXTS))
    assert type(Vectorizer().fit_transform(TEXTS)) is kind
    assert type(Vectorizer().fit(TEXTS).transform(TEXTS)) is kind


@pytest.mark.skipif("sparse_interface" not in sklearn.get_config(), reason="this scikit-learn has no such setting")
@pytest.mark.parametrize(
    ("setting", "kind"), [("sparray", scipy.sparse.csr_array), ("spmatrix", scipy.sparse.csr_matrix)]
)
def test_either_kind_of_matrix_can_be_asked_for(setting, kind):
    with sklearn.config_context(sparse_interface=setting):
        assert type(CountVectorizer().fit_transform(TEXTS)) is kind
        assert type(TfidfVectorizer().fit_transform(TEXTS)) is kind


def test_documents_that_are_tokens_already_go_through_a_tokenizer_that_returns_them():
    vectorizer = CountVectorizer(tokenizer=lambda tokens: tokens, lowercase=False, token_pattern=None)
    assert vectorizer.fit_transform([["a", "b", "a"], ["c"]]).toarray().tolist() == [[2, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("idf", [np.array([1, 2]), np.array([1, 2], dtype=np.float32), np.arange(1.0, 5.0)[::2]])
def test_any_array_will_do_as_idf(idf):
    vectorizer = TfidfVectorizer(norm=None).fit(["cat dog"])
    vectorizer.idf_ = idf
    assert vectorizer.transform(["cat dog"]).toarray().tolist() == [idf.tolist()]


def test_counts_that_have_no_weight_are_refused():
    with pytest.raises(ValueError, match="NaN or infinity"):
        TfidfTransformer(sublinear_tf=True).fit_transform([[0.0, -1.0], [1.0, 1.0]])


def test_many_small_batches_reach_the_kernel_too():
    vectorizer = CountVectorizer().fit([f"word{i} and more" for i in range(2000)])
    for _ in range(2000):
        vectorizer.transform(["word7 and no more"])
    assert vectorizer._features.terms.has_probe or kernel_name() == "Python"


def test_ngrams_reach_the_kernel_as_soon_as_their_words_would():
    """They are found by their words: a million bigrams of a few thousand words take no longer to compile."""
    words = [f"word{i}" for i in range(50)]
    vectorizer = CountVectorizer(ngram_range=(1, 2)).fit([f"{a} {b}" for a in words for b in words])
    vectorizer.transform(["word7 word9 " * 20])  # 240 characters: more than 4 per word, fewer than 4 per bigram
    assert vectorizer._features.terms.has_probe or kernel_name() == "Python"


def test_combining_marks_belong_to_words_on_the_engine_with_a_time_limit():
    """Unlike scikit-learn's: a pattern with a repeated group runs on `regex`, whose \\w follows Unicode."""
    vectorizer = CountVectorizer(token_pattern=r"\w+(?:'\w+)?").fit(["e\u0301cole it's"])
    assert sorted(vectorizer.vocabulary_) == ["e\u0301cole", "it's"]


def test_a_vocabulary_that_is_changed_in_place_is_counted_by():
    vectorizer = CountVectorizer().fit(["the cat sat"])
    vectorizer.vocabulary_["zebra"] = len(vectorizer.vocabulary_)
    assert vectorizer.transform(["zebra cat"]).toarray().tolist() == [[1, 0, 0, 1]]


@pytest.mark.parametrize("vocabulary", [[1, 2, 3], [("the", "cat"), "cat"], ["the", 1]])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_given_terms_that_are_no_strings_have_columns_too(vocabulary, ngram_range):
    counts = CountVectorizer(vocabulary=vocabulary, ngram_range=ngram_range).fit_transform(["the cat sat"]).toarray()
    assert counts.tolist() == [[int(term in ("the", "cat")) for term in vocabulary]]
