"""Messages made to cost time or memory are read in a second, within 200 MB, and obey the contract of terms."""

import time
import tracemalloc

import pytest
from hostile_mail import HOSTILE

from textnb.text.mail import as_message, render


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_is_read_in_a_second(name):
    message = as_message(HOSTILE[name]())
    started = time.process_time()
    rendered = render(message)
    assert time.process_time() - started < 1
    assert all(0 < len(term) <= 64 for line in rendered.split("\n") for term in line.split(" "))


LARGE = [
    *["ligatures that grow", "more ligatures that grow", "different words", "different headers", "tags in tags", "Han"],
    *["millions of headers", "millions of headers inside", "a subject of 50 MB", "different rules"],
]


@pytest.mark.parametrize("name", LARGE)
def test_a_hostile_message_takes_little_memory(name):
    message = as_message(HOSTILE[name]())
    tracemalloc.start()
    try:
        render(message)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
