"""Files, folders and stdin: what a path names, opening it, and what to say where that fails. Imports little."""

from __future__ import annotations

import os
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from errno import EBADF, ENOSPC
from io import BufferedReader
from pathlib import Path

STDIN = "-"
PARTS = ("train", "test")
MAILDIR = ("cur", "new")  # the folders of a maildir that have messages
FLAGS = re.compile("[:;!]2,([A-Za-z,]*)\\Z")  # of a message, at the end of its name in a maildir
_LOOKED_AT = 1 << 16  # bytes of stdin
TABLE_NAME = re.compile(r"\.(?:(csv|tsv|jsonl|json|ft)(?:\.gz)?|(parquet|arrow|feather))\Z", re.IGNORECASE)
TABLE_KINDS = ".csv, .tsv, .jsonl, .json, .parquet, .arrow or .feather"  # for people
FASTTEXT = b"__label__"
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
    return f"{where}{os_error_reason(error)}"


def os_error_reason(error: OSError) -> str:
    """What, and what to do."""
    return f"{error.strerror}{ADVICE.get(type(error), '')}" if error.strerror else str(error)


def table_format(path: str | os.PathLike[str]) -> str | None:
    """What a table is, such as `csv` or `parquet`, if a path is that of one, by its name."""
    named = TABLE_NAME.search(os.fspath(path))
    if named is None or Path(path).is_dir():
        return None
    kind = (named[1] or named[2]).lower()
    return "fasttext" if kind == "ft" else kind


def corpus_format(path: str | os.PathLike[str]) -> str | None:
    """The same of a file of labelled documents: by its name, or its first bytes, since fastText has no name for it.

    A document to predict is not asked like this: what it begins with is a stranger's choice.
    """
    return table_format(path) or ("fasttext" if _begins_as_fasttext(path) else None)


def _begins_as_fasttext(path: str | os.PathLike[str]) -> bool:
    try:
        if not Path(path).is_file():  # what a pipe has can be read only once
            return False
        with Path(path).open("rb") as file:
            return file.read(len(BOM_UTF8 + FASTTEXT)).removeprefix(BOM_UTF8).startswith(FASTTEXT)
    except OSError:
        return False


def is_gzip_name(name: str) -> bool:
    return name.lower().endswith(".gz")


def is_table(path: str) -> bool:
    return table_format(path) is not None


def matching_paths(name: str) -> list[str]:
    """The files that a path or a pattern names."""
    import glob

    if os.path.lexists(name) or not glob.has_magic(name):
        return [name]
    return glob.glob(name, recursive=True) or [name]  # noqa: PTH207 (Path.glob takes no absolute pattern)


def has_parts(path: Path) -> bool:
    return all((path / part).is_dir() for part in PARTS)


def is_maildir(path: str | os.PathLike[str]) -> bool:
    return all(Path(path, name).is_dir() for name in MAILDIR)


def is_of_maildir(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is a maildir, or one of those that have its messages."""
    return is_maildir(path) or ((real := Path(os.path.realpath(path))).name in MAILDIR and is_maildir(real.parent))


def walk_files(
    top: str, report: Callable[[str, str], None], without: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """The path of each file below a folder, sorted, and its place; real paths in `without` are left out.

    Hidden files and folders are passed over, links to folders not followed. Of a maildir, the messages are read and
    nothing else; its hidden folders are maildirs of their own. The place of a message is its path without what changes
    when somebody reads it: the flags in its name, and whether it lies in `new` or `cur`.
    """

    def unreadable(error: OSError) -> None:
        report(os.fsdecode(error.filename), error.strerror or str(error))

    def is_left_out(path: str) -> bool:
        return bool(without) and os.path.realpath(path) in without

    def listed(folder: Path) -> list[tuple[str, str]]:
        try:
            return [(path.name, beginning(folder)) for path in folder.iterdir()]
        except OSError as error:
            unreadable(error)
            return []

    for parent, folders, files in os.walk(top, onerror=unreadable):
        above = beginning(parent)
        below = [(name, above) for name in sorted(files)]
        wanted = [name for name in folders if not name.startswith(".")]
        if is_maildir(parent):
            below = sorted(entry for name in MAILDIR for entry in listed(Path(parent, name)))
            wanted = [name for name in folders if name not in (*MAILDIR, "tmp") and is_maildir(Path(parent, name))]
        folders[:] = sorted(name for name in wanted if not is_left_out(above + name))
        for link in (Path(parent, name) for name in folders):
            if link.is_symlink():
                report(str(link), "it is a link to a folder, which is not followed")
        for name, folder in below:  # of which there may be many thousands, and Path takes its time
            if name.startswith("."):
                continue
            path = folder + name
            if is_left_out(path):
                continue
            if os.path.islink(path):  # noqa: PTH114
                report(path, "it is a link, which is not followed")
            elif os.path.isfile(path) or Path(path).is_file():  # noqa: PTH113 (the second says what is wrong)
                yield path, above + place_name(name)
            else:
                report(path, "it is not a regular file")


def beginning(folder: str | os.PathLike[str]) -> str:
    """What the paths of a folder's files begin with."""
    path = str(Path(folder))
    return "" if path == "." else os.path.join(path, "")  # noqa: PTH118 (a path without its last part)


def place_name(name: str) -> str:
    """The name of a message's file without the flags of a maildir."""
    return FLAGS.sub("", name)


@contextmanager
def open_source(source: str) -> Iterator[BufferedReader]:
    """A file, or for - stdin, which stays open. What has been read has been read, whatever closing it says."""
    if source == STDIN:
        if sys.stdin is None:
            raise OSError(EBADF, "stdin is closed; give a file, or a document on stdin", source)
        yield sys.stdin.buffer  # type: ignore[misc]
        return
    file = Path(source).open("rb")  # noqa: SIM115
    try:
        yield file
    finally:
        with suppress(OSError):
            file.close()


def peek_stdin() -> bytes:
    """The first bytes of stdin, which stay there; none of what cannot be looked at."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return b"" if peek is None else peek(1)[:_LOOKED_AT]


def start_of_stdin() -> str:
    """The same as characters."""
    return peek_stdin().decode("utf-8-sig", errors="replace")
