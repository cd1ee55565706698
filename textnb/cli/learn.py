"""`textnb learn`: more documents for a saved model. Called once a message by mail filters, so it imports little."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import fail, notice, report_skipped, show, show_json
from textnb.cli.predict import read_documents
from textnb.report.safe import printable

if TYPE_CHECKING:
    from textnb.learner import Learned, Learner
    from textnb.statistics.text_counts import TextCounts
    from textnb.text.rows import Array

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, which is changed.")]
Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="With --label, documents, one a file, - or none for stdin; without, labelled ones, as for `train`.",
    ),
]
Label = Annotated[str | None, typer.Option(help="The class of the documents.")]
Lines = Annotated[bool, typer.Option("--lines", help="With --label, each line of the input is a document.")]
Text = Annotated[str | None, typer.Option(help="The column of a table that has the text. [default: text]")]
LabelColumn = Annotated[str | None, typer.Option(help="The column of a table that has the class. [default: label]")]
Encoding = Annotated[str | None, typer.Option(help="The encoding of tables and folders; by default found out.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")]


def learn(
    model: Model,
    files: Files = None,
    label: Label = None,
    lines: Lines = False,
    once: Annotated[
        bool, typer.Option("--once", help="Leave documents it knows; move those it knows under another class.")
    ] = False,
    text: Text = None,
    label_column: LabelColumn = None,
    encoding: Encoding = None,
    strict: Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Teach MODEL more documents: new words and new classes simply arrive.

    The file is replaced as a whole, and several processes may learn and predict at the same time.

    \b
    Examples:
      textnb learn mail.tnb --label spam message.txt
      textnb learn mail.tnb --label ham --once < message.txt
      textnb learn mail.tnb newer.csv --text body --label-column kind
    """
    documents = read_labelled(files or ["-"], label, lines, text, label_column, encoding, strict, quiet)
    show_update(run_update(model, documents, lambda learner, *those: learner.learn(*those, once=once)), as_json, quiet)


@dataclass(frozen=True)
class Labelled:
    """Documents and their classes, and what could not be read."""

    texts: list[str]
    labels: list[str]
    problems: list[tuple[str, str]]
    unreadable: list[str]  # files that were named: not to read one is an error, if not of the others


@dataclass(frozen=True)
class Update:
    """What became of documents, and of the model."""

    model_file: str
    counts: dict[str, int]
    documents: dict[str, float]  # of each class
    n_terms: int
    labelled: Labelled

    def to_json(self) -> dict[str, Any]:
        skipped = [{"where": where, "why": why} for where, why in self.labelled.problems]
        found = {"model_file": self.model_file, **self.counts, "classes": self.documents, "n_terms": self.n_terms}
        return found | ({"skipped": skipped} if skipped else {})

    def to_text(self) -> str:
        what = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        return f"{what}; {summary(self.model_file, self.documents, self.n_terms)}"


def read_labelled(
    files: list[str],
    label: str | None,
    lines: bool,
    text: str | None,
    label_column: str | None,
    encoding: str | None,
    strict: bool,
    quiet: bool,
) -> Labelled:
    """Documents of one class, or labelled ones of tables, folders and named corpora."""
    unreadable: list[str] = []
    if label is not None:
        refuse_tables(files, label, lines, {"--text": text, "--label-column": label_column, "--encoding": encoding})
        if files == ["-"] and sys.stdin is not None and sys.stdin.isatty():
            notice("reading a document from the terminal; end it with Ctrl-D", quiet)
        texts = [content for _, content in read_documents(files, lines, None if strict else unreadable)]
        return Labelled(texts, [label] * len(texts), [], unreadable)
    if files == ["-"] or lines:
        raise ValueError("which class are the documents of? Give --label, or labelled documents: a table or a folder")
    from textnb.corpora import open_corpus

    texts, labels = [], []
    problems: list[tuple[str, str]] = []
    for file in files:
        corpus = open_corpus(file, text=text or "text", label=label_column or "label", encoding=encoding, strict=strict)
        texts += corpus.texts
        labels += corpus.labels.tolist()
        problems += [(where if len(files) == 1 else f"{file}: {where}", why) for where, why in corpus.problems]
    return Labelled(texts, labels, problems, unreadable)


def refuse_tables(files: list[str], label: str, lines: bool, options_of_tables: dict[str, str | None]) -> None:
    """Refuse what was meant as a table of many documents: under --label, a file is one."""
    if not label:
        raise ValueError("--label is empty: give the name of a class")
    for option, value in options_of_tables.items():
        if value is not None:
            raise ValueError(
                f"{option} is for labelled documents, and with --label each file is one document of that class: "
                "leave one of them out. The column of a table that has the class is --label-column"
            )
    for file in files:
        if re.search(r"\.(csv|tsv|jsonl)(\.gz)?$", file) and not lines:
            raise ValueError(
                f"{file} is a table, and with --label each file is one document: leave --label out, and name the "
                "columns by --text and --label-column. If it is a document, give it on stdin"
            )


def run_update(model: Path, those: Labelled, change: Callable[[Learner, list[str], Array], Learned]) -> Update:
    """A model file changed by documents."""
    from textnb.model_updates import update_model

    if not those.texts:
        raise ValueError(f"there is no document to change {model} by. {' '.join(those.unreadable)}".strip())
    done, learner = update_model(model, lambda learner: change(learner, those.texts, as_labels(those.labels, learner)))
    counts = learner.counts
    became = {name: count for name, count in vars(done).items() if count is not None}
    return Update(str(model), became, documents_by_class(counts), counts.n_seen_terms, those)


def as_labels(names: list[str], learner: Learner) -> Array:
    """The names as labels of the model, whose classes may be numbers."""
    import numpy as np

    classes = learner.counts.classes
    if classes.dtype.kind == "U" or not len(classes):
        return np.array(names)
    known = {str(label): label for label in classes.tolist()}
    if classes.dtype.kind in "iu":  # then numbers may arrive
        known |= {name: int(name) for name in names if re.fullmatch("0|-?[1-9][0-9]{0,17}", name)}
    strange = [name for name in names if name not in known]
    if strange:
        raise ValueError(f"the classes of the model are numbers, such as {classes[0]}: {strange[0]!r} is none of them")
    return np.array([known[name] for name in names])


def documents_by_class(counts: TextCounts) -> dict[str, float]:
    """How many documents of each class were counted."""
    return dict(zip(map(str, counts.classes.tolist()), counts.documents.tolist(), strict=True))


def summary(model_file: str, documents: dict[str, float], n_terms: int) -> str:
    """What a model has learned, in a line."""
    classes = ", ".join(f"{printable(label)} {count:,.15g}" for label, count in documents.items())
    return f"{printable(model_file)} has {classes}; {n_terms:,} terms"


def show_update(update: Update, as_json: bool, quiet: bool) -> None:
    report_skipped(update.labelled.problems, quiet)
    show_json(update.to_json()) if as_json else show(update.to_text())
    for problem in update.labelled.unreadable:
        fail(problem)
    if update.labelled.unreadable:
        raise typer.Exit(2)
