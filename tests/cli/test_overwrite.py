"""Nothing is overwritten unasked: not an input, not what is no model, not what a model knows and this run does not."""

import json
import os

import pytest
from cli.conftest import mail

import textnb as library
from textnb.workflow import outputs, train

RECIPE = ("--model", "multinomial", "--weights", "counts")


def refused(done, *said):
    """One line that says why and how to go on, and exit code 2."""
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert "--overwrite" in done.err
    for words in said:
        assert words in done.err
    return True


def write_rows(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    return path


@pytest.mark.parametrize("name", ["mail.csv", "./mail.csv", "link.csv", "hard.csv", "folder/../mail.csv"])
@pytest.mark.parametrize("command", [("train",), ("count",), ("train", "--stream")])
def test_the_corpus_itself(textnb, mail_csv, tmp_path, command, name):
    before = mail_csv.read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.csv").symlink_to(mail_csv)
    os.link(mail_csv, tmp_path / "hard.csv")
    refused(textnb(*command, "mail.csv", "-o", name, *RECIPE), "one of the inputs")
    assert mail_csv.read_bytes() == before


@pytest.mark.parametrize("command", [("train", "mail.csv"), ("count", "mail.csv"), ("train", "mail.csv", "--stream")])
def test_a_file_that_is_no_model(textnb, mail_csv, tmp_path, monkeypatch, command):
    notes = tmp_path / "notes.tnb"
    notes.write_text("a diary")
    refused(textnb(*command, "-o", "notes.tnb", *RECIPE), "notes.tnb", "not a model")
    assert notes.read_text() == "a diary"
    assert textnb(*command, "-o", "notes.tnb", *RECIPE, "--overwrite").code == 0
    assert library.load(notes).n_documents_


def test_it_is_refused_before_anything_is_read(textnb, tmp_path):
    (tmp_path / "notes.tnb").write_text("a diary")
    refused(textnb("train", "missing.csv", "-o", "notes.tnb"), "not a model")


@pytest.mark.parametrize("how", [("train",), ("count", "--ledger"), ("train", "--stream", "--ledger")])
def test_training_again_on_the_same_corpus_needs_no_flag(textnb, mail_csv, how):
    for seed in ((), ("--seed", 3), ("--test-size", 0.5)):
        seeds = seed if how[0] == "train" else ()
        assert textnb(*how, mail_csv, "-o", "mail.tnb", *RECIPE, *seeds).code == 0


def test_a_corrected_label_is_the_same_document(textnb, tmp_path):
    write_rows(tmp_path / "mail.jsonl", mail())
    assert textnb("train", "mail.jsonl", *RECIPE).code == 0
    write_rows(
        tmp_path / "mail.jsonl", [(text, "spam" if i % 9 == 0 else label) for i, (text, label) in enumerate(mail())]
    )
    assert textnb("train", "mail.jsonl", *RECIPE).code == 0


@pytest.mark.parametrize("how", [("train",), ("count",), ("train", "--stream"), ("train", "--cv", "3")])
def test_a_model_that_has_learned_since(textnb, mail_csv, tmp_path, how):
    assert textnb("train", mail_csv, *RECIPE).code == 0
    assert textnb("learn", "mail.tnb", "--label", "ham", stdin=b"a message of today").code == 0
    before = (tmp_path / "mail.tnb").read_bytes()
    done = textnb(*how, mail_csv, "-o", "mail.tnb", *RECIPE)
    refused(done, "mail.tnb", "1 document that this run does not know")
    assert (tmp_path / "mail.tnb").read_bytes() == before
    assert textnb(*how, mail_csv, "-o", "mail.tnb", *RECIPE, "--overwrite").code == 0
    assert (tmp_path / "mail.tnb").read_bytes() != before


def test_it_is_refused_before_training(textnb, mail_csv, tmp_path, monkeypatch):
    textnb("train", mail_csv, *RECIPE)
    textnb("learn", "mail.tnb", "--label", "ham", stdin=b"a message of today")
    monkeypatch.setattr(library.TextClassifier, "fit", lambda *_, **__: pytest.fail("it was trained"))
    refused(textnb("train", mail_csv, *RECIPE))


def test_without_a_ledger_by_number(textnb, mail_csv, tmp_path):
    rows = [*mail(), ("one more", "ham")]
    write_rows(tmp_path / "more.jsonl", rows)
    assert textnb("count", "more.jsonl", "-o", "m.tnb").code == 0
    refused(textnb("train", mail_csv, "-o", "m.tnb", *RECIPE), "81 documents", "80")
    write_rows(tmp_path / "same.jsonl", rows[:80])
    assert textnb("count", "same.jsonl", "-o", "same.tnb").code == 0
    assert textnb("train", mail_csv, "-o", "same.tnb", *RECIPE).code == 0


def test_what_a_stream_has_learned_is_kept_beside(textnb, mail_csv, tmp_path):
    """A stream knows its documents only at its end: by then an hour may have gone into it."""
    textnb("train", mail_csv, *RECIPE)
    textnb("learn", "mail.tnb", "--label", "ham", stdin=b"a message of today")
    (tmp_path / "mail-2.tnb").write_text("taken")
    for name in ("mail-3.tnb", "mail-4.tnb"):
        done = textnb("train", "-", "-o", "mail.tnb", *RECIPE, stdin=mail_csv.read_bytes())
        refused(done, f"saved in {name}")
        assert library.load(tmp_path / name).n_documents_ > 40
    assert (tmp_path / "mail-2.tnb").read_text() == "taken"


def test_what_somebody_learned_while_this_run_was_training_is_not_lost(textnb, mail_csv, tmp_path, monkeypatch):
    textnb("train", mail_csv, *RECIPE)
    lock = outputs.writer_lock

    def learn_first(path):
        monkeypatch.setattr(outputs, "writer_lock", lock)
        assert textnb("learn", "mail.tnb", "--label", "ham", stdin=b"a message of today").code == 0
        return lock(path)

    monkeypatch.setattr(outputs, "writer_lock", learn_first)
    refused(textnb("train", mail_csv, *RECIPE), "saved in mail-2.tnb")
    assert library.load(tmp_path / "mail.tnb").n_documents_ == 57
    assert library.load(tmp_path / "mail-2.tnb").n_documents_ == 56


def test_a_file_in_the_folder_that_is_read(textnb, tmp_path):
    for number, (text, label) in enumerate(mail()):
        (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mail" / label / f"{number}.txt").write_text(text)
    assert textnb("train", "mail", "-o", "mail/model.tnb", *RECIPE).code == 0  # in no class folder: not a document
    assert textnb("train", "mail", "-o", "mail/model.tnb", *RECIPE).code == 0
    (tmp_path / "mail/model.tnb").rename(tmp_path / "mail/ham/model.tnb")
    refused(textnb("train", "mail", "-o", "mail/ham/model.tnb", *RECIPE), "one of the inputs")


def test_a_table_of_columns(textnb, tmp_path):
    rows = [f"{text},{len(text)},{label}" for text, label in mail()]
    (tmp_path / "mail.csv").write_text("\n".join(["text,size,label", *rows]))
    for columns in (("--numeric", "size"), ("--numeric", "size", "--seed", 2)):
        assert textnb("train", "mail.csv", *columns).code == 0
    (tmp_path / "few.csv").write_text("\n".join(["text,size,label", *rows[::4]]))
    refused(textnb("train", "few.csv", "--numeric", "size", "-o", "mail.tnb"), "56 documents")


def test_a_checkpoint_is_no_place_for_a_model(textnb, mail_csv, model, tmp_path):
    refused(textnb("train", mail_csv, "--checkpoint", model, "-o", "new.tnb", *RECIPE), "no checkpoint")
    (tmp_path / "notes.part").write_text("a diary")
    refused(textnb("train", mail_csv, "--checkpoint", "notes.part", "-o", "new.tnb", *RECIPE), "notes.part")
    assert (tmp_path / "notes.part").read_text() == "a diary"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures(textnb, mail_csv, model, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"picture.{suffix}"
    for command in (("evaluate", model, mail_csv), ("train", mail_csv, *RECIPE)):
        assert textnb(*command, "--plot", picture).code == 0  # another time, it is the picture of the last
        drawn = picture.read_bytes()
        picture.write_bytes(b"my holidays")
        refused(textnb(*command, "--plot", picture), f"picture.{suffix}")
        refused(textnb(*command, "--reliability", picture), f"picture.{suffix}")
        assert picture.read_bytes() == b"my holidays"
        assert textnb(*command, "--plot", picture, "--overwrite").code == 0
        assert picture.read_bytes()[:5] == drawn[:5]
    picture.write_bytes(b"my holidays")
    refused(textnb("tune", mail_csv, *RECIPE, "--plot", picture), f"picture.{suffix}")


@pytest.mark.parametrize(
    ("one", "other"),
    [("output", "plot"), ("output", "reliability"), ("plot", "reliability"), ("checkpoint", "plot")],
)
def test_two_outputs_are_two_files(textnb, mail_csv, tmp_path, one, other):
    done = textnb("train", mail_csv, *RECIPE, f"--{one}", "p.png", f"--{other}", "./p.png")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"--{one}" in done.err
    assert f"--{other}" in done.err
    assert not (tmp_path / "p.png").exists()


def test_the_library_is_as_careful(mail_csv, tmp_path):
    output = tmp_path / "notes.tnb"
    output.write_text("a diary")
    with pytest.raises(ValueError, match="not a model"):
        train(mail_csv, model="multinomial", weights="counts", output=output)
    train(mail_csv, model="multinomial", weights="counts", output=output, overwrite=True)
    assert library.load(output).n_documents_ == 56


def test_a_model_without_a_ledger_of_other_classes_is_not_replaced(textnb, mail_csv, tmp_path):
    assert textnb("count", mail_csv, "-o", "day.tnb").code == 0
    before = (tmp_path / "day.tnb").read_bytes()
    (tmp_path / "other.csv").write_text("text,label\n" + "goal,sport\nvote,politics\n" * 50)
    done = textnb("count", "other.csv", "-o", "day.tnb")
    assert done.code == 2
    assert "it knows the class 'ham', which this run does not have" in done.err
    assert (tmp_path / "day.tnb").read_bytes() == before
    assert textnb("count", mail_csv, "-o", "day.tnb").code == 0


def test_a_refused_compact_leaves_nothing_beside(textnb, mail_csv, tmp_path):
    textnb("train", mail_csv, "-o", "big.tnb", "--test-size", "0")
    textnb("train", mail_csv, "-o", "small.tnb")
    done = textnb("compact", "small.tnb", "-o", "big.tnb")
    assert done.code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.tnb", "mail.csv", "small.tnb"]
