"""Every count model against a loop over its definition, against scikit-learn, and against itself in batches."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.naive_bayes
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from laws import naive_models

from textnb import BernoulliNB, ComplementNB, MultinomialNB

pytestmark = pytest.mark.filterwarnings("error")

MODELS = {
    "multinomial": MultinomialNB(),
    "complement": ComplementNB(),
    "complement-norm": ComplementNB(norm=True),
    "bernoulli": BernoulliNB(),
}
every_model = pytest.mark.parametrize("name", MODELS)


def with_explicit_zeros(X):
    """A CSR matrix that stores every value, the zeros too."""
    n_rows, n_columns = X.shape
    indices = np.tile(np.arange(n_columns), n_rows)
    return scipy.sparse.csr_array((X.ravel(), indices, np.arange(n_rows + 1) * n_columns), shape=X.shape)


CONTAINERS = [
    np.asarray,
    np.asfortranarray,
    lambda X: X.astype(np.float32),
    scipy.sparse.csr_matrix,
    scipy.sparse.csr_array,
    scipy.sparse.csc_array,
    scipy.sparse.coo_matrix,
    lambda X: scipy.sparse.csr_array(X.astype(np.float32)),
    with_explicit_zeros,
]
BINARY_CONTAINERS = [lambda X: X.astype(bool), lambda X: scipy.sparse.csr_array(X.astype(bool))]

laplace = st.just(1.0)
lidstone = st.floats(1e-3, 0.999)
smoothings = st.one_of(laplace, lidstone, st.floats(1, 100))
alphas_from_zero = st.just(0.0) | smoothings
one_to_four = st.integers(1, 4)


@dataclass
class Case:
    """A training set, how it is packed, and the settings of a model."""

    X: np.ndarray
    y: list[str]
    weights: list[float] | None
    alpha: Any
    learned: bool
    given: list[float] | None
    pack: Any

    def __repr__(self) -> str:
        return f"Case({self.X.tolist()}, {self.y}, {self.weights}, {self.alpha}, {self.learned}, {self.given})"

    def fitted(self, model):
        settings = {"alpha": self.alpha, "fit_prior": self.learned, "class_prior": self.given}
        return type(model)(**{**model.get_params(), **settings}).fit(self.pack(self.X), self.y, self.weights)


@st.composite
def cases(draw, alphas=alphas_from_zero, per_feature=True, columns=one_to_four):
    n_rows, n_columns = draw(st.integers(1, 6)), draw(columns)
    kind = draw(st.sampled_from(["counts", "weights", "binary"]))
    values = {
        "counts": st.integers(0, 9),
        "weights": st.integers(0, 40).map(lambda x: x / 8),
        "binary": st.integers(0, 1),
    }
    row = st.lists(values[kind], min_size=n_columns, max_size=n_columns)
    X = np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)))
    y = draw(st.lists(st.sampled_from("abcd"), min_size=n_rows, max_size=n_rows))
    n_classes = len(set(y))
    weights = draw(st.none() | st.lists(st.integers(0, 12).map(lambda w: w / 4), min_size=n_rows, max_size=n_rows))
    assume(weights is None or any(weights))
    alpha = draw(alphas)
    if per_feature and draw(st.booleans()):
        alpha = draw(st.lists(alphas, min_size=n_columns, max_size=n_columns))
    given = draw(st.none() | st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=n_classes, max_size=n_classes))
    assume(given is None or any(given))
    pack = draw(st.sampled_from(CONTAINERS + BINARY_CONTAINERS if kind == "binary" else CONTAINERS))
    return Case(X, y, weights, alpha, draw(st.booleans()), given, pack)


def expected_joint(name, case):
    """The joint log-likelihood of every row by definition, and the log priors."""
    binary = [[float(x > 0) for x in row] for row in case.X.tolist()]
    rows = binary if name == "bernoulli" else case.X.tolist()
    seen = naive_models.Counted(rows, case.y, case.weights or [1] * len(rows), case.alpha)
    log_prior = naive_models.log_priors(seen, case.learned, case.given)
    if name.startswith("complement"):
        scores = [naive_models.complement(seen, row, norm=name.endswith("norm")) for row in rows]
        if len(seen.classes) > 1:
            return scores, log_prior
    else:
        scores = [getattr(naive_models, name)(seen, row) for row in rows]
    return [[s + p for s, p in zip(row, log_prior, strict=True)] for row in scores], log_prior


@every_model
@given(case=cases())
def test_a_model_is_the_loop_over_its_definition(name, case):
    if name.startswith("complement"):
        seen = naive_models.Counted(case.X.tolist(), case.y, case.weights or [1] * len(case.y), case.alpha)
        if min(min(naive_models.complement_counts(seen, c)) for c in range(len(seen.classes))) == 0:
            with pytest.raises(ValueError, match="needs alpha > 0"):
                case.fitted(MODELS[name])
            return
    joint, log_prior = expected_joint(name, case)
    model = case.fitted(MODELS[name])
    np.testing.assert_allclose(model.class_log_prior_, log_prior, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.predict_joint_log_proba(case.pack(case.X)), joint, rtol=1e-10, atol=1e-10)
    posterior = model.predict_proba(case.pack(case.X))
    np.testing.assert_allclose(
        posterior, [naive_models.posterior(row, log_prior) for row in joint], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-12)


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=2), min_size=2, max_size=6),
    st.tuples(smoothings, smoothings),
)
def test_bernoulli_smooths_each_feature_by_its_own_alpha_also_with_as_many_classes_as_features(X, alpha):
    """scikit-learn's BernoulliNB adds 2·alpha[c] to the documents of class c here, without a word; textnb does not."""
    y = ["a", "b"] + ["b"] * (len(X) - 2)
    case = Case(np.array(X), y, None, list(alpha), True, None, np.asarray)
    joint, _ = expected_joint("bernoulli", case)
    np.testing.assert_allclose(case.fitted(BernoulliNB()).predict_joint_log_proba(X), joint, rtol=1e-10, atol=1e-12)


def test_scikit_learn_is_silently_wrong_there():
    """What the test above guards against; if this fails, scikit-learn has mended it and the note can go."""
    X, y, alpha = [[1, 0], [0, 1], [1, 1]], ["a", "b", "b"], [0.5, 2.0]
    theirs = sklearn.naive_bayes.BernoulliNB(alpha=alpha).fit(X, y)
    ours = BernoulliNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(np.exp(ours.feature_log_prob_), [[1.5 / 2, 2 / 5], [1.5 / 3, 4 / 6]], rtol=1e-14)
    np.testing.assert_allclose(np.exp(theirs.feature_log_prob_), [[1.5 / 2, 2 / 2], [1.5 / 6, 4 / 6]], rtol=1e-14)


@every_model
@settings(max_examples=70)
@given(data=st.data())
def test_results_are_scikit_learns(name, data):
    """With some smoothing, and more than one feature for the normalised complement (scikit-learn gives NaN for one)."""
    case = data.draw(cases(alphas=smoothings, per_feature=name != "bernoulli", columns=st.integers(2, 4)))
    ours = case.fitted(MODELS[name])
    namesake = getattr(sklearn.naive_bayes, type(ours).__name__)
    with np.errstate(divide="ignore"):
        theirs = namesake(**ours.get_params()).fit(case.pack(case.X), case.y, case.weights)
        expected = theirs.predict_joint_log_proba(case.pack(case.X))
    for attribute in ("class_count_", "feature_count_", "class_log_prior_", "feature_log_prob_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-10, atol=1e-14)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    X = case.pack(case.X)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), expected, rtol=1e-10, atol=1e-12)
    if np.isfinite(expected).any(axis=1).all():
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10, atol=1e-12)
        chosen = expected[np.arange(len(case.y)), np.searchsorted(ours.classes_, ours.predict(X))]
        np.testing.assert_allclose(chosen, expected.max(axis=1), rtol=1e-10, atol=1e-12)


@every_model
@settings(max_examples=50)
@given(case=cases(alphas=smoothings), data=st.data())
def test_partial_fit_in_any_batches_is_fit(name, case, data):
    whole = case.fitted(MODELS[name])
    order = np.array(data.draw(st.permutations(range(len(case.y)))))
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(case.y) - 1)), max_size=3)))
    model = type(whole)(**whole.get_params())
    for part in (part for part in np.split(order, cuts) if part.size):
        weights = None if case.weights is None else np.array(case.weights)[part]
        assume(weights is None or weights.any())
        model.partial_fit(case.pack(case.X[part]), np.array(case.y)[part], whole.classes_, weights)
    # eighths and quarters add up exactly in floating point, in any order
    assert model.statistics_ == whole.statistics_
    np.testing.assert_array_equal(model.feature_log_prob_, whole.feature_log_prob_)
    np.testing.assert_array_equal(model.class_log_prior_, whole.class_log_prior_)


@every_model
@settings(max_examples=50)
@given(case=cases(alphas=smoothings))
def test_the_container_does_not_matter(name, case):
    packed, X = case.fitted(MODELS[name]), case.pack(case.X)
    plain = replace(case, pack=np.asarray).fitted(MODELS[name])
    assert packed.statistics_ == plain.statistics_
    np.testing.assert_allclose(packed.predict_joint_log_proba(X), plain.predict_joint_log_proba(case.X), rtol=1e-13)
