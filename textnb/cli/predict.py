"""`textnb predict`: a saved model on new documents. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import options
from textnb.cli.output import announce_terminal, fail, show, show_json
from textnb.cli.parameters import Argument, Option
from textnb.report.safe import printable


def predict(
    model: options.ModelFile,
    files: Annotated[
        list[str] | None,
        Argument(metavar="FILE", help="Documents, one per file; - or none for stdin. Tables, for a model of columns."),
    ] = None,
    lines: Annotated[bool, Option("--lines", help="Each line of the input is a document.")] = False,
    raw: Annotated[bool, Option("--raw", help="Probabilities as the model has them, not calibrated.")] = False,
    strict: options.Strict = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object per document.")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notices.")] = False,
) -> int:
    """Predict the class of documents: its label and probability, one line each.

    A model that was trained with costs or a ceiling names the class that is the cheapest to name, or says `unsure`.

    \b
    Examples:
      textnb predict mail.tnb message.txt
      cat message.txt | textnb predict mail.tnb
      textnb predict mail.tnb --lines subjects.txt --json
    """
    from textnb.workflow import predict as predict_files

    files = files or ["-"]
    problems: list[str] = []
    announce_terminal(files, quiet)
    for answer in predict_files(model, files, lines=lines, raw=raw, problems=None if strict else problems):
        if as_json:
            show_json(answer.to_json())
        else:
            label = "unsure" if answer.label is None else str(answer.label)
            cells = [*([answer.id] if len(files) > 1 else []), label, f"{answer.probability:.4f}"]
            show("\t".join(map(printable, cells)))
    for problem in problems:
        fail(problem)
    return 2 if problems else 0
