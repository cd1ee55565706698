"""The examples in the documentation of every module are true."""

import doctest
import importlib
import pkgutil

import pytest

import textnb

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(textnb.__path__, "textnb.")
    if not module.name.rpartition(".")[2].startswith("_")
)


@pytest.mark.parametrize("name", ["textnb", *MODULES])
def test_examples_are_true(name):
    module = importlib.import_module(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.testmod(module, optionflags=flags)
    assert failed == 0


def test_every_public_class_has_an_example():
    classes = [getattr(textnb, name) for name in textnb.__all__ if isinstance(getattr(textnb, name), type)]
    assert classes
    assert [public.__name__ for public in classes if ">>>" not in (public.__doc__ or "")] == []
