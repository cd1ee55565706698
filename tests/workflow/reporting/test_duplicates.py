"""Near duplicates of tested documents, by brute force."""

import random

import numpy as np

from textnb.text.analyzer import Analyzer
from textnb.workflow.reporting.duplicates import THRESHOLD, find_duplicates


def jaccard(a, b):
    a, b = set(a.split()), set(b.split())
    return len(a & b) / len(a | b)


def corpus():
    choose = random.Random(5)
    words = [f"word{number}" for number in range(200)]
    texts = [" ".join(choose.sample(words, 20)) for _ in range(60)]
    for i in range(20):  # one word of twenty less: 0.95
        texts.append(texts[i].rsplit(" ", 1)[0])
    for i in range(10):  # the same words again
        texts.append(" ".join(reversed(texts[i].split())))
    return texts


def test_what_a_learned_document_repeats_is_found():
    texts = corpus()
    learned = np.arange(0, 90, 7)
    tested = np.setdiff1d(np.arange(90), learned)
    found = find_duplicates(texts, Analyzer(), tested, learned)
    alike = {(i, j): jaccard(texts[i], texts[j]) for i in range(90) for j in range(90) if i != j}
    expected = [any(alike[i, j] >= THRESHOLD for j in learned.tolist()) for i in tested.tolist()]
    assert any(expected)
    assert not all(expected)
    assert found.is_repeated.tolist() == expected
    for pair in found.pairs:
        assert pair.first in tested
        assert pair.similarity == alike[pair.first, pair.second] >= THRESHOLD
    assert found.n_words.tolist() == [len(texts[i].split()) for i in tested.tolist()]


def test_a_copy_of_a_copy_is_known_to_repeat_what_was_learned():
    base = [f"word{number}" for number in range(20)]
    texts = [" ".join(base), " ".join(base[:-1]), " ".join(base[:-1][::-1]), " ".join(base[:-1][5:] + base[:5])]
    found = find_duplicates(texts, Analyzer(), np.array([1, 2, 3]), np.array([0]))
    assert found.is_repeated.tolist() == [True, True, True]


def test_a_tested_document_that_was_learned_repeats_itself():
    texts = ["one two three", "four five six", "seven eight nine"]
    found = find_duplicates(texts, Analyzer(), np.array([0, 1, 2]), np.array([1]))
    assert found.is_repeated.tolist() == [False, True, False]
    assert found.pairs == []


def test_without_a_ledger_nobody_knows():
    texts = ["one two three", "one two three", "four five"]
    found = find_duplicates(texts, Analyzer(), np.arange(3), None)
    assert found.is_repeated is None
    assert [(pair.first, pair.second, pair.similarity) for pair in found.pairs] == [(0, 1, 1.0)]
