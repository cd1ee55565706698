"""20 Newsgroups posts: parts that can be stripped, and threads."""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

QUOTE = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>")
REPLY = re.compile(r"(?:re\s*:\s*)+")


def strip_headers(text: str) -> str:
    """What follows the first blank line."""
    return text.partition("\n\n")[2]


def strip_footers(text: str) -> str:
    """The text before its last blank or dashed line, which is taken to set off a signature."""
    lines = text.strip().split("\n")
    for position in range(len(lines) - 1, 0, -1):
        if not lines[position].strip().strip("-"):
            return "\n".join(lines[:position])
    return text


def strip_quotes(text: str) -> str:
    """The text without quoted lines and the lines that introduce them."""
    return "\n".join(line for line in text.split("\n") if not QUOTE.search(line))


# In the order in which scikit-learn applies them.
STRIPPERS: dict[str, Callable[[str], str]] = {
    "headers": strip_headers,
    "footers": strip_footers,
    "quotes": strip_quotes,
}


def check_strip(strip: Iterable[str]) -> list[str]:
    """The parts to strip, in the order of stripping; an unknown one is an error."""
    parts = {strip} if isinstance(strip, str) else set(strip)
    if unknown := sorted(parts - STRIPPERS.keys()):
        raise ValueError(f"strip takes {', '.join(STRIPPERS)}; got {unknown[0]!r}.")
    return [part for part in STRIPPERS if part in parts]


def strip_text(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = STRIPPERS[part](text)
    return text


def thread_subject(text: str) -> str:
    """The post's subject in lower case, without "Re:" and spare blanks; empty where it has none."""
    for line in text.partition("\n\n")[0].split("\n"):
        if line[:8].lower() == "subject:":
            subject = " ".join(line[8:].lower().split())
            reply = REPLY.match(subject)
            return subject[reply.end() :] if reply else subject
    return ""


def thread_numbers(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each post's thread, counted by first appearance; a post without a subject is a thread of its own."""
    numbers: dict[str | int, int] = {}
    subjects = (thread_subject(text) or position for position, text in enumerate(texts))
    return np.array([numbers.setdefault(subject, len(numbers)) for subject in subjects], dtype=np.int64)
