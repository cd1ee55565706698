"""The header X-Textnb: one of it, on top, and every other byte of the message as it was."""

import re
from email import message_from_bytes
from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textnb.workflow.tagging import tagged

VALUE = "spam; 0.998; score 6.2"
ADDED = b"X-Textnb: spam; 0.998; score 6.2"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"Subject: a\n\nbody\n", ADDED + b"\nSubject: a\n\nbody\n"),
        (b"Subject: a\r\n\r\nbody\r\n", ADDED + b"\r\nSubject: a\r\n\r\nbody\r\n"),
        (b"From a@b Mon\nSubject: a\n\nbody", b"From a@b Mon\n" + ADDED + b"\nSubject: a\n\nbody"),
        (b"From a@b Mon\r\nSubject: a\r\n\r\n", b"From a@b Mon\r\n" + ADDED + b"\r\nSubject: a\r\n\r\n"),
        (b"From a@b Mon\nSubject: a\r\n\r\n", b"From a@b Mon\n" + ADDED + b"\r\nSubject: a\r\n\r\n"),
        (b">From a@b Mon\nSubject: a\n\n", ADDED + b"\n>From a@b Mon\nSubject: a\n\n"),
        (b"\xef\xbb\xbfSubject: a\n\n", ADDED + b"\n\xef\xbb\xbfSubject: a\n\n"),
        (b"Subject: no blank line", ADDED + b"\nSubject: no blank line"),
        (b"Subject: no blank line\r\n", ADDED + b"\r\nSubject: no blank line\r\n"),
        (b"\nbody alone\n", ADDED + b"\n\nbody alone\n"),
        (b"\r\nbody alone\r\n", ADDED + b"\r\n\r\nbody alone\r\n"),
        (b"no header at all\n", ADDED + b"\n\nno header at all\n"),
        (b"no header, no line end", ADDED + b"\n\nno header, no line end"),
        (b" begins as a continuation\n", ADDED + b"\n\n begins as a continuation\n"),
        (b"no header\nX-Textnb: of the body\n", ADDED + b"\n\nno header\nX-Textnb: of the body\n"),
        (b"From a@b Mon", ADDED + b"\n\nFrom a@b Mon"),
        (b"From a@b Mon\n", b"From a@b Mon\n" + ADDED + b"\n\n"),
    ],
)
def test_it_goes_to_the_top_of_the_header_with_the_line_ends_of_the_message(message, expected):
    assert tagged(message, VALUE) == expected


@pytest.mark.parametrize(
    "forged",
    [
        b"X-Textnb: ham\n",
        b"x-textnb:ham\n",
        b"X-TEXTNB : ham\r\n",
        b"X-Textnb\t:\n ham\n\tand more\n",
        b"X-Textnb: ham\nX-textnb: ham\n",
        b"X-Textnb:\n \n",
    ],
)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_forged_headers_are_removed_with_their_continuations(forged, place):
    first = {"first": forged, "middle": b"Subject: a\n", "last": b"Subject: a\nTo: b\n"}[place]
    second = {"first": b"Subject: a\nTo: b\n", "middle": forged + b"To: b\n", "last": forged}[place]
    message = first + second + b"\nX-Textnb: of the body\n"
    assert tagged(message, VALUE) == ADDED + b"\nSubject: a\nTo: b\n\nX-Textnb: of the body\n"


def test_one_that_ends_the_message_is_removed_too():
    assert tagged(b"Subject: a\nX-Textnb: ham", VALUE) == ADDED + b"\nSubject: a\n"
    assert tagged(b"X-Textnb: ham\n\nbody", VALUE) == ADDED + b"\n\nbody"
    assert tagged(b"X-Textnb: ham", VALUE) == ADDED + b"\n"


def test_names_like_it_and_other_values_stay():
    message = b"X-Textnb-Old: 1\nNot-X-Textnb: 2\nSubject: X-Textnb: 3\n X-Textnb: 4\nX-Textnb 5\n\n"
    assert tagged(message, VALUE) == ADDED + b"\n" + message


def test_a_header_after_a_lone_carriage_return_is_one_for_some_readers():
    assert tagged(b"Subject: a\rX-Textnb: ham\nTo: b\n\n", VALUE) == ADDED + b"\nSubject: a\nTo: b\n\n"
    assert tagged(b"Subject: a\rX-Textnb: ham\rTo: b\n\n", VALUE) == ADDED + b"\nSubject: a\rTo: b\n\n"
    assert tagged(b"Subject: a\rX-Textnb: ham\n x\r\nTo: b\n\n", VALUE) == ADDED + b"\r\nSubject: a\r\nTo: b\n\n"
    body = b"Subject: a\r\rX-Textnb: of the body\nTo: b\n\n"
    assert tagged(body, VALUE) == ADDED + b"\n" + body


def test_the_blank_line_stays_where_it_is():
    """Removed with the carriage return before it, a forged header let the body into the header."""
    body = b"\n\nX-Textnb: ham\nList-Id: injected\n\nbuy now\n"
    assert tagged(b"Subject: a\rX-Textnb: x" + body, VALUE) == ADDED + b"\nSubject: a" + body
    message = b"From: x\r\r\nX-Textnb: ham\r\r\nSubject: y\r\r\n\r\r\nbody"
    assert tagged(message, VALUE) == ADDED + b"\r\n" + message.replace(b"X-Textnb: ham\r\r\n", b"")


def test_it_goes_after_the_lines_of_mailboxes():
    message = b"From a@b Mon\nFrom c@d Tue\n>From e@f\nSubject: a\nX-Textnb: ham\n\nbody"
    mailbox, rest = message[: message.index(b">From")], b"\n>From e@f\nSubject: a\n\nbody"
    assert tagged(message, VALUE) == mailbox + ADDED + rest


def test_a_value_is_ascii():
    assert tagged(b"\n", "caf\xe9 \u2026; 0.5").startswith(b"X-Textnb: caf\\xe9 \\u2026; 0.5\n")


def test_what_is_tagged_again_has_the_newer_tag():
    once = tagged(b"Subject: a\n\nbody", "ham; 0.001; score -8.0")
    assert tagged(once, VALUE) == tagged(b"Subject: a\n\nbody", VALUE)


PIECES = ["\n", "\r\n", "\r", " ", "\t", ":", "Subject: a", "X-Textnb: x", "x-TEXTNB", "From ", ">From ", "\xff", "\0"]
pieces = st.sampled_from([piece.encode("latin-1") for piece in PIECES])


@given(st.lists(pieces, max_size=14).map(b"".join))
@example(b"From \r\r\n")  # the header was put after a line that is blank for some
def test_readers_find_one_header_and_the_body_is_untouched(message):
    found = tagged(message, VALUE)
    assert message_from_bytes(found).get_all("X-Textnb") == [VALUE]
    header, _, body = found.partition(ADDED)
    own = re.split(rb"(?<=\n)(?=\r?\n)", message[len(header) :], maxsplit=1)
    assert body.endswith(own[-1] if len(own) == 2 else b"")
    assert header == b"" or header.startswith(b"From ")
    assert all(line.startswith(b"From ") for line in header.splitlines())


@pytest.mark.parametrize(
    "message",
    [
        b"Subject: a\n" + b"X-Textnb: a\n" * 100_000 + b"X-Y: z\n" * 100_000,
        b"X-Textnb:" + b" \n" * 1_000_000,
        b"a" * 5_000_000,
        b"A: " + b"\r" * 2_000_000,
        b"A: b\n\n" + b"body \r\n" * 7_000_000,
    ],
    ids=["forged", "continued", "a word", "carriage returns", "50 MB"],
)
def test_large_messages_take_little_time(message):
    """Repetitions that may be given back took 15 s for the second."""
    start = perf_counter()
    assert tagged(message, VALUE).startswith(ADDED)
    assert perf_counter() - start < 2
