"""Blocks of work are all done, by as many threads as asked for, and none of them stays."""

import threading

import pytest

from textnb.text.threads import available_cores, run_blocks, thread_count


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_every_block_is_done_once(n_threads):
    done = []
    run_blocks(lambda block, worker: done.append(block), range(100), n_threads)
    assert sorted(done) == list(range(100))


def test_a_worker_does_one_block_at_a_time_and_workers_run_together():
    meeting = threading.Barrier(3, timeout=10)
    busy = set()

    def work(block, worker):
        assert worker not in busy
        busy.add(worker)
        meeting.wait()
        busy.discard(worker)
        meeting.wait()

    run_blocks(work, range(9), 3)


def test_one_thread_is_the_caller_s():
    threads = []
    run_blocks(lambda block, worker: threads.append(threading.current_thread()), range(3), 1)
    assert threads == [threading.current_thread()] * 3


def test_no_thread_outlives_the_call():
    before = threading.active_count()
    run_blocks(lambda block, worker: None, range(10), 4)
    assert threading.active_count() == before


def test_an_error_is_raised_and_stops_the_rest():
    done = []

    def work(block, worker):
        if block == 3:
            raise RuntimeError("block 3")
        done.append(block)

    with pytest.raises(RuntimeError, match="block 3"):
        run_blocks(work, range(100_000), 2)
    assert len(done) < 100_000 - 1


def test_n_jobs_as_in_scikit_learn():
    cores = available_cores()
    assert cores >= 1
    assert [thread_count(n) for n in (None, 1, 3, -1, -cores, -cores - 5)] == [1, 1, 3, cores, 1, 1]
    with pytest.raises(ValueError, match="n_jobs must be a number of threads, not 0"):
        thread_count(0)


def test_no_number_of_threads_is_too_large():
    """Work was divided among all of them."""
    assert thread_count(10**30) == thread_count(10**6) <= 10_000
