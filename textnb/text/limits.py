"""Limits on the terms that become features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from textnb.arrays import Array


@dataclass(frozen=True)
class Limits:
    """Which terms to keep, by document frequency (a float is a share of the documents) and by rank."""

    min_df: float | int = 1
    max_df: float | int = 1.0
    max_features: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not (whole and value >= 1) and not (isinstance(value, float) and 0 <= value <= 1):
                raise ValueError(f"{name} must be a whole number from 1 or a float from 0.0 to 1.0, got {value!r}")
        if self.max_features is not None and not (isinstance(self.max_features, Integral) and self.max_features >= 1):
            raise ValueError(f"max_features must be a whole number from 1 or None, got {self.max_features!r}")

    @property
    def keep_everything(self) -> bool:
        at_defaults = (self.min_df, self.max_df, self.max_features) == (1, 1.0, None)
        return at_defaults and isinstance(self.min_df, Integral) and isinstance(self.max_df, float)

    def kept(self, document_frequency: Array, totals: Callable[[], Array], n_documents: int) -> Array:
        """The mask of the terms that stay; their totals are asked for only if they must be ranked."""
        low, high = (
            limit if isinstance(limit, Integral) else limit * n_documents for limit in (self.min_df, self.max_df)
        )
        if n_documents <= high < low:
            raise ValueError(f"min_df: no term is in {low:,g} of {n_documents:,} documents: lower it")
        if high < low:
            raise ValueError("max_df corresponds to < documents than min_df: raise max_df, or lower min_df")
        keep = (document_frequency >= low) & (document_frequency <= high)
        if self.max_features is not None and keep.sum() > self.max_features:
            # scikit-learn's own expression: among terms of equal count it decides which stay.
            most_frequent = (-totals()[keep]).argsort()[: self.max_features]
            candidates = np.flatnonzero(keep)
            keep = np.zeros_like(keep)
            keep[candidates[most_frequent]] = True
        if not keep.any():
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return keep
