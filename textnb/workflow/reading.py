"""The corpus of a workflow: by its name, its path, or as it is; and its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from textnb import corpora
from textnb.arrays import Array
from textnb.corpora.columns import found_columns, is_number
from textnb.corpora.corpus import Corpus, select
from textnb.corpora.decoding import decode
from textnb.corpora.files import STDIN
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.manifest import corpus_names
from textnb.corpora.named import has_raw_mail
from textnb.corpora.problems import skipped_sentence
from textnb.corpora.readers import column_names, require_classes
from textnb.corpora.recognition import Kinds, kinds_of, mail_notice, mixed_notice
from textnb.corpora.rows import DEFAULT_OPTIONS, ReadOptions
from textnb.model.settings import USUAL_COLUMNS, Columns
from textnb.text.mail.canonical import canonical
from textnb.workflow.progress import Progress

CorpusLike: TypeAlias = str | PathLike[str] | Corpus | LabelledSources

OF_WORDS = ("tokenizer", "stemmer", "stop_words")  # settings of the analyzer of words
BLOCK = 1000  # documents predicted at a time


def opened(corpus: CorpusLike, options: ReadOptions, progress: Progress) -> Corpus:
    """A corpus by name, by path or as it is, limited to the categories of the options."""
    if isinstance(corpus, Corpus):
        read = select(corpus, categories=options.categories)
        if not read.is_mail:
            return read
        return plain_text(read) if options.mail is False else replace(read, texts=list(map(canonical, read.texts)))
    progress.status(f"reading {corpus} …")
    read = corpora.open_corpus(corpus, options=options, quiet=progress.quiet)
    for notice in read.notices:
        progress.notice(notice)
    return read


def plain_text(corpus: Corpus) -> Corpus:
    """A corpus of messages as one of plain text."""
    texts = [decode(text.encode("utf-8", "surrogateescape")) for text in corpus.texts]
    return replace(corpus, texts=texts, is_mail=False)


def with_analyzer(
    corpus: CorpusLike, options: ReadOptions, settings: Mapping[str, Any], progress: Progress
) -> tuple[ReadOptions, dict[str, Any]]:
    """Options and settings for a corpus: if no analyzer is given, that of mail for mail, which a notice says.

    Settings of words, such as stop words, are for the analyzer of words, and a notice says so of mail.
    """
    others = {name: value for name, value in settings.items() if name != "analyzer"}
    analyzer = settings.get("analyzer")
    if analyzer is None and settings.get("mail") is not None:
        analyzer = "mail"
    if analyzer is None:
        if not isinstance(corpus, Corpus | LabelledSources) and fspath(corpus) not in corpus_names():
            require_classes(Path(corpus))
        of_words = [name for name in OF_WORDS if settings.get(name) is not None]
        is_mail, notices = (has_mail(corpus), []) if of_words else how_read(corpus)
        if is_mail:
            analyzer = "word" if of_words else "mail"
        if is_mail and of_words:
            option = f"--{of_words[0].replace('_', '-')}"
            notices = [
                f"{_name(corpus)} is mail, and is read as plain text because of {option}: the mail analyzer takes none"
            ]
        for notice in notices:
            progress.notice(notice)
    given = {} if analyzer is None else {"analyzer": analyzer}
    return replace(options, mail=analyzer == "mail"), others | given


def how_read(corpus: CorpusLike) -> tuple[bool, list[str]]:
    """Whether the documents of a corpus are mail, by a few of them, and what to say of how they are read."""
    kinds = _kinds(corpus)
    is_mail = corpus.is_mail if isinstance(corpus, LabelledSources) else has_mail(corpus)
    mixed = [mixed_notice(name, as_mail=is_mail) for name, kind in kinds if kind.is_mixed]
    return is_mail, [mail_notice(_name(corpus)), *mixed] if is_mail else mixed


def has_mail(corpus: CorpusLike) -> bool:
    """Whether there is mail among the documents of a corpus, by a few of them."""
    if isinstance(corpus, Corpus):
        return corpus.is_mail
    if not isinstance(corpus, LabelledSources) and fspath(corpus) in corpus_names():
        return has_raw_mail(fspath(corpus))
    return any(kind.is_mail for _, kind in _kinds(corpus))


def _kinds(corpus: CorpusLike) -> list[tuple[str, Kinds]]:
    """What the sources of a corpus are that is read from files, with their names."""
    if isinstance(corpus, LabelledSources):
        return corpus.kinds_of_each
    if isinstance(corpus, Corpus) or fspath(corpus) in (*corpus_names(), STDIN):  # a stream is one of tables
        return []
    return [(fspath(corpus), kinds_of([fspath(corpus)], of_classes=True))]


def _name(corpus: CorpusLike) -> str:
    return corpus.name if isinstance(corpus, Corpus) else str(corpus)


def with_own_columns(corpus: CorpusLike, options: ReadOptions, progress: Progress) -> ReadOptions:
    """The options with the columns of text and class as a table names them, for its model to remember.

    A notice says which were taken if others were wanted. Where they cannot be told, whoever reads the table says why.
    """
    if isinstance(corpus, Corpus | LabelledSources) or fspath(corpus) in (*corpus_names(), STDIN):
        return options
    path, wanted = Path(corpus), replace(options, text=options.text or USUAL_COLUMNS.text)
    if not (path.is_file() or path.is_dir()) or is_number(wanted.text) or is_number(wanted.label):
        return options
    try:
        names = column_names(path, options.encoding)
        return found_columns(wanted, names, lambda notice: progress.notice(f"{path.name}: {notice}"))
    except ValueError:
        return options


def read_columns(options: ReadOptions) -> Columns:
    """The columns that documents are read from, for their model to remember."""
    return Columns(options.text or USUAL_COLUMNS.text, options.label)


def with_columns(options: ReadOptions, columns: Columns, label: str | None = None) -> ReadOptions:
    """The options with a model's own columns where none are named: for a text of None, and for the usual label."""
    own_label = columns.label if options.label == DEFAULT_OPTIONS.label else options.label
    return replace(options, text=options.text or columns.text, label=label or own_label)


def in_blocks(documents: Any, progress: Progress) -> Iterator[Any]:
    starts = range(0, len(documents), BLOCK)
    for start in progress.each(starts, len(starts), "predicting", " thousand documents"):
        yield documents[start : start + BLOCK]


ALL = "all of it"  # for people


def require_two_classes(corpus: Corpus, why: str = "a classifier needs two or more") -> None:
    if len(corpus.classes) < 2:
        skipped = skipped_sentence(corpus.problems)
        raise ValueError(f"{corpus.name} has only the class {corpus.classes[0]!r}: {why}.{skipped}")


def part_of(corpus: Corpus, subset: str | None) -> tuple[Array, str]:
    """The positions of a part of the corpus, and its name for people."""
    if subset == "all" or (subset is None and corpus.split is None):
        return np.arange(len(corpus)), ALL
    if corpus.split is None:
        raise ValueError(
            f"{corpus.name} has no train and test parts: name no subset (--subset), and all of it is taken"
        )
    rows = np.flatnonzero(corpus.split == (subset or "test"))
    if not len(rows):
        raise ValueError(f"{corpus.name} has no document in its {subset or 'test'} part: choose another subset")
    return rows, f"its own {subset or 'test'} part"
