"""A message without what mailboxes and clients add to their copies, so that every copy is the same document.

Model files hold hashes of canonical messages, so what is canonical is part of their format.
"""

from __future__ import annotations

import re

from textnb.compiled import compiled_kernel
from textnb.text.mail.grammar import MAILBOX_LINE, NAME_AND_COLON

# What mailboxes write after delivery (whether it was read, a filter's verdict): a new message has none of it.
_BOOKKEEPING = """
x-textnb status x-status x-keywords x-uid x-imap x-imapbase x-evolution content-length lines
"""
BOOKKEEPING = frozenset(_BOOKKEEPING.split())
BOOKKEEPING_OF_CLIENTS = ("x-mozilla-",)  # how the names of more of them begin

_VALUE = r"[^\n]*+(?:\n[ \t][^\n]*+)*+\n"
_MAILBOX_LINE = rf"{MAILBOX_LINE}[^\n]*+\n"
_LOCAL_NAMES = "|".join(
    [
        *map(re.escape, sorted(BOOKKEEPING)),
        *(f"{re.escape(start)}[!-9;-~]{{1,180}}+" for start in BOOKKEEPING_OF_CLIENTS),
    ]
)
_LOCAL = rf"(?i:{_LOCAL_NAMES})[ \t]*+:{_VALUE}"
# What stands before the first header that is not local, if there is such a header.
_TOP = re.compile(
    rf"(?:\ufeff*+(?=[!-~])|[\ufeff\n]*+(?={MAILBOX_LINE}))((?:{_MAILBOX_LINE}|{_LOCAL})*+)(?={NAME_AND_COLON})",
    re.ASCII,
)
_LOCAL_HEADERS = re.compile(f"^{_LOCAL}", re.MULTILINE | re.ASCII)
_LOCAL_STARTS = (*sorted(BOOKKEEPING), *BOOKKEEPING_OF_CLIENTS)
_LINE_END = re.compile(r"(?<!\r)\r+\n")  # of a long run without an end, each sign is looked at once
_ESCAPED = re.compile(r"\n>(?=>*+From )")


def is_bookkeeping(name: str) -> bool:
    """Whether a header of this name, in lower case, is one that mailboxes, clients and filters add to their copies."""
    return name in BOOKKEEPING or name.startswith(BOOKKEEPING_OF_CLIENTS)


def has_line(message: str, place: int, starts: tuple[str, ...]) -> bool:
    """Whether a line starts with one of these, in any case: the line at this place, and those up to a blank one."""
    end = message.find("\n\n", place) + 1 or len(message)
    lowered = f"\n{message[place:end].lower()}"
    return any(f"\n{start}" in lowered for start in starts)


def canonical(message: str) -> str:
    r"""The message as it was before a mailbox kept it. The canonical form is its own.

    Left out are a byte order mark and `From ` lines before the first header, and headers of local bookkeeping; where
    there was a `From ` line, lines of the body that a mailbox has escaped (`>From `) lose one `>`. Line ends are plain,
    with one at the end. A message that has no header, or none but those, keeps what it begins with.

    Examples
    --------
    >>> canonical("From a@example.org Mon Jan  5 10:00:00 2004\r\nSubject: lunch\r\nStatus: RO\r\n\r\n>From noon?")
    'Subject: lunch\n\nFrom noon?\n'
    """
    if "\r\n" in message:
        message = message.replace("\r\n", "\n")  # which is far quicker, and mostly enough
        message = _LINE_END.sub("\n", message) if "\r\n" in message else message
    if message[-1:] != "\n" or message[-2:-1] in ("\n", "\r"):
        message = message.rstrip("\r\n") + "\n"
    top = _TOP.match(message)
    if top is None:
        return message
    kernel = compiled_kernel()
    may_have = has_line if kernel is None else kernel.mail_has_line
    has_local = may_have(message, top.end(), _LOCAL_STARTS)  # looking first takes a tenth of the time
    has_escaped = "\nFrom " in f"\n{top[1]}" and ">From " in message
    if not (has_local or has_escaped):
        return message[top.end() :]
    end = message.find("\n\n", top.end()) + 1 or len(message)  # lines that are no header do not end it
    header, rest = message[top.end() : end], message[end:]
    if has_local:
        header = _LOCAL_HEADERS.sub("", header)
    return header + (_ESCAPED.sub("\n", rest) if has_escaped else rest)
