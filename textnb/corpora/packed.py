"""Files that are packed, recognised by their first bytes: gzip, bzip2 and xz, and archives of files. Imports little."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import PurePosixPath
from typing import IO, Any

from textnb.corpora.files import MAILDIR, place_name

START = 1 << 14  # bytes of a file by which it is recognised
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/")  # zip files of office programs, which are no archives
_TAR_MARK = slice(257, 262)
_HEADERS = 1 << 20  # bytes that the headers of a tar member may have
_UNIQUE_NAME = re.compile(r"\d+\.")  # what a message's file in a maildir begins with
_INDEXES = ("dovecot", "courier", "maildirfolder", "subscriptions")  # other files that servers keep there


Content = BufferedReader | BytesIO


class PackedError(ValueError):
    """Why a packed file cannot be read, or not to its end."""


class Begun(RawIOBase):
    """A file, some of whose first bytes were read already, from its start on."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self.start, self.rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block, self.start = self.start[: len(buffer)], self.start[len(buffer) :]
        block = block or self.rest.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


class Unpacked(Begun):
    """What a packed file holds; where it is damaged, reading is a PackedError."""

    def readinto(self, buffer: Any) -> int:
        from textnb.corpora.archives import DAMAGED

        try:
            return super().readinto(buffer)
        except DAMAGED as error:
            raise PackedError(f"it is damaged, and not read to its end: {error}") from error


def begin(file: Any) -> tuple[bytes, Content]:
    """The first bytes of a file, and the file from its start on."""
    start = file.read(START)
    return start, BytesIO(start) if len(start) < START else BufferedReader(Begun(start, file), START)


def unpack(file: Any) -> tuple[bytes, Content, bool]:
    """The first bytes of what a file holds, packed or not, the content from its start on, and whether it was packed."""
    start, content = begin(file)
    if not is_packed(start):
        return start, content, False
    from textnb.corpora.archives import DECOMPRESSORS

    opener: Any = next(opener for magic, opener in DECOMPRESSORS if start.startswith(magic))
    return *begin(BufferedReader(Unpacked(b"", opener(content)))), True


def is_packed(content: bytes) -> bool:
    """Whether what starts like this is packed by gzip, bzip2 or xz."""
    return content.startswith(_PACKED)


def unpacked(content: bytes) -> bytes:
    """What these bytes hold, packed or not; a PackedError if that is an archive, damaged, or larger than a message."""
    start, whole, packed = unpack(BytesIO(content))
    if is_archive(start):
        raise PackedError("it is an archive of files, not one message: `textnb predict` reads those")
    if not packed:
        return content
    from textnb.corpora.mbox import MAX_MESSAGE

    content = whole.read(MAX_MESSAGE + 1)
    if len(content) > MAX_MESSAGE:
        raise PackedError(f"it has more than {MAX_MESSAGE:,} bytes")
    return content


def is_archive(start: bytes) -> bool:
    """Whether what starts like this, unpacked, is an archive of files."""
    is_zip = start.startswith(_ZIP) and not any(mark in start[:100] for mark in _OFFICE)
    return is_zip or start[_TAR_MARK] == b"ustar"


def archive_files(file: Any) -> Iterator[tuple[str, BufferedReader]]:
    """The place and the content of each file of an archive, one after the other: each is read before the next is there.

    A damaged, oversized or unsafe archive is a PackedError: nothing is unpacked beyond the limits of named corpora.
    """
    from textnb.corpora.archives import DAMAGED

    file.seek(0)
    start, content, _ = unpack(file)
    try:
        for name, member in _zip_files(file) if start.startswith(_ZIP) else _tar_files(content):
            if (place := place_in_archive(name)) is not None:
                yield place, BufferedReader(Unpacked(b"", member))
    except PackedError:
        raise
    except (ValueError, *DAMAGED) as error:
        raise PackedError(f"it is damaged or unsafe, and not read to its end: {error}") from error


def place_in_archive(name: str) -> str | None:
    """The place of a document among the members of an archive, as `walk_files` has it in a folder; None for others."""
    *folders, file = PurePosixPath(name).parts
    visible = folders
    if folders and folders[-1] in (*MAILDIR, "tmp") and _UNIQUE_NAME.match(file):
        if folders.pop() == "tmp":
            return None
        visible = folders[:-1]  # the name of a maildir's own folder begins with a dot
    elif file.startswith(_INDEXES):
        return None
    return None if any(part.startswith(".") for part in (*visible, file)) else "/".join([*folders, place_name(file)])


def _zip_files(file: Any) -> Iterator[tuple[str, IO[bytes]]]:
    from textnb.corpora.archives import MAX_BYTES, Allowance, safe_zip_files

    allowance = Allowance(MAX_BYTES)
    for archive, member in safe_zip_files(file, allowance):
        allowance.take(member.file_size)  # zipfile reads no more than this
        with archive.open(member) as content:
            yield member.filename, content


def _tar_files(content: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    import tarfile

    from textnb.corpora.archives import MAX_BYTES, Allowance, check_tar_member

    allowance, watched = Allowance(MAX_BYTES), _Watched(content)
    with tarfile.open(fileobj=watched, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            check_tar_member(member, allowance)
            allowance.take(member.size)
            watched.allowed = member.size + _HEADERS
            if member.isreg() and (inside := archive.extractfile(member)) is not None:
                yield member.name, inside
            archive.members = []  # which would grow with every member


class _Watched:
    """A file of which only so much may be read: tarfile takes headers of any length into memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.allowed = _HEADERS

    def read(self, size: int) -> bytes:
        block = self.file.read(size)
        self.allowed -= len(block)
        if self.allowed < 0:
            raise PackedError(f"it has a member whose header is longer than {_HEADERS:,} bytes")
        return block
