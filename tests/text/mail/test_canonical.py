"""Copies of a message that mailboxes and clients have kept are the same document."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mail_samples import FROM_LINE, message

from textnb.text.mail import PRESETS, as_message, render
from textnb.text.mail.canonical import BOOKKEEPING, canonical
from textnb.text.mail.headers import header_terms

MESSAGE = as_message(message())


def test_a_message_stays_as_it_is():
    assert canonical(MESSAGE) == MESSAGE


@pytest.mark.parametrize(
    "header",
    [
        "Status: RO",
        "X-Status: A",
        "x-keywords:   $Label1\n\t$Label2",
        "X-UID: 17",
        "X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00800000\nX-Mozilla-Keys: junk",
        "Content-Length: 4711\nLines: 12",
        "X-Evolution: 0000001f-0010",
        "X-Textnb: spam; 0.998; score 6.2",
        "X-Textnb : spam\n more of it",
    ],
)
def test_what_clients_and_filters_note_in_a_header_is_left_out(header):
    first, rest = MESSAGE.split("\n", 1)
    for copy in (f"{header}\n{MESSAGE}", f"{first}\n{header}\n{rest}", MESSAGE.replace("\n\n", f"\n{header}\n\n", 1)):
        assert canonical(copy) == MESSAGE


def test_lines_that_are_no_headers_hide_none():
    text = "Subject: a\nno header\nTo: b\n\nStatus: of the body\n"
    assert canonical(text.replace("To: b\n", "To: b\nStatus: RO\n")) == canonical(text) == text


def test_other_headers_and_the_body_are_not_touched():
    text = "X-Statusbar: on\nSubject: a\n Status: folded\nMy-Status: ok\n\nStatus: RO\n\nX-UID: 1\n"
    assert canonical(text) == text


@pytest.mark.parametrize(
    "lines", [FROM_LINE.decode(), f"{FROM_LINE.decode()}>From other@example.org Mon\n", "\n\nFrom x\n"]
)
def test_the_line_of_a_mailbox_is_left_out(lines):
    assert canonical(lines + MESSAGE) == MESSAGE


def test_a_text_that_begins_with_from_keeps_its_line():
    assert canonical("From here on\nit rains\n") == "From here on\nit rains\n"


def test_line_ends_do_not_matter():
    assert canonical(MESSAGE.replace("\n", "\r\n")) == MESSAGE
    assert canonical(f"{MESSAGE}\n\n") == MESSAGE
    assert canonical(MESSAGE.rstrip("\n")) == MESSAGE


def test_a_byte_order_mark_before_the_first_header_is_left_out():
    assert canonical(f"\ufeff{MESSAGE}") == canonical(f"\ufeff{FROM_LINE.decode()}{MESSAGE}") == MESSAGE
    assert canonical("\ufeffno header\n") == "\ufeffno header\n"


def test_lines_that_a_mailbox_has_escaped_lose_one_sign():
    escaped = "Subject: a\n\n>From here\n>>From there\nin >From it\n"
    plain = "Subject: a\n\nFrom here\n>From there\nin >From it\n"
    assert canonical(f"From x\n{escaped}") == plain


def test_lines_that_no_mailbox_has_escaped_stay():
    text = "Subject: a\n\n>From here\n>>From there\n"
    assert canonical(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Status: RO",
        "Status: RO\n",
        "no header",
        "Status:\n\nStatus:\n",
        "Status: a\nFrom b\nSubject: c\n\n>>From d\n",
        "From a\nStatus: b\n>From c\nSubject: d\n>>From e\nStatus: f\n",
        "Status: a\n\n\nFrom b\nSubject: c\n",
        "From a\n\u017ftatus: b\nSubject: c\n",
    ],
)
def test_what_is_hardly_a_message_is_no_problem(text):
    assert canonical(canonical(text)) == canonical(text)


HEADERS = ("Subject: a", "Status: b", "x-textnb :", "Lines: 3", "X-Mozilla-Keys:", "Content-Type: text/html")
LINES = ("From a Mon", ">From b", ">>From c", " folded", "", "text", "<i", "\ufeff", "\udcff", "\0", "\u017ftatus: x")
PIECES = st.sampled_from((*HEADERS, *LINES, ":", "\r"))
COPIES = st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\n", "\r\n", ""])), max_size=12).map(
    lambda pieces: "".join(piece + end for piece, end in pieces)
)


@given(COPIES | st.text(st.sampled_from("aS:tus \n\r\tFrom>"), max_size=60))
def test_the_canonical_form_is_its_own(text):
    once = canonical(text)
    assert canonical(once) == once


@given(COPIES, st.sampled_from(sorted(PRESETS)))
def test_a_message_has_the_terms_of_its_canonical_form(text, preset):
    assert render(text, preset) == render(canonical(text), preset)


def test_headers_that_are_left_out_have_no_terms():
    headers = [(name, "x") for name in (*BOOKKEEPING, "x-mozilla-status2")]
    assert header_terms(headers, {}, True) == header_terms([], {}, True)


@pytest.mark.parametrize(
    "text",
    [
        "\r\n" + "\r" * 300_000 + "x",
        "\n" * 300_000 + "x",
        "From x\n" * 50_000,
        "Status: x\n" + " y\n" * 100_000,
        "a" * 300_000,
        "From x\nSubject: y\n\n" + ">" * 300_000,
        "From x\nSubject: y\n" + ">From z\n" * 50_000,
        "\ufeff" * 300_000,
        "Subject: y\n" + "Status:\n" * 50_000,
    ],
    ids=["line ends", "blank lines", "lines of mailboxes", "folded", "no line", "signs", "escaped", "marks", "headers"],
)
def test_long_runs_take_no_time(text):
    start = time.process_time()
    canonical(text)
    assert time.process_time() - start < 1
