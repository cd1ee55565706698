"""What audit and diff say of mail, given as mailboxes with their class."""

import pytest
from mail_samples import mboxrd, message, messages

MAILBOXES = ("spam=spam.mbox", "ham=ham.mbox")
ODD = message("Lunch and a meeting tomorrow, thanks\n", "=?utf-8?q?R=C3=A9union=1B[31m?=", 5000)


@pytest.fixture
def mailboxes(textnb, tmp_path):
    """Two mailboxes, one message of which is in the wrong one."""
    (tmp_path / "spam.mbox").write_bytes(mboxrd([*messages("spam", 30), ODD]))
    (tmp_path / "ham.mbox").write_bytes(mboxrd(messages("ham", 30)))
    (tmp_path / "new.mbox").write_bytes(mboxrd(messages("ham", 34)[30:]))
    (tmp_path / "newer.mbox").write_bytes(mboxrd(messages("spam", 33)[30:]))


def test_audit_judges_mail_by_the_model_that_training_starts_with(textnb, mailboxes):
    def suspicious(*options):
        return textnb("audit", *MAILBOXES, "--json", "--quiet", *options).json["suspicious_labels"]

    own = suspicious()
    assert own == suspicious("--model", "robinson", "--weights", "binary", "--alpha", "0.0178")
    assert own != suspicious("--model", "complement", "--weights", "log-tfidf")
    assert [entry["where"] for entry in own[:1]] == ["spam.mbox:31"]
    as_words = suspicious("--model", "complement")  # the literature's weights for mail
    assert as_words == suspicious("--model", "complement", "--weights", "binary")


def test_audit_lists_messages_by_subject_and_sender(textnb, mailboxes):
    out = textnb("audit", *MAILBOXES).out
    assert "Réunion [31m - Sender <sender50…" in out
    assert "Return-Path" not in out


def test_audit_compares_with_new_mailboxes(textnb, mailboxes):
    done = textnb("audit", *MAILBOXES, "--new", "ham=new.mbox", "--new", "spam=newer.mbox", "--json")
    assert done.code == 0
    places = {entry["where"] for entry in done.json["novelty"]}
    assert places == {f"new.mbox:{i}" for i in range(1, 5)} | {f"newer.mbox:{i}" for i in range(1, 4)}
    assert "Sender <send" in textnb("audit", *MAILBOXES, "--new", "ham=new.mbox").out.rpartition("newest")[2]
    refused = textnb("audit", *MAILBOXES, "--new", "new.mbox", "--new", "newer.mbox")
    assert (refused.code, refused.out) == (2, "")
    assert "give one corpus, or each source with its class, as LABEL=new.mbox LABEL=newer.mbox" in refused.err


def test_diff_tries_models_on_mailboxes(textnb, mailboxes):
    settings = ("--model", "multinomial", "--weights", "counts", "--quiet")
    assert textnb("train", *MAILBOXES, *settings, "--output", "a.tnb").code == 0
    assert textnb("learn", "start.tnb", "--label", "ham", "spam.mbox").code == 0
    assert textnb("learn", "start.tnb", "--label", "spam", "ham.mbox").code == 0
    done = textnb("diff", "a.tnb", "start.tnb", "ham=new.mbox", "spam=newer.mbox", "--json")
    assert done.code == 0
    found = done.json["corpus"]
    assert (found["corpus"], found["n_documents"]) == ("ham=new.mbox spam=newer.mbox", 7)
    assert {flip["true"] for flip in found["flips"]} == {"ham", "spam"}
    assert {flip["verdict"] for flip in found["flips"]} == {"worse"}
    refused = textnb("diff", "a.tnb", "start.tnb", "new.mbox", "newer.mbox")
    assert (refused.code, refused.out) == (2, "")
    assert "as LABEL=new.mbox LABEL=newer.mbox" in refused.err
