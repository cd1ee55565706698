"""The command line as typer parses it: help, errors, and whatever is not plain enough for the quick parser."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Annotated, Any

import typer

from textnb.cli.app import COMMANDS
from textnb.cli.parameters import Argument, Parameter, parameters


def call(arguments: list[str]) -> Any:
    """What the command returns; wrong calls raise ValueError."""
    try:
        return make_app(arguments)(arguments or ["--help"], standalone_mode=False, prog_name="textnb")
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit as error:  # typer's answer to a pipe that was closed
        if isinstance(error.__context__, OSError):
            raise error.__context__ from None
        raise
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own usage errors
            raise ValueError(_usage_error(error)) from error
        raise


def make_app(arguments: list[str]) -> typer.Typer:
    """The application with the command that is called; without a command first, all of them are listed."""
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
            app.command(name, short_help=COMMANDS[name])(for_typer(command))
    return app


def _listed() -> None:
    """A command in the list of them, which is not called."""


def for_typer(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with its options and arguments declared as typer wants them."""

    @wraps(command)
    def called(**values: Any) -> Any:
        return command(**values)

    declared = signature(command)
    translated = [
        declared.parameters[parameter.name].replace(annotation=Annotated[parameter.annotation, _declaration(parameter)])
        for parameter in parameters(command)
    ]
    called.__signature__ = declared.replace(parameters=translated)  # type: ignore[attr-defined]
    return called


def _declaration(parameter: Parameter) -> Any:
    declared = parameter.declared
    if isinstance(declared, Argument):
        return typer.Argument(metavar=declared.metavar, help=declared.help)
    return typer.Option(
        *declared.names, min=declared.min, max=declared.max, metavar=declared.metavar, help=declared.help
    )


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


def _usage_error(error: Exception) -> str:
    message = error.format_message().rstrip(".").replace("Value error, ", "")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "textnb"
    return f"{message}{'' if message.endswith('?') else '.'} Try '{command} --help'."
