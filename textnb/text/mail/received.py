"""The way of a message: hosts, networks and protocols of its Received headers."""

from __future__ import annotations

import re
from functools import lru_cache

from textnb.text.mail.encoded_words import header_text
from textnb.text.mail.links import host_suffixes

_LONGEST = 1000
_MOST_NETWORKS = 4
_MOST_HOSTS = 8
_MOST_WORDS = 6
_BEFORE_NAMES = frozenset({"with", "by", "from", "helo", "(helo"})
_NETWORK = re.compile(r"(?<![\w.])(\d{1,3}\.\d{1,3})(\.\d{1,3})\.\d{1,3}\b", re.ASCII)
_HOST = re.compile(r"(?<![\w.-])[\w-]{1,63}+(?:\.[\w-]{1,63}+)++(?<=[a-zA-Z])", re.ASCII)


def received_terms(value: str) -> list[str]:
    """Terms of one header. The number given to the message and the time, which are never seen again, are left out."""
    before, _, after = value[:_LONGEST].partition(" id ")
    return _way_terms(before.partition(";")[0], after.partition(";")[0].partition(" ")[2])


@lru_cache(maxsize=4096)
def _way_terms(before: str, after: str) -> list[str]:
    way = header_text(f"{before} {after}")
    terms = []
    for first, rest in _NETWORK.findall(way)[:_MOST_NETWORKS]:
        terms += [f"Received:{first}", f"Received:{first}{rest}"]
    for host in _HOST.findall(way)[:_MOST_HOSTS]:
        terms += _host_terms(host)
    words = way.split(" ")
    named = [word for word, name in zip(words[1:], words, strict=False) if name.lower() in _BEFORE_NAMES]
    return terms + [f"Received:by:{word[:30]}" for word in named[:_MOST_WORDS]]


@lru_cache(maxsize=4096)
def _host_terms(host: str) -> list[str]:
    return [f"Received:{suffix}" for suffix in host_suffixes(host)[:-1]]
