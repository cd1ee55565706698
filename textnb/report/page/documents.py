"""Documents in lists: the line that is always there; the page's script fills in the rest when one is opened."""

from __future__ import annotations

from typing import Any

from textnb.report.page.markup import Html, join, tag
from textnb.report.page.numbers import class_name, probability
from textnb.report.safe import printable

SNIPPET = 140  # characters of a text that are shown before it is opened


def document(result: dict[str, Any], number: int, *headline: Any) -> Html:
    """A document that opens: `headline`, where it stands, and what it is called, or how its text begins."""
    shown = result["documents"][number]
    title, text = shown["title"], shown["text"]
    summary = tag(
        "summary",
        tag("span", *headline, class_="headline"),
        tag("span", shown["where"], class_="where"),
        tag("span", snippet(title or text), class_="snippet title" if title else "snippet") if title or text else None,
    )
    return tag("details", summary, class_="document", data_document=number)


def verdict(result: dict[str, Any], number: int) -> Html:
    """What a document is, what it was taken for, and how surely."""
    shown, classes = result["documents"][number], result["classes"]
    true, predicted = (tag("b", class_name(classes[shown[key]])) for key in ("true", "predicted"))
    sure = tag("span", probability(shown["probability"]), class_="figure")
    if shown["true"] == shown["predicted"]:
        return join(true, " rightly named ", sure)
    return join(true, " taken for ", predicted, " ", sure)


def snippet(text: str) -> str:
    """How a text begins, on one line."""
    begun = " ".join(text[: 4 * SNIPPET].split())
    return printable(begun if len(begun) <= SNIPPET else begun[: SNIPPET - 1] + "…")
