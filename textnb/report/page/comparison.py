"""Two models on the same documents."""

from __future__ import annotations

from typing import Any

from textnb.report.evaluation import settings_texts
from textnb.report.page.documents import document
from textnb.report.page.markup import Html, data_table, join, note, section, tag
from textnb.report.page.numbers import breakable, class_name, decimal, p_value, probability, signed, with_interval


def comparison_section(result: dict[str, Any]) -> Html | None:
    """Both accuracies, their difference, where the two agree, recalls, and documents on which they differ.

    None where there is no second model.
    """
    other = result["comparison"]
    if other is None:
        return None
    first, second = result["model"]["file"] or "this model", other["file"] or "the other model"
    return section(
        "comparison",
        "Comparison",
        tag("p", _sentence(other)),
        _accuracies(result, other, first, second),
        tag("div", _agreement(other), _recalls(result, other), class_="charts"),
        _differing(result, other),
    )


def _sentence(other: dict[str, Any]) -> str:
    low, high = other["difference_interval"]
    found = "may be chance" if low <= 0 <= high else "is hardly chance"
    bounds = f"95 %: {signed(low, 4)} to {signed(high, 4)}; {p_value(other['p_value'])}"
    return f"First minus second, the accuracies differ by {signed(other['difference'], 4)} ({bounds}), which {found}."


def _accuracies(result: dict[str, Any], other: dict[str, Any], first: str, second: str) -> Html:
    measured = result["evaluation"]
    rows = [
        (name, "; ".join(settings_texts(settings)), with_interval(found["accuracy"], found["accuracy_interval"], 4), f1)
        for name, settings, found, f1 in (
            (first, result["model"]["settings"], measured, decimal(measured["macro_f1"], 4)),
            (second, other["settings"], other, decimal(other["macro_f1"], 4)),
        )
    ]
    return data_table("The two models", ("model", "settings", "accuracy", "macro-F1"), rows, n_texts=2)


def _agreement(other: dict[str, Any]) -> Html:
    rows = [
        ("first right", f"{other['both_right']:,}", f"{other['only_first']:,}"),
        ("first wrong", f"{other['only_second']:,}", f"{other['both_wrong']:,}"),
    ]
    table = data_table("Documents by which model is right", ("", "second right", "second wrong"), rows)
    return tag("div", tag("h3", "Agreement"), table)


def _recalls(result: dict[str, Any], other: dict[str, Any]) -> Html:
    rows = [
        (breakable(_classes(result, other)[c]), decimal(one), decimal(two), signed(one - two, 3))
        for c, one, two in other["per_class"]
    ]
    table = data_table("Recall of each class by the two models", ("class", "first", "second", "difference"), rows)
    return tag("div", tag("h3", "Recall"), table)


def _classes(result: dict[str, Any], other: dict[str, Any]) -> list[Any]:
    """The classes, and after them those that only the second model knows."""
    return other.get("classes", result["classes"])


def _differing(result: dict[str, Any], other: dict[str, Any]) -> list[Html]:
    classes = _classes(result, other)

    def says(which: str, named: int, sure: float, true: int) -> Html:
        label = "right" if named == true else tag("b", class_name(classes[named]))
        return join("; ", which, " ", label, " ", tag("span", probability(sure), class_="figure"))

    def entry(row: dict[str, Any]) -> Html:
        shown = result["documents"][row["document"]]
        true = tag("b", class_name(classes[shown["true"]]))
        first = says("first", shown["predicted"], shown["probability"], shown["true"])
        second = says("second", row["other"], row["other_probability"], shown["true"])
        return tag("li", document(result, row["document"], true, first, second))

    title = tag("h3", "Documents on which they differ")
    if not other["documents"]:
        return [title, note("The two models give every document the same class.")]
    about = tag("p", "The true class, then what the first and the second model say.", class_="about")
    return [title, about, tag("ol", [entry(row) for row in other["documents"]], class_="documents wide")]
