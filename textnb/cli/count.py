"""`textnb count`: a part of a corpus counted on its own, to be merged with others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.learn import documents_by_class, summary
from textnb.cli.output import report_skipped, show, show_json

if TYPE_CHECKING:
    from textnb.corpora import Corpus
    from textnb.corpora.stream import DocumentStream
    from textnb.engines.stream import Read, StreamLearner


def count(
    part: Annotated[
        str,
        typer.Argument(metavar="PART", help="What `train` takes: tables, also a pattern or - for stdin, or a folder."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file.")],
    like: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Count with the settings and the idf of this model, instead of options."),
    ] = None,
    model: Annotated[options.Model, typer.Option(help="Which naive Bayes.")] = options.Model.complement,
    weights: Annotated[
        options.Weights, typer.Option(help="How terms weigh; tf-idf counts parts --like one model.")
    ] = options.Weights.counts,
    alpha: options.Alpha = 1.0,
    ngrams: options.Ngrams = "1,1",
    analyzer: options.AnalyzerUnits = options.Units.word,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    unknown: options.UnknownWords = options.Unknown.ignore,
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_features: options.MaxFeatures = None,
    text: options.Text = None,
    label: options.Label = "label",
    encoding: options.Encoding = None,
    table: options.Table = None,
    prune: options.Prune = None,
    ledger: options.KeepLedger = None,
    jobs: options.Jobs = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Count PART into a model file, without evaluating it: parts that were counted elsewhere merge into one model.

    \b
    Examples:
      textnb count monday.jsonl.gz -o monday.tnb
      textnb count tuesday.jsonl.gz -o tuesday.tnb --like monday.tnb
      textnb merge all.tnb monday.tnb tuesday.tnb
    """
    output = options.place("--output", output)
    settings = options.classifier_settings(
        model=model.value,
        weights=weights.value,
        alpha=alpha,
        ngrams=ngrams,
        analyzer=analyzer,
        tokenizer=tokenizer,
        stemmer=stemmer,
        stop_words=stop_words,
        unknown=unknown,
        min_df=min_df,
        max_df=max_df,
        max_features=max_features,
        ledger=ledger is True,
        jobs=jobs,
    )
    source = {"text": text or "text", "label": label, "encoding": encoding, "strict": strict}
    found = run_count(part, source, None if table is None else table.value, settings, like, prune, output, quiet=quiet)
    skipped = [(entry["where"], entry["why"]) for entry in found.get("skipped", [])]
    report_skipped(skipped, quiet, total=found.get("n_skipped"))
    show_json(found) if as_json else show(summary(found["model_file"], found["classes"], found["n_terms"]))


def run_count(
    part: str,
    source: dict[str, Any],
    table: str | None,
    settings: dict[str, Any],
    like: Path | None,
    prune: int | None,
    output: Path,
    *,
    quiet: bool,
) -> dict[str, Any]:
    """A part counted into a model file, block by block."""
    from textnb.classifier import TextClassifier
    from textnb.engines.stream import StreamLearner
    from textnb.learner_file import carried, learner_of
    from textnb.model_updates import open_text_model, write_learner

    if like is None:
        classifier = TextClassifier(**settings | {"calibrate": False})  # which needs the documents
        learner, fitted = classifier.new_learner(keep_ledger=settings["ledger"]), classifier.fitted_settings()
    else:
        file = open_text_model(like)
        learner, fitted = learner_of(file).blank(), carried(file)
        learner.recipe = replace(learner.recipe, n_jobs=settings["n_jobs"])
    learning = StreamLearner(learner, prune=prune)
    read, documents = open_part(part, source, table, learning, quiet)
    learning.run(read)
    write_learner(output, learner, fitted)
    counts = learner.counts
    found = {
        "model_file": str(output),
        "classes": documents_by_class(counts),
        "n_documents": counts.n_documents,
        "n_terms": counts.n_seen_terms,
    }
    skipped = [{"where": where, "why": why} for where, why in documents.problems]
    n_skipped = getattr(documents, "n_problems", len(skipped))
    return found | ({"skipped": skipped, "n_skipped": n_skipped} if skipped else {})


def open_part(
    part: str, source: dict[str, Any], table: str | None, learning: StreamLearner, quiet: bool
) -> tuple[Read, Corpus | DocumentStream]:
    """How to read a part, tables as a stream, all else as a whole; and what knows which documents were skipped."""
    from textnb.cli.stream import watched_blocks
    from textnb.corpora import corpus_names, open_corpus
    from textnb.corpora.stream import open_stream
    from textnb.engines.stream import Block

    if part in corpus_names() or Path(part).is_dir():
        corpus = open_corpus(part, quiet=quiet, **source)
        whole = [Block(len(corpus), corpus.texts, corpus.labels.tolist())]
        return lambda skip: whole, corpus
    stream = open_stream(part, format=table, passes=len(learning.stages), **source)
    return lambda skip: watched_blocks(stream, skip, learning.stage, quiet), stream
