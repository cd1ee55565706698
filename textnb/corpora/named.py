"""The named corpora, ready to train on."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textnb.corpora.archives import Members
from textnb.corpora.cache import cache_file
from textnb.corpora.corpus import SUBSETS, Corpus, make_corpus, select
from textnb.corpora.layouts import LAYOUTS, Document, mail, raw_mail
from textnb.corpora.manifest import Edition, Entry, find_entry
from textnb.corpora.newsgroups import check_strip, strip_text, thread_numbers
from textnb.corpora.sources import find_members


def load_corpus(
    name: str,
    subset: str = "all",
    *,
    categories: Iterable[str] | None = None,
    strip: Iterable[str] = (),
    raw: bool = False,
    quiet: bool = False,
) -> Corpus:
    """Load a named corpus, from wherever it can be had.

    Parameters
    ----------
    name : str
        One of `corpus_names()`.
    subset : {"all", "train", "test"}
        A corpus without a split of its own has only "all". All of a corpus that has one is its train part, then its
        test part; `.split` tells them apart.
    categories : iterable of str, optional
        The classes to load.
    strip : iterable of {"headers", "footers", "quotes"}
        What to leave out of the posts of 20 Newsgroups, as scikit-learn's `fetch_20newsgroups(remove=...)` does.
    raw : bool
        Whether texts are wanted as messages, which spamassassin has, for ``TextClassifier(analyzer="mail")``.
    quiet : bool
        Whether to keep progress and notices off stderr.

    Examples
    --------
    >>> corpus = load_corpus("20news", subset="train", categories=["sci.med", "sci.space"])  # doctest: +SKIP
    >>> len(corpus), corpus.edition  # doctest: +SKIP
    (1187, '20 Newsgroups by date, with headers')
    """
    entry = find_entry(name)
    parts = check_strip(strip)
    if subset not in SUBSETS:
        raise ValueError(f"subset must be one of {', '.join(SUBSETS)}, got {subset!r}.")
    if raw and not has_raw_mail(name):
        raise ValueError(f"{name} has no raw messages: leave raw out.")
    edition, members = find_members(entry, quiet=quiet)
    if parts and edition.layout != "newsgroups":
        raise ValueError(
            f"Only 20 Newsgroups with headers can be stripped, not the {edition.title}: leave strip out"
            + (", or put 20news-bydate.tar.gz in the folder that TEXTNB_CORPORA names." if name == "20news" else ".")
        )
    corpus = select(build_corpus(entry, edition, members, raw=raw), subset, categories)
    if parts:
        corpus = replace(corpus, texts=[strip_text(text, parts) for text in corpus.texts])
    return corpus


def fetch_corpus(name: str, *, quiet: bool = False) -> tuple[Corpus, Path]:
    """Put the best edition that can be had in the cache; the corpus, and the file it is in."""
    entry = find_entry(name)
    edition, members = find_members(entry, quiet=quiet, best=True)
    return build_corpus(entry, edition, members), cache_file(edition)


def has_raw_mail(name: str) -> bool:
    """Whether the documents of a named corpus are messages as they were sent."""
    return any(edition.layout == mail.__name__ for edition in find_entry(name).editions)


def build_corpus(entry: Entry, edition: Edition, members: Members, *, raw: bool = False) -> Corpus:
    """The documents of an edition, the train part first where there is one; messages as they are if they are `raw`."""
    documents = list(raw_mail(members) if raw else LAYOUTS[edition.layout](members))
    has_split = documents[0].part is not None
    if has_split:
        documents.sort(key=lambda document: document.part != "train")
    texts = [document.text for document in documents]
    return make_corpus(
        entry.name,
        texts,
        (document.label for document in documents),
        edition.title,
        split=np.array([document.part for document in documents]) if has_split else None,
        is_mail=raw,
        groups=thread_numbers(texts) if edition.layout == "newsgroups" else group_numbers(documents),
    )


def group_numbers(documents: list[Document]) -> NDArray[np.int64] | None:
    if documents[0].group is None:
        return None
    return np.unique([document.group or "" for document in documents], return_inverse=True)[1]
