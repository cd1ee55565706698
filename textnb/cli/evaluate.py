"""`textnb evaluate`: a saved model on labelled documents."""

from __future__ import annotations

from textnb.cli import options
from textnb.cli.output import Terminal, show_evaluation


def evaluate(
    model: options.ModelFile,
    sources: options.CorpusWords,
    subset: options.SubsetOf = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.ModelText = None,
    label: options.ModelLabel = None,
    encoding: options.Encoding = None,
    include_learned: options.IncludeLearned = False,
    prior: options.Prior = None,
    plot: options.ConfusionPlot = None,
    reliability: options.ReliabilityPlot = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Evaluate MODEL on the labelled documents of CORPUS that it has not learned.

    Which those are is known of models with a ledger, as `train` makes them of all but streams and several columns.

    \b
    Examples:
      textnb evaluate 20news.tnb 20news
      textnb evaluate mail.tnb later.csv --json
      textnb evaluate mail.tnb spam=Junk/ ham=Archive.mbox
      textnb evaluate spam.tnb sms-spam --reliability reliability.png
    """
    from textnb.workflow import evaluate as evaluate_model

    corpus = options.one_corpus(sources)
    options.check_plots(overwrite, plot=plot, reliability=reliability)
    result = evaluate_model(
        model,
        corpus,
        subset,
        options=options.read_options(text, label, encoding, strict, categories=categories, strip=strip),
        label=label,
        include_learned=include_learned,
        prior=options.shares(prior),
        progress=Terminal(quiet),
    )
    show_evaluation(result, str(corpus), plot=plot, reliability=reliability, as_json=as_json, quiet=quiet)
