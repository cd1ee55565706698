"""The package as if the kernel had not been compiled."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def without_kernel() -> Iterator[None]:
    """Every module of textnb that is loaded finds no compiled kernel."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "textnb" and hasattr(module, "compiled_kernel"):
                patch.setattr(module, "compiled_kernel", lambda: None)
        yield
