"""Which documents to learn once: those that a ledger has are left, or moved to the label that they are given now.

Of mail, a second ledger knows messages by their Message-IDs, which their copies share. A copy of a learned message is
left. Under another label it is learned as it is: it cannot move what the learned one has added, for it has other words,
and anybody can write any Message-ID into a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from textnb.arrays import Array
from textnb.statistics.ledger import Ledger, hashes, message_ids


class Conflict(NamedTuple):
    """A message, by its position, whose Message-ID was learned under other labels, from a copy with other words."""

    position: int
    labels: tuple[str, ...]

    @property
    def warning(self) -> str:
        return (
            f"a message with its Message-ID was learned as {' and '.join(self.labels)}, and stays so, as it is not at "
            "hand to be moved: forget that one if it was this message"
        )


class OncePlan(NamedTuple):
    """The documents to learn, by their positions, and those to take from a label first, once for each time."""

    new: list[int]
    moved: list[tuple[int, Any]]
    n_copies: int  # messages known by their Message-ID only, which are left
    conflicts: tuple[Conflict, ...]


class _Labels:
    """Under which labels a ledger has a hash, and how often each; with the changes that are planned."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._names = ledger, ledger.classes.tolist()
        self._planned: dict[bytes, dict[Any, int]] = {}

    def learned(self, digest: bytes) -> dict[Any, int]:
        return {self._names[position]: count for position, count in self._ledger.labels_of(digest).items()}

    def planned(self, digest: bytes) -> dict[Any, int]:
        if digest not in self._planned:
            self._planned[digest] = self.learned(digest)
        return self._planned[digest]


def plan_once(ledger: Ledger, ledger_of_ids: Ledger | None, documents: Sequence[str], labels: Array) -> OncePlan:
    """What to learn and to move, as if the documents came one after the other; of the same ones, the last label counts.

    A document that was learned more than once under that label stays so.
    """
    contents, ids = _Labels(ledger), _Labels(Ledger.nothing() if ledger_of_ids is None else ledger_of_ids)
    names = [None] * len(documents) if ledger_of_ids is None else _id_hashes(documents)
    last: dict[bytes, int] = {}
    n_copies, conflicts = 0, []
    for i, (digest, name, label) in enumerate(zip(hashes(documents), names, labels.tolist(), strict=True)):
        there = contents.planned(digest)
        same_id = {} if name is None else ids.planned(name)
        if not there and label in same_id:
            n_copies += 1
            continue
        if not there and same_id:
            conflicts.append(Conflict(i, tuple(sorted(map(str, same_id)))))
        last[digest] = i
        _relabel(there, same_id, label)
    new, moved = [], []
    for digest, i in last.items():
        label, learned = labels[i], contents.learned(digest)
        if label not in learned:
            new.append(i)
        moved += [(i, other) for other, count in learned.items() if other != label for _ in range(count)]
    return OncePlan(new, moved, n_copies, tuple(conflicts))


def _relabel(content: dict[Any, int], same_id: dict[Any, int], label: Any) -> None:
    """Have a document under this label alone, among those of its content and of its Message-ID."""
    for other in [other for other in content if other != label]:
        left = same_id.pop(other, 0) - content.pop(other)
        if left > 0:
            same_id[other] = left
    if not content:
        content[label] = 1
        same_id[label] = same_id.get(label, 0) + 1


def _id_hashes(messages: Sequence[str]) -> list[bytes | None]:
    return [None if name is None else hashes([name])[0] for name in message_ids(messages)]
