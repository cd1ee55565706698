"""`textnb explain`: why a document is of its class."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import options
from textnb.cli.output import (
    announce_terminal,
    fail_for_each,
    marking,
    notice,
    report_skipped,
    show,
    show_json,
    terminal_width,
)
from textnb.cli.parameters import Argument, Option
from textnb.report.safe import printable


def explain(
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
    label: Annotated[str | None, Option(metavar="CLASS", help="The class to explain. [default: the likeliest]")] = None,
    against: Annotated[
        str | None, Option(metavar="CLASS", help="The class to compare with. [default: the next]")
    ] = None,
    prior: options.Prior = None,
    terms: Annotated[int, Option(min=1, help="Terms to show.")] = 15,
    strict: options.Strict = False,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object per document.")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notices.")] = False,
) -> int:
    """Show why MODEL gives a document its class: what each term adds to the log-odds against another class.

    What is shown adds up. The prior, words outside the vocabulary and absent words stand in brackets; the latter, of a
    Bernoulli model, are what a text without any word gets, and a word's row is what it changes to have it. On a
    terminal the text is shown too: words that speak for the class are underlined and blue, those against it italic
    and orange.

    \b
    Examples:
      textnb explain mail.tnb message.txt
      textnb explain 20news.tnb post.txt --against sci.space
      textnb explain mail.tnb new.csv --text body
      cat message.txt | textnb explain mail.tnb --json
    """
    from textnb.corpora.problems import Skipped
    from textnb.report.explanation import WIDTH, explanation_text
    from textnb.workflow import explain as explain_files

    options.refuse_classes(files or [])
    files = options.given_files(files)
    skipped = Skipped(strict)
    reading = options.options_of_tables(text, table, encoding, strict, whole=lines or as_document)
    announce_terminal(files, quiet)
    first, width = True, terminal_width() or WIDTH
    explained = explain_files(
        model,
        files,
        lines=lines,
        as_document=as_document,
        label=label,
        against=against,
        prior=options.shares(prior),
        options=reading,
        skipped=skipped,
    )
    for document in explained:
        if as_json:
            show_json(document.to_json())
            continue
        heading = "" if document.id == files[0] and len(files) == 1 else f"{printable(document.id)}\n"
        explained_text = explanation_text(document, terms, marking=marking(), width=width)
        show(f"{'' if first else chr(10)}{heading}{explained_text}")
        first = False
    report_skipped(skipped.problems, quiet, total=skipped.n_problems, in_json=False)
    for line in skipped.notices:
        notice(line, quiet)
    return fail_for_each(skipped.unreadable)
