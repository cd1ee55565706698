"""The compiled kernel, if it was built and is wanted."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

VARIABLE = "TEXTNB_KERNEL"  # set to "python", it forces the Python path


@cache
def compiled_kernel() -> Any:
    """The extension module, or None."""
    if os.environ.get(VARIABLE) == "python":
        return None
    try:
        return import_module("textnb.text._kernel")
    except ImportError:
        return None


def kernel_name() -> str:
    """What counts: "Cython" or "Python"."""
    return "Python" if compiled_kernel() is None else "Cython"
