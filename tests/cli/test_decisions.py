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
    found = textnb("evaluate", priced, mail_csv, "--json").json
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
    out = textnb("evaluate", priced, mail_csv).out
    (lines,) = re.findall("^decisions(?:  .*\n)+", out, re.MULTILINE)
    assert max(map(len, lines.splitlines())) <= 100
    said = " ".join(lines.split())
    assert said.startswith(f"decisions cost {np.mean(costs):.4f} ± ")
    assert f"{lost:.2%} of the protected class lost (95 %: " in said


def test_training_reports_it_too(textnb, mail_csv):
    decisions = textnb("train", mail_csv, "--unsure", "0", "--json").json["decisions"]
    assert (decisions["average_cost"], decisions["unsure"], decisions["false_positive_rate"]) == (0, 1, None)
    assert "decisions" not in textnb("train", mail_csv, "--json").json


def test_accuracy_is_that_of_the_most_probable_class(textnb, priced, mail_csv):
    found = textnb("evaluate", priced, mail_csv, "--json").json
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
        (["--protect", "ham"], "protected and ceiling come together"),
        (["--ceiling", "0.1"], "protected and ceiling come together"),
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
