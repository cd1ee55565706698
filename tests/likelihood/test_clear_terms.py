"""Families of clear terms: loops over their definitions, refitting for what is left out, and shares that add up."""

from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from textnb.arrays import SparseRows
from textnb.likelihood import clear_terms
from textnb.likelihood.clear_terms import Clarity
from textnb.likelihood.families import family
from textnb.likelihood.groups import group_rows
from textnb.likelihood.leave_one_out import one_model_per_group, scores_without
from textnb.statistics.counts import count_classes

NAMES = ["robinson", "fisher", "log-odds"]
pytestmark = pytest.mark.filterwarnings("error")
every_family = pytest.mark.parametrize("name", NAMES)
clarities = st.builds(
    Clarity,
    assumed=st.sampled_from([0.5, 0.52, 0.3]),
    min_deviation=st.sampled_from([0.0, 0.1234, 0.3751]),
    most_terms=st.sampled_from([None, None, 1, 3]),
    headers=st.sampled_from([(0, 0), (1, 3), (0, 8)]),
)


@st.composite
def documents(draw, n_classes=None):
    """Presences (n, V) and classes (n,), each class with a document."""
    n_classes = draw(st.integers(1, 3)) if n_classes is None else n_classes
    n, width = draw(st.integers(n_classes, 9)), draw(st.integers(1, 6))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=n, max_size=n)))
    rest = draw(st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes))
    return X, np.array([*range(n_classes), *rest])


def with_clarity(name, clarity):
    return family(name).with_clarity(**vars(clarity))


def rule_of(name, X, y, alpha, clarity):
    counts = count_classes(SparseRows.of_dense(X), y, np.arange(y.max() + 1))
    return with_clarity(name, clarity).rule(counts.totals, counts.documents, alpha)


def by_definition(name, X, y, row, c, alpha, clarity):
    """The log-odds of class c against the rest, and of each clear term ln f and ln(1 − f)."""
    clear = []
    for j in np.flatnonzero(row).tolist():
        b, g = X[y == c, j].sum(), X[y != c, j].sum()
        n_b, n_g = (y == c).sum(), (y != c).sum()
        p = b / n_b / (b / n_b + g / n_g) if n_b and n_g and b + g else clarity.assumed
        f = (alpha * clarity.assumed + (b + g) * p) / (alpha + b + g)
        assume(abs(abs(f - 0.5) - clarity.min_deviation) > 1e-9)  # where rounding would decide
        if abs(f - 0.5) >= clarity.min_deviation:
            first, stop = clarity.headers
            clear.append((log(f), log(1 - f), first <= j < stop))
    if clarity.most_terms is not None:
        assume(len({round(abs(a - b), 9) for a, b, _ in clear}) == len(clear))  # where the order would decide
        clear = sorted(clear, key=lambda term: -abs(term[0] - term[1]))[: clarity.most_terms]
    if name == "log-odds":
        return sum(a - b for a, b, _ in clear)
    if name == "fisher":
        k = 2 * len(clear)
        tails = [chi2.logsf(-2 * sum(term[i] for term in clear), k) if clear else 0.0 for i in (0, 1)]
        return tails[0] - tails[1]
    found = 0.0
    for segment in (True, False):
        odds = [a - b for a, b, in_header in clear if in_header is segment]
        found += sum(odds) / (len(odds) + 2)
    return found


@every_family
@given(documents(), clarities, st.sampled_from([0.0178, 0.45, 3.0]))
@settings(max_examples=50)
def test_scores_are_half_the_log_odds_of_the_definition(name, case, clarity, alpha):
    X, y = case
    n_classes = y.max() + 1
    scores = rule_of(name, X, y, alpha, clarity).log_likelihood(X)
    for i, row in enumerate(X):
        if n_classes == 2:
            expected = by_definition(name, X, y, row, 1, alpha, clarity)
            assert scores[i, 1] - scores[i, 0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert scores[i, 0] == -scores[i, 1]
        else:
            expected = [by_definition(name, X, y, row, c, alpha, clarity) / 2 for c in range(n_classes)]
            np.testing.assert_allclose(scores[i], expected, rtol=1e-9, atol=1e-9)


@every_family
@given(documents(n_classes=2), st.sampled_from([0.0, 0.1, 0.375]))
@settings(max_examples=40)
def test_of_two_classes_neither_is_preferred_by_default(name, case, deviation):
    X, y = case
    clarity = Clarity(min_deviation=deviation, headers=(1, 3))
    scores = rule_of(name, X, y, 0.1, clarity).log_likelihood(X)
    np.testing.assert_array_equal(rule_of(name, X, 1 - y, 0.1, clarity).log_likelihood(X), scores[:, ::-1])


@every_family
@given(documents(), clarities, st.data())
@settings(max_examples=60)
def test_contributions_add_up_to_the_scores_of_every_row(name, case, clarity, data):
    X, y = case
    rule = rule_of(name, X, y, 0.1, clarity)
    rows = SparseRows.of_dense(X)
    added, constant = rule.contributions(rows)
    sums = np.zeros((len(X), y.max() + 1))
    np.add.at(sums, rows.row_ids, added)
    np.testing.assert_allclose(sums + constant, rule.log_likelihood(rows), rtol=1e-10, atol=1e-12)
    i = data.draw(st.integers(0, len(X) - 1))
    alone, _ = rule.contributions(rows.take_rows(np.array([i])))
    np.testing.assert_array_equal(alone, added[rows.row_ids == i])


@every_family
@given(documents(), clarities, st.data())
@settings(max_examples=60)
def test_some_columns_score_as_among_all_bit_for_bit(name, case, clarity, data):
    X, y = case
    counts = count_classes(SparseRows.of_dense(X), y, np.arange(y.max() + 1))
    some = np.array(sorted(data.draw(st.sets(st.integers(0, X.shape[1] - 1), min_size=1))))
    chosen = with_clarity(name, clarity)
    whole = chosen.rule(counts.totals, counts.documents, 0.1)
    part = chosen.rule(counts.totals.take_rows(some), counts.documents, 0.1, columns=some)
    rows = np.zeros_like(X)
    rows[:, some] = X[:, some]
    assert part.log_likelihood(X[:, some]).tobytes() == whole.log_likelihood(rows).tobytes()
    with pytest.MonkeyPatch.context() as patch:  # no table of all terms, and blocks of few rows
        patch.setattr(clear_terms, "_WHOLE_TABLE", 0)
        patch.setattr(clear_terms, "_BLOCK", 4)
        again = chosen.rule(counts.totals, counts.documents, 0.1)
        assert again.log_likelihood(X).tobytes() == whole.log_likelihood(X).tobytes()


@every_family
@given(documents(), clarities, st.data())
@settings(max_examples=50)
def test_without_a_group_every_row_scores_as_by_the_model_of_the_others(name, case, clarity, data):
    X, y = case
    n = len(y)
    groups = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n) | st.permutations(range(n)))
    rows, left_out = SparseRows.of_dense(X), group_rows(groups, y, y.max() + 1)
    chosen, alphas = with_clarity(name, clarity), [0.0178, 1.0]
    totals = count_classes(rows, y, np.arange(y.max() + 1)).totals
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clear_terms, "_BLOCK", data.draw(st.sampled_from([1, 12, 1 << 20])))
        patch.setattr(clear_terms, "_CLASSES_PAY", data.draw(st.sampled_from([0, 1e18])))  # both ways
        found = chosen.leave_one_out(totals, False)(rows, rows, left_out, alphas, None)
    expected = one_model_per_group(chosen, rows, rows, left_out, totals, False, alphas)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    labels = np.arange(n) if groups is None else np.asarray(groups)
    for i in range(n):
        others = labels != labels[i]
        if len(np.unique(y[others])) == y.max() + 1:
            fitted = rule_of(name, X[others], y[others], 1.0, clarity)
            np.testing.assert_allclose(found[1, i], fitted.log_likelihood(X[[i]])[0], rtol=1e-10, atol=1e-12)


@every_family
def test_words_that_only_a_row_has_say_nothing_once_it_is_left_out(name):
    X, y = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0]]), np.array([0, 1, 1, 0])
    rows, left_out = SparseRows.of_dense(X[:, [0, 1, 2]]), group_rows(None, y, 2)
    scores = [scores_without(family(name), rows, left_out, ignore_unseen=ignored)([0.1]) for ignored in (False, True)]
    np.testing.assert_array_equal(*scores)


@every_family
def test_rows_without_a_clear_term_score_nothing(name):
    X, y = np.array([[1, 0], [1, 0], [0, 1]]), np.array([0, 1, 1])
    scores = rule_of(name, X, y, 0.1, Clarity()).log_likelihood(np.array([[0, 0], [1, 0], [0, 1]]))
    np.testing.assert_array_equal(scores[:2], np.zeros((2, 2)))
    assert scores[2, 1] > 0


@every_family
def test_one_class_has_nothing_to_be_compared_with(name):
    X = np.array([[1, 0], [1, 1]])
    np.testing.assert_array_equal(rule_of(name, X, np.zeros(2, int), 0.1, Clarity()).log_likelihood(X), [[0.0], [0.0]])


@every_family
@pytest.mark.parametrize("alpha", [0, 0.0, 1e-200, np.array([0.1, 0.1])])
def test_a_belief_without_strength_is_refused(name, alpha):
    totals, documents = SparseRows.of_dense(np.array([[1, 0], [0, 1]])), np.array([1, 1])
    for made in (family(name).rule, family(name).class_part):
        with pytest.raises(ValueError, match=r"needs one alpha above 0.* Use a small alpha such as 0\.0178"):
            made(totals, documents, alpha, False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"assumed": 0.0}, "assumed must be a probability between 0 and 1, got 0.0"),
        ({"assumed": float("nan")}, "assumed must be"),
        ({"min_deviation": 0.5}, "min_deviation must be from 0 to below 0.5, got 0.5"),
        ({"min_deviation": -0.1}, "min_deviation must be"),
        ({"most_terms": 0}, "most_terms must be 1 or more, or None for all, got 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Clarity(**wrong)


def test_long_documents_do_not_tie():
    """Ten thousand clear terms, of which each document lacks another number: no two score alike."""
    n_terms = 10_000
    totals = SparseRows.of_dense(np.tile([[0, 90], [80, 0]], (n_terms // 2, 1)))
    X = np.ones((50, n_terms), dtype=np.int64)
    for i in range(50):
        X[i, : 2 * i : 2] = 0
    for name in NAMES:
        scores = family(name).rule(totals, np.array([100, 100]), 0.0178).log_likelihood(X)
        assert np.isfinite(scores).all()
        assert (np.diff(scores[:, 1]) < 0).all(), name


def test_what_speaks_most_for_a_class_leads():
    totals = SparseRows.of_dense(np.array([[0, 9, 0], [5, 5, 5], [9, 0, 0], [0, 2, 0]]))
    lead = family("robinson").rule(totals, np.array([10, 10, 10]), 0.0178).lead(1)
    assert lead[0] > lead[3] > lead[1] == 0 > lead[2]
