"""Corpora: named ones, and readers for one's own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb import lazy_names

if TYPE_CHECKING:
    from textnb.corpora.corpus import Corpus
    from textnb.corpora.labelled import LabelledSources
    from textnb.corpora.manifest import corpus_names
    from textnb.corpora.named import fetch_corpus, load_corpus
    from textnb.corpora.problems import Problem
    from textnb.corpora.readers import iter_rows, open_corpus, read_corpus
    from textnb.corpora.rows import ReadOptions
    from textnb.corpora.sources import CorpusUnavailable

# fmt: off
_MODULES = {
    "Corpus": "corpus", "CorpusUnavailable": "sources", "LabelledSources": "labelled", "Problem": "problems",
    "ReadOptions": "rows",
    "corpus_names": "manifest", "fetch_corpus": "named", "iter_rows": "readers", "load_corpus": "named",
    "open_corpus": "readers", "read_corpus": "readers",
}
__all__ = [
    "Corpus", "CorpusUnavailable", "LabelledSources", "Problem", "ReadOptions", "corpus_names", "fetch_corpus",
    "iter_rows", "load_corpus", "open_corpus", "read_corpus",
]
# fmt: on
__getattr__, __dir__ = lazy_names(__name__, {name: f"{__name__}.{module}" for name, module in _MODULES.items()})
