"""What a choice is made by: measures of scores that documents got from models that had not seen them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from textnb.arrays import Array

Objective: TypeAlias = Literal["accuracy", "macro-f1", "log-loss", "auc", "caught"]
OBJECTIVES: tuple[str, ...] = get_args(Objective)
MOST_LOST = 0.01  # share of the rest, up to which "caught" looks


def check_objective(objective: Any) -> None:
    if objective is not None and objective not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, got {objective!r}")


def share_caught(log_odds: Array, positive: Array, most_lost: float = MOST_LOST) -> float:
    """The share of positive documents above a threshold, on average over thresholds that lose 0 to `most_lost` others.

    log_odds : (n,) of being positive
    positive : (n,) which documents are

    The area under the receiver operating characteristic up to a false positive rate, divided by that rate (McClish
    1989). Equal scores are one step, straight: none of them comes first.
    """
    order = np.argsort(-log_odds, kind="stable")
    scores, hits = log_odds[order], positive[order]
    last = np.append(scores[1:] != scores[:-1], True)  # of a run of equal scores
    caught, lost = (np.concatenate(([0.0], np.cumsum(found)[last] / max(found.sum(), 1))) for found in (hits, ~hits))
    within = lost <= most_lost
    rates = np.append(lost[within], most_lost)
    heights = np.append(caught[within], np.interp(most_lost, lost, caught))
    return float(np.sum(np.diff(rates) * (heights[1:] + heights[:-1])) / (2 * most_lost))


def macro_f1(predicted: Array, class_ids: Array, n_classes: int) -> float:
    """The mean over classes of 2 TP / (2 TP + FP + FN); a class that is neither there nor named counts 0."""
    right = np.bincount(class_ids[predicted == class_ids], minlength=n_classes)
    named, there = np.bincount(predicted, minlength=n_classes), np.bincount(class_ids, minlength=n_classes)
    return float(np.mean(2 * right / np.maximum(named + there, 1)))


def mean_auc(scores: Array, class_ids: Array) -> float:
    """The area under the receiver operating characteristic of each class against the rest, on average.

    scores : (n, K) log-odds of each class against the rest; of two classes, both areas are one
    """
    return float(np.mean([share_caught(scores[:, c], class_ids == c, 1.0) for c in range(scores.shape[1])]))
