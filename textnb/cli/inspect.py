"""`textnb inspect`: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.cli.output import show, show_json


def inspect(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    terms: Annotated[int, typer.Option(min=0, help="How many terms to show a class, and categories a column.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what MODEL was trained on, its settings, and the terms that speak most for each class.

    Of a model of several columns also the most frequent categories, and the means and deviations of numbers.

    \b
    Examples:
      textnb inspect 20news.tnb
      textnb inspect 20news.tnb --terms 30 --json
    """
    found = run_inspection(model, terms)
    show_json(found) if as_json else show(to_text(found))


def run_inspection(model: Path, terms: int) -> dict[str, Any]:
    """The facts about a model file, all of it verified."""
    import numpy as np

    from textnb.classifier import TextClassifier, load
    from textnb.cli.evaluation import shown_settings
    from textnb.storage import open_model

    classifier = load(model)
    file = open_model(model, verify="touched")
    about = {"model_file": str(model), "bytes": file.nbytes, "written_by": file.writer}
    if not isinstance(classifier, TextClassifier):
        from textnb.cli.parts import inspected

        return about | inspected(classifier, model, terms)
    priors = np.exp(classifier.predictor_.log_prior).tolist()
    documents = classifier.statistics_.documents.tolist()
    top = classifier.top_terms(terms)
    return about | {
        "settings": shown_settings(classifier.get_params()),
        "n_documents": sum(documents),
        "n_terms": len(classifier.predictor_.vocabulary),
        "classes": [
            {
                "class": label,
                "documents": count,
                "prior": prior,
                "top_terms": [{"term": term, "weight": weight} for term, weight in top[label]],
            }
            for label, count, prior in zip(classifier.classes_.tolist(), documents, priors, strict=True)
        ],
    }


def to_text(found: dict[str, Any]) -> str:
    from textwrap import fill

    from textnb.cli.evaluation import settings_lines
    from textnb.report import printable, table

    n_terms = f", {found['n_terms']:,} terms" if "n_terms" in found else ""
    written_by = ", ".join(f"{name} {version}" for name, version in sorted(found["written_by"].items()))
    rows = [(entry["class"], f"{entry['documents']:,g}", f"{entry['prior']:.3f}") for entry in found["classes"]]
    lines = [
        f"model      {printable(found['model_file'])}: {found['bytes']:,} bytes, written by {printable(written_by)}",
        settings_lines(found["settings"]),
        f"learned    {found['n_documents']:,g} documents{n_terms}",
        "",
        table(("class", "documents", "prior"), rows, "lrr"),
    ]
    if "parts" in found:
        from textnb.cli.parts import parts_text

        return "\n".join(lines + parts_text(found["parts"]))
    for entry in found["classes"]:
        best = ", ".join(f"{printable(term['term'])} {term['weight']:.2f}" for term in entry["top_terms"])
        lines += ["", printable(str(entry["class"])), fill(best, 100, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join(lines)
