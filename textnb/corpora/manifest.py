"""The named corpora, as manifest.toml lists them."""

import tomllib
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
    archives: tuple[str, ...] = ()
    folders: str = ""
    addresses: tuple[str, ...] = ()
    package: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A named corpus; its better editions stand first."""

    name: str
    title: str
    licence: str
    citation: str
    editions: tuple[Edition, ...]


@cache
def read_manifest() -> dict[str, Entry]:
    """The entries of manifest.toml by name."""
    with Path(__file__).with_name("manifest.toml").open("rb") as file:
        return {name: _entry(name, table) for name, table in tomllib.load(file).items()}


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


def _entry(name: str, table: dict[str, Any]) -> Entry:
    editions = tuple(_edition(edition) for edition in table.pop("editions"))
    return Entry(name=name, editions=editions, **table)


def _edition(table: dict[str, Any]) -> Edition:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Edition(**fields)
