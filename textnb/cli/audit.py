"""`textnb audit`: what leave-one-out says about the documents themselves."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import choices, options
from textnb.cli.output import Terminal, report_skipped, show, show_json, terminal_width
from textnb.cli.parameters import Option


def audit(
    sources: options.CorpusWords,
    new: Annotated[
        list[str] | None,
        Option(
            metavar="CORPUS",
            help="Documents to compare with those of CORPUS: how new are they? Once for each LABEL=PATH.",
        ),
    ] = None,
    most: Annotated[int, Option(min=1, help="How many of each to show; --json has them all.")] = 20,
    threshold: Annotated[float, Option(help="How alike near duplicates are, from 0 to 1.")] = 0.8,
    model: Annotated[
        choices.Model | None,
        Option(help="Which naive Bayes judges labels. [default: robinson for mail, else complement]"),
    ] = None,
    weights: Annotated[
        choices.Weights | None, Option(help="How terms weigh. [default: those that suit the model and the documents]")
    ] = None,
    alpha: Annotated[
        float | None, Option(min=0, help="Smoothing; 1 is Laplace's, 0 none. [default: the model's usual one]")
    ] = None,
    analyzer: options.AnalyzerOfMail = None,
    mail: options.MailParts = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.Text = None,
    label: options.Label = "label",
    groups: options.Groups = None,
    encoding: options.Encoding = None,
    jobs: options.Jobs = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """List the documents of CORPUS whose label looks wrong, and near duplicates that bear different labels.

    Each document is judged by the model that has learned all others but not it. With --new also how unlike known
    documents new ones are: by their probability, compared with known ones of their length, and by their unknown words.

    \b
    Examples:
      textnb audit mail.csv --text body --label kind
      textnb audit spam=Junk/ ham=Archive.mbox --mail no-source
      textnb audit mail.csv --new later.jsonl --json
      textnb audit spam=Junk/ ham=Archive.mbox --new ham=Inbox.mbox
    """
    from textnb.report.audit import audit_text
    from textnb.workflow import audit as audit_corpus

    judge = {"model": model, "weights": weights, "alpha": alpha}
    result = audit_corpus(
        options.one_corpus(sources),
        None if new is None else options.one_corpus(new),
        threshold=threshold,
        options=options.read_options(
            text or "text", label, encoding, strict, categories=categories, strip=strip, groups=groups
        ),
        progress=Terminal(quiet),
        analyzer=analyzer,
        mail=mail,
        n_jobs=jobs,
        **{name: value for name, value in judge.items() if value is not None},
    )
    report_skipped(result.problems, quiet)
    show_json(result.to_json()) if as_json else show(audit_text(result, most, terminal_width()))
