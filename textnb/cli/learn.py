"""`textnb learn`: more documents for a saved model. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import Terminal, show_summary
from textnb.cli.parameters import Argument, Option
from textnb.text.steps import heard_by


def learn(
    model: Annotated[Path, Argument(metavar="MODEL", help="A model file, which is changed; started if there is none.")],
    files: options.LabelledFiles = None,
    label: options.ClassOfAll = None,
    lines: options.LabelledLines = False,
    once: Annotated[
        bool, Option("--once", help="Leave documents it knows; move those it knows under another class.")
    ] = False,
    new_class: Annotated[
        bool, Option("--new-class", help="A label that looks like a known one misspelt is a new class.")
    ] = False,
    analyzer: options.AnalyzerOfStarted = None,
    mail: options.MailParts = None,
    text: options.ModelText = None,
    label_column: options.LabelColumn = None,
    encoding: options.EncodingOfTables = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Teach MODEL more documents: new words and new classes simply arrive.

    Where there is no such file, it is started: of mail a robinson model, of other documents a multinomial model of
    plain counts, alpha 0.5; both can grow from their first document on. (`textnb train` chooses by itself what suits a
    whole corpus.) What it counts, by --analyzer and --mail, stays so. Without --new-class, a label is refused if it
    differs from a known one only in case, white space, or one letter of a word of three or more.

    Of mail, --once also knows copies of a message by its Message-ID, and leaves them. A copy cannot move what it is a
    copy of to another class: it is learned as it is, and reported (with --strict, an error).

    The file is replaced as a whole, and several processes may learn and predict at the same time.

    \b
    Examples:
      textnb learn mail.tnb --label spam message.txt
      textnb learn mail.tnb --label ham archive/
      textnb learn mail.tnb spam=Junk/ ham=Archive.mbox --mail no-source
      textnb learn mail.tnb --label ham --once < message.txt
      textnb learn mail.tnb newer.csv
    """
    from textnb.workflow import learn as learn_documents

    started = {"analyzer": analyzer, "mail": mail}
    with heard_by(Terminal(quiet).step):
        documents = options.read_labelled(
            model, files, label, lines, text, label_column, encoding, strict, quiet, **started
        )
        summary = learn_documents(model, documents, once=once, new_class=new_class, strict=strict)
    return show_summary(summary, as_json, quiet)
