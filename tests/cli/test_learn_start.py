"""`textnb learn` as people use it: from nothing, from folders, by labels that people type."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import textnb as library
from textnb.storage import open_model
from textnb.workflow.near_misses import near_misses

ROOT = Path(__file__).parents[2]


def started(rows, path):
    """What `learn` makes of these (text, label) pairs."""
    texts, labels = zip(*rows, strict=True)
    classifier = library.TextClassifier("multinomial", "counts", alpha=0.5, calibrate=False)
    classifier.fit(texts, labels).save(path)
    return path.read_bytes()


# A model that is not there yet


def test_learn_starts_a_model(textnb, tmp_path):
    (tmp_path / "a.txt").write_text("cheap pills")
    done = textnb("learn", "new.tnb", "--label", "spam", "a.txt")
    assert (done.code, done.err) == (0, "")
    assert done.out == "started a new model; 1 learned; new.tnb has spam 1; 2 terms\n"
    assert textnb("predict", "new.tnb", stdin=b"anything").out == "spam\t1.0000\n"
    done = textnb("learn", "new.tnb", "--label", "ham", "--json", stdin=b"lunch at noon")
    assert "started" not in done.json
    assert textnb("predict", "new.tnb", stdin=b"lunch").out.startswith("ham\t")
    rows = [("cheap pills", "spam"), ("lunch at noon", "ham")]
    assert (tmp_path / "new.tnb").read_bytes() == started(rows, tmp_path / "whole.tnb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "new.tnb", "whole.tnb"]


def test_a_table_starts_a_model_that_remembers_its_columns(textnb, tmp_path):
    (tmp_path / "t.csv").write_text("body,kind\ncheap,spam\nlunch,ham\n")
    done = textnb("learn", "new.tnb", "t.csv", "--text", "body", "--label-column", "kind", "--json")
    assert (done.json["started"], done.json["classes"]) == (True, {"ham": 1, "spam": 1})
    assert textnb("learn", "new.tnb", "t.csv", "--json").json["classes"] == {"ham": 2, "spam": 2}


@pytest.mark.parametrize("content", [b"", b"! ?"])
def test_a_model_of_nothing_is_not_started(textnb, tmp_path, content):
    done = textnb("learn", "new.tnb", "--label", "ham", stdin=content)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_all_who_start_the_same_model_at_once_are_learned(tmp_path):
    words = [sys.executable, "-m", "textnb", "learn", "new.tnb", "--label", "ham"]

    def learn(i):
        told = f"message n{i}".encode()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(words, input=told, cwd=tmp_path, env=environment, capture_output=True, timeout=60)

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(learn, range(12)))
    assert [child.returncode for child in done] == [0] * 12
    assert sum(child.stdout.startswith(b"started a new model") for child in done) == 1
    rows = [(f"message n{i}", "ham") for i in range(12)]
    assert (tmp_path / "new.tnb").read_bytes() == started(rows, tmp_path / "whole.tnb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.tnb", "whole.tnb"]


# Labels that look like others misspelt


@pytest.mark.parametrize("label", ["Spam", "SPAM", " spam", "spam ", "spm", "spamm", "span", "sapm", "sp\u0430m"])
def test_a_label_that_is_nearly_a_known_one_is_refused_unless_it_is_meant(textnb, model, label):
    before = model.read_bytes()
    done = textnb("learn", model, "--label", label, stdin=b"cash")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "did you mean 'spam'?" in done.err
    assert "--new-class" in done.err
    assert model.read_bytes() == before
    assert label in textnb("learn", model, "--label", label, "--new-class", "--json", stdin=b"cash").json["classes"]


def test_tables_are_checked_before_anything_is_learned(textnb, model, tmp_path):
    before = model.read_bytes()
    (tmp_path / "more.csv").write_text("text,label\nlunch,ham\ncash,Spam\nbill,bills\n")
    done = textnb("learn", model, "more.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "textnb: more.csv: line 3: the model has no class 'Spam'; did you mean 'spam'? If it is a new class, say "
        "so (--new-class)\n"
    )
    assert model.read_bytes() == before
    assert textnb("learn", model, "more.csv", "--new-class").code == 0


def test_other_labels_simply_arrive(textnb, model):
    for label in ("bills", "spam mail", "2", "s", "ham-2"):
        assert textnb("learn", model, "--label", label, stdin=b"invoice").code == 0


@pytest.mark.parametrize(
    ("label", "known", "meant"),
    [
        ("HAM", ["ham", "spam"], "ham"),
        ("sci.spase", ["sci.med", "sci.space"], "sci.space"),
        ("not  spam", ["Not Spam"], "Not Spam"),
        ("straße", ["STRASSE"], "STRASSE"),
        ("A", ["a", "b"], "a"),
        ("jam", ["ham"], "ham"),
        ("b", ["a"], None),
        ("no", ["go"], None),
        ("2", ["1"], None),
        ("2020", ["2019", "2021"], None),
        ("topic 2", ["topic 1"], None),
        ("group b", ["group a"], None),
        ("v1.5", ["v1.4", "v15"], None),
        ("sci_med", ["sci.med"], None),
        ("spammers", ["spam"], None),
        ("masp", ["spam"], None),
        ("spam", ["spam", "spem"], None),
        ("x" * 5000, ["x" * 5001], None),
    ],
)
def test_what_a_near_miss_is(label, known, meant):
    assert near_misses([label], known) == ({} if meant is None else {label: meant})


def test_many_labels_are_compared_in_no_time():
    known = [f"class of number {n:x}" for n in range(10_000)]
    assert near_misses([f"kind of number {n:x}" for n in range(10_000)], known) == {}


# Folders


def test_with_a_label_a_folder_is_walked(textnb, model, tmp_path):
    for name in ("box/a.txt", "box/deep/er/b.txt", "box/.hidden", "box/.git/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"lunch {name}")
    (tmp_path / "box" / "empty.txt").touch()
    (tmp_path / "box" / "link").symlink_to(tmp_path)
    done = textnb("learn", model, "--label", "ham", "box", "--json")
    assert (done.code, done.json["learned"]) == (0, 2)
    assert done.json["skipped"] == [
        {"where": "box/link", "why": "it is a link to a folder, which is not followed"},
        {"where": "box/empty.txt", "why": "it is empty"},
    ]
    assert textnb("forget", model, "--label", "ham", "box", "--json").json["forgotten"] == 2
    done = textnb("learn", model, "--label", "ham", "box", "--strict")
    assert (done.code, done.out) == (2, "")


def test_empty_documents_and_such_that_are_no_text_are_skipped_when_training(textnb, tmp_path):
    for label, word in (("ham", "lunch"), ("spam", "cash")):
        (tmp_path / "mail" / label).mkdir(parents=True)
        for n in range(8):
            (tmp_path / "mail" / label / f"{n}.txt").write_text(f"{word} {n}0")
    (tmp_path / "mail" / "ham" / "blank.txt").write_text("\n\n")
    (tmp_path / "mail" / "spam" / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    (tmp_path / "mail" / "spam" / "wide.txt").write_bytes("cash für dich".encode("utf-16"))
    done = textnb("train", "mail", "--json", "--model", "multinomial")
    assert done.json["n_train"] + done.json["n_test"] == 17
    assert [entry["where"] for entry in done.json["skipped"]] == ["ham/blank.txt", "spam/photo.jpg"]
    rows = "".join(f"{word} {n},{label}\n" for n in range(9) for word, label in (("lunch", "ham"), ("cash", "spam")))
    (tmp_path / "t.csv").write_text(f'text,label\n{rows}" ",ham\n,spam\n')
    for how in ([], ["--stream"]):
        done = textnb("train", "t.csv", "--json", "--model", "multinomial", *how)
        assert done.json["n_train"] + done.json["n_test"] == 18
        assert len(done.json["skipped"]) == 2


def test_the_folder_is_left_as_it_was(textnb, model, tmp_path):
    before = {path.name for path in tmp_path.iterdir()}
    assert textnb("learn", model, "--label", "ham", stdin=b"lunch").code == 0
    assert textnb("forget", model, "--label", "ham", stdin=b"lunch").code == 0
    assert textnb("merge", "-o", model, model, model, "--overwrite").code == 0
    assert {path.name for path in tmp_path.iterdir()} == before
    assert open_model(model).settings["n_documents"] > 0


def test_documents_without_a_class_are_asked_for_it(textnb, tmp_path):
    (tmp_path / "message.txt").write_text("cheap pills")
    done = textnb("learn", "new.tnb", "message.txt")
    assert (done.code, done.err) == (
        2,
        "textnb: which class is message.txt of? Give --label, as in --label spam message.txt\n",
    )


def test_a_folder_that_is_not_there_is_named(textnb, tmp_path):
    (tmp_path / "message.txt").write_text("cheap pills")
    done = textnb("learn", "nowhere/new.tnb", "--label", "spam", "message.txt")
    assert (done.code, done.err) == (2, "textnb: nowhere: No such file or directory; check the path\n")


def test_forgetting_under_a_misspelt_label_is_pointed_out(textnb, model, tmp_path):
    (tmp_path / "message.txt").write_text("cheap pills")
    assert (
        "the model has no class 'spma'; did you mean 'spam'?"
        in textnb("forget", model, "--label", "spma", "message.txt").err
    )


def test_a_ceiling_needs_the_class_it_protects(textnb, mail_csv):
    for options in (("--ceiling", "0.01"), ("--protect", "ham")):
        assert "--protect and --ceiling come together" in textnb("train", mail_csv, *options).err
