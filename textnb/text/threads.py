"""Run blocks of work on threads that end with the call, so that a process may fork before and after."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

Block = TypeVar("Block")


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a number of threads, not 0, or -1 for all cores, or None for what pays, got {n_jobs!r}"
        )


def thread_count(n_jobs: int | None) -> int:
    """Threads meant by scikit-learn's `n_jobs`: None is 1, -1 all cores, -2 all but one, and so on."""
    check_jobs(n_jobs)
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, available_cores() + 1 + n_jobs)


def available_cores() -> int:
    """Cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_blocks(function: Callable[[Block, int], None], blocks: Sequence[Block], n_threads: int) -> None:
    """Call `function(block, worker)` for every block; a worker's calls never overlap.

    Whoever is free takes the next block. The first error, or Ctrl-C, stops the rest after their current block.
    """
    n_workers = min(n_threads, len(blocks))
    if n_workers <= 1:
        for block in blocks:
            function(block, 0)
        return

    waiting = iter(blocks)
    stopped = Event()

    def work(worker: int) -> None:
        try:
            for block in waiting:
                if stopped.is_set():
                    return
                function(block, worker)
        except BaseException:
            stopped.set()
            raise

    with ThreadPoolExecutor(n_workers, thread_name_prefix="textnb") as pool:
        futures = [pool.submit(work, worker) for worker in range(n_workers)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stopped.set()
            raise


def read_ahead(items: Iterable[Block], most: int = 1) -> Iterator[Block]:
    """The items, made by a thread that is up to so many ahead of whoever takes them, and ends with the iteration.

    Should it then be waiting for a pipe in which nothing comes, it is left to that: Ctrl-C cannot wait for it.
    """
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
