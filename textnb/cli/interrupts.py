"""Ctrl-C and SIGTERM while a stream is being learned."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from textnb.cli.output import notice


class Interrupts:
    """Ctrl-C and SIGTERM raise KeyboardInterrupt; the first one within what is `undisturbed` waits for its end."""

    def __init__(self) -> None:
        self.asked = self.busy = False
        self._handlers: dict[int, Any] = {}

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        self.busy = True  # and stays so if an exception leaves from within
        yield
        self.busy = False
        if self.asked:
            raise KeyboardInterrupt

    def _ask(self, number: int, frame: Any) -> None:
        if self.asked or not self.busy:
            raise KeyboardInterrupt
        self.asked = True
        notice("stopping after this block, then saving; once more stops at once", quiet=False)

    def __enter__(self) -> Interrupts:
        self._handlers = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
