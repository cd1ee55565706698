"""Class priors: learned, uniform or given."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.smoothing import safe_log


def class_log_prior(documents: Array, *, learned: bool = True, given: Any = None) -> Array:
    """log P(c): log of the priors given, or log(N_c / N) if learned, or −log K.

    Before anything is seen, what could be learned is uniform.
    """
    n_classes = len(documents)
    if given is not None:
        prior = np.asarray(given, dtype=np.float64)
        if prior.shape != (n_classes,):
            raise ValueError(f"Number of priors must match number of classes. Got {prior.size} for {n_classes}.")
        if not (prior >= 0).all():
            raise ValueError(f"Priors must be non-negative, got {prior.tolist()}.")
        if not prior.any() or np.isinf(prior).any():
            raise ValueError(f"Priors must be finite and not all zero, got {prior.tolist()}.")
        return safe_log(prior)
    seen = documents.sum()
    if learned and seen > 0:
        return safe_log(documents) - np.log(seen)
    return np.full(n_classes, -np.log(n_classes))
