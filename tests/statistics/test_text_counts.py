"""Counts under names: they add up in any order, come apart again, and say what cannot be taken away or held."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.arrays import SparseRows
from textnb.statistics.text_counts import CountsBuilder, TextCounts, totals_by_class
from textnb.text.terms import Terms


def counts_of(*documents, fixed=False):
    """Of documents (label, words), with one word outside a vocabulary for each "?"."""
    classes = sorted({label for label, _ in documents})
    terms = sorted({word for _, words in documents for word in words.split()} - {"?"})
    totals, outside = np.zeros((len(terms), len(classes)), dtype=np.int64), np.zeros(len(classes), dtype=np.int64)
    frequency = np.zeros(len(terms), dtype=np.int64)
    for label, words in documents:
        for word in words.split():
            if word == "?":
                outside[classes.index(label)] += 1
            else:
                totals[terms.index(word), classes.index(label)] += 1
        frequency += np.array([word in words.split() for word in terms], dtype=np.int64)
    by_label = np.array([sum(label == name for label, _ in documents) for name in classes], dtype=np.int64)
    return TextCounts(
        np.array(classes),
        by_label,
        len(documents),
        Terms.of(terms),
        SparseRows.of_dense(totals),
        frequency,
        totals.sum(axis=1),
        outside,
        np.zeros(len(terms), dtype=np.int64),
        fixed,
    )


def contents(counts):
    return (
        counts.classes.tolist(),
        counts.documents.tolist(),
        counts.n_documents,
        counts.terms.strings(),
        counts.totals.toarray().tolist(),
        counts.document_frequency.tolist(),
        counts.occurrences.tolist(),
        counts.outside.tolist(),
        counts.frozen.tolist(),
        counts.classes.dtype,
    )


words = st.lists(st.sampled_from(["a", "b", "ü", "zz", "?"]), max_size=4).map(" ".join)
documents = st.lists(st.tuples(st.sampled_from(["x", "y", "much longer"]), words), min_size=1, max_size=6)


@given(documents, documents)
def test_the_sum_is_that_of_all_documents_and_comes_apart_again(these, those):
    a, b = counts_of(*these), counts_of(*those)
    assert contents(a + b) == contents(b + a) == contents(counts_of(*these, *those))
    assert contents((a + b) - b) == contents(a)
    assert contents(a + TextCounts.nothing()) == contents(TextCounts.nothing() + a) == contents(a)


@given(st.lists(documents, max_size=6))
def test_a_builder_gives_the_sum(parts):
    builder = CountsBuilder()
    assert not builder and builder.exact
    for part in parts:
        builder = builder + counts_of(*part)
    everything = [document for part in parts for document in part]
    assert contents(builder.total) == contents(counts_of(*everything) if everything else TextCounts.nothing())
    assert bool(builder) == bool(parts)


def test_adding_to_a_builder_leaves_it_as_it_was():
    first = CountsBuilder() + counts_of(("x", "a b"))
    second = first + counts_of(("w", "0 b"))
    assert contents(first.total) == contents(counts_of(("x", "a b")))
    assert contents(second.total) == contents(counts_of(("x", "a b"), ("w", "0 b")))


def test_a_builder_has_few_parts():
    builder = CountsBuilder()
    for i in range(200):
        builder = builder + counts_of(("x", f"word{i} common"))
    assert len(builder.parts) <= 10
    assert builder.total.n_documents == 200


@pytest.mark.parametrize(
    ("gone", "why"),
    [
        (("z", "a"), "class 'z': none were learned"),
        (("x", "never"), "term 'never': it was never learned"),
        (("x", "a a"), "more would be taken than is there"),
        (("y", "a"), "more would be taken than is there"),
        (("x", "?"), "more would be taken than is there"),
    ],
)
def test_what_is_not_there_cannot_be_taken_away(gone, why):
    with pytest.raises(ValueError, match=why):
        counts_of(("x", "a b"), ("y", "b")) - counts_of(gone)


def test_given_terms_stay_when_nothing_is_left_of_them():
    both = counts_of(("x", "a b"), ("y", "b"), fixed=True)
    left = both - counts_of(("x", "a b"))
    assert left.terms.strings() == ["a", "b"]
    assert left.totals.toarray().tolist() == [[0], [1]]
    assert left.classes.tolist() == ["y"]


def test_terms_that_are_weighed_by_a_fit_stay_known():
    fitted = TextCounts.nothing(Terms.of(["a", "b"]), np.array([4, 8]))
    both = fitted + counts_of(("x", "a new"))
    left = both - counts_of(("x", "a new"))
    assert left.terms.strings() == ["a", "b"]
    assert left.frozen.tolist() == [4, 8]
    assert both.frozen.tolist() == [4, 8, 0]


def test_an_announced_class_stays_while_documents_of_others_are_forgotten():
    announced = counts_of(("x", "a"), ("y", "a"), ("y", "b"))
    announced = replace(announced, documents=np.array([0, 2]))
    assert (announced - counts_of(("y", "b"))).classes.tolist() == ["x", "y"]


@given(documents, st.integers(1, 4))
def test_terms_that_lose_their_names_are_counted_as_unknown(these, n):
    counts = counts_of(*these)
    pruned = counts.most_frequent(n)
    assert len(pruned.terms) == min(n, len(counts.terms))
    assert pruned.occurrences.min(initial=100) >= np.sort(counts.occurrences)[::-1][:n].min(initial=100)
    everything = counts.totals.column_sums() + counts.outside
    assert np.array_equal(pruned.totals.column_sums() + pruned.outside, everything)
    assert pruned.documents.tolist() == counts.documents.tolist()


def huge(counts, of):
    """With these counts as large as they can be."""

    def enlarged(values):
        if isinstance(values, SparseRows):
            return values.with_data(np.full_like(values.data, 2**62))
        return np.full_like(values, 2**62)

    return replace(counts, **{name: enlarged(getattr(counts, name)) for name in of})


@pytest.mark.parametrize("of", ["totals", "documents", "document_frequency", "occurrences", "outside"])
def test_counts_beyond_64_bits_are_refused_not_wrapped_round(of):
    counts = huge(counts_of(("x", "a b ?")), [of])
    with pytest.raises(ValueError, match="more than a 64-bit integer"):
        counts + counts
    with pytest.raises(ValueError, match="more than a 64-bit integer"):
        _ = (CountsBuilder() + counts + counts).total
    if of in ("totals", "outside"):
        with pytest.raises(ValueError, match="more than a 64-bit integer"):
            huge(counts, ["totals", "outside"]).fold(np.array([True, False]))


def test_the_grand_total_may_be_beyond_64_bits_where_no_count_is():
    n = 40
    rows = SparseRows(np.arange(n + 1), np.arange(n) % 20, np.full(n, 2**60), 20)
    class_ids = np.arange(n) // 20
    totals = totals_by_class(rows, class_ids, np.array(["x", "y"]), None)
    assert totals.toarray().tolist() == [[2**60, 2**60]] * 20
    weighted = totals_by_class(rows, class_ids, np.array(["x", "y"]), np.arange(n) + 1.0)
    assert weighted.toarray()[:2].tolist() == [[2.0**60, 21 * 2.0**60], [2 * 2.0**60, 22 * 2.0**60]]


def test_one_count_beyond_64_bits_is_refused_in_parts_too():
    rows = SparseRows(np.arange(9), np.zeros(8, dtype=np.int64), np.full(8, 2**60), 1)
    with pytest.raises(ValueError, match="more than a 64-bit integer"):
        totals_by_class(rows, np.zeros(8, dtype=np.int64), np.array(["x"]), None)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_labels_of_another_type_are_never_merged(dtype):
    big = 2**53
    a = replace(counts_of(("x", "a"), ("y", "b")), classes=np.array([big, big + 1]))
    b = replace(counts_of(("y", "b")), classes=np.array([big + 1], dtype=dtype))
    assert (a + b).classes.tolist() == [big, big + 1]
    assert (a + b).documents.tolist() == [1, 2]
    assert contents((a + b) - b) == contents(a)
