"""tf-idf by the idf of a fit: the same weights as ever at the fit, in units of 2^-40, and the same for ever after."""

import numpy as np
import pytest

from textnb import TextClassifier
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.frozen import LEFT_OUT, UNIT, Reference, freeze, frozen_idf, stands_in, unknown_idf, weigh_frozen
from textnb.text.weights import Weighting

TEXTS = ["a cat and a dog and a fox", "dog dog dog", "", "cat", "a fox"]


def counted(texts=TEXTS):
    return count_all(texts, Analyzer(token_pattern=r"(?u)\b\w+\b"))[1]


def frozen_of(rows, left_out=None):
    frequency = rows.document_frequency()
    left_out = np.zeros(len(frequency), dtype=bool) if left_out is None else left_out
    return freeze(frequency, left_out, left_out)


@pytest.mark.parametrize("weights", ["tfidf", "log-tfidf"])
def test_at_the_fit_weights_are_those_of_tfidf_to_half_a_unit(weights):
    rows = counted()
    reference = Reference(rows.shape[0], 0)
    units, unknown = weigh_frozen(
        rows, None, frozen_of(rows), reference, sublinear_tf=weights == "log-tfidf", limited=False
    )
    assert units.data.dtype == np.int64
    assert np.abs(units.data * UNIT - Weighting.fitted(weights, rows).apply(rows).data).max() <= UNIT / 2
    assert unknown.tolist() == [0] * len(TEXTS)


def test_terms_that_were_left_out_weigh_but_do_not_count_in_the_length():
    rows = counted()
    left_out = np.array([False, True, False, False, False])
    kept = rows.select_columns(~left_out)
    expected = Weighting.fitted("tfidf", kept).apply(kept)
    units, _ = weigh_frozen(rows, None, frozen_of(rows, left_out), Reference(5, 0), sublinear_tf=False, limited=True)
    assert np.abs(units.select_columns(~left_out).data * UNIT - expected.data).max() <= UNIT
    assert (units.select_columns(left_out).data > 0).all()


def test_a_document_of_left_out_terms_alone_has_no_length_and_still_weighs():
    rows = counted(["cat"])
    frozen = freeze(np.array([3]), np.array([True]), np.array([True]))
    units, _ = weigh_frozen(rows, None, frozen, Reference(9, 0), sublinear_tf=False, limited=True)
    assert units.data * UNIT == pytest.approx(np.log(10 / 4) + 1, abs=UNIT)


def test_unknown_words_weigh_as_one_more_column():
    rows = counted(["cat cat", "cat"])
    frozen = freeze(np.array([4]), np.array([False]), np.array([False]))
    units, unknown = weigh_frozen(rows, np.array([3, 0]), frozen, Reference(9, 2), sublinear_tf=False, limited=False)
    vector = np.array([2 * (np.log(10 / 5) + 1), 3 * (np.log(10 / 3) + 1)])
    assert np.allclose([units.data[0] * UNIT, unknown[0] * UNIT], vector / np.linalg.norm(vector), atol=UNIT, rtol=0)
    assert (units.data[1], unknown[1]) == (2**40, 0)


def test_a_later_term_is_in_no_document_is_not_left_out_and_stands_for_unknown_ones():
    later = np.zeros(1, dtype=np.int64)
    assert frozen_idf(later, Reference(9, 0)).tolist() == [np.log(10) + 1]
    assert stands_in(later).tolist() == [True]
    assert not (later & LEFT_OUT).any()
    assert unknown_idf(Reference(9, 4)).tolist() == [np.log(10 / 5) + 1]


def test_a_frozen_term_tells_all_that_it_was_made_of():
    frequency = np.array([0, 1, 5, 2**40])
    for left_out in (False, True):
        for stand_in in (False, True):
            flags = np.full(4, left_out), np.full(4, stand_in)
            frozen = freeze(frequency, *flags)
            assert (frozen >> 2).tolist() == frequency.tolist()
            assert ((frozen & LEFT_OUT) > 0).tolist() == flags[0].tolist()
            assert stands_in(frozen).tolist() == flags[1].tolist()


def test_a_document_weighs_the_same_alone_and_among_others():
    classifier = TextClassifier(unknown="token", calibrate=False).fit(TEXTS, list("xyxyx"))
    learner = classifier.learner_
    texts = [f"cat {'dog ' * i} stranger{i}" for i in range(30)]
    classes = np.array(["x"])
    alone = [learner.counts_of(learner.count([text]), np.zeros(1, dtype=np.int64), classes) for text in texts]
    together = learner.counts_of(learner.count(texts), np.zeros(30, dtype=np.int64), classes)
    assert sum(int(one.totals.data.sum()) for one in alone) == int(together.totals.data.sum())
    assert sum(int(one.outside.sum()) for one in alone) == int(together.outside.sum())
