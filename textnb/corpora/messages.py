"""Documents without labels, as mail filters get them: one per file or per line, from files or stdin. Imports little."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from errno import EBADF, ENOSPC
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from textnb.corpora.decoding import decode, marked_encoding

ADVICE = {
    FileNotFoundError: "; check the path",
    PermissionError: "; check its permissions",
    IsADirectoryError: "; give a file",
}


def os_error_line(error: OSError) -> str:
    """Where, what, and what to do."""
    if not error.strerror:
        return str(error)
    if error.errno == ENOSPC and error.filename is None:
        return f"the result cannot be written: {error.strerror}; make room, or send it elsewhere"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror}{ADVICE.get(type(error), '')}"


def read_messages(sources: list[str], lines: bool, problems: list[str] | None) -> Iterator[tuple[str, str]]:
    """(id, text) of every document; one that cannot be read goes to `problems`, or without them is an error."""
    for source in sources:
        try:
            with _open_source(source) as file:
                if lines:
                    for number, line in enumerate(_decoded_lines(file), 1):
                        yield f"{source}:{number}", line
                else:
                    yield source, decode(file.read())
        except OSError as error:
            if problems is None:
                raise
            error.filename = error.filename or source
            problems.append(os_error_line(error))


def _open_source(source: str) -> AbstractContextManager[BufferedReader]:
    """A file, or for - stdin, which stays open."""
    if source != "-":
        return Path(source).open("rb")
    if sys.stdin is None:
        raise OSError(EBADF, "stdin is closed; give a file, or a document on stdin", source)
    return nullcontext(sys.stdin.buffer)  # type: ignore[arg-type]


def _decoded_lines(file: BufferedReader) -> Iterator[str]:
    """Lines without their ends, as they come; each finds its own encoding unless a byte order mark gives a wide one."""
    encoding = marked_encoding(file.peek(4)[:4])
    if encoding in ("utf-16", "utf-32"):
        yield from (line.removesuffix("\n") for line in TextIOWrapper(file, encoding, errors="replace"))
    else:
        yield from (decode(line.rstrip(b"\r\n")) for line in file)
