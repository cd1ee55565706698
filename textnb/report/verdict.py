"""A verdict on a message as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb.report.safe import name

if TYPE_CHECKING:
    from textnb.workflow.checking import Verdict

DIGITS = range(3, 7)  # of a probability
LABEL = 60  # columns


def verdict_line(verdict: Verdict) -> str:
    """The label, the probability of the positive class, and its score: `spam; 0.998; score 6.2`."""
    label, probability = name(verdict.answer.label_text, LABEL), probability_text(verdict.probability)
    return f"{label}; {probability}; score {score_text(verdict.score)}"


def probability_text(probability: float) -> str:
    """Three digits, or up to six where fewer would read 0 or 1, which only the numbers 0 and 1 do."""
    for digits in DIGITS:
        text = f"{probability:.{digits}f}"
        if 0 < float(text) < 1 or probability in (0, 1):
            return text
    return "0.999999" if probability > 0.5 else "0.000001"


def score_text(score: float) -> str:
    """One digit after the point, and no sign before 0."""
    return f"{round(score, 1) + 0.0:.1f}"
