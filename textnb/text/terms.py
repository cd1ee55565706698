"""Terms: a sorted table of distinct strings, held as bytes. Python strings exist only when somebody asks for them.

`Terms` has one UTF-8 `blob` and the `offsets` where each term begins; `ObjectTerms` holds terms that are not strings.
The id of a term is its position in the sorted order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from operator import lt
from typing import Any, Protocol

import numpy as np

from textnb.arrays import Array, Table
from textnb.compiled import compiled_kernel

_MAX_EQUAL_HASHES = 8  # two equal ones among a million terms have odds of 1 to 37 million; a run of them is a trap
_INDEX_PAYS = 8  # terms of the table per term looked up, below which an index by hash is made
_MOST_TERMS = np.iinfo(np.int32).max
STRING_ARRAYS = ("terms", "offsets", "hashes", "order")


class SearchableArray(Table, Protocol):
    """What a lookup needs of an array: a numpy array, or one of a file that is checked as it is touched."""

    @property
    def dtype(self) -> Any: ...
    def __len__(self) -> int: ...
    def __array__(self) -> np.ndarray: ...
    def searchsorted(self, values: Any, /) -> Any: ...


class TermTable(ABC):
    """Distinct terms in ascending order: strings, word n-grams or other objects."""

    characters_looked_up = 0  # decides whether compiling a probe pays
    probe: Any  # the kernel's compiled lookup, made when it is first needed

    @property
    def has_probe(self) -> bool:
        return "probe" in self.__dict__

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def find(self, terms: Sequence[Any]) -> Array:
        """The position of each term, −1 if it is not in the table."""

    @abstractmethod
    def strings(self, ids: Array | None = None) -> list[Any]:
        """The terms at these positions, or all."""

    def numbers(self) -> dict[Any, int]:
        """A dict of the terms to their positions."""
        return number_terms(self.strings())

    @abstractmethod
    def select(self, keep: Array) -> TermTable:
        """The terms where the mask is true."""

    @abstractmethod
    def _search(self, other: TermTable) -> Array:
        """Position here of each term of another table; for a missing term, −1 − the position to insert it at."""

    @abstractmethod
    def _insert(self, other: TermTable, before: Array) -> TermTable:
        """A table that also has the terms of `other`, all of them new; `before` is the position to insert each at."""

    @abstractmethod
    def _like(self, other: TermTable) -> TermTable:
        """Convert another table to the class of this one, or raise a ValueError."""

    def between(self, first: str, stop: str) -> tuple[int, int]:
        """The positions of the strings from `first` to before `stop`, by bisection: of a file, few terms are read."""

        def position(wanted: str) -> int:
            return bisect_left(range(len(self)), wanted, key=lambda i: self.strings(np.array([i]))[0])

        return position(first), position(stop)

    def locate(self, other: TermTable) -> Array:
        """The position here of each term of another table, −1 if it is missing."""
        if self is other:
            return np.arange(len(self))
        if isinstance(other, ObjectTerms):
            return self.find(other.strings())
        return np.maximum(self._search(self._like(other)), -1)

    def union(self, other: TermTable) -> tuple[TermTable, Array, Array]:
        """The terms of both tables, and the positions in the union of the terms of each."""
        if self is other or not len(other):
            return self, np.arange(len(self)), np.arange(len(other))
        if len(other) > len(self):
            joined, theirs, mine = other.union(self)
            return joined, mine, theirs
        other = self._like(other)
        positions = self._search(other)
        new = positions < 0
        if not new.any():
            return self, np.arange(len(self)), positions
        before = -1 - positions[new]
        joined = self._insert(other.select(new), before)
        mine = np.arange(len(self)) + np.searchsorted(before, np.arange(len(self)), side="right")
        theirs = np.empty(len(other), dtype=np.int64)
        theirs[new] = before + np.arange(len(before))
        theirs[~new] = mine[positions[~new]]
        return joined, mine, theirs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TermTable):
            return NotImplemented
        return self is other or (len(self) == len(other) and bool((self.locate(other) >= 0).all()))

    __hash__ = None  # type: ignore[assignment]


class Terms(TermTable):
    """Distinct strings in ascending order of their code points.

    The arrays may be views of an untrusted file: whatever they hold, a lookup ends, with a position in range or a
    ValueError. The index by hash is made when it is first needed.
    """

    def __init__(
        self,
        terms: SearchableArray,
        offsets: SearchableArray,
        hashes: SearchableArray | None = None,
        order: SearchableArray | None = None,
    ) -> None:
        self._blob, self._offsets = terms, offsets
        if hashes is not None and order is not None:
            self._index = hashes, order  # instead of the cached property

    @classmethod
    def of(cls, strings: Iterable[str]) -> Terms:
        """The table of strings that are sorted and distinct."""
        strings = list(strings)
        if not all(map(lt, strings, strings[1:])):
            raise ValueError("terms must be sorted and distinct; pass sorted(set(terms)).")
        if len(strings) > _MOST_TERMS:
            raise ValueError(f"a vocabulary holds at most {_MOST_TERMS} terms, got {len(strings)}.")
        return cls(*_encode(strings))

    @property
    def blob(self) -> Array:
        return np.asarray(self._blob)

    @property
    def offsets(self) -> Array:
        return np.asarray(self._offsets).astype(np.int64, copy=False)

    @cached_property
    def _index(self) -> tuple[SearchableArray, SearchableArray]:
        """The terms' hashes in ascending order, and the position of the term that each belongs to."""
        blob, offsets = self.blob, self.offsets
        _check_offsets(blob, offsets)
        hashes = _hashes(blob, offsets)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return hashes[order], order

    @property
    def _has_index(self) -> bool:
        return "_index" in self.__dict__

    @cached_property
    def probe(self) -> Any:
        return compiled_probe(self.blob, self.offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def find(self, terms: Sequence[Any]) -> Array:
        if not all(isinstance(term, str) for term in terms):
            return np.array([self.find([term])[0] if isinstance(term, str) else -1 for term in terms], dtype=np.int64)
        if not self._has_index and len(terms) * _INDEX_PAYS < len(self) and compiled_kernel() is not None:
            return self._find_few(terms)
        blob, offsets = _encode(terms)
        wanted = _hashes(blob, offsets)
        hashes, order = self._index
        ids = np.full(len(terms), -1, dtype=np.int64)
        pending = np.arange(len(terms))
        positions = hashes.searchsorted(wanted)
        for _ in range(_MAX_EQUAL_HASHES):
            pending = pending[positions[pending] < len(hashes)]
            pending = pending[hashes[positions[pending]] == wanted[pending]]
            if not pending.size:
                break
            candidates = order[positions[pending]].astype(np.int64)
            same = self._same_bytes(candidates, blob, offsets, pending)
            ids[pending[same]] = candidates[same]
            pending = pending[~same]
            positions[pending] += 1
        return ids

    def _find_few(self, terms: Sequence[str]) -> Array:
        """As `find`, by bisection: an index of all terms takes longer to make than a few lookups."""
        _check_offsets(self.blob, self.offsets)
        distinct = sorted(set(terms))
        positions = dict(zip(distinct, self.locate(Terms.of(distinct)).tolist(), strict=True))
        return np.fromiter(map(positions.__getitem__, terms), np.int64, len(terms))

    def strings(self, ids: Array | None = None) -> list[str]:
        if ids is not None and self.has_probe:
            return compiled_strings(self.probe, ids)
        if ids is not None and len(ids) < len(self) // 4:  # a part of a file that need not be read whole
            starts, stops = self._extents(np.asarray(ids))
            return [_text(self._blob[a:b]) for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
        blob, offsets = self.blob, self.offsets
        _check_offsets(blob, offsets)
        kernel = compiled_kernel()
        strings: list[str] = _decode(blob, offsets) if kernel is None else kernel.term_strings(blob, offsets)
        return strings if ids is None else [strings[i] for i in ids.tolist()]

    def select(self, keep: Array) -> Terms:
        if keep.all():
            return self
        blob, offsets = self.blob, self.offsets
        lengths = np.diff(offsets)
        selected = Terms(blob[np.repeat(keep, lengths)], np.concatenate([[0], np.cumsum(lengths[keep])]))
        if self._has_index:
            hashes, order = map(np.asarray, self._index)
            kept = keep[order]
            selected._index = hashes[kept], (np.cumsum(keep) - 1)[order[kept]].astype(np.int32)
        return selected

    def _search(self, other: TermTable) -> Array:
        assert isinstance(other, Terms)
        kernel = compiled_kernel()
        if kernel is not None:
            return kernel.locate_terms(self.blob, self.offsets, other.blob, other.offsets)
        return _bisect(self.strings(), other.strings())

    def _insert(self, other: TermTable, before: Array) -> Terms:
        assert isinstance(other, Terms)
        blob, offsets = self.blob, self.offsets
        lengths = np.diff(other.offsets)
        all_lengths = np.insert(np.diff(offsets), before, lengths)
        joined = Terms(
            np.insert(blob, np.repeat(offsets[before], lengths), other.blob),
            np.concatenate([[0], np.cumsum(all_lengths)]),
        )
        if self._has_index:  # only the new terms are hashed
            joined._index = self._joined_index(_hashes(other.blob, other.offsets), before)
        return joined

    def _joined_index(self, new: Array, before: Array) -> tuple[Array, Array]:
        hashes, order = map(np.asarray, self._index)
        by_hash = np.argsort(new, kind="stable")
        at = hashes.searchsorted(new[by_hash])
        moved = order + np.searchsorted(before, order, side="right")
        joined = np.insert(hashes, at, new[by_hash])
        order = np.insert(moved, at, (before + np.arange(len(before)))[by_hash]).astype(np.int32)
        if (joined[1:] == joined[:-1]).any():  # equal hashes in the order of their terms
            order = order[np.lexsort((order, joined))]
        return joined, order

    def _like(self, other: TermTable) -> TermTable:
        return other if isinstance(other, Terms) else Terms.of(other.strings())

    def arrays(self) -> dict[str, Array]:
        """The arrays of a file."""
        hashes, order = map(np.asarray, self._index)
        return dict(zip(STRING_ARRAYS, (self.blob, self.offsets, hashes, order), strict=True))

    def check(self, *, compare_hashes: bool = True) -> None:
        """Raise a ValueError if the arrays are damaged.

        That the hashes are those of their terms can be left out, as it takes most of the time: a wrong one hides a term
        from who looks it up.
        """
        blob, offsets = self.blob, self.offsets
        _check_offsets(blob, offsets)
        if self._has_index:
            self._check_index()
        kernel = compiled_kernel()
        if kernel is None or kernel.check_terms(blob, offsets) >= 0:
            strings = _decode(blob, offsets)
            if not all(map(lt, strings, strings[1:])):
                raise damaged("terms are not sorted and distinct")
        if compare_hashes and self._has_index:
            hashes, order = map(np.asarray, self._index)
            if not np.array_equal(_hashes(blob, offsets)[order], hashes):
                raise damaged("hashes are not those of its terms")

    def _check_index(self) -> None:
        hashes, order = map(np.asarray, self._index)
        size = len(self)
        if (hashes[1:] < hashes[:-1]).any() or (hashes[_MAX_EQUAL_HASHES:] == hashes[:-_MAX_EQUAL_HASHES]).any():
            raise damaged("hashes are not sorted, or too many are equal")
        present = np.zeros(size, dtype=bool)
        present[order[(order >= 0) & (order < size)]] = True
        if not present.all():
            raise damaged("order is not a permutation")

    def check_form(self) -> None:
        """Raise a ValueError unless each array is of the right type and length. Reads none of them."""
        index = self._index if self._has_index else ()
        arrays = (self._blob, self._offsets, *index)
        kinds = (np.uint8, np.integer, np.uint64, np.int32)
        for name, array, kind in zip(STRING_ARRAYS, arrays, kinds, strict=False):
            if len(array.shape) != 1 or not np.issubdtype(array.dtype, kind):
                raise damaged(f"{name} is {array.dtype} of shape {tuple(array.shape)}")
        if not len(self._offsets) or any(len(array) != len(self) for array in index):
            raise damaged("its arrays differ in length")

    def __reduce__(self) -> tuple[Any, ...]:
        return Terms, (np.array(self.blob), np.array(self.offsets))

    def _extents(self, ids: Array) -> tuple[Array, Array]:
        if ((ids < 0) | (ids >= len(self))).any():
            raise damaged("a position is out of range")
        start, stop = (np.asarray(self._offsets[at]).astype(np.int64) for at in (ids, ids + 1))
        if ((start < 0) | (start > stop) | (stop > len(self._blob))).any():
            raise damaged("offsets do not divide its terms")
        return start, stop

    def _same_bytes(self, ids: Array, blob: Array, offsets: Array, wanted: Array) -> Array:
        """Whether the term at ids[i] equals the string number wanted[i] of a blob with offsets."""
        start, stop = self._extents(ids)
        lengths = offsets[wanted + 1] - offsets[wanted]
        same: Array = stop - start == lengths
        lengths = lengths[same]
        ends = np.cumsum(lengths)
        within = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        stored = self._blob[np.repeat(start[same], lengths) + within]
        differences = stored != blob[np.repeat(offsets[wanted[same]], lengths) + within]
        n_differences = np.concatenate([[0], np.cumsum(differences)])
        same[same] = n_differences[ends] == n_differences[ends - lengths]
        return same


class ObjectTerms(TermTable):
    """Terms of any kind that can be sorted and hashed, such as a callable analyzer may give. They cannot be saved."""

    def __init__(self, terms: Iterable[Any]) -> None:
        self.ids = {term: i for i, term in enumerate(terms)}

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, terms: Sequence[Any]) -> Array:
        return np.fromiter((self.ids.get(term, -1) for term in terms), np.int64, len(terms))

    def strings(self, ids: Array | None = None) -> list[Any]:
        terms = list(self.ids)
        return terms if ids is None else [terms[i] for i in ids.tolist()]

    def between(self, first: str, stop: str) -> tuple[int, int]:
        """Nothing: objects have an order of their own, if any."""
        return 0, 0

    def select(self, keep: Array) -> ObjectTerms:
        return self if keep.all() else ObjectTerms(term for term, kept in zip(self.ids, keep, strict=True) if kept)

    def _search(self, other: TermTable) -> Array:
        return _bisect(list(self.ids), other.strings())

    def _insert(self, other: TermTable, before: Array) -> ObjectTerms:
        return ObjectTerms(sorted([*self.ids, *other.strings()]))

    def _like(self, other: TermTable) -> TermTable:
        return other

    def arrays(self) -> dict[str, Array]:
        strange = next(term for term in self.ids if not isinstance(term, str))
        raise ValueError(f"a model with terms that are not strings, such as {strange!r}, cannot be saved")

    def __reduce__(self) -> tuple[Any, ...]:
        return ObjectTerms, (list(self.ids),)


def number_terms(terms: list[Any]) -> dict[Any, int]:
    """Terms to their places in a list."""
    kernel = compiled_kernel()
    return {term: i for i, term in enumerate(terms)} if kernel is None else kernel.number_strings(terms)


def terms_of(values: Iterable[Any]) -> TermTable:
    """The table of distinct terms in any order."""
    values = list(values)
    if all(isinstance(term, str) for term in values):
        return Terms.of(sorted(values))
    try:
        return ObjectTerms(sorted(values))
    except TypeError:  # of several kinds: they can be looked up, and not joined with others
        return ObjectTerms(values)


def _bisect(terms: list[Any], wanted: list[Any]) -> Array:
    """As `TermTable._search`."""
    positions = [bisect_left(terms, term) for term in wanted]
    pairs = zip(positions, wanted, strict=True)
    return np.array([i if i < len(terms) and terms[i] == term else -1 - i for i, term in pairs], dtype=np.int64)


def _encode(terms: Sequence[str]) -> tuple[Array, Array]:
    """The terms as a UTF-8 blob and offsets."""
    pieces = [term.encode("utf-8", "surrogatepass") for term in terms]
    offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    return np.frombuffer(b"".join(pieces), dtype=np.uint8), offsets


def _hashes(blob: Array, offsets: Array) -> Array:
    """The 64-bit BLAKE2b hash of each term."""
    kernel = compiled_kernel()
    if kernel is not None:
        return kernel.hash_terms(blob, offsets)
    data = blob.tobytes()
    digests = [blake2b(data[a:b], digest_size=8).digest() for a, b in pairwise(offsets.tolist())]
    return np.frombuffer(b"".join(digests), dtype="<u8")


def _decode(blob: Array, offsets: Array) -> list[str]:
    """The strings of a blob, decoded at once and then cut: several times faster than one by one."""
    text = _text(blob)
    if len(text) != len(blob):
        starts = (blob & 0xC0) != 0x80  # bytes that begin a character
        if not np.append(starts, True)[offsets].all():
            raise damaged("a term begins within a character")
        offsets = np.concatenate([[0], np.cumsum(starts)])[offsets]
    return [text[start:stop] for start, stop in pairwise(offsets.tolist())]


def _check_offsets(blob: Array, offsets: Array) -> None:
    if offsets[0] != 0 or offsets[-1] != len(blob) or (offsets[1:] < offsets[:-1]).any():
        raise damaged("offsets do not divide its terms")


def _text(blob: Array) -> str:
    try:
        return np.asarray(blob).tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(f"terms are not UTF-8 at byte {error.start}") from None


def compiled_probe(*arrays: Array) -> Any:
    """The kernel's lookup of a table of terms, which checks its arrays."""
    try:
        return compiled_kernel().Probe(*arrays)
    except ValueError as error:
        raise damaged(str(error).rstrip(".")) from None


def damaged(what: str) -> ValueError:
    return ValueError(f"the vocabulary is damaged: {what}. Restore the model from a copy, or train it again.")


def compiled_strings(probe: Any, ids: Array) -> list[str]:
    """The terms of a compiled lookup at these positions."""
    strings: list[str] = compiled_kernel().probe_strings(probe, np.ascontiguousarray(ids, dtype=np.int64))
    return strings
