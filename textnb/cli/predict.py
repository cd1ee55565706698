"""`textnb predict`: a saved model on new documents. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textnb.cli import options
from textnb.cli.output import Terminal, announce_terminal, fail_for_each, notice, report_skipped, show, show_json
from textnb.cli.parameters import Argument, Option
from textnb.report.safe import printable
from textnb.text.steps import heard_by

if TYPE_CHECKING:
    from textnb.workflow.prediction import Answer

EXPLAINED = 5  # contributions that are shown of each answer


def predict(
    model: options.ModelFile,
    files: Annotated[
        list[str] | None,
        Argument(
            metavar="FILE",
            help="Documents, one per file; mailboxes; folders of them; tables such as .csv or .parquet, one per "
            "row; - or none for stdin.",
        ),
    ] = None,
    lines: Annotated[bool, Option("--lines", help="Each line of the input is a document.")] = False,
    as_document: Annotated[bool, Option("--as-document", help="A table is one document too.")] = False,
    text: options.ModelText = None,
    table: options.StdinTable = None,
    encoding: Annotated[str | None, Option(help="The encoding of tables; detected by default.")] = None,
    top: Annotated[
        int | None, Option(min=1, metavar="K", help="The K most probable labels, each with its probability.")
    ] = None,
    raw: Annotated[bool, Option("--raw", help="Probabilities as the model has them, not calibrated.")] = False,
    prior: options.Prior = None,
    positive: Annotated[
        str | None,
        Option(metavar="CLASS", help="The class whose score --json has. [default: spam, if the model has it]"),
    ] = None,
    explain: Annotated[bool, Option("--explain", help="After each answer, what adds most to it.")] = False,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write predictions to this .csv, .tsv or .jsonl(.gz).")
    ] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Write over an output that is there.")] = False,
    strict: options.Strict = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object per document.")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notices.")] = False,
) -> int:
    """Predict the class of documents: its label and probability, one line each.

    A model that was trained with costs or a ceiling names the class that is the cheapest to name, or says `unsure`.

    With --json each answer has a `score`, the log-odds of the positive class against all others before calibration:
    documents can be ranked by it whose probabilities round to 0 or 1.

    With --prior, probabilities, labels and expected costs are those for documents of another mix of classes than the
    model was trained on; scores stay, and so does what a ceiling promises.

    With --output, a table is written again with the columns `label` and `probability` added, `predicted_label` and
    `predicted_probability` where it has such columns; for files, and for several tables, it is `id`, `label` and
    `probability`.

    \b
    Examples:
      textnb predict mail.tnb message.txt
      cat message.txt | textnb predict mail.tnb
      textnb predict mail.tnb --lines subjects.txt --json
      textnb predict mail.tnb inbox/ --top 3
      textnb predict mail.tnb inbox/ --explain
      textnb predict mail.tnb inbox/ --prior spam=0.2,ham=0.8
      textnb predict mail.tnb new.csv -o predictions.csv
    """
    from textnb.corpora.problems import Skipped
    from textnb.workflow import predict as predict_files

    options.refuse_classes(files or [])
    files = options.given_files(files)
    skipped = Skipped(strict)
    announce_terminal(files, quiet)
    reading = None
    if text is not None or table is not None or encoding is not None:
        reading = options.read_options(text, None, encoding, strict, table=table)
    how: dict[str, Any] = {
        "lines": lines,
        "as_document": as_document,
        "raw": raw,
        "prior": options.shares(prior),
        "options": reading,
        "skipped": skipped,
    }
    if positive is not None:
        if output is not None or not as_json:
            raise ValueError("--positive names the class whose score --json prints: print JSON, or leave it out")
        how["positive"] = positive
    if explain:
        if output is not None or top is not None:
            other = "--output" if output is not None else "--top"
            raise ValueError(f"--explain is printed after each label: leave it out, or {other}")
        _show_explained(model, files, how, as_json=as_json, quiet=quiet)
    elif output is not None:
        from textnb.report.updates import predictions_text
        from textnb.workflow import write_predictions

        if top is not None:
            raise ValueError("--top is printed, and --output writes the likeliest label alone: leave one of them out")
        options.writable_path("--output", output)
        with heard_by(Terminal(quiet).step):
            done = write_predictions(model, files, output, overwrite=overwrite, progress=Terminal(quiet), **how)
        show_json(done.to_json()) if as_json else show(predictions_text(done))
    else:
        with heard_by(_progress(quiet).step):
            for answer in predict_files(model, files, progress=_progress(quiet), **how):
                if as_json:
                    show_json(answer.to_json(top))
                else:
                    show(_line(answer, files, lines, top))
    report_skipped(skipped.problems, quiet, total=skipped.n_problems, in_json=False)
    for line in skipped.notices:
        notice(line, quiet)
    return fail_for_each(skipped.unreadable)


def _show_explained(model: Path, files: list[str], how: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    from textnb.report.explanation import contributions_text
    from textnb.workflow import predict_explained

    with heard_by(_progress(quiet).step):
        for explained in predict_explained(model, files, progress=_progress(quiet), **how):
            if as_json:
                show_json(explained.to_json())
            else:
                show(_line(explained.answer, files, how["lines"], None))
                show(contributions_text(explained.explanation, EXPLAINED))


def _line(answer: Answer, files: list[str], lines: bool, top: int | None) -> str:
    best = [(answer.label_text, answer.probability)] if top is None else answer.top(top)
    cells = [cell for name, p in best for cell in (name, f"{p:.4f}")]
    named = len(files) > 1 or not (lines or answer.id == files[0])
    return "\t".join(map(printable, [answer.id, *cells] if named else cells))


def _progress(quiet: bool) -> Terminal:
    """A bar on stderr, unless answers come on the same terminal."""
    return Terminal(quiet or (sys.stdout is not None and sys.stdout.isatty()))
