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


def _as_notice(message: Warning | str, *_: object) -> str:
    """What the library warns of, in a line as of all notices: where in its code is nothing to whom it is shown."""
    from textnb.report.safe import printable

    return f"textnb: {printable(' '.join(str(message).split()))}\n"


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    sys.stdout = _whole(sys.stdout)
    warnings.formatwarning = _as_notice  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a pipe may know fewer characters than a table has
    try:
        code = call(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (Exception, KeyboardInterrupt) as error:
        if is_passed_on(arguments):
            pass_on_stdin()
        return report_failure(error, failure_code(arguments))
