"""Members of archives and folders: what a corpus's files are, wherever they come from.

Nothing is ever written from a member's name. Names that would leave the folder, and links, are refused all the same: an
archive that has them is not the corpus.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

MAX_BYTES = 1 << 30
MAX_MEMBERS = 500_000
DECOMPRESSORS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
# Whatever the standard library raises on damaged bytes; RuntimeError is zipfile's for what it cannot unpack.
DAMAGED = (
    *(tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error),
    *(EOFError, OSError, RuntimeError),
)
LINK_OR_DEVICE = "is a link or a device"

Members = dict[str, bytes]


def content_digest(members: Members) -> str:
    """SHA-256 over `name NUL length NUL bytes` of each member, by name: the same whatever archive they came in."""
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name}\0{len(members[name])}\0".encode())
        digest.update(members[name])
    return digest.hexdigest()


def canonical_name(path: str, pattern: str) -> str | None:
    """The groups that the pattern finds at the end of a member's path, joined by "/"; None for other files.

    Archives of a corpus differ in their outer folders and extensions; the canonical name does not.
    """
    match = re.search(f"(?:^|/){pattern}$", path)
    return "/".join(filter(None, match.groups())) if match else None


def read_archive(file: IO[bytes], pattern: str, max_bytes: int = MAX_BYTES) -> Members:
    """The members of a tar (plain, gz, bz2, xz) or zip archive that match the pattern, by canonical name.

    A damaged, oversized or unsafe archive is a ValueError.
    """
    try:
        if zipfile.is_zipfile(file):
            return _collect(_zip_members(file, pattern, max_bytes))
        file.seek(0)
        return _collect(_tar_members(file, pattern, max_bytes))
    except DAMAGED as error:
        raise ValueError(f"the archive is damaged: {error}") from error


def read_folder(folders: Iterable[Path], pattern: str, max_bytes: int = MAX_BYTES) -> Members:
    return _collect(_folder_members(folders, pattern, max_bytes))


def _collect(entries: Iterable[tuple[str, bytes]]) -> Members:
    members: Members = {}
    for name, content in entries:
        if name in members:
            raise ValueError(f"{name} is there twice")
        members[name] = content
    return members


class Allowance:
    """How many bytes and members may still be unpacked."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = self.bytes_left = max_bytes
        self.members_left = MAX_MEMBERS

    def take(self, size: int) -> None:
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise ValueError(f"it unpacks to more than {self.max_bytes:,} bytes")

    def take_member(self, name: str) -> None:
        self.members_left -= 1
        if self.members_left < 0:
            raise ValueError(f"it has more than {MAX_MEMBERS:,} members")
        if name.startswith(("/", "\\")) or re.match("[A-Za-z]:", name) or ".." in re.split(r"[/\\]", name):
            raise ValueError(f"member {name!r} lies outside the archive's folder")


def _tar_members(file: IO[bytes], pattern: str, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    allowance = Allowance(max_bytes)
    start = file.read(6)
    file.seek(0)
    opener: Any = next((opener for magic, opener in DECOMPRESSORS if start.startswith(magic)), None)
    unpacked = (opener(file) if opener else file).read(max_bytes + 1)
    allowance.take(len(unpacked))
    with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
        for member in archive:
            check_tar_member(member, allowance)
            if member.isreg() and (name := canonical_name(member.name, pattern)):
                yield name, unpacked[member.offset_data : member.offset_data + member.size]


def _zip_members(file: IO[bytes], pattern: str, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    allowance = Allowance(max_bytes)
    for archive, member in safe_zip_members(file, allowance):
        if not member.is_dir() and (name := canonical_name(member.filename, pattern)):
            allowance.take(member.file_size)  # zipfile reads no more than this
            yield name, archive.read(member)


def check_tar_member(member: tarfile.TarInfo, allowance: Allowance) -> None:
    """Refuse a member that is no file or folder, or not in the archive's own folder."""
    allowance.take_member(member.name)
    if not (member.isreg() or member.isdir()):
        raise ValueError(f"member {member.name!r} {LINK_OR_DEVICE}")


def safe_zip_members(file: IO[bytes], allowance: Allowance) -> Iterator[tuple[zipfile.ZipFile, zipfile.ZipInfo]]:
    """The open archive with each of its members, a file or a folder; one that is unsafe is a ValueError."""
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            allowance.take_member(member.filename)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ValueError(f"member {member.filename!r} {LINK_OR_DEVICE}")
            yield archive, member


def _folder_members(folders: Iterable[Path], pattern: str, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    allowance = Allowance(max_bytes)
    for folder in folders:
        for parent, _, files in os.walk(folder):
            inside = Path(parent).relative_to(folder.parent).as_posix()
            for file in files:
                path = Path(parent, file)
                if (name := canonical_name(f"{inside}/{file}", pattern)) and path.is_file():
                    allowance.take(path.stat().st_size)
                    yield name, path.read_bytes()
