"""Splitting mailboxes: what was joined comes apart again, and nothing else does."""

import io
import mailbox
import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mail_samples import FROM_LINE, mboxrd, message

from textnb.corpora import mbox
from textnb.corpora.mbox import Mbox, is_mbox, message_in


def split(content: bytes) -> list[bytes | None]:
    return [entry and message_in(entry) for entry in Mbox(io.BytesIO(content))]


LINES = st.sampled_from(
    [
        b"",
        b"hello",
        b"From ",
        b"From me",
        b">From me",
        b">>From ",
        FROM_LINE[:-1],
        b"Subject: x",
        b"\r",
        b"\xff\x00 From ",
    ]
)


@given(st.lists(st.lists(LINES, max_size=8), min_size=1, max_size=4), st.sampled_from([1, 7, 4096, 1 << 20]))
def test_what_was_joined_comes_apart(bodies, block):
    contents = [b"Subject: %d\n\n" % i + b"".join(line + b"\n" for line in lines) for i, lines in enumerate(bodies)]
    with patch.object(mbox, "BLOCK", block):
        assert split(mboxrd(contents)) == contents


@given(st.binary(max_size=300), st.integers(1, 50))
def test_no_byte_of_any_file_is_lost(content, block):
    with patch.object(mbox, "BLOCK", block):
        assert b"".join(Mbox(io.BytesIO(content))) == content


@pytest.mark.parametrize(
    "line",
    [
        b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
        b"From - Sat Jan 01 00:00:00 2000",
        b"From 1234567@xxx Mon Apr 01 12:00:00 +0000 2019",
        b"From alice at example.org  Mon Jan  5 10:00:00 2004",
        b"From a@example.org Wed, 3 Feb 2010 9:15 -0800",
        b"From a@example.org Wed Feb  3 09:15:00 PST 2010 remote from host",
    ],
)
def test_lines_that_programs_write_between_messages_are_known(line):
    for end in (b"\n", b"\r\n"):
        content = (line + b"\n" + message() + b"\n" + line + b"\n" + message(number=2)).replace(b"\n", end)
        assert split(content) == [message().replace(b"\n", end), message(number=2).replace(b"\n", end)]


@pytest.mark.parametrize(
    ("inside", "is_noted"),
    [
        (b"\n\nFrom here on it rains\nevery day\n", True),
        (b"\n\nFrom May 2003, 10:00 on\nit rains\n", True),
        (b"\nFrom Monday on it rains\nevery day\n", True),
        (b"\r\nFrom Monday on it rains\r\nevery day\n", True),
        (b"From here on it rains\nevery day\n", False),
        (b"From a@example.org Thu Jan  5 10:00:00 2023\nwithout a header line\n", False),
        (b"\n\nFrom a@example.org\nSubject: no date\n", True),
        (b"\n\n>From a@example.org Thu Jan  5 10:00:00 2023\nSubject: escaped\n", False),
    ],
)
def test_other_lines_that_begin_with_from_are_text(inside, is_noted):
    reader = Mbox(io.BytesIO(FROM_LINE + message() + inside))
    assert len(list(reader)) == 1
    assert reader.has_unrecognised is is_noted


@pytest.mark.parametrize("block", [1, 100, 1 << 20])
@pytest.mark.parametrize(
    "second",
    [
        b"\nwithout a header\n",
        b"  folded\nSubject: lunch\n\nnoon\n",
        b"hello\n",
        b"Caf\xe9: x\n\nnoon\n",
        b"From\n\nnoon\n",
        b"x" * 250 + b": long\n",
        b"",
    ],
)
def test_what_follows_a_dated_line_after_a_blank_one_is_a_message_of_its_own(second, block):
    contents = [message(), second, message(number=3)]
    for end in (b"\n", b"\r\n"):
        expected = [content.replace(b"\n", end) for content in contents]
        for before in (b"", b"\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"):
            joined = mboxrd(contents).replace(b"\n", end)
            reader = Mbox(io.BytesIO(before + joined))
            with patch.object(mbox, "BLOCK", block):
                assert [message_in(entry) for entry in reader if entry] == expected
            assert not reader.has_unrecognised
            assert split(before + mboxrd([second, message()]).replace(b"\n", end)) == [
                expected[1],
                message().replace(b"\n", end),
            ]
            assert is_mbox(before + FROM_LINE + second)


def test_a_mailbox_has_the_messages_that_the_standard_library_finds(tmp_path):
    bodies = [b"\nno header\n", b" folded\n\nx\n", message(), b"\n", message(number=2)]
    (tmp_path / "a.mbox").write_bytes(mboxrd(bodies))
    assert len(split(mboxrd(bodies))) == len(mailbox.mbox(tmp_path / "a.mbox")) == 5


def test_blank_lines_between_messages_may_be_missing():
    entries = [FROM_LINE + message(f"body {number}\n", number=number) for number in range(3)]
    assert list(Mbox(io.BytesIO(b"".join(entries)))) == entries


def test_a_message_that_is_too_large_is_none_and_the_next_one_is_read():
    contents = [message(number=1), message("x" * 5000, number=2) + b"\n", message(number=3)]
    with patch.object(mbox, "BLOCK", 100), patch.object(mbox, "MAX_MESSAGE", 4500):
        assert split(mboxrd(contents)) == [contents[0], None, contents[2]]


def test_memory_is_bounded_however_long_the_file():
    class Endless(io.RawIOBase):
        left = 300

        def read(self, size=-1):
            self.left -= 1
            return b"x" * size if self.left > 0 else b""

    with patch.object(mbox, "BLOCK", 1 << 16), patch.object(mbox, "MAX_MESSAGE", 1 << 18):
        tracemalloc.start()
        entries = list(Mbox(Endless()))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert entries == [None]
    assert peak < 3 << 20


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (FROM_LINE + message(), True),
        (b"\r\n\n" + FROM_LINE + message(), True),
        (b"From here on\nit rains\n", False),
        (message(), False),
        (b"From", False),
        (b"", False),
    ],
)
def test_a_mailbox_begins_with_its_line_and_a_header(start, expected):
    assert is_mbox(start) is expected
