"""Which documents were learned: a multiset that adds up, comes apart, and is found again in a file."""

from collections import Counter
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.statistics.counts import unique_classes
from textnb.statistics.ledger import Ledger, RollCall, hashes, ledger_arrays, ledger_of

texts = st.sampled_from(["", "a", "A", "\ud83d", "中", "a\0"])
entries = st.lists(st.tuples(texts, st.sampled_from(["x", "y", "wide label"])), max_size=8)


def ledger(labelled):
    if not labelled:
        return Ledger.nothing()
    classes, class_ids = unique_classes(np.array([label for _, label in labelled]))
    return Ledger.of([text for text, _ in labelled], class_ids, classes)


def contents(found):
    """As a multiset of (hash, label)."""
    names = found.classes.tolist()
    keys = [key.tobytes() for key in ledger_arrays(found)["ledger"]]
    assert keys == sorted(keys)
    return Counter(
        {
            (key[:16], names[int.from_bytes(key[16:], "big")]): count
            for key, count in zip(keys, found.counts.tolist(), strict=True)
        }
    )


def expected(labelled):
    return Counter(zip(hashes(text for text, _ in labelled), (label for _, label in labelled), strict=True))


@given(entries, entries)
def test_it_is_a_multiset(these, those):
    both = ledger(these) + ledger(those)
    assert contents(both) == expected(these + those)
    assert len(both) == len(these) + len(those)
    assert contents(both - ledger(those)) == expected(these)
    assert both.has(ledger(these)).all()


@given(entries, entries)
def test_only_what_is_there_often_enough_can_be_taken(these, those):
    a, b = expected(these), expected(those)
    contained = all(a[key] >= count for key, count in b.items())
    assert ledger(these).has(ledger(those)).all() == contained
    if not contained:
        with pytest.raises(ValueError, match="were not learned"):
            ledger(these) - ledger(those)


@given(entries, st.sampled_from(["", "a", "b"]))
def test_it_knows_the_labels_of_a_document(these, text):
    found = ledger(these)
    names = found.classes.tolist()
    labels = {names[position]: count for position, count in found.labels_of(hashes([text])[0]).items()}
    assert labels == Counter(label for other, label in these if other == text)


@given(entries)
def test_a_file_holds_it_in_24_bytes_a_document(these):
    found = ledger(these)
    arrays = ledger_arrays(found)
    assert sum(array.nbytes for array in arrays.values()) == 24 * len(set(these))
    assert contents(ledger_of(arrays["ledger"], arrays["ledger_counts"], found.classes)) == contents(found)


def test_classes_around_its_own_change_nothing_and_its_own_must_stay():
    found = ledger([("a", "m"), ("b", "x")])
    assert contents(found.among(np.array(["a", "m", "n", "x"]))) == contents(found)
    assert found.among(np.array(["m", "x"])).classes.tolist() == ["m", "x"]
    with pytest.raises(ValueError, match="classes that the model does not have"):
        found.among(np.array(["x"]))
    emptied = (found + ledger([("c", "z")])) - ledger([("c", "z")])
    assert contents(emptied.among(np.array(["m", "x"]))) == contents(found)


def test_what_is_empty_takes_labels_of_any_kind():
    found = ledger([("a", "m")])
    empty = found - found
    numbered = Ledger.of(["a"], np.array([0]), np.array([7]))
    assert contents(empty + numbered) == contents(numbered)
    with pytest.raises(ValueError, match="different types"):
        found + numbered


@given(st.binary(max_size=8))
def test_a_message_has_the_hash_of_its_bytes(message):
    assert hashes([message.decode("utf-8", "surrogateescape")]) == [sha256(message).digest()[:16]]


@given(st.text(alphabet=st.sampled_from("aé\udcc3\udca9\udc80\ud800"), max_size=4))
def test_texts_with_lone_surrogates_have_hashes_of_their_own(text):
    """Escaped bytes that are those of a character are not that character."""
    assert len(set(hashes([text, "é", "aé"]))) == len({text, "é", "aé"})


def test_texts_that_are_no_messages_have_the_hash_that_they_always_had():
    for text in ("", "plain", "é中", "\ud83d", "a\ud800\udc80"):
        assert hashes([text]) == [sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]]


def test_messages_are_counted_by_their_ids_under_their_labels():
    messages = ["Message-ID: <1@x>\n\na", "Subject: none\n\nb", "Received: y\nMessage-ID: <1@x>\n\nc"]
    found = Ledger.of_message_ids(messages, np.array([1, 0, 1]), np.array(["ham", "spam"]))
    assert contents(found) == {(hashes(["1@x"])[0], "spam"): 2}
    assert found.documents.tolist() == [0, 2]
    assert not Ledger.of_message_ids(messages[1:2], np.array([0]), np.array(["ham", "spam"]))


def test_more_copies_than_it_can_count_are_refused():
    found = ledger([("a", "x")])
    for _ in range(30):
        found = found + found
    assert len(found) == 2**30
    with pytest.raises(ValueError, match="2,147,483,647"):
        found + found


def forged(**changes):
    arrays = ledger_arrays(ledger([("a", "x"), ("a", "x"), ("b", "y"), ("c", "x")])) | changes
    return ledger_of(arrays["ledger"], arrays["ledger_counts"], np.array(["x", "y"]))


def test_arrays_that_are_no_ledger_are_refused():
    keys = ledger_arrays(forged())["ledger"].copy()
    counts = forged().counts
    unsorted, twice, no_class = keys[::-1], keys[[0, 0, 1]], keys.copy()
    no_class[1, -1] = 2
    for wrong in (keys[:, :-1], keys.ravel(), keys.astype(np.int64), keys[:2], unsorted, twice, no_class, keys[None]):
        with pytest.raises(ValueError, match="ledger"):
            forged(ledger=wrong)
    zero, negative = counts.copy(), counts.copy()
    zero[0], negative[1] = 0, -1
    for wrong in (zero, negative, counts[:2], counts.astype(np.int64), counts.astype(np.float32), counts[:, None]):
        with pytest.raises(ValueError, match="ledger"):
            forged(ledger_counts=wrong)


@given(entries, st.lists(texts, max_size=8))
def test_it_knows_documents_whatever_their_label(labelled, documents):
    learned = {text for text, _ in labelled}
    assert ledger(labelled).knows(documents).tolist() == [text in learned for text in documents]
    assert ledger(labelled).missing_from(documents) == len(learned - set(documents))


@given(entries, entries, st.lists(st.lists(texts, max_size=4), max_size=3))
def test_documents_are_ticked_off_as_they_are_met(labelled, others, blocks):
    roll = RollCall(ledger(labelled))
    for block in blocks:
        roll.tick(block)
    learned, met = {text for text, _ in labelled}, {text for block in blocks for text in block}
    assert roll.is_needed == bool(learned)
    assert len(roll.met) == len(learned & met)
    assert ledger(labelled).missing_among(roll.met) == len(learned - met)
    assert ledger(labelled).missing_among(ledger(others).digests) == len(learned - {text for text, _ in others})


@given(entries, st.lists(texts, max_size=12))
def test_it_accounts_for_as_many_copies_as_were_learned_the_first_ones(learned, documents):
    left = Counter(text for text, _ in learned)
    expected = []
    for document in documents:
        expected.append(left[document] > 0)
        left[document] -= 1
    assert ledger(learned).accounts_for(documents).tolist() == expected
