from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int32] | NDArray[np.int64]
Counts = NDArray[np.int64]

SMALLEST_BLOCK: int
LARGEST_BLOCK: int
LARGEST_INDEX: int

class KernelVocabulary:
    terms: tuple[str, ...]
    ids: Counts
    def __init__(self, terms: Iterable[str], ids: ArrayLike | None = None) -> None: ...
    def __len__(self) -> int: ...

def count_growing(
    texts: Iterable[str],
    analyzer: str,
    ngram_min: int,
    ngram_max: int,
    lowercase: bool,
    stop_words: Collection[str] | None,
    n_threads: int,
    *,
    binary: bool = False,
) -> tuple[dict[str, int], Indices, Indices, Counts]: ...
def count_known(
    texts: Iterable[str],
    vocabulary: KernelVocabulary,
    analyzer: str,
    ngram_min: int,
    ngram_max: int,
    lowercase: bool,
    stop_words: Collection[str] | None,
    n_threads: int,
    *,
    binary: bool = False,
    unknown: bool = False,
) -> tuple[Indices, Indices, Counts, Counts | None]: ...
def _hashes(terms: Iterable[str], seeds: Any = ...) -> NDArray[np.uint64]: ...
