"""The commands together: which there are, and how one is called."""

from __future__ import annotations

import io
import sys
import warnings
from importlib import import_module
from types import FunctionType
from typing import Any

from textnb.cli.failures import failure_code, is_passed_on, pass_on_stdin, report_failure
from textnb.cli.quick import parse

COMMANDS = {  # each in the module of its name
    "train": "Learn from a corpus, evaluate, save a model.",
    "evaluate": "Evaluate a model on labelled documents.",
    "report": "Show an evaluation as a page, with its documents.",
    "predict": "Predict the class of documents.",
    "check": "Say by the exit code whether a message is spam.",
    "explain": "Show why a document is of its class.",
    "tune": "Choose settings for a corpus.",
    "inspect": "Show what is in a model.",
    "learn": "Teach a model more documents.",
    "refit": "Fit a model anew, with its settings.",
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


def _whole(stream: Any) -> Any:
    """An unbuffered stream (python -u) with a buffer for a line: without one, what does not fit is lost in silence."""
    raw = getattr(stream, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        return stream
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True)


def _notice(message: Warning | str, *where: Any, **options: Any) -> None:
    """A warning of the library as a line of ours: what it says of documents and files is inert there."""
    from textnb.cli.output import notice

    notice(" ".join(str(message).split()), quiet=False)


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    sys.stdout = _whole(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a pipe may know fewer characters than a table has
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _notice
            code = call(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (Exception, KeyboardInterrupt) as error:
        if is_passed_on(arguments):
            pass_on_stdin()
        return report_failure(error, failure_code(arguments))
