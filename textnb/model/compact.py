"""A text model as a compact file: only what prediction needs, in narrow types. It cannot learn, forget or be merged.

It has the arrays of format 3 limited to the terms that are features, without document frequencies, ledger, and index of
terms by hash. The ids of words within n-grams take 16 bits where there are fewer than 65,536 words.

Totals that are counts are exact, and so are the scores. Totals of tf-idf are rounded to 11 significant bits (half
precision, or single where that has too small a range): a relative error of at most 2⁻¹¹ of each. On 20 Newsgroups,
with words and pairs in two documents or more, a complement model of log-tfidf and a multinomial model of tf-idf decide
all 7,532 test documents as before; no score moves by more than 6 millionths of itself, and no probability by more than
0.0005. The weights of a model that was fitted to documents are stored as they are, without its counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.model.derive import Derivation, derive
from textnb.model.file import content
from textnb.model.learner import Learner
from textnb.model.settings import Fitted, lowest_reader
from textnb.model.stored import WEIGHTS, narrow, totals_arrays
from textnb.storage import write_model
from textnb.text.frozen import UNIT
from textnb.text.ngram_terms import compact_arrays

_PRECISION = 2.0**-11
_NEEDED = ("documents", "log_prior", "by_class", "intercept", "scale", "required", "unknown_totals")


def write_compact(path: Any, learner: Learner, fitted: Fitted, derivation: Derivation | None = None) -> int:
    """Write a compact file, and say how many bytes it has; the same counts give the same bytes."""
    arrays, settings = compact_content(learner, fitted, derivation)
    return write_model(path, arrays, settings, reader=lowest_reader(settings))


def compact_content(
    learner: Learner, fitted: Fitted, derivation: Derivation | None = None
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a compact file."""
    derivation = derive(learner) if derivation is None else derivation
    everything, settings = content(learner, fitted, derivation)
    if learner.rule is not None:
        return _without_counts(learner, everything), settings | {"compact": True}
    counts, kept = learner.counts, np.flatnonzero(derivation.keep)
    totals = counts.totals.take_rows(kept)
    if learner.recipe.is_tfidf:
        totals = totals.with_data(shortened(totals.data * UNIT))
    arrays = {name: everything[name] for name in _NEEDED if name in everything}
    arrays |= compact_arrays(counts.terms.select(derivation.keep))
    arrays |= {name: narrow(arrays[name]) for name in ("offsets", "ngram_starts") if name in arrays}
    arrays |= totals_arrays(totals)
    if learner.recipe.is_tfidf:
        arrays["frozen"] = narrow(counts.frozen[kept])
    return arrays, settings | {"compact": True}


def _without_counts(learner: Learner, everything: dict[str, Array]) -> dict[str, Array]:
    """The arrays of a model that was fitted to documents, all of whose terms are features."""
    arrays = {name: everything[name] for name in (WEIGHTS, "intercept", "log_prior", "documents")}
    arrays |= compact_arrays(learner.counts.terms)
    arrays |= {name: narrow(arrays[name]) for name in ("offsets", "ngram_starts") if name in arrays}
    return arrays | ({"frozen": everything["frozen"]} if learner.recipe.is_tfidf else {})


def shortened(totals: Array) -> Array:
    """Positive numbers in half precision; in single precision if one would lose more than 2⁻¹¹ of itself."""
    with np.errstate(over="ignore"):
        half = totals.astype(np.float16)
    is_close = np.abs(half.astype(np.float64) - totals) <= _PRECISION * totals
    return half if is_close.all() else totals.astype(np.float32)
