"""The command as a process of its own: streams, signals, imports."""

import json
import os
import resource
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

import textnb as library

ROOT = Path(__file__).parents[2]


def command(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    words = [sys.executable, "-m", "textnb", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, env=environment, timeout=60, **options)


def shell(line, folder):
    """A line of bash in which `textnb` is the command."""
    script = f'textnb() {{ "{sys.executable}" -m textnb "$@"; }}\n{line}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, cwd=folder, timeout=60
    )


@pytest.mark.parametrize(
    ("call", "packages"),
    [
        (["predict", "-q"], []),
        (["check", "--positive=ham"], []),
        (["check", "--positive=ham", "--update"], ["numpy"]),
        (["learn", "--label", "ham"], ["numpy"]),
        (["forget", "--label=ham"], ["numpy"]),
    ],
)
def test_commands_for_mail_filters_import_numpy_at_most(model, tmp_path, call, packages):
    (tmp_path / "message").write_text("lunch tomorrow")
    assert command("learn", model, "--label", "ham", "message", cwd=tmp_path).returncode == 0
    script = f"""
import sys
from textnb.cli.app import run
assert run([{call[0]!r}, "mail.tnb", *{call[1:]!r}, "message"]) == 0
loaded = {{name.partition(".")[0] for name in sys.modules}}
assert "numpy.ma" not in sys.modules
from importlib.metadata import packages_distributions
print(*sorted(loaded & packages_distributions().keys()))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert set(done.stdout.splitlines()[-1].split()) <= {*packages, "textnb", "_distutils_hack"}


@pytest.mark.parametrize(
    "call",
    [
        ["train", "mail.csv", "--output", "new.tnb"],
        ["train", "mail.csv", "--output", "new.tnb", "--refit", "--unsure", "0.2", "--json"],
        ["train", "mail.csv", "--output", "new.tnb", "--stream"],
        ["tune", "mail.csv"],
        ["evaluate", "mail.tnb", "mail.csv", "--all"],
        ["inspect", "mail.tnb"],
        ["audit", "mail.csv"],
        ["explain", "mail.tnb", "mail.csv"],
        ["predict", "mail.tnb", "mail.csv", "--explain"],
        ["check", "mail.tnb", "mail.csv", "-v"],
        ["count", "mail.csv", "--output", "new.tnb"],
    ],
    ids=" ".join,
)
def test_models_of_text_need_no_scientific_stack_but_numpy(model, mail_csv, tmp_path, call):
    script = f"""
import sys
from textnb.cli.app import run
assert run({call!r}) == 0
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & {{"sklearn", "scipy", "pandas", "matplotlib"}}))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert done.stdout.splitlines()[-1] == ""


def test_a_result_goes_to_stdout_as_json_tools_read_it(mail_csv, tmp_path):
    done = shell(f"textnb train {mail_csv} --json | {sys.executable} -m json.tool", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["n_test"] == 24


@pytest.mark.parametrize(("call", "code"), [("train -h", 1), ("check -h", 3), ("--help", 1)])
def test_help_that_nobody_reads_says_nothing(tmp_path, call, code):
    done = shell(f'{{ sleep 0.3; textnb {call}; echo "$?" >&2; }} | true', tmp_path)
    assert done.stderr == f"{code}\n"


def test_a_closed_pipe_says_nothing(model, tmp_path):
    done = shell(f"yes 'free prize' | head -100000 | textnb predict {model} --lines | head -1", tmp_path)
    assert (done.stdout[:5], done.stderr) == ("spam\t", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_under_stdout_is_one_line(model, tmp_path):
    done = shell(f"textnb predict {model} {__file__} --json > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "textnb: the result cannot be written: No space left on device; make room, or send it elsewhere\n"
    )


def test_closed_streams_are_no_accident(model, tmp_path):
    assert shell(f"textnb predict {model} {__file__} >&-", tmp_path).returncode == 0
    assert shell("textnb predict missing.tnb 2>&-", tmp_path).returncode == 2
    done = shell(f"textnb predict {model} <&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "textnb: -: stdin is closed; give a file, or a document on stdin\n"


def test_an_interrupt_ends_with_130(model):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "textnb", "predict", str(model), "-", "--lines"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=environment, **pipes) as child:
        child.stdin.write(b"lunch\n" * 10_000)
        child.stdin.flush()
        assert child.stdout.read(3) == b"ham"  # it is at work
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in err


def test_an_interrupt_after_all_is_done_shows_no_traceback():
    """The second Ctrl-C came when what the first one had asked for was saved."""
    late = "import gc, os, sys; gc.freeze = lambda: os.kill(os.getpid(), 2); sys.argv = ['textnb', '--version']"
    script = f"{late}; from textnb.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize(
    "settings",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
)
def test_poor_locales_still_get_an_answer(tmp_path, settings):
    library.TextClassifier().fit(["na\xefve caf\xe9", "lunch"], ["caf\xe9 \u2026", "ham"]).save(tmp_path / "m.tnb")
    (tmp_path / "caf\xe9.txt").write_text("caf\xe9", encoding="utf-8")
    done = command("predict", "m.tnb", "caf\xe9.txt", "caf\xe9.txt", cwd=tmp_path, env=settings)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\t0.") == 2


@pytest.mark.slow
def test_a_document_of_a_hundred_megabytes_in_one_line(model, tmp_path):
    with (tmp_path / "long.txt").open("w") as file:
        file.write("free prize " * 9_600_000)
    done = command("predict", model, "long.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"spam\t")


@pytest.mark.parametrize("name", ["train", "tune"])
def test_on_a_terminal_tuning_shows_how_far_it_is(name, mail_csv, tmp_path):
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    words = [sys.executable, "-m", "textnb", name, "mail.csv"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, env=environment, cwd=tmp_path, timeout=60)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # at its end, where the other side is closed
        while more := os.read(ours, 1 << 16):
            shown += more
    os.close(ours)
    assert done.returncode == 0
    assert b"tuning: " in shown
    assert b"tuning" not in command(name, mail_csv, cwd=tmp_path).stderr


def test_a_progress_bar_leaves_no_thread_that_would_keep_a_process_from_being_forked():
    script = """
import io, sys
from textnb.cli.output import Terminal
from textnb.text.processes import can_fork
sys.stderr = io.StringIO()
sys.stderr.isatty = lambda: True
with Terminal(quiet=False).bar("reading", "document", 3) as advance:
    advance(3, "")
assert "reading" in sys.stderr.getvalue()
print(can_fork())
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == str(sys.platform == "linux")


def test_an_unbuffered_stdout_that_is_full_is_an_error(model, tmp_path):
    """It takes what fits, and does not say that it is not all."""
    (tmp_path / "lines").write_text("lunch tomorrow\n" * 20_000)
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-u", "-m", "textnb", "predict", model, "--lines", "lines"],
            stdout=out,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1001, 1001)),
        )
    assert done.returncode == 2
