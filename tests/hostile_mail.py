"""Messages made to cost time or memory. Each has to be read within a second and 200 MB."""

from collections.abc import Callable

_BODY = b"Subject: x\nContent-Type: text/plain; charset=utf-8\n\n"
_HTML = b"Subject: x\nContent-Type: text/html; charset=utf-8\n\n"


def _nested_multiparts(depth: int) -> bytes:
    return (
        b"".join([b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(depth)]) + b"\nend"
    )


def _charset(name: bytes) -> bytes:
    return b"Content-Type: text/plain; charset=" + name + b"\nSubject: =?" + name + b"?q?a=E9b?=\n\nd\xe9j\xe0 vu " * 9


HOSTILE: dict[str, Callable[[], bytes]] = {
    "tags in tags": lambda: _HTML + b"<a " * 20_000,
    "tags in tags with values": lambda: _HTML + b'<a b="' * 100_000,
    "open values": lambda: _HTML + b"<a b='\">" * 100_000,
    "nested divisions": lambda: _HTML + b"<div>" * 100_000,
    "nested styles": lambda: _HTML + b"<div style='color:white'>x" * 20_000 + b"</div>" * 20_000,
    "style elements": lambda: _HTML + b"<style>" * 100_000,
    "closed style elements": lambda: _HTML + b"<style></style>" * 30_000,
    "scripts that end as styles": lambda: _HTML + b"<script></style" * 30_000,
    "open comments": lambda: _HTML + b"<!-- " * 100_000,
    "nearly closed comments": lambda: _HTML + b"<!-- --" * 70_000,
    "declarations": lambda: _HTML + b"<!" * 250_000,
    "closing tags": lambda: _HTML + b"<b style=x>" + b"</" * 250_000,
    "ampersands": lambda: _HTML + b"&" * 500_000,
    "long references": lambda: _HTML + b"&#" + b"0" * 300_000 + b"&#" + b"9" * 200_000,
    "unknown references": lambda: _HTML + b"&abcdefghijklmnopqrstuvwxyzabcdef" * 15_000,
    "attributes": lambda: _HTML + b"<a " + b"b=c " * 100_000 + b">",
    "equals signs": lambda: _HTML + b"<a " + b"=" * 500_000 + b">",
    "equals signs and blanks": lambda: _HTML + b"<a " + b"=   " * 120_000,
    "combining marks": lambda: _BODY + b"a" + "\u0301\u0323".encode() * 80_000,
    "marks of class 0": lambda: _BODY + "\u0f73".encode() * 80_000,
    "filler characters": lambda: _BODY + "\u3164".encode() * 11_000,
    "ligatures that grow": lambda: _BODY + "\ufdfa".encode() * 170_000,
    "more ligatures that grow": lambda: _BODY + "\ufdfa".encode() * 520_000,
    "one line": lambda: _BODY + b"x" * 1_000_000,
    "one line of two scripts": lambda: _BODY + "aж".encode() * 200_000,
    "Han": lambda: _BODY + "漢字".encode() * 150_000,
    "at signs": lambda: _BODY + b"@" * 1_000_000,
    "at signs between words": lambda: _BODY + b"a@" * 500_000,
    "at signs between blanks": lambda: _BODY + b"@ " * 500_000,
    "addresses": lambda: _BODY + b"a@b.c " * 160_000,
    "different addresses": lambda: _BODY + b" ".join([b"a%d@b%d.c" % (i, i) for i in range(70_000)]),
    "links": lambda: _BODY + b"http://" * 150_000,
    "links between blanks": lambda: _BODY + b"http://a.b/c/d " * 66_000,
    "different links": lambda: _BODY + b" ".join([b"http://%d.a.b.c/d/e/f?%d" % (i, i) for i in range(35_000)]),
    "dots": lambda: _BODY + b"www." * 250_000,
    "colons": lambda: _BODY + b":" * 1_000_000,
    "colons between words": lambda: _BODY + b"a:" * 250_000,
    "short words": lambda: _BODY + b"a " * 500_000,
    "different words": lambda: _BODY + b" ".join([b"%d" % i for i in range(150_000)]),
    "encoded words": lambda: b"Subject: " + b"=?" * 500_000 + b"\n\n",
    "empty encoded words": lambda: b"Subject: " + b"=?a?q??=" * 1_000 + b"\n\n" + b"=?a?q??=" * 60_000,
    "open encoded words": lambda: b"Subject: " + b"=?a?q?" * 1_300 + b"\n\n",
    "headers of open encoded words": lambda: (b"X-A: " + b"=?a?q?" * 1_300 + b"\n") * 500 + b"\n",
    "headers of encoded words": lambda: (b"X-A: " + b"=?gb2312?b?w+K30Q==?= " * 360 + b"\n") * 500 + b"\n",
    "headers of addresses": lambda: (b"X-A: " + b"a@b.c," * 1_300 + b"\n") * 500 + b"\n",
    "headers of received": lambda: (b"Received: " + b"1.2.3.4 a.b.c by " * 480 + b"\n") * 500 + b"\n",
    "parts of long headers": lambda: (
        b"Content-Type: multipart/mixed; boundary=b\n\n"
        + (b"--b\nContent-Type: text/plain; name=" + b"=?a?q?" * 1_300 + b"; a=b" * 100 + b"\n\nx\n") * 200
    ),
    "forwarded long headers": lambda: (
        b"Content-Type: multipart/mixed; boundary=b\n\n"
        + (b"--b\nContent-Type: message/rfc822\n\nSubject: " + b"=?a?q?" * 1_300 + b"\n\nx\n") * 100
    ),
    "millions of headers": lambda: b"a:b\n" * 2_000_000,
    "millions of headers inside": lambda: b"Content-Type: message/rfc822\n\n" + b"a:b\n" * 2_000_000,
    "millions of named headers": lambda: b"fro:b\n" * 1_300_000,
    "a subject of 50 MB": lambda: b"Subject: " + b"a b \xe9" * 10_000_000 + b"\n\nbody",
    **{
        f"parts without a character of {charset}": lambda charset=charset: (
            b"Content-Type: multipart/mixed; boundary=b\n\n"
            + (b"--b\nContent-Type: text/plain; charset=%s\n\n%s\n" % (charset.encode(), b"\x81" * 520_000)) * 15
        )
        for charset in ("cp874", "iso-2022-kr")
    },
    "rules": lambda: _HTML + b"<style>" + b".a{color:#fff}" * 30_000 + b"</style>" + b"<p class=a>x" * 5_000,
    "different rules": lambda: (
        _HTML
        + b"<style>"
        + b"".join([b".a%d{color:#fff}" % i for i in range(12_000)])
        + b"</style>"
        + b"<p class=a1>" * 9_000
    ),
    "classes": lambda: (
        _HTML
        + b"<style>.a,.b,.c{color:red;background:blue;left:0;top:0;width:1px}</style>"
        + b"<p class='a b c a b c a b c a b c a b c a b c a b c'>x" * 9_000
    ),
    "open blocks": lambda: _HTML + b"<style>" + b"a{" * 200_000,
    "open style comments": lambda: _HTML + b"<style>" + b"/*" * 200_000 + b"<style>a{" + b"/*" * 9_000,
    "nested tables of hidden cells": lambda: _HTML + b"<table><td hidden>x" * 25_000 + b"<p>" * 9_000,
    "hidden names": lambda: _HTML + b"<p " + b"hidden " * 70_000 + b">",
    "a large message": lambda: _BODY + b"\xe9 word\r\n" * 2_500_000,
    "question marks": lambda: b"Subject: =?a?q?" + b"?" * 8_000 + b"\n\n",
    "base64": lambda: b"Content-Transfer-Encoding: base64\n\n" + b"@#$ %" * 200_000,
    "base64 with padding": lambda: b"Content-Transfer-Encoding: base64\n\n" + b"QQ==" * 250_000,
    "quoted-printable": lambda: b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=" * 1_000_000,
    "headers": lambda: b"X-A: b\n" * 100_000 + b"\nbody",
    "different headers": lambda: b"".join([b"X-%d: b\n" % i for i in range(100_000)]) + b"\nbody",
    "a long header": lambda: b"Subject: " + b"a b" * 300_000 + b"\n\nbody",
    "a folded header": lambda: b"To: a\n" + b" b@c.d\n" * 140_000 + b"\nbody",
    "a header without an end": lambda: b"X" * 1_000_000,
    "blanks after a name": lambda: b"X" + b" " * 1_000_000,
    "envelopes": lambda: b"From a\n" * 140_000,
    "parameters": lambda: b"Content-Type: text/plain" + b"; a=b" * 200_000 + b"\n\nbody",
    "blank parameters": lambda: b"Content-Type: text/plain" + b"; " * 400_000 + b"\n\nbody",
    "numbered parameters": lambda: b"Content-Type: a/b" + b";name*0*='';name*1=x" * 400 + b"\n\nbody",
    "parts": lambda: b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 100_000,
    "parts of a longer boundary": lambda: b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--bb\n\nx\n" * 100_000,
    "nested multiparts": lambda: _nested_multiparts(1_000),
    "one boundary for all": lambda: b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 20_000,
    "nested messages": lambda: b"Content-Type: message/rfc822\n\n" * 1_000 + b"Subject: inside\n\nbody",
    "an empty boundary": lambda: b'Content-Type: multipart/mixed; boundary=""\n\n' + b"--\nx\n" * 100_000,
    "uuencoded": lambda: _BODY + b"begin 644 a\n" * 80_000,
    "uuencoded lines": lambda: _BODY + b"begin 644 a\n" + b"M" * 61 + b"\n" * 400_000,
    "a charset of a megabyte": lambda: _charset(b"a" * 1_000_000),
    **{f"the charset {name}": lambda name=name: _charset(name) for name in [b"zip", b"rot13", b"idna", b"undefined"]},
    **{
        f"a charset {name}": lambda name=name: _charset(name)
        for name in [b"hex", b"punycode", b"mbcs", b"utf-7", b"\xff"]
    },
    "NUL": lambda: b"\0" * 1_000_000,
    "line ends": lambda: _BODY + b"\r" * 1_000_000,
    "8-bit garbage": lambda: bytes(range(256)) * 4_000,
}
