"""`textnb tune`: which settings suit a corpus, by leave-one-out."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import notice, report_skipped, show, show_json, status, trial_bar

if TYPE_CHECKING:
    from textnb.corpora import Corpus
    from textnb.selection.tuning import Choice


def tune(
    corpus: options.CorpusName,
    model: options.AutoModel = options.ModelOrAuto.auto,
    weights: options.AutoWeights = options.WeightsOrAuto.auto,
    alpha: options.AutoAlpha = "auto",
    ngrams: options.AutoNgrams = "auto",
    analyzer: options.AnalyzerUnits = options.Units.word,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    min_df: options.AutoMinDf = "auto",
    max_df: options.MaxDf = "1.0",
    max_features: options.MaxFeatures = None,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: options.Text = None,
    label: options.Label = "label",
    encoding: options.Encoding = None,
    jobs: options.Jobs = None,
    plot: Annotated[Path | None, typer.Option(help="Draw accuracy by alpha: .png, .svg or .pdf.")] = None,
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
      textnb tune mail.csv --text body --label kind --model multinomial --json
    """
    options.check_plot(plot)
    settings = options.classifier_settings(
        model=(model or options.ModelOrAuto.auto).value,
        weights=(weights or options.WeightsOrAuto.auto).value,
        alpha=alpha or options.AUTO,
        ngrams=ngrams or options.AUTO,
        analyzer=analyzer,
        tokenizer=tokenizer,
        stemmer=stemmer,
        stop_words=stop_words,
        unknown=options.Unknown.ignore,
        min_df=min_df or options.AUTO,
        max_df=max_df,
        max_features=max_features,
        ledger=False,
        jobs=jobs,
    )
    source = options.source(categories, strip, text or "text", label, encoding, strict)
    read, choice = run_tuning(corpus, source, settings, quiet=quiet)
    report_skipped(read.problems, quiet)
    if choice.warning:
        notice(choice.warning, quiet)
    if plot is not None:
        from textnb.report import tuning_curve

        tuning_curve(choice, plot, title=f"{corpus}: {choice.estimate}")
        notice(f"drew {plot}", quiet)
    show_json({"corpus": read.name, "edition": read.edition, **choice.to_json()}) if as_json else show(
        to_text(corpus, read, choice)
    )


def run_tuning(spec: str, source: dict[str, Any], settings: dict[str, Any], *, quiet: bool) -> tuple[Corpus, Choice]:
    """The corpus, without its test part, and what was chosen for it."""
    import numpy as np

    from textnb.classifier import TextClassifier
    from textnb.corpora import open_corpus
    from textnb.corpora.corpus import select

    status(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, quiet=quiet, **source)
    if corpus.split is not None:
        corpus = select(corpus, "train")
    if len(corpus.classes) < 2:
        raise ValueError(f"{spec} has only the class {corpus.classes[0]!r}: a classifier needs two or more")
    class_ids = np.searchsorted(corpus.classes, corpus.labels)
    with trial_bar(quiet) as heard:
        return corpus, TextClassifier(**settings).choose(corpus.texts, class_ids, corpus.groups, progress=heard)


def to_text(spec: str, corpus: Corpus, choice: Choice) -> str:
    from textnb.report import printable, table

    ranked = sorted(choice.trials, key=lambda trial: trial.rank)
    rows = [
        (
            trial.candidate.model,
            trial.candidate.weights,
            ",".join(map(str, trial.candidate.ngrams)),
            f"{trial.candidate.min_df:g}",
            f"{trial.candidate.alpha:g}",
            f"{trial.accuracy:.4f}",
            f"{trial.log_loss:.4f}",
        )
        for trial in ranked
    ]
    best = choice.best.candidate
    again = (
        f"textnb train {quote(spec)} --model {best.model} --weights {best.weights} --alpha {best.alpha:g} "
        f"--ngrams {','.join(map(str, best.ngrams))} --min-df {best.min_df:g}"
    )
    names = ("model", "weights", "ngrams", "min-df", "alpha", "accuracy", "log-loss")
    return "\n".join(
        [
            f"corpus     {printable(corpus.name)}: {printable(corpus.edition)}",
            f"documents  {choice.n_documents:,} tried on, of {len(corpus):,}; {len(corpus.classes)} classes",
            f"estimate   {choice.estimate}",
            "",
            table(names, rows, "lllrrrr"),
            "",
            f"best       {printable(again)}",
        ]
    )
