"""`textnb evaluate`: a saved model on labelled documents."""

import json

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_train import KEYS, write_split_folder

import textnb as library


def write_rows(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


OF_LEARNED = ["n_learned_skipped", "n_learned_tested"]


def test_json_has_the_keys_of_train(textnb, model, mail_csv):
    found = textnb("evaluate", model, mail_csv, "--all", "--json").json
    assert [key for key in found if key not in ("auc", *OF_LEARNED)] == [*KEYS, "calibration"]
    assert (found["n_train"], found["n_test"]) == (56, 80)
    assert found["model_file"] == str(model)
    predicted = library.load(model).predict([text for text, _ in mail()])
    assert found["accuracy"] == pytest.approx(np.mean(predicted == [label for _, label in mail()]))


@pytest.mark.parametrize(
    ("options", "n_test", "part"),
    [
        ((), 20, "its own test part"),
        (("--subset", "test"), 20, "its own test part"),
        (("--subset", "train"), 60, "its own train part"),
        (("--subset", "all"), 80, "all of it"),
    ],
)
def test_a_part_of_a_split_corpus(textnb, model, tmp_path, options, n_test, part):
    write_split_folder(tmp_path / "mail")
    found = textnb("evaluate", model, "mail", "--all", "--json", *options).json
    assert (found["n_test"], found["settings"]["evaluated_on"]) == (n_test, part)


def test_learned_documents_are_left_out(textnb, mail_csv):
    """On documents of which 70 % were learned, a model looked better than it was."""
    trained = textnb("train", mail_csv, "--json").json
    found = textnb("evaluate", "mail.tnb", mail_csv, "--json").json
    assert [found[name] for name in ("n_test", *OF_LEARNED)] == [24, 56, 0]
    for name in ("accuracy", "accuracy_interval", "confusion_matrix", "per_class"):
        assert found[name] == trained[name]
    out = textnb("evaluate", "mail.tnb", mail_csv).out
    assert "24 tested on (what the model has not learned of it; 56 others are learned)" in " ".join(out.split())


def test_learned_documents_are_evaluated_on_if_asked_for(textnb, model, mail_csv):
    found = textnb("evaluate", model, mail_csv, "--all", "--json").json
    assert [found[name] for name in ("n_test", *OF_LEARNED)] == [80, 0, 56]
    out = " ".join(textnb("evaluate", model, mail_csv, "--all").out.split())
    assert "80 tested on (all of it, 56 of them learned: the figures flatter)" in out


def test_a_document_learned_under_another_label_is_learned_too(textnb, model, mail_csv, tmp_path):
    rows = mail()
    write_rows(tmp_path / "other.jsonl", [(text, "ham" if label == "spam" else "spam") for text, label in rows])
    assert textnb("evaluate", model, "other.jsonl", "--json").json["n_learned_skipped"] == 56


def test_new_documents_are_all_evaluated_on(textnb, model, tmp_path):
    write_rows(tmp_path / "later.jsonl", [(f"later {text}", label) for text, label in mail()])
    found = textnb("evaluate", model, "later.jsonl", "--json").json
    assert [found[name] for name in ("n_test", *OF_LEARNED)] == [80, 0, 0]
    assert "80 tested on (all of it, none of it learned)" in textnb("evaluate", model, "later.jsonl").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--subset", "train"), "evaluate on its test part (--subset test), or on these, saying so (--all)"),
        (("--subset", "test"), "evaluate on others, such as a test part, or on these, saying so (--all)"),
        (("--subset", "all"), "all 80 documents of mail (all of it) were learned by the model"),
    ],
)
def test_where_all_documents_were_learned_nothing_is_evaluated(textnb, tmp_path, options, said):
    write_split_folder(tmp_path / "mail")
    texts, labels = zip(*mail(), strict=True)
    library.TextClassifier("multinomial").fit(texts, labels).save(tmp_path / "all.tnb")
    done = textnb("evaluate", "all.tnb", "mail", *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert textnb("evaluate", "all.tnb", "mail", "--all", *options).code == 0


def test_without_a_ledger_nobody_knows_what_was_learned(textnb, mail_csv):
    assert textnb("train", mail_csv, "--no-ledger", "--quiet").code == 0
    done = textnb("evaluate", "mail.tnb", mail_csv, "--json")
    assert [done.json[name] for name in ("n_test", *OF_LEARNED)] == [80, None, None]
    assert done.err.startswith("textnb: the model has no ledger of the documents that it has learned, so nobody knows")
    assert "(all of it, learned or not: the model has no ledger)" in textnb("evaluate", "mail.tnb", mail_csv).out


def test_documents_of_an_unknown_class_count_as_errors(textnb, model, tmp_path):
    write_rows(tmp_path / "other.jsonl", [*mail(), ("lunch", "lunch\x1b[31m")])
    done = textnb("evaluate", model, "other.jsonl", "--json")
    assert (
        done.err == r"textnb: the model does not know the classes lunch\x1b[31m: their documents count as errors" + "\n"
    )
    assert done.json["classes"] == ["ham", "lunch\x1b[31m", "spam"]
    assert done.json["per_class"][1]["recall"] == 0
    assert "auc" not in done.json
    assert textnb("evaluate", model, "other.jsonl", "--quiet").err == ""


def test_a_corpus_of_other_classes_altogether_is_an_error(textnb, model, tmp_path):
    write_rows(tmp_path / "other.jsonl", [("x", f"class {number}") for number in range(9)])
    done = textnb("evaluate", model, "other.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "class 4 and 4 more, the model" in done.err
    assert "has ham, spam" in done.err


def test_a_model_whose_labels_are_numbers_is_evaluated_on_their_text(textnb, tmp_path):
    classifier = library.TextClassifier().fit(["aa bb", "dd ee"], [2, 10])
    classifier.save(tmp_path / "numbers.tnb")
    write_rows(tmp_path / "numbers.jsonl", [("aa bb bb", "2"), ("dd ee ee", "10")])
    assert textnb("evaluate", "numbers.tnb", "numbers.jsonl", "--json").json["classes"] == ["2", "10"]


def test_decisions_among_numbers_are_paid_by_their_own_prices(textnb, tmp_path):
    texts, labels = ["aa bb", "dd ee", "aa dd"] * 10, [2, 10, 10] * 10
    library.TextClassifier().fit(texts, labels).decide_by({(2, 10): 7, (10, 2): 3}).save(tmp_path / "numbers.tnb")
    write_rows(tmp_path / "numbers.jsonl", [("dd ee", "2"), ("aa bb", "10"), ("dd ee", "10"), ("dd ee", "10")])
    found = textnb("evaluate", "numbers.tnb", "numbers.jsonl", "--all", "--json").json
    assert found["decisions"]["average_cost"] == (7 + 3) / 4
    assert found["classes"] == ["2", "10"]
    assert found["decisions"]["confusion_matrix"] == [[0, 1, 0], [1, 2, 0]]


def test_categories_and_columns(textnb, model, tmp_path):
    (tmp_path / "m.csv").write_text("body,kind\n" + "".join(f"{text},{label}\n" for text, label in mail()))
    found = textnb(
        "evaluate", model, "m.csv", "--text", "body", "--label", "kind", "--categories", "ham", "--all", "--json"
    ).json
    assert found["n_test"] == 40


def test_a_plot_is_drawn(textnb, model, mail_csv, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert textnb("evaluate", model, mail_csv, "--plot", "m.png").err == "textnb: drew m.png\n"
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("calibrated", [True, False])
def test_a_reliability_diagram_is_drawn(textnb, mail_csv, tmp_path, monkeypatch, calibrated):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from textnb.report import plots

    titles, draw = [], plots._draw_reliability
    monkeypatch.setattr(plots, "_draw_reliability", lambda *drawn: titles.append(drawn[-1]) or draw(*drawn))
    options = [] if calibrated else ["--no-calibrate"]
    assert textnb("train", mail_csv, *options, "--reliability", "t.svg").err == "textnb: drew t.svg\n"
    done = textnb("evaluate", "mail.tnb", mail_csv, "--plot", "m.png", "--reliability", "r.png", "--json")
    assert done.err == "textnb: drew m.png\ntextnb: drew r.png\n"
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert titles == [f"{mail_csv.name}: {'calibrated' if calibrated else 'not calibrated'}"] * 2
