"""A stream of documents of any size, made up: words after Zipf's law, four labels, each with words of its own.

    python benchmarks/stream_data.py 200 stream.jsonl        # 200 MB; .jsonl or .csv

The same size gives the same bytes, and a smaller one the beginning of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LABELS = (b"arts", b"law", b"science", b"sport")
VOCABULARY = 200_000
SHORTEST, LONGEST = 60, 200  # words of a document
OWN_SHARE = 0.1  # of words that come from a quarter of the vocabulary, the label's own
BLOCK = 1000  # documents made at a time
RANKS = 1 << 22


def write_stream(path: str | Path, n_bytes: int, seed: int = 0) -> int:
    """Write documents until the file has so many bytes; how many they were."""
    path = Path(path)
    is_csv = path.suffix == ".csv"
    form = b"%s,%s\n" if is_csv else b'{"label": "%s", "text": "%s"}\n'
    n_documents = 0
    with path.open("wb") as file:
        written = file.write(b"label,text\n" if is_csv else b"")
        for label, text in made_up_documents(seed):
            if written >= n_bytes:
                break
            written += file.write(form % (label, text))
            n_documents += 1
    return n_documents


def made_up_documents(seed: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """(label, text) without end."""
    words = np.array([f"{spelling(rank)} " for rank in range(VOCABULARY)], dtype="S8")
    ranks = zipf_ranks()
    random = np.random.default_rng(seed)
    while True:
        labels = random.integers(len(LABELS), size=BLOCK)
        lengths = random.integers(SHORTEST, LONGEST + 1, BLOCK)
        ends = np.cumsum(lengths)
        chosen = ranks[random.integers(RANKS, size=ends[-1], dtype=np.int32)]
        own = random.random(ends[-1], dtype=np.float32) < OWN_SHARE
        chosen[own] += np.repeat(labels, lengths)[own] - chosen[own] % len(LABELS)
        drawn = words[chosen]
        for label, start, end in zip(labels.tolist(), (ends - lengths).tolist(), ends.tolist(), strict=True):
            yield LABELS[label], drawn[start:end].tobytes().translate(None, b"\0").rstrip()


def zipf_ranks() -> NDArray[np.int64]:
    """Ranks of words, each as often as 1 / (rank + 1) demands: to take one at random is to draw from Zipf's law."""
    shares = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    return np.searchsorted(shares, (np.arange(RANKS) + 0.5) / RANKS * shares[-1])


def spelling(rank: int) -> str:
    """A word of as many syllables as the rank has digits, in base 100: frequent words are short."""
    beginning = "" if rank < 100 else spelling(rank // 100)
    return beginning + "bcdfghjklmnpqrstvwxz"[rank % 100 // 5] + "aeiou"[rank % 5]


if __name__ == "__main__":
    print(f"{write_stream(sys.argv[2], int(float(sys.argv[1]) * 1e6)):,} documents")
