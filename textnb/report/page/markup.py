"""Markup that is safe by construction: whatever is not markup already is escaped, and made visible first."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from textnb.report.safe import printable

VOID = frozenset(["meta", "link", "input", "wbr"])


class Html(str):
    """Markup made by this module; every other string is text."""

    __slots__ = ()


def text(value: object) -> Html:
    r"""`value` as it may stand anywhere in a page, attributes included.

    >>> text("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    return value if isinstance(value, Html) else Html(escape(printable(str(value))))


def join(*parts: Any) -> Html:
    """Parts one after the other: markup, text, None, or iterables of such."""
    return Html("".join(_flat(parts)))


def tag(name: str, /, *content: Any, **attributes: Any) -> Html:
    """An element. `class_` and `for_` lose their underscore, others become hyphens; None and False are left out.

    >>> tag("p", "a < b", class_="note", aria_label="sum")
    '<p class="note" aria-label="sum">a &lt; b</p>'
    """
    listed = "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{listed}>")
    return Html(f"<{name}{listed}>{join(*content)}</{name}>")


def scroll_box(label: str, content: Html, **attributes: Any) -> Html:
    """A box that scrolls by itself where the window is narrow, reached by keyboard too."""
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex="0", **attributes)


def data_table(caption: str, headers: Iterable[Any], rows: Iterable[Iterable[Any]], n_texts: int = 1) -> Html:
    """A table whose first `n_texts` columns are words, the first of them the row's header; the others are numbers."""

    def cell(position: int, value: Any) -> Html:
        kind = "prose" if 0 < position < n_texts else None if position < n_texts else "number"
        return tag("td", value, class_=kind) if position else tag("th", value, scope="row", class_=kind)

    head = [
        tag("th", title, scope="col", class_=None if position < n_texts else "number") if title else tag("td")
        for position, title in enumerate(headers)
    ]
    body = [tag("tr", [cell(position, value) for position, value in enumerate(row)]) for row in rows]
    table = tag("table", tag("caption", caption), tag("thead", tag("tr", head)), tag("tbody", body))
    return scroll_box(caption, table)


def folded(summary: str, content: Html, **attributes: Any) -> Html:
    return tag("details", tag("summary", summary), content, class_="folded", **attributes)


def headline_figure(title: str, value: str, doubt: str | None, meaning: str) -> Html:
    """A large figure, how sure it is, and what it means."""
    return tag(
        "div",
        tag("h3", title),
        tag("p", value, class_="value"),
        tag("p", doubt, class_="interval") if doubt else None,
        tag("p", meaning, class_="meaning"),
        class_="headline-figure",
    )


def section(identifier: str, title: str, *content: Any) -> Html:
    return tag("section", tag("h2", title), *content, id=identifier)


def note(*content: Any) -> Html:
    return tag("p", *content, class_="note")


def _flat(parts: Iterable[Any]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield text(part)
        elif isinstance(part, Iterable):
            yield from _flat(part)
        elif part is not None:
            yield text(part)


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{text(value)}"'
