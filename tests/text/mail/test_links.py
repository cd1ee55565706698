"""Links cut into terms: the kernel does it as Python does."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textnb.compiled import compiled_kernel
from textnb.text.mail.links import link_terms

_PIECES = """
http:// HTTPS:// ftp: mailto: abcdefghijklmnopqrstu: www. www .. . / : @ % ? = & - _ ! example.com 10.1.2.3 10.1 8080 a
B7 é one.two.three.four.five.six
"""
LONG = "x" * 45
PIECES = [*_PIECES.split(), LONG, "7" * 45, " ", "\x1c", "\n", "ab/" * 50]
LINKS = st.lists(st.sampled_from(PIECES), max_size=15).map("".join)


@given(LINKS | st.text(max_size=40) | st.text("w./:@%a1 ", max_size=40))
@example(f"http://{LONG}.{LONG}.{LONG}.{LONG}.{LONG}.{LONG}:123456/{'%ab/' * 100}")
@example("http://" + "1." * 40 + ":80")
@example("http://" + "a." * 240)
@example("http://...")
def test_the_kernel_cuts_links_as_python_does(link):
    kernel = compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel is optional and was not compiled")
    terms = kernel.mail_link(link)
    assert terms is None or terms == "\n".join(link_terms(link))
    assert terms is not None or not link.isascii() or link_terms(link)[0] == "url:mailto:"
