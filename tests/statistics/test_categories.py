"""Category tables by class: counted, aligned, added and taken away."""

import numpy as np
import pytest

from textnb.statistics.categories import MISSING, UNKNOWN, as_objects, count_categories, encode_values, positions

CLASSES = np.array(["ham", "spam"])
VALUES = as_objects(["red", "blue", None, "red", "green"])
GAPS = np.array([False, False, True, False, False])
IDS = np.array([0, 0, 0, 1, 1])


def counted(rows=slice(None), weights=None):
    column = encode_values(VALUES[rows], GAPS[rows], "column 0")
    return count_categories([column], IDS[rows], CLASSES, weights)


def test_values_are_positions_in_their_sorted_list():
    categories, codes = encode_values(VALUES, GAPS, "column 0")
    assert categories.tolist() == ["blue", "green", "red"]
    assert codes.tolist() == [2, 0, MISSING, 2, 1]
    assert positions(as_objects(["red", "pink"]), np.zeros(2, bool), categories).tolist() == [2, UNKNOWN]


def test_values_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="column 3 mixes values that cannot be compared"):
        encode_values(as_objects(["a", 1]), np.zeros(2, bool), "column 3")


def test_tables_count_categories_by_class_and_leave_missing_values_out():
    found = counted()
    assert found.tables[0].tolist() == [[1, 0, 1], [0, 1, 1]]
    assert found.tables[0].dtype == np.int64
    assert found.documents.tolist() == [3, 2]
    assert counted(weights=np.array([0.5, 1, 9, 2, 4])).tables[0].tolist() == [[1, 0, 0.5], [0, 4, 2]]


def test_adding_aligns_categories():
    both = counted(slice(2)) + counted(slice(2, None))
    np.testing.assert_array_equal(both.tables[0], counted().tables[0])
    assert both.categories[0].tolist() == ["blue", "green", "red"]
    assert both.documents.tolist() == [3, 2]


def test_subtracting_undoes_adding_and_categories_stay():
    rest = counted() - counted(slice(2, None))
    assert rest.tables[0].tolist() == [[1, 0, 1], [0, 0, 0]]
    assert rest.documents.tolist() == [2, 0]


def test_subtracting_what_was_never_counted_is_refused():
    with pytest.raises(ValueError, match=r"more rows than were counted in class .*spam"):
        counted(slice(2)) - counted(slice(3, None))
    with pytest.raises(ValueError, match=r"more of category 'red' of column 0 than was counted in class .*ham"):
        counted() - (counted([0]) + counted([0]))
    only_ham = count_categories([encode_values(VALUES[:2], GAPS[:2], "column 0")], IDS[:2], CLASSES[:1])
    with pytest.raises(ValueError, match=r"rows of .*spam.*: none were counted"):
        only_ham - counted()


def test_weights_that_cancel_leave_zero():
    tenth = counted(slice(3), weights=np.full(3, 0.1))
    rest = (tenth + tenth + tenth) - tenth - tenth - tenth
    assert (rest.tables[0] >= 0).all() and rest.tables[0].max() < 1e-15


def test_columns_that_do_not_match_are_refused():
    two = count_categories([encode_values(VALUES, GAPS, "a")] * 2, IDS, CLASSES)
    with pytest.raises(ValueError, match="cannot align 1 columns with 2"):
        counted() + two
    numbers = count_categories([encode_values(np.arange(5), np.zeros(5, bool), "a")], IDS, CLASSES)
    with pytest.raises(ValueError, match="column 0 held values of one type, now of another"):
        counted() + numbers


def test_tables_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        counted().tables[0][0, 0] = 7
