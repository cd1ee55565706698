"""Near duplicates among the documents that a model is tested on, and of those that it has learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array
from textnb.selection.duplicates import NearDuplicate, near_duplicates
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all

THRESHOLD = 0.8


@dataclass(frozen=True, eq=False)
class TestedDuplicates:
    """Pairs of documents of which one or both are tested, by their positions in the corpus; and lengths in words.

    Of a pair, `first` is tested. `is_repeated` says of each tested document whether a learned one is nearly the same;
    None where nobody knows what was learned.
    """

    __test__ = False  # for pytest, which takes it for a test by its name

    pairs: list[NearDuplicate]
    n_words: Array  # (n tested,)
    is_repeated: Array | None


def find_duplicates(texts: list[str], analyzer: Analyzer, tested: Array, learned: Array | None) -> TestedDuplicates:
    """Near duplicates by their words, from texts of a corpus and the positions that are tested, and were learned.

    Examples
    --------
    >>> import numpy as np
    >>> texts = ["one two three four", "four two three one", "other words", "one two three four"]
    >>> found = find_duplicates(texts, Analyzer(), np.array([1, 2, 3]), np.array([0]))
    >>> [(pair.first, pair.second) for pair in found.pairs], found.is_repeated
    ([(1, 0), (3, 0)], array([ True, False,  True]))
    """
    before = np.zeros(0, dtype=np.int64) if learned is None else np.setdiff1d(learned, tested)
    pool = np.concatenate([before, tested])  # learned ones first: of the same words, others are paired with the first
    _, rows = count_all([texts[row] for row in pool.tolist()], analyzer)
    n_before = len(before)
    pairs = [pair for pair in near_duplicates(rows, THRESHOLD) if pair.second >= n_before]
    is_repeated = None
    if learned is not None:
        is_learned = np.isin(pool, learned)
        is_repeated = is_learned.copy()
        for pair in pairs:
            is_repeated[pair.second] |= is_learned[pair.first]
            is_repeated[pair.first] |= is_learned[pair.second]
        for pair in pairs:  # of the same words, only the first is paired with others
            if pair.similarity == 1:
                is_repeated[[pair.first, pair.second]] |= is_repeated[pair.first] or is_repeated[pair.second]
        is_repeated = is_repeated[n_before:]
    found = [
        NearDuplicate(int(pool[first]), int(pool[second]), pair.similarity)
        for pair in pairs
        for first, second in [(pair.second, pair.first) if pair.first < n_before else (pair.first, pair.second)]
    ]
    return TestedDuplicates(found, rows.row_sums()[n_before:], is_repeated)
