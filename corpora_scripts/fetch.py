"""What the fetch scripts share."""

from collections import Counter

from textnb.corpora import CorpusUnavailable, fetch_corpus


def fetch(name: str) -> None:
    """Put a corpus in the cache, and say what it is, where, and how many documents each class has."""
    try:
        corpus, path = fetch_corpus(name)
    except CorpusUnavailable as error:
        raise SystemExit(str(error)) from None
    print(f"{corpus.edition}: {len(corpus):,} documents, in {path}")
    for label, count in sorted(Counter(corpus.labels.tolist()).items()):
        print(f"{count:7,}  {label}")
