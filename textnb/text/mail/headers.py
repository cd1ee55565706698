"""Headers as terms. Each starts with an upper-case letter, as no term of the content does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import inf

from textnb.text.mail.canonical import is_bookkeeping
from textnb.text.mail.encoded_words import LONGEST_HEADER, header_text
from textnb.text.mail.links import find_addresses, host_suffixes
from textnb.text.mail.message import Headers
from textnb.text.mail.received import received_terms

# What the sender's mail program writes, so that it says nothing of the mailbox: all that the preset `no-source` reads.
_SENDER = """
subject from reply-to to cc mime-version content-type content-transfer-encoding content-disposition content-description
content-language content-class x-mailer user-agent organization organisation importance priority comments keywords
disposition-notification-to thread-index thread-topic auto-submitted
"""
SENDER_HEADERS = frozenset(_SENDER.split())
_EXPECTED = ("subject", "from", "to", "date", "message-id", "reply-to", "mime-version", "content-type", "cc")
_PROGRAM = "x-mailer user-agent organization importance x-priority x-msmail-priority precedence content-class"
_READ_AS_PARTS = frozenset({"content-type", "content-transfer-encoding", "content-disposition"})

_LONGEST_HEADERS = 128 * 1024  # characters of all values together; of further headers the names are read
_LONGEST_NAME = 24
_LONGEST_WORD = 30
_LONGEST_WHOLE = 50
_MOST_ADDRESSES = 20
_MOST_WORDS = 30
_MOST_RECEIVED = 10
_MOST_CACHED = 4096
_LONGEST_CACHED = 300

_NAME_WORDS = re.compile(r"\w[\w.'-]*+")
_VALUE_WORDS = re.compile(r"""[^\s<>(),;"\[\]]+""")
_PROGRAM_WORDS = re.compile(r"[A-Za-z]\w+")
_HOST = re.compile(r"@([\w.-]{1,100})")
_ZONE = re.compile(r"[+-]\d{4}\b", re.ASCII)

Terms = Iterable[str]


def header_terms(headers: Headers, values: dict[str, str], with_source: bool, has_more: bool = False) -> list[str]:
    """Terms of all headers but of what the subject says; `has_more` if there are more than were read."""
    counts: dict[str, int] = {}
    terms: list[str] = []
    room = _LONGEST_HEADERS
    for name, value in headers:
        way = _way_of(name, with_source)
        if way is None:
            continue
        read, most = way
        n_before = counts.get(name, 0)
        counts[name] = n_before + 1
        size = len(value)
        room -= size if size < LONGEST_HEADER else LONGEST_HEADER
        if n_before < most and room >= 0:
            terms += read(value)
    recipients = values.get("to", "")[:LONGEST_HEADER] + values.get("cc", "")[:LONGEST_HEADER]
    terms.append(f"Recipients:{recipients.count('@').bit_length()}")
    for name in ("to", "cc"):
        if name in values:
            recipient = _person(name, values[name])
            terms += recipient if with_source else [term for term in recipient if ":@" not in term]
    terms += [_count_term(name, n) for name, n in counts.items()]
    terms += [f"Missing:{name}" for name in _EXPECTED if name not in counts and (with_source or name in SENDER_HEADERS)]
    if has_more or room < 0:
        terms.append("Flag:too-many-headers")
    if max(map(len, values.values()), default=0) > LONGEST_HEADER:
        terms.append("Flag:too-long-header")
    return terms


@lru_cache(maxsize=_MOST_CACHED)
def _count_term(name: str, n: int) -> str:
    return f"Header:{name[:40]}:{n if n < 4 else n.bit_length() + 2}"


def _person(name: str, value: str) -> Terms:
    return _read_person(name, value) if len(value) > _LONGEST_CACHED else _read_person_cached(name, value)


def _read_person(name: str, value: str) -> list[str]:
    """Users, suffixes of the domains, and words of the names."""
    tag = name.capitalize()
    addresses, names = find_addresses(header_text(value), _MOST_ADDRESSES)
    terms = []
    for user, domain in addresses:
        terms.append(f"{tag}:user:{user[:40].lower()}")
        terms += [f"{tag}:@{suffix}" for suffix in host_suffixes(domain)]
    terms += [f"{tag}:{word[:_LONGEST_WORD]}" for word in _NAME_WORDS.findall(names)[:_MOST_WORDS]]
    return terms


_read_person_cached = lru_cache(maxsize=_MOST_CACHED)(_read_person)


def _person_reader(name: str) -> Callable[[str], Terms]:
    return lambda value: _person(name, value)


def _program_reader(name: str) -> Callable[[str], Terms]:
    """The value whole, and its words without version numbers."""
    tag = name.capitalize()

    @lru_cache(maxsize=_MOST_CACHED)
    def read(value: str) -> list[str]:
        text = header_text(value)
        words = [f"{tag}:{word[:_LONGEST_WORD]}" for word in _PROGRAM_WORDS.findall(text)[:10]]
        return [f"{tag}:{text[:_LONGEST_WHOLE].replace(' ', '_')}", *words]

    return lambda value: read(value[:_LONGEST_CACHED])


def _hosts_reader(name: str) -> Callable[[str], Terms]:
    """The hosts of message numbers."""
    tag = name.capitalize()

    def read(value: str) -> list[str]:
        hosts = _HOST.findall(value, 0, LONGEST_HEADER)[:3]
        return [f"{tag}:@{suffix}" for host in hosts for suffix in host_suffixes(host)] or [f"{tag}:no-host"]

    return read


def _date_terms(value: str) -> list[str]:
    zone = _ZONE.search(value, 0, 100)
    return [f"Date:{zone[0] if zone else 'no-zone'}", *(["Date:GMT"] if "GMT" in value[:100] else [])]


def _mime_version_terms(value: str) -> Terms:
    return (_mime_version_term(value[:100].lower()),)


@lru_cache(maxsize=_MOST_CACHED)
def _mime_version_term(value: str) -> str:
    return f"Mime-version:{'_'.join(header_text(value).split())[:_LONGEST_WHOLE]}"


def _other_terms(name: str, value: str) -> list[str]:
    tag = f"Other:{name[:_LONGEST_NAME]}"
    return [f"{tag}:{word[:_LONGEST_WORD]}" for word in _VALUE_WORDS.findall(header_text(value))[:20]]


_cached_other_terms = lru_cache(maxsize=_MOST_CACHED)(_other_terms)


def _other_reader(name: str) -> Callable[[str], Terms]:
    return lambda value: (_other_terms if len(value) > _LONGEST_CACHED else _cached_other_terms)(name, value)


def _nothing(value: str) -> Terms:
    return ()


_READERS: dict[str, Callable[[str], Terms]] = {
    "subject": _nothing,  # read apart
    "to": _nothing,  # and so are the recipients
    "cc": _nothing,
    "received": received_terms,
    "date": _date_terms,
    "mime-version": _mime_version_terms,
    **dict.fromkeys(_READ_AS_PARTS, _nothing),
    **{name: _person_reader(name) for name in ("from", "reply-to", "sender", "return-path")},
    **{name: _program_reader(name) for name in _PROGRAM.split()},
    **{name: _hosts_reader(name) for name in ("message-id", "references", "in-reply-to")},
}


@lru_cache(maxsize=_MOST_CACHED)
def _way_of(name: str, with_source: bool) -> tuple[Callable[[str], Terms], float] | None:
    """How the headers of a name are read and how many of them; None if they are not."""
    if is_bookkeeping(name) or not (with_source or name in SENDER_HEADERS):
        return None
    if name not in _READERS:
        return _other_reader(name), inf
    return _READERS[name], _MOST_RECEIVED if name == "received" else 1
