"""The header of a model file: what lies where, sealed by a checksum and canonical to the last byte.

The file, in order:

    8 bytes   length of the header, little-endian
    header    {"__metadata__": {"checksum": …, …}, NAME: {"dtype": …, "shape": …, "data_offsets": …}, …} and spaces
    data      the arrays without holes, widest items first, so that every array is aligned

It is read without numpy, for those who call textnb once per message.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

FORMAT_VERSION = 3  # what is written
READER_VERSION = 5  # what this reader understands
PLAIN_READER = 3  # what a reader must understand to read most files

BLOCK_BYTES = 4096
"""One CRC-32 for this many bytes of each array. A looked-up word costs a block in each of five arrays."""
BLOCK_TABLE = "__blocks__"
"""The array of those CRC-32s: each array's in turn, in file order."""

MAX_HEADER_BYTES = 1 << 24
"""Parsed JSON takes up to thirty times its text: a stranger's header gets about half a gigabyte."""

DTYPES = {
    "F64": "<f8",
    "I64": "<i8",
    "U64": "<u8",
    "F32": "<f4",
    "I32": "<i4",
    "U32": "<u4",
    "F16": "<f2",
    "U16": "<u2",
    "U8": "|u1",
}
"""How safetensors and how numpy call the types of arrays."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}")
_MAX_DIMENSIONS = 8
# The seal comes first in every header, so that it is found without parsing and marks the file as ours.
SEAL_PREFIX = b'{"__metadata__":{"checksum":"'
_BLANK_SEAL = "0" * 64


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or needs a newer textnb."""


def damaged(path: str, what: str) -> ModelFileError:
    return ModelFileError(f"{path!r} is damaged: {what}. Restore it from a copy, or train the model again.")


class Entry(NamedTuple):
    """An array's place: bytes begin to end of the data that follow the header."""

    name: str
    dtype: str  # one of DTYPES
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def blocks(self) -> int:
        return -(-(self.end - self.begin) // BLOCK_BYTES)

    def record(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "shape": list(self.shape), "data_offsets": [self.begin, self.end]}


class Header(NamedTuple):
    """A model file's header, checked."""

    entries: list[Entry]
    checksums: dict[str, str]
    settings: dict[str, Any]
    writer: dict[str, str]
    reader: int = PLAIN_READER


def checksum(data: Any) -> str:
    """SHA-256, in hexadecimal: 0.14 s for 200 MB with the processor's own instructions (BLAKE2b 0.28 s, CRC-32 0.08 s).

    With one an array, the header's own checksum is a fingerprint of the whole model.
    """
    return sha256(data).hexdigest()


def valid_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def item_bytes(dtype: str) -> int:
    """The size of an item of a type of DTYPES."""
    return int(DTYPES[dtype][2:])


def place(arrays: Iterable[tuple[str, str, tuple[int, ...]]]) -> list[Entry]:
    """Lay arrays of these names, dtypes and shapes out in the one order that the format knows."""
    entries, begin = [], 0
    for name, dtype, shape in sorted(arrays, key=lambda array: (-item_bytes(array[1]), array[0])):
        end = begin + item_bytes(dtype) * math.prod(shape)
        entries.append(Entry(name, dtype, shape, begin, end))
        begin = end
    return entries


def encode_header(header: Header) -> bytes:
    """The first bytes of the file, up to the data."""
    metadata = {
        "checksum": _BLANK_SEAL,
        "checksums": _canonical(header.checksums),
        "format": str(FORMAT_VERSION),
        "reader": str(header.reader),
        "settings": _canonical_settings(header.settings),
        "writer": _canonical(header.writer),
    }
    encoded = _seal({"__metadata__": metadata, **{entry.name: entry.record() for entry in header.entries}})
    if len(encoded) > MAX_HEADER_BYTES:
        raise ValueError(f"settings are too large: the header may take {MAX_HEADER_BYTES} bytes; keep bulk in arrays.")
    return encoded


def decode_header(encoded: bytes, path: str, data_bytes: int) -> Header:
    """Read back what `encode_header` gave, followed by so many bytes of data; anything else is refused."""
    try:
        content = json.loads(encoded[8:])
        sealed = isinstance(content.get("__metadata__"), dict) and _seal(content) == encoded
    except (ValueError, AttributeError, RecursionError):
        sealed = False
    # One comparison covers every bit of the header, duplicate keys, and numbers or escapes written in another way.
    if not sealed:
        raise damaged(path, "the header does not match its checksum")
    metadata = content.pop("__metadata__")
    _check_reader_version(metadata.get("reader"), path)
    entries = _decode_entries(content, path)
    if entries[-1].end != data_bytes:
        raise damaged(path, f"its arrays take {entries[-1].end} bytes, it holds {data_bytes}")
    checksums, settings, writer = (_decode_part(metadata, part, path) for part in ("checksums", "settings", "writer"))
    if checksums.keys() != {entry.name for entry in entries}:
        raise damaged(path, "an array has no checksum, or a checksum no array")
    if not all(isinstance(version, str) for version in writer.values()):
        raise damaged(path, "the versions that wrote it are not text")
    return Header(entries, checksums, settings, writer)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _canonical_settings(settings: Mapping[str, JSON]) -> str:
    advice = "settings must be plain JSON: None, bool, int, finite float, str, list, and dict with str keys"
    try:
        text = _canonical(settings)
        same = json.loads(text) == settings
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{advice} ({error}).") from None
    if not same:
        raise ValueError(f"{advice}; what was given reads back differently.")
    return text


def _seal(content: dict[str, Any]) -> bytes:
    """Length, header and padding, with the checksum over all of it (itself as zeros) put in its place."""
    content["__metadata__"]["checksum"] = _BLANK_SEAL
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 8)
    blank = len(text).to_bytes(8, "little") + text
    start = 8 + len(SEAL_PREFIX)
    return blank[:start] + checksum(blank).encode("ascii") + blank[start + 64 :]


def _check_reader_version(version: object, path: str) -> None:
    if not isinstance(version, str) or not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise damaged(path, "the header states no reader version")
    if int(version) > READER_VERSION:
        raise ModelFileError(f"{path!r} was written by a newer textnb: needs reader version {version}. Upgrade textnb.")


def _decode_entries(records: dict[str, Any], path: str) -> list[Entry]:
    arrays = []
    for name, record in records.items():
        if not (valid_name(name) or name == BLOCK_TABLE):
            raise damaged(path, "the name of an array is not allowed")
        if not isinstance(record, dict) or record.get("dtype") not in list(DTYPES):  # a list: it may be unhashable
            raise damaged(path, f"array {name!r} has an unknown dtype")
        if not _valid_shape(record.get("shape"), item_bytes(record["dtype"])):
            raise damaged(path, f"array {name!r} has an impossible shape")
        arrays.append((name, record["dtype"], tuple(record["shape"])))
    entries = place(arrays)
    # Extents are compared with the only ones possible: no overlap, no hole, no other order.
    if json.dumps({entry.name: entry.record() for entry in entries}) != json.dumps(records):
        raise damaged(path, "its arrays are not where they belong")
    table = next((entry for entry in entries if entry.name == BLOCK_TABLE), None)
    blocks = sum(entry.blocks for entry in entries if entry is not table)
    if table is None or (table.dtype, table.shape) != ("U32", (blocks,)):
        raise damaged(path, "the table of block checksums does not fit its arrays")
    return entries


def _valid_shape(shape: Any, itemsize: int) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) <= _MAX_DIMENSIONS
        and all(type(size) is int and size >= 0 for size in shape)
        and math.prod(max(size, 1) for size in shape) * itemsize < 1 << 62
    )


def _decode_part(metadata: dict[str, Any], part: str, path: str) -> dict[str, Any]:
    try:
        value = json.loads(metadata[part])
        if isinstance(value, dict) and _canonical(value) == metadata[part]:
            return value
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    raise damaged(path, f"{part} in the header are not canonical JSON")
