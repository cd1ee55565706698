"""`textnb count`: a part of a corpus counted on its own, to be merged with others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import choices, options
from textnb.cli.output import Terminal, announce_terminal, show_summary
from textnb.cli.parameters import Argument, Option


def count(
    parts: Annotated[
        list[str],
        Argument(
            metavar="PART",
            help="What `train` takes: tables, also a pattern or - for stdin, or a folder; or LABEL=PATH for each of "
            "several mailboxes, folders and files.",
        ),
    ],
    output: Annotated[Path, Option("--output", "-o", help="The model file.")],
    like: Annotated[
        Path | None,
        Option(metavar="MODEL", help="Count with the settings and the idf of this model, instead of options."),
    ] = None,
    model: Annotated[choices.Model, Option(help="Which naive Bayes.")] = "complement",
    weights: Annotated[
        choices.Weights | None,
        Option(
            help="How terms weigh; tf-idf counts parts --like one model. [default: counts; binary for robinson, fisher "
            "and log-odds]"
        ),
    ] = None,
    alpha: options.Alpha = 1.0,
    ngrams: options.Ngrams = "1,1",
    analyzer: options.AnalyzerUnits = None,
    mail: options.MailParts = None,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    unknown: options.UnknownWords = "ignore",
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_features: options.MaxFeatures = None,
    text: options.Text = None,
    label: options.Label = "label",
    encoding: options.Encoding = None,
    table: options.Table = None,
    prune: options.Prune = None,
    ledger: Annotated[
        bool, Option("--ledger/--no-ledger", help="Remember which documents were counted. [default: no]")
    ] = False,
    jobs: options.Jobs = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Count PART into a model file, without evaluating it: parts that were counted elsewhere merge into one model.

    \b
    Examples:
      textnb count monday.jsonl.gz -o monday.tnb
      textnb count tuesday.jsonl.gz -o tuesday.tnb --like monday.tnb
      textnb merge -o all.tnb monday.tnb tuesday.tnb
      textnb count spam=Junk/ ham=Archive.mbox -o mail.tnb
    """
    written = locals()  # what was written for each option
    announce_terminal(parts, quiet, "a table")
    from textnb.workflow import count as count_part

    summary = count_part(
        options.given_corpus(parts),
        options.writable_path("--output", output),
        like=like,
        prune=prune,
        options=options.read_options(text, label, encoding, strict, table=table),
        overwrite=overwrite,
        progress=Terminal(quiet),
        **options.classifier_settings(written | {"ledger": ledger}),
    )
    show_summary(summary, as_json, quiet)
