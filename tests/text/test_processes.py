"""Work shared among processes gives what one process gives, whatever becomes of the others."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from textnb.text import processes
from textnb.text.processes import can_fork, map_in_processes

TEXTS = [f"text {number} \udcff é" for number in range(11)]

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@pytest.mark.parametrize("n_processes", [1, 2, 3, 50])
def test_results_are_in_order(n_processes):
    assert map_in_processes(str.upper, TEXTS, n_processes) == [text.upper() for text in TEXTS]
    assert map_in_processes(str.upper, [], n_processes) == []


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_all_texts_are_told_of(n_processes):
    told = []
    map_in_processes(str.upper, TEXTS, n_processes, lambda n, note: told.append(n))
    assert sum(told) == len(TEXTS)


@pytest.fixture
def started(monkeypatch):
    """The numbers of the processes that are started. Threads that other tests have left do not keep them from it."""
    numbers = []

    def fork():
        numbers.append(real_fork())
        return numbers[-1]

    real_fork = os.fork
    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(processes, "can_fork", lambda: True)
    return numbers


def check_ended(numbers):
    for number in numbers:
        with pytest.raises(ChildProcessError):
            os.waitpid(number, os.WNOHANG)


@needs_fork
def test_several_processes_work(started):
    done_by = map_in_processes(lambda text: str(os.getpid()), TEXTS, 2)
    assert done_by[::2] == [str(os.getpid())] * 6
    assert done_by[1::2] == [str(started[0])] * 5
    check_ended(started)


@needs_fork
def test_a_process_of_one_thread_is_forked():
    code = "from textnb.text.processes import can_fork; print(can_fork())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@needs_fork
def test_what_a_killed_process_leaves_is_done_here(started):
    here = os.getpid()

    def killed(text):
        if os.getpid() != here and text == TEXTS[3]:
            os.kill(os.getpid(), signal.SIGKILL)
        return text.upper()

    assert map_in_processes(killed, TEXTS, 2) == [text.upper() for text in TEXTS]
    assert started
    check_ended(started)


@needs_fork
def test_an_error_is_that_of_one_process(started):
    def refused(text):
        if text == TEXTS[3]:
            raise ValueError(f"not {text[:6]}")
        return text

    with pytest.raises(ValueError, match="not text 3"):
        map_in_processes(refused, TEXTS, 2)
    assert started
    check_ended(started)


@needs_fork
def test_a_process_with_threads_is_not_forked(monkeypatch):
    monkeypatch.setattr(processes, "_start", lambda *_: pytest.fail("it was forked"))
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not can_fork()
        assert map_in_processes(str.upper, TEXTS, 2) == [text.upper() for text in TEXTS]
    finally:
        ended.set()
        thread.join()


@needs_fork
def test_children_that_nobody_waits_for_do_no_harm(started):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert map_in_processes(str.upper, TEXTS, 3) == [text.upper() for text in TEXTS]
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert len(started) == 2


@needs_fork
def test_where_no_process_can_be_started_this_one_does_it(started, monkeypatch):
    def fork():
        if started:
            raise BlockingIOError
        return fork_once()

    fork_once = os.fork
    monkeypatch.setattr(os, "fork", fork)
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    assert map_in_processes(str.upper, TEXTS, 3) == [text.upper() for text in TEXTS]
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open
    assert started
    check_ended(started)
