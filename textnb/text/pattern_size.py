"""How large a regular expression may be that comes with a file: compiling it must take neither long nor much memory."""

from __future__ import annotations

import re

LONGEST_PATTERN = 2000  # characters
MOST_PARTS = 100_000  # a compiled part takes up to a kilobyte

_SET = r"\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]"
_PART = re.compile(rf"(?s)\\.|{_SET}|\{{(?P<low>\d*)(?P<to>,?)(?P<high>\d*)\}}|.")
_USUAL_GROUP = re.compile(r"\((?!\?)|\(\?(?:[:=!<>P]|[aimsu-]*[:)])")


def check_pattern_size(pattern: str) -> None:
    """Raise a ValueError if a pattern is long, or becomes long when its counted repetitions are written out."""
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a token_pattern has up to {LONGEST_PATTERN:,} characters, and this one {len(pattern):,}")
    if "{" in pattern and _written_out(pattern) > MOST_PARTS:
        raise ValueError(
            f"token_pattern {pattern[:60]!r} has repetitions with more than {MOST_PARTS:,} parts when they are written "
            "out: use smaller numbers"
        )


def _written_out(pattern: str) -> float:
    """The number of parts without counted repetitions; infinite where comments or flags could hide some."""
    open_groups, last = [0], 0
    for part in _PART.finditer(pattern):
        text = part[0]
        if text == "(":
            if not _USUAL_GROUP.match(pattern, part.start()):
                return float("inf")
            open_groups.append(0)
            continue
        if part["low"] or part["high"]:
            times = max(int(part["low"] or 0), int(part["high"] or 0), 1)
            open_groups[-1] += last * (times - 1)
            last *= times
        elif text == ")" and len(open_groups) > 1:
            last = open_groups.pop()
            open_groups[-1] += last
        elif text not in "*+?":
            open_groups[-1] += 1
            last = 1
    return sum(open_groups)
