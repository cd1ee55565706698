"""Work shared among processes gives what one process gives, whatever becomes of the others."""

import os
import signal
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


@needs_fork
def test_several_processes_work():
    here = str(os.getpid())
    done_by = map_in_processes(lambda text: str(os.getpid()), TEXTS, 2)
    assert done_by[::2] == [here] * 6
    assert here not in done_by[1::2]


@needs_fork
def test_what_a_killed_process_leaves_is_done_here():
    here = os.getpid()

    def killed(text):
        if os.getpid() != here and text == TEXTS[3]:
            os.kill(os.getpid(), signal.SIGKILL)
        return text.upper()

    assert map_in_processes(killed, TEXTS, 2) == [text.upper() for text in TEXTS]


@needs_fork
def test_an_error_is_that_of_one_process():
    def refused(text):
        if text == TEXTS[3]:
            raise ValueError(f"not {text[:6]}")
        return text

    with pytest.raises(ValueError, match="not text 3"):
        map_in_processes(refused, TEXTS, 2)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # none is left


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
def test_children_that_nobody_waits_for_do_no_harm():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert map_in_processes(str.upper, TEXTS, 3) == [text.upper() for text in TEXTS]
    finally:
        signal.signal(signal.SIGCHLD, before)


@needs_fork
def test_where_no_process_can_be_started_this_one_does_it(monkeypatch):
    started = []

    def fork():
        if started:
            raise BlockingIOError
        started.append(real_fork())
        return started[0]

    real_fork = os.fork
    monkeypatch.setattr(os, "fork", fork)
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    assert map_in_processes(str.upper, TEXTS, 3) == [text.upper() for text in TEXTS]
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
