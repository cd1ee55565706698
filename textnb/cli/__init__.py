"""The command line: `textnb train`, `evaluate`, `predict`, `inspect`, `corpora`."""

from __future__ import annotations

import sys


def main() -> None:
    """The `textnb` command."""
    from textnb.cli.app import run

    sys.exit(run(sys.argv[1:]))
