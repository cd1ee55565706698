"""Learning by a filter itself, which never overturns what was learned before."""

import pytest

from textnb import TextClassifier, load
from textnb.workflow import learn_if_new

KNOWN = "Message-ID: <1@example.com>\n\ncheap pills"
COPY = f"Received: by relay\n{KNOWN}"
NEW = "Message-ID: <2@example.com>\n\ncheap watches"


def saved(path, **options):
    options = {"analyzer": "mail", "calibrate": False} | options
    TextClassifier("multinomial", "counts", **options).fit([KNOWN, "\nlunch"], ["spam", "ham"]).save(path)
    return path


@pytest.fixture
def model(tmp_path):
    return saved(tmp_path / "mail.tnb")


@pytest.mark.parametrize("message", [KNOWN, COPY])
@pytest.mark.parametrize("label", ["ham", "spam"])
def test_what_is_known_under_whatever_label_is_left(model, message, label):
    before, written = model.read_bytes(), model.stat().st_mtime_ns
    assert learn_if_new(model, message, label) is False
    assert (model.read_bytes(), model.stat().st_mtime_ns) == (before, written)


def test_what_is_new_is_learned_once(model):
    assert learn_if_new(model, NEW, "spam") is True
    assert learn_if_new(model, NEW, "ham") is False
    assert learn_if_new(model, NEW.replace("watches", "clocks"), "ham") is False
    assert load(model).learner_.counts.documents.tolist() == [1, 2]


def test_it_learns_as_learn_does(model, tmp_path):
    learn_if_new(model, NEW, "spam")
    load(saved(tmp_path / "other.tnb")).learn([NEW], ["spam"]).save(tmp_path / "other.tnb")
    assert model.read_bytes() == (tmp_path / "other.tnb").read_bytes()


def test_models_of_other_text_know_documents_by_their_content(tmp_path):
    model = saved(tmp_path / "words.tnb", analyzer="word")
    assert [learn_if_new(model, text, "ham") for text in (KNOWN, COPY, COPY)] == [False, True, False]


def test_a_model_without_a_ledger_is_refused(tmp_path):
    model = saved(tmp_path / "mail.tnb", ledger=False)
    with pytest.raises(ValueError, match=r"mail\.tnb has no ledger.*train it with a ledger"):
        learn_if_new(model, NEW, "spam")


def test_a_label_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "numbers.tnb"
    TextClassifier("multinomial", "counts", analyzer="mail").fit([KNOWN, "\nlunch"], [1, 0]).save(path)
    with pytest.raises(ValueError, match="numbers"):
        learn_if_new(path, NEW, "spam")
    assert learn_if_new(path, NEW, "1")
