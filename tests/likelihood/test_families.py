"""The registry of families, and what holds for every family in it."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from textnb.arrays import SparseRows
from textnb.likelihood.families import FAMILIES, NO_LIKELIHOOD, family

pytestmark = pytest.mark.filterwarnings("error")

LINEAR = [name for name, family in FAMILIES.items() if family.rule_kind == "linear"]
CLEAR_TERMS = [name for name in FAMILIES if name not in LINEAR]
every_linear_family = pytest.mark.parametrize("name", LINEAR)


@st.composite
def counted(draw):
    """Totals (V, K) of presences, documents (K,), one alpha or one per feature, and some of the features."""
    n_features, n_classes = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    documents = np.array(draw(st.lists(st.integers(0, 900), min_size=n_classes, max_size=n_classes)))
    shares = st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0])
    size = n_features * n_classes
    share = np.array(draw(st.lists(shares, min_size=size, max_size=size))).reshape(n_features, n_classes)
    totals = np.floor(share * documents).astype(draw(st.sampled_from([np.int64, np.float64])))
    one = st.sampled_from([0.0, 1e-9, 0.1, 1.0, 17.3])
    alpha = draw(one)
    if draw(st.booleans()):
        alpha = np.array(draw(st.lists(one, min_size=n_features, max_size=n_features)))
    some = np.array(sorted(draw(st.sets(st.integers(0, n_features - 1)))), dtype=np.int64)
    return SparseRows.of_dense(totals), documents, alpha, some


def is_refused(name, alpha):
    """Complement weights may be infinite without smoothing, and are then an error."""
    return name == "complement" and np.min(alpha) == 0


@every_linear_family
@given(case=counted(), norm=st.booleans())
def test_some_features_weigh_the_same_alone_and_among_all_bit_for_bit(name, case, norm):
    totals, documents, alpha, some = case
    assume(not is_refused(name, alpha))
    model = family(name)
    part = model.class_part(totals, documents, alpha, norm)
    whole = model.rule(totals, documents, alpha, norm)
    of_some = alpha[some] if isinstance(alpha, np.ndarray) else alpha
    assume(len(some))
    alone = model.rule(totals.take_rows(some), documents, of_some, norm, part)
    assert alone.coef.tobytes() == whole.coef[:, some].tobytes()
    assert alone.intercept.tobytes() == whole.intercept.tobytes()
    rows = np.random.default_rng(0).integers(0, 3, (5, len(some)))
    everywhere = np.zeros((5, totals.shape[0]), dtype=np.int64)
    everywhere[:, some] = rows
    assert alone.log_likelihood(rows).tobytes() == whole.log_likelihood(everywhere).tobytes()


@every_linear_family
@given(case=counted(), norm=st.booleans())
def test_dense_and_sparse_weights_score_alike(name, case, norm):
    totals, documents, alpha, _ = case
    assume(not is_refused(name, alpha))
    rule = family(name).rule(totals, documents, alpha, norm)
    X = np.random.default_rng(1).integers(0, 3, (6, totals.shape[0]))
    for pack in (np.asarray, scipy.sparse.csr_array):
        np.testing.assert_allclose(
            rule.log_likelihood(pack(X)), rule.dense().log_likelihood(pack(X)), rtol=1e-10, atol=1e-10
        )


@pytest.mark.parametrize("name", ["multinomial", "complement"])
@given(case=counted(), norm=st.booleans())
def test_the_weights_are_what_users_see(name, case, norm):
    totals, documents, alpha, _ = case
    assume(np.min(alpha) > 0)
    seen = family(name).log_probability(totals, documents, alpha, norm)
    rule = family(name).rule(totals, documents, alpha, norm)
    np.testing.assert_allclose(rule.coef.T, seen, rtol=1e-10, atol=1e-10)


def test_a_family_that_is_not_there_is_refused_by_name():
    with pytest.raises(
        ValueError,
        match="one of multinomial, complement, bernoulli, robinson, fisher, log-odds, nbsvm, nblr, got 'gaussian'",
    ):
        family("gaussian")


def test_the_prior_enters_a_score_of_several_classes_only_where_it_is_a_likelihood():
    assert [name for name in FAMILIES if not family(name).adds_prior(2)] == ["complement", *CLEAR_TERMS]
    assert all(family(name).adds_prior(1) for name in FAMILIES)


def test_a_bernoulli_model_takes_which_words_occur_whatever_was_asked_for():
    assert family("bernoulli").weighting("tfidf") == "binary"
    assert family("multinomial").weighting("tfidf") == "tfidf"


def test_models_that_compare_classes_have_no_likelihood():
    for name in FAMILIES:
        if name == "complement":
            with pytest.raises(ValueError, match=NO_LIKELIHOOD[:30]):
                family(name).require_likelihood()
        elif name in CLEAR_TERMS:
            with pytest.raises(ValueError, match=f"a {name} model has no likelihood.* Use a multinomial model"):
                family(name).require_likelihood()
        else:
            family(name).require_likelihood()
