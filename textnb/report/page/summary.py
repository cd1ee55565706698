"""The first screen: headline figures and what they mean, what was evaluated, and where to look first."""

from __future__ import annotations

from math import log
from typing import Any

from textnb.report.evaluation import settings_texts
from textnb.report.page.documents import document, verdict
from textnb.report.page.markup import Html, headline_figure, join, note, tag
from textnb.report.page.numbers import class_name, interval, percent, signed
from textnb.report.tables import counted


def headline_figures(result: dict[str, Any]) -> Html:
    """Accuracy, macro-F1, log-loss, calibration error and AUC, those that there are, each with its interval."""
    measured, n, classes = result["evaluation"], result["n"], result["classes"]
    right = sum(row[position] for position, row in enumerate(measured["confusion_matrix"]))
    meanings = [
        ("accuracy", "Accuracy", f"{right:,} of {n:,} documents got their true class."),
        (
            "macro_f1",
            "Macro-F1",
            "Precision and recall in one, averaged over the classes: a rare class counts in full.",
        ),
        ("log_loss", "Log-loss", _log_loss_meaning(classes)),
        ("ece", "Calibration error", _ece_meaning(measured["ece"])),
        ("auc", "AUC", _auc_meaning(classes)),
    ]
    figures = [
        headline_figure(title, f"{measured[key]:.4f}", _doubt(measured.get(f"{key}_interval")), meaning)
        for key, title, meaning in meanings
        if measured[key] is not None
    ]
    return tag("div", figures, class_="figures")


def _doubt(bounds: list[float] | None) -> str | None:
    return f"95 %: {interval(bounds, 4)}" if bounds else None


def _log_loss_meaning(classes: list[Any]) -> str:
    even = f"{log(len(classes)):.2f}" if len(classes) > 1 else "0"
    return f"The mean surprise at the true class: 0 is perfect, {even} as good as guessing evenly."


def _ece_meaning(error: float | None) -> str:
    points = 100 * (error or 0.0)
    return f"Stated probabilities are {points:.1f} percentage points from how often they come true, on average."


def _auc_meaning(classes: list[Any]) -> str:
    positive = class_name(classes[-1])
    return f"How often a document of {positive} gets a higher probability of {positive} than one that is not."


def evaluated(result: dict[str, Any]) -> Html:
    """The corpus, the documents, the model and its settings."""
    model = result["model"]
    terms = None if model["n_terms"] is None else f", {model['n_terms']:,} terms"
    calibrated = "calibrated" if model["calibrated"] else "not calibrated"
    rows = [
        ("Corpus", f"{result['corpus']}: {result['edition']}"),
        ("Documents", f"{result['n_train']:,} learned from, {result['n']:,} tested on ({result['evaluated_on']})"),
        ("Model", join(model["file"] or "not saved", terms, f", probabilities {calibrated}")),
        *(("Settings", settings) for settings in settings_texts(model["settings"])),
    ]
    facts = tag("dl", [join(tag("dt", name), tag("dd", value)) for name, value in rows], class_="facts")
    skipped = result["n_learned_skipped"]
    left_out = f"{counted(skipped or 0, 'document')} that the model has learned were left out of the test."
    return join(facts, note(left_out) if skipped else None)


def where_to_look(result: dict[str, Any]) -> Html:
    """Most confident errors, suspected label errors, near duplicates."""
    return tag("div", _errors(result), _suspects(result), _duplicates(result), class_="columns")


def _column(title: str, about: str, entries: list[Html]) -> Html:
    listed = tag("ol", [tag("li", entry) for entry in entries], class_="documents") if entries else None
    return tag("div", tag("h3", title), tag("p", about, class_="about"), listed)


def _errors(result: dict[str, Any]) -> Html:
    entries = [document(result, number, verdict(result, number)) for number in result["confident_errors"]]
    about = "Wrong, and surest of it: often a wrong label, or a text that belongs to both classes."
    return _column("Most confident errors", about if entries else "No document was classified wrongly.", entries)


def _suspects(result: dict[str, Any]) -> Html:
    def entry(suspect: dict[str, Any]) -> Html:
        number = suspect["document"]
        labelled = tag("b", class_name(result["classes"][result["documents"][number]["true"]]))
        suggested = tag("b", class_name(result["classes"][suspect["suggested"]]))
        margin = tag("span", signed(suspect["margin"]), class_="figure")
        return document(result, number, labelled, ", perhaps ", suggested, " ", margin)

    entries = [entry(suspect) for suspect in result["suspected_labels"]]
    about = "The label given, the one that the other documents suggest, and by how much (log-odds a word)."
    return _column("Suspected label errors", about if entries else "No label looks wrong.", entries)


def _duplicates(result: dict[str, Any]) -> Html:
    found = result["near_duplicates"]

    def entry(pair: dict[str, Any]) -> Html:
        alike = tag("span", percent(pair["similarity"], 0), class_="figure")
        label = tag("b", class_name(result["classes"][result["documents"][pair["first"]]["true"]]))
        known = " to a learned one" if pair["is_learned"] else ""
        first = document(result, pair["first"], label, ", ", alike, " alike", known)
        if pair["second"] is not None:
            label = result["classes"][result["documents"][pair["second"]]["true"]]
            return join(first, document(result, pair["second"], "and ", tag("b", class_name(label))))
        other = (tag("b", class_name(pair["second_label"])), ", ", tag("span", pair["second_where"], class_="where"))
        return join(first, tag("p", "and ", *other, class_="other"))

    return _column("Near duplicates", _duplicates_about(found), [entry(pair) for pair in found["pairs"]])


def _duplicates_about(found: dict[str, Any]) -> str:
    if not found["n_pairs"]:
        return "No two documents are nearly the same."
    parts = [counted(found["n_pairs"], "pair")]
    parts.append(f"{found['n_other_class']:,} of them of two classes")
    if found["n_with_learned"] and found["accuracy_without"] is not None:
        repeated = f"{found['n_with_learned']:,} tested documents repeat a learned one"
        parts.append(f"{repeated}: without these, accuracy is {found['accuracy_without']:.4f}")
    return "; ".join(parts) + "."
