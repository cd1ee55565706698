"""Every promise in `tests/hardening.md` names tests, which are there and are run."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
ROWS = [line for line in (TESTS / "hardening.md").read_text("utf-8").splitlines() if re.match(r"\| (?!what )", line)]
TABLE = sorted({named for row in ROWS for named in NAMED.findall(row)})


def test_every_row_names_its_tests() -> None:
    assert len(ROWS) > 60
    for row in ROWS:
        tests = row.strip("| ").split(" | ")[-1]
        assert NAMED.search(tests), row
        assert NAMED.sub("", tests).strip() == "", row


@pytest.mark.parametrize(("file", "name"), TABLE)
def test_what_is_named_is_collected_and_run(file: str, name: str) -> None:
    assert Path(file).name.startswith("test_")
    assert name.startswith("test_")
    assert (TESTS / file).is_file()
    found = [function for function in functions_of(file) if function.name == name]
    assert len(found) == 1
    assert not re.search(r"mark\.(skip|xfail)\b", "".join(map(ast.unparse, found[0].decorator_list)))


@cache
def functions_of(file: str) -> list[ast.FunctionDef]:
    """The functions of a module and of its classes of tests."""
    body = ast.parse((TESTS / file).read_text("utf-8")).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    nodes = [*body, *(node for found in classes for node in found.body)]
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]
