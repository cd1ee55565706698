"""Which terms of a message are used.

| part | terms |
|---|---|
| `content` | words of the displayed text; `url:` and `addr:` pieces of links and addresses; `hidden:`, `alt:` and `attached:` words of text that is not displayed; `tag:` names of HTML elements; `type:`, `charset:`, `encoding:`, `disposition:`, `file:`, `parts:`, `size:`, `shout:` and `flag:` terms of the structure |
| `headers` | what the sender writes: subject, sender, reply address, recipients, mail program |
| `source` | what the way of a message adds, and where it was received |

Ham and spam of a collection often come from different mailboxes. Then the headers that delivery adds tell the mailboxes
apart instead of ham and spam, and results with them are better than they will be on one's own mail. The preset
`no-source` reads only headers that the sender's program writes (`headers.SENDER_HEADERS`). So it is without Received,
Date, Message-ID, References, Return-Path, Delivered-To, Sender, List-*, every X-* but X-Mailer and all unknown ones:
neither their values nor that they are there, how often, or missing. Of To and Cc it has how many recipients there are,
their names and users, but not their hosts, which are the collector's own and those of the lists that were collected.
If ham and spam were sent to different people, even names betray the source: there `body` is the preset to trust.
"""  # noqa: E501

from __future__ import annotations

PRESETS: dict[str, frozenset[str]] = {
    "all": frozenset({"content", "headers", "source"}),
    "no-source": frozenset({"content", "headers"}),
    "body": frozenset({"content"}),
}


def parts_of(preset: str) -> frozenset[str]:
    """The parts that a preset turns on."""
    try:
        return PRESETS[preset]
    except (KeyError, TypeError):
        raise ValueError(f"not a preset for mail: {preset!r}; use one of {', '.join(PRESETS)}.") from None
