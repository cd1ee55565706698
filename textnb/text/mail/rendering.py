"""The lines of a rendered message: the subject, other headers, words of the text, other terms of the content."""

from __future__ import annotations

import re
from typing import NamedTuple

from textnb.text.mail.canonical import canonical
from textnb.text.mail.charsets import decode, is_seven_bit
from textnb.text.mail.encoded_words import header_text
from textnb.text.mail.headers import header_terms
from textnb.text.mail.links import terms_of_links
from textnb.text.mail.markup import Display, read_html
from textnb.text.mail.message import LONGEST_MESSAGE, Message, Part, hinted_charset, read_message, transfer_encoding
from textnb.text.mail.presets import parts_of
from textnb.text.mail.structure import container_terms, part_terms
from textnb.text.mail.subject import subject_terms
from textnb.text.mail.transfer import decode_transfer, to_bytes
from textnb.text.mail.words import text_words

LONGEST_TEXT = 512 * 1024  # characters of all parts together
_BYTES_PER_CHARACTER = {"base64": 1.5, "quoted-printable": 3}
_SHOWN_TYPES = frozenset({"text/plain", "text/html", "text/enriched"})  # as the last of alternatives
_SAMPLE = 4096
_WORD = re.compile(r"\w")
_HTML = re.compile(r"\s*<(?:html|!doctype html|body|head)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}["']?([\w-]{1,40})""", re.IGNORECASE)
_ESCAPE = "\x1b"  # ISO-2022 has it before what is no ASCII
_UPPER = bytes(range(65, 91))
_LOWER = bytes(range(97, 123))


class Text(NamedTuple):
    """A text of a message, as it is displayed."""

    display: Display
    alternatives: tuple[tuple[int, int], ...] = ()
    is_shown: bool = True  # if it is the last of alternatives
    is_attached: bool = False  # so that people see a name, and the text only if they open it

    @property
    def has_words(self) -> bool:
        return _WORD.search(self.display.visible) is not None


def render(message: str, mail: str = "all") -> str:
    """The terms of a message, separated by blanks and line ends; `mail` names what is used (see `presets`).

    They are those of its canonical form, whichever copy it is.
    """
    parts = parts_of(mail)
    read = read_message(canonical(message[: LONGEST_MESSAGE + 1]))
    lines: list[str] = []
    if "headers" in parts:
        lines = header_terms(read.headers, read.values, "source" in parts, read.has_more_headers)
    flags = set(read.flags)
    content: list[str] = []
    words: list[str] = []
    if "headers" in parts and "subject" in read.values:
        value = read.values["subject"]
        subject = header_text(value)
        line, terms = subject_terms(value, subject)
        lines += [line, *terms]
        words.append(text_words(subject, content, flags))
    texts = read_texts(read, flags)
    attached = [text for text in texts if text.is_attached]
    shown, not_shown = displayed([text for text in texts if not text.is_attached] if attached else texts)
    words += [text_words(text.display.visible, content, flags) for text in shown]
    lines += words
    content += _hidden_terms(texts, flags)
    if attached:
        content += [f"attached:{word}" for word in sorted(_different_words(attached, flags))]
    if not_shown:
        content += _alternative_terms(not_shown, {word for line in words for word in line.split(" ")}, flags)
    for text in texts:
        if text.display.links:
            content += terms_of_links(text.display.links)
        content += [f"tag:{tag}" for tag in sorted(text.display.tags)]
    for content_type, n_parts in read.containers:
        content += container_terms(content_type, n_parts)
    for part in read.parts:
        content += part_terms(part)
    content += _size_terms([text.display.visible for text in shown])
    content += [f"flag:{flag}" for flag in sorted(flags)]
    lines += content
    return "\n".join(filter(None, lines))


def read_texts(message: Message, flags: set[str]) -> list[Text]:
    """The texts of a message that people read, within the limit on their length."""
    hint = hinted_charset(message.values)
    texts = []
    for headers in message.forwarded:
        quoted = " ".join([header_text(headers.get(name, "")) for name in ("subject", "from")])
        texts.append(Text(Display(quoted, "", [], set())))
    room = LONGEST_TEXT
    for part in message.parts:
        if not part.content_type.startswith(("text/", "message/")):
            continue
        text, n_read = _decoded(part, hint, room)
        if len(text) > room:
            flags.add("too-long")
            text = text[:room]
        room = max(room - max(n_read, len(text)), 0)
        is_html = part.content_type == "text/html" or _HTML.match(text)
        display = read_html(text) if is_html else Display(text, "", [], set())
        disposition = part.headers.get("content-disposition", "")[:100].partition(";")[0]
        is_shown = part.content_type in _SHOWN_TYPES
        texts.append(Text(display, part.alternatives, is_shown, disposition.strip().lower() == "attachment"))
    return texts


def _decoded(part: Part, hint: str | None, room: int) -> tuple[str, int]:
    """The text of a part, as much of it as there is room for and a little more, and how many bytes were read for it."""
    encoding = transfer_encoding(part.headers)
    charset = part.parameters.get("charset")
    body = part.body[: int(room * _BYTES_PER_CHARACTER.get(encoding, 1)) + 1]
    is_encoded = encoding in _BYTES_PER_CHARACTER
    is_plain = body.isascii() and not is_seven_bit(charset) and (charset or _ESCAPE not in body)
    if is_plain and not is_encoded:
        return body, len(body)
    data = decode_transfer(body, encoding) if is_encoded else to_bytes(body)
    if charset is None and part.content_type == "text/html" and (b"\x1b" in data or not data.isascii()):
        named = _META_CHARSET.search(data, 0, 4096)
        charset = named[1].decode("ascii", "ignore") if named else None
    return decode(data, charset, hint), len(data) if is_encoded else len(body)


def displayed(texts: list[Text]) -> tuple[list[Text], list[Text]]:
    """What a mail program shows, and what it does not: of alternatives the last it can show that has words."""
    if not any(text.alternatives for text in texts):
        return texts, []
    chosen: dict[int, int] = {}
    for text in texts:
        if text.is_shown and text.has_words:
            for group, place in text.alternatives:
                chosen[group] = max(place, chosen.get(group, 0))
    shown: list[Text] = []
    not_shown: list[Text] = []
    for text in texts:
        is_shown = all(chosen.get(group, place) == place for group, place in text.alternatives)
        (shown if is_shown else not_shown).append(text)
    return shown, not_shown


def _hidden_terms(texts: list[Text], flags: set[str]) -> list[str]:
    """The words of hidden text, tagged, so that they do not count for or against those that people read."""
    terms: list[str] = []
    for text in texts:
        if _WORD.search(text.display.hidden):
            flags.add("hidden")
            terms += [f"hidden:{word}" for word in text_words(text.display.hidden, [], flags).split(" ")]
    return terms


def _alternative_terms(texts: list[Text], shown: set[str], flags: set[str]) -> list[str]:
    """The words of alternatives that are not displayed, unless the displayed one has them, too."""
    return [f"alt:{word}" for word in sorted(_different_words(texts, flags) - shown)]


def _different_words(texts: list[Text], flags: set[str]) -> set[str]:
    return {word for text in texts for word in text_words(text.display.visible, [], flags).split(" ") if word}


def _size_terms(texts: list[str]) -> list[str]:
    """Classes of the length of the texts and of the share of capitals at their beginning, in tenths."""
    data = "".join([text[:_SAMPLE] for text in texts]).encode("ascii", "ignore")
    n_upper = len(data) - len(data.translate(None, _UPPER))
    n_lower = len(data) - len(data.translate(None, _LOWER))
    return [f"shout:{10 * n_upper // (n_upper + n_lower + 1)}", f"size:{sum(map(len, texts)).bit_length()}"]
