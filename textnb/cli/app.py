"""The commands together, and what becomes of their errors: one line on stderr and exit code 2."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from textnb.cli.corpora import corpora_app
from textnb.cli.evaluate import evaluate
from textnb.cli.inspect import inspect
from textnb.cli.output import fail
from textnb.cli.predict import predict
from textnb.cli.train import train

app = typer.Typer(
    name="textnb",
    help="Naive Bayes for text: train, evaluate and use classifiers.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (train, evaluate, predict, inspect):
    app.command()(command)
app.add_typer(corpora_app, name="corpora")


def show_version(wanted: bool) -> None:
    if wanted:
        from textnb.cli.version import version_line

        typer.echo(version_line())
        raise typer.Exit()


@app.callback()
def textnb(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Naive Bayes for text: train, evaluate and use classifiers.

    Start with `textnb train 20news`, or with your own mail: `textnb train mail.csv --text body --label kind`.
    """


def run(arguments: list[str]) -> int:
    """Run a command line; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a pipe may know fewer characters than a table has
    try:
        code = app(arguments or ["--help"], standalone_mode=False, prog_name="textnb")
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: flushing at exit would fail
        return 1
    except KeyboardInterrupt:
        return fail("interrupted", code=130)
    except MemoryError:
        return fail("not enough memory; use fewer documents, --max-features or --min-df")
    except OSError as error:
        return fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except ValueError as error:
        return fail(str(error))
    except Exception as error:
        if hasattr(error, "format_message"):  # a wrong call: typer's own usage errors
            message = error.format_message().rstrip(".")
            return fail(f"{message}{'' if message.endswith('?') else '.'} Try 'textnb --help'.")
        if type(error).__name__ == "Abort":
            return fail("interrupted", code=130)
        raise
