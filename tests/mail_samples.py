"""Messages and mailboxes for tests, written for them."""

import random
import re
from pathlib import Path

WORDS = {
    "ham": ["lunch", "meeting", "minutes", "report", "project", "thanks", "dinner", "tomorrow", "agenda", "notes"],
    "spam": ["cheap", "pills", "free", "prize", "claim", "cash", "winner", "offer", "click", "viagra"],
}
FROM_LINE = b"From sender@example.org Thu Jan  5 10:00:00 2023\n"


def message(body: str = "Lunch at noon?\n", subject: str = "Lunch", number: int = 1, more: str = "") -> bytes:
    """A message as a server delivers it."""
    return (
        f"Return-Path: <sender{number}@example.org>\n"
        f"Received: from mail.example.org by mx.example.com; Thu, 5 Jan 2023 10:00:{number % 60:02} +0000\n"
        f"From: Sender <sender{number}@example.org>\nTo: reader@example.com\nSubject: {subject}\n"
        f"Message-ID: <{number}@example.org>\n{more}\n{body}"
    ).encode("utf-8", "surrogateescape")


def messages(label: str, n: int = 12) -> list[bytes]:
    """Messages of a class, all different."""
    choose, first = random.Random(label), 1000 * list(WORDS).index(label)
    return [
        message(f"{' '.join(choose.choices(WORDS[label], k=8))}\n", f"{choose.choice(WORDS[label])} {i}", first + i)
        for i in range(n)
    ]


def mboxrd(contents: list[bytes]) -> bytes:
    """A mailbox of messages, which each end in a line end."""
    return b"".join(FROM_LINE + re.sub(rb"(?m)^(>*From )", rb">\1", content) + b"\n" for content in contents)


def write_maildir(folder: Path, contents: list[bytes], flags: str = ":2,S") -> Path:
    """A maildir, its messages by turns in `new` and in `cur`."""
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "tmp" / "99.half-written.host").write_bytes(b"not delivered")
    (folder / "dovecot-uidlist").write_bytes(b"3 V1 N2\n")
    for i, content in enumerate(contents):
        (folder / ("cur" if i % 2 else "new") / f"{1000 + i}.M{i}.host{flags if i % 2 else ''}").write_bytes(content)
    return folder


def write_folder(folder: Path, contents: list[bytes]) -> Path:
    folder.mkdir(parents=True)
    for i, content in enumerate(contents):
        (folder / f"{i:03}").write_bytes(content)
    return folder
