"""What could not be used: documents in tables, folders and lines, and files that were asked for by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

KEPT_PROBLEMS = 1000


class Problem(NamedTuple):
    """A document that was skipped: where it stands and why it could not be used."""

    where: str
    why: str


def skipped_sentence(problems: Sequence[Problem], total: int | None = None) -> str:
    """A sentence for an error that may come of what was skipped: how many documents, and why the first; or nothing."""
    if not problems:
        return ""
    n = len(problems) if total is None else total
    counted = "1 document was skipped" if n == 1 else f"{n:,} documents were skipped; the first"
    return f" {counted}, {problems[0].where}: {problems[0].why}."


class Skipped:
    """What was skipped while documents were read; with `strict`, the first of it is an error.

    `problems` are the first thousand documents of tables, folders and lines, `n_problems` is how many there were;
    `unreadable` has a line for each file that was asked for by name, `notices` what else people should know.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.problems: list[Problem] = []
        self.n_problems = 0
        self.unreadable: list[str] = []
        self.notices: list[str] = []
        self._has_empty_maildir = False

    @property
    def may_be_none(self) -> bool:
        """Whether it is usual that there are no documents: a maildir had no messages, and nothing was skipped."""
        return self._has_empty_maildir and not (self.n_problems or self.unreadable)

    def document(self, where: str, why: str) -> None:
        if self.strict:
            raise ValueError(f"{where}: {why}")
        self.n_problems += 1
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(Problem(where, why))

    def empty_maildir(self, folder: str) -> None:
        self._has_empty_maildir = True
        self.notices.append(f"{folder}: it is a maildir without messages")

    def source(self, where: str, why: str, error: Exception | None = None) -> None:
        """Skip a file or folder that was asked for by name."""
        self.file(f"{where}: {why}", error)

    def file(self, line: str, error: Exception | None = None) -> None:
        if self.strict:
            raise error or ValueError(line)
        self.unreadable.append(line)
