"""Small reports as `to_json()` gives them, with hostile texts and names, and what they were counted from."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

HOSTILE_CLASS = "<img src=x onerror=alert(1)>\u202e"
HOSTILE_TEXT = (
    "</script><script>alert(1)</script> <b onclick=alert(1)>&amp;\x1b[31m\u202egpj.exe\u2066 \ud800 zero\u200bwidth"
)
HOSTILE_WHERE = "mail/<svg onload=alert(2)>\n\u202e.eml"
HOSTILE_WORD = "<i>\u200b"
LONG_WORD = "a" + 4998 * "b" + "c"
WEIGHTS = {"free": 2.5, "win": 1.75, "prize": 1.25, "lunch": -2.0, "tomorrow": -1.5, "thanks": -1.0, "the": 0.125}
OPENINGS = ["", "👍 ", "שלום \u202e ", "line one\nline two\t", "e\u0301 👩\u200d👩 "]


@dataclass(frozen=True)
class Sample:
    """A report, and for each tested document its true class and its probabilities."""

    report: dict[str, Any]
    true: list[int]
    probabilities: list[list[float]]

    @property
    def predicted(self) -> list[int]:
        return [row.index(max(row)) for row in self.probabilities]

    def outcomes(self, chosen: int, upper: float, lower: float) -> dict[str, int]:
        """Counted document by document: named from `upper` on, unsure from `lower` on."""
        counts = dict.fromkeys(["tp", "fp", "fn", "tn", "unsure-positive", "unsure-negative"], 0)
        for true, row in zip(self.true, self.probabilities, strict=True):
            of_class = true == chosen
            if row[chosen] >= upper:
                counts["tp" if of_class else "fp"] += 1
            elif row[chosen] >= lower:
                counts["unsure-positive" if of_class else "unsure-negative"] += 1
            else:
                counts["fn" if of_class else "tn"] += 1
        return counts


def two_classes(**changes: Any) -> Sample:
    return sample(["ham", "spam"], 60, **changes)


def three_classes(**changes: Any) -> Sample:
    """One class has a hostile name; there is a second model, and documents were skipped."""
    return sample(["ham", HOSTILE_CLASS, "spam"], 90, compared=True, **changes)


def many_classes(**changes: Any) -> Sample:
    return sample([f"group.{number:02d}.of.many" for number in range(20)], 300, **changes)


def decided_classes(**changes: Any) -> Sample:
    """A model with a policy: below a probability of 0.6 it names no class."""
    made = three_classes(**changes)
    made.report["decisions"] = _decisions(made)
    return made


def long_words() -> Sample:
    """A word of 5,000 characters, and one with a blank at its end, wherever words are shown."""
    made = three_classes()
    report = made.report
    long, blank = LONG_WORD, "ear "
    report["top_words"] = [[[long, 2.25], [blank, 1.0], [long, 0.5]] for _ in report["classes"]]
    report["confused_pairs"][0]["words"] = [[long, 1.5, 3], [blank, 1.0, 2]]
    for document in report["documents"]:
        document["text"], document["marks"] = f"{long} {document['text']}", [[0, len(long), 2.0]]
        document["rows"] = [[long, 3, 2.0, "term"], [blank, 1, 1.0, "term"], *document["rows"]]
        document["log_odds"] += 3.0
        document["flip"] = {"words": [long, blank], "label": document["true"]}
    return made


def _decisions(made: Sample) -> dict[str, Any]:
    classes, n = made.report["classes"], len(made.true)
    matrix = [[0] * (len(classes) + 1) for _ in classes]
    for true, row in zip(made.true, made.probabilities, strict=True):
        matrix[true][row.index(max(row)) if max(row) >= 0.6 else -1] += 1
    right, unsure = sum(row[c] for c, row in enumerate(matrix)), sum(row[-1] for row in matrix)
    per_class = [
        {
            "class": label,
            "caught": row[c] / sum(row),
            "lost": (sum(row) - row[c] - row[-1]) / sum(row),
            "unsure": row[-1] / sum(row),
            "support": sum(row),
        }
        for c, (label, row) in enumerate(zip(classes, matrix, strict=True))
    ]
    costs = {"average_cost": 0.25, "cost_error": 0.0125, "expected_cost": 0.1875, "unsure": unsure / n, "n": n}
    rate = {"false_positive_rate": None, "false_positive_interval": None, "protected": None}
    accuracy = {"accuracy": right / n, "accuracy_interval": [right / n - 0.05, right / n + 0.05]}
    return {**costs, **rate, **accuracy, "per_class": per_class, "confusion_matrix": matrix}


def sample(classes: list[str], n: int, texts: bool = True, compared: bool = False) -> Sample:
    draw = random.Random(len(classes))
    true = [draw.randrange(len(classes)) for _ in range(n)]
    probabilities = [_probabilities(draw, label, len(classes)) for label in true]
    predicted = [row.index(max(row)) for row in probabilities]
    documents = [
        _document(draw, number, true[number], predicted[number], probabilities[number], texts) for number in range(n)
    ]
    wrong = sorted((i for i in range(n) if true[i] != predicted[i]), key=lambda i: -max(probabilities[i]))
    matrix = [[0] * len(classes) for _ in classes]
    for c, d in zip(true, predicted, strict=True):
        matrix[c][d] += 1
    right = n - len(wrong)
    report = {
        "title": f"sample <{len(classes)}>: made up",
        "model": {
            "file": "model.tnb",
            "settings": {"model": "multinomial", "alpha": 0.5, "ngrams": [1, 2]},
            "n_documents": 200,
            "n_terms": 1234,
            "calibrated": True,
        },
        "corpus": "sample",
        "edition": "made up",
        "evaluated_on": "test part",
        "n": n,
        "n_train": 200,
        "n_learned_skipped": 3,
        "n_learned_tested": 0,
        "classes": classes,
        "evaluation": {
            "classes": classes,
            "n": n,
            "accuracy": right / n,
            "accuracy_interval": [right / n - 0.05, min(1.0, right / n + 0.05)],
            "macro_f1": 0.8125,
            "auc": 0.9375 if len(classes) == 2 else None,
            "log_loss": 0.3125,
            "ece": 0.0625,
            "per_class": [_class_row(label, c, matrix) for c, label in enumerate(classes)],
            "confusion_matrix": matrix,
            "reliability": [{"count": n // 3, "confidence": p, "accuracy": p - 0.05} for p in (0.6, 0.8, 0.95)],
        },
        "raw_reliability": [{"count": n // 3, "confidence": p, "accuracy": p - 0.2} for p in (0.7, 0.9, 0.99)],
        "confidence_histogram": [0] * 10 + [2, 3, 5, 3, 4, 8, 9, 12, 10, n - 56],
        "decisions": None,
        "texts": texts,
        "documents": documents,
        "cells": _cells(true, predicted, probabilities),
        "confident_errors": wrong[:10],
        "suspected_labels": [{"document": i, "suggested": predicted[i], "margin": 3.5} for i in wrong[:4]],
        "near_duplicates": {
            "n_pairs": 2,
            "n_with_learned": 1,
            "n_other_class": 1,
            "accuracy_without": 0.75,
            "pairs": [
                _pair(0, 1, documents[1]["where"], classes[true[1]], False),
                _pair(2, None, HOSTILE_WHERE, classes[-1], True),
            ],
        },
        "confused_pairs": [
            {"true": 0, "predicted": 1, "count": matrix[0][1], "share": 0.1, "words": _words(texts, [1.5, 3])},
        ],
        "thresholds": [_thresholds(c, true, probabilities) for c in range(len(classes))],
        "slices": [
            {"by": "length", "name": "up to 5 words", "n": 20, "accuracy": 0.8, "interval": [0.58, 0.92]},
            {"by": "length", "name": "longer", "n": n - 20, "accuracy": 0.9, "interval": [0.8, 0.95]},
            *({"by": "class", "name": c, "n": 9, "accuracy": 0.5, "interval": [0.2, 0.8]} for c in classes),
        ],
        "top_words": [_words(texts, [2.25]) for _ in classes] if texts else [[] for _ in classes],
        "learning_curve": {
            "points": [{"n": m, "accuracy": a, "interval": [a - 0.1, a + 0.05]} for m, a in ((50, 0.7), (200, 0.85))],
            "why_not": None,
        },
        "comparison": _comparison(classes, true, predicted) if compared else None,
        "skipped": [{"where": HOSTILE_WHERE, "why": "not a text: \x1b[2J"}] if compared else [],
    }
    return Sample(report, true, probabilities)


def _probabilities(draw: random.Random, label: int, n_classes: int) -> list[float]:
    weights = [draw.random() + (2.0 * (c == label) if draw.random() < 0.8 else 0) for c in range(n_classes)]
    return [weight / math.fsum(weights) for weight in weights]


def _document(
    draw: random.Random, number: int, true: int, predicted: int, row: list[float], texts: bool
) -> dict[str, Any]:
    text, marks, counts = draw.choice(OPENINGS), [], dict.fromkeys(WEIGHTS, 0)
    for word in draw.choices(list(WEIGHTS), k=draw.randrange(2, 12)):
        counts[word] += 1
        marks.append([len(text), len(text) + len(word), WEIGHTS[word]])
        text += word + draw.choice([" ", ", ", "\n"])
    if number % 5 == 0:
        text += HOSTILE_TEXT
    rows = [[word, n, n * WEIGHTS[word], "term"] for word, n in counts.items() if n]
    rows.append(["prior", None, -0.5, "prior"])
    if number % 5 == 0:
        rows.append([HOSTILE_WORD, 1, 0.25, "term"])
    if number % 6 == 0:
        rows.append(["size = 1,024", None, 0.375, "value"])
    runner_up = max((c for c in range(len(row)) if c != predicted), key=row.__getitem__)
    shown = {
        "where": HOSTILE_WHERE if number % 7 == 0 else f"test.csv:{number + 2}",
        "true": true,
        "predicted": predicted,
        "probability": row[predicted],
        "true_probability": row[true],
        "n_words": sum(counts.values()),
        "unknown_share": 0.25,
        "title": None,
        "text": text,
        "is_cut": number % 4 == 0,
        "label": predicted,
        "against": true if true != predicted else runner_up,
        "log_odds": math.fsum(contribution for _, _, contribution, _ in rows) + 0.125,
        "rows": sorted(rows, key=lambda row: -abs(row[2])),
        "rest": [3, 0.125],
        "marks": marks,
    }
    if number % 3:  # of the others it was not sought
        shown["flip"] = {"words": ["win", HOSTILE_WORD], "label": runner_up} if number % 3 == 1 else None
    if texts:
        return shown
    prior = [row for row in rows if row[3] == "prior"]
    rest = [len(rows) + 2, shown["log_odds"] + 0.5]
    shown.pop("flip", None)
    return shown | {"text": None, "rows": prior, "rest": rest, "marks": []}


def _class_row(label: str, c: int, matrix: list[list[int]]) -> dict[str, Any]:
    named, support = sum(row[c] for row in matrix), sum(matrix[c])
    precision, recall = matrix[c][c] / max(named, 1), matrix[c][c] / max(support, 1)
    f1 = 2 * precision * recall / (precision + recall or 1)
    row = {"class": label, "precision": precision, "recall": recall, "f1": f1, "support": support}
    return row | {"precision_interval": [precision / 2, precision], "recall_interval": [recall / 2, recall]}


def _cells(true: list[int], predicted: list[int], probabilities: list[list[float]]) -> list[list[Any]]:
    cells: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(zip(true, predicted, strict=True)):
        cells.setdefault(pair, []).append(number)
    return [
        [c, d, len(found), sorted(found, key=lambda i: max(probabilities[i]) * (1 if c == d else -1))]
        for (c, d), found in sorted(cells.items())
    ]


def _thresholds(chosen: int, true: list[int], probabilities: list[list[float]]) -> dict[str, Any]:
    found = [(row[chosen], label == chosen) for label, row in zip(true, probabilities, strict=True)]
    points = [
        [at, sum(p >= at and is_it for p, is_it in found), sum(p >= at and not is_it for p, is_it in found)]
        for at in sorted({0.5, *(p for p, _ in found)})
    ]
    positive = sum(is_it for _, is_it in found)
    return {"class": chosen, "n_positive": positive, "n_negative": len(true) - positive, "points": points}


def _pair(first: int, second: int | None, where: str, label: str, is_learned: bool) -> dict[str, Any]:
    labelled = {"second_where": where, "second_label": label, "is_learned": is_learned, "similarity": 0.96}
    return {"first": first, "second": second, **labelled}


def _words(texts: bool, figures: list[float]) -> list[list[Any]]:
    return [[word, *figures] for word in ("free", HOSTILE_WORD, "prize")] if texts else []


def _comparison(classes: list[str], true: list[int], predicted: list[int]) -> dict[str, Any]:
    return {
        "file": HOSTILE_WHERE,
        "settings": {"model": "complement", "alpha": 1.0},
        "accuracy": 0.75,
        "accuracy_interval": [0.65, 0.83],
        "macro_f1": 0.7,
        "difference": -0.0625,
        "difference_interval": [-0.12, -0.01],
        "both_right": 60,
        "only_first": 11,
        "only_second": 5,
        "both_wrong": 14,
        "p_value": 0.021,
        "per_class": [[c, 0.8, 0.75] for c in range(len(classes))],
        "classes": classes,
        "documents": [
            {"document": i, "other": (predicted[i] + 1) % len(classes), "other_probability": 0.625} for i in (3, 8, 13)
        ],
    }
