"""Run blocks of work on threads that end with the call, so that a process may fork before and after."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Integral
from threading import Event, Thread
from typing import Any, TypeVar

Block = TypeVar("Block")
_MOST_THREADS = 1024


def check_jobs(n_jobs: Any) -> None:
    """Raise a ValueError unless this is a number of threads."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a number of threads, not 0, or -1 for all cores, or None for what pays, got {n_jobs!r}"
        )


def thread_count(n_jobs: int | None) -> int:
    """Threads meant by scikit-learn's `n_jobs`: None is 1, -1 all cores, -2 all but one, and so on."""
    check_jobs(n_jobs)
    if n_jobs is None:
        return 1
    return min(n_jobs, _MOST_THREADS) if n_jobs > 0 else max(1, available_cores() + 1 + n_jobs)


def threads_that_pay(n_jobs: int | None, size: int, pays_from: int) -> int:
    """Threads meant by `n_jobs`, where None is all cores for work from a size on, and else 1."""
    if n_jobs is not None:
        return thread_count(n_jobs)
    return available_cores() if size >= pays_from else 1


def available_cores() -> int:
    """Cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_blocks(function: Callable[[Block, int], None], blocks: Sequence[Block], n_threads: int) -> None:
    """Call `function(block, worker)` for every block; a worker's calls never overlap.

    A free worker takes the next block. The first error, or Ctrl-C, stops the others after their current block.
    """
    n_workers = min(n_threads, len(blocks))
    if n_workers <= 1:
        for block in blocks:
            function(block, 0)
        return

    waiting = iter(blocks)
    stopped = Event()

    def work(worker: int) -> None:
        for block in waiting:
            if stopped.is_set():
                return
            function(block, worker)

    from concurrent.futures import ThreadPoolExecutor, as_completed  # a filter of one message needs no threads

    with ThreadPoolExecutor(n_workers, thread_name_prefix="textnb") as pool:
        futures = [pool.submit(work, worker) for worker in range(n_workers)]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            stopped.set()
            raise


def read_ahead(items: Iterable[Block], most: int = 1) -> Iterator[Block]:
    """The items, read by a thread up to `most` ahead of the caller; the thread ends with the iteration.

    A thread that is still waiting for an empty pipe is left behind: Ctrl-C cannot wait for it.
    """
    from queue import Empty, Full, Queue

    waiting: Queue[tuple[bool, Any]] = Queue(most)
    stopped = Event()

    def put(is_item: bool, value: Any) -> bool:
        while not stopped.is_set():
            try:
                waiting.put((is_item, value), timeout=0.1)
                return True
            except Full:
                continue
        return False

    def work() -> None:
        try:
            if all(put(True, item) for item in items):
                put(False, None)
        except BaseException as error:
            put(False, error)

    thread = Thread(target=work, name="textnb-reader", daemon=True)
    thread.start()
    try:
        while True:
            try:
                is_item, value = waiting.get(timeout=0.1)  # so that Ctrl-C is heard
            except Empty:
                continue
            if is_item:
                yield value
            elif value is None:
                return
            else:
                raise value
    finally:
        stopped.set()
        thread.join(timeout=1.0)
