"""Imports go one way, and heavy libraries are imported only where they are needed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import textnb

ROOT = Path(textnb.__file__).parent
# Each row may import from the rows above it; modules of one row do not import each other.
LAYERS = [
    ["compiled"],
    ["arrays"],
    ["text"],
    ["statistics"],
    ["likelihood"],
    ["storage"],
    ["model"],
    ["selection"],
    ["estimators"],
    ["corpora"],
    ["workflow"],
    ["report"],
    ["cli"],
    ["__main__"],
]
LEVELS = {name: level for level, row in enumerate(LAYERS) for name in row}
# Notebooks ask an object itself how it looks: that method alone may call what renders it.
SHOWN_BY_ITSELF = {("textnb.model.explanation", "textnb.report.explanation_html"): "_repr_html_"}
NAMESAKES = ["sklearn.feature_extraction.text", "sklearn.naive_bayes", "sklearn.discriminant_analysis"]


class Import(NamedTuple):
    """`module`, a full name, imported at `line` of the file; deferred: inside a function, or for type checkers only."""

    module: str
    line: int
    deferred: bool


def sources() -> dict[str, Path]:
    """Every module of textnb, by its full name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports_of(path: Path) -> list[Import]:
    return list(_imports(ast.parse(path.read_text("utf-8")), path, deferred=False))


def _imports(node: ast.AST, path: Path, deferred: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, deferred) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Import(_imported_module(node, alias.name, path), node.lineno, deferred)
    deferred = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _is_for_type_checkers(node)
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, path, deferred)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imported_module(node: ast.ImportFrom, name: str, path: Path) -> str:
    """What `from … import name` takes `name` from: a submodule of that name, or the home of a public name."""
    base = node.module or ""
    if node.level:
        package = path.relative_to(ROOT.parent).parts[: -node.level]
        base = ".".join([*package, *filter(None, [node.module])])
    if base == "textnb":
        if name == "lazy_names":
            return "textnb"
        return textnb._HOMES.get(name, f"textnb.{name}" if name.isidentifier() and name[0] != "_" else "textnb")
    return f"{base}.{name}" if f"{base}.{name}" in SOURCES else base


SOURCES = sources()
INNER = {name: path for name, path in SOURCES.items() if name != "textnb"}


def is_part_of(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer(module: str) -> str:
    return module.split(".")[1]


def all_imports(package: str) -> list[tuple[str, Import]]:
    """Every import of a package or a part of it, with the module that imports it."""
    return [
        (name, found)
        for name, path in SOURCES.items()
        for found in imports_of(path)
        if is_part_of(found.module, package)
    ]


def test_every_module_has_its_layer():
    assert {layer(name) for name in INNER} <= set(LEVELS)


@pytest.mark.parametrize("name", INNER)
def test_imports_come_from_lower_layers(name):
    own = layer(name)
    upward = [
        found
        for found in imports_of(INNER[name])
        if is_part_of(found.module, "textnb")
        and found.module != "textnb"
        and layer(found.module) != own
        and LEVELS[layer(found.module)] >= LEVELS[own]
        and not (found.deferred and (name, found.module) in SHOWN_BY_ITSELF)
    ]
    assert upward == []


@pytest.mark.parametrize(("importing", "imported"), SHOWN_BY_ITSELF)
def test_what_shows_itself_asks_for_that_in_one_method(importing, imported):
    path = SOURCES[importing]
    methods = [
        node.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(found.module == imported for found in _imports(node, path, deferred=True))
    ]
    assert methods == [SHOWN_BY_ITSELF[importing, imported]]


def test_the_package_itself_imports_nothing_heavy():
    at_once = {found.module for found in imports_of(SOURCES["textnb"]) if not found.deferred}
    assert at_once <= {"__future__", "collections.abc", "importlib", "sys", "typing"}


def test_typer_appears_only_where_it_parses():
    assert {name for name, _ in all_imports("typer")} == {"textnb.cli.typer_app", "textnb.cli.corpora"}


def test_matplotlib_appears_only_in_functions_of_the_plots():
    found = all_imports("matplotlib")
    assert found
    assert [(name, where) for name, where in found if name != "textnb.report.plots" or not where.deferred] == []


@pytest.mark.parametrize("package", ["nltk", "regex"])
def test_it_is_imported_only_when_asked_for(package):
    found = all_imports(package)
    assert found
    assert [(name, where) for name, where in found if not where.deferred] == []


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import textnb", ["numpy", "scipy", "sklearn", "nltk", "typer"]),
        ("import textnb.cli.app, textnb.cli.predict", ["numpy", "typer", "dataclasses", "inspect", "hashlib"]),
        ("import textnb.cli.app, textnb.cli.learn", ["numpy", "typer", "dataclasses", "inspect", "hashlib"]),
        ("import textnb.model.predictor", ["scipy", "sklearn", "nltk", "regex", "typer"]),
        ("import textnb.model.file", ["scipy", "sklearn", "nltk", "regex", "typer"]),
        ("import textnb.model.update", ["scipy", "sklearn", "nltk", "regex", "typer"]),
        ("import textnb.text._kernel", ["numpy", "threading", "dataclasses"]),
        ("import textnb.model.scorer", ["numpy", "dataclasses", "typer"]),
        ("import textnb.workflow.prediction", ["numpy", "dataclasses", "typer"]),
        ("import textnb.workflow.training", ["scipy", "sklearn", "nltk", "regex", "typer"]),
        ("import textnb.model.derive", ["scipy", "textnb.likelihood.touched", "textnb.likelihood.groups"]),
        ("import textnb.workflow.updating", ["scipy", "sklearn", "nltk", "regex", "typer"]),
    ],
)
def test_what_an_import_does_not_cost(statement, absent):
    script = f"{statement}\nimport sys\nprint(*[name for name in {absent!r} if name in sys.modules])"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert child.stdout.split() == []


@pytest.mark.parametrize("public", [name for name in textnb.__all__ if name[0].isupper()])
def test_no_class_inherits_from_a_namesake(public):
    assert [base for base in getattr(textnb, public).__mro__ if base.__module__ in NAMESAKES] == []


def test_public_names_are_those_that_are_there():
    assert dir(textnb) == sorted(textnb.__all__)
    assert set(textnb._HOMES) == set(textnb.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="has no attribute 'NaiveBayes'"):
        textnb.NaiveBayes  # noqa: B018


RUNNING = ["pickle", "shelve", "dill", "cloudpickle", "joblib", "runpy", "code"]
INFLATING = ["gzip", "bz2", "lzma", "zipfile", "tarfile"]


def test_nothing_that_is_read_can_be_run():
    assert [(name, module) for module in RUNNING for name, _ in all_imports(module)] == []
    assert {name for name, _ in all_imports("marshal")} == {"textnb.text.processes"}  # of children of its own
    calls = [node for path in SOURCES.values() for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    names = {node.func.id for node in calls if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert "print" in names
    assert not names & {"eval", "exec", "compile", "__import__"}


def test_no_part_of_a_model_file_is_inflated():
    reading = {name: path for name, path in SOURCES.items() if layer(f"{name}.") in ("storage", "model")}
    assert "textnb.storage.reader" in reading
    assert [name for package in INFLATING for name, _ in all_imports(package) if name in reading] == []
    assert [name for name, path in reading.items() if "decompress" in path.read_text("utf-8")] == []
