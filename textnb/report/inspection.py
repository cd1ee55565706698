"""The facts about a model file as terminal text."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from textnb.report.evaluation import WIDTH, filled, narrowed, settings_lines
from textnb.report.safe import printable
from textnb.report.tables import table

if TYPE_CHECKING:
    from textnb.workflow.inspection import Inspection


def inspection_text(inspection: Inspection, width: int | None = None) -> str:
    """Settings and counts, and the top terms of each class; tables as wide as is given."""
    facts = inspection.facts
    n_terms = f", {facts['n_terms']:,} terms" if "n_terms" in facts else ""
    written_by = ", ".join(f"{name} {version}" for name, version in sorted(facts["written_by"].items()))
    rows = [(entry["class"], f"{entry['documents']:,.15g}", f"{entry['prior']:.3f}") for entry in facts["classes"]]
    model = f"model      {printable(facts['model_file'])}: {facts['bytes']:,} bytes, written by {printable(written_by)}"
    about = [
        *settings_lines(facts["settings"]),
        f"learned    {facts['n_documents']:,.15g} documents{n_terms}",
        *([f"learning   {_learning(facts)}"] if "learning" in facts else []),
        *_ledger_lines(facts.get("ledger")),
        *_fitted_lines(facts),
    ]
    lines = [
        *narrowed([model], width),
        *filled(about, width),
        "",
        table(("part of the file", "bytes", "share"), _space_rows(facts["space"]), "lrr", width=width),
        "",
        table(("class", "documents", "prior"), rows, "lrr", width=width),
    ]
    if "parts" in facts:
        return "\n".join(lines + _part_lines(facts["parts"], width))
    for entry in facts["classes"]:
        if entry["top_terms"]:
            lines += ["", printable(str(entry["class"])), _terms(entry["top_terms"])]
    return "\n".join(lines)


def _space_rows(space: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(entry["part"], f"{entry['bytes']:,}", f"{entry['share']:.1%}") for entry in space]


def _ledger_lines(ledger: dict[str, int] | None) -> list[str]:
    if ledger is None:
        return []
    entries, of_ids = f"{ledger['entries']:,} entries", ""
    if "message_ids" in ledger:
        entries, of_ids = f"{entries} and {ledger['message_ids']:,} message-ids", "and of their message-ids, "
    text = (
        f"ledger     {entries}, {ledger['bytes']:,} bytes: hashes of the documents {of_ids}with their "
        "labels, enough to tell whether a given text was learned; forget --ledger drops it"
    )
    return [text]


def _learning(about: dict[str, Any]) -> str:
    facts = about["learning"]
    if facts is not None and facts.get("fitted"):
        return "no more: it is fitted to all its documents at once; textnb refit learns anew"
    if facts is None and about["compact"]:
        return "no more: it is a compact model, which only predicts"
    if facts is None:
        return "no more: it was saved by an older textnb, without all its counts"
    kind = "pruned" if facts["pruned"] else "of weighted documents" if facts["weighted"] else None
    parts = [f"{kind}, so that it cannot forget" if kind else "exact", f"vocabulary {facts['vocabulary']}"]
    if facts["idf_documents"] is not None:
        parts.append(f"idf frozen at {facts['idf_documents']:,} documents")
    ledger = "no ledger" if facts["ledger"] is None else f"{facts['ledger']:,} documents in the ledger"
    return ", ".join([*parts, ledger])


def _fitted_lines(facts: dict[str, Any]) -> list[str]:
    lines = []
    if facts.get("chosen"):
        lines.append(f"chosen     {', '.join(sorted(facts['chosen']))}, as at the last fit")
    if facts.get("calibration"):
        calibration = facts["calibration"]
        exponent = calibration["length_exponent"]
        by_length = f" × length^{exponent:.3g}" if exponent else ""
        moved = ""
        if calibration["offsets"]:
            slopes = " that depend on the length" if calibration.get("slopes") else ""
            kept = "the label kept" if calibration.get("keeps_label") else "which may move the label"
            moved = f", with offsets of the classes{slopes}, {kept}"
        lines.append(
            f"calibrated at temperature {calibration['temperature']:.4g}{by_length}{moved}, as at the last fit"
        )
    if facts.get("policy"):
        policy = facts["policy"]
        costs = [f"{true} taken for {named} costs {price:g}" for true, named, price in policy["prices"]]
        costs += [f"unsure costs {policy['unsure']:g}"] if "unsure" in policy else []
        costs += [f"at most {policy['ceiling']:g} of {policy['protected']} lost"] if "ceiling" in policy else []
        lines.append(f"decides    {printable(', '.join(costs) or 'every error costs 1')}")
    return lines


def _part_lines(parts: list[dict[str, Any]], width: int | None) -> list[str]:
    lines = []
    for part in parts:
        for label, terms in part.get("top_terms", {}).items():
            if terms:
                lines += ["", printable(f"{part['part']}: {label} ({part['n_terms']:,} terms)"), _terms(terms)]
        for column, categories in part.get("categories", {}).items():
            labels = list(categories["top"][0]["counts"]) if categories["top"] else []
            rows = [(top["category"], *(f"{n:,g}" for n in top["counts"].values())) for top in categories["top"]]
            title = f"{part['part']}: {column} ({categories['n_categories']:,} categories)"
            listed = table(("category", *labels), rows, "l" + "r" * len(labels), width=width)
            lines += ["", printable(title), listed]
        for column, classes in part.get("numbers", {}).items():
            rows = [(label, f"{one['mean']:.4g}", f"{one['deviation']:.4g}") for label, one in classes.items()]
            listed = table(("class", "mean", "deviation"), rows, "lrr", width=width)
            lines += ["", printable(f"{part['part']}: {column}"), listed]
    return lines


def _terms(terms: list[dict[str, Any]]) -> str:
    best = ", ".join(f"{printable(term['term'])} {term['weight']:.2f}" for term in terms)
    return fill(best, WIDTH, initial_indent="  ", subsequent_indent="  ")
