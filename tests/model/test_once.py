"""What is learned once: documents by their content, and copies of messages by their Message-IDs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import TextClassifier
from textnb.model.file import Fitted, counts_content
from textnb.model.learner import UpdateSummary
from textnb.text.mail.identity import message_id

LABELS = ["ham", "spam", "list"]


def message(number, route=0):
    """One of several copies of a message, which took another route; those of number 0 have no Message-ID."""
    name = f"Message-ID: <{number}@example.com>\n" if number else ""
    return f"Received: by relay{route}\nSubject: subject{number}\n{name}\nwords of {number} by {route}\n"


FIRST = message(8), message(9)
MAIL = {"analyzer": "mail"}


@pytest.fixture
def learner():
    return learned(zip(FIRST, LABELS, strict=False))


def learned(labelled, **options):
    texts, labels = zip(*labelled, strict=True)
    return TextClassifier("multinomial", "counts", calibrate=False, **MAIL | options).fit(texts, labels).learner_


def once(learner, *labelled):
    return learner.learn([text for text, _ in labelled], np.array([label for _, label in labelled]), once=True)


def summary(learned=0, known=0, moved=0, copies=0, conflicting=0):
    return {"learned": learned, "known": known, "moved": moved, "copies": copies, "conflicting": conflicting}


def test_a_message_that_is_known_by_its_content_is_left_or_moved(learner):
    same, done = once(learner, (message(9), "spam"))
    assert same is learner
    assert done.counts() == summary(known=1)
    moved, done = once(learner, (message(9), "ham"))
    assert done.counts() == summary(moved=1)
    assert moved.counts.documents[moved.counts.classes == "ham"].tolist() == [2]
    assert moved.message_ids.documents.tolist() == moved.ledger.documents.tolist()


def test_a_copy_is_left_under_the_same_label(learner):
    same, done = once(learner, (message(9, route=1), "spam"))
    assert same is learner
    assert done.counts() == summary(copies=1)


def test_a_copy_under_another_label_is_learned_and_says_so(learner):
    """Whoever forges the Message-ID of learned mail cannot keep a message from being learned."""
    taught, done = once(learner, (message(7), "ham"), (message(9, route=1), "ham"), (message(6), "ham"))
    assert done.counts() == summary(learned=3, conflicting=1)
    assert [(one.position, one.labels) for one in done.conflicts] == [(1, ("spam",))]
    assert "learned as spam" in done.conflicts[0].warning
    assert taught.ledger.knows([message(9, route=1), message(9)]).tolist() == [True, True]


def test_a_forged_id_does_not_stop_a_known_message_from_moving(learner):
    """Somebody has used the id of ham for spam, which was learned: both contents are known, and each can move."""
    forged = message(8, route=666)
    taught, _ = learner.learn([forged], np.array(["spam"]))
    _, done = once(taught, (forged, "ham"), (message(8), "spam"))
    assert done.counts() == summary(moved=2)
    _, done = once(taught, (message(8, route=1), "ham"), (message(8, route=2), "spam"), (message(8, 3), "list"))
    assert done.counts() == summary(learned=1, copies=2, conflicting=1)
    assert done.conflicts[0].labels == ("ham", "spam")


def test_messages_without_an_id_are_known_by_their_content_only(learner):
    taught, done = once(learner, (message(0), "ham"), (message(0, route=1), "spam"))
    assert done.counts() == summary(learned=2)
    assert len(taught.message_ids) == len(learner.message_ids)
    assert once(taught, (message(0), "spam"))[1].counts() == summary(moved=1)


def test_a_copy_follows_the_message_that_it_is_a_copy_of(learner):
    """Within one call, too: what was moved before counts under its new label."""
    _, done = once(learner, (message(9), "ham"), (message(9, route=1), "ham"), (message(9, route=2), "spam"))
    assert done.counts() == summary(learned=1, moved=1, copies=1, conflicting=1)


def test_models_of_other_text_have_no_message_ids():
    learner = learned(zip(FIRST, LABELS, strict=False), analyzer="word")
    taught, done = once(learner, (message(9, route=1), "ham"))
    assert learner.message_ids is taught.message_ids is None
    assert done == UpdateSummary(learned=1, known=0, moved=0)


@pytest.mark.parametrize("ledger", [True, False])
def test_there_are_message_ids_wherever_there_is_a_ledger(ledger):
    learner = learned(zip(FIRST, LABELS, strict=False), ledger=ledger)
    both = learner.merged(learner)
    assert [(one.message_ids is not None) for one in (learner, learner.blank(), both)] == [ledger] * 3
    if ledger:
        assert [len(one.message_ids) for one in (learner, learner.blank(), both)] == [2, 0, 4]
        assert learner.knows([message(9, route=1), message(7), message(0)]).tolist() == [True, False, False]
    else:
        assert learner.knows([message(9)]) is None


messages = st.builds(message, st.integers(0, 3), st.integers(0, 2))
labelled = st.lists(st.tuples(messages, st.sampled_from(LABELS)), max_size=12)


def one_by_one(known, labelled):
    """What learning once comes to, said plainly: the labels of each message, known or learned."""
    known = list(known)
    for text, label in labelled:
        name = message_id(text)
        if any(other == text for other, _ in known):
            kept = [pair for pair in known if pair[0] != text or pair[1] == label]
            known = kept if (text, label) in kept else [*kept, (text, label)]
        elif name is None or all((message_id(other), given) != (name, label) for other, given in known):
            known.append((text, label))
    return known


def stored(learner):
    """The arrays of a model file: counts, ledger and Message-IDs."""
    return {name: (array.shape, array.tobytes()) for name, array in counts_content(learner, Fitted())[0].items()}


@settings(max_examples=60)
@given(labelled.map(set).map(sorted), labelled.filter(bool))
def test_many_at_once_are_as_one_after_the_other(before, labelled):
    before = [(message(8), "ham"), (message(9), "spam"), *before]
    learner = learned(before)
    taught, done = once(learner, *labelled)
    assert stored(taught) == stored(learned(one_by_one(before, labelled)))
    assert sum(done.counts().values()) - done.conflicting == len(labelled)
