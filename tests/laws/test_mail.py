"""However messages come together, a model of mail is the same, its Message-IDs included; and bytes are as good."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import CountVectorizer, TextClassifier, load
from textnb.text.mail.canonical import canonical

FIRST = [b"Subject: hi\nMessage-ID: <a@x>\n\nlunch at noon", b"Message-ID: <b@x>\n\ncheap \xff pills", b"\ncheap cheap"]
LABELS = ["ham", "spam", "spam"]

names = st.sampled_from([b"", b"Message-ID: <a@x>\n", b"Message-Id:\r\n <c@x>\r\n", b"Message-ID: \xe9@x\n"])
bodies = st.sampled_from([b"lunch", b"cheap pills", b"caf\xe9", "café".encode(), b"\xff\xfe\0", b""])
messages = st.tuples(st.sampled_from([b"", b"Received: by relay\n", b"Subject: \xfc\n"]), names, bodies).map(
    lambda parts: parts[0] + parts[1] + b"\n" + parts[2]
)
labelled = st.lists(st.tuples(messages, st.sampled_from(["ham", "spam", "list"])), min_size=1, max_size=6)
folder = tempfile.TemporaryDirectory()


@pytest.fixture(autouse=True, scope="module")
def unflushed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


def fitted():
    return TextClassifier("multinomial", "counts", analyzer="mail", calibrate=False).fit(FIRST, LABELS)


def saved(classifier):
    path = Path(folder.name, "mail.tnb")
    classifier.save(path)
    return path.read_bytes()


def apart(labelled):
    return [text for text, _ in labelled], [label for _, label in labelled]


def as_text(message):
    return message.decode("utf-8", "surrogateescape")


@settings(max_examples=20)
@given(labelled)
def test_forget_undoes_learn_to_the_byte(labelled):
    classifier = fitted()
    before = saved(classifier)
    classifier.learn(*apart(labelled))
    assert saved(classifier) != before
    assert saved(load(Path(folder.name, "mail.tnb")).forget(*apart(labelled))) == before
    assert saved(classifier.forget(*apart(labelled[::-1]))) == before


@settings(max_examples=20)
@given(labelled, labelled, st.randoms(use_true_random=False))
def test_order_calls_and_merging_change_nothing(some, others, random):
    expected = saved(fitted().learn(*apart(some + others)))
    shuffled = random.sample(some + others, len(some + others))
    assert saved(fitted().learn(*apart(shuffled))) == expected
    assert saved(fitted().learn(*apart(others)).learn(*apart(some))) == expected
    assert saved(fitted().learn(*apart(some)) + fitted().blank().learn(*apart(others))) == expected


@settings(max_examples=20)
@given(labelled)
def test_bytes_are_as_good_as_strings_with_surrogates_for_bytes(labelled):
    texts, labels = apart(labelled)
    strings = [as_text(text) for text in texts]
    classifier = fitted().learn(texts, labels)
    assert saved(fitted().learn(strings, labels)) == saved(classifier)
    assert saved(fitted().learn([bytearray(text) for text in texts], labels).forget(strings, labels)) == saved(fitted())
    assert np.array_equal(classifier.predict_log_proba(texts), classifier.predict_log_proba(strings))
    assert classifier.explain(texts[0]).rows == classifier.explain(strings[0]).rows
    assert classifier.learner_.ledger.knows(map(canonical, strings)).all()


def test_a_vectorizer_of_mail_takes_any_bytes_too():
    vectorizer = CountVectorizer(analyzer="mail")
    rows = vectorizer.fit_transform(FIRST)
    assert (rows != vectorizer.transform(list(map(as_text, FIRST)))).nnz == 0
    with pytest.raises(UnicodeDecodeError, match="document 1"):
        CountVectorizer().fit(FIRST)
    with pytest.raises(UnicodeDecodeError, match="document 1"):
        TextClassifier().fit(FIRST, LABELS)


def test_a_copy_under_another_label_is_learned_with_a_warning():
    classifier = fitted()
    before = saved(classifier)
    copy = b"Received: by relay\n" + FIRST[1]
    with pytest.warns(UserWarning, match="document 1.*learned as spam, and stays so"):
        classifier.learn([FIRST[0], copy], ["ham", "ham"], once=True)
    assert saved(classifier) != before
    assert saved(classifier.forget([copy], ["ham"])) == before


def test_a_stream_has_the_same_message_ids():
    def fit(texts):
        model = TextClassifier("multinomial", "counts", analyzer="mail", calibrate=False, ledger=True)
        return saved(model.fit(texts, LABELS))

    assert fit(iter(FIRST)) == fit(FIRST)
