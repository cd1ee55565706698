"""What a model with a policy decided, beside what it held most probable."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.report.page.markup import Html, data_table, headline_figure, join, note, tag
from textnb.report.page.numbers import breakable, class_name, interval, percent
from textnb.report.tables import counted
from textnb.workflow.metrics import part_of_matrix

NAMED_COLUMNS = 6  # up to so many classes, columns have names; above, numbers
SHARES = ("caught", "lost", "unsure")


def of_the_most_probable(result: dict[str, Any]) -> Html | None:
    """What a section is of, where the model might have decided otherwise."""
    return None if result["decisions"] is None else note("Of the most probable class, not of the decisions.")


def with_decisions(result: dict[str, Any], figures: Html) -> Html:
    """The headline figures; where the model has a policy, what they are of, and the figures of its decisions."""
    decided = result["decisions"]
    if decided is None:
        return figures
    about = (
        "The model has a policy: by costs, a ceiling or doubt it may name another class than the most probable one, or "
        "none. Unless decisions are named, all of this page is of the most probable class."
    )
    first = tag("p", "Of the most probable class", class_="basis")
    return join(first, figures, tag("p", "Of the decisions", class_="basis"), _figures(decided), note(about))


def _figures(decided: dict[str, Any]) -> Html:
    matrix = np.array(decided["confusion_matrix"])
    n, right, unsure = int(matrix.sum()), int(np.trace(matrix)), int(matrix[:, -1].sum())
    wrong = n - right - unsure
    bounds = decided["accuracy_interval"]
    figures = [
        (
            "Decided rightly",
            f"{decided['accuracy']:.4f}",
            f"95 %: {interval(bounds, 4)}" if bounds else None,
            f"{right:,} of {n:,} documents got their true class.",
        ),
        ("Decided wrongly", f"{wrong / n:.4f}", None, f"{counted(wrong, 'document')} got another class."),
        ("Unsure", f"{unsure / n:.4f}", None, f"{counted(unsure, 'document')} got no class."),
        ("Average cost", f"{decided['average_cost']:.4f}", f"± {decided['cost_error']:.4f}", _cost_meaning(decided)),
    ]
    return tag("div", [headline_figure(*figure) for figure in figures], class_="figures")


def _cost_meaning(decided: dict[str, Any]) -> str:
    expected = decided.get("expected_cost")
    promised = "" if expected is None else f" The probabilities promised {expected:.4f}."
    return f"Per document, with its standard error.{promised}"


def decisions_matrix(result: dict[str, Any], shown: list[int]) -> Html | None:
    """True classes down; what was decided across, unsure last. Of the classes `shown`."""
    if result["decisions"] is None:
        return None
    classes = result["classes"]
    matrix = np.array(result["decisions"]["confusion_matrix"])
    support = matrix.sum(axis=1)
    part = part_of_matrix(matrix, np.array(shown))
    named = len(classes) <= NAMED_COLUMNS
    columns = [class_name(classes[c]) if named else str(c + 1) for c in shown]
    rows = [
        (
            join(None if named else f"{c + 1} ", breakable(classes[c])),
            *(f"{count:,}" if count else "·" for count in row),
            f"{total:,}",
        )
        for c, row, total in zip(shown, part.tolist(), support[shown].tolist(), strict=True)
    ]
    caption = "Confusion matrix of the decisions: true classes down, decided classes across"
    table = data_table(caption, ("true class", *columns, "unsure", "all"), rows)
    return join(tag("h3", "Matrix of the decisions", class_="next"), table)


def decided_classes(result: dict[str, Any]) -> Html | None:
    """The shares of each class that were named as it, named otherwise, and left unsure."""
    if result["decisions"] is None:
        return None
    rows = [
        (class_name(row["class"]), *(percent(row[share], 2) for share in SHARES), f"{row['support']:,}")
        for row in result["decisions"]["per_class"]
    ]
    caption = "Decisions: the share of each class that was caught, lost and left unsure"
    table = data_table(caption, ("class", *SHARES, "support"), rows)
    return join(tag("h3", "Decisions", class_="next"), table)
