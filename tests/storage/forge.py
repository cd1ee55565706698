"""Help for the tests: files that the writer would not write, and children that may crash."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

PREFIX = b'{"__metadata__":{"checksum":"'


def seal(header: bytes) -> bytes:
    """Give any header text that starts as ours does a correct checksum, so that the reader has to look further."""
    header += b" " * (-len(header) % 8)
    length = len(header).to_bytes(8, "little")
    rest = header[len(PREFIX) + 64 :]
    digest = hashlib.sha256(length + PREFIX + b"0" * 64 + rest).hexdigest().encode()
    return length + PREFIX + digest + rest


def split(path: Path) -> tuple[bytes, bytes]:
    """A file's header text and data."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    return content[8:end], content[end:]


def in_child(function: Callable[[], object]) -> int:
    """Fork, call, and give the child's exit code: 0 if the call returned, negative if a signal ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
