"""Slices are shares of the documents that they name."""

import numpy as np

from textnb.workflow.metrics import wilson_interval
from textnb.workflow.reporting.slices import slices_of


def by(slices, kind):
    return [(part.name, part.n, part.accuracy) for part in slices if part.by == kind]


def test_lengths_are_quartiles_named_by_their_shortest_and_longest():
    n_words = np.array([1, 2, 3, 4, 5, 6, 7, 80])
    right = np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=bool)
    slices = slices_of(right, np.zeros(8, dtype=int), ["ham"], n_words=n_words)
    assert by(slices, "length") == [
        ("1–2 words", 2, 1.0),
        ("3–4 words", 2, 0.5),
        ("5–6 words", 2, 0.0),
        ("7–80 words", 2, 0.5),
    ]


def test_lengths_that_are_all_the_same_are_one_slice():
    slices = slices_of(np.ones(5, dtype=bool), np.zeros(5, dtype=int), ["ham"], n_words=np.ones(5, dtype=int))
    assert by(slices, "length") == [("1 word", 5, 1.0)]
    slices = slices_of(np.ones(3, dtype=bool), np.zeros(3, dtype=int), ["ham"], n_words=np.array([0, 0, 4]))
    assert [name for name, _, _ in by(slices, "length")] == ["0 words", "4 words"]


def test_unknown_words_are_binned_and_every_document_is_in_one_bin():
    shares = np.array([0, 0.01, 0.05, 0.051, 0.1, 0.15, 0.3, 0.4, 0.41, 1.0])
    slices = slices_of(np.ones(10, dtype=bool), np.zeros(10, dtype=int), ["ham"], unknown_share=shares)
    assert by(slices, "unknown words") == [
        ("none unknown", 1, 1.0),
        ("up to 5 %", 2, 1.0),
        ("5 % to 10 %", 2, 1.0),
        ("10 % to 20 %", 1, 1.0),
        ("20 % to 40 %", 2, 1.0),
        ("over 40 %", 2, 1.0),
    ]


def test_duplicates_and_classes_and_intervals():
    right = np.array([True, False, True])
    slices = slices_of(right, np.array([0, 2, 2]), ["a", "b", "c"], is_duplicate=np.array([True, False, False]))
    assert [(n, accuracy) for _, n, accuracy in by(slices, "duplicates")] == [(1, 1.0), (2, 0.5)]
    assert by(slices, "class") == [("a", 1, 1.0), ("c", 2, 0.5)]
    assert [part.to_json()["interval"] for part in slices][-1] == list(wilson_interval(0.5, 2))
    assert {part.by for part in slices} == {"duplicates", "class"}
