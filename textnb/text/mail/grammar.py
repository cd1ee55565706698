"""What a line of a message's header is, as parts of regular expressions that never go back."""

from __future__ import annotations

LONGEST_NAME = 200  # characters of a header's name
NAME = rf"[!-9;-~]{{1,{LONGEST_NAME}}}+"
NAME_AND_COLON = rf"{NAME}[ \t]*+:"
MAILBOX_LINE = r">?From "  # how the lines begin that mailboxes put before the header, and among its lines
BEFORE_HEADER = rb"(?:\xef\xbb\xbf|[\r\n])*+"  # bytes that may stand before it: a byte order mark, line ends
CONTINUATION = r"[ \t]"  # how the further lines of a header begin
