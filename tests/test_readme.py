"""README is true: its code runs, its commands print what it shows, its tables are those of the stored results."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from corpora_for_tests import corpus_or_skip

from textnb.cli.app import COMMANDS, run
from textnb.corpora import corpus_names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def need_corpora(code):
    """Skip where a corpus that the code names cannot be had in the edition that README speaks of."""
    for name in corpus_names():
        if re.search(rf"(?<![\w-]){name}(?![\w.-])", code):
            corpus = corpus_or_skip(name)
            if name == "20news" and corpus.groups is None:
                pytest.skip("corpus not available: 20news with headers")


@pytest.mark.parametrize("last", range(len(blocks("python"))))
def test_python_blocks_run_in_order(tmp_path, monkeypatch, capsys, last):
    monkeypatch.chdir(tmp_path)
    need_corpora(blocks("python")[last])
    namespace = {}
    for block in blocks("python")[: last + 1]:
        if block is blocks("python")[last] or "load_corpus" not in block:
            exec(compile(block, "README.md", "exec"), namespace)


def transcripts():
    """Each console block as its commands with what they print."""
    for block in blocks("console"):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        yield list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("transcript", list(transcripts()), ids=lambda transcript: transcript[0][0])
def test_commands_print_what_is_shown(tmp_path, transcript):
    for command, _ in transcript:
        need_corpora(command)
    (tmp_path / "textnb").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m textnb "$@"\n')
    (tmp_path / "textnb").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    for command, shown in transcript:
        done = subprocess.run(command, shell=True, capture_output=True, cwd=tmp_path, env=environment, check=True)
        assert done.stdout.decode() == shown


def options_of(command):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run([command, "--help"])
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", shown.getvalue()))


def test_options_of_shell_blocks_exist():
    calls = re.findall(rf"(?<=textnb )(?:{'|'.join(COMMANDS)})\b[^#|<;\n]*", "".join(blocks("sh")))
    assert len(calls) > 3
    for command, *words in map(shlex.split, calls):
        assert {word for word in words if word.startswith("-") and word != "-"} <= options_of(command)


def test_two_commands_set_all_up():
    first, second = blocks("sh")[:2]
    assert [block.count("\n") for block in (first, second)] == [1, 1]
    assert first.rstrip().endswith("textnb train 20news")
    assert [block for block in blocks("sh") if "pytest" in block] == [second]


def test_tables_show_the_stored_results():
    script = ROOT / "benchmarks" / "readme.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_pictures_and_files_that_are_named_exist():
    named = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(
        r"`((?:benchmarks|textnb|corpora_scripts)[\w/.]*)`", README
    )
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
