"""What a message is called in lists."""

from __future__ import annotations

from textnb.text.mail.canonical import canonical
from textnb.text.mail.encoded_words import header_text
from textnb.text.mail.message import first_values, split_headers

LONGEST_TITLE = 300  # characters


def title_of(message: str) -> str:
    r"""Its subject and its sender as people read them, on one line; where it has neither, how it begins.

    >>> title_of("From: Ann <ann@example.org>\nSubject: =?utf-8?q?caf=C3=A9?=\n at noon\n\nShall we?\n")
    'café at noon - Ann <ann@example.org>'
    """
    message = canonical(message)
    values = first_values(split_headers(message)[0])
    named = [header_text(values.get(name, "")) for name in ("subject", "from")]
    return (" - ".join(filter(None, named)) or " ".join(message[: 10 * LONGEST_TITLE].split()))[:LONGEST_TITLE]
