"""What a message is called in lists."""

import pytest

from textnb.text.mail.title import LONGEST_TITLE, title_of


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("Subject: lunch\nFrom: Ann <a@example.org>\n\nat noon\n", "lunch - Ann <a@example.org>"),
        ("Return-Path: <x@y>\nFrom: a@example.org\nSubject: =?utf-8?b?Y2Fmw6k=?=\n\n", "café - a@example.org"),
        ("From a Mon\r\nSubject: two\r\n lines\r\nFrom: =?latin1?q?J=F6?= <j@x>\r\n\r\n", "two lines - Jö <j@x>"),
        ("Subject: lunch\n\nat noon\n", "lunch"),
        ("Subject:\nFrom: a@example.org\n\nat noon\n", "a@example.org"),
        ("To: us\n\nSubject: no header\n", "To: us Subject: no header"),
        ("at noon,\n  then", "at noon, then"),
        ("", ""),
        (f"Subject: {'a' * 9999}\n\n", "a" * LONGEST_TITLE),
        ("Subject: caf\udce9\n\n", "café"),
    ],
)  # fmt: skip
def test_it_is_the_subject_and_the_sender_or_how_it_begins(message, title):
    assert title_of(message) == title
