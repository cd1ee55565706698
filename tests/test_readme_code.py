"""The code in the documents is true: it runs, and prints what is shown.

The blocks of a document run in their order and in one folder, so that a model is trained once. A `python` block must
run; a `sh` block must succeed; the commands of a `console` block must print what stands below them, where a line `…`
stands for any lines. A block below `<!-- not run: why -->` is only looked at.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys

import pytest
from documentation import DOCUMENTS, ROOT, blocks, need_corpora, with_blocks, write_samples

from textnb.cli.app import COMMANDS, run


@with_blocks("python")
def test_python_blocks_run_in_order(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_samples(tmp_path)
    namespace = {}
    for block in blocks(document, "python"):
        if block.runs:
            need_corpora(block.text)
            exec(compile("\n" * block.line + block.text, document, "exec"), namespace)


@pytest.fixture
def shell(tmp_path):
    """Runs a script as its reader would, with `textnb` on the path, in a folder of samples; what it prints."""
    programs, folder = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    folder.mkdir()
    (programs / "textnb").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m textnb "$@"\n')
    (programs / "textnb").chmod(0o755)
    write_samples(folder)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}

    def printed(script):
        call = ["/bin/sh", "-e", "-c", script]
        done = subprocess.run(call, capture_output=True, cwd=folder, env=environment)
        assert done.returncode == 0, f"{script}\n{done.stderr.decode()}"
        return done.stdout.decode()

    return printed


@pytest.mark.slow
@with_blocks("console", "sh")
def test_commands_print_what_is_shown(document, shell):
    for block in blocks(document, "console", "sh"):
        if not block.runs:
            continue
        need_corpora(block.text)
        if block.language == "sh":
            shell(block.text)
            continue
        parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
        for command, shown in zip(parts[::2], parts[1::2], strict=True):
            printed = shell(command)
            assert is_shown(printed, shown), f"{command} prints\n{printed}and {document.name} shows\n{shown}"


def is_shown(printed, shown):
    """Whether this is what was printed, where a line `…` stands for any lines."""
    pattern = re.escape(shown).replace("…\\\n", "(?:.*\n)*")
    return re.fullmatch(pattern, printed) is not None


def test_an_ellipsis_stands_for_whole_lines_only():
    assert is_shown("a\nb\nc\n", "a\n…\nc\n") and is_shown("a\nc\n", "a\n…\nc\n")
    assert not is_shown("a\nb\nc\n", "a\n") and not is_shown("a\nbc\n", "a\n…\nc\n")


def options_of(command):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run([command, "--help"])
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", shown.getvalue()))


def test_options_of_commands_that_are_not_run_exist():
    scripts = [block.text for path in DOCUMENTS for block in blocks(path, "sh") if not block.runs]
    calls = re.findall(rf"(?<=textnb )(?:{'|'.join(COMMANDS)})\b[^#|<;\n]*", "".join(scripts))
    assert calls
    for command, *words in map(shlex.split, calls):
        assert {word for word in words if word.startswith("-") and word != "-"} <= options_of(command)
