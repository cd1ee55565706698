"""The commands together, and what becomes of their errors: one line on stderr and exit code 2."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import FunctionType
from typing import Any

from textnb.cli.output import fail
from textnb.cli.quick import parse
from textnb.corpora.files import os_error_line

COMMANDS = {  # each in the module of its name
    "train": "Learn from a corpus, evaluate, save a model.",
    "evaluate": "Evaluate a model on labelled documents.",
    "report": "Show an evaluation as a page, with its documents.",
    "predict": "Predict the class of documents.",
    "explain": "Show why a document is of its class.",
    "tune": "Choose settings for a corpus.",
    "inspect": "Show what is in a model.",
    "learn": "Teach a model more documents.",
    "forget": "Take documents out of a model.",
    "count": "Count a part of a corpus, to be merged.",
    "merge": "Add several models up into one.",
    "compact": "Make a smaller model, which only predicts.",
    "diff": "Show what changed between two models.",
    "audit": "List documents whose label looks wrong.",
    "corpora": "List or fetch the named corpora.",
}


def call(arguments: list[str]) -> Any:
    """Call a command and return what it returns; typer is asked only where its help or its errors may be needed."""
    if arguments and arguments[0] in COMMANDS:
        command = getattr(import_module(f"textnb.cli.{arguments[0]}"), arguments[0])
        values = parse(command, arguments[1:]) if isinstance(command, FunctionType) else None
        if values is not None:
            return command(**values)
    from textnb.cli import typer_app

    return typer_app.call(arguments)


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a pipe may know fewer characters than a table has
    try:
        code = call(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        _discard_stdout()
        return 1
    except OSError as error:
        _discard_stdout()
        return fail(os_error_line(error))
    except ValueError as error:
        return fail(str(error))
    except MemoryError:
        return fail("not enough memory; use fewer documents, --max-features or --min-df")
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "TEXTNB_DEBUG" in os.environ:
            raise
        return fail(f"a mistake in textnb, {type(error).__name__}: {error}; set TEXTNB_DEBUG=1 to see where, report it")


def _discard_stdout() -> None:
    """Let go what stdout cannot take, or flushing it at exit would fail once more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
