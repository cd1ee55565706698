"""What a reader must know before believing the headline figures."""

from __future__ import annotations

from typing import Any

from textnb.report.page.markup import Html, join, tag
from textnb.report.page.numbers import class_name
from textnb.report.tables import counted
from textnb.workflow.metrics import FEWEST_TESTED

NAMED_CLASSES = 5


def warnings(result: dict[str, Any]) -> Html | None:
    """Learned documents among the tested ones, few documents, classes that the model does not know."""
    told = [*_learned(result), *_few(result), *_unknown_classes(result)]
    return join(tag("p", warning, class_="warning") for warning in told) if told else None


def _learned(result: dict[str, Any]) -> list[str]:
    tested, skipped = result["n_learned_tested"], result["n_learned_skipped"]
    if tested:
        return [f"{tested:,} of the documents tested on were learned before: the figures flatter."]
    if tested is None and skipped is None:
        return [
            "The model has no ledger, so nobody knows whether it has learned documents that it is tested on here: "
            "if it has, the figures flatter."
        ]
    return []


def _few(result: dict[str, Any]) -> list[str]:
    n = result["n"]
    return [f"The figures are of only {counted(n, 'document')}: go by the interval."] if n < FEWEST_TESTED else []


def _unknown_classes(result: dict[str, Any]) -> list[str]:
    known = {entry["class"] for entry in result["thresholds"]}
    unknown = [row for c, row in enumerate(result["evaluation"]["per_class"]) if row["support"] and c not in known]
    if not known or not unknown:
        return []
    names = [class_name(row["class"]) for row in unknown[:NAMED_CLASSES]]
    if len(unknown) > NAMED_CLASSES:
        names.append(f"and {len(unknown) - NAMED_CLASSES:,} more")
    classes = "1 class" if len(unknown) == 1 else f"{len(unknown):,} classes"
    n_documents = counted(sum(row["support"] for row in unknown), "document")
    told = f"The model does not know {classes} ({', '.join(names)}): {n_documents} can only be wrong."
    if result["evaluation"]["log_loss"] is None:
        told += " The log-loss is infinite where a true class has no probability, so it is not shown."
    return [told]
