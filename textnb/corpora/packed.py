"""Files that are packed, recognised by their first bytes: gzip, bzip2 and xz, and archives of files. Imports little."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from os.path import commonpath
from pathlib import PurePosixPath
from typing import IO, Any, TypeAlias

from textnb.corpora.files import MAILDIR, place_name

START = 1 << 14  # bytes of a file by which it is recognised
_PACKED = re.compile(rb"\x1f\x8b\x08|BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\x00")  # the second one of nothing
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/")  # zip files of office programs, which are no archives
_TAR_HEADER = 512  # bytes
_TAR_SUM, _TAR_MARK = slice(148, 156), slice(257, 262)
_HEADERS = 1 << 20  # bytes that the headers of a tar member may have


Content = BufferedReader | BytesIO
OpenMember: TypeAlias = Callable[[], Any]


class PackedError(ValueError):
    """Why a packed file cannot be read, or not to its end."""


class ArchiveError(PackedError):
    """Why an archive cannot be read further; of a member that cannot be read, a PackedError says why."""


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


def gives_packed(file: Any) -> bool:
    """Whether what a file gives was packed: its size then says nothing of how much it is."""
    from gzip import GzipFile

    return isinstance(file, GzipFile) or isinstance(getattr(file, "raw", None), Unpacked)


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
    return _PACKED.match(content) is not None


def unpacked(content: bytes) -> bytes:
    """What these bytes hold, packed or not; a PackedError if that is an archive, damaged, or larger than a message."""
    start, whole, packed = unpack(BytesIO(content))
    if is_archive(start):
        raise PackedError("it is an archive of files, not one message: `textnb predict` reads those")
    if not packed:
        return content
    from textnb.corpora.mbox import MAX_MESSAGE, too_large

    content = whole.read(MAX_MESSAGE + 1)
    if len(content) > MAX_MESSAGE:
        raise PackedError(too_large())
    return content


def is_archive(start: bytes) -> bool:
    """Whether what starts like this, unpacked, is an archive of files."""
    is_zip = start.startswith(_ZIP) and not any(mark in start[:100] for mark in _OFFICE)
    return is_zip or (start[_TAR_MARK] == b"ustar" and _is_tar_header(start[:_TAR_HEADER]) and not _is_headed(start))


def _is_tar_header(block: bytes) -> bool:
    """Whether the sum that a header of tar has of its bytes is right, its own place counted as blanks."""
    field = block[_TAR_SUM].strip(b" \0")
    own_sum = sum(block) - sum(block[_TAR_SUM]) + 8 * ord(" ")
    return len(block) == _TAR_HEADER and re.fullmatch(b"[0-7]+", field) is not None and int(field, 8) == own_sum


def _is_headed(start: bytes) -> bool:
    """Whether text starts with a line of a message's header. (The first name in a tar file has NUL bytes after it.)"""
    from textnb.text.mail.grammar import BEFORE_HEADER, MAILBOX_LINE, NAME_AND_COLON

    first_line = BEFORE_HEADER + f"(?:{MAILBOX_LINE}|{NAME_AND_COLON})".encode() + rb"[^\n\0]*\n"
    return re.match(first_line, start) is not None


class Archive:
    """An archive of files: its documents are those of the folder that it unpacks to, at the same places.

    It is read twice, since whether a folder is a maildir is not known before all of its folders are. What is damaged,
    oversized or unsafe is an ArchiveError: nothing is unpacked beyond the limits of named corpora.

    Attributes
    ----------
    places : dict
        The place of each member that is a document, by its name.
    failure : ArchiveError or None
        Why there may be more members than those.
    """

    def __init__(self, file: Any) -> None:
        self.file = file
        self.failure: ArchiveError | None = None
        self._folders: set[str] = set()  # with a / at the end of each, the archive's own is empty
        paths: dict[str, PurePosixPath] = {}
        try:
            for name, open_member in self._members():
                path = PurePosixPath(name)
                self._folders.update(map(_folder, path.parents))
                if open_member is None:
                    self._folders.add(_folder(path))
                else:
                    paths[name] = path
        except ArchiveError as error:
            self.failure = error
        self._root = f"{commonpath([path.parent for path in paths.values()])}/" if paths else ""
        places = {name: self._place(path) for name, path in paths.items()}
        self.places = {name: place for name, place in places.items() if place is not None}

    def __iter__(self) -> Iterator[tuple[str, BufferedReader]]:
        """The place and the content of each document, one after the other: each is read before the next is there.

        Where a document cannot be read, that is a PackedError, and the next one's turn.
        """
        for name, open_member in self._members():
            if open_member is not None and name in self.places:
                yield self.places[name], BufferedReader(Unpacked(b"", open_member()))

    def _place(self, path: PurePosixPath) -> str | None:
        """The place of a file, as `walk_files` has it; None for one that it passes over.

        The folder that all files lie in may be hidden: somebody who reads it from the disk gives it by its name.
        """
        folder = path.parent
        if folder.name in MAILDIR and self._is_maildir(_folder(folder.parent)):
            folder = folder.parent
        elif self._is_maildir(_folder(folder)):
            return None
        above = ""
        for name in folder.parts:
            below = f"{above}{name}/"
            if self._is_maildir(above):
                if name in (*MAILDIR, "tmp") or not self._is_maildir(below):
                    return None
            elif name.startswith(".") and not self._root.startswith(below):
                return None
            above = below
        return None if path.name.startswith(".") else above + place_name(path.name)

    def _is_maildir(self, folder: str) -> bool:
        return all(f"{folder}{name}/" in self._folders for name in MAILDIR)

    def _members(self) -> Iterator[tuple[str, OpenMember | None]]:
        """The name of each member that is a file or folder, and what opens it if it is a file."""
        from textnb.corpora.archives import DAMAGED

        self.file.seek(0)
        try:
            start, content, _ = unpack(self.file)
            yield from _zip_members(self.file) if start.startswith(_ZIP) else _tar_members(content)
        except (ValueError, *DAMAGED) as error:
            raise _not_read_further(error) from error


def _folder(path: PurePosixPath) -> str:
    return "".join(f"{part}/" for part in path.parts)


def _not_read_further(error: Exception) -> ArchiveError:
    if isinstance(error, ArchiveError):
        return error
    why = "" if isinstance(error, PackedError) else "it is damaged or unsafe, and not read to its end: "
    return ArchiveError(f"{why}{error}")


def _zip_members(file: Any) -> Iterator[tuple[str, OpenMember | None]]:
    from textnb.corpora.archives import MAX_BYTES, Allowance, safe_zip_members

    allowance = Allowance(MAX_BYTES)
    for archive, member in safe_zip_members(file, allowance):
        allowance.take(member.file_size)  # zipfile reads no more than this
        yield member.filename, None if member.is_dir() else partial(_ZipMember, partial(archive.open, member))


def _tar_members(content: IO[bytes]) -> Iterator[tuple[str, OpenMember | None]]:
    import tarfile

    from textnb.corpora.archives import MAX_BYTES, Allowance, check_tar_member

    allowance, watched = Allowance(MAX_BYTES), _Watched(content)
    with tarfile.open(fileobj=watched, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            check_tar_member(member, allowance)
            allowance.take(member.size)
            watched.allowed = member.size + _HEADERS
            yield member.name, partial(_TarMember, archive.extractfile(member)) if member.isreg() else None
            archive.members = []  # which would grow with every member


class _ZipMember:
    """A member of a zip archive, opened when it is read: what is wrong with it concerns no other."""

    def __init__(self, open_member: Callable[[], IO[bytes]]) -> None:
        self.open_member = open_member
        self.file: IO[bytes] | None = None

    def read(self, size: int) -> bytes:
        self.file = self.file or self.open_member()
        return self.file.read(size)


class _TarMember:
    """A member of a tar archive: if it cannot be read, neither can what follows it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def read(self, size: int) -> bytes:
        from textnb.corpora.archives import DAMAGED

        try:
            return self.file.read(size)
        except (PackedError, *DAMAGED) as error:
            raise _not_read_further(error) from error


class _Watched:
    """A file of which only so much may be read: tarfile takes headers of any length into memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.allowed = _HEADERS

    def read(self, size: int) -> bytes:
        block = self.file.read(size)
        self.allowed -= len(block)
        if self.allowed < 0:
            raise ArchiveError(f"it has a member whose header is longer than {_HEADERS:,} bytes")
        return block
