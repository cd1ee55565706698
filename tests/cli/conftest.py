"""Running the command line in this process, in a folder of its own, with some mail to learn from."""

import csv
import io
import json
import random
import sys
from typing import Any, NamedTuple

import pytest

from textnb.cli.app import run

WORDS = {
    "ham": ["lunch", "meeting", "minutes", "report", "project", "thanks", "dinner", "tomorrow", "agenda", "notes"],
    "spam": ["cheap", "pills", "free", "prize", "claim", "cash", "winner", "offer", "click", "viagra"],
}


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def textnb(tmp_path, monkeypatch, capsys):
    """`textnb("train", "mail.csv", stdin=b"…")`, run in `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    return caller(monkeypatch, capsys)


def caller(monkeypatch, capsys):
    """The command line as a function that gives its exit code and what it printed."""

    def call(*arguments: object, stdin: bytes = b"", terminal: bool = False) -> Result:
        for stream in (sys.stdout, sys.stderr) if terminal else ():
            monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        code = run([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return call


def mail(n: int = 40) -> list[tuple[str, str]]:
    """(text, label) of short messages, some of them hard to tell."""
    choose = random.Random(7)
    return [
        (" ".join(choose.choices(WORDS[label], k=4) + choose.choices(WORDS["ham"] + WORDS["spam"], k=3)), label)
        for label in ("ham", "spam")
        for _ in range(n)
    ]


@pytest.fixture
def mail_csv(tmp_path):
    """A table with the columns `text` and `label`."""
    path = tmp_path / "mail.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *mail()])
    return path


_trained: list[bytes] = []


@pytest.fixture
def model(textnb, mail_csv):
    """A model file of that mail, trained once a process."""
    path = mail_csv.with_name("mail.tnb")
    if not _trained:
        assert textnb("train", mail_csv, "--output", "mail.tnb", "--quiet").code == 0
        _trained.append(path.read_bytes())
    path.write_bytes(_trained[0])
    return path
