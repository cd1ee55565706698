"""Places where a model cannot be: each is refused in one line, and nothing is left there."""

import io
import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from storage.forge import in_child

from textnb.cli.app import run

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes and devices with names here")

PLACES = [
    "folder.tnb",
    "pipe.tnb",
    "/dev/full",
    "loop.tnb",
    "dangling.tnb",
    "missing/m.tnb",
    "message/m.tnb",
    "locked.tnb",
]
NOBODY = 65534


@pytest.fixture
def places(model, tmp_path):
    """A folder with all of them, beside a model and a message."""
    (tmp_path / "folder.tnb").mkdir()
    os.mkfifo(tmp_path / "pipe.tnb")
    (tmp_path / "loop.tnb").symlink_to("other-loop.tnb")
    (tmp_path / "other-loop.tnb").symlink_to("loop.tnb")
    (tmp_path / "dangling.tnb").symlink_to("missing/m.tnb")
    (tmp_path / ".locked.tnb.lock").mkdir()  # a lock file that cannot be one
    (tmp_path / "message").write_text("lunch at noon")
    return model


def listed(folder):
    return sorted((path.name, path.lstat().st_mode, path.lstat().st_size) for path in folder.rglob("*"))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "call",
    [
        ("learn", "PLACE", "--label", "ham", "message"),
        ("forget", "PLACE", "--label", "ham", "message"),
        ("merge", "mail.tnb", "mail.tnb", "--output", "PLACE"),
        ("compact", "mail.tnb", "--output", "PLACE"),
        ("train", "mail.csv", "--model", "multinomial", "--weights", "counts", "--output", "PLACE"),
        ("train", "mail.csv", "--checkpoint", "PLACE", "--output", "PLACE"),
    ],
    ids=lambda call: call[0] + ("-checkpoint" if "--checkpoint" in call else ""),
)
def test_a_place_where_no_model_can_be_is_refused_and_left_as_it_is(textnb, places, tmp_path, call, place):
    before = listed(tmp_path)
    done = textnb(*(word.replace("PLACE", place) for word in call))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("textnb: ")
    assert "mistake" not in done.err
    assert listed(tmp_path) == before


@pytest.mark.parametrize("name", ["mail.tnb", "link.tnb"])
def test_a_link_to_a_model_is_written_through(textnb, places, tmp_path, name):
    (tmp_path / "link.tnb").symlink_to("mail.tnb")
    before = (tmp_path / "mail.tnb").read_bytes()
    assert textnb("learn", name, "--label", "ham", "message").code == 0
    assert (tmp_path / "mail.tnb").read_bytes() != before
    assert (tmp_path / "link.tnb").is_symlink()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("locked", [False, True])
def test_who_may_only_read_a_folder_is_told_so_and_can_still_predict(model, locked):
    """Also where somebody else's lock file is there, which cannot be written."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile("w+") as said:  # the test's own is root's alone
        folder = Path(name)
        (folder / "mail.tnb").write_bytes(model.read_bytes())
        (folder / "message").write_text("lunch at noon")
        if locked:
            (folder / ".mail.tnb.queue").touch(mode=0o600)
        folder.chmod(0o777 | stat.S_ISVTX if locked else 0o755)
        before = listed(folder)

        def attempt():
            os.setuid(NOBODY)
            os.chdir(folder)
            sys.stdout, sys.stderr = io.StringIO(), said
            codes = [run(["learn", "mail.tnb", "--label", "ham", "message"]), run(["predict", "mail.tnb", "message"])]
            said.flush()
            os._exit(0 if codes == [2, 0] else 7)

        assert in_child(attempt) == 0
        said.seek(0)
        error = said.read()
        assert "mail.tnb: cannot lock the model for writing (Permission denied)" in error
        assert f"'{folder / '.mail.tnb.queue'}' must be a file that you may write to" in error
        assert listed(folder) == before
