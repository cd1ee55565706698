"""The few places where scikit-learn's versions differ."""

from __future__ import annotations

from typing import Any

import scipy.sparse
import sklearn

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
