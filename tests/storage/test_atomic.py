"""The old model or the new one, whatever fails or is killed when."""

import errno
import os
import resource
import signal
import stat
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from storage.forge import in_child

from textnb.storage import open_model, write_model

OLD = {"coef": np.zeros(1000), "terms": np.zeros(10, dtype=np.uint8)}
NEW = {"coef": np.ones(1000), "terms": np.ones(10, dtype=np.uint8)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.tnb"
    write_model(path, OLD, {"which": "old"})
    return path


def failing(function, call, code):
    """The function, raising at its call number `call`."""
    calls = iter(range(1_000_000))

    def fail_or_do(*arguments, **options):
        if next(calls) == call:
            raise OSError(code, os.strerror(code))
        return function(*arguments, **options)

    return fail_or_do


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize(
    ("name", "call"), [("open", 0), *[("write", call) for call in range(4)], ("fsync", 0), ("replace", 0)]
)
def test_a_failing_step_leaves_the_old_model_and_nothing_else(path, monkeypatch, name, call, code):
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, name, failing(getattr(os, name), call, code))
        with pytest.raises(OSError) as caught:
            write_model(path, NEW, {"which": "new"})
    assert caught.value.errno == code
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_synced_is_a_notice_with_the_new_model_in_place(path, monkeypatch):
    """The rename is the commit: an error would say that the old model is still there."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync, 1, errno.EIO))
        with pytest.warns(UserWarning, match="the model is written, but its folder .* cannot be flushed"):
            write_model(path, NEW, {"which": "new"})
    assert open_model(path).settings == {"which": "new"}
    assert list(path.parent.iterdir()) == [path]


def test_a_temporary_file_that_cannot_be_looked_at_is_not_left_behind(path, monkeypatch):
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "exists", failing(Path.exists, 0, errno.EIO))
        with pytest.raises(OSError, match="cannot be written"):
            write_model(path, NEW, {"which": "new"})
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_error_of_closing_what_has_been_flushed_and_renamed_is_none(path, monkeypatch):
    close = os.close

    def close_and_fail(descriptor):
        close(descriptor)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the folder, which is closed after it was flushed
        patch.setattr(os, "close", close_and_fail)
        write_model(path, NEW, {"which": "new"})
    assert open_model(path).settings == {"which": "new"}
    assert list(path.parent.iterdir()) == [path]


def test_it_says_how_many_bytes_it_has_written(path):
    assert write_model(path, NEW, {"which": "new"}) == path.stat().st_size


def test_an_interrupt_leaves_the_old_model_and_nothing_else(path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_model(path, NEW, {"which": "new"})
    assert open_model(path).settings == {"which": "old"}
    assert list(path.parent.iterdir()) == [path]


def test_writes_that_take_only_a_part_are_continued(path, monkeypatch):
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:100]))
        write_model(path, NEW, {"which": "new"})
    assert np.array_equal(open_model(path).array("coef"), NEW["coef"])


def test_a_file_size_limit_of_the_system_leaves_the_old_model(path):
    def attempt():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
        with pytest.raises(OSError):
            write_model(path, NEW, {"which": "new"})

    assert in_child(attempt) == 0
    assert open_model(path).settings == {"which": "old"}
    assert list(path.parent.iterdir()) == [path]


def save_forever(path, *models):
    while True:
        for number, arrays in models:
            write_model(path, arrays, {"number": number})


@pytest.mark.slow
def test_kills_at_random_moments_never_leave_half_a_model(tmp_path):
    path = tmp_path / "model.tnb"
    models = [(number, {"coef": np.full(200_000, float(number))}) for number in range(2)]
    write_model(path, models[0][1], {"number": 0})
    generator = np.random.default_rng(0)
    seen = set()
    for _ in range(30):
        child = os.fork()
        if child == 0:
            try:
                save_forever(path, *models)
            finally:
                os._exit(1)
        time.sleep(generator.uniform(0.002, 0.06))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        model = open_model(path)
        number = model.settings["number"]
        assert (model.array("coef") == number).all()
        seen.add(number)
    assert seen == {0, 1}
    assert {file.name for file in tmp_path.iterdir() if not file.match(".textnb-*.tmp")} == {"model.tnb"}


def test_two_writers_and_a_reader_never_meet_half_a_model(tmp_path):
    path = tmp_path / "model.tnb"
    models = [(number, {"coef": np.full(150_000, float(number))}) for number in range(2)]
    write_model(path, models[0][1], {"number": 0})
    children = []
    for model in models:
        child = os.fork()
        if child == 0:
            try:
                save_forever(path, model)
            finally:
                os._exit(1)
        children.append(child)
    seen = set()
    try:
        deadline = time.monotonic() + 20
        while seen != {0, 1} and time.monotonic() < deadline:
            for _ in range(20):
                opened = open_model(path)
                number = opened.settings["number"]
                assert (opened.array("coef") == number).all()
                seen.add(number)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert seen == {0, 1}


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    old = os.umask(0o027)
    try:
        write_model(tmp_path / "model.tnb", NEW, {})
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "model.tnb").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o666])
def test_an_existing_file_keeps_its_mode(path, mode):
    path.chmod(mode)
    write_model(path, NEW, {})
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("target", ["model.tnb", "other.tnb"])
def test_a_symbolic_link_is_written_through(path, tmp_path, target):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.tnb"
    link.symlink_to(tmp_path / target)
    write_model(link, NEW, {"which": "new"})
    assert link.is_symlink()
    assert open_model(tmp_path / target).settings == {"which": "new"}
    assert list(link.parent.iterdir()) == [link]


def test_a_relative_path_and_a_long_name_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_model("n" * 255, NEW, {"which": "new"})
    assert open_model("n" * 255).settings == {"which": "new"}


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ValueError, match="not a regular file"):
            write_model(path, NEW, {})
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert list(tmp_path.iterdir()) == [tmp_path / "pipe"]


def test_a_missing_folder_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_model(tmp_path / "missing" / "model.tnb", NEW, {})


def test_a_loop_of_links_is_an_os_error(tmp_path):
    """pathlib raises a RuntimeError for it."""
    (tmp_path / "a.tnb").symlink_to(tmp_path / "b.tnb")
    (tmp_path / "b.tnb").symlink_to(tmp_path / "a.tnb")
    with pytest.raises(OSError, match="the model cannot be written") as caught:
        write_model(tmp_path / "a.tnb", {"a": np.zeros(1)}, {})
    assert caught.value.errno == errno.ELOOP
