"""Another mix of classes than the one that probabilities assume: P'(c | x) ∝ P(c | x) · new_c / old_c.

What a class looks like stays; only how common it is has changed (Saerens, Latinne and Decaestecker 2002, eq. 2.4).
Without numpy: the fused scorer, too, takes its numbers from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log
from typing import Any

ROUNDING = 0.002  # that shares may miss 1 by, as three thirds of 0.333 do


def shares_of(prior: Any, classes: Sequence[Any]) -> tuple[float, ...]:
    """The share of each class in the order of the classes, from a dict of all of them, by label or by its name.

    Refused are shares that are no numbers from 0 to 1, that do not add up to 1, and those that leave only one of
    several classes: there is nothing to decide then.
    """
    if not isinstance(prior, Mapping):
        raise ValueError(f"prior must be a dict of every class to its share, got {prior!r:.60}")
    given = dict(prior)
    names = list(map(str, classes))
    unknown = [label for label in given if label not in classes and label not in names]
    if unknown:
        raise ValueError(f"prior: the model has no class {unknown[0]!r}; it has {_listed(classes)}")
    keys = [label if label in given else name for label, name in zip(classes, names, strict=True)]
    missing = [label for label, key in zip(classes, keys, strict=True) if key not in given]
    if missing:
        raise ValueError(f"prior: give the share of every class; {_listed(missing)} has none")
    shares = [_share(label, given[key]) for label, key in zip(classes, keys, strict=True)]
    total = sum(shares)
    if abs(total - 1) > ROUNDING:
        raise ValueError(f"prior: the shares of the classes must add up to 1, and are {total:g} together")
    if len(shares) > 1 and sum(share > 0 for share in shares) < 2:
        raise ValueError("prior: only one class has a share, so that there is nothing to decide: give others some, too")
    return tuple(share / total for share in shares)


def log_ratios(new: Sequence[float], old: Sequence[float], classes: Sequence[Any]) -> list[float]:
    """log(new_c / old_c) of each class; −∞ where the new mix has none of it."""
    impossible = [label for label, share, was in zip(classes, new, old, strict=True) if share > 0 and not was > 0]
    if impossible:
        raise ValueError(
            f"prior: the model takes {_listed(impossible)} for impossible, whatever a document says, and no other "
            "share can change that: give it 0, or fit a model that has seen it"
        )
    return [log(share) - log(was) if share > 0 else -inf for share, was in zip(new, old, strict=True)]


def _share(label: Any, value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = inf
    if isinstance(value, str) or not 0 <= share < inf:
        raise ValueError(f"prior: the share of {label!r} must be a number from 0 to 1, got {value!r:.60}")
    return share


def _listed(labels: Sequence[Any], most: int = 10) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(repr(str(label)) for label in labels[:most]) + more
