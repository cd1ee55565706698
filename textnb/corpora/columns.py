"""Which columns of a table are read: those named, in whatever case, or the usual ones where none is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from textnb.corpora.rows import BadTable, Note, ReadOptions

DEFAULTS = {"text": "text", "label": "label"}
USUAL = {
    "text": ("text", "content", "body", "message", "sentence", "document", "review", "comment", "tweet", "sms"),
    "label": ("label", "target", "category", "class", "labels", "sentiment", "topic"),
}
OPTIONS = {"text": "--text", "label": "--label (--label-column)", "groups": "--groups"}
SHOWN = 20  # columns in an error
WIDTH = 40  # characters of each

Name = TypeVar("Name", bound=str | None)


class NoColumn(BadTable):
    """A column that a table does not have."""


class SameName(NoColumn):
    """A name that several columns of a table have."""


def found_columns(options: ReadOptions, names: Sequence[str], note: Note = lambda notice: None) -> ReadOptions:
    """The options with the columns as a table names them; what was not named so is noted.

    A label that is not required may be missing.
    """
    text = None if options.text is None else find(options.text, names, "text")
    label = options.label
    if options.label_required or folded(label) in map(folded, names):
        label = find(label, names, "label")
        if options.label_required and label == text:
            raise BadTable(
                f"its column {label!r} would give both the texts and the labels, which would be learned from "
                f"themselves: name another by {OPTIONS['text']} or {OPTIONS['label']}"
            )
    groups = None if options.groups is None else find(options.groups, names, "groups")
    columns, numeric = ([find(name, names) for name in some] for some in (options.columns, options.numeric))
    chosen = [
        f"{what} from {name!r}"
        for what, name, wanted in (
            ("texts are read", text, options.text),
            ("labels", label, options.label),
            ("groups", groups, options.groups),
        )
        if name != wanted
    ]
    if chosen:
        note(", ".join(chosen))
    return replace(options, text=text, label=label, groups=groups, columns=columns, numeric=numeric)


def find(wanted: str, names: Sequence[str], kind: str | None = None) -> str:
    """The name of a column: as it is wanted, in another case, or of a `kind` by default, the only usual one."""
    alike = [name for name in names if name == wanted] or [name for name in names if folded(name) == folded(wanted)]
    if len(alike) == 1:
        return alike[0]
    if len(alike) > 1:
        raise SameName(f"it has two columns {wanted!r} (columns: {listed(names)})")
    usual = []
    if kind in DEFAULTS and wanted == DEFAULTS[kind]:
        usual = [name for name in names if folded(name) in USUAL[kind]]
        if len(usual) == 1:
            return usual[0]
    option = f" by {OPTIONS[kind]}" if kind in OPTIONS else ""
    if usual:
        raise NoColumn(
            f"it has no column {wanted!r}, and several that may be meant, {listed(usual)}: choose one{option}"
        )
    close = [names[[folded(name) for name in names].index(match)] for match in _close(wanted, names)]
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise NoColumn(
        f"it has no column {wanted!r}.{hint} It names the columns {listed(names)}: choose among them{option}"
    )


def is_number(name: str | None) -> bool:
    """Whether a column is named by its position, such as 2."""
    return name is not None and name.isascii() and name.isdecimal()


def folded(name: str) -> str:
    return name.strip().casefold()


def listed(names: Iterable[str]) -> str:
    """The first columns of a table, for people."""
    names = list(names)
    shown = ", ".join(repr(name if len(name) <= WIDTH else f"{name[:WIDTH]}…") for name in names[:SHOWN])
    return f"{shown}, and {len(names) - SHOWN:,} more" if len(names) > SHOWN else shown


def _close(wanted: str, names: Sequence[str]) -> list[str]:
    return get_close_matches(folded(wanted), [folded(name) for name in names[:1000]], n=2)
