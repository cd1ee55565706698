"""A message taken apart: the kernel finds its headers as Python does."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb.compiled import compiled_kernel
from textnb.text.mail import render
from textnb.text.mail.message import scan_headers

LINES = ["From ", ">From ", "From", "Name", ":", " : ", "\t", " ", "\n", "\n ", "\n\n"]
KNOWN = frozenset({"name", "from"})
PIECES = [*LINES, "\x0b", "é", "中", "😀", "\ud800", "n" * 199]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=40))
@example("From : a\n b")
@example(">From : a\n>From : b\nc")
@example("a: \n b\n\t\n \nc:\n")
@example("a" * 200 + ":b\n" + "c" * 201 + ":d\n")
@example("From a\nb:c\n d")
def test_the_kernel_finds_headers_as_python_does(text):
    kernel = compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel is optional and was not compiled")
    for most in (0, 1, 500):
        assert kernel.mail_headers(text, most, KNOWN) == scan_headers(text, most, KNOWN)


def test_known_headers_are_read_behind_any_number_of_others():
    junk = "".join([f"X-{i}: y\n" for i in range(2000)])
    terms = render(f"{junk}Subject: cheap pills\nFrom: a@b.example\nContent-Type: text/html\n\n<b>x</b>y").split()
    assert {"subject:cheap", "From:@b.example", "type:text/html", "xy", "Flag:too-many-headers"} <= set(terms)
    assert "Missing:subject" not in terms


def test_known_headers_are_read_without_the_kernel_too():
    message = "X-A: y\n" * 600 + "From: a@b.example\n\nz"
    with without_kernel():
        expected = render(message)
    assert render(message) == expected
