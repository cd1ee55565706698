"""The report as one HTML file that asks for nothing: Python renders figures, tables and charts, a script the documents.

Documents and thresholds go in compressed; the browser decompresses them.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from importlib.resources import files
from typing import Any

from textnb.report.page.classes import classes_section, confusion_section, pairs_section
from textnb.report.page.comparison import comparison_section
from textnb.report.page.decisions import of_the_most_probable, with_decisions
from textnb.report.page.markup import Html, join, note, section, tag
from textnb.report.page.measures import (
    calibration_section,
    learning_section,
    skipped_section,
    slices_section,
    words_section,
)
from textnb.report.page.summary import evaluated, headline_figures, where_to_look
from textnb.report.page.thresholds import thresholds_section
from textnb.report.page.warnings import warnings

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
CONTENTS = {
    "summary": "Summary",
    "look": "Where to look",
    "confusion": "Confusion matrix",
    "classes": "Classes",
    "pairs": "Confused pairs",
    "calibration": "Calibration",
    "thresholds": "Thresholds",
    "slices": "Slices",
    "words": "Top words",
    "learning": "Learning curve",
    "comparison": "Comparison",
    "skipped": "Skipped",
}
SCRIPTS = ("text.js", "documents.js", "matrix.js", "thresholds.js", "page.js")
PAYLOAD = ("classes", "texts", "documents", "cells", "thresholds")
SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def report_html(result: dict[str, Any]) -> str:
    """The page of a report's `to_json()`; equal results give equal text.

    >>> report_html({"title": "none"})
    Traceback (most recent call last):
    ...
    ValueError: the report lacks 'evaluation'; give the to_json() of a report.
    """
    if "evaluation" not in result:
        raise ValueError("the report lacks 'evaluation'; give the to_json() of a report.")
    return f"<!doctype html>\n{tag('html', _head(result), _body(result), lang='en')}\n"


def _head(result: dict[str, Any]) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="generator", content="textnb"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", result["title"]),
        tag("style", Html(_own_file("page.css"))),
    )


def _body(result: dict[str, Any]) -> Html:
    script = Html("\n".join(map(_own_file, SCRIPTS)))
    sections = {identifier: made for identifier, made in _sections(result).items() if made is not None}
    return tag(
        "body",
        tag("a", "Skip to the report", href="#summary", class_="skip"),
        tag("div", _contents(sections), tag("main", _main(result, sections)), class_="page"),
        tag("script", Html(payload(result)), type="application/octet-stream", id="payload"),
        tag("script", script, type="module"),
    )


def _contents(sections: dict[str, Html]) -> Html:
    entries = [tag("li", tag("a", CONTENTS[identifier], href=f"#{identifier}")) for identifier in sections]
    return tag("nav", tag("ol", entries), aria_label="Contents")


def _main(result: dict[str, Any], sections: dict[str, Html]) -> Html:
    header = tag("header", tag("h1", result["title"]), tag("p", "Evaluation of a text classifier", class_="kind"))
    message = tag("p", id="message", role="alert", hidden=True)
    no_script = tag(
        "noscript", tag("p", "Documents and thresholds need JavaScript; everything else is here.", class_="note")
    )
    return join(header, message, no_script, sections.values())


def _sections(result: dict[str, Any]) -> dict[str, Html | None]:
    """The sections by identifier, in order; None for those that have nothing to say."""
    figures = with_decisions(result, headline_figures(result))
    without_texts = (
        None if result["texts"] else note("This report was made without texts: it shows no document's words.")
    )
    return {
        "summary": section("summary", "Summary", figures, warnings(result), evaluated(result), without_texts),
        "look": section("look", "Where to look first", of_the_most_probable(result), where_to_look(result)),
        "confusion": confusion_section(result),
        "classes": classes_section(result),
        "pairs": pairs_section(result),
        "calibration": calibration_section(result),
        "thresholds": thresholds_section(result),
        "slices": slices_section(result),
        "words": words_section(result),
        "learning": learning_section(result),
        "comparison": comparison_section(result),
        "skipped": skipped_section(result),
    }


def payload(result: dict[str, Any]) -> str:
    """What the script needs, compressed, in base64: no text can end the element that it stands in.

    Two lone surrogates that a browser would read as one character are replaced, so that offsets keep their meaning.
    """
    documents = [
        document | {"text": SURROGATE_PAIR.sub("\ufffd\ufffd", document["text"])} if document["text"] else document
        for document in result["documents"]
    ]
    kept = {name: result[name] for name in PAYLOAD} | {"documents": documents}
    data = json.dumps(kept, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def _own_file(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")
