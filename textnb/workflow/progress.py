"""What a workflow tells while it works. By default nobody listens; the command line shows it on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from textnb.text.steps import Advance, heard_by

if TYPE_CHECKING:
    from textnb.selection.tuning import Trial

Item = TypeVar("Item")
P = ParamSpec("P")
R = TypeVar("R")


class Progress:
    """Silent progress. Override its methods to show it.

    Examples
    --------
    >>> class Printed(Progress):
    ...     def status(self, message):
    ...         print(message)
    >>> Printed().status("reading mail.csv …")
    reading mail.csv …
    """

    quiet = True  # whether corpora that have to be fetched say so on stderr

    def status(self, message: str) -> None:
        """What is being done."""

    def notice(self, message: str) -> None:
        """Something that matters afterwards too."""

    def warn(self, message: str) -> None:
        """Something that must be heard even where notices are not."""

    def bar(self, description: str, unit: str, total: int | None = None) -> AbstractContextManager[Advance]:
        """A step of `total` units, if that is known."""
        return nullcontext(lambda n, note: None)

    def step(self, description: str, unit: str, total: int | None = None) -> AbstractContextManager[Advance]:
        """A step that may be short, or within another; without a unit it cannot say how far it is."""
        return nullcontext(lambda n, note: None)

    def each(self, items: Iterable[Item], total: int, description: str, unit: str) -> Iterator[Item]:
        """The items, each a unit of a step."""
        with self.bar(description, unit, total) as advance:
            for item in items:
                yield item
                advance(1, "")


SILENT = Progress()


def hears_steps(workflow: Callable[P, R]) -> Callable[P, R]:
    """The same workflow, which shows the steps of what it calls by the `progress` that it is given."""

    @wraps(workflow)
    def heard(*args: P.args, **kwargs: P.kwargs) -> R:
        progress: Any = kwargs.get("progress", SILENT)
        with heard_by(progress.step):
            return workflow(*args, **kwargs)

    return heard


@contextmanager
def shown_trials(progress: Progress) -> Iterator[Callable[[Trial], None]]:
    """What hears of each candidate that is tried: a bar with the best accuracy so far, if there are any."""
    with ExitStack() as stack:
        best, advance = 0.0, None

        def report(trial: Trial) -> None:
            nonlocal best, advance
            if advance is None:
                advance = stack.enter_context(progress.bar("tuning", " candidates"))
            best = max(best, trial.accuracy)
            advance(1, f"best {best:.4f}")

        yield report
