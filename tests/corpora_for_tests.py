"""Named corpora for tests: loaded once a process, or the test is skipped."""

from functools import cache
from typing import Any

import pytest

from textnb.corpora import Corpus, CorpusUnavailable, load_corpus


@cache
def _load(name: str, options: tuple[tuple[str, Any], ...]) -> Corpus | CorpusUnavailable:
    try:
        return load_corpus(name, quiet=True, **dict(options))
    except CorpusUnavailable as error:  # kept, so that every test does not wait for the network anew
        return error


def corpus_or_skip(name: str, **options: Any) -> Corpus:
    """`load_corpus(name, **options)`; skips the test where no source can be reached.

    A source that was reached and refused is a failure: it is the code, or the digest, that is wrong.
    """
    hashable = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    found = _load(name, tuple(sorted(hashable.items())))
    if isinstance(found, Corpus):
        return found
    if any(isinstance(why, ValueError) for _, why in found.attempts):
        raise found
    pytest.skip(f"corpus not available: {' '.join(str(found).split())}")
