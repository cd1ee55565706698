"""`textnb audit`: wrong labels, duplicates that disagree and novelty, each with the place where it stands."""

import json

import numpy as np
import pytest
from cli.conftest import mail

from textnb import TextClassifier
from textnb.corpora import Corpus

HOSTILE = "\x1b[2J\u202e free prize cash winner click offer"
LABEL = "spam\x1b[31m"


def write_table(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


def write_folder(path, rows):
    for number, (text, label) in enumerate(rows):
        (path / label).mkdir(parents=True, exist_ok=True)
        (path / label / f"{number:03}.txt").write_text(text)


@pytest.fixture
def rows():
    """Mail of which two labels are wrong, one message is there again as spam, and another nearly so."""
    rows = mail()
    rows[3] = ("cash prize viagra pills winner claim", "ham")
    rows[60] = ("lunch agenda minutes dinner thanks report notes tomorrow", "spam")
    return [*rows, (rows[10][0], "spam"), (rows[20][0] + " extra", "spam")]


def test_wrong_labels_are_listed_with_their_lines(textnb, rows, tmp_path):
    write_table(tmp_path / "mail.jsonl", rows)
    done = textnb("audit", "mail.jsonl", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert list(found) == [
        *("corpus", "edition", "n_documents", "estimate"),
        *("suspicious_labels", "cross_class_duplicates"),
    ]
    assert (found["corpus"], found["n_documents"], found["estimate"]) == ("mail.jsonl", 82, "leave-one-out")
    by_place = {entry["where"]: entry for entry in found["suspicious_labels"]}
    assert {"line 4", "line 61"} <= set(by_place)
    assert (by_place["line 4"]["label"], by_place["line 4"]["suggested"]) == ("ham", "spam")
    assert (by_place["line 61"]["label"], by_place["line 61"]["suggested"]) == ("spam", "ham")
    margins = [entry["margin"] for entry in found["suspicious_labels"]]
    assert margins == sorted(margins, reverse=True)


def test_the_judge_is_a_model_without_the_document(textnb, rows, tmp_path):
    write_table(tmp_path / "mail.jsonl", rows)
    texts, labels = zip(*rows, strict=True)
    for options, settings in (
        ((), {"model": "complement"}),
        (
            ("--model", "multinomial", "--weights", "counts", "--alpha", 0.1),
            {"model": "multinomial", "weights": "counts", "alpha": 0.1},
        ),
    ):
        scores = TextClassifier(**settings).fit(texts, labels).leave_one_out()
        wrong = np.array(["ham", "spam"])[scores.argmax(axis=1)] != labels
        found = textnb("audit", "mail.jsonl", "--json", *options).json["suspicious_labels"]
        assert {entry["position"] for entry in found} == set(np.flatnonzero(wrong).tolist())


def test_duplicates_that_disagree_are_listed_with_both_places(textnb, rows, tmp_path):
    write_folder(tmp_path / "mail", rows)
    found = textnb("audit", "mail", "--json").json["cross_class_duplicates"]
    exact = [entry for entry in found if entry["similarity"] == 1]
    assert [(entry["where"], entry["first_label"], entry["second_label"]) for entry in exact] == [
        (["ham/010.txt", "spam/080.txt"], "ham", "spam")
    ]
    near = [entry["where"] for entry in found if entry["similarity"] < 1]
    assert near == [["ham/020.txt", "spam/081.txt"]]
    assert textnb("audit", "mail", "--json", "--threshold", "1").json["cross_class_duplicates"] == exact


def test_text_shows_the_first_of_each(textnb, rows, tmp_path):
    write_folder(tmp_path / "mail", rows)
    lines = textnb("audit", "mail", "--most", 1).out.splitlines()
    assert lines[0] == "corpus     mail: mail, 82 documents"
    assert lines[1] == "documents  82, judged by leave-one-out"
    found = textnb("audit", "mail", "--json").json
    assert lines[3] == f"labels that look wrong: {len(found['suspicious_labels'])}"
    assert lines[4].split() == ["where", "label", "rather", "margin", "text"]
    first = found["suspicious_labels"][0]
    assert lines[5].split()[:3] == [first["where"], first["label"], first["suggested"]]
    assert lines[6] == ""
    assert lines[7] == f"near duplicates that bear different labels: {len(found['cross_class_duplicates'])}"
    assert lines[9].split() == ["ham/010.txt", "ham", "spam/080.txt", "spam", "1.00"]


def test_nothing_to_complain_of_is_said_so(textnb, tmp_path):
    write_table(tmp_path / "mail.jsonl", [(f"{c} {c} {c} {i}", c) for c in ("ham", "spam") for i in range(10, 20)])
    out = textnb("audit", "mail.jsonl").out
    assert "labels that look wrong: 0\n" in out
    assert out.endswith("near duplicates that bear different labels: 0\n")


def test_new_documents_are_rated_the_newest_first(textnb, rows, tmp_path):
    write_table(tmp_path / "mail.jsonl", rows)
    (tmp_path / "new.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in ("lunch report notes", "ceci n'est pas un courriel", ""))
    )
    done = textnb("audit", "mail.jsonl", "--new", "new.jsonl", "--json")
    assert done.code == 0
    novelty = done.json["novelty"]
    assert novelty[0]["where"] == "line 2"
    assert novelty[0]["unknown_share"] == 1
    assert {entry["where"]: entry for entry in novelty}["line 1"]["unknown_share"] == 0
    assert novelty[0]["z"] > 3
    out = textnb("audit", "mail.jsonl", "--new", "new.jsonl").out
    assert f"the newest of {len(novelty)} new documents" in out
    assert "100%  ceci n'est pas un courriel" in out


def test_threads_are_left_out_as_a_whole(textnb, monkeypatch):
    texts, labels = zip(*mail(), strict=True)
    groups = np.arange(len(texts)) // 4
    corpus = Corpus("threads", list(texts), np.array(labels), ["ham", "spam"], "made up", groups=groups)
    monkeypatch.setattr("textnb.corpora.open_corpus", lambda spec, **options: corpus)
    found = textnb("audit", "threads", "--json").json
    assert found["estimate"] == "leave-one-group-out"
    scores = TextClassifier("complement").fit(texts, labels, groups=groups).leave_one_group_out()
    wrong = np.array(["ham", "spam"])[scores.argmax(axis=1)] != labels
    assert {entry["where"] for entry in found["suspicious_labels"]} == {f"texts[{i}]" for i in np.flatnonzero(wrong)}


def test_text_and_labels_cannot_act_on_a_terminal(textnb, rows, tmp_path):
    hostile = [(text, LABEL if label == "spam" else label) for text, label in rows]
    hostile += [(HOSTILE, "ham"), (HOSTILE, LABEL), ("\ud800\x00 lunch agenda", LABEL)]
    write_table(tmp_path / "mail.jsonl", hostile)
    done = textnb("audit", "mail.jsonl", "--new", "mail.jsonl", "--most", 100)
    assert done.code == 0
    assert not {"\x1b", "\u202e", "\x00"} & set(done.out)
    assert r"spam\x1b[31m" in done.out
    assert r"\x1b[2J" in done.out
    as_json = textnb("audit", "mail.jsonl", "--json")
    assert as_json.out.isascii()
    assert any(entry["suggested"] == LABEL for entry in as_json.json["suspicious_labels"])


def test_a_long_path_keeps_its_end(textnb, rows, tmp_path):
    deep = "a-folder-with-a-very-long-name-that-goes-on"
    for number, (text, label) in enumerate(rows):
        folder = tmp_path / "mail" / label / deep
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:03}.txt").write_text(text)
    out = textnb("audit", "mail").out
    assert "003.txt" in out
    assert "081.txt" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--threshold", "0"], "the threshold is a share above 0 and at most 1, got 0"),
        (["--threshold", "nan"], "the threshold is a share above 0 and at most 1, got nan"),
        (["--categories", "ham"], "only the class 'ham': there is nothing to compare labels with"),
        (["--new", "nowhere.csv"], "nowhere.csv"),
        (["--most", "0"], "--most"),
        (["--alpha", "-1"], "--alpha"),
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_one_line(textnb, mail_csv, options, said):
    done = textnb("audit", mail_csv, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_rows_that_cannot_be_read_are_reported(textnb, rows, tmp_path):
    write_table(tmp_path / "mail.jsonl", rows)
    with (tmp_path / "mail.jsonl").open("a") as file:
        file.write("nonsense\n")
    (tmp_path / "new.jsonl").write_text('{"text": "fine"}\n{"text": 5}\n')
    done = textnb("audit", "mail.jsonl", "--new", "new.jsonl")
    assert done.code == 0
    assert done.err.count("textnb: skipped") == 2
    assert textnb("audit", "mail.jsonl", "--new", "new.jsonl", "--quiet").err == ""
    assert textnb("audit", "mail.jsonl", "--strict").code == 2
