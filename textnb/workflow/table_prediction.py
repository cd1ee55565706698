"""Predicting the rows of tables: as answers, or written beside the rows to a table of predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from io import BufferedReader, BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textnb.arrays import Array
from textnb.corpora.decoding import known_encoding
from textnb.corpora.files import STDIN, TABLE_KINDS, is_table, open_source, os_error_line, table_format
from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Problem, Skipped
from textnb.corpora.readers import nothing_usable
from textnb.corpora.rows import BadTable, Line, ReadOptions, Row
from textnb.corpora.tables import sniffed_format, table_names, table_records
from textnb.model.decision import log_posterior, resolve_impossible
from textnb.model.file import table_columns
from textnb.storage import open_model
from textnb.text.documents import batches
from textnb.text.steps import Advance, each
from textnb.workflow.outputs import check_new
from textnb.workflow.prediction import Answer, answers, message_predictor, recognised, text_predictor
from textnb.workflow.progress import SILENT, Progress
from textnb.workflow.reading import with_columns
from textnb.workflow.table_output import replaced_file, table_output

if TYPE_CHECKING:
    from textnb.model.explanation import Explanation

BLOCK = 1000  # rows predicted at a time
PLACES = ("line ", "row ", "item ")  # in tables
WRITTEN = ("csv", "tsv", "jsonl")
ROWS_ARE_WRITTEN = ("parquet", "arrow", "feather")  # in any of these formats


class Document(NamedTuple):
    """A document; without content, a line of a table that is none: its header, or what cannot be used."""

    id: str
    content: Any  # a text, or the values of a row; None where there is none
    line: Line | None = None  # of a table
    is_header: bool = False


@dataclass(frozen=True)
class PredictionSummary:
    """What was written to a table of predictions: how many documents got which label."""

    output: str
    labels: dict[str, int]
    n_skipped: int

    @property
    def n_documents(self) -> int:
        return sum(self.labels.values())

    def to_json(self) -> dict[str, Any]:
        counts = {"n_documents": self.n_documents, "n_skipped": self.n_skipped}
        return {"output": self.output, **counts, "labels": self.labels}


def write_predictions(
    model: str | PathLike[str],
    files: list[str],
    output: str | PathLike[str],
    *,
    lines: bool = False,
    as_document: bool = False,
    raw: bool = False,
    prior: Mapping[str, float] | None = None,
    overwrite: bool = False,
    options: ReadOptions | None = None,
    skipped: Skipped | None = None,
    progress: Progress = SILENT,
) -> PredictionSummary:
    """Write predictions to a table, .csv, .tsv or .jsonl, which may end in .gz: all of it, or nothing.

    One table of the same kind is written as it stands, its cells untouched, with two columns added: `label` and
    `probability`, or `predicted_label` and `predicted_probability` where it has such columns already. So are the rows
    of a .parquet, .arrow or .feather file, as far as they are plain values, and those of a .json file as .jsonl. A row
    that cannot be predicted keeps its place, with nothing in them. For all else the columns are `id`, `label` and
    `probability`. The other parameters are those of `predict`.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, table, output = (os.path.join(folder, name) for name in ("mail.tnb", "new.csv", "predicted.csv"))
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     with open(table, "w") as file:
    ...         _ = file.write("n,text\\n1,cheap cheap\\n2,noon\\n")
    ...     write_predictions(path, [table], output).labels
    {'spam': 1, 'ham': 1}
    """
    path = fspath(output)
    check_new(path, [model, *files], overwrite=overwrite)
    skipped, whole = Skipped(strict=True) if skipped is None else skipped, lines or as_document
    options = recognised(model, files, options, whole=whole)
    format, has_rows = _output_format(path, files, options, whole=whole)
    if has_rows:
        options = replace(options or ReadOptions(text=None), written_as=format)
    predictor: Any = message_predictor(model, files, options, whole=whole, prior=prior)
    if predictor is not None:
        messages = each(read_messages(files, lines, skipped, mail=predictor.is_mail), "predicting", " documents")
        documents: Iterator[Document] = (Document(name, text) for name, text in messages)
    else:
        predictor, documents = open_documents(model, files, options, skipped, progress, prior)
    labels: Counter[str] = Counter()
    with replaced_file(path) as written:
        table = table_output(written, format, has_rows=has_rows)
        for document, answer in table_answers(predictor, documents, raw=raw):
            if document.is_header and document.line is not None:
                table.header(document.line)
            elif not document.is_header:
                table.row(document.id, document.line, answer)
            if answer is not None:
                labels[answer.label_text] += 1
        if not labels and not skipped.may_be_none:
            first = [*skipped.unreadable, *(f"{problem.where}: {problem.why}" for problem in skipped.problems)][:1]
            raise ValueError(" ".join(["there is no document to predict, and nothing is written.", *first]))
        check_new(path, [model, *files], overwrite=overwrite)  # others may have written meanwhile
    return PredictionSummary(path, dict(labels), skipped.n_problems)


def open_documents(
    model: str | PathLike[str],
    files: list[str],
    options: ReadOptions | None,
    skipped: Skipped,
    progress: Progress,
    prior: Mapping[str, float] | None = None,
) -> tuple[Any, Iterator[Document]]:
    """A predictor, and the documents of files in their order: those of tables, one per row, and others."""
    options, file = options or ReadOptions(text=None), open_model(model, verify="touched")
    named_text = options.text
    options = replace(with_columns(options, table_columns(file)), label_required=False)
    options = replace(options, encoding=known_encoding(options.encoding))
    predictor = text_predictor(model, prior)
    if predictor is not None:
        options = replace(options, mail=predictor.is_mail)
        return predictor, _documents(files, options, lambda row: row.text, skipped, progress)
    from textnb.workflow.inputs import open_fitted
    from textnb.workflow.table_input import TableInput

    fitted, columns, _ = open_fitted(file.path)
    assert isinstance(columns, TableInput)
    columns = columns.with_text(named_text)
    for name in files:
        if not (is_table(name) or (name == STDIN and options.format)):
            raise ValueError(
                f"{file.path} is a model of the columns {', '.join(columns.names)}: give tables that have them, "
                f"{TABLE_KINDS}, not {'stdin' if name == STDIN else name}"
            )
    rows = _documents(files, columns.options(options), lambda row: row.values, skipped, progress)
    return _MixedPredictor(fitted.with_prior(prior), columns), rows


def stdin_format(model: str | PathLike[str], start: str, options: ReadOptions) -> str | None:
    """The format of the table that begins like this, if it has the columns of the model; else None."""
    named = with_columns(options, table_columns(open_model(model, verify="touched"))).text
    format = sniffed_format(start)
    try:
        names = table_names(BufferedReader(BytesIO(start.encode())), "", format, None)
    except BadTable:
        return None
    return format if named in names and (len(names) > 1 or format in ("jsonl", "json")) else None


def table_answers(
    predictor: Any, documents: Iterable[Document], *, raw: bool, positive: str | None = None
) -> Iterator[tuple[Document, Answer | None]]:
    """Every document with its answer, in order, some at a time; None for what has no content."""
    for block in batches(documents, BLOCK):
        given = [(document.id, document.content) for document in block if document.content is not None]
        found = answers(predictor, given, raw=raw, positive=positive)
        yield from ((document, None if document.content is None else next(found)) for document in block)


def _documents(
    files: list[str],
    options: ReadOptions,
    content: Callable[[Row], Any],
    skipped: Skipped,
    progress: Progress,
) -> Iterator[Document]:
    total = sum(path.stat().st_size for path in map(Path, filter(is_table, files)) if path.is_file())
    with progress.bar("predicting", "B", total or None) as advance:
        for name in files:
            if is_table(name) or (name == STDIN and options.format):
                yield from _table_documents(name, options, content, skipped, advance)
            else:
                messages = read_messages([name], False, skipped, mail=bool(options.mail))
                yield from (Document(*message) for message in messages)


def _table_documents(
    name: str, options: ReadOptions, content: Callable[[Row], Any], skipped: Skipped, advance: Advance
) -> Iterator[Document]:
    """The header and the rows of a table; one that cannot be read at all is like a file that is not there."""
    first: Problem | None = None
    n_rows = position = 0
    try:
        with open_source(name) as file:
            records = table_records(file, name, _format(name, options), options, note=skipped.notices.append)
            for number, (row, line) in enumerate(records):
                if isinstance(row, Row):
                    n_rows += 1
                    yield Document(f"{name}:{in_table(row.where)}", content(row), line)
                elif row is not None:
                    first = first or row
                    skipped.document(f"{name}: {row.where}", row.why)
                    yield Document(f"{name}:{in_table(row.where)}", None, line)
                else:
                    yield Document(name, None, line, is_header=True)
                if number % BLOCK == 0 and file.seekable():
                    advance(max(file.tell() - position, 0), "")
                    position = max(file.tell(), position)
    except BadTable as error:
        skipped.file(f"{name} cannot be read: {error}")
    except OSError as error:
        error.filename = error.filename or name
        skipped.file(os_error_line(error), error)
    else:
        if not n_rows:
            skipped.file(str(nothing_usable(name, [] if first is None else [first])))


def in_table(where: str) -> str:
    """The number of a row, of a place such as "line 3"."""
    return next((where.removeprefix(kind) for kind in PLACES if where.startswith(kind)), where)


def _format(name: str, options: ReadOptions) -> str | None:
    return options.format if name == STDIN else table_format(name)


def _output_format(path: str, files: list[str], options: ReadOptions | None, *, whole: bool) -> tuple[str, bool]:
    """The format of a table of predictions, and whether it has the rows of the one table that is read."""
    written = table_format(path)
    if written not in WRITTEN:
        raise ValueError(f"{path}: predictions are written to .csv, .tsv or .jsonl, which may end in .gz")
    if whole or len(files) != 1:
        return written, False
    read = options.format if files[0] == STDIN and options is not None else None
    if is_table(files[0]):
        read = table_format(files[0])
    return written, read == written or read in ROWS_ARE_WRITTEN or (read, written) == ("json", "jsonl")


@dataclass(frozen=True)
class _MixedPredictor:
    """A mixed model as a predictor of rows."""

    model: Any
    columns: Any  # TableInput

    @property
    def is_mail(self) -> bool:
        """Whether its documents are messages: rows are not."""
        return False

    @property
    def classes(self) -> Array:
        return self.model.classes_

    def named(self, log_proba: Array) -> list[Any]:
        return self.classes[log_proba.argmax(axis=1)].tolist()

    def scored(self, rows: list[tuple[Any, ...]]) -> tuple[Array, Array]:
        """The raw scores, the prior where no class is possible, and log P(c | x), which is not calibrated."""
        joint = resolve_impossible(self.model.predict_joint_log_proba(self._table(rows)), self.model.class_log_prior_)
        return joint, self.raw_log_proba(joint)

    def raw_log_proba(self, joint: Array) -> Array:
        return log_posterior(joint, self.model.class_log_prior_)

    def explain(self, row: tuple[Any, ...], *, label: Any = None, against: Any = None) -> Explanation:
        """Why a row is of its class, by the names of its columns."""
        named = dict(zip(self.columns.names, self._table([row])[0].tolist(), strict=True))
        return self._named_model.explain(named, against, label=label)

    @cached_property
    def _named_model(self) -> Any:
        named = copy(self.model)
        self.columns.name_columns(named, None)
        return named

    def _table(self, rows: list[tuple[Any, ...]]) -> Array:
        """The values of rows, as they are read, in the order of the model's columns."""
        names = [*self.columns.strings, *self.columns.numeric]
        return self.columns.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
