"""The few places where scikit-learn's versions differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
import sklearn
from sklearn.utils.validation import validate_data

from textnb.arrays import SparseRows


def to_public_csr(rows: SparseRows) -> Any:
    """The rows as a scipy matrix of the kind that scikit-learn's configuration asks for."""
    return _public_container()((rows.data, rows.indices, rows.indptr), shape=rows.shape)


def as_public(X: Any) -> Any:
    """A CSR matrix as csr_array or csr_matrix, whichever is asked for."""
    container = _public_container()
    return X if type(X) is container else container(X)


def _public_container() -> Any:
    """csr_matrix before there was a choice."""
    wants_array = sklearn.get_config().get("sparse_interface") == "sparray"
    return scipy.sparse.csr_array if wants_array else scipy.sparse.csr_matrix


def is_sparse(X: Any) -> bool:
    """Whether X is a scipy sparse matrix or array."""
    return scipy.sparse.issparse(X)


def from_csr(X: Any) -> SparseRows:
    """The parts of a scipy CSR matrix, not copied."""
    return SparseRows(X.indptr, X.indices, X.data, X.shape[1])


def validate_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """scikit-learn's `validate_data`, for sparse matrices too whose arrays anybody may have set."""
    check_structure(X)
    return validate_data(estimator, X, y, accept_sparse="csr", **options)


def check_structure(X: Any) -> None:
    """Refuse a sparse matrix with an index outside it: scipy would read, and write, past the end of its arrays."""
    kind = getattr(X, "format", None) if is_sparse(X) else None
    if kind == "coo":
        within = all(_are_within(at, size) for at, size in zip((X.row, X.col), X.shape, strict=True))
    elif kind in ("csr", "csc"):
        n_lines, width = X.shape if kind == "csr" else X.shape[::-1]
        ends = X.indptr
        within = len(ends) == n_lines + 1 and ends[0] == 0 and bool((ends[1:] >= ends[:-1]).all())
        within = within and ends[-1] <= min(len(X.indices), len(X.data)) and _are_within(X.indices[: ends[-1]], width)
    else:
        return
    if not within:
        raise ValueError(f"X is a sparse matrix of shape {X.shape}, and has an index outside it: build it anew")


def _are_within(positions: Any, size: int) -> bool:
    return not len(positions) or bool(np.min(positions) >= 0 and np.max(positions) < size)
