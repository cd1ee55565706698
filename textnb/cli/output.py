"""What all commands print in the same way: results on stdout, notices and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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


@contextmanager
def trial_bar(quiet: bool) -> Iterator[Callable[[Any], None]]:
    """What hears of each trial of a tuning, with a bar on stderr if somebody watches."""
    if not is_watched(quiet):
        yield lambda trial: None
        return
    from tqdm import tqdm

    with tqdm(desc="tuning", unit=" candidates", leave=False) as bar:
        best = 0.0

        def hear(trial: Any) -> None:
            nonlocal best
            best = max(best, trial.accuracy)
            bar.set_postfix_str(f"best {best:.4f}", refresh=False)
            bar.update()

        yield hear


class ByteBar:
    """A bar on stderr of the bytes that a stream has read, and of its documents, if somebody watches."""

    def __init__(self, stream: Any, description: str, quiet: bool) -> None:
        self.stream, self.bar, self.documents = stream, None, 0
        if is_watched(quiet):
            from tqdm import tqdm

            self.bar = tqdm(total=stream.n_bytes, desc=description, unit="B", unit_scale=True, leave=False)

    def update(self, n_documents: int) -> None:
        self.documents += n_documents
        if self.bar is not None:
            self.bar.set_postfix_str(f"{self.documents:,} documents", refresh=False)
            self.bar.update(self.stream.bytes_read - self.bar.n)

    def __enter__(self) -> ByteBar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.close()


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


def report_skipped(problems: Iterable[tuple[str, str]], quiet: bool, shown: int = 5, total: int | None = None) -> None:
    """Which documents were skipped, and why; of a stream only the first of them are known."""
    listed = list(problems)
    n = len(listed) if total is None else total
    for where, why in listed[:shown]:
        notice(f"skipped {where}: {why}", quiet)
    if n > shown:
        which = "them all" if n == len(listed) else f"the first {len(listed):,}"
        notice(f"skipped {n - shown:,} more; --json lists {which}, --strict stops at the first", quiet)


def _say(line: str) -> None:
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def show_outcome(
    outcome: Outcome, corpus: str, *, plot: Path | None, reliability: Path | None, as_json: bool, quiet: bool
) -> None:
    """What `train` and `evaluate` found: skipped documents, the pictures if any are asked for, the result."""
    report_skipped(outcome.problems, quiet, total=outcome.n_problems)
    if plot is not None:
        from textnb.report import confusion_heatmap

        confusion_heatmap(outcome.evaluation, plot, title=f"{corpus}: accuracy {outcome.evaluation.accuracy:.4f}")
        notice(f"drew {plot}", quiet)
    if reliability is not None:
        from textnb.report import reliability_diagram

        reliability_diagram(outcome.evaluation, reliability, title=f"{corpus}: {outcome.calibrated}")
        notice(f"drew {reliability}", quiet)
    show_json(outcome.to_json()) if as_json else show(outcome.to_text())
