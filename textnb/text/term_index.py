"""A vocabulary as four arrays, searched where they lie: no dict is built to look up the words of one message.

Terms are sorted by code point, and a term's id is its place. `terms` holds their UTF-8 end to end, `offsets` where each
begins; `hashes` are their 64-bit hashes in ascending order, and `order` the id that each of those belongs to.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import compress, pairwise, starmap
from operator import lt
from typing import Any, Protocol, TypeAlias

import numpy as np

_MAX_EQUAL_HASHES = 8  # two equal ones among a million terms have odds of 1 to 37 million; a run of them is a trap


class SearchableArray(Protocol):
    """What a lookup needs of an array: `numpy.ndarray` has it, and so has an array that is checked as it is touched."""

    @property
    def dtype(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, indices: Any, /) -> Any: ...
    def __array__(self) -> np.ndarray: ...
    def searchsorted(self, values: Any, /) -> Any: ...


TermArrays: TypeAlias = dict[str, np.ndarray]
"""`terms`, `offsets`, `hashes` and `order`, as a file names them."""


def build_term_arrays(terms: Sequence[str]) -> TermArrays:
    """The arrays `terms`, `offsets`, `hashes` and `order` of sorted, distinct terms."""
    if not all(map(lt, terms, terms[1:])):
        raise ValueError("terms must be sorted and distinct; pass sorted(set(terms)).")
    if len(terms) > np.iinfo(np.int32).max:
        raise ValueError(f"a vocabulary holds at most {np.iinfo(np.int32).max} terms, got {len(terms)}.")
    blob, offsets, hashes = _encode(terms)
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    return {"terms": blob, "offsets": offsets, "hashes": hashes[order], "order": order}


def check_term_arrays(
    terms: np.ndarray, offsets: np.ndarray, hashes: np.ndarray, order: np.ndarray, *, in_order: bool = True
) -> None:
    """Raise a ValueError unless the arrays are such as `build_term_arrays` gives.

    That each hash is its term's is left out, as it would double the time: a wrong one can only hide a term.
    """
    _check_form(terms, offsets, hashes, order)
    size = len(hashes)
    if (hashes[1:] < hashes[:-1]).any() or (hashes[_MAX_EQUAL_HASHES:] == hashes[:-_MAX_EQUAL_HASHES]).any():
        raise _broken("hashes are not sorted, or too many are equal")
    present = np.zeros(size, dtype=bool)
    present[order[(order >= 0) & (order < size)]] = True
    if not present.all():
        raise _broken("order is not a permutation")
    _check_offsets(terms, offsets)
    if in_order and not all(starmap(lt, pairwise(_decode(terms, offsets)))):
        raise _broken("terms are not sorted and distinct")


def insert_terms(arrays: TermArrays, new: Sequence[str]) -> tuple[TermArrays, np.ndarray]:
    """The arrays with sorted terms that are none of theirs, and before which of the old terms each new one comes.

    Only the new terms are hashed and compared: the arrays are what `build_term_arrays` would give for all of them.
    """
    blob, offsets, hashes = _encode(new)
    before = np.array([_place(arrays, blob[a:b].tobytes()) for a, b in pairwise(offsets.tolist())], dtype=np.int64)
    lengths = np.diff(offsets)
    all_lengths = np.insert(np.diff(arrays["offsets"]), before, lengths)
    order = arrays["order"] + np.searchsorted(before, arrays["order"], side="right")
    ids = before + np.arange(len(new))
    by_hash = np.argsort(hashes, kind="stable")
    at = arrays["hashes"].searchsorted(hashes[by_hash])
    joined: TermArrays = {
        "terms": np.insert(arrays["terms"], np.repeat(arrays["offsets"][before], lengths), blob),
        "offsets": np.concatenate([[0], np.cumsum(all_lengths)]),
        "hashes": np.insert(arrays["hashes"], at, hashes[by_hash]),
        "order": np.insert(order, at, ids[by_hash]).astype(np.int32),
    }
    return _equal_hashes_by_id(joined), before


def select_terms(arrays: TermArrays, keep: np.ndarray) -> TermArrays:
    """The arrays of the terms where the mask is true."""
    lengths = np.diff(arrays["offsets"])
    renumbered = np.cumsum(keep) - 1
    kept = keep[arrays["order"]]
    return {
        "terms": arrays["terms"][np.repeat(keep, lengths)],
        "offsets": np.concatenate([[0], np.cumsum(lengths[keep])]),
        "hashes": arrays["hashes"][kept],
        "order": renumbered[arrays["order"][kept]].astype(np.int32),
    }


def _place(arrays: TermArrays, term: bytes) -> int:
    """Before which term these bytes come: UTF-8 sorts as its code points do."""
    blob, offsets = arrays["terms"].data, arrays["offsets"].data
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        if bytes(blob[offsets[middle] : offsets[middle + 1]]) < term:
            low = middle + 1
        else:
            high = middle
    return low


def _equal_hashes_by_id(arrays: TermArrays) -> TermArrays:
    hashes, order = arrays["hashes"], arrays["order"]
    if (hashes[1:] == hashes[:-1]).any():
        arrays["order"] = order[np.lexsort((order, hashes))]
    return arrays


class TermIndex:
    """Terms to ids and back, over the arrays of `build_term_arrays`.

    The arrays may come from a stranger's file, unchecked: whatever they hold, a lookup ends, and gives an id in range
    or a ValueError.
    """

    def __init__(
        self, terms: SearchableArray, offsets: SearchableArray, hashes: SearchableArray, order: SearchableArray
    ) -> None:
        _check_form(terms, offsets, hashes, order)
        self._terms, self._offsets, self._hashes, self._order = terms, offsets, hashes, order
        self.characters_seen = 0  # of text that was looked up, which decides whether a dictionary pays

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, terms: Sequence[str]) -> np.ndarray:
        """The id of each term, −1 where it is none of these."""
        blob, offsets, hashes = _encode(terms)
        ids = np.full(len(terms), -1, dtype=np.int64)
        pending = np.arange(len(terms))
        positions = self._hashes.searchsorted(hashes)
        for _ in range(_MAX_EQUAL_HASHES):
            pending = pending[positions[pending] < len(self._hashes)]
            pending = pending[self._hashes[positions[pending]] == hashes[pending]]
            if not pending.size:
                break
            candidates = self._order[positions[pending]].astype(np.int64)
            same = self._same_bytes(candidates, blob, offsets, pending)
            ids[pending[same]] = candidates[same]
            pending = pending[~same]
            positions[pending] += 1
        return ids

    def term(self, term_id: int) -> str:
        start, stop = self._extents(np.array([term_id]))
        return _text(self._terms[int(start[0]) : int(stop[0])])

    def terms(self) -> list[str]:
        """All terms, in order."""
        return _decode(np.asarray(self._terms), np.asarray(self._offsets))

    def _extents(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if ((ids < 0) | (ids >= len(self._hashes))).any():
            raise _broken("an id is out of range")
        start, stop = self._offsets[ids], self._offsets[ids + 1]
        if ((start < 0) | (start > stop) | (stop > len(self._terms))).any():
            raise _broken("offsets do not divide its terms")
        return start, stop

    def _same_bytes(self, ids: np.ndarray, blob: np.ndarray, offsets: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Whether the term of each id has the bytes of the wanted term beside it."""
        start, stop = self._extents(ids)
        lengths = offsets[wanted + 1] - offsets[wanted]
        same: np.ndarray = stop - start == lengths
        lengths = lengths[same]
        ends = np.cumsum(lengths)
        within = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        stored = self._terms[np.repeat(start[same], lengths) + within]
        differences = stored != blob[np.repeat(offsets[wanted[same]], lengths) + within]
        counted = np.concatenate([[0], np.cumsum(differences)])
        same[same] = counted[ends] == counted[ends - lengths]
        return same


class TermSubset(TermIndex):
    """Some of the terms: `columns` has the number of each among them, −1 for one that is left out."""

    def __init__(self, columns: SearchableArray, n_columns: int, **arrays: SearchableArray) -> None:
        super().__init__(**arrays)
        if columns.shape != (super().__len__(),) or columns.dtype != np.dtype("i4"):
            raise _broken("columns is not a number a term")
        self._columns, self._n_columns = columns, n_columns
        if isinstance(columns, np.ndarray):
            self._kept()

    def __len__(self) -> int:
        return self._n_columns

    def find(self, terms: Sequence[str]) -> np.ndarray:
        ids = super().find(terms)
        known = ids >= 0
        columns = np.asarray(self._columns[ids[known]], dtype=np.int64)
        if ((columns < -1) | (columns >= self._n_columns)).any():
            raise _broken("a column is out of range")
        ids[known] = columns
        return ids

    def terms(self) -> list[str]:
        """All terms that are not left out, in order."""
        return list(compress(super().terms(), self._kept()))

    def _kept(self) -> np.ndarray:
        columns = np.asarray(self._columns)
        kept: np.ndarray = columns != -1
        if not np.array_equal(columns[kept], np.arange(self._n_columns)):
            raise _broken("columns are not numbered in order")
        return kept


def _check_form(
    terms: SearchableArray, offsets: SearchableArray, hashes: SearchableArray, order: SearchableArray
) -> None:
    expected = {"terms": (terms, "u1"), "offsets": (offsets, "i8"), "hashes": (hashes, "u8"), "order": (order, "i4")}
    for name, (array, dtype) in expected.items():
        if len(array.shape) != 1 or array.dtype != np.dtype(dtype):
            raise _broken(f"{name} is not a row of {np.dtype(dtype)}")
    if len(order) != len(hashes) or len(offsets) != len(hashes) + 1:
        raise _broken("its arrays differ in length")


def _encode(terms: Iterable[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes end to end, where each term begins, and each term's hash."""
    pieces = [term.encode("utf-8", "surrogatepass") for term in terms]
    offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    hashes = b"".join([blake2b(piece, digest_size=8).digest() for piece in pieces])
    return np.frombuffer(b"".join(pieces), dtype=np.uint8), offsets, np.frombuffer(hashes, dtype="<u8")


def _decode(blob: np.ndarray, offsets: np.ndarray) -> list[str]:
    """Decode all at once and cut by characters: several times quicker than a term at a time."""
    _check_offsets(blob, offsets)
    text = _text(blob)
    if len(text) != len(blob):
        starts = (blob & 0xC0) != 0x80  # bytes that begin a character
        if not np.append(starts, True)[offsets].all():
            raise _broken("a term begins within a character")
        offsets = np.concatenate([[0], np.cumsum(starts)])[offsets]
    return [text[start:stop] for start, stop in pairwise(offsets.tolist())]


def _check_offsets(blob: np.ndarray, offsets: np.ndarray) -> None:
    if offsets[0] != 0 or offsets[-1] != len(blob) or (offsets[1:] < offsets[:-1]).any():
        raise _broken("offsets do not divide its terms")


def _text(blob: np.ndarray) -> str:
    try:
        return blob.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise _broken(f"terms are not UTF-8 at byte {error.start}") from None


def _broken(what: str) -> ValueError:
    return ValueError(f"the vocabulary is damaged: {what}. Restore the model from a copy, or train it again.")
