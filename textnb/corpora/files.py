"""Files, folders and stdin: what a path names, opening it, and what to say where that fails. Imports little."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from errno import EBADF, ENOSPC
from io import BufferedReader
from pathlib import Path

STDIN = "-"
_LOOKED_AT = 1 << 16  # bytes of stdin
TABLE_NAME = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?\Z")
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


def table_format(path: str | os.PathLike[str]) -> str | None:
    """`csv`, `tsv` or `jsonl` if a path is that of a table, gzipped or not, by its name."""
    named = TABLE_NAME.search(os.fspath(path))
    return None if named is None or Path(path).is_dir() else named[1]


def is_table(path: str) -> bool:
    return table_format(path) is not None


def has_several(source: str) -> bool:
    """Whether a path is that of several documents, a table or a folder."""
    return is_table(source) or (source != STDIN and Path(source).is_dir())


def walk_files(top: str, report: Callable[[str, str], None]) -> Iterator[str]:
    """The paths of the files below a folder, sorted; hidden ones are passed over, links to folders not followed."""

    def unreadable(error: OSError) -> None:
        report(os.fsdecode(error.filename), error.strerror or str(error))

    for parent, folders, files in os.walk(top, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(parent, name) for name in folders):
            if path.is_symlink():
                report(str(path), "it is a link to a folder, which is not followed")
        for path in (Path(parent, name) for name in sorted(files) if not name.startswith(".")):
            if path.is_file():
                yield str(path)
            else:
                report(str(path), "it is not a regular file")


def open_source(source: str) -> AbstractContextManager[BufferedReader]:
    """A file, or for - stdin, which stays open."""
    if source != STDIN:
        return Path(source).open("rb")
    if sys.stdin is None:
        raise OSError(EBADF, "stdin is closed; give a file, or a document on stdin", source)
    return nullcontext(sys.stdin.buffer)  # type: ignore[arg-type]


def start_of_stdin() -> str:
    """The first characters of stdin, which stay there; none of what cannot be looked at."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return "" if peek is None else peek(1)[:_LOOKED_AT].decode("utf-8-sig", errors="replace")
