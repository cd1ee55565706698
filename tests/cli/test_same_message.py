"""A message is one document, whichever command or function reads it, and however its copy is kept."""

import json

import pytest
from mail_samples import FROM_LINE, message, messages

from textnb import TextClassifier
from textnb.corpora.corpus import make_corpus
from textnb.workflow import LabelledDocuments, evaluate, forget, learn

BODY = "pills\n\nFrom here\n>From there\nprize\n"
ORIGINAL = message(BODY, number=77)
ESCAPED = ORIGINAL.replace(b">From", b">>From").replace(b"\nFrom here", b"\n>From here")
COPIES = {
    "as it was": ORIGINAL,
    "in a mailbox": FROM_LINE + ESCAPED + b"\n",
    "twice in a mailbox": FROM_LINE + b">From other@example.org Thu Jan  5\n" + ESCAPED,
    "with carriage returns": ORIGINAL.replace(b"\n", b"\r\n"),
    "with notes of clients": b"Status: RO\nX-Evolution: 1\n" + ORIGINAL.replace(b"\n\n", b"\nLines: 5\n\n", 1),
    "with a byte order mark": b"\xef\xbb\xbf" + ORIGINAL,
    "without an end": ORIGINAL.rstrip(b"\n"),
}
every_copy = pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)


def taught(more=(), **settings):
    texts, labels = messages("ham") + messages("spam"), ["ham"] * 12 + ["spam"] * 12
    settings = {"model": "robinson", "analyzer": "mail", **settings}
    return TextClassifier(**settings).fit([*texts, *more], [*labels, *["spam" for _ in more]])


@pytest.fixture
def model(tmp_path):
    taught().save(tmp_path / "m.tnb")
    return tmp_path / "m.tnb"


@every_copy
def test_what_check_has_learned_any_copy_makes_forgotten(textnb, model, tmp_path, copy):
    before = model.read_bytes()
    (tmp_path / "copy").write_bytes(copy)
    for kept in COPIES.values():
        done = textnb("check", model, "--update", "--update-above", 0.5, stdin=kept)
        label = "ham" if done.code else "spam"
        assert done.err == f"textnb: learned it as {label}\n"
        assert textnb("forget", model, "--label", label, "copy").code == 0
        assert model.read_bytes() == before


@every_copy
def test_what_the_library_has_learned_the_prompt_knows(textnb, tmp_path, copy):
    taught([copy]).save(tmp_path / "m.tnb")
    (tmp_path / "copy").write_bytes(ORIGINAL)
    moved = textnb("learn", "m.tnb", "--once", "--label", "ham", "copy", "--json").json
    assert (moved["learned"], moved["moved"], moved["conflicting"]) == (0, 1, 0)
    assert textnb("forget", "m.tnb", "--label", "ham", "copy").code == 0


@every_copy
def test_what_a_table_has_taught_any_copy_makes_forgotten(textnb, model, tmp_path, copy):
    before = model.read_bytes()
    (tmp_path / "table.jsonl").write_text(json.dumps({"text": copy.decode("utf-8"), "label": "spam"}) + "\n")
    (tmp_path / "copy").write_bytes(ORIGINAL)
    assert textnb("learn", model, "table.jsonl").code == 0
    assert textnb("forget", model, "--label", "spam", "copy").code == 0
    assert model.read_bytes() == before


@every_copy
def test_functions_of_files_know_copies_too(model, copy):
    before = model.read_bytes()
    learn(model, LabelledDocuments([copy.decode("utf-8")], ["spam"]))
    forget(model, LabelledDocuments([ORIGINAL.decode()], ["spam"]))
    assert model.read_bytes() == before


@every_copy
def test_an_evaluation_knows_copies_without_a_message_id(copy):
    nameless, original = (text.decode("utf-8").replace("Message-ID", "X-Number") for text in (copy, ORIGINAL))
    corpus = make_corpus("mail", [nameless, "Subject: new\n\nlunch\n"], ["spam", "ham"], "", is_mail=True)
    assert evaluate(taught([original]), corpus).evaluation.n == 1


def test_every_copy_has_the_same_probabilities():
    found = taught().predict_log_proba(list(COPIES.values()))
    assert (found == found[0]).all()
