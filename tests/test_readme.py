"""README is what a newcomer reads: short, set up by two commands; and its tables are those of the stored results."""

import subprocess
import sys

from documentation import ROOT, blocks

README = ROOT / "README.md"


def test_it_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_two_commands_set_all_up():
    first, second = (block.text for block in blocks(README, "sh")[:2])
    assert [block.count("\n") for block in (first, second)] == [1, 1]
    assert first.rstrip().endswith("textnb train 20news")
    assert [block.text for block in blocks(README, "sh") if "pytest" in block.text] == [second]


def test_tables_show_the_stored_results():
    script = ROOT / "benchmarks" / "readme.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
