"""`textnb check`: is this message spam? Called once per message by mail filters, so it imports little."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from signal import SIGINT, signal
from typing import TYPE_CHECKING, Annotated

from textnb.cli import options
from textnb.cli.failures import FAILED_BY_COMMAND, discard, open_stdout, report_failure, write_bytes
from textnb.cli.output import announce_terminal, notice, show, show_json
from textnb.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textnb.model.explanation import Explanation
    from textnb.workflow.checking import Verdict

CODES = {True: 0, False: 1, None: 2}  # by whether it is spam
FAILED = FAILED_BY_COMMAND["check"]
EXPLAINED = 15  # contributions that -v shows


def check(
    model: options.ModelFile,
    message: Annotated[str, Argument(metavar="MESSAGE", help="A file with one message; - or none for stdin.")] = "-",
    positive: Annotated[
        str | None, Option(metavar="CLASS", help="The class that counts as spam. [default: the one named spam]")
    ] = None,
    prior: options.Prior = None,
    passthrough: Annotated[
        bool, Option("--passthrough", help="Write the message with a header X-Textnb; exit 0, or 3 if it fails.")
    ] = False,
    update: Annotated[bool, Option("--update", help="Learn the message if the model is sure and it is new.")] = False,
    update_above: Annotated[
        float | None,
        Option(min=0.5, max=1, metavar="P", help="How probable it must be to be learned. [default: 0.999]"),
    ] = None,
    verbose: Annotated[bool, Option("--verbose", "-v", help="Print the terms that decided, too.")] = False,
    as_json: options.AsJson = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Print nothing.")] = False,
) -> int:
    """Say whether a message is spam, by MODEL's policy: its costs, its ceiling, its unsure band.

    The exit code is 0 for spam, 1 for ham, 2 for unsure, and 3 for every failure, of whatever kind. Printed are the
    label, the probability of the class that counts as spam, and its score, the log-odds before calibration. Of a
    message with a score of 0 the model knows nothing: without a policy, it is unsure.

    It is one message per call, which may be packed by gzip, bzip2 or xz: also a mailbox of several is read as one, and
    an archive is a failure. (`textnb predict` takes mailboxes and archives apart.)

    With --passthrough the message goes to stdout, byte for byte, with one header such as `X-Textnb: spam; 0.998;
    score 6.2` on top; headers of that name that it came with are removed. If anything fails, the message is passed on
    unchanged, and the exit code is 3. A packed message has no room for a header: it stays as it is.

    Of a message over 8 MB the beginning is judged, and it is not learned.

    With --update, a message is learned as what it was taken for if that is at least 0.999 probable, and if MODEL
    knows neither its content nor its Message-ID: what somebody has taught it is never overturned. MODEL needs a ledger.
    With --passthrough, where learning fails once the message is written, stderr says so, and the exit code is 0.

    \b
    Examples:
      textnb check mail.tnb < message
      textnb check mail.tnb message -v
      textnb check mail.tnb message --json
      textnb check mail.tnb --passthrough --update < message

    \b
    In ~/.procmailrc, by the header, which shows in the mail reader, too:
      :0fw
      | textnb check $HOME/mail.tnb --passthrough
      :0:
      * ^X-Textnb: spam;
      Junk

    \b
    Or by the exit code:
      :0:
      * ? textnb check $HOME/mail.tnb --quiet
      Junk
    """
    from textnb.workflow.checking import SURE, explain_verdict, learn_if_sure, read_content, require_ledger
    from textnb.workflow.checking import check as check_message

    def judged(content: bytes) -> Verdict:
        if passthrough and (as_json or verbose):
            raise ValueError(
                f"--passthrough writes the message alone: leave out {'--json' if as_json else '--verbose'}"
            )
        if update_above is not None and not update:
            raise ValueError("--update-above says how sure --update must be: give both, or neither")
        if update:
            require_ledger(model)
        return check_message(model, content, name=message, positive=positive, prior=options.shares(prior))

    def learn(verdict: Verdict) -> bool | None:
        """Whether the message was learned; None if that is not asked for."""
        if not update:
            return None
        was_learned = learn_if_sure(model, verdict, SURE if update_above is None else update_above)
        if was_learned:
            notice(f"learned it as {verdict.answer.label_text}", quiet)
        return was_learned

    announce_terminal([message], quiet)
    if passthrough:
        return _pass_through(message, judged, learn)
    from textnb.corpora.mbox import MAX_MESSAGE

    verdict = judged(read_content(message, MAX_MESSAGE))  # enough to judge one without an end
    shares = options.shares(prior)
    why = explain_verdict(model, verdict, shares) if verbose and not quiet else None  # by the model that has judged
    was_learned = None
    try:
        was_learned = learn(verdict)
    finally:
        if not quiet:
            _show(verdict, why, was_learned, as_json)
    return CODES[verdict.is_positive]


def _show(verdict: Verdict, why: Explanation | None, was_learned: bool | None, as_json: bool) -> None:
    from textnb.report.verdict import verdict_line

    stdout = open_stdout()
    if as_json:
        found = verdict.to_json() | ({} if why is None else {"explanation": why.to_json()})
        show_json(found if was_learned is None else found | {"learned": was_learned})
    else:
        show(verdict_line(verdict))
    if why is not None and not as_json:
        from textnb.report.explanation import contributions_text

        show(contributions_text(why, EXPLAINED))
    stdout.flush()


def _pass_through(message: str, judged: Callable[[bytes], Verdict], learn: Callable[[Verdict], object]) -> int:
    """Write the message with its verdict, then learn it; without a verdict, write it as it is. Return the exit code.

    All errors end here, because those that leave a command are of one that has not read its message yet.
    """
    from textnb.corpora.packed import is_packed
    from textnb.report.verdict import verdict_line
    from textnb.workflow.checking import read_content
    from textnb.workflow.tagging import tagged

    content, verdict, failure = b"", None, None
    try:
        with _held_interrupts() as interrupts:
            content = read_content(message)
        if interrupts:
            raise KeyboardInterrupt
        verdict = judged(content)
        if not is_packed(content):
            content = tagged(content, verdict_line(verdict))
    except (Exception, KeyboardInterrupt) as error:
        failure = error
    try:
        write_bytes(content)
    except (Exception, KeyboardInterrupt) as error:
        discard(sys.stdout)
        failure = failure or error
    if failure is not None:
        return report_failure(failure, FAILED)
    assert verdict is not None
    try:
        learn(verdict)
    except (Exception, KeyboardInterrupt) as error:  # a filter that failed would have its message thrown away
        report_failure(error, FAILED)
    return 0


@contextmanager
def _held_interrupts() -> Iterator[list[int]]:
    """Interrupts wait in a list, so that none loses what has been read; a terminal, where people type, is let go."""
    interrupts: list[int] = []
    if sys.stdin is not None and sys.stdin.isatty():
        yield interrupts
        return
    before = signal(SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal(SIGINT, before)
