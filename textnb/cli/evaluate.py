"""`textnb evaluate`: a saved model on labelled documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import notice, report_skipped, show_json

if TYPE_CHECKING:
    from textnb.cli.evaluation import Outcome


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="A named corpus, a folder of class folders, or .csv/.tsv/.jsonl(.gz)."),
    ],
    subset: Annotated[
        str | None, typer.Option(help="train, test or all. [default: test if the corpus has one, else all]")
    ] = None,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: Annotated[str, typer.Option(help="The column of a table that has the text.")] = "text",
    label: Annotated[str, typer.Option(help="The column of a table that has the class.")] = "label",
    encoding: Annotated[str | None, typer.Option(help="Of files; by default found out.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the confusion matrix: .png, .svg or .pdf.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")] = False,
) -> None:
    """Evaluate MODEL on the labelled documents of CORPUS.

    \b
    textnb evaluate 20news.tnb 20news
    textnb evaluate mail.tnb later.csv --text body --label kind --json
    """
    source = {
        "categories": options.names(categories),
        "strip": options.names(strip) or (),
        "text": text,
        "label": label,
        "encoding": encoding,
        "strict": strict,
    }
    if plot is not None:
        from textnb.report import check_picture

        check_picture(plot)
    outcome = run_evaluation(model, corpus, subset, source, quiet=quiet)
    report_skipped(outcome.problems, quiet)
    if plot is not None:
        from textnb.report import confusion_heatmap

        confusion_heatmap(outcome.evaluation, plot, title=f"{corpus}: accuracy {outcome.evaluation.accuracy:.4f}")
        notice(f"drew {plot}", quiet)
    show_json(outcome.to_json()) if as_json else typer.echo(outcome.to_text())


def run_evaluation(model: Path, spec: str, subset: str | None, source: dict[str, Any], *, quiet: bool) -> Outcome:
    """How a saved model does on the documents of a corpus."""
    import numpy as np

    from textnb.classifier import load
    from textnb.cli.evaluation import Outcome, shown_settings
    from textnb.cli.train import evaluate_documents
    from textnb.corpora import open_corpus

    classifier = load(model)
    notice(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, subset or "all", quiet=quiet, **source)
    rows = np.arange(len(corpus))
    part = "all of it" if subset in (None, "all") else f"its {subset} part"
    if subset is None and corpus.split is not None:
        rows, part = np.flatnonzero(corpus.split == "test"), "its own test part"
    evaluation = evaluate_documents(classifier, [corpus.texts[i] for i in rows], corpus.labels[rows], quiet)
    strangers = sorted(set(corpus.labels[rows].tolist()) - set(map(str, classifier.classes_.tolist())))
    if strangers:
        notice(f"the model does not know the classes {', '.join(strangers)}: their documents count as errors", quiet)
    return Outcome(
        corpus=corpus.name,
        edition=corpus.edition,
        n_train=int(classifier.statistics_.documents.sum()),
        evaluated_on=part,
        settings=shown_settings(classifier.get_params()),
        evaluation=evaluation,
        model_file=str(model),
        problems=corpus.problems,
    )
