"""The quick parser: what it answers is typer's answer, and it answers what is plainly valid."""

import io
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import Annotated, Literal, get_args

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.cli.app import COMMANDS
from textnb.cli.parameters import Argument, Option, parameters
from textnb.cli.quick import parse
from textnb.cli.typer_app import for_typer


def everything(
    first: Annotated[Path, Argument(metavar="FIRST", help="One.")],
    middle: Annotated[list[str], Argument(metavar="MIDDLE", help="Several.")],
    last: Annotated[str | None, Argument(metavar="LAST", help="Perhaps one.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", help="A path.")] = None,
    terms: Annotated[int, Option("-t", "--terms", min=-2, max=30, help="A number.")] = 10,
    share: Annotated[float, Option(min=0, help="Another.")] = 0.5,
    ratio: Annotated[float | None, Option(help="Without limits.")] = None,
    cost: Annotated[list[str] | None, Option("--cost", "-c", help="Many of them.")] = None,
    engine: Annotated[Literal["local", "dask"], Option(help="A choice.")] = "local",
    calibrate: Annotated[bool, Option(help="Both ways.")] = True,
    ledger: Annotated[bool | None, Option("--ledger/--no-ledger", "-l/-L", help="Or neither.")] = None,
    quiet: Annotated[bool, Option("--quiet", "-q", help="A flag.")] = False,
) -> None:
    """Every kind of parameter that commands have."""


def commands():
    found = [getattr(import_module(f"textnb.cli.{name}"), name) for name in COMMANDS]
    return [everything, *(command for command in found if isinstance(command, FunctionType))]


@cache
def app_of(command):
    called_with = []

    def capture(**values):
        called_with.append(values)

    capture.__signature__ = signature(for_typer(command))
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(capture)
    return app, called_with


def parsed_by_typer(command, words):
    """What typer calls the command with; None if it does not call it."""
    app, called_with = app_of(command)
    called_with.clear()
    try:
        with redirect_stdout(io.StringIO()):
            app(list(words), standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
    return called_with[0] if called_with else None


VALUES = ["a", "", "-", "-q", "--json", "x=y", "é", "a b", "@a", "~", "--", "-1", "/tmp/x", "nan", "\udcff"]
NUMBERS = [
    "0",
    "5",
    "-1",
    "-3",
    "31",
    "007",
    "0.25",
    ".5",
    "5.",
    "-0",
    "1e3",
    "5.0",
    "1_0",
    " 7",
    "+3",
    "inf",
    "٣",
    "9" * 30,
]


@st.composite
def command_lines(draw):
    command = draw(st.sampled_from(commands()))
    options = [p for p in parameters(command) if isinstance(p.declared, Option)]
    short = "".join(name[1] for p in options for name in p.names() if len(name) == 2)

    def option_words(parameter):
        name = draw(st.sampled_from(list(parameter.names())))
        if parameter.type is bool:
            return [name]
        known = get_args(parameter.type) or (NUMBERS if parameter.type in (int, float) else VALUES)
        value = draw(st.sampled_from([*known, *known, *known, *VALUES]))
        joint = "" if len(name) == 2 else "="
        return [name, value] if draw(st.booleans()) else [f"{name}{joint}{value}"]

    words = []
    for _ in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["option", "option", "option", "argument", "argument", "argument", "short", "odd"]))
        if kind == "option":
            words += option_words(draw(st.sampled_from(options)))
        elif kind == "argument":
            words.append(draw(st.sampled_from(["a", "b.csv", "-", "x=y", "", "é"])))
        elif kind == "short":
            words.append("-" + draw(st.text(f"{short}-=a5", max_size=4)))
        else:
            words.append(
                draw(st.sampled_from(["--", "--help", "-h", "--none", "--quiet=1", "--ou", "---", "-qq", *VALUES]))
            )
    return command, words


@settings(max_examples=500)
@given(command_lines())
def test_where_it_answers_typer_answers_the_same(line):
    command, words = line
    quick = parse(command, words)
    if quick is not None:
        by_typer = parsed_by_typer(command, words)
        assert quick == by_typer
        assert {name: type(value) for name, value in quick.items()} == {
            name: type(value) for name, value in by_typer.items()
        }


@pytest.mark.parametrize(
    ("command", "line", "expected"),
    [
        ("predict", "m.tnb", {"model": Path("m.tnb"), "files": None}),
        ("predict", "m.tnb a - b --json -q", {"files": ["a", "-", "b"], "as_json": True, "quiet": True}),
        ("predict", "--lines m.tnb -- -q --json", {"files": ["-q", "--json"], "lines": True, "quiet": False}),
        ("check", "m.tnb", {"model": Path("m.tnb"), "message": "-", "update_above": None}),
        ("check", "m.tnb a -qv --update --update-above 0.99", {"message": "a", "verbose": True, "update_above": 0.99}),
        ("learn", "m.tnb --label spam a", {"label": "spam", "files": ["a"], "once": False}),
        ("learn", "m.tnb --label=a=b --label=ham", {"label": "ham"}),
        ("learn", "m.tnb --label --once", {"label": "--once", "once": False}),
        ("learn", "--label= m.tnb -qq", {"label": "", "quiet": True}),
        ("count", "- -oa.tnb --no-ledger --alpha 0.5", {"output": Path("a.tnb"), "ledger": False, "alpha": 0.5}),
        ("count", "- -o a.tnb --ledger --no-ledger --ledger", {"ledger": True, "prune": None}),
        ("train", "a --cost a:b=2 --cost b:a=3 --seed 7", {"cost": ["a:b=2", "b:a=3"], "seed": 7}),
        ("train", "a --model bernoulli --jobs -1 --engine dask", {"model": "bernoulli", "jobs": -1}),
        ("merge", "-o out a b", {"output": Path("out"), "models": [Path("a"), Path("b")]}),
    ],
)
def test_it_answers_what_is_plainly_valid(command, line, expected):
    called = getattr(import_module(f"textnb.cli.{command}"), command)
    values = parse(called, line.split())
    assert values is not None
    assert {name: values[name] for name in expected} == expected
    assert values == parsed_by_typer(called, line.split())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--help",
        "m.tnb -h",
        "m.tnb --label",
        "m.tnb --lable x",
        "m.tnb --lines=1",
        "m.tnb --lab x",
        "m.tnb -x",
        "m.tnb -q-",
    ],
)
def test_it_leaves_errors_and_help_to_typer(line):
    from textnb.cli.learn import learn

    assert parse(learn, line.split()) is None


@pytest.mark.parametrize("line", ["a --seed x", "a --seed -1", "a --cv 1", "a --engine spark", "-q", "a --unsure=-1"])
def test_it_leaves_wrong_values_to_typer(line):
    from textnb.cli.train import train

    assert parse(train, line.split()) is None
