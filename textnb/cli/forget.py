"""`textnb forget`: documents taken out of a saved model, as if it had never learned them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb.cli import options
from textnb.cli.learn import (
    Encoding,
    Files,
    Label,
    LabelColumn,
    Lines,
    Model,
    Strict,
    Text,
    read_labelled,
    run_update,
    show_update,
)

if TYPE_CHECKING:
    from textnb.learner import Learned, Learner
    from textnb.text.rows import Array


def forget(
    model: Model,
    files: Files = None,
    label: Label = None,
    lines: Lines = False,
    text: Text = None,
    label_column: LabelColumn = None,
    encoding: Encoding = None,
    strict: Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Take documents out of MODEL, exactly; one that it has not learned is an error, and then nothing is changed.

    A model without a ledger cannot know: it refuses only what its counts have no room for.

    \b
    Examples:
      textnb forget mail.tnb --label spam message.txt
      textnb forget mail.tnb withdrawn.csv
    """
    documents = read_labelled(files or ["-"], label, lines, text, label_column, encoding, strict, quiet)
    show_update(run_update(model, documents, _forget), as_json, quiet)


def _forget(learner: Learner, texts: list[str], labels: Array) -> Learned:
    return learner.forget(texts, labels)
