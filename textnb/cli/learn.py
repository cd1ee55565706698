"""`textnb learn`: more documents for a saved model. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import options
from textnb.cli.output import show_summary
from textnb.cli.parameters import Option


def learn(
    model: options.ChangedModel,
    files: options.LabelledFiles = None,
    label: options.ClassOfAll = None,
    lines: options.LabelledLines = False,
    once: Annotated[
        bool, Option("--once", help="Leave documents it knows; move those it knows under another class.")
    ] = False,
    text: options.Text = None,
    label_column: options.LabelColumn = None,
    encoding: options.EncodingOfTables = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Teach MODEL more documents: new words and new classes simply arrive.

    The file is replaced as a whole, and several processes may learn and predict at the same time.

    \b
    Examples:
      textnb learn mail.tnb --label spam message.txt
      textnb learn mail.tnb --label ham --once < message.txt
      textnb learn mail.tnb newer.csv --text body --label-column kind
    """
    from textnb.workflow import learn as learn_documents

    documents = options.read_labelled(files, label, lines, text, label_column, encoding, strict, quiet)
    return show_summary(learn_documents(model, documents, once=once), as_json, quiet)
