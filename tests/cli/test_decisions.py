"""Costs, ceilings and the unsure at the prompt: asked for in training, kept in predicting, counted in evaluating."""

import json
import re

import numpy as np
import pytest
from cli.conftest import mail

import textnb as library
from textnb.storage import open_model

CEILING = ["--protect", "ham", "--ceiling", "0.1"]
LINES = [text for text, _ in mail()] + ["unheard", "cheap lunch", "free meeting"]
STDIN = "\n".join(LINES).encode() + b"\n"


@pytest.fixture
def priced(textnb, mail_csv):
    """A model that is unsure of much, and seldom takes ham for spam."""
    done = textnb(
        "train", mail_csv, "--cost", "ham:spam=20", "--unsure", "0.02", *CEILING, "-o", "priced.tnb", "--json"
    )
    assert (done.code, done.err) == (0, "")
    return mail_csv.with_name("priced.tnb")


def predicted(textnb, model, *options):
    out = textnb("predict", model, "--lines", "--json", *options, stdin=STDIN).out
    return [json.loads(line) for line in out.splitlines()]


def test_the_policy_is_in_the_model(textnb, priced):
    policy = open_model(priced).settings["policy"]
    assert policy["prices"] == [["ham", "spam", 20.0]]
    assert (policy["unsure"], policy["protected"], policy["ceiling"]) == (0.02, "ham", 0.1)
    assert textnb("inspect", priced, "--json").json["policy"] == policy
    said = "decides    ham taken for spam costs 20, unsure costs 0.02, at most 0.1 of ham lost"
    assert said in textnb("inspect", priced).out


def test_predict_says_unsure(textnb, priced):
    decided = library.load(priced).decide(LINES)
    assert {"ham", "spam", None} == set(decided)
    answers = predicted(textnb, priced)
    assert [answer["label"] for answer in answers] == decided
    lines = textnb("predict", priced, "--lines", stdin=STDIN).out.splitlines()
    assert [line.split("\t")[0] for line in lines] == [label or "unsure" for label in decided]
    for line, answer in zip(lines, answers, strict=True):
        probabilities = answer["probabilities"]
        shown = probabilities[answer["label"]] if answer["label"] else max(probabilities.values())
        assert line.split("\t")[1] == f"{shown:.4f}"


def test_raw_probabilities_change_no_decision(textnb, priced):
    calibrated, raw = predicted(textnb, priced), predicted(textnb, priced, "--raw")
    assert [answer["label"] for answer in raw] == [answer["label"] for answer in calibrated]
    expected = library.load(priced).predict_proba(LINES, raw=True)
    np.testing.assert_allclose([[*answer["probabilities"].values()] for answer in raw], expected, rtol=1e-12)
    assert raw != calibrated


def test_calibration_can_be_left_out(textnb, mail_csv):
    found = textnb("train", mail_csv, "--no-calibrate", "--json").json
    assert "calibration" not in found
    assert "(not calibrated)" in textnb("evaluate", found["model_file"], mail_csv).out
    assert "calibration" not in open_model(found["model_file"]).settings
    answers = predicted(textnb, found["model_file"])
    assert answers == predicted(textnb, found["model_file"], "--raw")


def test_evaluate_reports_what_decisions_cost(textnb, priced, mail_csv):
    found = textnb("evaluate", priced, mail_csv, "--all", "--json").json
    texts, labels = zip(*mail(), strict=True)
    prices = {("ham", "spam"): 20, ("spam", "ham"): 1}
    decided = library.load(priced).decide(texts)
    costs = [
        0.02 if named is None else prices.get((true, named), 0) for true, named in zip(labels, decided, strict=True)
    ]
    assert found["decisions"]["average_cost"] == pytest.approx(np.mean(costs))
    assert found["decisions"]["unsure"] == pytest.approx(np.mean([named is None for named in decided]))
    lost = np.mean([named == "spam" for true, named in zip(labels, decided, strict=True) if true == "ham"])
    assert found["decisions"]["false_positive_rate"] == pytest.approx(lost)
    out = textnb("evaluate", priced, mail_csv, "--all").out
    (lines,) = re.findall("^decided(?:  .*\n)+decisions(?:  .*\n)+", out, re.MULTILINE)
    assert max(map(len, lines.splitlines())) <= 100
    said = " ".join(lines.split())
    assert f"decisions cost {np.mean(costs):.4f} ± " in said
    caught = np.mean([named == "spam" for true, named in zip(labels, decided, strict=True) if true == "spam"])
    unsure = np.mean([named is None for named in decided])
    assert f" spam caught {caught:.2%} (95 %: " in said
    assert f"%), ham lost {lost:.2%} (95 %: " in said
    assert f"), unsure {unsure:.2%} decisions" in said


def test_what_is_of_the_likeliest_class_and_what_of_the_decisions_is_said(textnb, priced, mail_csv):
    said = " ".join(textnb("evaluate", priced, mail_csv, "--all").out.split())
    assert re.search(r"macro-F1 [0-9.]+ of the most probable class ", said)
    assert "most probable class class precision" in said
    assert "decisions class caught lost" in said
    assert "most confused decisions" in said
    plain = textnb("train", mail_csv, "-o", "plain.tnb").out
    assert "decisions" not in plain
    assert "most probable" not in plain


def decided_by_hand(labels, decided, classes=("ham", "spam")):
    """One row per true class, one column per class named, and a last column for unsure."""
    pairs = list(zip(labels, decided, strict=True))
    return [[pairs.count((true, named)) for named in (*classes, None)] for true in classes]


def test_the_matrix_shown_is_that_of_the_decisions(textnb, priced, mail_csv):
    """A filter that loses no ham was shown with the ham that it would lose without its policy."""
    found = textnb("evaluate", priced, mail_csv, "--all", "--json").json
    texts, labels = zip(*mail(), strict=True)
    classifier = library.load(priced)
    matrix = decided_by_hand(labels, classifier.decide(texts))
    assert found["decisions"]["confusion_matrix"] == matrix
    assert matrix[0][2] and matrix[1][2]
    assert [row[:2] for row in matrix] != found["confusion_matrix"]  # which is of the most probable classes
    assert found["confusion_matrix"] == [row[:2] for row in decided_by_hand(labels, classifier.predict(texts))]
    right = (matrix[0][0] + matrix[1][1]) / 80
    assert found["decisions"]["accuracy"] == right
    for row, name, own in zip(matrix, ("ham", "spam"), (0, 1), strict=True):
        shares = {"caught": row[own] / 40, "lost": row[1 - own] / 40, "unsure": row[2] / 40}
        assert found["decisions"]["per_class"][own] == {"class": name, **shares, "support": 40}
    out = textnb("evaluate", priced, mail_csv, "--all").out
    cells = [" ".join(str(count or "·") for count in row) for row in matrix]
    shown = [" ".join(line.split()) for line in out.splitlines()]
    start = shown.index(r"true \ predicted 1 2 unsure")
    assert shown[start + 1 : start + 3] == [f"1 ham {cells[0]}", f"2 spam {cells[1]}"]
    assert re.search("^accuracy .* of the most probable class$", out, re.MULTILINE)
    assert re.search(rf"^decided    {right:.4f} \(95 %: .*\) named rightly", out, re.MULTILINE)


def test_the_plot_is_of_the_decisions_too(textnb, priced, mail_csv, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from textnb.report import plots

    drawn = []
    monkeypatch.setattr(plots, "_draw_heatmap", lambda *given: drawn.append(given[2:4]))
    found = textnb("evaluate", priced, mail_csv, "--all", "--plot", "m.svg", "--json").json
    ((shown, title),) = drawn
    assert shown.confusion_matrix.tolist() == found["decisions"]["confusion_matrix"]
    assert f"accuracy {found['decisions']['accuracy']:.4f} (95 %: " in title


def test_documents_of_an_unknown_class_stand_in_the_matrix_of_decisions(textnb, priced, tmp_path):
    rows = [*((f"later {text}", label) for text, label in mail()), ("cheap cheap pills", "bills")]
    (tmp_path / "later.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    found = textnb("evaluate", priced, "later.jsonl", "--json").json
    assert found["classes"] == ["bills", "ham", "spam"]
    assert np.sum(found["decisions"]["confusion_matrix"], axis=1).tolist() == [1, 40, 40]
    assert (found["decisions"]["n"], found["n_test"]) == (80, 81)


def test_cross_validation_decides_without_the_fold(textnb, mail_csv):
    found = textnb("train", mail_csv, "--cv", 4, "--unsure", "0.02", *CEILING, "--json").json
    decisions = found["decisions"]
    assert np.sum(decisions["confusion_matrix"]) == found["n_test"] == 80
    assert decisions["unsure"] == decisions["per_class"][0]["unsure"] / 2 + decisions["per_class"][1]["unsure"] / 2 > 0
    assert decisions["false_positive_rate"] == decisions["per_class"][0]["lost"]


def test_training_reports_it_too(textnb, mail_csv):
    decisions = textnb("train", mail_csv, "--unsure", "0", "--json").json["decisions"]
    assert (decisions["average_cost"], decisions["unsure"], decisions["false_positive_rate"]) == (0, 1, None)
    assert "decisions" not in textnb("train", mail_csv, "--json").json


def test_accuracy_is_that_of_the_most_probable_class(textnb, priced, mail_csv):
    found = textnb("evaluate", priced, mail_csv, "--all", "--json").json
    texts, labels = zip(*mail(), strict=True)
    assert found["accuracy"] == pytest.approx(np.mean(library.load(priced).predict(texts) == np.array(labels)))


def test_a_new_class_leaves_the_policy_as_it_is(textnb, priced):
    policy = open_model(priced).settings["policy"]
    assert textnb("learn", priced, "--label", "bills", stdin=b"invoice overdue, pay the invoice").code == 0
    assert open_model(priced).settings["policy"] == policy
    assert {answer["label"] for answer in predicted(textnb, priced)} <= {"ham", "spam", "bills", None}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cost", "ham:eggs=3"], "there is no class 'eggs': the classes are ham, spam"),
        (["--cost", "ham=3"], "--cost takes true class:class named=price, such as ham:spam=100, got 'ham=3'"),
        (["--cost", "ham:spam=much"], "--cost takes"),
        (["--cost", "ham:spam=nan"], "--cost takes"),
        (["--unsure", "-1"], "--unsure"),
        (["--protect", "ham"], "--protect and --ceiling come together"),
        (["--ceiling", "0.1"], "--protect and --ceiling come together"),
        (["--protect", "eggs", "--ceiling", "0.1"], "there is no class 'eggs'"),
        (["--protect", "ham", "--ceiling", "1"], "ceiling must be a share between 0 and 1"),
        (["--protect", "ham", "--ceiling", "0.001"], "needs 999 documents of the protected class"),
        (["--stream", "--unsure", "0.1"], "--cost, --unsure and --ceiling needs all documents at once"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_asked_for_is_one_line(textnb, mail_csv, options, said, tmp_path):
    done = textnb("train", mail_csv, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.search(said, done.err)
    assert not (tmp_path / "mail.tnb").exists()


def test_names_in_a_policy_cannot_act_on_a_terminal(textnb, tmp_path):
    hostile = "ham\x1b[31m"
    rows = [(text, hostile if label == "ham" else label) for text, label in mail()]
    (tmp_path / "hostile.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    options = ["--cost", f"{hostile}:spam=20", "--protect", hostile, "--ceiling", "0.1", "--unsure", "0.01"]
    done = textnb("train", "hostile.jsonl", *options)
    assert done.code == 0
    for shown in (done.out, textnb("inspect", "hostile.tnb").out, textnb("predict", "hostile.tnb", stdin=b"lunch").out):
        assert "\x1b" not in shown
    assert r"ham\x1b[31m taken for spam costs 20" in textnb("inspect", "hostile.tnb").out
