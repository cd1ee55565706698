"""Arrays of a model file: counts in narrow types, checked when they are read, as a whole or as they are touched.

Totals are sparse. In the order of the terms, `totals_lengths` of each are in `totals`, and their classes, ascending, in
`totals_classes`. `totals_starts` says where the entries of every 64th term begin, so that those of any term are found
without reading all lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from textnb.arrays import Array, SparseRows, ranges
from textnb.storage import ModelFileError
from textnb.text.frozen import Reference, frozen_idf, unknown_idf
from textnb.text.terms import SearchableArray, TermTable

_STRIDE = 64
WEIGHTS = "weights"  # of a rule that is fitted to documents, (V, K)


class ArrayFile(Protocol):
    """What is read of a model file, or of a part of one that has arrays of its own."""

    @property
    def names(self) -> Any: ...
    def array(self, name: str) -> Array: ...
    def damaged(self, what: str) -> ModelFileError: ...


class LazyFile(ArrayFile, Protocol):
    def lazy(self, name: str) -> SearchableArray: ...


def narrow(counts: Array) -> Array:
    """Integers in the narrowest unsigned type that holds them; floats as they are."""
    if counts.dtype.kind not in "iu":
        return counts
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def term_arrays(terms: TermTable) -> dict[str, Array]:
    """Terms as a file holds them."""
    return {
        name: narrow(array) if name in ("offsets", "ngram_starts") else array
        for name, array in terms.arrays().items()  # type: ignore[attr-defined]
    }


def totals_arrays(totals: SparseRows) -> dict[str, Array]:
    """Canonical totals (V, K) as a file holds them."""
    return {
        "totals": narrow(totals.data),
        "totals_classes": narrow(totals.indices),
        "totals_lengths": narrow(np.diff(totals.indptr)),
        "totals_starts": narrow(totals.indptr[:-1:_STRIDE]),
    }


def read_totals(file: ArrayFile, n_terms: int, n_classes: int, *, starts: bool = True) -> SparseRows:
    """All totals, checked; files of format 2 have no `starts`."""
    lengths = read_counts(file, "totals_lengths", (n_terms,))
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    n = (int(indptr[-1]),)
    if lengths.max(initial=0) > n_classes or n != file.array("totals").shape:
        raise file.damaged("array 'totals_lengths' does not divide its totals")
    values = read_counts(file, "totals", n, floats=True)
    classes = read_counts(file, "totals_classes", n)
    if starts:
        stated = read_counts(file, "totals_starts", (-(-n_terms // _STRIDE),))
        if not np.array_equal(stated, indptr[:-1:_STRIDE]):
            raise file.damaged("array 'totals_starts' does not fit its lengths")
    totals = SparseRows(indptr, classes, values, n_classes)
    _check_entries(file, totals)
    return totals


def _check_entries(file: ArrayFile, totals: SparseRows) -> None:
    """Refuse entries that no sum of counts can have."""
    classes, values = totals.indices, totals.data
    if not values.size:
        return
    if not (classes.min() >= 0 and classes.max() < totals.n_columns):
        raise file.damaged("array 'totals_classes' has classes that are not there")
    ascending = np.empty(len(classes) + 1, dtype=bool)
    np.greater(classes[1:], classes[:-1], out=ascending[1:-1])
    ascending[totals.indptr] = True
    if not ascending.all():
        raise file.damaged("array 'totals_classes' has a class twice, or out of order")
    if not (values.min() > 0 and values.max() < np.inf):  # NaN is neither
        raise file.damaged("array 'totals' has totals that are 0, negative or infinite")


def read_counts(file: ArrayFile, name: str, shape: tuple[int, ...], *, floats: bool = False) -> Array:
    """Counts of that shape, in 64 bits; of integers or, where documents may have weights, of floats."""
    array = file.array(name)
    right = array.dtype.kind in "iu" or (floats and array.dtype == np.float64)
    if not right or array.shape != shape:
        raise file.damaged(f"array {name!r} is {array.dtype} of shape {array.shape}, not counts of shape {shape}")
    if array.size and not (array.min() >= 0 and array.max() < (np.inf if array.dtype.kind == "f" else 2**62)):
        raise file.damaged(f"array {name!r} has negative or infinite counts")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=False)


def read_floats(file: ArrayFile, name: str, shape: tuple[int, ...]) -> Array:
    """Finite numbers of that shape."""
    array = file.array(name)
    check_form(file, name, array, shape, "<f8")
    if not np.isfinite(array).all():
        raise file.damaged(f"array {name!r} has values that are no finite numbers")
    return array


def read_log_prior(file: ArrayFile, n_classes: int) -> Array:
    """Logarithms of probabilities; −∞ is that of a class without documents."""
    array = file.array("log_prior")
    check_form(file, "log_prior", array, (n_classes,), "<f8")
    if not np.isfinite(np.exp(array)).all() or np.isneginf(array).all():
        raise file.damaged("array 'log_prior' has values that are no logarithms of probabilities")
    return array


def check_form(file: ArrayFile, name: str, array: Any, shape: tuple[int, ...], dtype: str) -> None:
    if tuple(array.shape) != shape or array.dtype != np.dtype(dtype):
        raise file.damaged(f"array {name!r} is {array.dtype} of shape {tuple(array.shape)}, not {dtype} of {shape}")


@contextmanager
def as_damaged_file_error(file: ArrayFile, what: str) -> Iterator[None]:
    """Whatever is not accepted is damage of the file."""
    try:
        yield
    except ModelFileError:
        raise
    except (TypeError, ValueError, OverflowError, KeyError, AttributeError) as error:
        raise file.damaged(f"{what} ({str(error).rstrip('.')})") from None


@dataclass(frozen=True, eq=False)
class TouchedTotals:
    """The totals of some terms, read when they are asked for; the id after the last term is that of `<UNK>`."""

    file: LazyFile
    n_terms: int
    unknown: Array | None  # (K,)
    n_classes: int
    unit: float | None

    def __post_init__(self) -> None:
        values, classes = self.file.lazy("totals"), self.file.lazy("totals_classes")
        if len(values.shape) != 1 or classes.shape != values.shape:
            raise self.file.damaged("array 'totals_classes' does not fit its totals")
        if self.file.lazy("totals_lengths").shape != (self.n_terms,):
            raise self.file.damaged("array 'totals_lengths' does not fit its terms")
        if self.file.lazy("totals_starts").shape != (-(-self.n_terms // _STRIDE),):
            raise self.file.damaged("array 'totals_starts' does not fit its terms")
        for name in ("totals_classes", "totals_lengths", "totals_starts"):
            if self.file.lazy(name).dtype.kind != "u":
                raise self.file.damaged(f"array {name!r} is {self.file.lazy(name).dtype}")
        if values.dtype.kind not in "uf":
            raise self.file.damaged(f"array 'totals' is {values.dtype}")

    def __call__(self, ids: Array) -> SparseRows:
        """(n, K), of ascending ids."""
        known = ids[ids < self.n_terms]
        starts, lengths = self._extents(known)
        entries = ranges(starts, lengths)
        values, classes = (np.asarray(self.file.lazy(name)[entries]) for name in ("totals", "totals_classes"))
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        totals = SparseRows(indptr, classes.astype(np.int64), _wide(values, self.unit), self.n_classes)
        _check_entries(self.file, totals)
        if len(known) < len(ids):
            assert self.unknown is not None
            totals = totals.append_row(self.unknown)
        return totals if self.unit is None else totals.with_data(totals.data * self.unit)

    def _extents(self, ids: Array) -> tuple[Array, Array]:
        """Where the entries of each term begin, and how many there are: from the start of its block of 64 terms."""
        blocks, which = np.unique(ids // _STRIDE, return_inverse=True)
        within = np.arange(_STRIDE)
        places = blocks[:, np.newaxis] * _STRIDE + within
        lengths = np.asarray(self.file.lazy("totals_lengths")[np.minimum(places, max(self.n_terms - 1, 0))])
        if lengths.max(initial=0) > self.n_classes:
            raise self.file.damaged("array 'totals_lengths' has more totals of a term than there are classes")
        lengths = lengths.astype(np.int64)
        starts = np.asarray(self.file.lazy("totals_starts")[blocks]).astype(np.int64)
        before = starts[:, np.newaxis] + np.cumsum(lengths, axis=1) - lengths
        at = which.reshape(-1), ids % _STRIDE
        starts, lengths = before[at], lengths[at]
        if lengths.sum() > len(self.file.lazy("totals")):  # or a small file could ask for any amount of memory
            raise self.file.damaged("array 'totals_starts' has totals that belong to several terms")
        if starts.size and not (starts.min() >= 0 and (starts + lengths).max() <= len(self.file.lazy("totals"))):
            raise self.file.damaged("array 'totals_starts' is out of range")
        return starts, lengths


def _wide(totals: Array, unit: float | None) -> Array:
    """Totals in 64 bits. Short floats of a compact file are tf-idf as it is, all others in units, if they have one."""
    if totals.dtype.kind != "f":
        return totals.astype(np.int64)
    return totals.astype(np.float64) if totals.dtype == np.float64 else totals.astype(np.float64) / (unit or 1.0)


@dataclass(frozen=True, eq=False)
class TouchedWeights:
    """The weights of some columns, read when they are asked for."""

    file: LazyFile
    shape: tuple[int, int]  # (V, K)

    def __post_init__(self) -> None:
        check_form(self.file, WEIGHTS, self.file.lazy(WEIGHTS), self.shape, "<f4")

    def __getitem__(self, ids: Any) -> Array:
        weights = np.asarray(self.file.lazy(WEIGHTS)[ids])
        if not np.isfinite(weights).all():
            raise self.file.damaged(f"array {WEIGHTS!r} has values that are no finite numbers")
        return weights.astype(np.float64)


@dataclass(frozen=True, eq=False)
class TouchedIdf:
    """Inverse document frequencies, from reference frequencies that are read when they are asked for."""

    file: LazyFile
    n_terms: int
    reference: Reference
    unknown: bool

    def __post_init__(self) -> None:
        frozen = self.file.lazy("frozen")
        if frozen.dtype.kind != "u" or frozen.shape != (self.n_terms,):
            raise self.file.damaged(f"array 'frozen' is {frozen.dtype} of shape {tuple(frozen.shape)}")

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n_terms + self.unknown,)

    def __getitem__(self, ids: Any) -> Array:
        ids = np.arange(self.shape[0])[ids] if isinstance(ids, slice) else np.asarray(ids)
        is_term = ids < self.n_terms
        idf = np.full(ids.shape, unknown_idf(self.reference)[0])
        frozen = np.asarray(self.file.lazy("frozen")[ids[is_term]]).astype(np.int64)
        check_frozen(self.file, frozen, self.reference)
        idf[is_term] = frozen_idf(frozen, self.reference)
        return idf


def check_frozen(file: ArrayFile, frozen: Array, reference: Reference) -> None:
    if frozen.size and not (frozen.min() >= 0 and int(frozen.max()) >> 2 <= reference.n_documents):
        raise file.damaged("array 'frozen' has a term in more documents than there were")


@dataclass(frozen=True, eq=False)
class KeptPositions:
    """The position of each term that is a feature, −1 for the others: from one bit per term."""

    bits: SearchableArray
    n_terms: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n_terms,)

    def __getitem__(self, ids: Any) -> Array:
        ids = np.arange(self.n_terms)[ids] if isinstance(ids, slice) else np.asarray(ids)
        kept = (np.asarray(self.bits[ids >> 3]) >> (ids & 7).astype(np.uint8)) & 1
        return np.where(kept, ids, -1)


def pack_bits(mask: Array) -> Array:
    return np.packbits(mask, bitorder="little")


def kept_bits(file: ArrayFile, fetch: Callable[[str], Any], n_terms: int) -> Any:
    """The array of those bits, of the right form."""
    bits = fetch("kept")
    check_form(file, "kept", bits, (-(-n_terms // 8),), "u1")
    return bits
