"""Whether the compiled kernel can count, and counting with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textnb.text.analyzer import Analyzer
from textnb.text.compiled import compiled_kernel
from textnb.text.rows import Array, SparseRows
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.vocabulary import Vocabulary

_PAYS_FROM = 1 << 19  # characters from which a second thread gains more than it costs


def serves(analyzer: Analyzer) -> bool:
    """Whether the kernel is there and knows how to do what the analyzer does."""
    plain = not callable(analyzer.kind) and analyzer.preprocessor is None and analyzer.strip_accents is None
    if plain and analyzer.kind == "word":
        plain = analyzer.tokenizer is None and analyzer.stemmer is None
        plain = plain and analyzer.token_pattern in (None, DEFAULT_TOKEN_PATTERN)
    return plain and compiled_kernel() is not None


def count_all(texts: Sequence[str], analyzer: Analyzer, n_jobs: int | None) -> tuple[dict[str, int], SparseRows]:
    """The terms of the texts, sorted and numbered, and how often each text has each."""
    counted = compiled_kernel().count_growing(texts, *_analysis(analyzer), _threads(texts, n_jobs))
    terms, indptr, indices, data = counted
    return terms, SparseRows(indptr, indices, data, len(terms))


def count_known(
    texts: Sequence[str], analyzer: Analyzer, vocabulary: Vocabulary, n_jobs: int | None
) -> tuple[SparseRows, Array]:
    """How often each text has each term of the vocabulary, and how many terms it has outside it."""
    table = vocabulary.compiled(lambda terms, ids: compiled_kernel().KernelVocabulary(terms, ids))
    threads = _threads(texts, n_jobs)
    counted = compiled_kernel().count_known(texts, table, *_analysis(analyzer), threads, unknown=True)
    indptr, indices, data, outside = counted
    return SparseRows(indptr, indices, data, len(vocabulary)), outside


def _analysis(analyzer: Analyzer) -> tuple[Any, ...]:
    return analyzer.kind, *analyzer.ngrams, analyzer.lowercase, analyzer.stop_words


def _threads(texts: Sequence[str], n_jobs: int | None) -> int:
    from textnb.text.threads import available_cores, thread_count

    if n_jobs is not None:
        return thread_count(n_jobs)
    return available_cores() if sum(map(len, texts)) >= _PAYS_FROM else 1
