"""The named corpora, as manifest.toml lists them."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from textnb.corpora.corpus import did_you_mean


@dataclass(frozen=True)
class Edition:
    """One form in which a corpus is published, and where it may be found."""

    title: str
    layout: str
    members: str
    digest: str
    archives: Sequence[str] = ()
    folders: str = ""
    addresses: Sequence[str] = ()
    package: Sequence[str] = ()


@dataclass(frozen=True)
class Entry:
    """A named corpus; its better editions stand first."""

    name: str
    title: str
    licence: str
    citation: str
    editions: tuple[Edition, ...]

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "editions": [edition.title for edition in self.editions]}


@cache
def read_manifest() -> dict[str, Entry]:
    tables = tomllib.loads(Path(__file__).with_name("manifest.toml").read_text("utf-8"))
    return {
        name: Entry(name, editions=tuple(Edition(**edition) for edition in table.pop("editions")), **table)
        for name, table in tables.items()
    }


def corpus_names() -> list[str]:
    """The names that `load_corpus` knows, sorted."""
    return sorted(read_manifest())


def find_entry(name: str) -> Entry:
    """The entry of that name; an unknown one is an error that lists the known ones."""
    manifest = read_manifest()
    if name not in manifest:
        raise ValueError(
            f"There is no corpus named {name!r}.{did_you_mean(name, manifest)} Known: {', '.join(sorted(manifest))}."
        )
    return manifest[name]
