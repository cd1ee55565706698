"""What a count model has seen: documents and feature totals of every class. Counts add, and can be taken away again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows, distinct

_ROUNDING = 1e-9  # of what is taken away, or of 1: above the error of a sum of floats, below what a word can weigh
_LARGEST_LABELS = 1 << 25  # characters of all labels, each as wide as the longest, if that is longer than
_LONG_LABEL = 255
_EXACT_FLOAT = 2.0**53  # floats of at least this size stand for several integers


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Totals N_cj of every feature j in every class c, and the number of documents of every class.

    Integers stay integers, so that adding and subtracting are exact; weights and tf-idf make them floats. Operands are
    aligned over their classes.
    """

    classes: Array  # (K,), sorted
    documents: Array  # (K,)
    totals: SparseRows  # (V, K), canonical, without zeros

    def __post_init__(self) -> None:
        n_features, n_classes = self.totals.shape
        if n_classes != len(self.classes) or self.documents.shape != self.classes.shape:
            raise ValueError(
                f"totals of {n_features} features in {n_classes} classes and documents {self.documents.shape} do not "
                f"fit {len(self.classes)} classes"
            )
        check_total(self.totals.data)
        for array in self._arrays:
            array.flags.writeable = False

    def __add__(self, other: ClassCounts) -> ClassCounts:
        classes = self._union(other)
        mine, theirs = self._among(classes), other._among(classes)
        return ClassCounts(
            classes, checked_sum(mine.documents, theirs.documents), mine.totals.combine(theirs.totals, checked_sum)
        )

    def __sub__(self, other: ClassCounts) -> ClassCounts:
        """What is left without `other`, which must be contained in it; classes stay, if only with zeros."""
        classes = self._union(other)
        mine, taken = self._among(classes), other._among(classes)
        if unseen := new_classes(self.classes, classes):
            raise ValueError(f"cannot subtract documents of {unseen[0]!r}: none were counted")
        documents = difference(mine.documents, taken.documents)
        totals = mine.totals.combine(taken.totals, difference).without_zeros()
        if (documents < 0).any():
            short = classes[documents < 0].tolist()[0]
            raise ValueError(f"cannot subtract more documents than were counted in class {short!r}")
        if (totals.data < 0).any():
            entry = int(np.argmax(totals.data < 0))
            label = classes.tolist()[totals.indices[entry]]
            raise ValueError(
                f"cannot subtract more of column {totals.row_ids[entry]} than was counted in class {label!r}"
            )
        return ClassCounts(classes, documents, totals)

    def __eq__(self, other: object) -> bool:
        """The same counts; classes of which nothing was counted are left out of the comparison."""
        if not isinstance(other, ClassCounts):
            return NotImplemented
        a, b = self._without_empty_classes(), other._without_empty_classes()
        return a.totals.shape == b.totals.shape and all(map(np.array_equal, a._arrays, b._arrays))

    __hash__ = None  # type: ignore[assignment]

    @property
    def _arrays(self) -> tuple[Array, ...]:
        return self.classes, self.documents, self.totals.indptr, self.totals.indices, self.totals.data

    def _without_empty_classes(self) -> ClassCounts:
        seen = self.documents != 0
        seen[self.totals.indices] = True
        return ClassCounts(self.classes[seen], self.documents[seen], self.totals.select_columns(seen))

    def _union(self, other: ClassCounts) -> Array:
        if self.totals.shape[0] != other.totals.shape[0]:
            raise ValueError(f"cannot align {self.totals.shape[0]} columns with {other.totals.shape[0]}")
        return sorted_union(self.classes, other.classes, "classes")

    def _among(self, classes: Array) -> ClassCounts:
        """The same counts among more classes."""
        if len(classes) == len(self.classes):
            return self
        positions = places_among(self.classes, classes)
        documents = spread(self.documents, positions, len(classes))
        return ClassCounts(classes, documents, self.totals.place_columns(positions, len(classes)))


def count_classes(
    X: Any, class_ids: Array, classes: Array, weights: Array | None = None, n_threads: int = 1
) -> ClassCounts:
    """N_cj = Σ_{i: y_i = c} w_i x_ij, from sparse or dense rows X, without an n × K indicator matrix."""
    documents = np.bincount(class_ids, weights=weights, minlength=len(classes))
    if isinstance(X, SparseRows):
        data = _in_64_bits(X.data)
        if weights is not None:
            with np.errstate(over="ignore"):  # an infinite total is refused
                data = data * np.repeat(weights, np.diff(X.indptr))
        totals = X.with_data(data).sums_by_class(class_ids, len(classes), n_threads)
    else:
        from scipy.sparse import csr_array

        n = len(class_ids)
        values = np.ones(n, dtype=np.int64) if weights is None else weights
        indicator = csr_array((values, (class_ids, np.arange(n))), shape=(len(classes), n))
        totals = SparseRows.of_dense((indicator @ _in_64_bits(X)).T)
    return ClassCounts(classes, documents, totals)


def _in_64_bits(values: Array) -> Array:
    """Integers as int64, all else as float64. Integers that would wrap round when added up are refused beforehand."""
    if np.issubdtype(values.dtype, np.floating):
        return values.astype(np.float64, copy=False)
    check_total(values)
    return values.astype(np.int64, copy=False)


def check_total(counts: Array) -> None:
    """Refuse counts whose grand total overflows. Where it does not, nor does any sum of some of them."""
    floating = np.issubdtype(counts.dtype, np.floating)
    limit = float(np.finfo(np.float64).max if floating else 2**63)
    if not counts.size or float(counts.max()) < limit / (2 * counts.size):
        return
    if floating:
        with np.errstate(over="ignore"):
            overflows = not np.isfinite(counts.sum())
    else:
        overflows = (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum()) >= 2**63
    if overflows:
        kind = "floating-point number" if floating else "64-bit integer"
        raise ValueError(f"the counts add up to more than a {kind} can hold; scale X down")


def difference(a: Array, b: Array) -> Array:
    """a − b; what rounding leaves of floating-point sums that cancel is 0, not less."""
    rest = a - b
    if np.issubdtype(rest.dtype, np.floating):
        rest[(rest < 0) & (rest >= -_ROUNDING * np.maximum(b, 1.0))] = 0.0
    return rest


def checked_sum(a: Array, b: Array) -> Array:
    """a + b; integers that would pass the 64-bit limit are refused instead of wrapping round."""
    with np.errstate(over="ignore"):
        total = a + b
    if np.issubdtype(total.dtype, np.integer) and ((total < a) & (b > 0)).any():
        raise ValueError("the counts add up to more than a 64-bit integer can hold")
    return total


# Labels


def unique_classes(y: Array) -> tuple[Array, Array]:
    """The sorted classes, and the position of every label among them."""
    classes, class_ids = np.unique(y, return_inverse=True)
    if classes.dtype == object and all(isinstance(label, str) for label in classes):
        classes = np.array(classes.tolist())  # strings, as scikit-learn has them
    return classes, class_ids


def one_kind(a: Array, b: Array, what: str) -> tuple[Array, Array]:
    """Both arrays of labels in one type, converted exactly; a ValueError if that cannot be.

    Strings, booleans and numbers are different kinds. Whole floats become integers beside integers, and integers
    floats beside other floats, up to 2⁵³: beyond it a float stands for several integers.
    """
    if a.dtype == b.dtype and a.dtype != object:
        return a, b
    x, y = (np.array(labels.tolist()) if _holds_plain_values(labels) else labels for labels in (a, b))
    if not len(x) or not len(y):
        return x, y
    kinds = {x.dtype.kind, y.dtype.kind}
    if kinds <= {"i", "u"}:
        exact = max(int(x.max()), int(y.max())) < 2**63
        x, y = x.astype(np.int64), y.astype(np.int64)
    elif kinds <= {"i", "u", "f"} and len(kinds) > 1:
        floats = x if x.dtype.kind == "f" else y
        exact = all((np.abs(labels.astype(np.float64)) < _EXACT_FLOAT).all() for labels in (x, y))
        common = np.int64 if exact and (floats == np.floor(floats)).all() else np.float64
        x, y = (x.astype(common), y.astype(common)) if exact else (x, y)
    else:
        exact = len(kinds) == 1 and (kinds != {"O"} or {*map(type, x.tolist())} == {*map(type, y.tolist())})
    if not exact:
        raise ValueError(
            f"cannot align {what} of different types: {a.tolist()[0]!r} and {b.tolist()[0]!r} ({a.dtype} and {b.dtype})"
        )
    return x, y


def in_kind_of(known: Array, labels: Array) -> Array:
    """The labels in the type of those that are known, converted exactly; a ValueError if that cannot be.

    So the labels of a model stay what they are: 1.0 beside integers is 1, and 1.5 is refused.
    """
    _, converted = one_kind(known, labels, "labels")
    if not len(known):
        return labels
    if known.dtype.kind in "iu" and converted.dtype.kind == "f":
        raise ValueError(f"{_first_fraction(converted)!r} is no label of a model whose labels are whole numbers")
    return converted.astype(np.float64) if known.dtype.kind == "f" else converted


def _first_fraction(labels: Array) -> float:
    return float(labels[labels != np.floor(labels)][0])


def check_labels(labels: Any) -> None:
    """Refuse a list, or an array of objects, that numpy would make other labels of, or a huge array.

    Whole numbers become floats beside floats, which cannot tell large ones apart; and an array of strings is as wide as
    the longest of them.
    """
    if not isinstance(labels, list | tuple) and getattr(getattr(labels, "dtype", None), "kind", None) != "O":
        return
    whole = [int(label) for label in labels if isinstance(label, int | np.integer)]
    largest = max(whole, key=abs, default=0)
    if abs(largest) > _EXACT_FLOAT and any(isinstance(label, float) for label in labels):
        raise ValueError(
            f"labels are floats and whole numbers such as {largest}, which no float holds exactly: make them all "
            "integers, or strings"
        )
    lengths = [len(label) if isinstance(label, str) else 0 for label in labels]
    longest = max(lengths, default=0)
    if longest > _LONG_LABEL and len(lengths) * longest > _LARGEST_LABELS:
        raise ValueError(
            f"the label at position {lengths.index(longest)} has {longest:,} characters, which is too long among "
            f"{len(lengths):,} labels: give classes short names"
        )


def _holds_plain_values(labels: Array) -> bool:
    """Whether an array of objects holds only strings, only booleans, only integers or only floats."""
    return labels.dtype == object and {*map(type, labels.tolist())} in ({str}, {bool}, {int}, {float})


def sorted_union(a: Array, b: Array, what: str) -> Array:
    """The labels of both, which must be of one kind."""
    x, y = one_kind(a, b, what)
    if not len(y) or np.array_equal(x, y):
        return x
    return distinct(np.concatenate([x, y])) if len(x) else y


def places_among(known: Array, classes: Array) -> Array:
    """The position of each known class in sorted classes that include them all."""
    labels, among = one_kind(known, classes, "classes")
    return np.searchsorted(among, labels)


def new_classes(known: Array, classes: Array) -> list[Any]:
    """Those of the classes, which include the known ones, that are not known."""
    return np.delete(classes, places_among(known, classes)).tolist()


def spread(values: Array, places: Array, size: int) -> Array:
    """The values at their places in an array of that size, with zeros between them."""
    out = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    out[places] = values
    return out


def announced_classes(classes: Any, known: Array | None) -> Array:
    """The classes of `partial_fit`: announced at the first call, when none are known, and the same ever after."""
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return known
    announced = _sorted_labels(classes)
    if known is None:
        return announced
    if len(classes) != len(known) or not np.array_equal(*one_kind(announced, known, "classes")):
        raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
    return known


def _sorted_labels(classes: Any) -> Array:
    """Distinct labels; numpy would make strings of numbers beside strings, and floats of integers beside floats."""
    if isinstance(classes, np.ndarray) and classes.dtype != object:
        return np.unique(classes)
    by_type: dict[type, list[Any]] = {}
    for label in classes:
        by_type.setdefault(type(label), []).append(label)
    parts = (np.unique(np.array(labels)) for labels in by_type.values())
    return reduce(lambda a, b: sorted_union(a, b, "classes"), parts, np.array([]))


def class_positions(y: Array, classes: Array) -> Array:
    """The position of every label in the sorted classes; a label outside them is named."""
    labels, known = one_kind(y, classes, "labels")
    positions = np.searchsorted(known, labels)
    strange = (positions == len(known)) | (known[np.minimum(positions, len(known) - 1)] != labels)
    if strange.any():
        raise ValueError(
            f"unknown label {y[strange].tolist()[0]!r} in partial_fit: it is not among the classes announced at the "
            f"first call, {classes.tolist()!r}. Announce every class there. (The target label(s) "
            f"{np.unique(y[strange]).tolist()} in y do not exist in the initial classes.)"
        )
    return positions
