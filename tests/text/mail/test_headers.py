"""Headers as terms: people, programs, ways, counts, and what a preset leaves out."""

import pytest

from textnb.text.mail import render
from textnb.text.mail.encoded_words import header_text, parameters

MESSAGE = """\
Return-Path: <bounce@lists.example.net>
Delivered-To: me@collector.example
Received: from mail.sender.example (relay.sender.example [192.0.2.17])
\tby mx.collector.example (Postfix) with ESMTP id 4F2A1
\tfor <me@collector.example>; Mon, 7 Oct 2002 12:00:00 +0100
Received: from localhost by mail.sender.example; Mon, 7 Oct 2002 11:59:00 +0100
From: "Jane Q. Doe" <jane.doe@sender.example>
Reply-To: offers@deals.example
To: Me Myself <me@collector.example>, you@collector.example
Subject: FREE Money!! Really
Date: Mon, 7 Oct 2002 11:58:00 -0700 (PDT)
Message-ID: <123@sender.example>
X-Mailer: The Bat! (v1.61) Personal
X-Mailing-List: deals@lists.example.net
X-Textnb: ham; 0.001; score -7
Status: RO
MIME-Version: 1.0

Hello
"""


def header_terms(message, preset="all"):
    return {term for term in render(message, preset).split() if term[0].isupper()}


def test_all_headers_are_used():
    assert {
        "From:Jane",
        "From:Doe",
        "From:user:jane.doe",
        "From:@sender.example",
        "From:@example",
        "Reply-to:@deals.example",
        "To:Myself",
        "To:user:me",
        "To:@collector.example",
        "Recipients:2",
        "Date:-0700",
        "Message-id:@sender.example",
        "X-mailer:The_Bat!_(v1.61)_Personal",
        "X-mailer:Bat",
        "Other:x-mailing-list:deals@lists.example.net",
        "Received:192.0.2",
        "Received:relay.sender.example",
        "Received:by:ESMTP",
        "Header:received:2",
        "Header:x-mailer:1",
        "Return-path:@lists.example.net",
        "Mime-version:1.0",
        "Missing:cc",
        "Missing:content-type",
    } <= header_terms(MESSAGE)


def test_the_subject_has_its_capitals_and_is_content():
    assert {"subject:FREE", "subject:Money", "subject:Money!!", "free", "money"} <= set(render(MESSAGE).split())


def test_what_betrays_the_source_can_be_left_out():
    terms = header_terms(MESSAGE, "no-source")
    assert {"From:@sender.example", "X-mailer:Bat", "Recipients:2", "To:user:me", "Missing:cc"} <= terms
    betraying = ("Received", "Date", "Message-id", "Return-path", "Other:", "To:@", "Missing:date")
    assert [term for term in terms if term.startswith(betraying)] == []
    names = {term.split(":")[1] for term in terms if term.startswith("Header:")}
    assert names == {"from", "reply-to", "to", "subject", "x-mailer", "mime-version"}


def test_the_body_alone_has_no_terms_of_headers():
    assert header_terms(MESSAGE, "body") == set()
    assert "hello" in render(MESSAGE, "body").split()


def test_what_mailboxes_and_filters_add_is_never_read():
    without = "".join([line for line in MESSAGE.splitlines(True) if not line.startswith(("X-Textnb", "Status"))])
    assert render(MESSAGE) == render(without)


def test_the_subject_is_read_as_text_too():
    assert "free money really" in render(MESSAGE).split("\n")


def test_unknown_presets_are_refused():
    with pytest.raises(ValueError, match="not a preset for mail: 'some'; use one of all, no-source, body"):
        render(MESSAGE, "some")


@pytest.mark.parametrize(
    ("subject", "flag"),
    [
        ("BUY CHEAP PILLS NOW", "flag:subject-shouting"),
        ("", "flag:subject-empty"),
        ("d\udce9j\udce0 vu", "flag:subject-8bit"),
        ("hello            xqzt", "flag:subject-gap"),
        ("V\u200biagra", "flag:zero-width"),
    ],
)
def test_odd_subjects_are_flagged(subject, flag):
    assert flag in render(f"Subject: {subject}\n\nbody").split()


def test_too_many_headers_are_flagged():
    assert "Flag:too-many-headers" in header_terms("X-A: b\n" * 1000 + "\nbody")
    assert "Flag:too-many-headers" in header_terms(f"X-A: {'b ' * 2000}\n" * 100 + "\nbody")
    assert "Flag:too-long-header" in header_terms(f"Subject: {'b ' * 5000}\n\nbody")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("=?iso-8859-1?Q?d=E9j=E0_vu?=", "déjà vu"),
        ("=?utf-8?b?ZMOpasOg?= vu", "déjà vu"),
        ("=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
        ("=?gb2312?B?w+K30Q==?=", "免费"),
        ("=?utf-8*en?q?caf=C3=A9?=", "café"),
        ("=?utf-8?q?with blanks = and =zz?=", "with blanks = and =zz"),
        ("=?iso-8859-1?q?no end", "no end"),
        ("=?utf-8?b?!!!?=", ""),
        ("=?unheard-of?q?d=E9j=E0?=", "déjà"),
        ("=?utf-8?x?unknown?=", "=?utf-8?x?unknown?="),
        ("caf\udce9 cr\udce8me", "café crème"),
        ("tab\tand\x00nul", "tab and nul"),
    ],
)
def test_header_values_are_decoded(value, text):
    assert header_text(value) == text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('a/b; name="x y.doc"; charset=utf-8', {"name": "x y.doc", "charset": "utf-8"}),
        ("a/b; name*=utf-8'en'na%C3%AFve.doc", {"name": "naïve.doc"}),
        ("a/b; name*0=one; name*1*=''%20two; name*2=.doc", {"name": "one two.doc"}),
        ("a/b; boundary=a=b; boundary=c", {"boundary": "a=b"}),
        ('a/b; name="no end', {"name": "no end"}),
    ],
)
def test_parameters_are_read(value, found):
    assert parameters(value) == found
