"""scikit-learn's own test modules, run with textnb's classes in place of its own."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any


def swapped_module(name: str, home: str, replacements: dict[str, Any]) -> ModuleType:
    """A second copy of a scikit-learn test module, in which `replacements` stand for the names it imports from `home`.

    The module's source is executed anew while the names are replaced, so that lists built at import time, such as
    parametrisations, hold textnb's classes too.
    """
    original = importlib.util.find_spec(name)
    assert original is not None and original.origin is not None
    alias = "swapped_" + name.replace(".", "_")
    spec = importlib.util.spec_from_file_location(alias, original.origin)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module  # so that what the tests pickle is found again
    package = importlib.import_module(home)
    theirs = {key: getattr(package, key) for key in replacements}
    try:
        vars(package).update(replacements)
        spec.loader.exec_module(module)
    finally:
        vars(package).update(theirs)
    return module


def collected(module: ModuleType, exceptions: dict[str, str]) -> dict[str, Any]:
    """The test functions of a swapped module; every exception must exist there, so that the list cannot go stale."""
    tests = {key: value for key, value in vars(module).items() if key.startswith("test_")}
    missing = set(exceptions) - set(tests)
    assert not missing, f"listed as exceptions but not in {module.__name__}: {missing}"
    return {key: value for key, value in tests.items() if key not in exceptions}
