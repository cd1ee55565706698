"""`textnb train`: what it reads, prints and writes."""

import csv
import gzip
import json
import re

import numpy as np
import pytest
import scipy.stats
from cli.conftest import mail

import textnb as library

KEYS = [
    *("corpus", "edition", "classes", "n_train", "n_test", "settings"),
    *("accuracy", "accuracy_interval", "macro_f1", "per_class", "confusion_matrix", "model_file", "log_loss", "ece"),
]
TUNED_KEYS = [*KEYS, "calibration", "n_learned", "choice"]


def write_csv(path, delimiter=",", header=("text", "label")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *mail()])


def write_jsonl(path):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in mail()))


def write_gzip(path):
    write_jsonl(path.with_suffix(""))
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))


def write_folder(path):
    for number, (text, label) in enumerate(mail()):
        (path / label).mkdir(parents=True, exist_ok=True)
        (path / label / f"{number}.txt").write_text(text)


def write_split_folder(path):
    for number, (text, label) in enumerate(mail()):
        folder = path / ("test" if number % 4 == 0 else "train") / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(text)


GIVEN = ("--model", "multinomial")  # so that nothing is chosen, which takes its time


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("mail.csv", write_csv),
        ("mail.tsv", lambda path: write_csv(path, "\t")),
        ("mail.jsonl", write_jsonl),
        ("mail.jsonl.gz", write_gzip),
        ("mail", write_folder),
    ],
)
def test_every_kind_of_input_gives_the_same_result(textnb, tmp_path, name, write):
    write(tmp_path / name)
    done = textnb("train", name, *GIVEN, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["corpus"] == name
    assert (done.json["n_train"], done.json["n_test"]) == (56, 24)
    assert done.json["model_file"] == "mail.tnb"
    assert (tmp_path / "mail.tnb").is_file()
    write_csv(tmp_path / "other.csv")
    if write is not write_folder:  # there documents stand in another order, so the split is another
        assert textnb("train", "other.csv", *GIVEN, "--json").json["confusion_matrix"] == done.json["confusion_matrix"]


def test_json_has_the_promised_keys_and_plain_values(textnb, mail_csv):
    found = textnb("train", mail_csv, "--json").json
    assert [key for key in found if key != "auc"] == TUNED_KEYS
    assert found["classes"] == ["ham", "spam"]
    assert found["settings"]["model"] == found["choice"]["best"]["model"]
    assert found["settings"]["evaluated_on"] == "30% held out at random"
    matrix = np.array(found["confusion_matrix"])
    assert matrix.sum() == found["n_test"]
    assert found["accuracy"] == pytest.approx(np.trace(matrix) / matrix.sum())
    assert [row["class"] for row in found["per_class"]] == found["classes"]
    assert found["macro_f1"] == pytest.approx(np.mean([row["f1"] for row in found["per_class"]]))
    assert 0.5 < found["auc"] <= 1


def test_only_two_classes_have_an_auc(textnb, tmp_path):
    rows = [(f"word{number % 3} filler{number}", "abc"[number % 3]) for number in range(90)]
    (tmp_path / "three.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    assert list(textnb("train", "three.jsonl", "--json").json) == TUNED_KEYS


def test_text_output_says_what_was_done(textnb, mail_csv):
    done = textnb("train", mail_csv, "--model", "complement")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[1] == "documents  56 learned from, 24 tested on (30% held out at random), 2 classes"
    assert lines[2] == "settings   model complement"
    assert re.fullmatch(r"accuracy   [01]\.\d{4} \(95 %: 0\.\d{4} to [01]\.\d{4}\)", lines[4])
    assert lines[5] == "           of only 24 documents, fewer than 30: go by the interval, or test on more"
    assert [line.split()[0] for line in lines[6:8]] == ["macro-F1", "AUC"]
    assert lines[-1] == "saved      mail.tnb, which has learned 56 of 80 documents (--refit learns all)"


def test_an_accuracy_has_its_interval(textnb, mail_csv):
    for options in ([], ["--cv", 4]):
        found = textnb("train", mail_csv, *GIVEN, "--json", *options).json
        right, n = round(found["accuracy"] * found["n_test"]), found["n_test"]
        expected = scipy.stats.binomtest(right, n).proportion_ci(method="wilson")
        assert found["accuracy_interval"] == pytest.approx([expected.low, expected.high])
    out = textnb("train", mail_csv, *GIVEN, "--cv", 4).out
    assert f"accuracy   {found['accuracy']:.4f} (95 %: {expected.low:.4f} to {expected.high:.4f})" in out
    assert "of only" not in out  # 80 documents


def test_the_saved_model_is_the_evaluated_one(textnb, mail_csv, tmp_path):
    found = textnb("train", mail_csv, "--json", "--seed", 3).json
    classifier = library.load(tmp_path / "mail.tnb")
    assert classifier.statistics_.documents.sum() == found["n_train"]
    predicted = classifier.predict([text for text, _ in mail()])
    again = textnb("evaluate", "mail.tnb", mail_csv, "--all", "--json").json
    assert again["accuracy"] == pytest.approx(np.mean(predicted == [label for _, label in mail()]))


def test_the_seed_makes_the_split(textnb, mail_csv, tmp_path):
    def trained(seed):
        done = textnb("train", mail_csv, *GIVEN, "--seed", seed, "--json")
        return done.out, (tmp_path / "mail.tnb").read_bytes()

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


@pytest.mark.parametrize(("share", "n_test"), [("0.5", 40), ("0.1", 8)])
def test_test_size_is_the_share_held_out_of_each_class(textnb, mail_csv, share, n_test):
    found = textnb("train", mail_csv, "--test-size", share, "--json").json
    assert found["n_test"] == n_test
    assert {row["support"] for row in found["per_class"]} == {n_test // 2}


def test_a_folder_split_into_train_and_test_is_taken_so(textnb, tmp_path):
    write_split_folder(tmp_path / "mail")
    found = textnb("train", "mail/", "--json").json
    assert (found["n_train"], found["n_test"]) == (60, 20)
    assert found["settings"]["evaluated_on"] == "its own test part"


def test_cross_validation_tests_every_document_once(textnb, mail_csv, tmp_path):
    found = textnb("train", mail_csv, *GIVEN, "--cv", 4, "--json").json
    assert (found["n_train"], found["n_test"]) == (80, 80)
    assert len(found["folds"]) == 4
    assert np.mean(found["folds"]) == pytest.approx(found["accuracy"])
    assert library.load(tmp_path / "mail.tnb").statistics_.documents.tolist() == [40, 40]
    assert "4-fold cross-validation" in textnb("train", mail_csv, *GIVEN, "--cv", 4).out


OPTIONS = {
    "--model": ("bernoulli", "model", "bernoulli"),
    "--weights": ("binary", "weights", "binary"),
    "--alpha": ("0.25", "alpha", 0.25),
    "--ngrams": ("1,2", "ngrams", [1, 2]),
    "--analyzer": ("char_wb", "analyzer", "char_wb"),
    "--unknown": ("token", "unknown", "token"),
    "--tokenizer": ("whitespace", "tokenizer", "whitespace"),
    "--stemmer": ("porter", "stemmer", "porter"),
    "--stop-words": ("cheap,lunch", "stop_words", ["cheap", "lunch"]),
    "--min-df": ("2", "min_df", 2),
    "--max-df": ("0.9", "max_df", 0.9),
    "--max-features": ("7", "max_features", 7),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_the_classifier_reach_it(textnb, mail_csv, tmp_path, option):
    value, name, expected = OPTIONS[option]
    found = textnb("train", mail_csv, option, value, "--json").json
    assert found["settings"][name] == expected
    saved = getattr(library.load(tmp_path / "mail.tnb"), name)
    assert (list(saved) if isinstance(saved, tuple) else saved) == expected


def test_threads_change_nothing(textnb, mail_csv, tmp_path):
    def trained(*options):
        done = textnb("train", mail_csv, "--json", *options)
        return done.out, len((tmp_path / "mail.tnb").read_bytes())

    assert trained("--jobs", 2)[0] == trained()[0]


def test_columns_of_other_names(textnb, tmp_path):
    write_csv(tmp_path / "m.csv", header=("body", "kind"))
    assert textnb("train", "m.csv", "--text", "body", "--label", "kind", "--json").json["n_test"] == 24


def test_an_encoding_that_is_given_is_used(textnb, tmp_path):
    rows = "text,label\n" + "".join(f"caf\xe9 {n},a\nna\xefve {n},b\n" for n in range(10))
    (tmp_path / "m.csv").write_bytes(rows.encode("utf-16"))
    assert textnb("train", "m.csv", "--encoding", "utf-16", "--output", "o.tnb", "--quiet").code == 0
    assert {"café", "naïve"} <= library.load(tmp_path / "o.tnb").vocabulary_.keys()


def test_categories_are_the_only_classes(textnb, tmp_path):
    rows = [(f"word{number % 3} filler{number}", "abc"[number % 3]) for number in range(60)]
    (tmp_path / "three.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    found = textnb("train", "three.jsonl", "--categories", "c, a", "--json").json
    assert found["classes"] == ["a", "c"]
    assert found["n_train"] + found["n_test"] == 40


def test_a_class_of_one_document_is_learned_from(textnb, mail_csv):
    with mail_csv.open("a") as file:
        file.write("something rare,lone\n")
    found = textnb("train", mail_csv, "--json").json
    assert found["classes"] == ["ham", "lone", "spam"]
    assert found["per_class"][1]["support"] == 0


@pytest.mark.parametrize("name", ["matrix.png", "matrix.svg", "matrix.pdf"])
def test_a_plot_is_drawn(textnb, mail_csv, tmp_path, name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    done = textnb("train", mail_csv, "--plot", name, "--json")
    assert done.err == f"textnb: drew {name}\n"
    assert done.json["n_test"] == 24
    start = (tmp_path / name).read_bytes()[:8]
    assert start.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[name[-3:]])


def test_bad_rows_are_reported_and_skipped(textnb, mail_csv):
    with mail_csv.open("a") as file:
        file.write("one,two,three\nno label,\n" * 4)
    done = textnb("train", mail_csv, "--json")
    assert done.code == 0
    lines = done.err.splitlines()
    assert lines[0] == f"textnb: skipped {mail_csv}: line 82: it has 3 columns, the header has 2"
    assert lines[1] == f"textnb: skipped {mail_csv}: line 83: its 'label' is empty"
    assert len(lines) == 6
    assert "skipped 3 more" in lines[5]
    assert len(done.json["skipped"]) == 8
    assert done.json["skipped"][1] == {"where": "line 83", "why": "its 'label' is empty"}
    assert done.json["n_train"] + done.json["n_test"] == 80


def test_strict_stops_at_the_first_bad_row(textnb, mail_csv, tmp_path):
    with mail_csv.open("a") as file:
        file.write("one,two,three\n")
    done = textnb("train", mail_csv, "--strict")
    assert (done.code, done.out) == (2, "")
    assert "line 82: it has 3 columns" in done.err
    assert not (tmp_path / "mail.tnb").exists()


def test_quiet_says_nothing_on_stderr(textnb, mail_csv):
    with mail_csv.open("a") as file:
        file.write("one,two,three\n")
    assert textnb("train", mail_csv, "--quiet").err == ""
    assert textnb("train", mail_csv, "-q", "--json").err == ""


@pytest.mark.parametrize(
    ("corpus", "name"),
    [("20news", "20news"), ("a/mail.csv", "mail"), ("mail.tsv.gz", "mail"), ("a/b/", "b"), ("x.y.jsonl", "x.y")],
)
def test_the_model_is_named_after_the_corpus(corpus, name):
    from textnb.cli.options import default_output

    assert str(default_output(corpus)) == f"{name}.tnb"


def test_the_model_of_this_folder_is_named_after_it(textnb, tmp_path, monkeypatch):
    from textnb.cli.options import default_output

    (tmp_path / "mail" / "inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mail" / "inner")
    assert [str(default_output(corpus)) for corpus in (".", "..")] == ["inner.tnb", "mail.tnb"]


def test_many_settings_fit_in_a_hundred_columns(textnb, mail_csv):
    options = "--stop-words a,b,c --min-df 2 --max-df 0.9 --max-features 900 --ngrams 1,3 --stemmer porter"
    out = textnb("train", mail_csv.name, *options.split()).out
    assert max(map(len, out.splitlines())) <= 100
    assert "stemmer porter" in " ".join(out.split())


def test_twenty_classes_fit_in_a_hundred_columns(textnb, tmp_path):
    names = [f"some.newsgroup.with.a.long.name.{number}" for number in range(20)]
    rows = [(f"word{number % 20} word{number % 19}", names[number % 20]) for number in range(4000)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    out = textnb("train", "many.jsonl").out
    assert max(map(len, out.splitlines())) <= 100
    assert out.count("\n20 ") == 2  # in the table of classes and in the matrix


def test_skipped_rows_are_said_where_training_then_fails(textnb, tmp_path):
    (tmp_path / "mail.csv").write_text("text,label\nlunch,ham\npills,\ndinner,ham\n")
    done = textnb("train", "mail.csv")
    assert done.code == 2
    assert "has only the class 'ham'" in done.err
    assert "1 document was skipped, line 3: its 'label' is empty" in done.err


def test_a_table_that_is_no_text_shows_nothing_of_it(textnb, tmp_path):
    (tmp_path / "photo.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    done = textnb("train", "photo.csv")
    assert done.code == 2
    assert "picture (PNG)" in done.err
    assert "columns" not in done.err


def test_a_table_with_other_separators_is_recognised_as_such(textnb, tmp_path):
    (tmp_path / "mail.csv").write_text("text|label\nlunch|ham\npills|spam\n")
    assert "seems to be separated by '|'" in textnb("train", "mail.csv").err


def test_copies_of_learned_texts_are_pointed_out(textnb, tmp_path):
    rows = [
        f"{word} {number % 5},{label}" for number in range(40) for word, label in (("pills", "spam"), ("tea", "ham"))
    ]
    (tmp_path / "mail.csv").write_text("\n".join(["text,label", *rows]))
    assert "24 of the 24 texts tested on are copies of learned ones, which flatters" in textnb("train", "mail.csv").out
    assert textnb("train", "mail.csv", "--json").json["n_copies"] == 24


def test_no_copies_are_no_line(textnb, tmp_path):
    rows = [f"{word} {number},{label}" for number in range(40) for word, label in (("pills", "spam"), ("tea", "ham"))]
    (tmp_path / "mail.csv").write_text("\n".join(["text,label", *rows]))
    assert "copies of learned ones" not in textnb("train", "mail.csv").out
    assert "n_copies" not in textnb("train", "mail.csv", "--json").json
