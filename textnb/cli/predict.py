"""`textnb predict`: a saved model on new documents. Called once a message by mail filters, so it imports little."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from errno import EBADF
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.cli.output import fail, notice, os_error_line, show, show_json
from textnb.report.safe import printable


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Documents, one a file; - or none for stdin. Tables, for a model of columns."
        ),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line of the input is a document.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Probabilities as the model has them, not calibrated.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notices.")] = False,
) -> None:
    """Predict the class of documents: its label and probability, a line each.

    A model that was trained with costs or a ceiling names the class that is the cheapest to name, or says `unsure`.

    \b
    Examples:
      textnb predict mail.tnb message.txt
      cat message.txt | textnb predict mail.tnb
      textnb predict mail.tnb --lines subjects.txt --json
    """
    from textnb.model_file import predictor_of
    from textnb.storage import open_model

    file = open_model(model, verify="touched")
    sources = files or ["-"]
    problems: list[str] = []
    predictor: Any
    documents: Iterable[tuple[str, Any]]
    if file.settings.get("kind") == "mixed":
        from textnb.cli.mixed import open_tables

        if lines:
            raise ValueError(f"{model} is a model of columns, and takes the rows of tables: leave --lines out")
        predictor, documents = open_tables(model, sources, None if strict else problems)
    else:
        predictor = predictor_of(file)
        if sources == ["-"] and sys.stdin is not None and sys.stdin.isatty():
            notice("reading a document from the terminal; end it with Ctrl-D", quiet)
        documents = read_documents(sources, lines, None if strict else problems)
    named = len(sources) > 1
    for answer in run_prediction(predictor, documents, raw=raw):
        if as_json:
            show_json(answer.to_json())
        else:
            label = "unsure" if answer.label is None else str(answer.label)
            cells = [*([answer.id] if named else []), label, f"{answer.probability:.4f}"]
            show("\t".join(map(printable, cells)))
    for problem in problems:
        fail(problem)
    if problems:
        raise typer.Exit(2)


@dataclass(frozen=True)
class Answer:
    """What a model says of a document."""

    id: str
    label: Any
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        """Of the class named; of the likeliest if none is."""
        return max(self.probabilities.values()) if self.label is None else self.probabilities[str(self.label)]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "probabilities": self.probabilities}


def run_prediction(predictor: Any, documents: Iterable[tuple[str, Any]], *, raw: bool = False) -> Iterator[Answer]:
    """An answer for each (id, text), or (id, values) of a row, in order, some documents at a time."""
    import numpy as np

    from textnb.text.documents import batches

    labels = predictor.classes.tolist()
    for block in batches(documents, 256):
        contents = [content for _, content in block]
        log_proba = predictor.log_proba(contents, raw=raw)
        decided = predictor.named(predictor.log_proba(contents) if raw else log_proba)  # costs are in calibrated odds
        for (name, _), row, label in zip(block, np.exp(log_proba), decided, strict=True):
            yield Answer(name, label, dict(zip(map(str, labels), row.tolist(), strict=True)))


def read_documents(sources: list[str], lines: bool, problems: list[str] | None) -> Iterator[tuple[str, str]]:
    """(id, text) of every document; one that cannot be read goes to `problems`, or without them is an error."""
    from textnb.corpora.decoding import decode

    for source in sources:
        try:
            with open_source(source) as file:
                if lines:
                    for number, line in enumerate(decoded_lines(file), 1):
                        yield f"{source}:{number}", line
                else:
                    yield source, decode(file.read())
        except OSError as error:
            if problems is None:
                raise
            error.filename = error.filename or source
            problems.append(os_error_line(error))


def open_source(source: str) -> AbstractContextManager[BufferedReader]:
    """A file, or for - stdin, which stays open."""
    if source != "-":
        return Path(source).open("rb")
    if sys.stdin is None:
        raise OSError(EBADF, "stdin is closed; give a file, or a document on stdin", source)
    return nullcontext(sys.stdin.buffer)  # type: ignore[arg-type]


def decoded_lines(file: BufferedReader) -> Iterator[str]:
    """Lines without their ends, as they come; each finds its own encoding unless a byte order mark gives a wide one."""
    from textnb.corpora.decoding import decode, marked_encoding

    encoding = marked_encoding(file.peek(4)[:4])
    if encoding in ("utf-16", "utf-32"):
        yield from (line.removesuffix("\n") for line in TextIOWrapper(file, encoding, errors="replace"))
    else:
        yield from (decode(line.rstrip(b"\r\n")) for line in file)
