"""Corpora: named ones, and readers for one's own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb._lazy import lazy_names

if TYPE_CHECKING:
    from textnb.corpora.corpus import Corpus, Problem
    from textnb.corpora.manifest import corpus_names
    from textnb.corpora.named import fetch_corpus, load_corpus
    from textnb.corpora.readers import iter_rows, open_corpus, read_corpus
    from textnb.corpora.sources import CorpusUnavailable

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Corpus": "textnb.corpora.corpus",
        "CorpusUnavailable": "textnb.corpora.sources",
        "Problem": "textnb.corpora.corpus",
        "corpus_names": "textnb.corpora.manifest",
        "fetch_corpus": "textnb.corpora.named",
        "iter_rows": "textnb.corpora.readers",
        "load_corpus": "textnb.corpora.named",
        "open_corpus": "textnb.corpora.readers",
        "read_corpus": "textnb.corpora.readers",
    },
)

__all__ = [
    "Corpus",
    "CorpusUnavailable",
    "Problem",
    "corpus_names",
    "fetch_corpus",
    "iter_rows",
    "load_corpus",
    "open_corpus",
    "read_corpus",
]
