"""Work on strings shared among processes, for what Python does on one core only."""

from __future__ import annotations

import marshal
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress


def can_fork() -> bool:
    """Whether the process may be forked: on Linux, and while nothing else runs in it that a copy would lack."""
    return sys.platform == "linux" and threading.active_count() == 1


def map_in_processes(
    function: Callable[[str], str],
    texts: Sequence[str],
    n_processes: int,
    advance: Callable[[int, str], None] = lambda n, note: None,
) -> list[str]:
    """`function` of every text, in order, each process on every nth text; this one is the first of them.

    `advance` hears of the texts that are done, as many at a time as there are processes.

    What a process does not deliver, because it failed or was killed, is done here, so the result, or the error, is the
    same as on one core. The processes end with the call.
    """
    n_processes = min(n_processes, len(texts))
    if n_processes < 2 or not can_fork():
        n_processes = 1
    results: list[str] = [""] * len(texts)
    children: list[tuple[int, int]] = []
    try:
        with suppress(OSError):  # of a system that has no more processes to give
            for place in range(1, n_processes):
                children.append(_start(function, texts[place::n_processes]))  # noqa: PERF401  (some may be there)
        for position in range(0, len(texts), n_processes):
            results[position] = function(texts[position])
            advance(min(n_processes, len(texts) - position), "")
        for place in range(1, n_processes):
            delivered = _delivered(children[place - 1][1]) if place <= len(children) else None
            results[place::n_processes] = (
                list(map(function, texts[place::n_processes])) if delivered is None else delivered
            )
    finally:
        for child, end in children:
            os.close(end)
            with suppress(ProcessLookupError, ChildProcessError):  # where ended children are not waited for
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
    return results


def _start(function: Callable[[str], str], texts: Sequence[str]) -> tuple[int, int]:
    """A process that applies the function: its number, and where its results can be read."""
    end, start = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of numerical libraries hold no lock of Python
            child = os.fork()
    except OSError:
        os.close(end)
        os.close(start)
        raise
    if child:
        os.close(start)
        return child, end
    try:  # nothing but this happens in the copy: no output is flushed twice, no exit handler runs
        os.close(end)
        with os.fdopen(start, "wb") as pipe:
            pipe.write(marshal.dumps(list(map(function, texts))))
    finally:
        os._exit(0)


def _delivered(end: int) -> list[str] | None:
    """What a process has written, if it came to its end."""
    parts = []
    while part := os.read(end, 1 << 20):
        parts.append(part)
    try:
        results: list[str] = marshal.loads(b"".join(parts))
    except (EOFError, ValueError, TypeError):
        return None
    return results
