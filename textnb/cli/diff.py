"""`textnb diff`: what changed between two models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import Terminal, report_skipped, show, show_json, terminal_width
from textnb.cli.parameters import Argument, Option


def diff(
    before: Annotated[Path, Argument(metavar="A", help="A model file.")],
    after: Annotated[Path, Argument(metavar="B", help="Another, such as a later state of it.")],
    sources: Annotated[
        list[str] | None,
        Argument(
            metavar="CORPUS",
            help="Documents to try both on: a named corpus, a folder, or a table, whose labels are not "
            "needed; or LABEL=PATH for each of several mailboxes, folders and files.",
        ),
    ] = None,
    terms: Annotated[int, Option(min=0, help="How many of the terms that moved most to show.")] = 10,
    by_class: Annotated[bool, Option("--by-class", help="Show that many terms for each class.")] = False,
    subset: options.SubsetOf = None,
    categories: Annotated[str | None, Option(help="Only documents of these classes: a,b,c.")] = None,
    strip: options.Strip = "",
    text: options.ModelText = None,
    label: options.ModelLabel = None,
    encoding: options.Encoding = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what changed from model A to model B: settings, classes, priors, and the terms whose weight moved most.

    A term's weight for a class, of those that both have, is what it adds to the class's score beyond the average of the
    others. With CORPUS, also the documents whose label flips, and whether for the better: of tables and folders by line
    and file, of a named corpus numbered from 0.

    \b
    Examples:
      textnb diff monday.tnb friday.tnb
      textnb diff monday.tnb friday.tnb mail.csv --text body --label kind
      textnb diff monday.tnb friday.tnb spam=Junk/ ham=Archive.mbox
      textnb diff counts.tnb tfidf.tnb 20news --terms 5 --by-class --json
    """
    from textnb.report.comparison import comparison_text
    from textnb.workflow import compare

    comparison = compare(
        before,
        after,
        options.given_corpus(sources) if sources else None,
        subset,
        terms=terms,
        by_class=by_class,
        options=options.read_options(text, label, encoding, strict, categories=categories, strip=strip),
        label=label,
        progress=Terminal(quiet),
    )
    if comparison.flips is not None:
        report_skipped(comparison.flips.problems, quiet)
    show_json(comparison.to_json()) if as_json else show(comparison_text(comparison, terminal_width()))
