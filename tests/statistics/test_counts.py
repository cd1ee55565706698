"""Class counts: what they refuse, and what they never do."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from textnb.statistics.counts import ClassCounts, count_classes
from textnb.text.rows import SparseRows
from textnb.text.sklearn_compat import from_csr

pytestmark = pytest.mark.filterwarnings("error")


def one(label="spam", term="apple", count=1, documents=1) -> ClassCounts:
    return ClassCounts(np.array([label]), np.array([documents]), np.array([[count]]), np.array([term]))


def test_documents_of_a_class_never_counted_cannot_be_taken_away():
    with pytest.raises(ValueError, match="cannot subtract documents of 'ham': none were counted"):
        one("spam") - one("ham")


def test_a_term_never_counted_cannot_be_taken_away():
    with pytest.raises(ValueError, match="cannot subtract the term 'bread': it was never counted"):
        one(term="apple") - one(term="bread")


@pytest.mark.parametrize("kind", [int, float])
def test_more_of_a_term_than_was_counted_cannot_be_taken_away(kind):
    with pytest.raises(ValueError, match="more of the term 'apple' than was counted in class 'spam'"):
        one(count=kind(1)) - one(count=kind(2))


def test_more_documents_than_were_counted_cannot_be_taken_away_from_float_totals():
    with pytest.raises(ValueError, match="more documents than were counted in class 'spam'"):
        one(count=0.5, documents=1) - one(count=0.25, documents=2)


def test_columns_by_position_are_named_by_number():
    a = ClassCounts(np.array(["ham"]), np.array([3]), np.array([[5, 1]]))
    b = ClassCounts(np.array(["ham"]), np.array([1]), np.array([[0, 2]]))
    with pytest.raises(ValueError, match="more of column 1 than was counted in class 'ham'"):
        a - b


def test_arrays_are_read_only():
    counts = one() + one("ham", "bread")
    for array in (counts.classes, counts.documents, counts.totals, counts.terms):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


def test_adding_leaves_the_operands_alone():
    a, b = one(), one("ham", "bread", 5)
    a + b
    assert a == one()
    assert b == one("ham", "bread", 5)


def test_counts_are_not_hashable_because_equality_ignores_empty_classes_and_terms():
    with pytest.raises(TypeError, match="unhashable"):
        hash(one())


@pytest.mark.parametrize("classes", [("spam", "spam"), ("ham", "spam")])
def test_a_sum_beyond_64_bits_is_refused(classes):
    """In one cell, and over cells: a class's total mass must not wrap round either."""
    a, b = (one(c, count=2**62) for c in classes)
    with pytest.raises(ValueError, match="more than a 64-bit integer can hold"):
        a + b


def test_the_largest_sum_that_fits_is_exact():
    assert (one(count=2**62) + one(count=2**62 - 1)).totals.item() == 2**63 - 1


@pytest.mark.parametrize("convert", [np.asarray, lambda X: from_csr(csr_array(X))])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_counting_beyond_64_bits_is_refused_instead_of_wrapping_round(convert, dtype):
    X = np.full((4, 1), 2**62, dtype=dtype)
    with pytest.raises(ValueError, match="more than a 64-bit integer can hold"):
        count_classes(convert(X), np.zeros(4, dtype=np.int64), np.array(["ham"]))


def test_floats_beyond_floating_point_are_refused():
    with pytest.raises(ValueError, match="more than a floating-point number can hold"):
        one(count=1e308) + one(count=1e308)


def test_classes_of_different_types_are_refused():
    numbered = ClassCounts(np.array([1]), np.array([1]), np.array([[1]]), np.array(["apple"]))
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        numbered + one()
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        ClassCounts(np.array([1], dtype=object), np.array([1]), np.array([[1]]), np.array(["apple"])) + one()


def test_named_terms_and_positions_are_not_mixed():
    with pytest.raises(ValueError, match="named terms and counts by position"):
        one() + ClassCounts(np.array(["spam"]), np.array([1]), np.array([[1]]))


def test_different_numbers_of_columns_are_refused():
    with pytest.raises(ValueError, match="cannot align 2 columns with 3"):
        ClassCounts.nothing(np.array(["ham", "spam"]), 2) + ClassCounts.nothing(np.array(["ham", "spam"]), 3)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit 2 classes and 3 terms"):
        ClassCounts(np.array(["ham", "spam"]), np.array([1]), np.zeros((2, 3), dtype=np.int64))


def test_nothing_of_announced_classes_is_neutral():
    seen = ClassCounts(np.array(["ham", "spam"]), np.array([1, 2]), np.array([[1, 2], [3, 4]]))
    assert ClassCounts.nothing(np.array(["ham", "spam"]), 2) + seen == seen


def test_the_canonical_form_leaves_out_empty_classes_and_terms():
    canonical = (one("ham", "bread") + one() - one("ham", "bread")).without_empty()
    assert canonical.classes.tolist() == ["spam"]
    assert canonical.terms.tolist() == ["apple"]
    assert canonical.totals.tolist() == [[1]]


def test_columns_by_position_stay_in_the_canonical_form():
    counts = ClassCounts(np.array(["ham", "spam"]), np.array([1, 0]), np.array([[0, 2], [0, 0]]))
    assert counts.without_empty().totals.tolist() == [[0, 2]]


def test_other_counts_are_other_counts():
    assert one(count=1) != one(count=2)
    assert one(documents=1) != one(documents=2)
    assert one("ham") != one("spam")
    assert one(term="apple") != one(term="bread")
    assert one() != 1


def test_a_class_without_rows_and_rows_without_entries_count_nothing():
    empty = SparseRows(np.array([0, 0, 0]), np.array([], dtype=np.int32), np.array([], dtype=np.int64), 3)
    counts = count_classes(empty, np.array([1, 1]), np.array(["ham", "spam"]))
    assert counts.totals.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert counts.documents.tolist() == [0, 2]


@pytest.mark.parametrize("convert", [np.asarray, lambda X: from_csr(csr_array(X))])
def test_the_transpose_that_prediction_multiplies_with_is_contiguous(convert):
    counts = count_classes(convert(np.eye(3, dtype=np.int64)), np.array([0, 1, 1]), np.array(["ham", "spam"]))
    assert counts.totals.T.flags.c_contiguous
