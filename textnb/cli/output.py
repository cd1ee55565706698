"""What all commands print in the same way: results on stdout, notices and progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import typer

from textnb.report.safe import printable

Item = TypeVar("Item")


def fail(message: str, code: int = 2) -> int:
    """Say what went wrong, in one line on stderr."""
    typer.echo(f"textnb: {printable(' '.join(message.split()))}", err=True)
    return code


def notice(message: str, quiet: bool) -> None:
    """A line on stderr for people."""
    if not quiet:
        typer.echo(printable(message), err=True)


def show_json(result: Any) -> None:
    """One object on one line."""
    typer.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))


def progress(items: Iterable[Item], total: int, description: str, unit: str, quiet: bool) -> Iterator[Item]:
    """The items, with a bar on stderr if somebody is looking."""
    if quiet or not sys.stderr.isatty():
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, total=total, desc=description, unit=f" {unit}", unit_scale=True, leave=False))


def report_skipped(problems: Iterable[tuple[str, str]], quiet: bool, shown: int = 5) -> None:
    """Which documents were skipped, and why."""
    listed = list(problems)
    for where, why in listed[:shown]:
        notice(f"skipped {where}: {why}", quiet)
    if len(listed) > shown:
        notice(f"skipped {len(listed) - shown:,} more; --json lists them all, --strict stops at the first", quiet)
