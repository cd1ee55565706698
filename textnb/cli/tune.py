"""`textnb tune`: which settings suit a corpus, by leave-one-out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from textnb.cli import choices, options
from textnb.cli.output import Terminal, notice, report_skipped, show, show_drawn, show_json, terminal_width
from textnb.cli.parameters import Option, parameters

# Options that a training of what was chosen needs, too.
REPEATED = (
    *("analyzer", "mail", "tokenizer", "stemmer", "stop_words", "max_df", "max_features", "assumed", "most_terms"),
    *("categories", "strip", "text", "label", "encoding"),
)


def tune(
    sources: options.CorpusWords,
    model: choices.AutoModel = "auto",
    weights: choices.AutoWeights = "auto",
    alpha: options.AutoAlpha = "auto",
    ngrams: options.AutoNgrams = "auto",
    analyzer: options.AnalyzerUnits = None,
    mail: options.MailParts = None,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    min_df: options.AutoMinDf = "auto",
    max_df: options.MaxDf = "1.0",
    max_features: options.MaxFeatures = None,
    assumed: options.Assumed = None,
    min_deviation: options.MinDeviation = None,
    most_terms: options.MostTerms = None,
    C: options.Cost = None,
    beta: options.Beta = None,
    best: options.Best = False,
    objective: options.ObjectiveOfChoice = None,
    positive: options.PositiveOfChoice = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.Text = None,
    label: options.Label = "label",
    groups: options.Groups = None,
    encoding: options.Encoding = None,
    jobs: options.Jobs = None,
    plot: Annotated[Path | None, Option(help="Draw accuracy by alpha: .png, .svg or .pdf.")] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Choose model, weights, alpha, n-grams and min-df for CORPUS by leave-one-out, and show the table chosen from.

    Where documents belong together, as the threads of 20 Newsgroups do, whole groups are left out. A test part of the
    corpus is not looked at.

    \b
    Examples:
      textnb tune 20news --plot curve.png
      textnb tune reviews/ --best
      textnb tune mail.csv --text body --label kind --model multinomial --json
    """
    written = locals()  # what was written for each option
    corpus = options.given_corpus(sources)
    from textnb.report.evaluation import corpus_title, tuning_text
    from textnb.report.plots import tuning_curve
    from textnb.workflow import tune as tune_settings

    options.check_plots(overwrite, plot=plot)
    result = tune_settings(
        corpus,
        options=options.read_options(
            text or "text", label, encoding, strict, categories=categories, strip=strip, groups=groups
        ),
        progress=Terminal(quiet),
        **options.classifier_settings(written | {"ledger": False}),
    )
    report_skipped(result.problems, quiet)
    if result.choice.warning:
        notice(result.choice.warning, quiet)
    if plot is not None:
        show_drawn(plot, tuning_curve(result.choice, plot, title=corpus_title(result.corpus)), quiet)
    show_json(result.to_json()) if as_json else show(
        tuning_text(result, [*sources, *_repeated(written)], terminal_width())
    )


def _repeated(written: dict[str, Any]) -> list[str]:
    """Words of the options that were given and that the training needs, too."""
    given = [p for p in parameters(tune) if p.name in REPEATED and written[p.name] != p.default]
    return [word for p in given for word in (next(iter(p.names())), str(written[p.name]))]
