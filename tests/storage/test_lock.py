"""One writer at a time, whoever is killed when, and nothing left behind by the dead."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
import pytest
from storage.forge import in_child

from textnb.storage import lock, open_model, write_model, writer
from textnb.storage.lock import writer_lock


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.tnb"


@contextmanager
def child_that(function):
    """A forked child that calls the function with a callback for "ready", given as its id once it has called that."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            function(lambda: os.write(tell, b"!"))
        finally:
            os._exit(1)
    try:
        assert os.read(ready, 1) == b"!"
        yield child
    finally:
        os.close(ready)
        os.close(tell)
        kill(child)


def kill(child):
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def holder_of(path):
    def hold(ready):
        with writer_lock(path):
            ready()
            time.sleep(60)

    return child_that(hold)


def is_free(path):
    try:
        with writer_lock(path, timeout=0):
            return True
    except TimeoutError:
        return False


def test_the_lock_of_another_process_is_waited_for_and_then_reported(path):
    with holder_of(path):
        start = time.monotonic()
        with pytest.raises(TimeoutError) as caught, writer_lock(path, timeout=0.3):
            pass
        assert 0.3 <= time.monotonic() - start < 10
    assert caught.value.filename == str(path)
    assert f"the model is locked: other writers hold '{path.with_name('.model.tnb.lock')}'; wait" in str(caught.value)


def test_the_lock_dies_with_its_process(path):
    with holder_of(path) as child:
        assert not is_free(path)
        kill(child)
        assert is_free(path)


def test_the_lock_is_freed_at_the_end_and_by_an_error(path):
    for _ in range(2):
        with pytest.raises(KeyError), writer_lock(path, timeout=0):
            raise KeyError
    assert is_free(path)


def test_who_waits_goes_on_when_the_lock_is_freed(path):
    def hold_for_a_moment(ready):
        with writer_lock(path):
            ready()
            time.sleep(0.2)

    with child_that(hold_for_a_moment), writer_lock(path, timeout=30):
        assert not is_free(path)


def test_who_waits_is_not_passed_over_for_one_who_comes_again_at_once(path):
    def hold_again_and_again(ready):
        while True:
            with writer_lock(path):
                ready()
                time.sleep(0.05)

    with child_that(hold_again_and_again):
        for _ in range(10):
            with writer_lock(path, timeout=2):
                pass


def test_an_interrupt_is_heard_while_waiting(path):
    def wait(ready):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        ready()
        try:
            with writer_lock(path):
                pass
        except KeyboardInterrupt:
            os._exit(7)

    with writer_lock(path), child_that(wait) as child:
        time.sleep(0.1)
        os.kill(child, signal.SIGINT)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_threads_exclude_each_other(path):
    count = 0

    def add_often():
        nonlocal count
        for _ in range(20):
            with writer_lock(path):
                seen = count
                time.sleep(0.0005)
                count = seen + 1

    threads = [threading.Thread(target=add_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == 80


def test_no_addition_of_many_processes_is_lost(tmp_path, path):
    counter = tmp_path / "counter"
    counter.write_text("0")

    def add_often():
        for _ in range(40):
            with writer_lock(path):
                seen = int(counter.read_text())
                time.sleep(0.0005)
                counter.write_text(str(seen + 1))

    with ThreadPoolExecutor(5) as pool:  # each thread waits for a child of its own
        assert list(pool.map(in_child, [add_often] * 5)) == [0] * 5
    assert counter.read_text() == "200"


@pytest.mark.parametrize("way", ["fork", "exec"])
def test_a_child_of_a_killed_holder_does_not_keep_the_lock(tmp_path, path, way):
    def hold_and_have_a_child(ready):
        with writer_lock(path):
            if way == "exec":
                child = subprocess.Popen(["sleep", "60"], close_fds=False).pid
            else:
                child = os.fork()
                if child == 0:
                    time.sleep(60)
                    os._exit(0)
            (tmp_path / "grandchild").write_text(str(child))
            ready()
            time.sleep(60)

    with child_that(hold_and_have_a_child) as child:
        grandchild = int((tmp_path / "grandchild").read_text())
        try:
            assert not is_free(path)
            kill(child)
            os.kill(grandchild, 0)
            assert eventually(lambda: is_free(path))
        finally:
            os.kill(grandchild, signal.SIGKILL)


def eventually(condition):
    """A child is there a moment before it has closed what it must not keep."""
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_forked_child_that_leaves_the_block_frees_nothing(path):
    with ExitStack() as block:
        block.enter_context(writer_lock(path))
        assert in_child(block.close) == 0
        assert not is_free(path)


def test_a_child_that_still_has_the_file_does_not_keep_a_freed_lock(path):
    """Another thread may fork just when the file has been opened."""

    def keep(ready):
        ready()
        time.sleep(60)

    held = writer_lock(path)
    held.__enter__()
    lock._lock_files.clear()
    with child_that(keep):
        assert not is_free(path)
        held.__exit__(None, None, None)
        assert is_free(path)


def test_the_lock_of_a_parent_holds_against_its_forked_child(path):
    with writer_lock(path):
        assert in_child(lambda: os._exit(int(is_free(path)))) == 0
    assert in_child(lambda: os._exit(int(is_free(path)))) == 1


def lock_files(folder):
    return sorted(file.name for file in folder.glob(".*"))


def test_a_link_and_a_relative_path_lead_to_the_same_lock(tmp_path, path, monkeypatch):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.tnb"
    link.symlink_to(path)
    monkeypatch.chdir(tmp_path)
    with writer_lock(link):
        assert not is_free(path)
        assert not is_free("model.tnb")
        assert lock_files(tmp_path) == [".model.tnb.lock"]
        assert lock_files(link.parent) == []


def test_nothing_is_left_in_the_folder_at_the_end_by_an_error_or_by_one_who_gave_up(tmp_path, path):
    with writer_lock(path):
        pass
    assert lock_files(tmp_path) == []
    with pytest.raises(KeyError), writer_lock(path):
        raise KeyError
    assert lock_files(tmp_path) == []
    with writer_lock(path):
        assert not is_free(path)
    assert lock_files(tmp_path) == []


def test_the_files_of_a_killed_holder_go_with_the_next(tmp_path, path):
    with holder_of(path) as child:
        kill(child)
        assert lock_files(tmp_path) == [".model.tnb.lock"]
        assert is_free(path)
    assert lock_files(tmp_path) == []


def test_a_file_that_may_not_be_removed_stays_and_serves_again(tmp_path, path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "unlink", refuse)
    for _ in range(2):
        with writer_lock(path):
            assert not is_free(path)
    assert lock_files(tmp_path) == [".model.tnb.lock", ".model.tnb.queue"]


def test_a_removed_file_whose_name_a_network_still_remembers_lets_no_two_in(path, monkeypatch):
    """Its name seems to be in place, but it has no names left."""
    with lock._lock_file(str(path), "lock") as removed:
        os.unlink(removed.name)  # noqa: PTH108
        monkeypatch.setattr(os.path, "samestat", lambda *_: True)
        path.with_name(".model.tnb.lock").touch()
        assert not lock._is_in_place(removed)


def test_models_beside_each_other_have_locks_of_their_own(tmp_path):
    long = "ñ" * 126
    names = ["a", "b", "a.tnb", long + "a", long + "b", "n" * 255]
    for name in names:
        with writer_lock(tmp_path / name):
            assert [other for other in names if not is_free(tmp_path / other)] == [name]


def test_lock_files_removed_under_those_who_wait_lets_no_two_in(path):
    inside = threading.Event()

    def wait():
        with writer_lock(path):
            inside.set()

    waiter = threading.Thread(target=wait)
    with writer_lock(path):
        waiter.start()
        time.sleep(0.1)  # it has opened the files by now
        for kind in ("lock", "queue"):
            path.with_name(f".model.tnb.{kind}").unlink(missing_ok=True)
        second = writer_lock(path, timeout=0)
        second.__enter__()
    assert not inside.wait(0.2)
    second.__exit__(None, None, None)
    waiter.join(30)
    assert inside.is_set()


def test_who_may_not_write_may_not_lock(path):
    old = os.umask(0)
    try:
        with writer_lock(path):
            assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o660}
    finally:
        os.umask(old)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_may_not_be_written_to_is_said(path, monkeypatch, code):
    def refuse(*_):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)  # whoever runs the tests
        with pytest.raises(OSError, match=r"cannot lock the model.*model\.tnb\.queue' must be a file") as caught:
            writer_lock(path).__enter__()
    assert (caught.value.errno, caught.value.filename) == (code, str(path))


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*missing'"):
        writer_lock(tmp_path / "missing" / "model.tnb").__enter__()


def test_what_was_done_under_a_lock_that_cannot_be_freed_is_done(tmp_path, path, monkeypatch):
    """It is closed, which frees it as well. An error would say that the model was not changed."""

    def refuse(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(lock, "unlock", refuse)
        with writer_lock(path):
            path.touch()
    assert is_free(path)
    assert lock_files(tmp_path) == []


def test_a_lock_file_that_cannot_be_looked_at_is_said_with_the_model(path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os.path, "samestat", refuse)
        with pytest.raises(OSError, match="cannot lock the model") as caught:
            writer_lock(path).__enter__()
    assert (caught.value.errno, caught.value.filename) == (errno.EIO, str(path))


def without_locks(patch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    patch.setattr(fcntl, "flock", refuse)


def test_a_file_system_without_locks_is_said(path, monkeypatch):
    with monkeypatch.context() as patch:
        without_locks(patch)
        with pytest.raises(OSError, match="a file system that has locks") as caught:
            writer_lock(path).__enter__()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOLCK, str(path))


def test_the_lock_costs_no_import_of_numpy():
    script = "import textnb.storage.lock, sys; print('numpy' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "False\n"


def save(path, number, size=3):
    write_model(path, {"number": np.full(size, number)}, {"number": number})


def temporaries(folder):
    return sorted(file.name for file in folder.glob(".textnb-*.tmp"))


def leave_temporary(path):
    """Die in the middle of a save."""

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def attempt():
        os.fsync = die
        save(path, 0)

    before = temporaries(path.parent)
    assert in_child(attempt) == -signal.SIGKILL
    (left,) = set(temporaries(path.parent)) - set(before)
    return left


@pytest.mark.parametrize("name", ["model.tnb", "ñ" * 127])
def test_a_save_sweeps_what_killed_writers_of_the_same_model_left(tmp_path, name):
    path = tmp_path / name
    left = [leave_temporary(path), leave_temporary(tmp_path / f"{name[:-1]}x")]
    (tmp_path / ".textnb-model.tnb-backup.tmp").write_text("somebody's own")
    assert temporaries(tmp_path) == sorted([*left, ".textnb-model.tnb-backup.tmp"])
    save(path, 1)
    assert temporaries(tmp_path) == sorted([left[1], ".textnb-model.tnb-backup.tmp"])


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_save_leaves_the_temporary_of_a_living_writer_alone(path, step):
    def save_slowly(ready):
        do = getattr(os, step)

        def wait_then_do(*arguments):
            setattr(os, step, do)
            ready()
            time.sleep(0.3)
            return do(*arguments)

        setattr(os, step, wait_then_do)
        save(path, 1)
        os._exit(0)

    with child_that(save_slowly) as child:
        (living,) = temporaries(path.parent)
        save(path, 2)
        assert temporaries(path.parent) == [living]
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert open_model(path).settings == {"number": 1}
    assert temporaries(path.parent) == []


def test_a_temporary_swept_before_it_was_locked_is_made_anew(path, monkeypatch):
    try_lock = writer.try_lock

    def sweep_then_lock(descriptor):
        monkeypatch.setattr(writer, "try_lock", try_lock)
        writer._sweep(path)
        assert temporaries(path.parent) == []
        return try_lock(descriptor)

    monkeypatch.setattr(writer, "try_lock", sweep_then_lock)
    save(path, 1)
    assert open_model(path).settings == {"number": 1}
    assert temporaries(path.parent) == []


def test_a_file_system_without_locks_is_written_to_but_not_swept(path, monkeypatch):
    left = leave_temporary(path)
    with monkeypatch.context() as patch:
        without_locks(patch)
        save(path, 1)
    assert open_model(path).settings == {"number": 1}
    assert temporaries(path.parent) == [left]


def test_a_pipe_under_the_name_of_a_temporary_holds_up_nobody(path):
    os.mkfifo(path.with_name(f".textnb-model.tnb-{'0' * 16}.tmp"))
    save(path, 1)
    assert open_model(path).settings == {"number": 1}


@pytest.mark.slow
def test_kills_lose_no_acknowledged_addition_and_leave_nothing_behind(path):
    """Two adders at a time, one of them killed at a random moment, beside a reader."""
    generator = np.random.default_rng(0)
    acknowledged, acknowledge = os.pipe()
    save(path, 0, size=50_000)

    def add_forever(ready):
        ready()
        while True:
            with writer_lock(path):
                save(path, open_model(path).settings["number"] + 1, size=50_000)
            os.write(acknowledge, b"+")

    kills = 30
    with child_that(add_forever):
        for _ in range(kills):
            with child_that(add_forever):
                time.sleep(generator.uniform(0, 0.04))
                model = open_model(path)
                assert (model.array("number") == model.settings["number"]).all()
    os.close(acknowledge)
    additions = 0
    while some := os.read(acknowledged, 65536):
        additions += len(some)
    os.close(acknowledged)
    number = open_model(path).settings["number"]
    assert kills < additions <= number <= additions + kills + 1
    save(path, 0)
    with writer_lock(path):
        pass
    assert [file.name for file in path.parent.iterdir()] == ["model.tnb"]
