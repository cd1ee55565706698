"""The compiled kernel, also for callers that do without numpy."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

KERNEL_VARIABLE = "TEXTNB_KERNEL"  # set to "python", it forces the Python path


def compiled_kernel() -> Any:
    """The extension module, or None if it was not built or is not wanted."""
    return None if os.environ.get(KERNEL_VARIABLE) == "python" else _built_kernel()


@cache
def _built_kernel() -> Any:
    try:
        return import_module("textnb.text._kernel")
    except ImportError:
        return None
