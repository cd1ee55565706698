"""Fuzz the reading of mail: no bytes may raise, take over a second or over 200 MB, or break the contract of terms.

    python benchmarks/fuzz_mail.py [--seconds 600] [--corpus FOLDER] [--found FOLDER]

Needs atheris (the `dev` extra). It starts from the messages below and from those in the first folder, which is only
read. An input that fails is written to the second (default: the current one), and the exit code is not 0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

SECONDS_PER_MESSAGE = 1
MEGABYTES = 200
LONGEST_MESSAGE = 1 << 16
LONGEST_TERM = 64

SEEDS = [
    b"Subject: hello\nFrom: A B <a@b.example>\nTo: c@d.example, e@f.example\n\n"
    b"See http://www.g.example:80/h?i=%6a now!!",
    b"Subject: =?utf-8?q?caf=C3=A9?= =?gb2312?B?w+K30Q==?=\nX-Mailer: M 1.0\n\nd\xe9j\xe0 vu \xc3\xa9\n",
    b"Content-Type: text/html; charset=iso-8859-1\n\n<body bgcolor=#ffffff><p>Buy<!-- x --> n<b>o</b>w &eacute;&#65;"
    b'<font color="white" style="font-size:1px">decoy</font><a href="mailto:a@b.example?c">x</a><img alt=\'y\' src=z>',
    b'Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain\n\nplain\n--b\n'
    b"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>ht=\nml=20=E9\n--b--\n",
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: message/rfc822\n\n"
    b"Subject: inner\n\nbody\n--b\nContent-Type: application/zip; name*0*=utf-8''a%20; name*1=b.exe\n"
    b"Content-Transfer-Encoding: base64\n\nUEsDBA==\n",
    b"Content-Type: text/plain; charset=iso-2022-jp\nContent-Transfer-Encoding: base64\n\nGyRCJDMkbBsoQg==\nA list\n",
    b"Received: from a.example (b [192.0.2.1]) by c.example with ESMTP id d\n\tfor <e@f.example>; Mon, 7 Oct 2002\n"
    b"Message-ID: <1@a.example>\nReferences: <2@b.example>\nDate: Mon, 7 Oct 2002 12:00:00 +0100\nStatus: RO\n\n"
    b"begin 644 f\n#0V%T\n`\nend\n",
    b"From a Mon\n>From b\nSubject : x\r\n\tfolded\r\n\r\n\0\xff\xfeV\xe2\x80\x8bi\xc2\xadagra p\xd0\xb0ypal\r",
    "\n漢字漢字 ราคาถูก ｆｒｅｅ ⓕⓡⓔⓔ e\u0301\u0323 ﷺ\u3164".encode(),
]


def check(data: bytes) -> None:
    """Read a message with every preset, and hold its terms to what they promise."""
    from textnb.text.mail import PRESETS, as_message, render

    message = as_message(data)
    for preset in PRESETS:
        rendered = render(message, preset)
        rendered.encode("utf-8")
        for term in rendered.replace("\n", " ").split(" ") if rendered else []:
            assert 0 < len(term) <= LONGEST_TERM, f"a term of {len(term)} characters"
            assert len(term.split()) == 1, f"white space in {term!r}"
            assert preset != "body" or not "A" <= term[0] <= "Z", f"{term!r} in a body"


def fuzz(seconds: int, corpus: Path | None, found: Path, work: Path) -> None:
    """Run the fuzzer, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["textnb.text.mail"]):
        import textnb.text.mail  # noqa: F401
    for number, seed in enumerate(SEEDS):
        (work / f"seed-{number}").write_bytes(seed)
    folders = [str(work)] + ([str(corpus)] if corpus else [])
    limits = [
        f"-max_total_time={seconds}",
        f"-timeout={SECONDS_PER_MESSAGE}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST_MESSAGE}",
        f"-artifact_prefix={found}/",
    ]
    atheris.Setup([sys.argv[0], *limits, *folders], check)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--corpus", type=Path, help="a folder of messages to start from")
    parser.add_argument("--found", type=Path, default=Path(), help="where inputs that fail are written")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fuzz(arguments.seconds, arguments.corpus, arguments.found, Path(folder))


if __name__ == "__main__":
    main()
