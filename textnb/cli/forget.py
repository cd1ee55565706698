"""`textnb forget`: documents taken out of a saved model, as if it had never learned them."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import options
from textnb.cli.output import Terminal, notice, show_summary
from textnb.cli.parameters import Option
from textnb.text.steps import heard_by


def forget(
    model: options.ChangedModel,
    files: options.LabelledFiles = None,
    label: options.ClassOfAll = None,
    lines: options.LabelledLines = False,
    text: options.ModelText = None,
    label_column: options.LabelColumn = None,
    encoding: options.EncodingOfTables = None,
    ledger: Annotated[
        bool, Option("--ledger", help="Forget which documents were learned, and nothing learned from them.")
    ] = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Take documents out of MODEL, exactly; one that it has not learned is an error, and then nothing is changed.

    A model without a ledger cannot know: it refuses only what its counts have no room for.

    \b
    Examples:
      textnb forget mail.tnb --label spam message.txt
      textnb forget mail.tnb withdrawn.csv
      textnb forget mail.tnb --ledger
    """
    from textnb.workflow import forget as forget_documents
    from textnb.workflow import forget_ledger

    if ledger:
        if files or label is not None or lines:
            raise ValueError("--ledger forgets which documents were learned: give no documents, or leave it out")
        summary = forget_ledger(model)
        notice(
            "the model can no longer tell what it has learned: not `learn --once`, nor refuse to forget others", quiet
        )
        return show_summary(summary, as_json, quiet)
    with heard_by(Terminal(quiet).step):
        documents = options.read_labelled(model, files, label, lines, text, label_column, encoding, strict, quiet)
        summary = forget_documents(model, documents)
    return show_summary(summary, as_json, quiet)
