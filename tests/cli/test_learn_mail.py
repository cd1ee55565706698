"""`learn --once` on mail: copies of a message are known by its Message-ID, and nothing is left out in silence."""

import pytest

from textnb import TextClassifier

LEARNED = b"Received: by relay\nMessage-ID: <1@example.com>\nSubject: offer\n\ncheap pills\n"
COPY = b"Received: by another\nX-Client: yes\nMessage-ID: <1@example.com>\nSubject: offer\n\ncheap pills\n"
OTHER = b"Message-ID: <2@example.com>\nSubject: lunch\n\nat noon?\n"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "mail.tnb"
    messages, labels = [LEARNED, b"Message-ID: <0@example.com>\n\nminutes of the meeting\n"], ["spam", "ham"]
    TextClassifier("multinomial", "counts", analyzer="mail", calibrate=False).fit(messages, labels).save(path)
    return path


@pytest.fixture
def once(textnb, model, tmp_path):
    """`once("ham", COPY)`: the outcome of learning messages once as ham."""

    def call(label, *messages, options=("--json",)):
        paths = [tmp_path / f"{number}.eml" for number in range(len(messages))]
        for path, message in zip(paths, messages, strict=True):
            path.write_bytes(message)
        return textnb("learn", model, "--label", label, "--once", *(path.name for path in paths), *options)

    return call


def test_a_copy_is_left_and_counted(once, model):
    before = model.read_bytes()
    done = once("spam", COPY, LEARNED)
    assert (done.code, done.json["known"], done.json["copies"], done.json["conflicting"]) == (0, 1, 1, 0)
    assert "skipped" not in done.json
    assert model.read_bytes() == before


def test_a_copy_under_another_class_is_learned_and_reported(once):
    done = once("ham", OTHER, COPY)
    assert (done.code, done.json["learned"], done.json["conflicting"]) == (0, 2, 1)
    assert "1.eml: a message with its Message-ID was learned as spam, and stays so" in done.err
    assert "forget that one if it was this message" in done.err


def test_a_quiet_call_still_counts_it(once):
    done = once("ham", OTHER, COPY, options=("--quiet",))
    assert done.err == ""
    assert done.out.startswith("2 learned, 0 known, 0 moved, 0 copies, 1 conflicting; ")


def test_strict_makes_it_an_error_that_changes_nothing(once, model):
    before = model.read_bytes()
    done = once("ham", OTHER, COPY, options=("--strict",))
    assert done.code == 2
    assert done.err.startswith("textnb: 1.eml: a message with its Message-ID was learned as spam")
    assert model.read_bytes() == before


def test_what_is_said_to_do_helps(textnb, once, model):
    (model.parent / "learned.eml").write_bytes(LEARNED)
    assert textnb("forget", model, "--label", "spam", "learned.eml").code == 0
    assert once("ham", COPY).json["learned"] == 1


def test_the_message_itself_is_moved_and_moved_back(once, model):
    before = model.read_bytes()
    assert once("ham", LEARNED).json["moved"] == 1
    assert once("ham", COPY).json["copies"] == 1
    assert once("spam", LEARNED).json["moved"] == 1
    assert model.read_bytes() == before


def test_further_copies_are_left(once):
    done = once("ham", OTHER, *[COPY + b"%d" % number for number in range(7)])
    assert (done.json["learned"], done.json["conflicting"], done.json["copies"]) == (2, 1, 6)


def test_inspect_says_how_many_message_ids_there_are(textnb, model):
    facts = textnb("inspect", model, "--json").json["ledger"]
    assert facts == {"documents": 2, "entries": 2, "bytes": 96, "message_ids": 2}
    assert "2 entries and 2 message-ids, 96 bytes" in textnb("inspect", model).out


def test_merging_and_dropping_the_ledger_take_the_ids_along(textnb, model):
    assert textnb("merge", "-o", "both.tnb", model, model).code == 0
    assert textnb("inspect", "both.tnb", "--json").json["ledger"]["message_ids"] == 2
    assert textnb("forget", "both.tnb", "--ledger").code == 0
    assert textnb("inspect", "both.tnb", "--json").json["ledger"] is None
