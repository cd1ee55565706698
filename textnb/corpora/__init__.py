"""Corpora: named ones, and readers for one's own data."""

from textnb.corpora.corpus import Corpus, Problem
from textnb.corpora.manifest import corpus_names
from textnb.corpora.named import fetch_corpus, load_corpus
from textnb.corpora.readers import iter_rows, open_corpus, read_corpus
from textnb.corpora.sources import CorpusUnavailable

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
