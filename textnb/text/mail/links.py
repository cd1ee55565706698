"""Links and addresses cut into terms: suffixes of the host, pieces of the path, and what is unusual about them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from textnb.compiled import compiled_kernel

LONGEST_LINK = 500
_MOST_PIECES = 40
_LONGEST_PIECE = 20
_LONGEST_NAME = 40
_MOST_SUFFIXES = 5

_LINK = re.compile(r"""(?:https?|ftp)://[^\s<>"')]+|www\.[^\s<>"')]+""")
_ADDRESS = re.compile(r"(?<![\w.+=-])([\w.+=-]{1,64}+)@([\w-]{1,63}(?:\.[\w-]{1,63})++)")
_SCHEME = re.compile(r"([a-z]{1,20}):(?://)?")
_PIECES = re.compile(r"[a-z0-9]{2,}")
_NOT_IN_HOSTS = re.compile(r"[^\w.-]")


@lru_cache(maxsize=8192)
def host_suffixes(host: str) -> tuple[str, ...]:
    """`a.example.com`, `example.com`, `com`: the last five names of a host at most."""
    names = [name[:_LONGEST_NAME] for name in host.lower().strip(".").split(".")[-_MOST_SUFFIXES:]]
    return tuple([".".join(names[i:])[-_LONGEST_NAME:] for i in range(len(names))])


@lru_cache(maxsize=4096)
def link_terms(link: str) -> list[str]:
    """Terms of a link as it stands in a text or an attribute, which is cut off at 500 characters."""
    link = "".join(link[:LONGEST_LINK].split()).lower()
    terms = []
    scheme = _SCHEME.match(link)
    path = link
    if scheme:
        terms.append(f"url:{scheme[1]}:")
        path = link[scheme.end() :]
        if scheme[1] == "mailto":
            user, _, domain = path.partition("?")[0].rpartition("@")
            return [*terms, *address_terms(_NOT_IN_HOSTS.sub("", user), _NOT_IN_HOSTS.sub("", domain), "url:")]
    if scheme or link.startswith("www."):
        host, _, path = path.partition("/")
        terms += _host_terms(host)
    if "%" in path:
        terms.append("url:%")
    pieces = _PIECES.findall(path)[:_MOST_PIECES]
    return terms + [f"url:/{piece}" if len(piece) <= _LONGEST_PIECE else "url:/long" for piece in pieces]


@lru_cache(maxsize=4096)
def _host_terms(host: str) -> list[str]:
    terms = []
    if "@" in host:
        terms.append("url:userinfo")
        host = host.rpartition("@")[2]
    if "%" in host:
        terms.append("url:escaped-host")
    host, _, port = host.partition(":")
    if port.isdecimal() and port.isascii():
        terms.append(f"url:port:{port[:5]}")
    host = _NOT_IN_HOSTS.sub("", host)
    if host.replace(".", "").isdecimal():
        numbers = host[:_LONGEST_NAME].split(".")
        return [*terms, "url:ip", *("url:" + ".".join(numbers[:n]) for n in (1, 2, 3))]
    return [*terms, *(f"url:{suffix}" for suffix in host_suffixes(host))]


def address_terms(user: str, domain: str, tag: str = "addr:") -> list[str]:
    """Terms of an address in a text, whole and by its domain."""
    return [f"{tag}{user}@{domain}"[:64], *[f"{tag}@{suffix}" for suffix in host_suffixes(domain)]]


def terms_of_links(links: Iterable[str]) -> list[str]:
    """The terms of each link, in one str with line ends between them."""
    kernel = compiled_kernel()
    if kernel is None:
        return ["\n".join(link_terms(link)) for link in links]
    read = kernel.mail_link
    return ["\n".join(link_terms(link)) if (terms := read(link)) is None else terms for link in links]


def take_links(text: str, terms: list[str]) -> str:
    """The text, in lower case, without its links and addresses, whose terms are added to the others."""
    links = _LINK.findall(text)
    if links:
        terms.extend(terms_of_links(links))
        text = _LINK.sub(" ", text)
    if "@" in text:
        addresses, text = find_addresses(text, len(text))
        for user, domain in addresses:
            terms.extend(address_terms(user, domain))
    return text


def find_addresses(text: str, most: int) -> tuple[list[tuple[str, str]], str]:
    """User and domain of the first addresses in a text, and the text around them."""
    found = _ADDRESS.findall(text)
    return found[:most], _ADDRESS.sub(" ", text) if found else text
