"""`textnb inspect`: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli.output import show, show_json

if TYPE_CHECKING:
    from textnb.storage import ModelFile


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
        "settings": shown_settings(classifier.parameters_in_use),
        "n_documents": sum(documents),
        "n_terms": len(classifier.predictor_.vocabulary),
        "learning": learning_facts(file),
        "chosen": file.settings.get("chosen"),
        "calibration": file.settings.get("calibration"),
        "policy": file.settings.get("policy"),
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


def learning_facts(file: ModelFile) -> dict[str, Any] | None:
    """How a text model goes on learning; None if it cannot."""
    from textnb.learner_file import has_counts

    if not has_counts(file):
        return None
    reference = file.settings["reference"]
    return {
        "vocabulary": file.settings["vocabulary"],
        "pruned": file.settings["pruned"],
        "weighted": file.array("documents").dtype.kind == "f",
        "idf_documents": reference[0] if file.settings["weights"].endswith("tfidf") else None,
        "ledger": int(file.array("ledger_counts").sum()) if "ledger_counts" in file.names else None,
    }


def learning_text(facts: dict[str, Any] | None) -> str:
    if facts is None:
        return "no more: it was saved by an older textnb, without all its counts"
    kind = "pruned" if facts["pruned"] else "of weighted documents" if facts["weighted"] else None
    parts = [f"{kind}, so that it cannot forget" if kind else "exact", f"vocabulary {facts['vocabulary']}"]
    if facts["idf_documents"] is not None:
        parts.append(f"idf frozen at {facts['idf_documents']:,} documents")
    return ", ".join(
        [*parts, "no ledger" if facts["ledger"] is None else f"{facts['ledger']:,} documents in the ledger"]
    )


def fitted_lines(found: dict[str, Any]) -> list[str]:
    """What the last fit has chosen, which stays while more is learned."""
    from textnb.report import printable

    lines = []
    if found.get("chosen"):
        lines.append(f"chosen     {', '.join(sorted(found['chosen']))}, as at the last fit")
    if found.get("calibration"):
        calibration = found["calibration"]
        exponent = calibration["length_exponent"]
        by_length = f" × length^{exponent:.3g}" if exponent else ""
        lines.append(f"calibrated at temperature {calibration['temperature']:.4g}{by_length}, as at the last fit")
    if found.get("policy"):
        policy = found["policy"]
        costs = [f"{true} taken for {named} costs {price:g}" for true, named, price in policy["prices"]]
        costs += [] if policy["unsure"] is None else [f"unsure costs {policy['unsure']:g}"]
        costs += [] if policy["ceiling"] is None else [f"at most {policy['ceiling']:g} of {policy['protected']} lost"]
        lines.append(f"decides    {printable(', '.join(costs) or 'every error costs 1')}")
    return lines


def to_text(found: dict[str, Any]) -> str:
    from textwrap import fill

    from textnb.cli.evaluation import settings_lines
    from textnb.report import printable, table

    n_terms = f", {found['n_terms']:,} terms" if "n_terms" in found else ""
    written_by = ", ".join(f"{name} {version}" for name, version in sorted(found["written_by"].items()))
    rows = [(entry["class"], f"{entry['documents']:,.15g}", f"{entry['prior']:.3f}") for entry in found["classes"]]
    lines = [
        f"model      {printable(found['model_file'])}: {found['bytes']:,} bytes, written by {printable(written_by)}",
        settings_lines(found["settings"]),
        f"learned    {found['n_documents']:,.15g} documents{n_terms}",
        *([f"learning   {learning_text(found['learning'])}"] if "learning" in found else []),
        *fitted_lines(found),
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
