"""Calibration, slices, top words and the learning curve."""

from __future__ import annotations

from itertools import groupby
from math import floor, log10
from typing import Any

from textnb.report.page.charts import Axis, band, bars, chart, dots, interval_bar, line, share_axis
from textnb.report.page.markup import Html, data_table, folded, join, note, scroll_box, section, tag
from textnb.report.page.numbers import (
    breakable,
    class_name,
    decimal,
    interval,
    sentence,
    signed,
    weighted_terms,
    with_interval,
)

LISTED_CLASSES = 40  # of more, what is said of each class is folded


def calibration_section(result: dict[str, Any]) -> Html:
    """Reliability diagram, raw and calibrated, and the histogram of confidence."""
    bins, raw = result["evaluation"]["reliability"], result["raw_reliability"]
    if not bins:
        why = "The model gives no probabilities here, so there is nothing to compare with what came true."
        return section("calibration", "Calibration", note(why))
    about = (
        "Documents in bins by how sure the model was. On the diagonal, what is said to be right nine times in ten is "
        "right nine times in ten; below it, the model is too sure of itself."
    )
    both = tag("div", _reliability(bins, raw), _confidence(result), class_="charts")
    return section("calibration", "Calibration", tag("p", about), both)


def _reliability(bins: list[dict[str, Any]], raw: list[dict[str, Any]] | None) -> Html:
    axes = share_axis("probability stated"), share_axis("share that was right")
    marks = [line("guide", [(0, 0), (1, 1)])]
    series = [("calibrated" if raw else "as stated", "first", bins), *([("raw", "second", raw)] if raw else [])]
    for _, kind, rows in reversed(series):
        points = [(row["confidence"], row["accuracy"]) for row in rows]
        marks += [line(kind, points), dots(kind, points)]
    tables = [
        data_table(
            f"Reliability, {title}",
            ("documents", "probability stated", "share that was right"),
            [(f"{row['count']:,}", decimal(row["confidence"], 4), decimal(row["accuracy"], 4)) for row in rows],
            n_texts=0,
        )
        for title, _, rows in series
    ]
    legend = _legend([(kind, title) for title, kind, _ in series]) if raw else None
    diagram = chart("Reliability diagram: probability stated against the share that was right", *axes, *marks)
    return _figure("Reliability", diagram, legend, folded("Reliability as a table", join(tables)))


def _confidence(result: dict[str, Any]) -> Html:
    counts = result["confidence_histogram"]
    top = _nice_top(max(counts))
    ticks = [(step / 4, f"{top * step / 4:,.4g}") for step in range(5)]
    axes = share_axis("probability of the predicted class"), Axis("documents", 0, top, ticks)
    diagram = chart("Histogram of the probability of the predicted class", *axes, bars([n / top for n in counts]))
    width = 1 / len(counts)
    rows = [(f"{k * width:.2f}–{(k + 1) * width:.2f}", f"{n:,}") for k, n in enumerate(counts)]
    table = data_table("Documents by the probability of their predicted class", ("probability", "documents"), rows)
    return _figure("Confidence", diagram, None, folded("Confidence as a table", table))


def _figure(title: str, *content: Html | None) -> Html:
    return tag("div", tag("h3", title), *content)


def _legend(entries: list[tuple[str, str]]) -> Html:
    return tag("p", [[tag("span", class_=f"swatch {kind}"), title, " "] for kind, title in entries], class_="legend")


def _nice_top(largest: int) -> float:
    """The end of an axis: at least `largest`, and quarters of it are round.

    >>> [_nice_top(n) for n in (0, 3, 97, 130, 5500)]
    [4, 4, 100, 200, 6000]
    """
    if largest <= 4:
        return 4
    unit = 10 ** floor(log10(largest))
    return next(unit * step for step in (1, 2, 4, 6, 8, 10) if unit * step >= largest)


def slices_section(result: dict[str, Any]) -> Html:
    """Accuracy in parts of the documents."""
    slices = result["slices"]
    if not slices:
        return section("slices", "Slices", note("There is nothing to divide the documents by."))
    lowest = min((part["interval"][0] for part in slices if part["interval"]), default=0.0)
    start = min(floor(10 * lowest) / 10, 0.9)
    about = "Where it does well and where it does not. Wide bars stand on few documents: go by the interval."
    by_class = [part for part in slices if part["by"] == "class"]
    if len(by_class) <= LISTED_CLASSES:
        return section("slices", "Slices", tag("p", about), _slices_table(slices, start, "parts of the documents"))
    others = [part for part in slices if part["by"] != "class"]
    table = _slices_table(others, start, "parts of the documents") if others else None
    rest = folded(f"Slices of {len(by_class):,} classes", _slices_table(by_class, start, "documents of each class"))
    return section("slices", "Slices", tag("p", about), table, rest)


def _slices_table(slices: list[dict[str, Any]], start: float, of_what: str) -> Html:
    head = tag(
        "tr",
        tag("th", "documents", scope="col"),
        tag("th", "number", scope="col", class_="number"),
        tag("th", "accuracy", scope="col", class_="number"),
        tag("th", tag("span", f"{start:g}"), tag("span", "1"), scope="col", class_="scale", aria_label="interval"),
    )
    bodies = [
        tag(
            "tbody",
            tag("tr", tag("th", f"by {by}", colspan=4, scope="rowgroup", class_="group")),
            [_slice_row(part, start) for part in parts],
        )
        for by, parts in groupby(slices, key=lambda part: part["by"])
    ]
    caption = f"Accuracy in {of_what}, with 95 % intervals"
    return scroll_box(caption, tag("table", tag("caption", caption), tag("thead", head), bodies, class_="slices"))


def _slice_row(part: dict[str, Any], start: float) -> Html:
    bounds = part["interval"]
    return tag(
        "tr",
        tag("th", breakable(part["name"]), scope="row"),
        tag("td", f"{part['n']:,}", class_="number"),
        tag("td", with_interval(part["accuracy"], bounds), class_="number"),
        tag("td", interval_bar(part["accuracy"], bounds[0], bounds[1], start) if bounds else None),
    )


def words_section(result: dict[str, Any]) -> Html:
    """The words that speak most for each class."""
    if not any(result["top_words"]):
        return section("words", "Top words", note(_why_no_words(result)))
    entries = [
        join(
            tag("dt", class_name(label)),
            tag("dd", weighted_terms((word, signed(weight)) for word, weight in words), class_="words"),
        )
        for label, words in zip(result["classes"], result["top_words"], strict=True)
    ]
    about = "The words that speak most for each class, with the weight of one occurrence."
    listed = tag("dl", entries, class_="top-words")
    if len(entries) > LISTED_CLASSES:
        listed = folded(f"Top words of {len(entries):,} classes", listed)
    return section("words", "Top words", tag("p", about), listed)


def _why_no_words(result: dict[str, Any]) -> str:
    if not result["texts"]:
        return "This report was made without texts and words."
    if result["model"]["n_terms"] is None:
        return "Top words are listed for models of text alone."
    return "The model has no words to list."


def learning_section(result: dict[str, Any]) -> Html:
    """Accuracy against the number of documents learned from."""
    curve = result["learning_curve"]
    points = curve["points"]
    if not points:
        return section("learning", "Learning curve", note(sentence(curve["why_not"] or "none was computed")))
    low = min(floor(10 * min(point["interval"][0] for point in points)) / 10, 0.9)
    most = points[-1]["n"]
    y = share_axis("accuracy", low)
    x = Axis("documents learned from", 0, most, [(n / most, f"{n:,}") for n in _apart([p["n"] for p in points])])
    at = [(x.unit(point["n"]), y.unit(point["accuracy"])) for point in points]
    area = [(x.unit(p["n"]), y.unit(p["interval"][0]), y.unit(p["interval"][1])) for p in points]
    diagram = chart("Learning curve with 95 % intervals", x, y, band(area), line("first", at), dots("first", at))
    rows = [(f"{p['n']:,}", decimal(p["accuracy"], 4), interval(p["interval"], 4)) for p in points]
    table = data_table("Accuracy by documents learned from", ("documents", "accuracy", "95 % interval"), rows, 0)
    about = "A curve that still climbs on the right says that more documents would help."
    figure = _figure("Accuracy", diagram, folded("Learning curve as a table", table))
    return section("learning", "Learning curve", tag("p", about), tag("div", figure, class_="charts"))


def _apart(numbers: list[int], least: float = 0.18) -> list[int]:
    """Those that stand far enough from each other to be written on an axis; the last always.

    >>> _apart([10, 20, 50, 100])
    [20, 50, 100]
    """
    kept: list[int] = []
    for number in reversed(numbers):
        if not kept or kept[-1] - number >= least * numbers[-1]:
            kept.append(number)
    return kept[::-1]


def skipped_section(result: dict[str, Any]) -> Html | None:
    """Documents that could not be used, and why; None where there are none."""
    skipped = result["skipped"]
    if not skipped:
        return None
    table = data_table("Documents that were skipped, and why", ("where", "why"), map(_problem, skipped), n_texts=2)
    return section("skipped", "Skipped documents", table)


def _problem(problem: Any) -> tuple[Any, Any]:
    return (problem["where"], problem["why"]) if isinstance(problem, dict) else (problem, "")
