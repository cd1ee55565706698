"""The command line: one module per command of `textnb`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    gc.set_threshold(50_000)  # starting makes many objects and no garbage
    started = False
    try:
        from textnb.cli.app import run

        started = True
        code = run(sys.argv[1:])
        _end_at_once_by_ctrl_c()
    except BaseException as error:  # raised while starting, or raised again for TEXTNB_DEBUG
        _end_at_once_by_ctrl_c()
        code = _failed(error, started)
    gc.freeze()  # nor is there any garbage to look for at the end
    sys.exit(code)


def _end_at_once_by_ctrl_c() -> None:
    """All is done, and nobody is left who would catch a KeyboardInterrupt: its traceback would be shown."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _failed(error: BaseException, started: bool) -> int:
    """The exit code of what failed outside of any command, which must not be one of its answers."""
    from textnb.cli.failures import FAILED, failure_code, is_passed_on, pass_on_stdin

    arguments = sys.argv[1:]
    if not started and is_passed_on(arguments):
        pass_on_stdin()
    code = failure_code(arguments)
    if isinstance(error, KeyboardInterrupt):
        return 130 if code == FAILED else code
    sys.excepthook(type(error), error, error.__traceback__)
    return code
