"""tf-idf with the idf of the last fit: a document has the same weights whenever it is learned or forgotten.

Each term has one integer: its document frequency at the fit times 4, plus two flags; 0 for a term that arrived later.
Weights are multiples of 2⁻⁴⁰, held as integers, so that sums are exact in any order of documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.text.weights import inverse_document_frequency, row_norms, weigh

UNIT = 2.0**-40
LEFT_OUT = 1  # the limits left it out at the fit: it does not count in the length of a document
SETTLED = 2  # it was known at the fit, and does not stand in for unknown words


@dataclass(frozen=True)
class Reference:
    """The number of documents at the fit, and of those with a word that counts as unknown."""

    n_documents: int
    unknown_frequency: int


def freeze(document_frequency: Array, left_out: Array, stand_in: Array) -> Array:
    """The integers of the terms of a fit."""
    return document_frequency * 4 + np.where(left_out, LEFT_OUT, 0) + np.where(stand_in, 0, SETTLED)


def stands_in(frozen: Array) -> Array:
    """Which terms count as unknown words too: some of those at the fit, and all that arrived later."""
    return (frozen & SETTLED) == 0


def frozen_idf(frozen: Array, reference: Reference) -> Array:
    return inverse_document_frequency(frozen >> 2, reference.n_documents, smooth=True)


def unknown_idf(reference: Reference) -> Array:
    """The idf of unknown words, (1,)."""
    return frozen_idf(np.array([reference.unknown_frequency * 4]), reference)


def weigh_frozen(
    rows: SparseRows, unknown: Array | None, frozen: Array, reference: Reference, *, sublinear_tf: bool, limited: bool
) -> tuple[SparseRows, Array]:
    """l2-normalised tf-idf in units of 2⁻⁴⁰, and that of each document's unknown words, (n,).

    Terms that the limits left out at the fit get weights too, but do not count in the norm. `limited`: whether the
    model has such terms.
    """
    idf = frozen_idf(frozen, reference)
    if unknown is not None:
        rows, idf = rows.append_column(unknown), np.append(idf, unknown_idf(reference))
    if limited:
        counted = np.append((frozen & LEFT_OUT) == 0, [True] * (unknown is not None))
        weighed = weigh(rows, idf=idf, sublinear_tf=sublinear_tf, norm=None)
        lengths = row_norms(weighed.with_data(weighed.data * counted[weighed.indices]), "l2")
        lengths[lengths == 0] = 1.0
        data = weighed.data / np.repeat(lengths, np.diff(rows.indptr))
    else:
        data = weigh(rows, idf=idf, sublinear_tf=sublinear_tf, norm="l2").data
    units = rows.with_data(np.rint(data / UNIT).astype(np.int64))
    if unknown is None:
        return units, np.zeros(rows.shape[0], dtype=np.int64)
    last = np.arange(rows.n_columns) == rows.n_columns - 1
    return units.select_columns(~last), units.select_columns(last).row_sums()
