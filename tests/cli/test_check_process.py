"""`textnb check` as mail programs call it: streams, signals, imports, procmail."""

import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from cli.test_process import ROOT, command, shell

import textnb as library

SPAM = b"From: a@example.org\nSubject: prize\n\ncheap pills, free prize, claim cash\n"
HAM = b"From: b@example.org\nSubject: lunch\n\nlunch tomorrow, minutes of the meeting\n"


@pytest.fixture
def filter_file(tmp_path):
    texts = ["cheap pills", "free prize", "claim cash", "lunch tomorrow", "minutes of the meeting", "agenda notes"]
    classifier = library.TextClassifier("multinomial", "counts", alpha=0.5, calibrate=False)
    classifier.fit(texts, ["spam"] * 3 + ["ham"] * 3).save(tmp_path / "mail.tnb")
    (tmp_path / "spam").write_bytes(SPAM)
    (tmp_path / "ham").write_bytes(HAM)
    return tmp_path / "mail.tnb"


def test_exit_codes_of_the_process(filter_file, tmp_path):
    line = """
textnb check mail.tnb spam -q; echo $?
textnb check mail.tnb < ham > /dev/null; echo $?
textnb check mail.tnb missing; echo $?
textnb check mail.tnb spam >&-; echo $?
textnb check mail.tnb <&-; echo $?
textnb check --foo 2>&-; echo $?
textnb check --help > /dev/null; echo $?
"""
    assert shell(line, tmp_path).stdout.split() == ["0", "1", "3", "3", "3", "3", "0"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_3(filter_file, tmp_path):
    line = """
textnb check mail.tnb spam > /dev/full; echo $?
textnb check mail.tnb --passthrough < spam > /dev/full; echo $?
textnb check missing.tnb spam 2> /dev/full; echo $?
"""
    assert shell(line, tmp_path).stdout.split() == ["3", "3", "3"]


def test_a_pipe_that_nobody_reads_is_3_and_says_nothing(filter_file, tmp_path):
    for option in ("--passthrough", "--json"):
        line = f'{{ sleep 0.3; cat spam; }} | textnb check mail.tnb {option} | true; echo "${{PIPESTATUS[1]}}"'
        done = shell(line, tmp_path)
        assert (done.stdout, done.stderr) == ("3\n", "")


def test_an_interrupt_is_3(filter_file, tmp_path):
    script = """
import sys
from textnb.cli import main
from textnb.workflow import checking
read = checking.read_content
def announced(*arguments):
    print("ready", file=sys.stderr, flush=True)
    return read(*arguments)
checking.read_content = announced
main()
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", script, "check", str(filter_file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=environment, **pipes) as child:
        assert child.stderr.readline() == b"ready\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (3, b"", b"")


def test_what_cannot_start_is_3_and_passes_the_message_on(filter_file, tmp_path):
    script = "import sys; sys.modules['textnb.cli.app'] = None; from textnb.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", script, "check", "mail.tnb", "--passthrough"]
    done = subprocess.run(words, input=SPAM, capture_output=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (3, SPAM)


@pytest.mark.parametrize("call", [[], ["--passthrough"], ["--json"]])
def test_it_imports_neither_numpy_nor_the_parser_of_help(filter_file, tmp_path, call):
    script = f"""
import sys
from textnb.cli.app import run
assert run(["check", "mail.tnb", "spam", *{call!r}]) == 0
heavy = {{"numpy", "scipy", "sklearn", "nltk", "typer", "click", "email", "inspect", "dataclasses"}}
print(*sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "\n")


# procmail


@pytest.fixture
def deliver(filter_file, tmp_path):
    """`deliver(recipes, message)` has procmail deliver a message, and returns the mailboxes that are not empty."""
    if shutil.which("procmail") is None:
        pytest.skip("procmail is not installed")
    program = tmp_path / "bin" / "textnb"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m textnb "$@"\n')
    program.chmod(0o755)
    boxes = tmp_path / "boxes"
    boxes.mkdir()

    def call(recipes, message):
        for name in ("inbox", "junk"):
            (boxes / name).write_bytes(b"")  # procmail takes a second to make one
        settings = f"SHELL=/bin/sh\nPATH={program.parent}:/usr/bin:/bin\nMAILDIR={boxes}\nDEFAULT={boxes}/inbox\n"
        (tmp_path / "procmailrc").write_text(f"{settings}MODEL={filter_file}\n{recipes}")
        done = subprocess.run(
            ["procmail", "-m", str(tmp_path / "procmailrc")], input=message, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return {path.name: path.read_bytes() for path in boxes.iterdir() if path.stat().st_size}

    return call


BY_HEADER = """
:0fw
| textnb check $MODEL --passthrough

:0
* ^X-Textnb: spam;
junk

:0
inbox
"""
BY_EXIT_CODE = """
:0
* ? textnb check $MODEL --quiet
junk

:0
inbox
"""


def test_procmail_files_by_the_header(deliver):
    forged = SPAM.replace(b"Subject", b"X-Textnb: ham; 0.001; score -7.0\nSubject")
    assert_delivered(deliver(BY_HEADER, forged), "junk", b"X-Textnb: spam; 0.99", SPAM)
    forged = HAM.replace(b"Subject", b"X-TEXTNB: spam; 0.999; score 7.0\nSubject")
    assert_delivered(deliver(BY_HEADER, forged), "inbox", b"X-Textnb: ham; 0.0", HAM)


def test_the_recipe_of_the_documentation_works(deliver, filter_file, tmp_path, monkeypatch):
    (recipe,) = re.findall(
        r"^```procmail\n(.*?)^```$", (ROOT / "docs" / "mail.md").read_text(), re.MULTILINE | re.DOTALL
    )
    filter_file.rename(tmp_path / "filter.tnb")
    monkeypatch.setenv("HOME", str(tmp_path))
    recipes = f"HOME={tmp_path}\n{recipe.replace('Junk', 'junk')}"
    assert_delivered(deliver(recipes, SPAM), "junk", b"X-Textnb: spam; 0.99", SPAM)
    assert_delivered(deliver(recipes, HAM), "inbox", b"X-Textnb: ham; 0.0", HAM)


def test_procmail_files_by_the_exit_code(deliver):
    for message, name in ((SPAM, "junk"), (HAM, "inbox")):
        assert_delivered(deliver(BY_EXIT_CODE, message), name, b"", message)


def test_procmail_delivers_where_the_filter_fails(deliver, filter_file):
    filter_file.unlink()
    for recipes in (BY_HEADER, BY_HEADER.replace(":0fw", ":0f"), BY_EXIT_CODE):
        assert_delivered(deliver(recipes, SPAM), "inbox", b"", SPAM)


def assert_delivered(boxes, name, header, message):
    """That a message is in one mailbox, with one header or none added."""
    assert list(boxes) == [name]
    lines = boxes[name].rstrip(b"\n").split(b"\n")
    if header:
        (added,) = [line for line in lines if line.lower().startswith(b"x-textnb")]
        assert added.startswith(header)
        lines.remove(added)
    assert lines == message.rstrip(b"\n").split(b"\n")


def test_the_command_is_there_as_a_module(filter_file, tmp_path):
    assert command("check", filter_file, "spam", cwd=tmp_path).stdout.startswith(b"spam; 0.99")


MEGABYTE = SPAM + b"x" * (1 << 20)


def unbuffered(filter_file, *words, **options):
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "textnb", "check", str(filter_file), *words],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **options,
    )


def test_a_message_that_stdout_takes_in_part_only_has_failed(filter_file, tmp_path):
    """An unbuffered stdout takes what fits and does not say that it is not all."""
    limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))}
    with (
        (tmp_path / "out").open("wb") as out,
        unbuffered(filter_file, "--passthrough", stdout=out, **limits) as process,
    ):
        process.communicate(MEGABYTE)
    assert process.returncode == 3


@pytest.mark.parametrize("words", [["--passthrough"], ["--passthrough", "--bogus"]])
def test_a_stdout_that_does_not_block_gets_the_whole_message(filter_file, words):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with unbuffered(filter_file, *words, stdout=writing, stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        process.stdin.write(MEGABYTE)
        process.stdin.close()
        with os.fdopen(reading, "rb") as out:
            assert out.read().endswith(MEGABYTE)
    assert process.returncode == (0 if len(words) == 1 else 3)


def test_what_an_interrupt_comes_in_between_is_passed_on_whole(filter_file):
    with unbuffered(filter_file, "--passthrough", stdout=subprocess.PIPE) as process:
        process.stdin.write(MEGABYTE[:1000])
        process.stdin.flush()
        while int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.stdin.write(MEGABYTE[1000:])
        process.stdin.close()
        found = process.stdout.read()
        assert (len(found), found == MEGABYTE) == (len(MEGABYTE), True)
    assert process.returncode == 3
