"""Fetch named corpora into the cache: python corpora_scripts/fetch.py 20news sms-spam; all of them without a name."""

import sys

from textnb.corpora import CorpusUnavailable, corpus_names, fetch_corpus


def fetch(name: str) -> None:
    """Put a corpus in the cache, and say what it is, where, and how many documents each class has."""
    try:
        corpus, path = fetch_corpus(name)
    except (CorpusUnavailable, ValueError) as error:
        raise SystemExit(str(error)) from None
    print(f"{corpus.edition}: {len(corpus):,} documents, in {path}")
    for label, count in corpus.class_counts.items():
        print(f"{count:7,}  {label}")


if __name__ == "__main__":
    for argument in sys.argv[1:] or corpus_names():
        fetch(argument)
