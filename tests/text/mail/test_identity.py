"""The name that the copies of a message share."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.mail.identity import message_id

NAMED = [
    "Message-ID: <1@example.com>\n\nbody",
    "Message-Id: <1@example.com>\r\n\r\nbody",
    "MESSAGE-ID:<1@example.com>",
    "Message-ID : <1@example.com>\n\n",
    "Subject: lunch\n at noon\nmessage-id:\n\t<1@example.com>\nTo: us\n\nbody",
    "Message-ID: <1@\r\n example.com>\r\n\r\n",
    "Message-ID: 1@example.com\n\n",
    "Message-ID: <1@example.com> (added by the relay)\n\n",
    "From us Fri Nov 20 10:00:00 2026\nMessage-ID: <1@example.com>\n\n",
    ">From us\nReceived: by the relay\nMessage-ID: <1@example.com>\n\n",
    "Message-ID: <1@example.com>\nMessage-ID: <2@example.com>\n\n",
    "Subject: lunch\nno header\nMessage-ID: <1@example.com>\n\n",
]
NAMELESS = [
    "",
    "\nMessage-ID: <1@example.com>\n",
    "Subject: lunch\n\nMessage-ID: <1@example.com>\n",
    "Subject: lunch\r\n\r\nMessage-ID: <1@example.com>\r\n",
    "no header at all\nMessage-ID: <1@example.com>\n",
    "X-Message-ID: <1@example.com>\n\n",
    "Resent-Message-ID: <1@example.com>\n\n",
    "Subject: x\n Message-ID: <1@example.com>\n\n",
    "Message-ID:\n\n<1@example.com>",
    "Message-ID: <>\nMessage-ID: <1@example.com>\n\n",
    "Message-\u0131D: <1@example.com>\n\n",
]


@pytest.mark.parametrize("message", NAMED)
def test_the_first_of_the_headers_is_the_name(message):
    assert message_id(message) == "1@example.com"


@pytest.mark.parametrize("message", NAMELESS)
def test_what_is_no_such_header_is_no_name(message):
    assert message_id(message) is None


pieces = st.sampled_from(
    ["message-id", "Message-ID:", ":", "<", ">", "\r\n", "\n", " ", "\t", "a@b", "From ", "\udc80"]
)


@given(st.lists(pieces | st.text(max_size=3), max_size=20).map("".join))
def test_any_text_has_a_name_or_none(message):
    found = message_id(message)
    assert found is None or (found and found == "".join(found.split()))


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="<> \t\r\n\v\f\x1c\x1d\x1e\x1f"), min_size=1))
def test_lines_before_and_after_change_nothing(name):
    header = f"Message-ID: <{name}>\n"
    assert {
        message_id(f"{before}{header}{after}") for before in ("", "Received: x\n y\n") for after in ("", "\n<z>")
    } == {name}


HOSTILE = {
    "one long line": "a" * 10_000_000,
    "blanks before a colon that is missing": "a" + " " * 10_000_000,
    "many lines": "a:\n" * 3_000_000,
    "many names, all but one too late": "A: " + "x" * 300_000 + "\nMessage-ID: <1@example.com>" * 100_000,
    "a value without end": "Message-ID:" + "\n <" * 3_000_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_messages_take_no_time(kind):
    start = time.perf_counter()
    message_id(HOSTILE[kind])
    assert time.perf_counter() - start < 0.5
