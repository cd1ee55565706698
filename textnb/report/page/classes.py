"""The confusion matrix, the table of classes and the most confused pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.report.page.decisions import NAMED_COLUMNS, decided_classes, decisions_matrix, of_the_most_probable
from textnb.report.page.markup import Html, note, scroll_box, section, tag
from textnb.report.page.numbers import breakable, class_name, decimal, percent, signed, weighted_terms, with_interval
from textnb.report.tables import counted
from textnb.workflow.metrics import most_confused_classes

MATRIX_CLASSES = 60  # larger matrices are cut to the most confused classes


def confusion_section(result: dict[str, Any]) -> Html:
    """The matrix of buttons, and the panel that lists the documents of a cell."""
    n_classes = len(result["classes"])
    matrix = np.array(result["evaluation"]["confusion_matrix"])
    shown, cut = _shown_classes(matrix)
    about = (
        "True classes down, predicted classes across; darker cells hold a larger share of their row. "
        "A cell opens its documents: errors surest first, on the diagonal least sure first."
    )
    keys = tag("p", "Arrow keys move between cells, Enter opens one.", class_="note keys", id="matrix-keys")
    panel = tag(
        "div",
        tag("h3", "Documents of a cell", id="cell-title", aria_live="polite"),
        tag("p", "Choose a cell of the matrix to list its documents.", class_="about", id="cell-about"),
        tag("ol", class_="documents", id="cell-list", hidden=True),
        id="cell-documents",
        class_="panel",
        role="region",
        aria_label="Documents of the chosen cell",
    )
    layout = "matrix-layout" if n_classes > NAMED_COLUMNS else "matrix-layout beside"
    left = tag("div", _matrix(result, matrix, shown), keys)
    both = tag("div", left, panel, class_=layout)
    return section(
        "confusion",
        "Confusion matrix",
        of_the_most_probable(result),
        tag("p", about),
        note(cut) if cut else None,
        both,
        decisions_matrix(result, shown),
    )


def _shown_classes(matrix: np.ndarray) -> tuple[list[int], str | None]:
    """The classes of the matrix, and what to say where they are not all."""
    n_classes = len(matrix)
    if n_classes <= MATRIX_CLASSES:
        return list(range(n_classes)), None
    shown = most_confused_classes(matrix, MATRIX_CLASSES).tolist()
    if not shown:
        cut = f"No class was taken for another. Shown are the first {MATRIX_CLASSES} of {n_classes:,} classes."
        return list(range(MATRIX_CLASSES)), cut
    if len(shown) < MATRIX_CLASSES:
        return shown, f"Shown are the {len(shown)} of {n_classes:,} classes that were confused with one another."
    return shown, f"Shown are the {len(shown)} most confused of {n_classes:,} classes."


def _matrix(result: dict[str, Any], matrix: np.ndarray, shown: list[int]) -> Html:
    named = len(result["classes"]) <= NAMED_COLUMNS
    support = matrix.sum(axis=1)
    head = [tag("th", class_name(result["classes"][c]) if named else c + 1, scope="col", data_class=c) for c in shown]
    focus = _first_focus(matrix, shown)
    rows = [
        tag(
            "tr",
            tag("th", None if named else tag("span", c + 1, class_="no"), breakable(result["classes"][c]), scope="row"),
            [_cell(int(matrix[c, d]), int(support[c]), c == d, (c, d) == focus) for d in shown],
            tag("td", f"{support[c]:,}", class_="support"),
            data_class=c,
        )
        for c in shown
    ]
    corner = tag("th", "true ↓ predicted →", scope="col", class_="corner")
    header = tag("thead", tag("tr", corner, head, tag("th", "all", scope="col", class_="support")))
    table = tag("table", header, tag("tbody", rows), role="grid", aria_label="Confusion matrix", id="matrix")
    return tag("div", table, class_="matrix" if named else "matrix many")


def _first_focus(matrix: np.ndarray, shown: list[int]) -> tuple[int, int]:
    """Where the keyboard enters the matrix: the largest error, or the first cell."""
    errors = [(-int(matrix[c, d]), c, d) for c in shown for d in shown if c != d and matrix[c, d]]
    return min(errors)[1:] if errors else (shown[0], shown[0])


def _cell(count: int, support: int, is_right: bool, is_entry: bool) -> Html:
    """A cell; the shade grows with the root of the share of its row, so that few errors are seen too."""
    kind = None if not count else "right" if is_right else "wrong"
    shade = f"--s:{(count / support) ** 0.5:.2f}" if count else None
    button = tag("button", f"{count:,}" if count else "·", tabindex="0" if is_entry else "-1")
    return tag("td", button, class_=kind, style=shade)


def classes_section(result: dict[str, Any]) -> Html:
    """Precision, recall, F1 and support of each class, and what became of each where the model has a policy."""
    head = ("", "class", "precision", "recall", "F1", "support")
    headers = [
        tag(
            "th",
            tag("button", title, type="button") if title else tag("button", "no.", type="button"),
            scope="col",
            aria_sort="ascending" if position == 0 else "none",
            class_=None if position == 1 else "number",
        )
        for position, title in enumerate(head)
    ]
    rows = [_class_row(number, row) for number, row in enumerate(result["evaluation"]["per_class"], 1)]
    caption = "Precision, recall (with 95 % intervals), F1 and support of each class"
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", headers)),
        tag("tbody", rows),
        class_="sortable",
    )
    about = (
        "Precision: how many of the documents named so are of the class. Recall: how many of the class were named so. "
        "F1: their harmonic mean. A column's heading sorts by it."
    )
    return section(
        "classes",
        "Classes",
        of_the_most_probable(result),
        tag("p", about),
        scroll_box(caption, table),
        decided_classes(result),
    )


def _class_row(number: int, row: dict[str, Any]) -> Html:
    figures = [
        tag("td", with_interval(row[key], row.get(f"{key}_interval")), class_="number", data_value=repr(row[key]))
        for key in ("precision", "recall")
    ]
    return tag(
        "tr",
        tag("td", number, class_="number", data_value=number),
        tag("th", breakable(row["class"]), scope="row"),
        figures,
        tag("td", decimal(row["f1"]), class_="number", data_value=repr(row["f1"])),
        tag("td", f"{row['support']:,}", class_="number", data_value=row["support"]),
    )


def pairs_section(result: dict[str, Any]) -> Html:
    """The most confused pairs with the words that mislead."""
    pairs = result["confused_pairs"]
    if not pairs:
        return section("pairs", "Most confused pairs", note("No class was taken for another."))
    about = "Words that speak for the wrong class in these documents, with what they add (log-odds, all occurrences)."
    if not result["texts"]:
        about = "This report was made without texts, so the words that mislead are left out."
    listed = tag("ol", [_pair(result["classes"], pair) for pair in pairs], class_="pairs")
    return section("pairs", "Most confused pairs", of_the_most_probable(result), tag("p", about), listed)


def _pair(classes: list[Any], pair: dict[str, Any]) -> Html:
    """Two classes, a button that opens their cell of the matrix, and words."""
    true, predicted = (tag("b", class_name(classes[pair[key]])) for key in ("true", "predicted"))
    opens = {"data_true": pair["true"], "data_predicted": pair["predicted"]}
    documents = tag("button", counted(pair["count"], "document"), type="button", class_="link", **opens)
    words = weighted_terms((word, signed(added, 1)) for word, added, _ in pair["words"])
    share = tag("span", f", {percent(pair['share'])} of the class", class_="about")
    return tag(
        "li",
        tag("p", true, " taken for ", predicted),
        tag("p", documents, share),
        tag("p", words, class_="words") if pair["words"] else None,
    )
