"""The documents of labelled sources: one at a time, as a stream, or all of them as a corpus."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

from textnb.corpora.corpus import Corpus, make_corpus, select
from textnb.corpora.decoding import known_encoding
from textnb.corpora.files import STDIN, table_format
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Skipped
from textnb.corpora.readers import nothing_usable
from textnb.corpora.rows import DEFAULT_OPTIONS, BadRow, BadTable, ReadOptions, Row, document_row
from textnb.corpora.stream import DocumentStream
from textnb.corpora.tables import table_records
from textnb.text.steps import each


def read_labelled(sources: LabelledSources, options: ReadOptions = DEFAULT_OPTIONS) -> Corpus:
    """The documents of labelled sources as a corpus, which is mail if they are."""
    options = resolved(sources, options)
    skipped = SkippedOfAll(options.strict)
    rows = list(each(labelled_rows(sources, options, skipped), "reading", " documents"))
    if not rows:
        raise nothing_usable(str(sources), skipped.problems)
    kind = "messages" if options.mail else "documents"
    corpus = make_corpus(
        str(sources),
        [row.text for row in rows],
        (row.label for row in rows),
        f"{len(rows):,} {kind}",
        problems=tuple(skipped.problems),
        where=[row.where for row in rows],
        is_mail=bool(options.mail),
        notices=tuple(skipped.notices),
    )
    return select(corpus, categories=options.categories)


def resolved(sources: LabelledSources, options: ReadOptions) -> ReadOptions:
    """The options, checked, with an answer whether the sources are mail."""
    if options.more:
        raise ValueError(
            f"{sources} is no table, which columns such as {options.more[0]!r} are read from: give a table with a "
            "column of classes."
        )
    if tuple(options.strip):
        raise ValueError("Only 20 Newsgroups with headers can be stripped: leave strip out.")
    is_mail = sources.is_mail if options.mail is None else options.mail
    return replace(options, mail=is_mail, encoding=known_encoding(options.encoding))


def labelled_rows(sources: LabelledSources, options: ReadOptions, skipped: Skipped) -> Iterator[Row]:
    """The documents of labelled sources, messages or not as the options say."""
    for label, path in sources:
        if path != STDIN and table_format(path) is not None:
            yield from _table_rows(path, label, options, skipped)
            continue
        inside = sources.inside(path)
        skipped.notices += [f"{path} is read without {inner}, which is given as {inside[inner]}" for inner in inside]
        documents = read_messages(
            [path], False, skipped, mail=bool(options.mail), encoding=options.encoding, without=inside.keys()
        )
        for where, text in documents:
            try:
                yield document_row(where, text, label, options)
            except BadRow as error:
                skipped.document(where, str(error))


def _table_rows(path: str, label: str, options: ReadOptions, skipped: Skipped) -> Iterator[Row]:
    """The rows of a table, whatever class it says that they are of."""
    without_label = replace(options, label_required=False, text=options.text or "text")
    try:
        with Path(path).open("rb") as file:
            of_path = table_records(
                file, path, table_format(path), without_label, f"{path}: ", note=skipped.notices.append
            )
            for row, _ in of_path:
                if isinstance(row, Row):
                    yield row._replace(label=label)
                elif row is not None:
                    skipped.document(*row)
    except BadTable as error:
        skipped.document(path, f"it cannot be read: {error}")


class SkippedOfAll(Skipped):
    """What was skipped, where files that were asked for by name are documents like others."""

    def source(self, where: str, why: str, error: Exception | None = None) -> None:
        if self.strict:
            super().source(where, why, error)
        self.document(where, why)


class LabelledStream(DocumentStream):
    """The documents of labelled sources, as often as they are asked for."""

    def __init__(self, sources: LabelledSources, options: ReadOptions) -> None:
        if STDIN in sources.paths:
            raise ValueError("stdin (-) is one of several sources here, and cannot be read as a stream: give files.")
        super().__init__([], resolved(sources, options))
        self.labelled = sources
        self.n_bytes = None  # unknown until all files have been read

    def _begin(self) -> None:
        super()._begin()
        self._skipped = SkippedOfAll(self.options.strict)

    @property
    def name(self) -> str:
        return str(self.labelled)

    def _rows(self) -> Generator[Row, None, None]:
        try:
            for row in labelled_rows(self.labelled, self.options, self._skipped):
                self._bytes_before += len(row.text)
                yield row
        finally:
            for notice in self._skipped.notices:
                self._note(notice)
