"""What all commands print in the same way: results on stdout, notices and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from errno import ENOSPC
from typing import TYPE_CHECKING, Any, TypeVar

from textnb.report.safe import printable

if TYPE_CHECKING:
    from pathlib import Path

    from textnb.cli.evaluation import Outcome

Item = TypeVar("Item")

ADVICE = {
    FileNotFoundError: "; check the path",
    PermissionError: "; check its permissions",
    IsADirectoryError: "; give a file",
}
SIGNS = "·…±"  # that tables use
PLAIN_SIGNS = str.maketrans(SIGNS, ".~~")


def fail(message: str, code: int = 2) -> int:
    """Say what went wrong, in one line on stderr."""
    _say(f"textnb: {printable(' '.join(message.split()))}")
    return code


def os_error_line(error: OSError) -> str:
    """Where, what, and what to do."""
    if not error.strerror:
        return str(error)
    if error.errno == ENOSPC and error.filename is None:
        return f"the result cannot be written: {error.strerror}; make room, or send it elsewhere"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{error.strerror}{ADVICE.get(type(error), '')}"


def notice(message: str, quiet: bool) -> None:
    """A line on stderr that matters afterwards too."""
    if not quiet:
        _say(f"textnb: {printable(message)}")


def status(message: str, quiet: bool) -> None:
    """What is being done, for somebody who watches."""
    if is_watched(quiet):
        _say(printable(message))


def progress(items: Iterable[Item], total: int, description: str, unit: str, quiet: bool) -> Iterator[Item]:
    """The items, with a bar on stderr if somebody watches."""
    if not is_watched(quiet):
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, total=total, desc=description, unit=f" {unit}", unit_scale=True, leave=False))


def is_watched(quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


def show(text: str) -> None:
    """A result on stdout; in plainer signs where its encoding lacks those of tables."""
    try:
        SIGNS.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(PLAIN_SIGNS)
    print(text)


def show_json(result: Any) -> None:
    """One object on one line of ASCII: nothing in it acts on a terminal, and any encoding has it."""
    print(json.dumps(result, allow_nan=False).replace("\x7f", "\\u007f"))


def report_skipped(problems: Iterable[tuple[str, str]], quiet: bool, shown: int = 5) -> None:
    """Which documents were skipped, and why."""
    listed = list(problems)
    for where, why in listed[:shown]:
        notice(f"skipped {where}: {why}", quiet)
    if len(listed) > shown:
        notice(f"skipped {len(listed) - shown:,} more; --json lists them all, --strict stops at the first", quiet)


def _say(line: str) -> None:
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def show_outcome(outcome: Outcome, corpus: str, plot: Path | None, *, as_json: bool, quiet: bool) -> None:
    """What `train` and `evaluate` found: skipped documents, the picture if one is asked for, the result."""
    report_skipped(outcome.problems, quiet)
    if plot is not None:
        from textnb.report import confusion_heatmap

        confusion_heatmap(outcome.evaluation, plot, title=f"{corpus}: accuracy {outcome.evaluation.accuracy:.4f}")
        notice(f"drew {plot}", quiet)
    show_json(outcome.to_json()) if as_json else show(outcome.to_text())
