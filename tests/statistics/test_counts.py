"""Class counts: what they refuse, and what they never do."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from textnb.arrays import SparseRows
from textnb.estimators.sklearn_compat import from_csr
from textnb.statistics.counts import (
    ClassCounts,
    announced_classes,
    class_positions,
    count_classes,
    one_kind,
    sorted_union,
)

pytestmark = pytest.mark.filterwarnings("error")


APPLE, BREAD = 0, 1


def counts_of(classes, documents, totals) -> ClassCounts:
    """Counts from totals with one row per class."""
    return ClassCounts(np.array(classes), np.array(documents), SparseRows.of_dense(np.transpose(totals)))


def one(label="spam", term=APPLE, count=1, documents=1) -> ClassCounts:
    return counts_of([label], [documents], [[count if column == term else 0 for column in (APPLE, BREAD)]])


def nothing(classes, n_columns) -> ClassCounts:
    return counts_of(classes, [0] * len(classes), np.zeros((len(classes), n_columns), dtype=np.int64))


def test_documents_of_a_class_never_counted_cannot_be_taken_away():
    with pytest.raises(ValueError, match="cannot subtract documents of 'ham': none were counted"):
        one("spam") - one("ham")


def test_a_column_never_counted_cannot_be_taken_away():
    with pytest.raises(ValueError, match="more of column 1 than was counted in class 'spam'"):
        one(term=APPLE) - one(term=BREAD, documents=0)


@pytest.mark.parametrize("kind", [int, float])
def test_more_of_a_term_than_was_counted_cannot_be_taken_away(kind):
    with pytest.raises(ValueError, match="more of column 0 than was counted in class 'spam'"):
        one(count=kind(1)) - one(count=kind(2))


def test_more_documents_than_were_counted_cannot_be_taken_away_from_float_totals():
    with pytest.raises(ValueError, match="more documents than were counted in class 'spam'"):
        one(count=0.5, documents=1) - one(count=0.25, documents=2)


def test_columns_by_position_are_named_by_number():
    a = counts_of(["ham"], [3], [[5, 1]])
    b = counts_of(["ham"], [1], [[0, 2]])
    with pytest.raises(ValueError, match="more of column 1 than was counted in class 'ham'"):
        a - b


def test_arrays_are_read_only():
    counts = one() + one("ham", BREAD)
    totals = counts.totals
    for array in (counts.classes, counts.documents, totals.indptr, totals.indices, totals.data):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


def test_adding_leaves_the_operands_alone():
    a, b = one(), one("ham", BREAD, 5)
    a + b
    assert a == one()
    assert b == one("ham", BREAD, 5)


def test_counts_are_not_hashable_because_equality_ignores_empty_classes():
    with pytest.raises(TypeError, match="unhashable"):
        hash(one())


@pytest.mark.parametrize("classes", [("spam", "spam"), ("ham", "spam")])
def test_a_sum_beyond_64_bits_is_refused(classes):
    """In one cell, and over cells: a class's total mass must not wrap round either."""
    a, b = (one(c, count=2**62) for c in classes)
    with pytest.raises(ValueError, match="more than a 64-bit integer can hold"):
        a + b


def test_the_largest_sum_that_fits_is_exact():
    assert (one(count=2**62) + one(count=2**62 - 1)).totals.data.tolist() == [2**63 - 1]


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
    numbered = counts_of([1], [1], [[1, 0]])
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        numbered + one()
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        ClassCounts(np.array([1], dtype=object), numbered.documents, numbered.totals) + one()


def test_different_numbers_of_columns_are_refused():
    with pytest.raises(ValueError, match="cannot align 2 columns with 3"):
        nothing(["ham", "spam"], 2) + nothing(["ham", "spam"], 3)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit 2 classes"):
        counts_of(["ham", "spam"], [1], np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(ValueError, match=r"totals of 3 features in 1 classes .* do not fit 2 classes"):
        counts_of(["ham", "spam"], [1, 1], np.zeros((1, 3), dtype=np.int64))


def test_nothing_of_announced_classes_is_neutral():
    seen = counts_of(["ham", "spam"], [1, 2], [[1, 2], [3, 4]])
    assert nothing(["ham", "spam"], 2) + seen == seen


def test_totals_without_anything_left_are_not_stored():
    left = one("ham", BREAD) + one() - one("ham", BREAD)
    assert left == one()
    assert left.classes.tolist() == ["ham", "spam"]
    assert (left.totals.indices.tolist(), left.totals.data.tolist()) == ([1], [1])


def test_other_counts_are_other_counts():
    assert one(count=1) != one(count=2)
    assert one(documents=1) != one(documents=2)
    assert one("ham") != one("spam")
    assert one(term=APPLE) != one(term=BREAD)
    assert one() != 1


def test_a_class_without_rows_and_rows_without_entries_count_nothing():
    empty = SparseRows(np.array([0, 0, 0]), np.array([], dtype=np.int32), np.array([], dtype=np.int64), 3)
    counts = count_classes(empty, np.array([1, 1]), np.array(["ham", "spam"]))
    assert counts.totals.toarray().tolist() == [[0, 0]] * 3
    assert counts.documents.tolist() == [0, 2]


BIG = [1600000000000000001, 1600000000000000002]  # one number as floats


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.array(BIG), np.array([5.0])),
        (np.array(BIG), np.array([float(BIG[0])])),
        (np.array([2**63], dtype=np.uint64), np.array([-1])),
        (np.array([True]), np.array([1])),
        (np.array([False, True]), np.array([0.5])),
        (np.array([1]), np.array(["1"])),
        (np.array([1], dtype=object), np.array(["1"], dtype=object)),
        (np.array(["a"]), np.array([b"a"])),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), np.array([1])),
    ],
    ids=["large", "large float", "unsigned", "bool and int", "bool and float", "str", "objects", "bytes", "dates"],
)
def test_labels_that_cannot_be_told_apart_in_one_type_are_refused(a, b):
    for x, y in ((a, b), (b, a)):
        with pytest.raises(ValueError, match="cannot align labels of different types"):
            one_kind(x, y, "labels")
        with pytest.raises(ValueError, match="cannot align classes of different types"):
            sorted_union(x, y, "classes")


@pytest.mark.parametrize(
    ("a", "b", "union"),
    [
        (np.array([1, 2]), np.array([2.0, 3.0]), np.array([1, 2, 3])),
        (np.array([1, 2]), np.array([2.5]), np.array([1.0, 2.0, 2.5])),
        (np.array(BIG), np.array(BIG, dtype=np.uint64), np.array(BIG)),
        (np.array([1], dtype=np.int8), np.array([2**40]), np.array([1, 2**40])),
        (np.array(["ham"], dtype=object), np.array(["spam"]), np.array(["ham", "spam"])),
        (np.array([], dtype=np.int64), np.array(["spam"]), np.array(["spam"])),
        (np.array([False]), np.array([True]), np.array([False, True])),
        (np.array([(1, 2)], dtype="i,i")["f0"], np.array([2], dtype=object), np.array([1, 2])),
    ],
    ids=["whole floats", "floats", "unsigned", "small", "strings", "nothing", "bool", "objects"],
)
def test_labels_are_converted_exactly(a, b, union):
    for found in (sorted_union(a, b, "classes"), sorted_union(b, a, "classes")):
        assert found.dtype == union.dtype
        assert found.tolist() == union.tolist()


def test_positions_of_large_labels_are_exact():
    classes = np.array(BIG)
    assert class_positions(np.array([BIG[1], BIG[0]], dtype=np.uint64), classes).tolist() == [1, 0]
    assert class_positions(np.array([1.0, 0.0]), np.array([0, 1])).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"unknown label 0\.5"):
        class_positions(np.array([0.5]), np.array([0, 1]))
    with pytest.raises(ValueError, match="cannot align labels of different types"):
        class_positions(np.array(BIG, dtype=np.float64), classes)


def test_announced_classes_are_of_one_kind():
    assert announced_classes([*BIG, 5], None).tolist() == [5, *BIG]
    assert announced_classes([1, 2.0], None).tolist() == [1, 2]
    assert announced_classes(np.array(["b", "a"], dtype=object), None).dtype.kind == "U"
    for classes in ([*BIG, 5.0], [1, "1"], [True, 2]):
        with pytest.raises(ValueError, match="cannot align classes of different types"):
            announced_classes(classes, None)
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        announced_classes(["0", "1"], np.array([0, 1]))
