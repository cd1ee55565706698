"""Which documents a model has learned, under which label, how often: what can be forgotten, and not learned twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from textnb.arrays import Array
from textnb.statistics.counts import one_kind, places_among, sorted_union

_HASH, _LABEL = 16, 4
KEY_BYTES = _HASH + _LABEL
LEDGER = ("ledger", "ledger_counts")  # the arrays of a file that hold the ledger of documents, and
MESSAGE_IDS = ("message_ids", "message_id_counts")  # that of the Message-IDs of mail
_KEY = f"S{KEY_BYTES}"  # compares as bytes do, which keeps documents sorted by hash, then by label


@dataclass(frozen=True, eq=False)
class Ledger:
    """A multiset of (128-bit hash of a document, label): 24 bytes for each that is distinct."""

    classes: Array  # (K,), sorted
    keys: Array  # (n,), sorted: the hash, then the label's position among the classes, big-endian
    counts: Array  # (n,), int32

    @classmethod
    def nothing(cls) -> Ledger:
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=_KEY), np.zeros(0, dtype=np.int32))

    @classmethod
    def of(cls, documents: Iterable[str], class_ids: Array, classes: Array) -> Ledger:
        """The entries of these documents."""
        keys, counts = np.unique(document_keys(hashes(documents), class_ids), return_counts=True)
        return cls(classes, keys, counts.astype(np.int32))

    @classmethod
    def of_message_ids(cls, messages: Iterable[str], class_ids: Array, classes: Array) -> Ledger:
        """The entries of the Message-IDs of these messages; a message without one has none."""
        ids = message_ids(messages)
        named = np.array([name is not None for name in ids], dtype=bool)
        return cls.of([name for name in ids if name is not None], class_ids[named], classes)

    def __len__(self) -> int:
        return int(self.counts.sum(dtype=np.int64))

    def __add__(self, other: Ledger) -> Ledger:
        classes = sorted_union(self.classes, other.classes, "classes")
        keys, counts = self._keys_among(classes), self.counts.copy()
        more = other._keys_among(classes)
        at, there = _find(keys, more)
        counts[at[there]] += other.counts[there]
        if (counts[at[there]] < other.counts[there]).any():
            raise ValueError(f"a ledger counts a document up to {np.iinfo(np.int32).max:,} times, and no more")
        if not there.all():
            keys = np.insert(keys, at[~there], more[~there])
            counts = np.insert(counts, at[~there], other.counts[~there])
        return Ledger(classes, keys, counts)

    def __sub__(self, other: Ledger) -> Ledger:
        """Without the entries of `other`, all of which must be there."""
        if not self.has(other).all():
            raise ValueError("cannot forget documents that were not learned")
        classes = sorted_union(self.classes, other.classes, "classes")
        at, _ = _find(self._keys_among(classes), other._keys_among(classes))
        counts = self.counts.copy()
        counts[at] -= other.counts
        left = counts > 0
        return Ledger(self.classes, self.keys[left], counts[left]) if left.any() else Ledger.nothing()

    def has(self, other: Ledger) -> Array:
        """Of each entry of `other`, whether it is here at least as often."""
        classes = sorted_union(self.classes, other.classes, "classes")
        at, there = _find(self._keys_among(classes), other._keys_among(classes))
        there[there] = self.counts[at[there]] >= other.counts[there]
        return there

    def knows(self, documents: Iterable[str]) -> Array:
        """Of each document, whether it is here, under whatever label."""
        return np.isin(_as_digests(hashes(documents)), self.digests)

    def accounts_for(self, documents: Iterable[str]) -> Array:
        """Which of the documents are those here: of texts that occur more often than they were learned, the first."""
        digests, counts = self.digests, self.counts
        kinds, which = np.unique(_as_digests(hashes(documents)), return_inverse=True)
        starts, stops = (np.searchsorted(digests, kinds, side=side) for side in ("left", "right"))
        learned = np.append(0, np.cumsum(counts, dtype=np.int64))
        times = (learned[stops] - learned[starts])[which]
        order = np.argsort(which, kind="stable")
        earlier = np.empty(len(which), dtype=np.int64)  # how many of the same text stand before each
        earlier[order] = np.arange(len(which)) - np.searchsorted(which[order], which[order])
        return earlier < times

    def missing_from(self, documents: Iterable[str]) -> int:
        """How many of the distinct documents here, under whatever label, are not among those given."""
        return self.missing_among(_as_digests(hashes(documents)))

    def missing_among(self, digests: Array) -> int:
        """How many of the distinct documents here, under whatever label, have none of these hashes."""
        return int(np.count_nonzero(~np.isin(np.unique(self.digests), digests)))

    def n_shared_with(self, others: Sequence[Ledger]) -> int:
        """How many of the distinct documents here one of the others has, under whatever label."""
        own = np.unique(self.digests)
        shared = np.zeros(len(own), dtype=np.bool_)
        for other in others:
            shared |= np.isin(own, other.digests)
        return int(np.count_nonzero(shared))

    @property
    def documents(self) -> Array:
        """How many documents each class has, (K,)."""
        return np.bincount(_label_ids(self.keys), weights=self.counts, minlength=len(self.classes)).astype(np.int64)

    @property
    def digests(self) -> Array:
        """The hash of each entry's document, ascending."""
        return _as_digests(_bytes(self.keys)[:, :_HASH].tobytes())

    def labels_of(self, digest: bytes) -> dict[int, int]:
        """Under which labels, by their positions, a document was learned, and how often each."""
        first = np.searchsorted(self.keys, np.array([digest + bytes(_LABEL)], dtype=_KEY))[0]
        found = {}
        for i in range(first, len(self.keys)):
            key = self.keys[i : i + 1].tobytes()
            if key[:_HASH] != digest:
                break
            found[int.from_bytes(key[_HASH:], "big")] = int(self.counts[i])
        return found

    def among(self, classes: Array) -> Ledger:
        """The same entries, with other classes around theirs; classes without an entry may go."""
        used = np.flatnonzero(np.bincount(_label_ids(self.keys)))
        if not np.isin(*one_kind(self.classes[used], classes, "classes")).all():
            raise ValueError("the ledger has documents of classes that the model does not have")
        return Ledger(classes, self._keys_among(classes), self.counts)

    def _keys_among(self, classes: Array) -> Array:
        """The keys with the positions that the labels have among other classes, which keeps them sorted."""
        if len(classes) == len(self.classes) and np.array_equal(classes, self.classes):
            return self.keys
        positions = places_among(self.classes, classes)
        return _join(_bytes(self.keys)[:, :_HASH], positions[_label_ids(self.keys)])


class RollCall:
    """The documents of a ledger, under whatever label, ticked off as a stream meets them."""

    def __init__(self, ledger: Ledger | None) -> None:
        self._expected = np.unique((Ledger.nothing() if ledger is None else ledger).digests)
        self._is_here = np.zeros(len(self._expected), dtype=bool)

    def tick(self, documents: Iterable[str]) -> None:
        if len(self._expected):
            at, there = _find(self._expected, _as_digests(hashes(documents)))
            self._is_here[at[there]] = True

    @property
    def is_needed(self) -> bool:
        return bool(len(self._expected))

    @property
    def met(self) -> Array:
        """The hashes of those that were met."""
        return self._expected[self._is_here]


def hashes(documents: Iterable[str]) -> list[bytes]:
    """A 128-bit hash of each document; of a message that was read with surrogates for bytes, the hash of its bytes.

    Messages are hashed as `textnb.text.mail.canonical` has them, so that every copy of one has the same hash.
    """
    return [sha256(_encoded(text)).digest()[:_HASH] for text in documents]


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        pass
    try:
        encoded = text.encode("utf-8", "surrogateescape")
        if encoded.decode("utf-8", "surrogateescape") == text:  # not if the escaped bytes are a character's
            return encoded
    except UnicodeEncodeError:  # surrogates that stand for no byte
        pass
    return text.encode("utf-8", "surrogatepass")


def message_ids(messages: Iterable[str]) -> list[str | None]:
    """The Message-ID of each message, None of one that has none."""
    from textnb.text.mail.identity import message_id  # which models of other text need not wait for

    return [message_id(message) for message in messages]


def sum_of(a: Ledger | None, b: Ledger | None) -> Ledger | None:
    """What both have; None where one of them is not known."""
    return None if a is None or b is None else a + b


def _as_digests(digests: list[bytes] | bytes) -> Array:
    """Hashes as an array that compares them as bytes."""
    joined = digests if isinstance(digests, bytes) else b"".join(digests)
    return np.frombuffer(joined, dtype=f"S{_HASH}")


def document_keys(digests: list[bytes], class_ids: Array) -> Array:
    return _join(np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, _HASH), class_ids)


def _join(digests: Array, class_ids: Array) -> Array:
    labels = np.asarray(class_ids).astype(">u4").view(np.uint8).reshape(-1, _LABEL)
    return np.ascontiguousarray(np.hstack([digests, labels])).view(_KEY).ravel()


def _bytes(keys: Array) -> Array:
    return np.ascontiguousarray(keys).view(np.uint8).reshape(-1, KEY_BYTES)


def _label_ids(keys: Array) -> Array:
    return np.ascontiguousarray(_bytes(keys)[:, _HASH:]).view(">u4").ravel().astype(np.int64)


def _find(keys: Array, wanted: Array) -> tuple[Array, Array]:
    """Where each wanted key is or would be, and whether it is there."""
    at = np.searchsorted(keys, wanted)
    there = at < len(keys)
    there[there] = keys[at[there]] == wanted[there]
    return at, there


def ledger_arrays(ledger: Ledger, names: tuple[str, str] = LEDGER) -> dict[str, Array]:
    """As a file holds it, under the names of its arrays."""
    return dict(zip(names, (_bytes(ledger.keys), ledger.counts), strict=True))


def ledger_of(keys: Array, counts: Array, classes: Array, names: tuple[str, str] = LEDGER) -> Ledger:
    """From the arrays of a file; a ValueError if they are none of a ledger."""
    if keys.ndim != 2 or keys.shape[1] != KEY_BYTES or keys.dtype != np.uint8:
        raise ValueError(f"array {names[0]!r} is not of the right form")
    if counts.shape != keys.shape[:1] or counts.dtype != np.int32:
        raise ValueError(f"array {names[1]!r} is not of the right form")
    found = np.ascontiguousarray(keys).view(_KEY).ravel()
    labels = _label_ids(found)
    if (counts <= 0).any() or (labels >= len(classes)).any() or not (found[1:] > found[:-1]).all():
        raise ValueError(f"array {names[0]!r} is not sorted, or has entries that cannot be")
    return Ledger(classes, found, counts)
