"""`textnb learn` and `textnb forget`: documents into a saved model, and out of it again."""

import errno
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import mail

import textnb as library
from textnb.estimators.mixed_file import save_mixed

ROOT = Path(__file__).parents[2]
OLD_MODEL = ROOT / "tests" / "golden_models" / "format-1-complement.tnb"
NEW = "claim your bitcoin prize"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + bytes(range(256))


def fitted(rows, path, **settings):
    """A model of these (text, label) pairs, saved; its bytes."""
    texts, labels = zip(*rows, strict=True)
    library.TextClassifier(calibrate=False, **settings).fit(texts, labels).save(path)
    return path.read_bytes()


@pytest.fixture
def small(tmp_path):
    """A model of counts that knows four messages."""
    rows = [("cheap pills", "spam"), ("free cheap prize", "spam"), ("lunch at noon", "ham"), ("minutes", "ham")]
    fitted(rows, tmp_path / "small.tnb", weights="counts")
    return tmp_path / "small.tnb"


# Learning


def test_learning_files_is_fitting_them_too(textnb, small, tmp_path):
    texts = {"a.txt": NEW, "b.txt": "minutes of lunch"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    done = textnb("learn", small, "--label", "ham", *texts)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"2 learned; {small} has ham 4, spam 2; 12 terms\n"
    rows = [("cheap pills", "spam"), ("free cheap prize", "spam"), ("lunch at noon", "ham"), ("minutes", "ham")]
    rows += [(text, "ham") for text in texts.values()]
    assert small.read_bytes() == fitted(rows, tmp_path / "whole.tnb", weights="counts")


def test_new_words_and_new_classes_simply_arrive(textnb, model):
    assert textnb("learn", model, "--label", "bills", stdin=b"invoice overdue, pay the invoice").code == 0
    answer = textnb("predict", model, "--json", stdin=b"overdue invoice").json
    assert answer["label"] == "bills"
    assert set(answer["probabilities"]) == {"bills", "ham", "spam"}


@pytest.mark.parametrize("source", [[], ["-"]])
def test_stdin_is_a_document_or_one_a_line(textnb, small, source):
    assert textnb("learn", small, *source, "--label", "ham", "--json", stdin=b"one\ntwo\n").json["learned"] == 1
    done = textnb("learn", small, *source, "--label", "ham", "--lines", "--json", stdin=b"one\ntwo\n")
    assert (done.json["learned"], done.json["classes"]) == (2, {"ham": 5, "spam": 2})


def test_labelled_tables_and_folders(textnb, small, tmp_path):
    (tmp_path / "more.csv").write_text("body,kind\nfree cash,spam\nagenda,ham\n")
    (tmp_path / "more.jsonl").write_text('{"body": "bill", "kind": "bills"}\n')
    columns = ("--text", "body", "--label-column", "kind")
    done = textnb("learn", small, "more.csv", "more.jsonl", *columns, "--json")
    assert done.json["classes"] == {"bills": 1, "ham": 3, "spam": 3}
    folder = tmp_path / "folder" / "ham"
    folder.mkdir(parents=True)
    (folder / "1.txt").write_text("dinner")
    assert textnb("learn", small, "folder", "--json").json["classes"] == {"bills": 1, "ham": 4, "spam": 3}


def test_json_says_what_became_of_documents_and_model(textnb, small):
    found = textnb("learn", small, "--label", "spam", "--json", stdin=NEW.encode()).json
    assert found == {
        "model_file": str(small),
        "learned": 1,
        "classes": {"ham": 2, "spam": 3},
        "n_terms": 11,
    }


def test_large_counts_are_written_out(textnb, tmp_path):
    rows = [("cheap", "spam"), ("lunch", "ham")]
    fitted(rows, tmp_path / "m.tnb", ledger=False, weights="counts")
    from textnb.model.update import merge_models

    for _ in range(20):
        merge_models(tmp_path / "m.tnb", [tmp_path / "m.tnb"] * 2)
    assert "ham 1,048,577, spam 1,048,576;" in textnb("learn", "m.tnb", "--label", "ham", stdin=b"lunch").out
    assert re.search(r"spam +1,048,576 ", textnb("inspect", "m.tnb").out)


# Once


def test_once_leaves_known_documents_and_moves_relabelled_ones(textnb, model):
    def learn_once(label):
        found = textnb("learn", model, "--label", label, "--once", "--json", stdin=NEW.encode()).json
        return found["learned"], found["known"], found["moved"]

    before = model.read_bytes()
    assert learn_once("spam") == (1, 0, 0)
    taught = model.read_bytes()
    assert learn_once("spam") == (0, 1, 0)
    assert model.read_bytes() == taught
    assert learn_once("ham") == (0, 0, 1)
    assert learn_once("spam") == (0, 0, 1)
    assert model.read_bytes() == taught
    assert textnb("forget", model, "--label", "spam", stdin=NEW.encode()).code == 0
    assert model.read_bytes() == before


def test_once_says_so_in_words(textnb, small):
    done = textnb("learn", small, "--label", "spam", "--once", "--lines", stdin=b"cheap pills\nminutes\nfree\n")
    assert done.out == f"1 learned, 1 known, 1 moved; {small} has ham 1, spam 4; 8 terms\n"


def test_once_needs_a_ledger(textnb, mail_csv):
    assert textnb("train", mail_csv, "--no-ledger", "--output", "m.tnb").code == 0
    done = textnb("learn", "m.tnb", "--label", "ham", "--once", stdin=b"lunch")
    assert done.code == 2
    assert "needs the ledger" in done.err


# Forgetting


@pytest.mark.parametrize("weights", ["counts", "binary", "tfidf", "log-tfidf"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_forget_undoes_learn_to_the_byte(textnb, mail_csv, tmp_path, weights, unknown):
    textnb("train", mail_csv, "--weights", weights, "--unknown", unknown, "--output", "m.tnb", "--min-df", "2")
    before = (tmp_path / "m.tnb").read_bytes()
    (tmp_path / "later.csv").write_text(f"text,label\n{NEW},spam\npizza for lunch,ham\nyour invoice,bill\n")
    assert textnb("learn", "m.tnb", "later.csv").code == 0
    assert (tmp_path / "m.tnb").read_bytes() != before
    done = textnb("forget", "m.tnb", "later.csv", "--json")
    assert done.json["forgotten"] == 3
    assert (tmp_path / "m.tnb").read_bytes() == before


def test_forgetting_what_was_not_learned_names_it_and_changes_nothing(textnb, model, tmp_path):
    before = model.read_bytes()
    (tmp_path / "some.csv").write_text(f"text,label\n{mail()[0][0]},ham\nnever seen,ham\n")
    done = textnb("forget", model, "some.csv")
    assert (done.code, done.out) == (2, "")
    assert re.search(r"textnb: some.csv: line 3 was not learned as ham", done.err)
    (tmp_path / "other.txt").write_text("never seen")
    assert "textnb: other.txt was not learned as ham" in (textnb("forget", model, "--label", "ham", "other.txt").err)
    assert model.read_bytes() == before


def test_a_model_without_a_ledger_forgets_what_its_counts_can_do_without(textnb, mail_csv, tmp_path):
    textnb("train", mail_csv, "--no-ledger", "--weights", "counts", "--output", "m.tnb")
    before = (tmp_path / "m.tnb").read_bytes()
    assert textnb("learn", "m.tnb", "--label", "ham", stdin=NEW.encode()).code == 0
    assert textnb("forget", "m.tnb", "--label", "ham", stdin=NEW.encode()).code == 0
    assert (tmp_path / "m.tnb").read_bytes() == before
    done = textnb("forget", "m.tnb", "--label", "ham", stdin=b"an unheard-of word")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert (tmp_path / "m.tnb").read_bytes() == before


def test_a_class_of_which_nothing_is_left_goes(textnb, small):
    done = textnb("forget", small, "--label", "spam", "--lines", stdin=b"cheap pills\nfree cheap prize\n")
    assert done.out == f"2 forgotten; {small} has ham 2; 4 terms\n"
    assert textnb("predict", small, stdin=b"cheap pills").out == "ham\t1.0000\n"


def test_a_model_of_nothing_is_not_made(textnb, tmp_path):
    before = fitted([("cheap", "spam"), ("lunch", "ham")], tmp_path / "m.tnb")
    (tmp_path / "all.csv").write_text("text,label\ncheap,spam\nlunch,ham\n")
    done = textnb("forget", "m.tnb", "all.csv")
    assert done.code == 2
    assert "nothing would be left of m.tnb" in done.err
    assert (tmp_path / "m.tnb").read_bytes() == before


# What cannot be read


def test_files_that_cannot_be_read_are_an_error_but_the_others_are_learned(textnb, small, tmp_path):
    (tmp_path / "a.txt").write_text(NEW)
    (tmp_path / "blank.txt").write_text(" \n\t")
    (tmp_path / "picture.txt").write_bytes(JPEG)
    done = textnb("learn", small, "--label", "spam", "missing.txt", "a.txt", "blank.txt", "picture.txt")
    assert done.code == 2
    assert done.out.startswith("1 learned; ")
    missing, blank, picture = done.err.splitlines()
    assert missing == "textnb: missing.txt: No such file or directory; check the path"
    assert blank == "textnb: blank.txt: it is empty"
    assert picture.startswith("textnb: picture.txt: it is no text")
    assert library.load(small).n_documents_ == 5


def test_strict_stops_before_anything_is_learned(textnb, small, tmp_path):
    before = small.read_bytes()
    (tmp_path / "a.txt").write_text(NEW)
    (tmp_path / "bad.jsonl").write_text('{"text": "fine", "label": "ham"}\n{"text": 1, "label": "ham"}\n')
    for call in (("--label", "spam", "a.txt", "missing.txt"), ("bad.jsonl",)):
        done = textnb("learn", small, *call, "--strict")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert small.read_bytes() == before


def test_bad_rows_are_skipped_and_reported(textnb, small, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"text": "fine", "label": "ham"}\n{"text": 1, "label": "ham"}\n')
    (tmp_path / "good.csv").write_text("text,label\nfine,ham\n")
    done = textnb("learn", small, "good.csv", "bad.jsonl", "--json")
    assert (done.code, done.json["learned"]) == (0, 2)
    assert done.json["skipped"] == [{"where": "bad.jsonl: line 2", "why": "its 'text' is not a string"}]
    assert done.err == "textnb: skipped bad.jsonl: line 2: its 'text' is not a string\n"
    assert textnb("learn", small, "bad.jsonl").err == "textnb: skipped line 2: its 'text' is not a string\n"
    assert textnb("learn", small, "bad.jsonl", "--quiet").err == ""


# The call, and what its message must say.
WRONG = [
    ("learn", "MODEL.*textnb learn --help"),
    ("forget", "MODEL.*textnb forget --help"),
    ("forget missing.tnb --label ham", "missing.tnb: No such file or directory; check the path"),
    ("learn missing/new.tnb --label ham", "missing: No such file or directory; check the path"),
    ("learn small.tnb", "which class.*--label"),
    ("learn small.tnb --label ham missing.txt", "no document.*missing.txt: No such file"),
    ("learn small.tnb --label ham --lines empty.txt", "no document"),
    ("learn small.tnb empty.csv", "empty.csv.*empty"),
    ("learn small.tnb plain.txt", "which class is plain.txt of"),
    ("learn small.tnb more.csv --text body", "no column 'body'"),
    ("learn plain.txt --label ham", "'plain.txt' is not a textnb model file"),
    ("learn old.tnb --label ham", "older textnb.*train the model again"),
    ("forget old.tnb --label ham", "older textnb.*train the model again"),
    ("learn columns.tnb --label ham", "columns.tnb is a model of columns.*train it again"),
    ("forget columns.tnb --label ham", "columns.tnb is a model of columns.*train it again"),
    ("learn small.tnb --label ham --onec", "--onec.*--once"),
    ("learn small.tnb more.csv --label label", "more.csv is a table.*--label-column.*stdin"),
    ("forget small.tnb more.jsonl.gz --label ham", "more.jsonl.gz is a table"),
    ("learn small.tnb plain.txt --label ham --text body", "--text is for labelled documents.*--label-column"),
    ("learn small.tnb --lines", "which class.*--label"),
    ("learn small.tnb more.csv --lines", "which class.*--label"),
    ("learn small.tnb plain.txt --label=", "--label is empty"),
]


@pytest.fixture
def files(small, tmp_path):
    (tmp_path / "plain.txt").write_text("just text, and enough of it to be longer than any header of a model file is")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "more.csv").write_text("text,label\nfree cash,spam\n")
    (tmp_path / "old.tnb").write_bytes(OLD_MODEL.read_bytes())
    columns = library.MixedNB([("n", library.GaussianNB(), [0])]).fit(np.array([[1.0], [2], [8], [9]]), list("aabb"))
    save_mixed(columns, tmp_path / "columns.tnb")


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_a_wrong_call_is_one_line_and_changes_nothing(textnb, files, tmp_path, call, said):
    before = {path: path.read_bytes() for path in tmp_path.glob("*.tnb")}
    done = textnb(*call.split(), stdin=b"some text")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.search(said, done.err)
    assert {path: path.read_bytes() for path in tmp_path.glob("*.tnb")} == before
    assert not list(tmp_path.glob(".missing*"))


# Labels


def test_classes_that_are_numbers(textnb, tmp_path):
    fitted([("cheap pills", 1), ("lunch", 2)], tmp_path / "m.tnb")
    assert textnb("learn", "m.tnb", "--label", "2", "--json", stdin=b"dinner").json["classes"] == {"1": 1, "2": 2}
    assert textnb("learn", "m.tnb", "--label", "30", "--json", stdin=b"bill").json["classes"] == {
        "1": 1,
        "2": 2,
        "30": 1,
    }
    assert library.load(tmp_path / "m.tnb").classes_.tolist() == [1, 2, 30]
    before = (tmp_path / "m.tnb").read_bytes()
    for wrong in ("spam", "2.0", "02", "٣", "9" * 30):
        done = textnb("learn", "m.tnb", "--label", wrong, stdin=b"dinner")
        assert done.code == 2
        assert "the classes of the model are numbers, such as 1" in done.err
    assert (tmp_path / "m.tnb").read_bytes() == before
    assert textnb("forget", "m.tnb", "--label", "30", "--json", stdin=b"bill").json["classes"] == {"1": 1, "2": 2}


def test_a_hostile_label_does_nothing_to_the_terminal(textnb, small):
    assert "\x1b" not in textnb("learn", small, "--label", "\x1b[2Jham", stdin=b"lunch").out


def test_the_ledger_is_kept_unless_refused(textnb, mail_csv):
    for option, size in (("--ledger", 56), ("--no-ledger", None)):
        assert textnb("train", mail_csv, option, "--output", "m.tnb").code == 0
        assert textnb("inspect", "m.tnb", "--json").json["learning"]["ledger"] == size


def test_a_folder_that_cannot_be_flushed_is_a_notice(textnb, small, monkeypatch):
    """The model was written, and the command failed: on the second try the document was learned twice."""

    def refuse_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("os.fsync", refuse_folders)
    before = textnb("inspect", small, "--json").json["n_documents"]
    done = textnb("learn", small, "--label", "spam", stdin=b"more cash")
    assert done.code == 0
    assert "the model is written, but its folder" in done.err
    assert textnb("inspect", small, "--json").json["n_documents"] == before + 1
