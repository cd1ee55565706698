"""Some of the calls of the system fail, or are the last before a kill; `faults.py` goes through all of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from storage.faults import compiled

SCRIPT = Path(__file__).with_name("faults.py")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """That of a process whose calls can fail."""
    if not sys.platform.startswith("linux"):
        pytest.skip("calls are made to fail in the C library of Linux")
    try:
        library = str(compiled(tmp_path_factory.mktemp("faults")))
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no compiler (cc) to make calls fail with: {error}")
    return {**os.environ, "LD_PRELOAD": library, "TEXTNB_FAULTS": library}


def test_whatever_call_fails_or_is_the_last_the_old_file_or_the_new_is_whole_and_the_truth_is_said(environment):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--every", "60"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    injected = re.match(r"(\d+) faults injected, 0 not survived\n", done.stdout)
    assert injected and int(injected[1]) > 60, done.stdout
    assert all(outcome in done.stdout for outcome in ("killed", "done", "refused"))
