"""Opening a model file: everything is checked before it is used, and only what is used need be read."""

import os
from typing import Any, Literal, TypeAlias
from zlib import crc32

import numpy as np

from textnb.storage.header import BLOCK_BYTES, DTYPES, Entry, ModelFileError, checksum, damaged
from textnb.storage.mapped import MappedFile, map_model

Verify: TypeAlias = Literal["all", "touched"]


class LazyArray:
    """A stored array whose blocks are checked when they are first touched.

    It has what a lookup needs of `numpy.ndarray`, so that either can be given: `len`, `array[indices]` for rows along
    the first axis (a slice, or integers), `searchsorted`, and `numpy.asarray` for the whole.
    """

    def __init__(self, path: str, entry: Entry, data: np.ndarray, blocks: np.ndarray) -> None:
        self._path, self._name = path, entry.name
        self._data = data
        self.dtype, self.shape = np.dtype(DTYPES[entry.dtype]), entry.shape
        self._values = data.view(self.dtype).reshape(entry.shape)
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

    def __init__(self, file: MappedFile, verify: Verify) -> None:
        content = np.frombuffer(file.buffer, dtype=np.uint8)
        self.path = file.path
        self.settings: dict[str, Any] = file.header.settings
        self.writer: dict[str, str] = file.header.writer
        self.nbytes = len(content)
        self._arrays: dict[str, LazyArray] = {}
        for name, place in file.places.items():
            blocks = content[place.checksums_begin : place.checksums_end].view("<u4")
            self._arrays[name] = LazyArray(self.path, place.entry, content[place.begin : place.end], blocks)
        if verify == "all":
            for name, array in self._arrays.items():
                array.check_all(file.header.checksums[name])

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
    """Open a model file and check it: `"all"` of it now, or the header now and the rest as it is `"touched"`."""
    if verify not in ("all", "touched"):
        raise ValueError(f"verify must be 'all' or 'touched', got {verify!r}.")
    return ModelFile(map_model(path), verify)
