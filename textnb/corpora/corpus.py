"""What every loader and reader returns."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.corpora.problems import Problem

SUBSETS = ("train", "test", "all")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Labelled documents, with what is needed to say where they came from.

    Attributes
    ----------
    name : str
        The corpus's name, or the path it was read from.
    texts : list of str
    labels : array of str
        The class name of each document; empty where a reader was told that labels are not required.
    classes : list of str
        The class names, sorted.
    edition : str
        Which edition of the corpus this is, for people.
    split : array of str, or None
        The part, "train" or "test", of each document, where the corpus has a split of its own.
    groups : array of int, or None
        Documents that belong together: the threads of 20 Newsgroups, runs of IMDB's reviews that may be of one film.
        The numbers are those of the whole corpus, so they can be compared between subsets.
    problems : tuple of Problem
        What a reader skipped.
    where : list of str, or None
        Where each document stands in what was read: its line or file. Named corpora have no such places.
    columns : dict of lists
        The values of further columns of a table by name: of each document a str or None, or a float or NaN.
    is_mail : bool
        Whether the texts are messages, as `textnb.text.mail.as_message` gives them, rather than plain text.
    notices : tuple of str
        What a reader noticed that people should know.
    """

    name: str
    texts: list[str] = field(repr=False)
    labels: NDArray[np.str_] = field(repr=False)
    classes: list[str] = field(repr=False)
    edition: str
    split: NDArray[np.str_] | None = field(default=None, repr=False)
    groups: NDArray[np.int64] | None = field(default=None, repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    where: list[str] | None = field(default=None, repr=False)
    columns: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    is_mail: bool = False
    notices: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def class_counts(self) -> dict[str, int]:
        labels, counts = np.unique(self.labels, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def place(self, row: int) -> str:
        """Where a document stands, or its number among the texts."""
        return f"texts[{row}]" if self.where is None else self.where[row]


def make_corpus(name: str, texts: list[str], labels: Iterable[str], edition: str, **more: Any) -> Corpus:
    """A corpus whose classes are the labels seen."""
    labels = list(labels)
    classes = sorted(set(labels) - {""})
    return Corpus(name, texts, np.array(labels, dtype=np.str_), classes, edition, **more)


def select(corpus: Corpus, subset: str = "all", categories: Iterable[str] | None = None) -> Corpus:
    """The documents of one subset, and of some classes, in their order."""
    if subset not in SUBSETS:
        raise ValueError(f"subset must be one of {', '.join(SUBSETS)}, got {subset!r}.")
    chosen = np.ones(len(corpus), dtype=bool)
    if subset != "all":
        if corpus.split is None:
            raise ValueError(
                f"{corpus.name} has no split of its own, so no {subset!r} subset: load subset='all' and split that."
            )
        chosen &= corpus.split == subset
    classes = corpus.classes
    if categories is not None:
        classes = known_categories(corpus, categories)
        chosen &= np.isin(corpus.labels, classes)
    if chosen.all():
        return corpus
    rows = np.flatnonzero(chosen).tolist()
    return replace(
        corpus,
        texts=[corpus.texts[row] for row in rows],
        labels=corpus.labels[chosen],
        classes=classes,
        split=None if corpus.split is None else corpus.split[chosen],
        groups=None if corpus.groups is None else corpus.groups[chosen],
        where=None if corpus.where is None else [corpus.where[row] for row in rows],
        columns={name: [values[row] for row in rows] for name, values in corpus.columns.items()},
    )


def known_categories(corpus: Corpus, categories: Iterable[str]) -> list[str]:
    """The categories asked for, sorted; a name that is no class of the corpus is an error."""
    wanted = sorted({categories} if isinstance(categories, str) else set(categories))
    if not wanted:
        raise ValueError("categories is empty: name at least one class, or leave it out to have them all.")
    for name in wanted:
        if name not in corpus.classes:
            hint = did_you_mean(name, corpus.classes)
            raise ValueError(f"{corpus.name} has no class {name!r}.{hint} Known: {', '.join(corpus.classes)}.")
    return wanted


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence for an error message, or nothing where no known name is close."""
    close = get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
