"""How a command declares its options and arguments: in its signature, without typer, which takes long to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

REQUIRED: Any = ...  # in place of a default


class Argument:
    """`Annotated[Path, Argument(metavar="MODEL", help="A model file.")]` declares a parameter as an argument."""

    def __init__(self, *, metavar: str | None = None, help: str) -> None:
        self.metavar, self.help = metavar, help


class Option:
    """`Annotated[int, Option("--terms", "-t", min=0, help="How many.")]` declares a parameter as an option.

    Without a name it is called as the parameter is. A flag may have a second name for no: `--ledger/--no-ledger`.
    """

    def __init__(
        self,
        *names: str,
        min: float | None = None,
        max: float | None = None,
        metavar: str | None = None,
        help: str,
    ) -> None:
        self.names, self.min, self.max, self.metavar, self.help = names, min, max, metavar, help


class Parameter:
    """A parameter of a command: what was declared, the type of one value, whether there may be many."""

    def __init__(self, name: str, hint: Any, default: Any) -> None:
        self.name, self.default = name, default
        self.annotation, self.declared = get_args(hint)
        alternatives = get_args(self.annotation)
        optional = type(None) in alternatives
        self.type = alternatives[0] if optional else self.annotation
        self.is_list = get_origin(self.type) is list
        if self.is_list:
            (self.type,) = get_args(self.type)

    def names(self) -> dict[str, bool]:
        """Each name of an option; False for those that say no to a flag."""
        plain = self.name.replace("_", "-")
        declared = self.declared.names or ([f"--{plain}/--no-{plain}"] if self.type is bool else [f"--{plain}"])
        pairs = [name.partition("/") for name in declared]
        return {yes: True for yes, _, _ in pairs} | {no: False for _, _, no in pairs if no}


def parameters(command: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a command, in the order of its signature; those without a default are required."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    defaults = command.__defaults__ or ()
    required = [REQUIRED] * (len(hints) - len(defaults))
    return [Parameter(name, hints[name], default) for name, default in zip(hints, [*required, *defaults], strict=True)]
