"""`textnb report`: an evaluation as a page, with the documents behind its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import Terminal, report_skipped, show, show_json, terminal_width, write_report
from textnb.cli.parameters import Option


def report(
    model: options.ModelFile,
    sources: options.CorpusWords,
    output: Annotated[
        Path | None, Option("--output", "-o", help="The page, such as report.html; with --json there need be none.")
    ] = None,
    subset: options.SubsetOf = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.ModelText = None,
    label: options.ModelLabel = None,
    encoding: options.Encoding = None,
    include_learned: options.IncludeLearned = False,
    prior: options.Prior = None,
    compare: Annotated[
        Path | None, Option(metavar="OTHER", help="A second model file, to be compared on the same documents.")
    ] = None,
    no_text: options.NoText = False,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
    as_json: Annotated[bool, Option("--json", help="Print all that the page shows as one JSON object.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Evaluate MODEL on the documents of CORPUS that it has not learned, and write a page that shows what is behind it.

    The page has the figures with their intervals, the documents of every cell of the confusion matrix with what each
    word adds, the most confident errors, labels that look wrong, near duplicates, thresholds, and a learning curve. It
    is one file that asks nothing of the network. With documents of your own, their texts are in it.

    \b
    Examples:
      textnb report 20news.tnb 20news -o report.html
      textnb report mail.tnb later.csv -o report.html --compare old.tnb
      textnb report mail.tnb private.csv -o report.html --no-text
      textnb report spam.tnb sms-spam --json > report.json
    """
    from textnb.report.summary import report_text
    from textnb.workflow import report as report_model

    if output is None and not as_json:
        raise ValueError("where is the page to go? Name it by -o report.html, or print what it shows by --json")
    corpus = options.given_corpus(sources)
    options.check_report("--output", output, [model, corpus, compare], overwrite)
    result = report_model(
        model,
        corpus,
        subset,
        options=options.read_options(text, label, encoding, strict, categories=categories, strip=strip),
        label=label,
        include_learned=include_learned,
        prior=options.shares(prior),
        compare=compare,
        texts=not no_text,
        progress=Terminal(quiet),
    )
    report_skipped(result.result.problems, quiet)
    n_bytes = None if output is None else write_report(result, output)
    if as_json:
        show_json(result.to_json())
    elif output is not None and n_bytes is not None:
        show(report_text(result, str(output), n_bytes, terminal_width()))
