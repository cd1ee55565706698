"""Documents of tables of any size, and of stdin, as often as they are asked for, in bounded memory."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from errno import EBADF
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from textnb.corpora.corpus import did_you_mean
from textnb.corpora.decoding import known_encoding
from textnb.corpora.files import STDIN, TABLE_KINDS, corpus_format, matching_paths
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.manifest import corpus_names
from textnb.corpora.problems import Problem, Skipped
from textnb.corpora.readers import nothing_usable
from textnb.corpora.rows import DEFAULT_OPTIONS, BadTable, ReadOptions, Row
from textnb.corpora.tables import FORMATS, table_rows

BUFFER = 1 << 18
LARGE = 1 << 30  # bytes of a table from which on it is read as a stream

ReadAt: TypeAlias = Callable[[int, int], bytes]  # from a position, at most so many bytes; none at the end


def is_nameless(spec: str) -> bool:
    """Stdin, or a pattern of several files."""
    return spec == STDIN or (glob.has_magic(spec) and not Path(spec).exists())


def needs_stream(spec: str | LabelledSources) -> bool:
    """Whether documents had better be read block by block: stdin, several files, a very large file."""
    if isinstance(spec, LabelledSources):
        return any(os.path.isfile(path) and os.path.getsize(path) >= LARGE for path in spec.paths)  # noqa: PTH113, PTH202
    path = Path(spec)
    return is_nameless(spec) or (path.is_file() and path.stat().st_size >= LARGE)


def open_stream(
    spec: str | os.PathLike[str] | LabelledSources | Iterable[str | os.PathLike[str]],
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    passes: int = 1,
    **changes: Any,
) -> DocumentStream:
    """The documents of one or more tables, of any format, or of stdin, as one stream.

    Parameters
    ----------
    spec : path, pattern such as 'data/*.jsonl.gz', or list of them; "-" is stdin; or LabelledSources
        Several files are read in sorted order, each once.
    options : ReadOptions
        Keywords change single ones. A stream takes no further columns, categories or parts to strip.
    passes : int
        How often the documents will be read. What can be read only once, such as stdin, is kept on disk if that is more
        than once: in an unnamed file where the platform keeps temporary files.
    """
    options = replace(options, **changes)
    if options.format is not None and options.format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {options.format!r}.")
    for name in ("columns", "numeric", "groups", "categories", "strip"):
        if getattr(options, name):
            raise ValueError(f"{name} needs all documents at once, and cannot be combined with a stream.")
    if isinstance(spec, LabelledSources):
        from textnb.corpora.labelled_rows import LabelledStream

        return LabelledStream(spec, options)
    named = [spec] if isinstance(spec, str | os.PathLike) else list(spec)
    if not named:
        raise ValueError("There is nothing to read: give a table, or - for stdin.")
    if STDIN in named:
        if len(named) > 1:
            raise ValueError("stdin (-) and files cannot be read as one stream: give one or the other.")
        sources = [_stdin_source(options.format, passes)]
    else:
        paths = sorted({path for name in named for path in matching_paths(os.fspath(name))})
        sources = [_file_source(Path(path), options.format, passes) for path in paths]
    return DocumentStream(sources, replace(options, encoding=known_encoding(options.encoding)))


class DocumentStream:
    """Documents that can be iterated over from the start, as `(where, text, label, ())`, more than once.

    Attributes
    ----------
    n_bytes : int or None
        How many bytes the files have, packed as they are; None where a pipe does not tell.
    bytes_read : int
        How many of them the iteration at hand has read: at its end, all of them.
    notices : list of str
        What people should know of how the tables are read.
    problems : list of Problem
        The first thousand documents that this iteration has skipped; `n_problems` is how many there were.
    """

    def __init__(self, sources: list[Source], options: ReadOptions) -> None:
        self.sources, self.options = sources, options
        sizes = [source.size for source in sources]
        self.n_bytes = None if None in sizes else sum(size or 0 for size in sizes)
        self.notices: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._skipped = Skipped(self.options.strict)
        self._bytes_before = 0
        self._reader: Reader | None = None

    @property
    def name(self) -> str:
        return self.sources[0].name if len(self.sources) == 1 else f"{len(self.sources):,} files"

    @property
    def problems(self) -> list[Problem]:
        return self._skipped.problems

    @property
    def n_problems(self) -> int:
        return self._skipped.n_problems

    @property
    def bytes_read(self) -> int:
        return self._bytes_before + (self._reader.position if self._reader else 0)

    def __iter__(self) -> Iterator[Row]:
        return self.iterate()

    def iterate(self, skip: int = 0) -> Iterator[Row]:
        """The documents but for the first ones, which are read all the same; if there are none at all, a ValueError.

        Where a table cannot be read, or not to its end, that is a problem like another, and the next one's turn.
        """
        self._begin()
        with closing(self._rows()) as rows:
            first = next(rows, None)
            if first is None:
                raise nothing_usable(self.name, self.problems)
            yield from islice(chain([first], rows), skip, None)

    def _rows(self) -> Generator[Row, None, None]:
        for source in self.sources:
            with source.open() as read_at:
                self._reader = Reader(read_at, source.size if source.is_seekable else None)
                file, place = io.BufferedReader(self._reader, BUFFER), f"{source.name}: "
                try:
                    yield from table_rows(
                        file, source.name, source.format, self.options, self._report, place, note=self._note
                    )
                except BadTable as error:
                    self._skipped.document(source.name, f"it cannot be read: {error}")
                self._bytes_before += self._reader.position if source.size is None else source.size
                self._reader = None

    def _report(self, problem: Problem) -> None:
        self._skipped.document(*problem)

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


class Source(NamedTuple):
    """A table in bytes: how to open it, its size and its format if they are known."""

    name: str
    open: Callable[[], AbstractContextManager[ReadAt]]
    size: int | None
    format: str | None
    is_seekable: bool = False


def _file_source(path: Path, format: str | None, passes: int) -> Source:
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.{did_you_mean(str(path), corpus_names())}")
    format, size = format or corpus_format(path), _size(path.stat())
    if path.is_dir() or (format is None and size is not None):
        raise ValueError(f"{path} is no table: give {TABLE_KINDS} files, or their format.")
    if size is None:
        return Source(str(path), Pipe(str(path), lambda: path.open("rb"), passes).open, None, format)
    return Source(str(path), partial(_open_file, path), size, format, is_seekable=True)


def _stdin_source(format: str | None, passes: int) -> Source:
    if sys.stdin is None:
        raise OSError(EBADF, "stdin is closed; give a file, or documents on stdin", STDIN)
    file = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)  # gives what it has at once, and holds no lock
    try:
        size = _size(os.fstat(file.fileno()))
    except OSError:  # it is no file of the system's
        size = None
    return Source("stdin", Pipe("stdin", lambda: file, passes).open, size, format)


def _size(status: os.stat_result) -> int | None:
    """The bytes of an ordinary file; None for a pipe."""
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _open_file(path: Path) -> Iterator[ReadAt]:
    with path.open("rb", buffering=0) as file:
        yield partial(_read_at, file)


def _read_at(file: IO[bytes], position: int, size: int) -> bytes:
    if file.tell() != position:
        file.seek(position)
    return file.read(size)


class Pipe:
    """What can be read only once, such as stdin; kept on disk where it will be read more often."""

    def __init__(self, name: str, open_source: Callable[[], Any], passes: int) -> None:
        self.name, self.open_source, self.passes = name, open_source, passes
        self.source: Any = None
        self.kept: IO[bytes] | None = None
        self.size = 0

    def open(self) -> AbstractContextManager[ReadAt]:
        if self.source is None:
            self.source = self.open_source()
            if self.passes > 1:
                self.kept = tempfile.TemporaryFile()  # noqa: SIM115
                weakref.finalize(self, self.kept.close)
        elif self.kept is None:
            raise ValueError(f"{self.name} can be read only once: save it in a file, or ask for passes=2.")
        return nullcontext(self.read)

    def read(self, position: int, size: int) -> bytes:
        """Some bytes from a position that is not after what was read before; none at the end."""
        if self.kept is not None and position < self.size:
            self.kept.seek(position)
            return self.kept.read(min(size, self.size - position))
        block: bytes = self.source.read(size)
        self.size += len(block)
        try:
            if self.kept is not None:
                self.kept.seek(0, os.SEEK_END)
                self.kept.write(block)
                self.kept.flush()
        except OSError as error:
            reason = f"{self.name} cannot be kept for a second pass: {error.strerror}; make room, or save it in a file"
            raise OSError(error.errno, reason, tempfile.gettempdir()) from error
        return block


class Reader(io.RawIOBase):
    """A source as a file, from its start. What reads it may close it: its position can still be asked for.

    A source whose size is known can be read anywhere.
    """

    def __init__(self, read_at: ReadAt, size: int | None) -> None:
        self.read_at, self.size, self.position = read_at, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self.size is not None

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if self.size is None:
            raise io.UnsupportedOperation("seek")
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size}
        self.position = max(starts[whence] + offset, 0)
        return self.position

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any) -> int:
        block = self.read_at(self.position, len(buffer))
        buffer[: len(block)] = block
        self.position += len(block)
        return len(block)
