"""Text to words."""

from __future__ import annotations

import re

from textnb.compiled import compiled_kernel
from textnb.text.mail.links import take_links
from textnb.text.mail.normalize import drop_controls, is_latin, visible

MOST_WORDS = 50_000
LONGEST_WORD = 20
PUNCTUATION = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    + "".join(
        map(chr, [0xA1, 0xAB, 0xB7, 0xBB, 0xBF, *range(0x2010, 0x2028), *range(0x2030, 0x205F), *range(0x3001, 0x3004)])
    )
    + "".join(map(chr, range(0x3008, 0x3012)))
)

_LONGEST_WHOLE = LONGEST_WORD + 4
_LONGEST_PUNCTUATION = 5
_SHORTEST_ENCODED = 57
_SHORTEST_PIECE = 3
_MOST_PIECES = 20
_LONGEST_APART = 500
_PIECES = re.compile(r"\w+")
# Scripts written without blanks between words (Han, kana, Thai, Lao, Khmer, Burmese), and Hangul with its endings.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0002ffff]+"
)
_UUENCODED = re.compile(r"^begin [0-7]{3,4} ([^\n]{1,100}+)\n", re.MULTILINE)
_UUENCODED_LINE = re.compile(r"([ -`])([ -`]{0,62})(?:\n|\Z)")
_UUENCODED_END = re.compile(r"[ `]?\n?end\b")


def split_words(text: str, most: int, apart: bool) -> tuple[str, str, str, bool]:
    """The words of a text in lower case, other terms from it, and what may be a link or an address.

    Words are separated by blanks, control characters and colons. The first result has them without punctuation around
    them, separated by blanks; of a word over 20 characters its first one and a class of lengths: `skip:a20`. The second
    has one term per line: words with their punctuation, punctuation alone, and pieces of the long ones (but of lines
    of base64 and the like, which are long words one after another). The third has what has an "@", "://" or "www." in
    it, cut off at 500 characters, if it is wanted apart. The first `most` words are read, and the last result is
    whether there are more.
    """
    bare: list[str] = []
    other: list[str] = []
    links: list[str] = []
    after_encoded = False
    tokens = drop_controls(text).split(maxsplit=most)
    for token in tokens[:most]:
        in_encoded = after_encoded and len(token) >= _SHORTEST_ENCODED
        after_encoded = len(token) >= _SHORTEST_ENCODED
        if apart and ("@" in token or "://" in token or "www." in token):
            links.append(token[:_LONGEST_APART])
            continue
        for word in token.split(":"):
            if word:
                _add_word(word, bare, other, in_encoded)
    return " ".join(bare), "\n".join(other), " ".join(links), len(tokens) > most


def _add_word(word: str, bare: list[str], other: list[str], in_encoded: bool) -> None:
    stripped = word.strip(PUNCTUATION)
    if not stripped:
        other.append(word if len(word) <= _LONGEST_PUNCTUATION else _skip(word))
    elif len(stripped) > LONGEST_WORD:
        bare.append(_skip(stripped))
        if not in_encoded:
            pieces = [piece for piece in _PIECES.findall(stripped) if _SHORTEST_PIECE <= len(piece) <= LONGEST_WORD]
            other.extend(pieces[:_MOST_PIECES])
    else:
        bare.append(stripped)
        if len(stripped) < len(word) <= _LONGEST_WHOLE:
            other.append(word)


def _skip(word: str) -> str:
    return f"skip:{word[0]}{min(len(word) // 10 * 10, 100)}"


def drop_uuencoded(text: str) -> str:
    """The text with the names of uuencoded files instead of them."""
    pieces: list[str] = []
    position = 0
    for begin in _UUENCODED.finditer(text):
        end = _end_of_uuencoded(text, begin.end())
        if end > begin.end():
            pieces += [text[position : begin.start()], f" {begin[1]} "]
            position = end
    return "".join([*pieces, text[position:]])


def _end_of_uuencoded(text: str, place: int) -> int:
    """Where the lines end that have as many characters as their first one says, so that no words are taken for them."""
    start = place
    while line := _UUENCODED_LINE.match(text, place):
        n_bytes = (ord(line[1]) - 32) % 64
        n_further = len(line[2]) - (n_bytes + 2) // 3 * 4
        if n_bytes == 0 or not 0 <= n_further <= 1:  # some programs add a sum
            break
        place = line.end()
    end = _UUENCODED_END.match(text, place) if place > start else None
    return end.end() if end else place


def text_words(text: str, terms: list[str], flags: set[str]) -> str:
    """The words of a displayed text as one line; what else it has is added to the terms and the flags."""
    if "begin " in text:
        text = drop_uuencoded(text)
    text = visible(text, flags).lower()
    if not text.isascii() and not is_latin(text):
        text = _UNSPACED.sub(lambda run: _character_pairs(run[0], terms), text)
    kernel = compiled_kernel()
    split = split_words if kernel is None else kernel.mail_words
    bare, other, links, is_cut = split(text, MOST_WORDS, True)
    if is_cut:
        flags.add("too-many-words")
    if other:
        terms.append(other)
    if links:
        rest = take_links(links, terms)
        if not rest.isspace():
            more, other, *_ = split(rest, MOST_WORDS, False)
            bare = f"{bare} {more}" if bare and more else bare or more
            if other:
                terms.append(other)
    return bare


def _character_pairs(run: str, terms: list[str]) -> str:
    """A run of one or two characters is a word; a longer one is the pairs of its neighbours."""
    if len(run) < 3:
        return f" {run} "
    terms.extend([run[i : i + 2] for i in range(len(run) - 1)])
    return " "
