"""Sources that are given with their class, as in `spam=Junk/ ham=Archive.mbox 'ham=old/*.mbox'`. Imports little."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from textnb.corpora.files import STDIN, beginning, matching_paths

if TYPE_CHECKING:
    from textnb.corpora.recognition import Kinds


class Source(NamedTuple):
    """Paths of documents of one class, and the word by which somebody gave them."""

    word: str
    label: str
    paths: list[str]


class LabelledSources:
    """The documents of some paths, each path with the class of all its documents.

    Parameters
    ----------
    words : sequence of str
        `LABEL=PATH` each; a path may be a pattern of several, and `-` is stdin.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.sources: list[Source] = []
        self._of_paths: dict[str, Source] = {}  # by their real paths, however they are written
        for word in words:
            check_complete(word)
            parts = label_and_path(word)
            if parts is None:
                raise ValueError(f"which class is {word} of? Give each source with its class, as LABEL={word}")
            source = Source(word, parts[0], [])
            for path in existing_paths(*parts):
                known = self._of_paths.setdefault(_real(path), source)
                if known.label != source.label:
                    raise ValueError(f"{path} is given as {known.label} and as {source.label}: give it once")
                if known is source:
                    source.paths.append(path)
            self.sources.append(source)

    def inside(self, path: str) -> dict[str, str]:
        """The sources that lie below a path, by their real paths, as somebody gave them: each has its own class."""
        if not os.path.isdir(path):  # noqa: PTH112 (there may be many thousands, and Path takes its time)
            return {}
        above = beginning(_real(path))
        return {inner: source.word for inner, source in self._of_paths.items() if inner.startswith(above)}

    def __str__(self) -> str:
        return " ".join(source.word for source in self.sources)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Each path once, with its class."""
        return ((source.label, path) for source in self.sources for path in source.paths)

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self]

    @cached_property
    def kinds_of_each(self) -> list[tuple[str, Kinds]]:
        """What each source is, by some of its documents, with the word that it was given by."""
        from textnb.corpora.recognition import kinds_of

        return [(source.word, kinds_of(source.paths)) for source in self.sources]

    @cached_property
    def kinds(self) -> dict[bool, str]:
        """A source that is mail, and one that is not, as far as there are such; by some of their documents."""
        return {kinds.is_mail: word for word, kinds in reversed(self.kinds_of_each) if kinds.is_mail is not None}

    @property
    def is_mail(self) -> bool:
        """Whether they are mail; if some are and some are not, a ValueError."""
        kinds = self.kinds
        if len(kinds) == 2:
            raise ValueError(
                f"{kinds[True]} is mail and {kinds[False]} is not: say how to read them, as mail (--analyzer mail) or "
                "as plain text (--analyzer word)"
            )
        return True in kinds


def _real(path: str) -> str:
    return path if path == STDIN else os.path.realpath(path)


def label_and_path(word: str) -> tuple[str, str] | None:
    """The class and the path of `LABEL=PATH`; None for what is a path itself, or has no class."""
    label, sign, path = word.partition("=")
    if not (sign and label.strip() and path) or os.sep in label or os.path.lexists(word):
        return None
    return label, path


def check_complete(word: str) -> None:
    """Refuse `LABEL=` and `=PATH`, unless there is a file of that name."""
    label, sign, path = word.partition("=")
    if not sign or os.sep in label or os.path.lexists(word):
        return
    if not path:
        raise ValueError(f"{word} names a class and no file or folder: give both, as in {label.strip() or 'spam'}=Junk")
    if not label.strip():
        raise ValueError(f"{word} has no class before the sign =: give one, as in spam={path}")


def has_labels(words: Iterable[str]) -> bool:
    """Whether one of the words is `LABEL=PATH`."""
    return any(label_and_path(word) is not None for word in words)


def existing_paths(label: str, path: str) -> list[str]:
    """The paths that a path or a pattern names, sorted; if there are none, a FileNotFoundError."""
    if path == STDIN:
        return [path]
    paths = sorted(matching_paths(os.path.expanduser(path)))  # noqa: PTH111 (a path stays as it was written)
    if not os.path.lexists(paths[0]):
        raise FileNotFoundError(f"{label}={path}: there is no file or folder {path}")
    return paths
