"""Labels that are probably others misspelt: different only in case, white space or one letter."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST_WORD = 3  # letters: of shorter words, such as a and b, any may be meant
LONGEST_LABEL = 100  # characters: nobody types longer ones

WORD = re.compile(r"[^\W\d_]+")


def near_misses(labels: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """For each label that is none of the known ones, but probably meant to be one of them, that one.

    The two differ only in case and white space; or in one letter of one word, which has three letters or more: it is
    another one, left out, added, or has changed places with its neighbour. Digits and signs are never misspelt: `topic
    1` and `topic 2` are two labels, and so are `a` and `b`.
    """
    known = sorted(known)
    new = sorted(set(labels).difference(known))
    if not new:
        return {}
    by_form = {form: name for name in reversed(known) for form in _forms(name)}
    meant = {label: _meant(_plain(label), by_form) for label in new}
    return {label: name for label, name in meant.items() if name is not None}


def alike(labels: Iterable[str]) -> list[list[str]]:
    """Labels that differ only in case and white space, together, sorted."""
    groups: dict[str, list[str]] = {}
    for label in sorted(set(labels)):
        groups.setdefault(_plain(label), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def alike_notices(labels: Iterable[str]) -> list[str]:
    """What to tell people of classes that are probably one."""
    return [
        f"{', '.join(map(repr, group[:-1]))} and {group[-1]!r} are {len(group)} classes, which differ only in case or "
        "white space; if they are one, give them one name"
        for group in alike(labels)
    ]


def _meant(label: str, by_form: dict[str, str]) -> str | None:
    """The known label that shares a form with this one and is no more than a letter away."""
    if label in by_form and _plain(by_form[label]) == label:
        return by_form[label]
    shared = sorted({by_form[form] for form in _forms(label) if form in by_form})
    return next((name for name in shared if _is_one_letter_away(label, _plain(name))), None)


def _plain(label: str) -> str:
    return " ".join(label.casefold().split())


def _forms(label: str) -> set[str]:
    """The label without case, and without each one of its letters: two labels a letter apart have one in common."""
    plain = _plain(label)
    if len(plain) > LONGEST_LABEL:
        return {plain}
    return {plain} | {plain[:i] + plain[i + 1 :] for i, character in enumerate(plain) if character.isalpha()}


def _is_one_letter_away(a: str, b: str) -> bool:
    """Whether two labels are the same but for one letter of one word."""
    if WORD.split(a) != WORD.split(b):
        return False
    pairs = [(x, y) for x, y in zip(WORD.findall(a), WORD.findall(b), strict=True) if x != y]
    return len(pairs) == 1 and min(map(len, pairs[0])) >= SHORTEST_WORD and _is_one_edit(*pairs[0])


def _is_one_edit(a: str, b: str) -> bool:
    """Whether one letter changed, left out, added or swapped with its neighbour makes one word the other."""
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
