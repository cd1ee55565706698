"""`textnb --version`."""

from __future__ import annotations

import platform

import numpy as np

from textnb import __version__


def version_line() -> str:
    """Which textnb, with which kernel, runs where."""
    from textnb.text.compiled import kernel_name

    return f"textnb {__version__} ({kernel_name()} kernel, Python {platform.python_version()}, numpy {np.__version__})"
