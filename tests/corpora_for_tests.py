"""Named corpora for tests: loaded once a process, or the test is skipped."""

from functools import cache
from typing import Any

import pytest

from textnb.corpora import Corpus, CorpusUnavailable, load_corpus
from textnb.corpora.corpus import select


@cache
def _load(name: str, strip: tuple[str, ...]) -> Corpus | CorpusUnavailable:
    try:
        return load_corpus(name, strip=strip, quiet=True)
    except CorpusUnavailable as error:  # kept, so that every test does not wait for the network anew
        return error


def corpus_or_skip(name: str, subset: str = "all", categories: Any = None, strip: Any = ()) -> Corpus:
    """`load_corpus` with these options; skips the test where no source can be reached.

    A source that was reached and refused is a failure: it is the code, or the digest, that is wrong.
    """
    found = _load(name, tuple(strip))
    if isinstance(found, Corpus):
        return select(found, subset, categories)
    if any(isinstance(why, ValueError) for _, why in found.attempts):
        raise found
    pytest.skip(f"corpus not available: {' '.join(str(found).split())}")
