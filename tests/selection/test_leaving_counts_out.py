"""Leaving documents out of a count model is fitting scikit-learn's without them."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.naive_bayes
from corpora_for_tests import corpus_or_skip
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.refitting import assert_same, refitted

import textnb
from textnb import arrays as compiled
from textnb.arrays import SparseRows
from textnb.likelihood import leave_one_out as leaving
from textnb.likelihood import touched
from textnb.selection import kfold_by_subtraction, leave_one_out, leave_one_out_scores
from textnb.text.weights import Weighting

MODELS = [
    ("MultinomialNB", {}),
    ("ComplementNB", {}),
    ("ComplementNB", {"norm": True}),
    ("BernoulliNB", {}),
]
every_model = pytest.mark.parametrize(
    ("name", "options"), MODELS, ids=["multinomial", "complement", "normed", "bernoulli"]
)
WAYS = {"entries": 0, "one model per group": 1e18}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Both ways of computing the same, whichever would pay."""
    monkeypatch.setattr(leaving, "_MODEL_PAYS", WAYS[request.param])


def pair(name, **parameters):
    return getattr(textnb, name)(**parameters), getattr(sklearn.naive_bayes, name)(**parameters)


@st.composite
def documents(draw, n_labels=3):
    n, width = draw(st.integers(1, 9)), draw(st.integers(2, 5))
    whole = st.integers(0, 4)
    weights = st.sampled_from([0.0, 0.0, 0.1, 0.7, 1.3])
    values = draw(st.sampled_from([whole, weights]))
    X = np.array(draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, n_labels - 1), min_size=n, max_size=n)))
    groups = draw(st.none() | st.lists(st.integers(0, 4), min_size=n, max_size=n) | st.permutations(range(n)))
    return (scipy.sparse.csr_array(X) if draw(st.booleans()) else X), y, groups


@given(documents(), st.sampled_from(MODELS), st.floats(1e-3, 10), st.booleans(), st.sampled_from(sorted(WAYS)))
@settings(max_examples=200)
def test_every_document_scores_as_in_scikit_learn_fitted_without_its_group(data, model, alpha, fit_prior, way):
    X, y, groups = data
    ours, theirs = pair(model[0], alpha=alpha, fit_prior=fit_prior, **model[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving, "_MODEL_PAYS", WAYS[way])
        assert_same(leave_one_out(ours, X, y, groups), refitted(theirs, X, y, groups), largest_term=1e-6)


@given(documents(), st.sampled_from([MODELS[0], MODELS[3]]), st.data())
@settings(max_examples=80)
def test_without_smoothing_it_is_our_own_model_fitted_anew(data, model, draw):
    X, y, groups = data
    alpha = draw.draw(st.lists(st.sampled_from([0.0, 0.5]), min_size=X.shape[1], max_size=X.shape[1]))
    ours = getattr(textnb, model[0])(alpha=draw.draw(st.sampled_from([0.0, alpha])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving, "_MODEL_PAYS", WAYS["entries"])
        assert_same(leave_one_out(ours, X, y, groups), refitted(ours, X, y, groups), largest_term=1e-6)


@pytest.fixture(scope="module")
def messages():
    corpus = corpus_or_skip("sms-spam")
    return textnb.CountVectorizer().fit_transform(corpus.texts[:2000]), np.asarray(corpus.labels[:2000])


@pytest.fixture(scope="module")
def threads():
    corpus = corpus_or_skip("20news", subset="train")
    if corpus.groups is None:
        pytest.skip("corpus not available: 20news with headers")
    chosen = [i for i, label in enumerate(corpus.labels) if label in ("sci.space", "sci.med", "talk.religion.misc")][
        :700
    ]
    X = textnb.CountVectorizer().fit_transform([corpus.texts[i] for i in chosen])
    return X, np.asarray(corpus.labels)[chosen], np.asarray(corpus.groups)[chosen]


@every_model
@pytest.mark.parametrize("weights", ["counts", "tf-idf"])
def test_messages_score_as_in_scikit_learn_fitted_without_them(messages, name, options, weights):
    X, y = messages
    if weights == "tf-idf":
        X = textnb.TfidfTransformer(sublinear_tf=True).fit_transform(X)
    rows = np.random.default_rng(0).choice(len(y), 25, replace=False)
    ours, theirs = pair(name, alpha=0.1, **options)
    assert_same(leave_one_out(ours, X, y)[rows], refitted(theirs, X, y, rows=rows))


@every_model
@pytest.mark.parametrize("weights", ["counts", "tf-idf"])
def test_newsgroup_posts_score_as_in_scikit_learn_fitted_without_their_threads(threads, name, options, weights):
    X, y, groups = threads
    if weights == "tf-idf":
        X = textnb.TfidfTransformer(sublinear_tf=True).fit_transform(X)
    rows = np.random.default_rng(0).choice(len(y), 20, replace=False)
    ours, theirs = pair(name, alpha=0.1, **options)
    assert_same(leave_one_out(ours, X, y, groups)[rows], refitted(theirs, X, y, groups, rows=rows))


@every_model
@pytest.mark.usefixtures("way")
def test_folds_score_as_in_scikit_learn_fitted_without_them(threads, name, options):
    X, y, _ = threads
    folds = np.arange(len(y)) % 4
    ours, theirs = pair(name, alpha=0.3, **options)
    assert_same(
        kfold_by_subtraction(ours, X, y, folds),
        refitted(theirs, X, y, folds, np.argsort(folds))[np.argsort(np.argsort(folds))],
    )


@every_model
@pytest.mark.usefixtures("way")
def test_alpha_may_differ_from_word_to_word(messages, name, options):
    X, y = messages
    X, y = X[:60], y[:60]
    alpha = np.random.default_rng(0).random(X.shape[1]) + 0.01
    ours, theirs = pair(name, alpha=alpha, **options)
    reference = ours if name == "BernoulliNB" else theirs  # scikit-learn's Bernoulli model takes no array
    groups = np.arange(60) // 2
    assert_same(leave_one_out(ours, X, y, groups), refitted(reference, X, y, groups))


@every_model
def test_priors_may_be_given(name, options):
    X, y = np.array([[2, 0, 1], [1, 0, 0], [0, 3, 1], [1, 2, 0]]), [0, 0, 1, 1]
    ours, theirs = pair(name, class_prior=[0.9, 0.1], **options)
    assert_same(leave_one_out(ours, X, y), refitted(theirs, X, y))


@every_model
@pytest.mark.usefixtures("way")
def test_a_class_left_empty_scores_minus_infinity(name, options):
    X, y = np.array([[2, 0, 1], [1, 1, 0], [0, 3, 1]]), ["ham", "ham", "spam"]
    for fit_prior in (True, False):
        ours, theirs = pair(name, fit_prior=fit_prior, **options)
        scores = leave_one_out(ours, X, y)
        assert np.isneginf(scores).tolist() == [[False, False], [False, False], [False, True]]
        assert_same(scores, refitted(theirs, X, y))
        assert np.isneginf(leave_one_out(ours, X, y, groups=[1, 1, 1])).all()


@pytest.mark.usefixtures("way")
def test_words_in_every_document_of_a_class_are_put_right():
    X, y = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1]]), np.array([0, 0, 0, 1, 1])
    ours, theirs = pair("BernoulliNB", alpha=1e-6)
    for groups in (None, [0, 0, 1, 1, 2]):
        assert_same(leave_one_out(ours, X, y, groups), refitted(theirs, X, y, groups))


@pytest.mark.parametrize("binarize", [0.5, None])
def test_the_bernoulli_model_draws_the_line_where_it_is_told(binarize):
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 6)), rng.integers(0, 2, 30)
    X = np.round(X) if binarize is None else X
    ours, theirs = pair("BernoulliNB", binarize=binarize)
    assert_same(leave_one_out(ours, X, y), refitted(theirs, X, y))
    assert_same(leave_one_out(ours, scipy.sparse.csr_matrix(X), y), refitted(theirs, X, y))


def test_a_complement_model_without_smoothing_is_refused_where_a_count_becomes_zero():
    X, y = np.array([[2, 1], [1, 1], [1, 3], [1, 0]]), [0, 0, 1, 1]
    textnb.ComplementNB(alpha=0).fit(X, y)
    with pytest.raises(ValueError, match="ComplementNB needs alpha > 0"):
        leave_one_out(textnb.ComplementNB(alpha=0), X, y)


def test_entries_stored_twice_or_as_zero_count_as_what_they_add_up_to():
    X = scipy.sparse.csr_array(([1, 1, 0, 3, 1], [0, 0, 1, 1, 0], [0, 3, 4, 5]), shape=(3, 2))
    y = [0, 1, 1]
    before = X.data.copy()
    for name, _ in MODELS[:3]:
        ours, _ = pair(name)
        assert_same(leave_one_out(ours, X, y), leave_one_out(ours, X.toarray(), y))
    assert (X.data == before).all()


@every_model
def test_blocks_make_no_difference(threads, name, options, monkeypatch):
    X, y, groups = threads
    X, y, groups = X[:150], y[:150], groups[:150] % 40
    monkeypatch.setattr(leaving, "_MODEL_PAYS", WAYS["entries"])
    monkeypatch.setattr(touched, "compiled_kernel", lambda: None)
    model = getattr(textnb, name)(**options)
    at_once = leave_one_out(model, X, y, groups)
    monkeypatch.setattr(touched, "_BLOCK", 500)
    monkeypatch.setattr(touched, "_CACHED", 100)
    assert leave_one_out(model, X, y, groups).tobytes() == at_once.tobytes()


# The kernel and the Python path


def by_kernel_and_python(name, rows, class_ids, alphas, groups, **options):
    """Scores of all alphas, (n_alphas, n, K), by the kernel and without it."""
    if compiled.compiled_kernel() is None:
        pytest.skip("the kernel was not built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving, "_MODEL_PAYS", WAYS["entries"])
        in_kernel = np.array(list(leave_one_out_scores(name, rows, class_ids, alphas, groups, **options)))
        patch.setattr(touched, "compiled_kernel", lambda: None)
        return in_kernel, np.array(list(leave_one_out_scores(name, rows, class_ids, alphas, groups, **options)))


def assert_same_decisions(in_kernel, in_python):
    """Equal to 1e-12, of the score or of 1, so that the most probable classes are the same."""
    np.testing.assert_allclose(in_kernel, in_python, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(in_kernel.argmax(axis=2), in_python.argmax(axis=2))


@given(
    documents(),
    st.sampled_from(["multinomial", "complement", "bernoulli"]),
    st.lists(st.floats(1e-10, 1e3), min_size=1, max_size=9),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_the_kernel_gives_what_the_python_path_gives(data, name, alphas, ignore_unseen, index_64):
    X, y, groups = data
    X = scipy.sparse.csr_array(X)
    X.eliminate_zeros()
    X.sort_indices()
    kind = np.int64 if index_64 else np.int32
    values = X.data.astype(np.int64) if (X.data == np.floor(X.data)).all() else X.data
    rows = SparseRows(X.indptr.astype(kind), X.indices.astype(kind), values, X.shape[1])
    class_ids = np.unique(y, return_inverse=True)[1]
    found = by_kernel_and_python(name, rows, class_ids, alphas, groups, ignore_unseen=ignore_unseen)
    np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["multinomial", "complement", "bernoulli"])
@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_kernel_decides_as_the_python_path_does(threads, name, weights, n_threads, monkeypatch):
    X, y, groups = threads
    counts = SparseRows(X.indptr, X.indices, X.data, X.shape[1])
    rows = Weighting.fitted(weights, counts).apply(counts)
    class_ids = np.unique(y, return_inverse=True)[1]
    monkeypatch.setattr(touched, "threads_that_pay", lambda *_: n_threads)
    for left_out in (None, groups):
        assert_same_decisions(*by_kernel_and_python(name, rows, class_ids, [1.0, 0.1, 0.001], left_out))


@pytest.mark.parametrize("name", ["multinomial", "complement", "bernoulli"])
def test_counts_too_large_for_a_table_and_alphas_too_small_for_the_kernel_are_scored_too(name, monkeypatch):
    X, y = scipy.sparse.csr_array([[3, 0, 1], [1, 2, 0], [0, 1, 1], [0, 2, 1]]), np.array([0, 0, 1, 1])
    rows = SparseRows(X.indptr, X.indices, X.data.astype(np.int64), 3)
    before = list(leave_one_out_scores(name, rows, y, [0.5, 1e-310]))
    monkeypatch.setattr(touched, "_TABLE", 1)
    np.testing.assert_allclose(list(leave_one_out_scores(name, rows, y, [0.5, 1e-310])), before, rtol=1e-12)
    assert np.isfinite(before).all()


def kernel_arguments(**changes):
    """Three rows of two groups, the second of two classes: arguments of the kernel, some changed."""
    parts = {
        "indptr": np.array([0, 1, 2, 3], dtype=np.int32),
        "indices": np.array([0, 1, 1], dtype=np.int32),
        "data": np.ones(3),
        "held": np.ones(3, dtype=np.int32),
        "order": np.arange(3),
        "cell_starts": np.arange(4),
        "group_cells": np.array([0, 1, 3]),
        "cell_class": np.array([0, 0, 1]),
        "counts": np.array([[1, 0], [1, 1]], dtype=np.int32),
        "alphas": np.ones(1),
        "table": np.log(np.arange(4.0)[:, np.newaxis] + np.ones(4)),
        "out": np.zeros((1, 3, 2)),
        "documents": np.array([1, 1, 0]),
        "changes": np.zeros((3, 1)),
        "others": False,
        "first": 0,
        "last": 2,
    }
    return (parts | changes).values()


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": np.array([0, 2, 1], dtype=np.int32)},
        {"indices": np.array([0, -1, 1], dtype=np.int32)},
        {"indptr": np.array([0, 1, 2, 4], dtype=np.int32)},
        {"data": np.ones(2)},
        {"held": np.ones(2, dtype=np.int32)},
        {"order": np.array([0, 1, 3])},
        {"order": np.array([0, 1])},
        {"cell_starts": np.array([0, 1, 2, 4])},
        {"cell_starts": np.array([0, 1, 2])},
        {"group_cells": np.array([0, 1, 4])},
        {"cell_class": np.array([0, 0, 2])},
        {"cell_class": np.array([0, 0, -1])},
        {"counts": np.array([[1, 0], [1, 4]], dtype=np.int32)},
        {"counts": np.array([[1, 0], [1, -1]], dtype=np.int32)},
        {"table": np.zeros((4, 5))},
        {"table": np.zeros((4, 0))},
        {"table": None},
        {"out": np.zeros((1, 2, 2))},
        {"out": np.zeros((1, 3, 1))},
        {"out": np.zeros((2, 3, 2))},
        {"documents": np.array([1, 1])},
        {"documents": np.array([1, 1, 4])},
        {"changes": np.zeros((2, 1))},
        {"changes": np.zeros((3, 2))},
        {"changes": None},
        {"last": 3},
        {"first": -1},
    ],
    ids=str,
)
def test_the_kernel_refuses_what_would_reach_out_of_bounds(changes):
    kernel = compiled.compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel was not built")
    kernel.leave_groups_out(*kernel_arguments())
    with pytest.raises(ValueError, match=r"row|column|cell|group|counts"):
        kernel.leave_groups_out(*kernel_arguments(**changes))


def test_the_kernel_stays_in_its_table_whatever_is_held():
    kernel = compiled.compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel was not built")
    for held in (-5, 2**31 - 1, -(2**31)):
        for others in (False, True):
            arguments = kernel_arguments(held=np.full(3, held, dtype=np.int32), others=others)
            *_, out, _, changes, _, _, _ = arguments
            kernel.leave_groups_out(*arguments)
            assert np.isfinite(out).all()
            assert np.isfinite(changes).all()


def test_many_alphas_give_what_each_gives_alone(threads):
    X, y, groups = threads
    classes, class_ids = np.unique(y, return_inverse=True)
    rows = SparseRows(X.indptr, X.indices, X.data, X.shape[1])
    alphas = [0.01, 1.0]
    for name, options in MODELS:
        model = getattr(textnb, name)(**options)
        together = leave_one_out_scores(model.family, rows, class_ids, alphas, groups, **options)
        for alpha, scores in zip(alphas, together, strict=True):
            assert scores.shape == (len(y), len(classes))
            assert_same(scores, leave_one_out(model.set_params(alpha=alpha), X, y, groups))
    for name, model in (("multinomial", textnb.MultinomialNB()), ("bernoulli", textnb.BernoulliNB())):
        (scores,) = leave_one_out_scores(name, rows, class_ids, [1.0])
        assert_same(scores, leave_one_out(model, X, y))


@every_model
@pytest.mark.parametrize("groups", [None, [0, 0, 1, 2, 2, 3, 4, 5]])
def test_words_that_only_the_left_out_have_can_be_ignored(way, name, options, groups):
    """As by a model fitted without them, for which they are no words."""
    random = np.random.default_rng(3)
    X = random.integers(0, 3, (8, 12)) * (random.random((8, 12)) < 0.4)
    y = np.array([0, 1, 0, 1, 2, 2, 0, 1])
    left_out = np.arange(8) if groups is None else np.array(groups)
    ours, theirs = pair(name, alpha=0.3, **options)
    expected = np.full((8, 3), -np.inf)
    for i in range(8):
        rest = left_out != left_out[i]
        known = X[rest].sum(axis=0) > 0
        theirs.fit(X[rest], y[rest])
        expected[i, theirs.classes_] = theirs.predict_joint_log_proba((X[i] * known)[np.newaxis])[0]
    sparse = scipy.sparse.csr_array(X)
    rows = SparseRows(sparse.indptr, sparse.indices, sparse.data, X.shape[1])
    (found,) = leave_one_out_scores(ours.family, rows, y, [0.3], groups, ignore_unseen=True, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    (smoothed,) = leave_one_out_scores(ours.family, rows, y, [0.3], groups, **options)
    assert not np.allclose(smoothed, expected, rtol=1e-3)


def test_terms_of_no_weight_say_nothing_even_where_a_class_never_has_them(recwarn):
    """0 log 0 = 0, without a warning."""
    from model.test_explanation import LABELS, TEXTS

    for model in ("multinomial", "bernoulli"):
        fitted = textnb.TextClassifier(model=model, weights="counts", alpha=0.0, calibrate=False).fit(TEXTS, LABELS)
        assert not np.isnan(fitted.leave_one_out()).any()
    assert [str(warning.message) for warning in recwarn] == []
