"""Long work says what it is doing to whoever listens, which nobody does unless a workflow or a command asks for it.

What is looked at does not change what is computed: steps are heard in the thread that listens, and return nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
Advance: TypeAlias = Callable[[int, str], None]  # by so many units, with a note
Listener: TypeAlias = Callable[[str, str, int | None], AbstractContextManager[Advance]]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Steps in this block are heard by a listener: what is done, in which units, and how many, if that is known."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def step(words: str, unit: str = "", total: int | None = None) -> AbstractContextManager[Advance]:
    """A step of long work; one without a unit cannot say how far it is.

    >>> with step("fitting", " classes", 20) as advance:
    ...     advance(1, "")
    """
    listener = _listener.get()
    return nullcontext(_unheard) if listener is None else listener(words, unit, total)


def each(items: Iterable[Item], words: str, unit: str, total: int | None = None) -> Iterator[Item]:
    """The items, each a unit of a step."""
    return iter(items) if _listener.get() is None else _told(items, words, unit, total)


def _told(items: Iterable[Item], words: str, unit: str, total: int | None) -> Iterator[Item]:
    with step(words, unit, total) as advance:
        for item in items:
            yield item
            advance(1, "")


def _unheard(n: int, note: str) -> None:
    pass
