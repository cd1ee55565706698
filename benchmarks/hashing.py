"""HashingVectorizer against scikit-learn's, whose matrices it gives exactly: seconds on real corpora.

    python benchmarks/hashing.py --rounds 5

The contestants take turns, and the best of the rounds counts. Results: benchmarks/results/hashing.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from common import best_of, write_results

import textnb
from textnb import load_corpus

CORPORA = ("20news", "imdb")
ANALYSES: dict[str, dict[str, Any]] = {
    "words": {},
    "words + pairs": {"ngram_range": (1, 2)},
    "char_wb 3–5": {"analyzer": "char_wb", "ngram_range": (3, 5)},
}
ONLY_SMALL = "char_wb 3–5"  # of the second corpus, scikit-learn takes minutes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    rounds = parser.parse_args().rounds
    results = {name: measure(name, rounds) for name in CORPORA}
    write_results("hashing", {"rounds": rounds, "seconds": results})


def measure(corpus: str, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of scikit-learn, of one thread and of all cores, by analysis."""
    from sklearn.feature_extraction.text import HashingVectorizer

    texts = load_corpus(corpus, "train").texts
    found = {}
    for name, options in ANALYSES.items():
        if corpus != CORPORA[0] and name == ONLY_SMALL:
            continue
        calls: list[Callable[[], Any]] = [
            lambda options=options: HashingVectorizer(**options).transform(texts),  # type: ignore[misc]
            lambda options=options: textnb.HashingVectorizer(**options, n_jobs=1).transform(texts),  # type: ignore[misc]
            lambda options=options: textnb.HashingVectorizer(**options, n_jobs=-1).transform(texts),  # type: ignore[misc]
        ]
        check_equal(calls[0](), calls[2]())
        slow, one, all_cores = best_of(rounds if name != ONLY_SMALL else min(rounds, 3), *calls)
        found[name] = {"scikit_learn": slow, "one_thread": one, "all_cores": all_cores}
        print(
            f"{corpus:8} {name:14} {slow:7.3f} s  one thread {one:6.3f} s = {slow / one:5.1f}×"
            f"  all cores {all_cores:6.3f} s = {slow / all_cores:5.1f}×",
            flush=True,
        )
    return found


def check_equal(theirs: Any, ours: Any) -> None:
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(theirs, name), getattr(ours, name)), name


if __name__ == "__main__":
    main()
