"""What a terminal is shown: steps while they last, tables that fit it."""

import io
import os
from types import SimpleNamespace

import pytest

from textnb.cli import output
from textnb.cli.output import Terminal, marking, terminal_width
from textnb.corpora import corpus_names
from textnb.text.steps import step
from textnb.workflow.progress import hears_steps


class Screen(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        return 1


@pytest.fixture
def screen(monkeypatch):
    """A terminal of 60 columns that both streams seem to be."""
    shown = Screen()
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdout=shown, stderr=shown))
    monkeypatch.setattr(os, "get_terminal_size", lambda *number: os.terminal_size((60, 24)))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return shown


@hears_steps
def work(unit, progress, total=2):
    with step("counting", unit, total) as advance:
        advance(1, "")
        advance(1, "")


def test_a_step_is_shown_in_words_and_cleared(screen):
    work("", progress=Terminal(quiet=False))
    assert "counting …" in screen.getvalue()
    assert screen.getvalue().split("\r")[-1].strip() == ""


@pytest.mark.parametrize("total", [None, 1000])
def test_of_many_or_unknown_units_only_a_long_step_is_shown(screen, monkeypatch, total):
    work(" documents", progress=Terminal(quiet=False), total=total)
    assert screen.getvalue().strip() == ""
    monkeypatch.setattr(output, "SHORT_STEP", 0)
    work(" documents", progress=Terminal(quiet=False), total=total)
    assert "counting: " in screen.getvalue()


def test_a_step_of_few_units_is_shown_at_once(screen):
    work(" documents", progress=Terminal(quiet=False))
    assert "counting:   0%" in screen.getvalue()


@pytest.mark.parametrize("is_quiet", [True, False])
def test_steps_are_silent_when_quiet_or_piped(screen, monkeypatch, is_quiet):
    if not is_quiet:
        monkeypatch.setattr(screen, "isatty", lambda: False)
    work("", progress=Terminal(quiet=is_quiet))
    assert screen.getvalue() == ""


def test_results_are_as_wide_as_the_terminal_and_marked_there(screen, monkeypatch):
    assert (terminal_width(), marking()) == (60, "colours")
    monkeypatch.setenv("NO_COLOR", "1")
    assert marking() == "signs"
    monkeypatch.setattr(screen, "isatty", lambda: False)
    assert (terminal_width(), marking()) == (None, None)


def test_a_terminal_that_does_not_know_its_width_has_the_usual_one(screen, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda *number: os.terminal_size((0, 0)))
    assert terminal_width() == 80


@pytest.mark.parametrize("words", [("train", "-"), ("count", "-", "-o", "m.tnb")])
def test_a_table_that_is_typed_is_waited_for_in_words(screen, textnb, words):
    output.sys.stdin = screen
    assert textnb(*words).code == 2  # nothing is typed
    said = " ".join(screen.getvalue().split())
    assert said.startswith("textnb: reading a table from the terminal; end it with Ctrl-D ")


def test_lines_are_broken_at_blanks_to_the_width_of_the_terminal(screen, textnb, mail_csv, monkeypatch):
    """Terminals break them inside words."""
    words = ("train", "mail.csv", "--alpha", "auto", "-o", "m.tnb", "--quiet")
    shown = textnb(*words).out
    assert max(map(len, shown.splitlines())) <= 60
    output.fail("a long error " * 10)
    said = screen.getvalue()
    assert max(map(len, said.splitlines())) <= 60
    monkeypatch.setattr(screen, "isatty", lambda: False)
    assert shown.split() == textnb(*words).out.split()
    output.fail("a long error " * 10)
    assert screen.getvalue().removeprefix(said) == " ".join(said.split()) + "\n"


def test_tables_of_corpora_narrow_themselves(screen, textnb, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda *number: os.terminal_size((40, 24)))
    lines = textnb("corpora").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == corpus_names()  # which have to be typed
    monkeypatch.setattr(os, "get_terminal_size", lambda *number: os.terminal_size((60, 24)))
    lines = textnb("corpora").out.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 60
    assert any("…" in line for line in lines)
