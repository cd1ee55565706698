"""`textnb train`: read a corpus, learn, evaluate, save."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

from textnb.cli import choices, options
from textnb.cli.interrupts import Interrupts
from textnb.cli.output import Terminal, announce_terminal, notice, show_evaluation, write_report
from textnb.cli.parameters import Argument, Option


def train(
    sources: Annotated[
        list[str],
        Argument(
            metavar="CORPUS",
            help="A named corpus, a table (.csv, .tsv, .jsonl, .json, .parquet, .arrow, .feather), a folder of class "
            "folders or of tables, also packed, or - for stdin; or LABEL=PATH for each of several mailboxes, folders "
            "and files.",
        ),
    ],
    model: choices.AutoModel = None,
    weights: choices.AutoWeights = None,
    alpha: options.AutoAlpha = None,
    ngrams: options.AutoNgrams = None,
    analyzer: options.AnalyzerUnits = None,
    mail: options.MailParts = None,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    unknown: options.UnknownWords = "ignore",
    min_df: options.AutoMinDf = None,
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
    calibrate: Annotated[
        bool, Option("--calibrate/--no-calibrate", help="Correct how sure the model is of itself.")
    ] = True,
    offsets: Annotated[
        bool, Option("--offsets", help="Let that correct labels, too, where classes are named too often.")
    ] = False,
    cost: Annotated[
        list[str] | None, Option(metavar="TRUE:NAMED=COST", help="What an error costs; others cost 1.")
    ] = None,
    unsure: Annotated[float | None, Option(min=0, help="What it costs to name no class.")] = None,
    protect: Annotated[str | None, Option(metavar="CLASS", help="A class seldom to be taken for another.")] = None,
    ceiling: Annotated[
        float | None,
        Option(help="The share of the protected class that may be mistaken, such as 0.001."),
    ] = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.Text = None,
    categorical: Annotated[
        str | None, Option(help="Columns of a table that hold categories, such as domain,weekday.")
    ] = None,
    numeric: Annotated[str | None, Option(help="Columns of a table that hold numbers, such as n_links,size.")] = None,
    label: options.Label = "label",
    groups: options.Groups = None,
    encoding: options.Encoding = None,
    test_size: Annotated[
        float, Option(help="Share held out of a corpus without a test part; 0 learns all, untested.")
    ] = 0.3,
    refit: Annotated[
        bool, Option("--refit", help="Save a model that, once it is tested, has learned the rest too.")
    ] = False,
    cv: Annotated[int | None, Option(min=2, help="Cross-validate in this many folds.")] = None,
    seed: Annotated[int, Option(min=0, help="The seed of the split.")] = 0,
    stream: Annotated[
        bool,
        Option("--stream", help="Read tables block by block, never all at once: stdin, patterns, large files."),
    ] = False,
    table: options.Table = None,
    prune: options.Prune = None,
    checkpoint: Annotated[
        Path | None,
        Option(help="Where to save what a stream has taught when it is interrupted, and to go on from."),
    ] = None,
    engine: Annotated[Literal["local", "dask"], Option(help="What counts a stream.")] = "local",
    scheduler: Annotated[str | None, Option(help="The address of a dask cluster. [default: a local one]")] = None,
    ledger: options.KeepLedger = None,
    jobs: options.Jobs = None,
    output: Annotated[Path | None, Option("--output", "-o", help="The model file. [default: CORPUS.tnb]")] = None,
    overwrite: options.Overwrite = False,
    compact: Annotated[bool, Option("--compact", help="Save a smaller file, which only predicts.")] = False,
    plot: options.ConfusionPlot = None,
    reliability: options.ReliabilityPlot = None,
    report: Annotated[
        Path | None,
        Option(help="Write a page about the test, such as report.html."),
    ] = None,
    no_text: options.NoText = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier on CORPUS, evaluate it on documents it has not seen, and save it.

    Model, weights, alpha, n-grams and min-df are chosen by leave-one-out on the training documents, unless one of them
    is given: then those not given are complement, log-tfidf, 1, 1,1 and 1, or what `auto` chooses. The same are taken
    for fewer than 50 documents, or a class of one. With --best, linear models are tried too, by folds of the documents.
    Streams, and text beside other columns, have no such choice.

    Mailboxes (mbox, maildir, messages in files; also packed, .zip or .tar.gz) are read by the analyzer of mail, unless
    another is given. A source with its class, LABEL=PATH, may be any of them, a pattern, a folder of texts or a table.
    All messages are held in memory, which takes about six times their size; of several hundred MB, --stream needs less.

    The saved model has learned what it was not tested on; with --refit or --test-size 0, all documents. A file is not
    overwritten if it is read here, is no model, or knows documents that are not in CORPUS, unless you say --overwrite.

    \b
    Examples:
      textnb train 20news
      textnb train spamassassin --protect ham --ceiling 0.001 --unsure 0.2
      textnb train reviews/ --best
      textnb train sms-spam --model multinomial --weights counts --alpha 0.1
      textnb train spam=Junk/ ham=Archive.mbox 'ham=old/*.mbox'
      textnb train mail.csv --text body --label kind --plot confusion.png
      textnb train mail.csv --report mail.html
      textnb train reviews/ --cv 5 --ngrams 1,2 --min-df 2
      textnb train mail.csv --refit --compact --output filter.tnb
      textnb train mail.csv --categorical domain,weekday --numeric n_links
      zcat huge.jsonl.gz | textnb train - --output huge.tnb --checkpoint huge.part
      textnb train 'data/*.jsonl.gz' --engine dask
    """
    written = locals()  # what was written for each option
    announce_terminal(sources, quiet, "a table")
    corpus = options.given_corpus(sources)
    output = options.writable_path("--output", output or options.default_output(corpus))
    pictures = {"plot": plot, "reliability": reliability}
    options.check_distinct(output=output, checkpoint=checkpoint, report=report, **pictures)
    options.check_plots(overwrite, **pictures)
    options.check_report("--report", report, [corpus], overwrite)
    if test_size == 0 and cv is None and (plot or reliability or report):
        raise ValueError(
            "--plot, --reliability and --report show an evaluation, and --test-size 0 holds nothing out for one"
        )
    if no_text and report is None:
        raise ValueError("--no-text leaves texts out of a report: name one by --report, or leave it out")
    if report is not None and cv is not None:
        raise ValueError("--report shows one model on documents that it has not seen, and --cv makes several models")
    if refit and cv is not None:
        raise ValueError("--cv saves a model that has learned every document it was given: leave out --refit")
    if scheduler is not None and engine != "dask":
        raise ValueError("--scheduler is the address of a dask cluster: give --engine dask too, or leave it out")
    from textnb.corpora.stream import needs_stream
    from textnb.workflow import Decisions, cross_validate, train_stream
    from textnb.workflow import train as train_model

    common: dict[str, Any] = {
        **options.classifier_settings(written),
        "calibrate": "offsets" if offsets else calibrate,
        "seed": seed,
        "output": output,
        "overwrite": overwrite,
        "compact": compact,
        "options": options.read_options(
            text, label, encoding, strict, categories=categories, strip=strip, table=table, groups=groups
        ),
        "progress": Terminal(quiet),
    }
    if offsets and not calibrate:
        raise ValueError("--offsets is what calibration may change: leave it out, or --no-calibrate")
    if (protect is None) != (ceiling is None):
        raise ValueError("--protect and --ceiling come together, such as --protect ham --ceiling 0.001")
    decisions = Decisions(options.prices(cost or []), unsure, protect, ceiling)
    more: dict[str, Any] = {
        "decisions": decisions,
        "categorical": options.name_list(categorical),
        "numeric": options.name_list(numeric),
    }
    if stream or engine == "dask" or prune is not None or checkpoint is not None or needs_stream(corpus):
        refuse_in_streams(written, decisions.wanted)
        place = None if checkpoint is None else options.writable_path("--checkpoint", checkpoint)
        how: dict[str, Any] = {"prune": prune, "checkpoint": place, "engine": engine, "scheduler": scheduler}
        with nullcontext() if place is None else Interrupts() as interrupts:
            if interrupts is not None:
                how["undisturbed"] = interrupts.undisturbed
            result = train_stream(corpus, test_size=test_size, refit=refit, **how, **common)
    elif cv is not None:
        result = cross_validate(corpus, cv, **common, **more)
    else:
        more |= {"report": report is not None, "report_texts": not no_text}
        result = train_model(corpus, test_size=test_size, refit=refit, **common, **more)
        if result.report is not None and report is not None:
            write_report(result.report, report)
            notice(f"wrote {report}", quiet)
    show_evaluation(result, str(corpus), plot=plot, reliability=reliability, as_json=as_json, quiet=quiet)


def refuse_in_streams(written: dict[str, Any], decisions: bool) -> None:
    names = (
        "cv",
        "report",
        "categories",
        "strip",
        "categorical",
        "numeric",
        "groups",
        "objective",
        "positive",
        "offsets",
    )
    refused = {f"--{name}": written[name] for name in names}
    refused["--offsets"] = written["offsets"]
    for option, value in (refused | {"--cost, --unsure and --ceiling": decisions}).items():
        if value:
            raise ValueError(f"{option} needs all documents at once, and cannot be combined with a stream")
