"""A message as lines of terms: the contract of terms, the parts of a message, and what is displayed of them."""

import base64
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.mail import PRESETS, as_message, render

PIECES = [
    b"Subject: ",
    b"From: a@b.c\n",
    b"Content-Type: text/html; charset=utf-8\n",
    b"Content-Type: multipart/alternative; boundary=b\n",
    b"Content-Type: message/rfc822\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Disposition: attachment; filename*=utf-8''%C3%A9.exe\n",
    b"Received: from a.b (c [1.2.3.4]) by d with e id f for <g@h>; now\n",
    b"X-Odd: Header:subject:1 Subject:Free\n",
    b"=?utf-8?q?caf=C3=A9?=",
    b"--b\n",
    b"--b--\n",
    b"<font color=white>",
    b"</font>",
    b"<a href='http://u@1.2.3.4:80/%41'>",
    b"http://Example.com/Path a@b.c Subject:Free Header:x:1",
    "\u3164\u200b漢字 ﷺ\u0301\x85".encode(),
    b"\n",
    b"\r\n",
    b"\0\xff\xfe",
    b"\xed\xa0\x80",
]
TAGS = set(
    "addr alt attached charset disposition encoding file flag hidden parts shout size skip subject tag type url".split()  # noqa: SIM905
)
MESSAGES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=25).map(b"".join)


def content(message, preset="all"):
    return [term for term in render(as_message(message), preset).split() if not term[0].isupper()]


def multipart(kind, *parts):
    inner = "".join([f"--b\n{part}\n" for part in parts])
    return f"Subject: hi\nContent-Type: multipart/{kind}; boundary=b\n\n{inner}--b--\n"


def html(text):
    return f"Content-Type: text/html\n\n{text}"


def plain(text):
    return f"Content-Type: text/plain\n\n{text}"


@given(MESSAGES, st.sampled_from(list(PRESETS)))
def test_any_bytes_obey_the_contract_of_terms(message, preset):
    rendered = render(as_message(message), preset)
    rendered.encode("utf-8")
    terms = [term for line in rendered.split("\n") for term in line.split(" ")] if rendered else []
    assert [term for term in terms if not term or len(term) > 64] == []
    assert [term for term in terms if any(c.isspace() or unicodedata.category(c) == "Cc" for c in term)] == []
    headers = [term for term in terms if "A" <= term[0] <= "Z"]
    assert [term for term in headers if ":" not in term] == []
    tagged = [term for term in terms if ":" in term and term not in headers]
    assert {term.partition(":")[0] for term in tagged} <= TAGS
    if preset == "body":
        assert headers == []


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_is_a_message(text):
    render(text).encode("utf-8")
    render("Subject: " + text)


@given(st.binary(max_size=60))
def test_a_message_gives_its_bytes_back(data):
    assert as_message(data).encode("utf-8", "surrogateescape") == data


def test_nothing_in_a_body_passes_for_a_header():
    ordinary = set(render("X-A: b\n\n").split())
    forged = render(
        "X-A: b\n\nSubject:Free From:@example.com HEADER:received:3 url:com flag:hidden hidden:x subject:Free\n"
    ).split()
    assert {term for term in forged if term[0].isupper()} <= ordinary
    assert not {"url:com", "flag:hidden", "hidden:x", "subject:Free"} & set(forged)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(ending):
    message = multipart("mixed", plain("one two"), plain("three"))
    assert render(message.replace("\n", ending)) == render(message)


@pytest.mark.parametrize(
    "body",
    [
        "Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"cheap pills").decode(),
        "Content-Transfer-Encoding: BASE64 \n\n" + "Y2hl!!YXAg\n*cGlsbHM",
        "Content-Transfer-Encoding: base64\n\nY2hlYXA=IHBpbGxz",
        "Content-Transfer-Encoding: base64 (x)\n\nY2hlYXA=IHBpbGxz",
        "Content-Transfer-Encoding: (x) base64; y\n\nY2hlYXA=IHBpbGxz",
        "Content-Transfer-Encoding: base64\n\nY2hlYXAgcGlsbHMuIEdvb2QgZm9yIHlvdS4=\n\nA list footer\n",
        "Content-Transfer-Encoding: quoted-printable\n\nche=\nap p=69lls =zz =",
        "Content-Type: text/html\n\n<p>ch<b></b>eap <!-- -->p&#105;lls",
        "Content-Type: text/html; charset=utf-16\nContent-Transfer-Encoding: base64\n\n"
        + base64.b64encode("cheap pills".encode("utf-16")).decode(),
        "Content-Type: nonsense\n\ncheap pills",
        "Content-Type: multipart/mixed\n\ncheap pills",
        "Content-Type: multipart/mixed; boundary=absent\n\ncheap pills",
        "Content-Type: text/plain; charset=zip\n\ncheap pills",
        "\nche\0ap pills",
    ],
)
def test_however_a_text_is_wrapped_its_words_are_read(body):
    assert {"cheap", "pills"} <= set(content(f"Subject: x\n{body}".encode()))


def test_messages_without_headers_or_without_a_body_are_read():
    assert "hello" in content(b"hello there\n")
    assert content(b"") == ["size:text/plain:0", "shout:0", "size:0"]
    assert "subject:only" in render("Subject: only").split()


def test_words_that_are_displayed_in_another_part_are_not_alternative():
    terms = content(multipart("alternative", plain("meeting cheap"), html("<b>cheap</b> pills")).encode())
    assert {"cheap", "pills", "alt:meeting"} <= set(terms)
    assert not {"meeting", "alt:cheap"} & set(terms)


def test_a_decoy_does_not_change_the_words_of_the_displayed_part():
    spam = html("cheap pills")
    decoy = content(multipart("alternative", plain("see you at the meeting tomorrow"), spam).encode())
    alone = content(multipart("alternative", spam).encode())
    words = [{term for term in terms if ":" not in term} for terms in (decoy, alone)]
    assert words[0] == words[1]


def test_an_alternative_without_words_is_not_the_displayed_one():
    terms = content(multipart("alternative", plain("read me"), html("<img src=http://a.example/b.gif>&nbsp;")).encode())
    assert {"read", "me"} <= set(terms)


@pytest.mark.parametrize(
    "kind", ["text/x-foo", "text/calendar", "text/css", "text/html\nContent-Disposition: attachment"]
)
def test_an_alternative_that_programs_do_not_show_is_not_the_displayed_one(kind):
    last = f"Content-Type: {kind}\n\ndecoy"
    terms = content(multipart("alternative", plain("cheap"), html("cheap pills"), last).encode())
    assert {"cheap", "pills"} <= set(terms)
    assert not {"decoy", "alt:pills"} & set(terms)


@pytest.mark.parametrize("kind", ["plain", "html"])
def test_words_of_attached_texts_are_apart(kind):
    attached = f"Content-Type: text/{kind}\nContent-Disposition: ATTACHMENT; filename=a.txt\n\nthe meeting"
    terms = content(multipart("mixed", plain("cheap pills"), attached).encode())
    assert {"cheap", "pills", "attached:meeting"} <= set(terms)
    assert "meeting" not in terms


def test_the_title_and_what_a_style_sheet_hides_are_apart():
    text = "<title>agenda</title><style>.a{display:none}</style>pills <p class=a>meeting</p>"
    terms = content(html(text).encode())
    assert {"pills", "hidden:agenda", "hidden:meeting"} <= set(terms)
    assert not {"agenda", "meeting"} & set(terms)


def test_the_charset_of_html_may_be_in_it_and_have_seven_bits():
    text = "<meta charset=iso-2022-jp>" + "日本".encode("iso-2022-jp").decode("ascii")
    assert "日本" in content(f"Content-Type: text/html\n\n{text}".encode())


def test_alternatives_inside_related_parts_are_told_apart():
    related = "Content-Type: multipart/related; boundary=c\n\n--c\n" + html("cheap pills") + "\n--c--"
    terms = content(multipart("alternative", plain("decoy"), related).encode())
    assert {"cheap", "pills", "alt:decoy"} <= set(terms)


def test_hidden_words_are_tagged_and_flagged():
    terms = content(html("pills <font color=white>meeting</font>").encode())
    assert {"pills", "hidden:meeting", "flag:hidden"} <= set(terms)
    assert "meeting" not in terms


def test_a_forwarded_message_is_part_of_the_body():
    inner = "Subject: cheap offer\nFrom: Pharmacy <a@b.example>\n\npills"
    terms = content(multipart("mixed", plain("see below"), f"Content-Type: message/rfc822\n\n{inner}").encode())
    assert {"see", "below", "cheap", "offer", "pharmacy", "addr:@b.example", "pills"} <= set(terms)


def test_the_structure_is_described():
    attached = (
        "Content-Type: application/zip; name=x\nContent-Disposition: attachment; filename=Your_Invoice.PDF.exe\n\nUEs"
    )
    terms = set(content(multipart("mixed", "Content-Type: text/plain; charset=GB2312\n\nhi", attached).encode()))
    assert {"type:multipart/mixed", "parts:2", "type:text/plain", "charset:gb2312", "type:application/zip"} <= terms
    assert {"disposition:attachment", "file:.exe", "file:invoice", "file:pdf", "size:application/zip:2"} <= terms


def test_a_boundary_may_be_the_beginning_of_another():
    message = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--bb\ntwo\n--b\n\nthree\n--b--\nepilogue"
    terms = content(message.encode())
    assert {"one", "two", "three"} <= set(terms)
    assert "epilogue" not in terms


@pytest.mark.parametrize(
    ("message", "flag"),
    [
        (multipart("mixed", *[plain("x")] * 300), "flag:too-many-parts"),
        ("Content-Type: message/rfc822\n\n" * 30, "flag:too-deep"),
        ("Subject: x\n\n" + "word " * 200_000, "flag:too-long"),
        ("Subject: x\n\n" + "a " * 60_000, "flag:too-many-words"),
        ("Subject: x\n\n" + "word\n" * 1_700_000, "flag:too-large"),
        ("Subject: x\n\na\0b", "flag:nul"),
        ("Content-Type: multipart/mixed; boundary=b\n\n", "flag:no-parts"),
    ],
)
def test_what_is_over_a_limit_is_noted(message, flag):
    assert flag in content(message.encode())


def test_capitals_are_a_class():
    assert "shout:9" in content(b"\nBUY NOW AND SAVE MUCH MONEY TODAY")
    assert "shout:0" in content(b"\nsee you tomorrow")


def test_reading_mail_imports_little():
    script = (
        "import sys; from textnb.text.mail import render; render('Subject: =?utf-8?q?x?=\\n\\n<html>&nbsp;')\n"
        "print([name for name in ('numpy', 'email', 'html', 'html.parser', 'dataclasses') if name in sys.modules])"
    )
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"
