"""The Message-IDs in a model file: there with the ledger of mail and nowhere else, and checked."""

import numpy as np
import pytest

from textnb import TextClassifier, load
from textnb.model.file import stored_message_ids
from textnb.model.scorer import open_scorer
from textnb.model.update import drop_ledger
from textnb.storage import open_model, write_model

MESSAGES = ["Message-ID: <1@x>\n\ncheap pills", "Message-ID: <2@x>\n\nlunch", "Message-ID: <1@x>\n\npills", "\nat noon"]
LABELS = ["spam", "ham", "spam", "ham"]
NAMES = ["message_ids", "message_id_counts"]


def saved(path, **options):
    options = {"analyzer": "mail", "calibrate": False} | options
    TextClassifier("multinomial", "counts", **options).fit(MESSAGES, LABELS).save(path)
    return path


@pytest.fixture
def path(tmp_path):
    return saved(tmp_path / "mail.tnb")


def forged(path, arrays=(), drop=()):
    model = open_model(path)
    changed = {name: model.array(name) for name in model.names if name not in drop} | dict(arrays)
    other = path.with_name("forged.tnb")
    write_model(other, changed, model.settings)
    return other


def test_a_file_has_them_back(path):
    found = stored_message_ids(open_model(path))
    assert found.counts.tolist() in ([1, 2], [2, 1])
    assert found.documents.tolist() == [1, 2]
    load(path).save(path.with_name("again.tnb"))
    assert path.with_name("again.tnb").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("options", [{"analyzer": "word"}, {"ledger": False}])
def test_files_of_other_models_have_none(tmp_path, options):
    assert not set(NAMES) & set(open_model(saved(tmp_path / "model.tnb", **options)).names)


def test_mail_without_ids_has_an_empty_ledger_of_them(tmp_path):
    TextClassifier("multinomial", "counts", analyzer="mail").fit(["\na word", "\nword"], ["x", "y"]).save(
        tmp_path / "m"
    )
    classifier = load(tmp_path / "m")
    assert len(classifier.learner_.message_ids) == 0
    assert len(classifier.learn(MESSAGES, LABELS).learner_.message_ids) == 3


def test_they_go_with_the_ledger(path):
    drop_ledger(path)
    assert not {"ledger", *NAMES} & set(open_model(path).names)
    assert load(path).learner_.message_ids is None


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_another_form_are_refused(path, name):
    array = open_model(path).array(name)
    for changed in (array[:-1], np.concatenate([array, array]), array[..., None], array.astype(np.float32)):
        with pytest.raises(ValueError, match=r"forged\.tnb.*message"):
            load(forged(path, {name: changed}))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


def test_ids_of_no_class_unsorted_or_of_too_many_messages_are_refused(path):
    keys, counts = (open_model(path).array(name) for name in NAMES)
    no_class = keys.copy()
    no_class[1, -1] = 2
    another_class = keys.copy()
    another_class[:, -1] = 0
    for changed in (
        {NAMES[0]: keys[::-1]},
        {NAMES[0]: no_class},
        {NAMES[0]: another_class},
        *({NAMES[1]: np.full_like(counts, value)} for value in (-1, 0, 3, 2**31 - 1)),
    ):
        with pytest.raises(ValueError, match=r"forged\.tnb.*[Mm]essage"):
            load(forged(path, changed))


def test_ids_that_are_missing_or_not_needed_are_refused(path, tmp_path):
    with pytest.raises(ValueError, match="Message-IDs is missing"):
        load(forged(path, drop=NAMES))
    words = saved(tmp_path / "words.tnb", analyzer="word")
    with pytest.raises(ValueError, match="no need of it"):
        load(forged(words, {name: open_model(path).array(name) for name in NAMES}))
    with pytest.raises(ValueError, match="no need of it"):
        load(forged(path, drop=["ledger", "ledger_counts"]))


def test_a_file_of_long_ngrams_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "m.tnb"
    monkeypatch.setattr("textnb.text.analyzer.LONGEST_MAIL_NGRAM", 64)
    classifier = TextClassifier("multinomial", "counts", analyzer="mail", ngrams=(1, 64), calibrate=False)
    classifier.fit(["Subject: a\n\nb", "c"], ["ham", "spam"]).save(path)
    monkeypatch.undo()
    assert open_scorer(path) is None
    with pytest.raises(ValueError, match=r"m\.tnb.*up to 5 terms"):
        load(path)


def test_a_scorer_takes_the_bytes_of_messages(tmp_path):
    message = b"From: a@b.example\nSubject: caf\xe9\n\ncheap \xff pills"
    path = tmp_path / "m.tnb"
    classifier = TextClassifier("multinomial", "counts", analyzer="mail", calibrate=False)
    classifier.fit([message, b"Subject: lunch\n\nat noon"], ["spam", "ham"]).save(path)
    scorer = open_scorer(path)
    if scorer is not None:  # which the kernel makes
        assert scorer.log_proba(message) == pytest.approx(classifier.predict_log_proba([message])[0].tolist())
        assert scorer.decide(message) == scorer.decide(message.decode("utf-8", "surrogateescape")) == "spam"
