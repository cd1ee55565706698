"""One writer at a time: an advisory lock on a file beside the model, which dies with its process.

Readers need none of this: a model is replaced as a whole.
"""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from zlib import crc32

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file, unless it is locked already, be it by another descriptor of this process."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Free the lock now. Closing alone would leave it to a child that was forked meanwhile."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


_LONGEST_PAUSE = 0.005
_LONGEST_NAME = 100

_lock_files: set[FileIO] = set()


@contextmanager
def writer_lock(path: str | os.PathLike[str], timeout: float = 60.0) -> Iterator[None]:
    """Be the only writer of the model at `path`, from reading what is to be changed to writing what it became.

    Processes and threads exclude each other; who has waited `timeout` seconds gets a `TimeoutError`, and so does who
    holds the lock already. A symbolic link is followed, as in `write_model`. A forked child does not hold the lock.

    There are two lock files, `.NAME.lock` and `.NAME.queue`: who comes next holds the second while waiting for the
    first, or a writer that comes again at once would always be faster. Who holds one removes it before unlocking it, so
    that nothing is left behind; who then locks a removed file begins again. A killed holder's files stay until the next
    writer has used them.
    """
    path = os.fspath(path)
    deadline = time.monotonic() + timeout
    with ExitStack() as turn:
        with _locked(path, "queue", deadline):
            turn.enter_context(_locked(path, "lock", deadline))
        yield


def short_name(name: str) -> str:
    """The name; of a long one its start and a checksum, which leaves room to make other names of it."""
    encoded = os.fsencode(name)
    if len(encoded) <= _LONGEST_NAME:
        return name
    return f"{encoded[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{crc32(encoded):08x}"


@contextmanager
def _locked(path: str, kind: str, deadline: float) -> Iterator[None]:
    while True:
        with _lock_file(path, kind) as file:
            _wait(file, path, deadline)
            try:
                if not _is_in_place(file):  # its holder has removed it while we waited
                    continue
            except OSError as error:
                raise _cannot_lock(error, path, f"{str(file.name)!r} cannot be looked at") from None
            try:
                yield
            finally:
                if not file.closed:  # as it is in a forked child, which holds nothing
                    _remove(file)
                    with suppress(OSError):  # closing frees it too, and what was done is done
                        unlock(file.fileno())
            return


@contextmanager
def _lock_file(path: str, kind: str) -> Iterator[FileIO]:
    folder, _, name = os.path.realpath(path).rpartition(os.sep)  # pathlib would take longer than all the rest
    lock = f"{folder}{os.sep}.{short_name(name)}.{kind}"
    try:
        file = FileIO(lock, "a+", opener=_open_private)
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, error.strerror, os.path.dirname(path) or path) from None  # noqa: PTH120
    except OSError as error:
        raise _cannot_lock(error, path, f"{lock!r} must be a file that you may write to") from None
    _lock_files.add(file)
    try:
        yield file
    finally:
        with suppress(OSError):
            file.close()
        _lock_files.discard(file)


def _open_private(path: str, flags: int) -> int:
    """Strangers who may read the model must not be able to hold up those who write it."""
    return os.open(path, flags, 0o660)


def _wait(file: FileIO, path: str, deadline: float) -> None:
    """Try until it works: no system call waits both for a lock and for a time, and this way Ctrl-C is heard."""
    pause = 0.0005
    while not _take(file, path):
        left = deadline - time.monotonic()
        if left <= 0:
            reason = f"other writers hold {str(file.name)!r}; wait until they have finished, or end them, and try again"
            raise TimeoutError(errno.ETIMEDOUT, f"the model is locked: {reason}", path)
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE)


def _take(file: FileIO, path: str) -> bool:
    try:
        return try_lock(file.fileno())
    except OSError as error:
        raise _cannot_lock(error, path, "keep the model on a file system that has locks") from None


def _cannot_lock(error: OSError, path: str, advice: str) -> OSError:
    return OSError(error.errno, f"cannot lock the model for writing ({error.strerror}): {advice}", path)


def _is_in_place(file: FileIO) -> bool:
    """Whether a locked file is still the one in the folder.

    Over a network a name may be remembered for seconds, but taking a lock asks for the file itself anew: a removed one
    has no names left, or is stale.
    """
    try:
        opened = os.fstat(file.fileno())
        return opened.st_nlink > 0 and os.path.samestat(opened, os.stat(file.name))  # noqa: PTH116
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESTALE):
            return False
        raise


def _remove(file: FileIO) -> None:
    """Remove a lock file that we hold. Where that is refused, as on Windows, it stays and serves again."""
    with suppress(OSError):
        if _is_in_place(file):
            os.unlink(file.name)  # noqa: PTH108


def _close_in_child() -> None:
    """A forked child shares its parent's locks, and would keep them when the parent is killed."""
    for file in _lock_files:
        file.close()
    _lock_files.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_close_in_child)
