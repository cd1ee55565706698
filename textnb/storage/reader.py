"""Opening a model file: everything is checked before it is used, and only what is used need be read."""

import mmap
import os
import stat
from typing import Any, Literal, TypeAlias
from zlib import crc32

import numpy as np

from textnb.storage.header import (
    BLOCK_BYTES,
    BLOCK_TABLE,
    MAX_HEADER_BYTES,
    SEAL_PREFIX,
    Entry,
    ModelFileError,
    checksum,
    damaged,
    decode_header,
)

Verify: TypeAlias = Literal["all", "touched"]

_READ_WHOLE_BELOW = 1 << 20


class LazyArray:
    """A stored array whose blocks are checked when they are first touched.

    It has what a lookup needs of `numpy.ndarray`, so that either can be given: `len`, `array[indices]` for rows along
    the first axis (a slice, or integers), `searchsorted`, and `numpy.asarray` for the whole.
    """

    def __init__(self, path: str, entry: Entry, data: np.ndarray, blocks: np.ndarray) -> None:
        self._path, self._name = path, entry.name
        self._data = data
        self._values = data.view(entry.dtype).reshape(entry.shape)
        self.dtype, self.shape = entry.dtype, entry.shape
        self._blocks = blocks
        self._unchecked = np.ones(len(blocks), dtype=bool)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, indices: np.ndarray | slice) -> np.ndarray:
        row_bytes = self._data.size // max(len(self), 1)
        if isinstance(indices, slice):
            start, stop, _ = indices.indices(len(self))
            self._check(np.arange(start * row_bytes // BLOCK_BYTES, -(-stop * row_bytes // BLOCK_BYTES)))
            return self._values[indices]
        rows: np.ndarray = self._values[indices]
        if rows.size:
            starts = np.asarray(indices, dtype=np.int64) % len(self) * row_bytes
            first, last = starts // BLOCK_BYTES, (starts + row_bytes - 1) // BLOCK_BYTES
            reach = np.arange((row_bytes - 1) // BLOCK_BYTES + 2)
            self._check(np.minimum(first[..., None] + reach, last[..., None]))
        return rows

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._check(np.arange(len(self._blocks)))
        return np.array(self._values, dtype=dtype, copy=copy)

    def searchsorted(self, values: np.ndarray) -> np.ndarray:
        """`numpy.searchsorted`. The search itself reads unchecked blocks, but the two values that it ends between are
        among those it has compared, and prove its answer: it is enough to check them.
        """
        positions: np.ndarray = self._values.searchsorted(values)
        self[positions[positions < len(self)]]
        self[positions[positions > 0] - 1]
        return positions

    def check_all(self, expected: str) -> None:
        """Compare the whole with its checksum."""
        if checksum(self._data.data) != expected:
            raise damaged(self._path, f"array {self._name!r} does not match its checksum")
        self._unchecked[:] = False

    def _check(self, touched: np.ndarray) -> None:
        data = self._data.data
        for block in sorted(set(touched[self._unchecked[touched]].tolist())):
            if crc32(data[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES]) != self._blocks[block]:
                raise damaged(self._path, f"array {self._name!r} does not match the checksum of its block {block}")
            self._unchecked[block] = False


class ModelFile:
    """An open model file. Arrays are read-only views of the file, which stays open as long as any of them lives."""

    def __init__(self, path: str, buffer: bytes | mmap.mmap, header_bytes: int, verify: Verify) -> None:
        header = decode_header(bytes(buffer[:header_bytes]), path, len(buffer) - header_bytes)
        data = np.frombuffer(buffer, dtype=np.uint8)[header_bytes:]
        views = {entry.name: data[entry.begin : entry.end] for entry in header.entries}
        if checksum(views[BLOCK_TABLE].data) != header.checksums[BLOCK_TABLE]:
            raise damaged(path, "the table of block checksums does not match its own")

        self.path = path
        self.settings: dict[str, Any] = header.settings
        self.writer: dict[str, str] = header.writer
        self.nbytes = len(buffer)
        self._arrays: dict[str, LazyArray] = {}
        table, start = views.pop(BLOCK_TABLE).view("<u4"), 0
        for entry in header.entries:
            if entry.name != BLOCK_TABLE:
                blocks = table[start : start + entry.blocks]
                self._arrays[entry.name] = LazyArray(path, entry, views[entry.name], blocks)
                start += entry.blocks
        if verify == "all":
            for name, array in self._arrays.items():
                array.check_all(header.checksums[name])

    def damaged(self, what: str) -> ModelFileError:
        """The error to raise where the content makes no sense."""
        return damaged(self.path, what)

    @property
    def names(self) -> list[str]:
        return sorted(self._arrays)

    def array(self, name: str) -> np.ndarray:
        """The whole array, checked: a read-only view of the file, no copy."""
        return np.asarray(self.lazy(name))

    def rows(self, name: str, indices: np.ndarray) -> np.ndarray:
        """A copy of some rows along the first axis; only the blocks that hold them are read and checked."""
        return self.lazy(name)[indices]

    def lazy(self, name: str) -> LazyArray:
        """The array, to be checked as it is touched."""
        if name not in self._arrays:
            raise damaged(self.path, f"it has no array {name!r}")
        return self._arrays[name]


def open_model(path: str | os.PathLike[str], verify: Verify = "all") -> ModelFile:
    """Open a model file and check it: `"all"` of it now, or the header now and the rest as it is `"touched"`.

    A file of 1 MiB or more is mapped, not read. Should another program cut it short in place while it is in use, the
    next access to the lost part ends the process (SIGBUS); `write_model` never does that, it replaces the whole file.
    """
    if verify not in ("all", "touched"):
        raise ValueError(f"verify must be 'all' or 'touched', got {verify!r}.")
    path = os.fspath(path)
    # O_NONBLOCK: a named pipe would wait for a writer before it could be refused.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{path!r} is not a textnb model file: it is not a regular file. Give another path.")
        return ModelFile(path, *_read(descriptor, status.st_size, path), verify)
    finally:
        os.close(descriptor)


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
