"""`textnb forget`: documents taken out of a saved model, as if it had never learned them."""

from __future__ import annotations

from textnb.cli import options
from textnb.cli.output import show_summary


def forget(
    model: options.ChangedModel,
    files: options.LabelledFiles = None,
    label: options.ClassOfAll = None,
    lines: options.LabelledLines = False,
    text: options.ModelText = None,
    label_column: options.LabelColumn = None,
    encoding: options.EncodingOfTables = None,
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
    """
    from textnb.workflow import forget as forget_documents

    documents = options.read_labelled(model, files, label, lines, text, label_column, encoding, strict, quiet)
    return show_summary(forget_documents(model, documents), as_json, quiet)
