"""What becomes of errors: one line on stderr and an exit code, which is a property of the command. Imports little."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EBADF
from typing import Any, TextIO

FAILED = 2
FAILED_BY_COMMAND = {"check": 3}  # whose 0, 1 and 2 are its answers
_PIECE = 1 << 20  # bytes written at a time
PASSED_ON = ("check", "--pass")  # a command of which stdin is passed on, whatever happens, and how its option begins


def failure_code(arguments: list[str]) -> int:
    """The exit code of a command line that fails, also where it is not understood."""
    return FAILED_BY_COMMAND.get(_command(arguments) or "", FAILED)


def is_passed_on(arguments: list[str]) -> bool:
    """Whether a message on stdin must reach stdout even if the command cannot be called."""
    command, option = PASSED_ON
    asked = any(word.startswith(option) for word in arguments)
    return _command(arguments) == command and asked and not {"--help", "-h"}.intersection(arguments)


def report_failure(error: BaseException, code: int) -> int:
    """Say what went wrong in one line, if there is anything to say, and one per source tried; the exit code.

    An interrupt and a pipe that was closed say nothing. With `TEXTNB_DEBUG` a mistake of ours is raised again.
    """
    from textnb.cli.output import fail
    from textnb.corpora.files import os_error_line

    if isinstance(error, OSError):
        discard(sys.stdout)
    if isinstance(error, KeyboardInterrupt):
        return 130 if code == FAILED else code
    if isinstance(error, BrokenPipeError):
        return 1 if code == FAILED else code
    if isinstance(error, OSError):
        has_sources = bool(getattr(error, "attempts", ()))  # of a corpus that could not be fetched: a line for each
        return fail(str(error) if has_sources else os_error_line(error), code, in_lines=has_sources)
    if isinstance(error, ValueError):
        return fail(str(error), code)
    if isinstance(error, MemoryError):
        return fail("not enough memory; use fewer documents, --max-features or --min-df", code)
    if "TEXTNB_DEBUG" in os.environ:
        raise error
    kind = type(error).__name__
    return fail(f"a mistake in textnb, {kind}: {error}; set TEXTNB_DEBUG=1 to see where, report it", code)


def discard(stream: Any) -> None:
    """Let go what a stream cannot take, or flushing it at exit would fail once more and change the exit code."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):  # a stream without a file descriptor
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_stdout() -> TextIO:
    if sys.stdout is None:
        raise OSError(EBADF, "stdout is closed; open it, or ask for nothing but the exit code (--quiet)")
    return sys.stdout


def write_bytes(content: bytes) -> None:
    """Write all of these to stdout: an unbuffered one takes a part at a time, one that does not block may be full."""
    stdout = open_stdout()
    stdout.flush()
    try:
        descriptor = stdout.fileno()
    except OSError:  # it is no file
        stdout.buffer.write(content)
        return
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest[:_PIECE]) :]
        except BlockingIOError:
            from select import select

            select([], [descriptor], [])


def pass_on_stdin() -> None:
    """Copy stdin to stdout as it is, if it is no terminal; what fails here has failed before."""
    if sys.stdin is None or sys.stdout is None or sys.stdin.isatty():
        return
    try:
        write_bytes(sys.stdin.buffer.read())
    except OSError:
        discard(sys.stdout)


def _command(arguments: list[str]) -> str | None:
    """The first word that is no option."""
    return next((word for word in arguments if not word.startswith("-")), None)
