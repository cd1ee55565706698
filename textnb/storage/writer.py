"""Writing a model file: canonical bytes, and the old file or the new one whatever happens."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import ENOSPC
from io import FileIO
from itertools import islice
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from textnb.storage.header import (
    BLOCK_BYTES,
    BLOCK_TABLE,
    DTYPES,
    JSON,
    PLAIN_READER,
    Entry,
    Header,
    checksum,
    encode_header,
    place,
    valid_name,
)
from textnb.storage.lock import short_name, try_lock

if TYPE_CHECKING:
    from pathlib import Path

_MOST_NAMES = 5000
_CODES = {np.dtype(name): code for code, name in DTYPES.items()}


def write_model(
    path: str | os.PathLike[str],
    arrays: Mapping[str, np.ndarray],
    settings: Mapping[str, JSON],
    *,
    writer: Mapping[str, str] | None = None,
    reader: int = PLAIN_READER,
) -> int:
    """Write named arrays and settings to `path`, and say how many bytes it has; the same ones give the same bytes.

    `writer` says which library and Unicode versions made the model; by default, this one. A file that is only rewritten
    passes on the `writer` it was opened with, and so stays the same to the byte. Readers of a version before `reader`
    refuse the file, and say so. A symbolic link is written through.
    """
    from pathlib import Path  # 5 ms that reading a model need not wait for

    stored = {name: _storable(name, array) for name, array in arrays.items()}
    order = [entry.name for entry in _place(stored)]
    blocks = [crc for name in order for crc in _block_checksums(_bytes(stored[name]))]
    stored[BLOCK_TABLE] = np.array(blocks, dtype=DTYPES["U32"])

    entries = _place(stored)
    checksums = {name: checksum(_bytes(array)) for name, array in stored.items()}
    versions = _versions() if writer is None else dict(writer)
    header = encode_header(Header(entries, checksums, dict(settings), versions, reader))
    parts = [memoryview(header), *(_bytes(stored[entry.name]) for entry in entries)]
    try:
        _replace_file(Path(os.path.realpath(path)), parts)  # `Path.resolve` has another error for a loop of links
    except OSError as error:
        advice = "; make room, or choose another folder" if error.errno == ENOSPC else ""
        raise OSError(error.errno, f"the model cannot be written: {error.strerror}{advice}", os.fspath(path)) from error
    return sum(map(len, parts))


def _place(arrays: Mapping[str, np.ndarray]) -> list[Entry]:
    return place((name, _CODES[array.dtype], array.shape) for name, array in arrays.items())


def _storable(name: str, array: np.ndarray) -> np.ndarray:
    if not valid_name(name):
        raise ValueError(f"array name {name!r} must be a letter followed by up to 99 of A-Z a-z 0-9 _ . -")
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        allowed = ", ".join(dtype.name for dtype in _CODES)
        raise ValueError(f"array {name!r} has dtype {array.dtype}; convert it to one of {allowed}.")
    return np.asarray(array, dtype=dtype, order="C")


def _bytes(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _block_checksums(data: memoryview) -> Iterable[int]:
    return (crc32(data[start : start + BLOCK_BYTES]) for start in range(0, len(data), BLOCK_BYTES))


def _versions() -> dict[str, str]:
    import unicodedata

    from textnb import __version__

    return {"textnb": __version__, "unicode": unicodedata.unidata_version}


def _replace_file(path: Path, parts: Iterable[memoryview]) -> None:
    """Write a temporary file in the same folder and rename it, each step flushed to the disk.

    An existing file's mode is kept. Only a kill leaves the temporary file behind, until the next writer sweeps it.
    """
    try:
        old_mode = path.stat().st_mode
    except FileNotFoundError:
        old_mode = None
    if old_mode is not None and not stat.S_ISREG(old_mode):
        raise ValueError(f"cannot write a model to {str(path)!r}: it is not a regular file. Choose another path.")

    _sweep(path)
    temporary, descriptor = _open_temporary(path, 0o666 if old_mode is None else stat.S_IMODE(old_mode))
    try:
        with _closing(descriptor):
            if old_mode is not None:
                temporary.chmod(stat.S_IMODE(old_mode))  # whatever the umask
            for part in parts:
                _write(descriptor, part)
            os.fsync(descriptor)
            if os.name != "nt":  # while it is open, its lock keeps it from being swept
                temporary.replace(path)
        if os.name == "nt":  # an open file cannot be renamed there
            temporary.replace(path)
    except BaseException:
        _discard(temporary)
        raise
    _sync_folder(path.parent)


def _open_temporary(path: Path, mode: int) -> tuple[Path, int]:
    """A new file beside `path`, locked as long as its descriptor is open."""
    prefix = _temporary_prefix(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = path.with_name(f"{prefix}{os.urandom(8).hex()}.tmp")
        descriptor = os.open(temporary, flags, mode)
        try:
            if _claim(descriptor) and temporary.exists():
                return temporary, descriptor
        except BaseException:
            with _closing(descriptor):
                _discard(temporary)
            raise
        os.close(descriptor)  # swept between the two


@contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    """What has been flushed is on the disk, and what has not is thrown away: an error of closing says nothing."""
    try:
        yield
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _discard(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink()


def _claim(descriptor: int) -> bool:
    try:
        return try_lock(descriptor)
    except OSError:  # where there are no locks, nobody sweeps either
        return True


def _sweep(path: Path) -> None:
    """Remove temporary files that killed writers of `path` left: those that nobody has locked.

    Of a crowded folder only a part is looked at: 100,000 names would take longer than the writing.
    """
    if os.name == "nt":
        return
    prefix = _temporary_prefix(path)
    length = len(prefix) + 16 + len(".tmp")
    with suppress(OSError), os.scandir(path.parent) as folder:
        for name in [file.name for file in islice(folder, _MOST_NAMES)]:
            if name.startswith(prefix) and name.endswith(".tmp") and len(name) == length:
                _remove_if_dead(path.with_name(name))


def _remove_if_dead(temporary: Path) -> None:
    with suppress(OSError), FileIO(os.open(temporary, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))) as file:
        if try_lock(file.fileno()):
            temporary.unlink()


def _temporary_prefix(path: Path) -> str:
    return f".textnb-{short_name(path.name)}-"


def _write(descriptor: int, data: memoryview) -> None:
    while len(data):
        data = data[os.write(descriptor, data) :]


def _sync_folder(folder: Path) -> None:
    """Flush the new name of the file. The rename was the commit: where this is refused, the model is written."""
    if os.name == "nt":  # folders cannot be opened there
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        warnings.warn(
            f"the model is written, but its folder {str(folder)!r} cannot be flushed to the disk ({error.strerror}): "
            "should the power fail in the next seconds, the old model may be back",
            stacklevel=4,
        )
