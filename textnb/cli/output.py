"""What all commands print in the same way: results on stdout, notices and progress on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from textnb.cli.failures import FAILED, discard
from textnb.report.safe import json_line, printable
from textnb.text.steps import Advance
from textnb.workflow.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from textnb.report.explanation import Marking
    from textnb.workflow.reporting.results import ReportResult
    from textnb.workflow.results import EvaluationResult
    from textnb.workflow.updating import ModelSummary

SIGNS = "·…±"  # that tables use
SHOWN_PROBLEMS = 5
USUAL_WIDTH = 80  # of a terminal that does not say how wide it is
FEW_UNITS = 100  # of a step that is shown at once; of others,
SHORT_STEP = 0.3  # those that take no more seconds are not
PLAIN_SIGNS = str.maketrans(SIGNS, ".~~")


def fail(message: str, code: int = FAILED, *, in_lines: bool = False) -> int:
    """Say what went wrong, in one line unless its own lines are wanted; the exit code."""
    for line in message.splitlines() if in_lines else [" ".join(message.split())]:
        _say(printable(line) if line.startswith(" ") else f"textnb: {printable(line)}")
    return code


def fail_for_each(messages: Iterable[str]) -> int:
    """The exit code after failures that did not stop the command, if there were any."""
    return max(map(fail, messages), default=0)


def notice(message: str, quiet: bool) -> None:
    """A line on stderr that matters afterwards too."""
    if not quiet:
        _say(f"textnb: {printable(message)}")


class Terminal(Progress):
    """Progress on stderr: notices unless quiet; status and bars only on a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.is_watched = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def status(self, message: str) -> None:
        if self.is_watched:
            _say(printable(message))

    def notice(self, message: str) -> None:
        notice(message, self.quiet)

    def warn(self, message: str) -> None:
        notice(message, quiet=False)

    def bar(self, description: str, unit: str, total: int | None = None) -> AbstractContextManager[Advance]:
        return self._shown(desc=description, unit=unit, unit_scale=unit == "B", total=total)

    def step(self, description: str, unit: str, total: int | None = None) -> AbstractContextManager[Advance]:
        if not unit:
            return self._shown(desc=description, bar_format="{desc} …")
        is_long = total is not None and total <= FEW_UNITS  # then each may take its time
        return self._shown(desc=description, unit=unit, total=total, delay=0 if is_long else SHORT_STEP)

    @contextmanager
    def _shown(self, **how: Any) -> Iterator[Advance]:
        if not self.is_watched:
            yield lambda n, note: None
            return
        from threading import Lock

        from tqdm import tqdm

        tqdm.monitor_interval = 0  # a process with a thread of tqdm's is not forked (`text/processes.py`)
        alone = Lock()  # parts of a step may be done by several threads
        with tqdm(**how, file=sys.stderr, leave=False, dynamic_ncols=True, miniters=1) as shown:

            def advance(n: int, note: str) -> None:
                with alone:
                    shown.set_postfix_str(note, refresh=False)
                    shown.update(n)

            yield advance


def announce_terminal(files: list[str], quiet: bool, what: str = "a document") -> None:
    """Say that something is expected from the keyboard."""
    if files == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        notice(f"reading {what} from the terminal; end it with Ctrl-D", quiet)


def marking() -> Marking | None:
    """How words of a text are marked: on a terminal by colours, or where somebody declines those by signs."""
    if terminal_width() is None:
        return None
    return "signs" if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else "colours"


def terminal_width() -> int | None:
    """The columns of the terminal that results are shown on; None where that is none."""
    return _width_of(sys.stdout)


def _width_of(stream: TextIO | None) -> int | None:
    if stream is None or not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except OSError:
        return USUAL_WIDTH


def show(text: str) -> None:
    """Print a result, with ASCII signs where the encoding lacks those of tables."""
    try:
        SIGNS.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(PLAIN_SIGNS)
    print(text)


def show_json(result: Any) -> None:
    print(json_line(result))


def report_skipped(
    problems: Iterable[tuple[str, str]], quiet: bool, total: int | None = None, *, in_json: bool = True
) -> None:
    """List the first skipped documents; of a stream, `total` also counts those that were not kept."""
    listed = list(problems)
    n = len(listed) if total is None else total
    for where, why in listed[:SHOWN_PROBLEMS]:
        notice(f"skipped {where}: {why}", quiet)
    if n > SHOWN_PROBLEMS:
        which = "them all" if n == len(listed) else f"the first {len(listed):,}"
        listing = f"--json lists {which}, " if in_json else ""
        notice(f"skipped {n - SHOWN_PROBLEMS:,} more; {listing}--strict stops at the first", quiet)


def _located(corpus: str, where: str, why: str) -> tuple[str, str]:
    """A problem with the file that its line is in."""
    return (f"{corpus}: {where}" if where.startswith(("line ", "row ", "item ")) else where), why


def _say(line: str) -> None:
    """Print a line on stderr, on a terminal broken at blanks."""
    width = _width_of(sys.stderr)
    if width is not None and len(line) > width:
        from textwrap import fill

        line = fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    try:
        if sys.stderr is not None:
            print(line, file=sys.stderr)
    except OSError:  # nobody reads it, which is no other failure
        discard(sys.stderr)


def show_drawn(path: Path, escaped: frozenset[str], quiet: bool) -> None:
    """Say that a picture was drawn, and what is not as it should be there."""
    from textnb.report.plots import lacking_letters

    notice(f"drew {path}", quiet)
    if escaped:
        notice(lacking_letters(escaped), quiet)


def show_evaluation(
    result: EvaluationResult, corpus: str, *, plot: Path | None, reliability: Path | None, as_json: bool, quiet: bool
) -> None:
    """Show the result of `train` or `evaluate`: skipped documents, pictures, measures."""
    from textnb.report.evaluation import calibration_word, corpus_title, evaluation_text, share_text
    from textnb.report.plots import confusion_heatmap, reliability_diagram

    report_skipped([_located(corpus, *problem) for problem in result.problems], quiet, total=result.n_problems)
    evaluation = result.evaluation
    if plot is not None and result.shown is not None:
        accuracy = share_text(result.shown.accuracy, result.shown.accuracy_interval)
        title = f"{corpus_title(result.corpus)}: accuracy {accuracy}"
        show_drawn(plot, confusion_heatmap(result.shown, plot, title=title), quiet)
    if reliability is not None and evaluation is not None:
        title = f"{corpus_title(result.corpus)}: {calibration_word(result)}"
        show_drawn(reliability, reliability_diagram(evaluation, reliability, title=title), quiet)
    show_json(result.to_json()) if as_json else show(evaluation_text(result, terminal_width()))


def write_report(result: ReportResult, path: Path) -> int:
    """Write a report as a page, all of it or nothing; its size in bytes."""
    from textnb.report.page import report_html
    from textnb.workflow.table_output import replaced_file

    page = report_html(result.to_json())
    with replaced_file(str(path)) as file:
        file.write(page)
    return path.stat().st_size


def show_summary(summary: ModelSummary, as_json: bool, quiet: bool = False) -> int:
    """Show the summary of a model file, and what was skipped; return the exit code."""
    from textnb.report.updates import summary_text

    report_skipped(summary.problems, quiet, total=summary.n_problems)
    for line in summary.notices:
        notice(line, quiet)
    show_json(summary.to_json()) if as_json else show(summary_text(summary))
    return fail_for_each(summary.unreadable)
