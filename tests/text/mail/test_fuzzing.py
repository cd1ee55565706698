"""A short run of the fuzzer; `benchmarks/fuzz_mail.py` alone runs for ten minutes."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "fuzz_mail.py"


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris has no packages for every platform")
def test_nothing_is_found_in_a_few_seconds(tmp_path):
    # By a shell that stays: a process that the tests start counts their memory as its own peak.
    command = ["sh", "-c", '"$@"; exit $?', "sh"]
    command += [sys.executable, str(SCRIPT), "--seconds", "3", "--found", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert list(tmp_path.iterdir()) == []
