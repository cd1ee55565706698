"""Precision and recall for one class against the rest, by threshold; the page's script moves it."""

from __future__ import annotations

from typing import Any

from textnb.report.page.charts import chart, dots, line, share_axis
from textnb.report.page.markup import Html, data_table, folded, join, note, section, tag
from textnb.report.page.numbers import class_name, decimal

TABLE_ROWS = 20
COSTS = (("false-alarm", "false alarm", 1), ("miss", "miss", 1), ("unsure", "unsure", 0.2))
COST_FIELD = {
    "type": "number",
    "min": "0",
    "step": "any",
    "inputmode": "decimal",
    "aria_describedby": "cost-problem",
}
FIGURES = (
    ("precision", "precision"),
    ("recall", "recall"),
    ("false-positive-rate", "false-positive rate"),
    ("unsure-share", "share unsure"),
    ("mean-cost", "mean cost"),
)


def thresholds_section(result: dict[str, Any]) -> Html:
    """The curve of one class, two sliders, costs, and the figures they lead to."""
    entries = [entry for entry in result["thresholds"] if entry["points"]]
    if not entries:
        why = "There are no probabilities to draw a line through, so there is no threshold to choose."
        return section("thresholds", "Thresholds and costs", note(why))
    shown = entries[-1 if len(result["classes"]) == 2 else 0]
    label = class_name(result["classes"][shown["class"]])
    about = (
        "A document is named the chosen class where its probability reaches the threshold. Between the lower and the "
        "upper threshold it is left unsure. The figures are exact at every step."
    )
    return section(
        "thresholds",
        "Thresholds and costs",
        tag("p", about),
        tag("div", tag("div", *_curve(shown, label)), _panel(result, shown), class_="charts"),
    )


def _curve(entry: dict[str, Any], label: str) -> list[Html]:
    points = _recall_precision(entry)
    diagram = chart(
        "Precision against recall of the chosen class, at every threshold",
        share_axis("recall"),
        share_axis("precision"),
        line("first", points),
        dots("second", points[:0]),
        id="curve",
    )
    step = max(1, len(entry["points"]) // TABLE_ROWS)
    chosen = entry["points"][::step]
    rows = [(_threshold(t), f"{tp:,}", f"{fp:,}", *_shares(tp, fp, entry["n_positive"])) for t, tp, fp in chosen]
    headers = ("threshold", "rightly named", "false alarms", "precision", "recall")
    table = data_table("Precision and recall by threshold", headers, rows, n_texts=0)
    title = tag("h3", "Precision and recall of ", tag("span", label, id="curve-class"))
    return [title, diagram, folded("The curve as a table", table, id="curve-table")]


def _recall_precision(entry: dict[str, Any]) -> list[tuple[float, float]]:
    positive = entry["n_positive"]
    return [(tp / positive, tp / (tp + fp)) for _, tp, fp in entry["points"] if tp + fp and positive]


def _shares(tp: int, fp: int, positive: int) -> tuple[str, str]:
    return decimal(tp / (tp + fp) if tp + fp else None), decimal(tp / positive if positive else None)


def _threshold(value: float) -> str:
    return f"{value:.4g}"


def _panel(result: dict[str, Any], shown: dict[str, Any]) -> Html:
    options = [
        tag("option", class_name(result["classes"][entry["class"]]), value=n, selected=entry is shown)
        for n, entry in enumerate(result["thresholds"])
        if entry["points"]
    ]
    choose = _field("chosen-class", "Class", tag("select", options, id="chosen-class"))
    sliders = [_slider("threshold", "Threshold"), _slider("lower", "Unsure from")]
    costs = tag(
        "fieldset",
        tag("legend", "Cost of each"),
        [
            _field(f"cost-{key}", title, tag("input", id=f"cost-{key}", value=value, **COST_FIELD))
            for key, title, value in COSTS
        ],
    )
    refused = tag(
        "p", "A cost is a number of 0 or more.", class_="warning", id="cost-problem", role="alert", hidden=True
    )
    buttons = tag(
        "p",
        tag("button", "Cheapest threshold", type="button", id="cheapest"),
        " ",
        tag("button", "Back to 0.5", type="button", id="reset"),
    )
    controls = tag("div", choose, sliders, costs, refused, buttons, class_="controls")
    sentence = tag("p", id="decision-sentence", aria_live="polite", class_="note")
    return tag("div", controls, sentence, _figures(), _outcomes())


def _field(identifier: str, label: str, control: Html) -> Html:
    return tag("p", tag("label", label, for_=identifier), control, class_="field")


def _slider(identifier: str, label: str) -> Html:
    slider = tag("input", type="range", id=identifier, min="0", max="0", value="0", step="1")
    return _field(identifier, label, join(slider, tag("span", "–", id=f"{identifier}-value", class_="figure")))


def _figures() -> Html:
    listed = [tag("div", tag("dt", title), tag("dd", "–", id=key)) for key, title in FIGURES]
    return tag("dl", listed, class_="live-figures")


def _outcomes() -> Html:
    rows = [("of the class", "tp", "unsure-positive", "fn"), ("of other classes", "fp", "unsure-negative", "tn")]
    body = [
        tag("tr", tag("th", title, scope="row"), [tag("td", "–", id=key, class_="number") for key in keys])
        for title, *keys in rows
    ]
    head = [tag("th", title, scope="col", class_="number") for title in ("named so", "unsure", "not named so")]
    header = tag("thead", tag("tr", tag("td"), head))
    return tag("table", tag("caption", "Documents at this threshold"), header, tag("tbody", body), class_="outcomes")
