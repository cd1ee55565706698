"""Command lines that are plainly valid, parsed without typer; whatever else is written is left to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from textnb.cli.parameters import REQUIRED, Argument, Parameter, parameters


class NotPlain(Exception):
    """A word that is wrong, asks for help, or is better judged by typer."""


def parse(command: Callable[..., Any], words: list[str]) -> dict[str, Any] | None:
    """What typer would call the command with, or None where typer has to look: at every error, and at --help."""
    declared = parameters(command)
    try:
        options, arguments = _split(words, [p for p in declared if not isinstance(p.declared, Argument)])
        written = options | _assign(arguments, [p for p in declared if isinstance(p.declared, Argument)])
        return {parameter.name: _value(parameter, written.get(parameter.name)) for parameter in declared}
    except NotPlain:
        return None


def _split(words: list[str], declared: list[Parameter]) -> tuple[dict[str, list[Any]], list[str]]:
    """What was written for each option, in order, and the words that belong to none."""
    named = {name: (parameter, yes) for parameter in declared for name, yes in parameter.names().items()}
    written: dict[str, list[Any]] = {}
    arguments: list[str] = []
    left = words[::-1]
    while left:
        word = left.pop()
        if word == "--":
            return written, arguments + left[::-1]
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        name, has_value, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name not in named:
            raise NotPlain(word)
        parameter, yes = named[name]
        if parameter.type is not bool:
            if not has_value and not left:
                raise NotPlain(word)
            written.setdefault(parameter.name, []).append(value if has_value else left.pop())
            continue
        written.setdefault(parameter.name, []).append(yes)
        if has_value and (word.startswith("--") or value == "-"):
            raise NotPlain(word)
        if has_value:  # more options in one word: -qo
            left.append(f"-{value}")
    return written, arguments


def _assign(words: list[str], declared: list[Parameter]) -> dict[str, list[str]]:
    """The words of each argument: one for each, in order, and a list takes what the others leave."""
    spare = len(words) - len(declared) + 1
    written = {}
    for parameter in declared:
        n = max(spare, 0) if parameter.is_list else 1
        written[parameter.name], words = words[:n], words[n:]
    if words:
        raise NotPlain(words[0])
    return written


def _value(parameter: Parameter, written: list[Any] | None) -> Any:
    """The value of a parameter: of what was written the last, or all of a list; the default if nothing was."""
    if not written:
        if parameter.default is REQUIRED:
            raise NotPlain(parameter.name)
        return parameter.default
    values = [word if parameter.type is bool else _converted(parameter, word) for word in written]
    return values if parameter.is_list else values[-1]


def _converted(parameter: Parameter, word: str) -> Any:
    if parameter.type is int or parameter.type is float:
        return _number(parameter, word)
    choices = get_args(parameter.type)
    if choices and word not in choices:
        raise NotPlain(word)
    return word if choices else parameter.type(word)


def _number(parameter: Parameter, word: str) -> Any:
    """A number in plain digits, within its limits."""
    if not set(word) <= set("0123456789-" if parameter.type is int else "0123456789-."):
        raise NotPlain(word)
    try:
        number = parameter.type(word)
    except ValueError as error:
        raise NotPlain(word) from error
    low, high = parameter.declared.min, parameter.declared.max
    if (low is not None and number < low) or (high is not None and number > high):
        raise NotPlain(word)
    return number
