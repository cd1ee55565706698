"""Long work says what it is doing, to whoever listens."""

from contextlib import contextmanager

import pytest

from textnb.text.steps import each, heard_by, step


@pytest.fixture
def heard():
    """What a listener is told, and the listener."""
    told = []

    @contextmanager
    def listen(words, unit, total):
        told.append((words, unit, total))
        yield lambda n, note: told.append(n)
        told.append("end")

    return told, listen


def test_without_a_listener_work_goes_on_as_it_is():
    assert list(each("abc", "reading", " letters", 3)) == ["a", "b", "c"]
    with step("fitting", " classes", 2) as advance:
        advance(1, "")


def test_a_listener_hears_every_unit_in_its_block_alone(heard):
    told, listen = heard
    with heard_by(listen):
        assert list(each("ab", "reading", " letters", 2)) == ["a", "b"]
        with step("writing"):
            pass
    list(each("ab", "not heard", " letters"))
    assert told == [("reading", " letters", 2), 1, 1, "end", ("writing", "", None), "end"]


def test_after_an_error_the_listener_before_hears_again(heard):
    told, listen = heard
    with heard_by(listen):
        with pytest.raises(ValueError, match="stop"), heard_by(None):
            raise ValueError("stop")
        with step("again"):
            pass
    assert told[0] == ("again", "", None)
