"""What a saved model has learned: all but the test part, or everything, and `train` says which."""

import json

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_train import KEYS, write_split_folder

import textnb as library

RECIPE = ("--model", "multinomial", "--weights", "counts")


def bytes_without_calibration(classifier, path):
    classifier.save(path)
    return path.read_bytes()


def of_all(**settings):
    texts, labels = zip(*mail(), strict=True)
    return library.TextClassifier("multinomial", "counts", **settings).fit(list(texts), list(labels))


@pytest.mark.parametrize("how", [(), ("--stream", "--ledger")])
def test_size_0_learns_everything(textnb, mail_csv, tmp_path, how):
    done = textnb("train", mail_csv, *RECIPE, *how, "--test-size", 0, "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert [key for key in KEYS if key not in ("log_loss", "ece")] == list(found)[:12]
    assert (found["n_train"], found["n_test"], found["n_learned"]) == (80, 0, 80)
    measures = ("accuracy", "accuracy_interval", "macro_f1", "per_class", "confusion_matrix")
    assert [found[name] for name in measures] == [None] * 5
    assert found["classes"] == ["ham", "spam"]
    saved = bytes_without_calibration(
        of_all(calibrate=not how, **({"ledger": True} if how else {})), tmp_path / "f.tnb"
    )
    assert (tmp_path / "mail.tnb").read_bytes() == saved
    said = textnb("train", mail_csv, *RECIPE, *how, "--test-size", 0)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "saved      mail.tnb, which has learned all 80 documents"
    assert "accuracy" not in said.out


def test_size_0_learns_a_test_part_too(textnb, tmp_path):
    write_split_folder(tmp_path / "mail")
    assert textnb("train", "mail", *RECIPE, "--test-size", 0, "--json").json["n_learned"] == 80
    assert textnb("train", "mail", *RECIPE, "--json").json["n_learned"] == 60


def test_pictures_need_an_evaluation(textnb, mail_csv):
    for option in ("--plot", "--reliability"):
        done = textnb("train", mail_csv, "--test-size", 0, option, "p.png")
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "--test-size 0" in done.err


def test_shares_of_all_and_more_are_refused(textnb, mail_csv):
    for share in (1, -0.1, 2):
        done = textnb("train", mail_csv, f"--test-size={share}")
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "--test-size" in done.err


@pytest.mark.parametrize("recipe", [RECIPE, (), ("--model", "complement", "--unknown", "token")])
def test_refit_adds_what_was_held_out(textnb, mail_csv, tmp_path, recipe):
    plain = textnb("train", mail_csv, *recipe, "-o", "tested.tnb", "--json").json
    done = textnb("train", mail_csv, *recipe, "-o", "refitted.tnb", "--refit", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json == plain | {"n_learned": 80, "model_file": "refitted.tnb"}  # the same evaluation
    tested, refitted = (library.load(tmp_path / name) for name in ("tested.tnb", "refitted.tnb"))
    ledger = tested.learner_.ledger
    held_out = [(text, label) for text, label in mail() if not ledger.knows([text])[0]]
    assert len(held_out) == plain["n_test"]
    texts, labels = zip(*held_out, strict=True)
    tested.learn(list(texts), list(labels)).save(tmp_path / "by_hand.tnb")
    assert (tmp_path / "refitted.tnb").read_bytes() == (tmp_path / "by_hand.tnb").read_bytes()
    assert refitted.calibration_ == tested.calibration_
    if recipe == RECIPE:
        counts, all_counts = refitted.learner_.counts, of_all().learner_.counts
        assert np.array_equal(counts.totals.toarray(), all_counts.totals.toarray())


def test_refit_of_a_stream(textnb, mail_csv, tmp_path):
    textnb("train", mail_csv, *RECIPE, "--stream", "--ledger", "-o", "all.tnb", "--test-size", 0)
    for source, stdin in ((mail_csv, b""), ("-", mail_csv.read_bytes())):
        done = textnb("train", source, *RECIPE, "--stream", "--ledger", "-o", "r.tnb", "--refit", "--json", stdin=stdin)
        assert (done.code, done.json["n_learned"]) == (0, 80)
        assert done.json["n_train"] + done.json["n_test"] == 80
        assert done.json["n_test"] > 0
        assert (tmp_path / "r.tnb").read_bytes() == (tmp_path / "all.tnb").read_bytes()


def test_it_says_what_the_model_has_learned(textnb, mail_csv):
    for options, learned in (
        ((), "56 of 80 documents (--refit learns all)"),
        (("--refit",), "all 80 documents"),
        (("--cv", 4), "all 80 documents"),
    ):
        done = textnb("train", mail_csv, *RECIPE, *options)
        assert done.out.splitlines()[-1] == f"saved      mail.tnb, which has learned {learned}"


def test_refit_where_it_makes_no_sense(textnb, mail_csv, tmp_path):
    rows = [{"text": text, "size": len(text), "label": label} for text, label in mail()]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for call, said in (
        (("train", mail_csv, "--refit", "--cv", 3), "--cv"),
        (("train", "t.jsonl", "--numeric", "size", "--refit"), "refit is for models of text"),
        (("train", "t.jsonl", "--numeric", "size", "--compact"), "compact files are for models of text"),
    ):
        done = textnb(*call)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert said in done.err
    assert textnb("train", "t.jsonl", "--numeric", "size", "--test-size", 0, "--json").json["n_learned"] == 80
