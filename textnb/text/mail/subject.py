"""The subject: words with their capitals. It is written to be read, so its terms are among those of the content."""

from __future__ import annotations

from textnb.text.mail.normalize import visible
from textnb.text.mail.words import PUNCTUATION

_MOST_WORDS = 100
_LONGEST_WORD = 30
_LONGEST_CALM = 8  # characters; a shorter subject in capitals may be an abbreviation


def subject_terms(value: str, text: str) -> tuple[str, list[str]]:
    """The words as they are written, as one line; with their punctuation, and what is odd about the subject.

    `text` is what people read of the header's value.
    """
    flags: set[str] = set()
    subject = visible(text, flags)
    words = subject.split()[:_MOST_WORDS]
    bare = [word.strip(PUNCTUATION) or word for word in words]
    terms = [f"subject:{word[:_LONGEST_WORD]}" for word, inner in zip(words, bare, strict=True) if inner != word]
    if len(subject) > _LONGEST_CALM and subject.isupper():
        flags.add("subject-shouting")
    if not value.isascii():
        flags.add("subject-8bit")
    if not words:
        flags.add("subject-empty")
    if "   " in value:
        flags.add("subject-gap")
    line = " ".join([f"subject:{word[:_LONGEST_WORD]}" for word in bare])
    return line, terms + [f"flag:{flag}" for flag in sorted(flags)]
