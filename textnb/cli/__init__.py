"""The command line: one module per command of `textnb`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    gc.set_threshold(50_000)  # starting makes many objects and no garbage
    try:
        from textnb.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while it was starting
        code = 130
    gc.freeze()  # nor is there any garbage to look for at the end
    sys.exit(code)
