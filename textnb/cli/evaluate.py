"""`textnb evaluate`: a saved model on labelled documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import notice, show_outcome, status

if TYPE_CHECKING:
    from textnb.cli.evaluation import Outcome
    from textnb.corpora import Corpus
    from textnb.text.rows import Array


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="A named corpus, a folder of class folders, or .csv/.tsv/.jsonl(.gz)."),
    ],
    subset: Annotated[
        options.Subset | None, typer.Option(help="Which part. [default: test if the corpus has one, else all]")
    ] = None,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: Annotated[
        str | None, typer.Option(help="The column of a table that has the text. [default: text, or the model's own]")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="The column of a table that has the class. [default: label, or the model's own]")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of files; by default found out.")] = None,
    plot: options.ConfusionPlot = None,
    reliability: options.ReliabilityPlot = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")] = False,
) -> None:
    """Evaluate MODEL on the labelled documents of CORPUS.

    \b
    Examples:
      textnb evaluate 20news.tnb 20news
      textnb evaluate mail.tnb later.csv --text body --label kind --json
      textnb evaluate spam.tnb sms-spam --reliability reliability.png
    """
    source = options.source(categories, strip, text, label, encoding, strict)
    options.check_plot(plot)
    options.check_plot(reliability, "--reliability")
    outcome = run_evaluation(model, corpus, None if subset is None else subset.value, source, quiet=quiet)
    show_outcome(outcome, corpus, plot=plot, reliability=reliability, as_json=as_json, quiet=quiet)


def run_evaluation(model: Path, spec: str, subset: str | None, source: dict[str, Any], *, quiet: bool) -> Outcome:
    """How a saved model does on the documents of a corpus."""
    from textnb.classifier import TextClassifier, load
    from textnb.cli.evaluation import Outcome, shown_settings
    from textnb.cli.train import evaluate_documents, take
    from textnb.corpora import open_corpus

    classifier: Any = load(model)
    features = None
    if not isinstance(classifier, TextClassifier):
        from textnb.cli import mixed, parts

        features = mixed.take_features(classifier, model).with_text(source["text"])
        source = source | features.source() | {"label": source["label"] or mixed.stored_label(model)}
    else:
        source = source | {"text": source["text"] or "text", "label": source["label"] or "label"}
    status(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, quiet=quiet, **source)
    rows, part = part_of(corpus, subset)
    known, labels = set(map(str, classifier.classes_.tolist())), corpus.labels[rows]
    strangers = sorted(set(labels.tolist()) - known)
    if known.isdisjoint(labels.tolist()):
        raise ValueError(
            f"{spec} has the classes {listed(strangers)}, the model {model} has {listed(sorted(known))}, none of them "
            "the same: evaluate on what the model is for"
        )
    if strangers:
        notice(f"the model does not know the classes {listed(strangers)}: their documents count as errors", quiet)
    documents = take(features.table(corpus.columns) if features else corpus.texts, rows)
    evaluation, decided = evaluate_documents(classifier, documents, labels, quiet)
    return Outcome(
        corpus=corpus.name,
        edition=corpus.edition,
        n_train=int(sum(parts.rows_of_classes(classifier) if features else classifier.statistics_.documents.tolist())),
        evaluated_on=part,
        settings=(
            parts.part_settings(classifier, features.names)
            if features
            else shown_settings(classifier.parameters_in_use)
        ),
        evaluation=evaluation,
        decisions=decided,
        calibration=None if features else classifier.calibration_,
        model_file=str(model),
        problems=corpus.problems,
    )


def part_of(corpus: Corpus, subset: str | None) -> tuple[Array, str]:
    """The positions of a part of the corpus, and what to call it."""
    import numpy as np

    if subset == "all" or (subset is None and corpus.split is None):
        return np.arange(len(corpus)), "all of it"
    if corpus.split is None:
        raise ValueError(f"{corpus.name} has no train and test parts: leave --subset out to evaluate on all of it")
    rows = np.flatnonzero(corpus.split == (subset or "test"))
    if not len(rows):
        raise ValueError(f"{corpus.name} has no document in its {subset or 'test'} part: choose another --subset")
    return rows, f"its own {subset or 'test'} part"


def listed(names: list[str], most: int = 5) -> str:
    """Some names in a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
