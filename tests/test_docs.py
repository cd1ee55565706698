"""The pages in docs are true: their code runs, and so do their commands, one after the other."""

import re
import shlex
from pathlib import Path

import pytest

from textnb.cli.app import run

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(tmp_path, monkeypatch, capsys, page):
    monkeypatch.chdir(tmp_path)
    for language, block in re.findall(
        r"^```(python|sh)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language == "python":
            exec(compile(block, page.name, "exec"), {})
            continue
        for line in block.splitlines():
            program, *words = shlex.split(line, comments=True)
            assert (program, run(words)) == ("textnb", 0), line
