"""The bytes of a model file and its checked header, without numpy: what every reader of model files starts from."""

import mmap
import os
import stat
from typing import NamedTuple

from textnb.storage.header import (
    BLOCK_TABLE,
    MAX_HEADER_BYTES,
    SEAL_PREFIX,
    Entry,
    Header,
    ModelFileError,
    checksum,
    damaged,
    decode_header,
)

_READ_WHOLE_BELOW = 1 << 20


class Place(NamedTuple):
    """Where a file has an array, and the CRC-32s of its blocks: the first and the last byte + 1 of each."""

    entry: Entry
    begin: int
    end: int
    checksums_begin: int
    checksums_end: int


class MappedFile(NamedTuple):
    """An open model file. Its header and the table of block checksums are checked, its arrays are not."""

    path: str
    buffer: bytes | mmap.mmap
    header: Header
    places: dict[str, Place]  # of all arrays but the table of block checksums, in file order


def map_model(path: str | os.PathLike[str]) -> MappedFile:
    """Open a model file and check its header.

    A file of 1 MiB or more is mapped, not read. Should another program cut it short in place while it is in use, the
    next access to the lost part ends the process (SIGBUS); `write_model` never does that, it replaces the whole file.
    """
    path = os.fspath(path)
    # O_NONBLOCK: a named pipe would wait for a writer before it could be refused.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{path!r} is not a textnb model file: it is not a regular file. Give another path.")
        buffer, header_bytes = _read(descriptor, status.st_size, path)
    finally:
        os.close(descriptor)
    header = decode_header(bytes(buffer[:header_bytes]), path, len(buffer) - header_bytes)
    return MappedFile(path, buffer, header, _places(path, buffer, header, header_bytes))


def _read(descriptor: int, size: int, path: str) -> tuple[bytes | mmap.mmap, int]:
    """The file's bytes, and how many of them are the header."""
    start = os.read(descriptor, 8 + len(SEAL_PREFIX))
    header_bytes = 8 + int.from_bytes(start[:8], "little")
    if start[8:] != SEAL_PREFIX or header_bytes > MAX_HEADER_BYTES:
        raise ModelFileError(
            f"{path!r} is not a textnb model file, or its first bytes are damaged. Give a file that textnb has saved."
        )
    if size >= _READ_WHOLE_BELOW:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ), header_bytes
    os.lseek(descriptor, 0, os.SEEK_SET)
    buffer = os.read(descriptor, size)
    if len(buffer) < size:
        raise damaged(path, "it was cut short while it was read")
    return buffer, header_bytes


def _places(path: str, buffer: bytes | mmap.mmap, header: Header, header_bytes: int) -> dict[str, Place]:
    table = next(entry for entry in header.entries if entry.name == BLOCK_TABLE)
    at, end = header_bytes + table.begin, header_bytes + table.end
    if checksum(memoryview(buffer)[at:end]) != header.checksums[BLOCK_TABLE]:
        raise damaged(path, "the table of block checksums does not match its own")
    places = {}
    for entry in header.entries:
        if entry is not table:
            begin, stop = header_bytes + entry.begin, header_bytes + entry.end
            places[entry.name] = Place(entry, begin, stop, at, at := at + 4 * entry.blocks)
    return places
