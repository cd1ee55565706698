"""The Message-ID of a message: the name that its copies share, whatever was added on their ways.

Model files hold hashes of these names, so what counts as the name of a message is part of their format.
"""

from __future__ import annotations

import re

_LONGEST_HEADER = 1 << 18  # characters of a message among which its headers are looked for
_NAME = r"(?i:message-id)[ \t]*+:"
_HEADER = r"(?:>?From |[!-9;-~]++[ \t]*+:)"  # or a mailbox's own line
_OTHER_LINE = rf"(?!{_NAME}|\r*+\n)[^\n]++\n"  # a blank one ends the headers, and one that is no header does not
_VALUE = r"([^\n]*+(?:\n[ \t][^\n]*+)*+)"
_FIRST_NAME = re.compile(
    f"(?={_HEADER})(?:{_OTHER_LINE})*+{_NAME}{_VALUE}", re.ASCII
)  # which never goes back, so it is linear


def message_id(message: str) -> str | None:
    """The first Message-ID among the headers, without its angle brackets and white space; None if there is none.

    >>> message_id("Subject: lunch\\nMessage-Id:\\n <1234@example.com>\\n\\nat noon?")
    '1234@example.com'
    """
    found = _FIRST_NAME.match(message, 0, _LONGEST_HEADER)
    if found is None:
        return None
    value = "".join(found[1].split())
    return value.partition("<")[2].partition(">")[0] or value.strip("<>") or None
