"""The commands together, and what becomes of their errors: one line on stderr and exit code 2."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from textnb.cli.output import fail
from textnb.corpora.messages import os_error_line

COMMANDS = {  # each in the module of its name
    "train": "Learn from a corpus, evaluate, save a model.",
    "evaluate": "Evaluate a model on labelled documents.",
    "predict": "Predict the class of documents.",
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


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version
        from platform import python_version

        from textnb import __version__
        from textnb.arrays import kernel_name

        built_on = f"{kernel_name()} kernel, Python {python_version()}, numpy {version('numpy')}"
        typer.echo(f"textnb {__version__} ({built_on})")
        raise typer.Exit()


def textnb(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Naive Bayes for text: train, evaluate and use classifiers.

    \b
    Examples:
      textnb train 20news
      textnb train mail.csv --text body --label kind
      textnb predict mail.tnb message.txt

    Every command explains itself: textnb train --help
    """


def make_app(arguments: list[str]) -> typer.Typer:
    """The application with the commands that are called: a mail filter does not wait for the options of all others.

    Without a command first, all of them are listed.
    """
    called = arguments[:1] if arguments and arguments[0] in COMMANDS else arguments
    app = typer.Typer(
        name="textnb",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(textnb)
    for name in COMMANDS if called is arguments else called:
        command = getattr(import_module(f"textnb.cli.{name}"), name) if name in called else _listed
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=COMMANDS[name])
        else:
            app.command(name, short_help=COMMANDS[name])(command)
    return app


def _listed() -> None:
    """A command in the list of them, which is not called."""


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a pipe may know fewer characters than a table has
    try:
        code = make_app(arguments)(arguments or ["--help"], standalone_mode=False, prog_name="textnb")
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
    except (KeyboardInterrupt, typer.Abort):
        return fail("interrupted", code=130)
    except Exception as error:
        if hasattr(error, "format_message"):  # a wrong call: typer's own usage errors
            return fail(_usage_error(error))
        if "TEXTNB_DEBUG" in os.environ:
            raise
        return fail(f"a mistake in textnb, {type(error).__name__}: {error}; set TEXTNB_DEBUG=1 to see where, report it")


def _usage_error(error: Exception) -> str:
    message = error.format_message().rstrip(".").replace("Value error, ", "")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "textnb"
    return f"{message}{'' if message.endswith('?') else '.'} Try '{command} --help'."


def _discard_stdout() -> None:
    """Let go what stdout cannot take, or flushing it at exit would fail once more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
