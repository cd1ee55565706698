"""The user's cache: one file per edition, named by its content digest."""

import json
import os
import sys
import tempfile
from pathlib import Path

from textnb.corpora.archives import Members
from textnb.corpora.manifest import Edition, Entry


def cache_folder() -> Path:
    """$TEXTNB_CACHE, else textnb's folder where the platform keeps caches."""
    if chosen := os.environ.get("TEXTNB_CACHE"):
        return Path(chosen).expanduser()
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen, "textnb")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "textnb", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/textnb"
    return Path.home() / ".cache/textnb"


def cache_file(edition: Edition) -> Path:
    return cache_folder() / f"{edition.digest}.corpus"


def is_cached(entry: Entry) -> bool:
    return any(cache_file(edition).exists() for edition in entry.editions)


def read_cached(edition: Edition) -> Members:
    """The cached members. They are verified like any source's: hashing them costs little."""
    return unpack(cache_file(edition).read_bytes())


def write_cached(edition: Edition, members: Members) -> Path:
    """Store members that have been verified. The file appears whole or not at all, so two writers do no harm."""
    target = cache_file(edition)
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pack(members))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def pack(members: Members) -> bytes:
    """A line of JSON with each name and size, then the contents in that order."""
    names = sorted(members)
    index = json.dumps([[name, len(members[name])] for name in names])
    return b"".join([index.encode(), b"\n", *(members[name] for name in names)])


def unpack(packed: bytes) -> Members:
    """The members that `pack` wrote; what it did not write is a ValueError."""
    start = packed.find(b"\n") + 1
    members: Members = {}
    try:
        for name, size in json.loads(packed[:start]):
            members[name] = packed[start : start + size]
            start += size
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError("it is not a cached corpus") from error
    return members
