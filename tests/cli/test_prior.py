"""`--prior` at the prompt."""

import csv
import json

import numpy as np
import pytest

import textnb as library
from textnb.cli.options import shares

PRIOR = {"spam": 0.1, "ham": 0.9}
LINES = ["cheap pills", "lunch meeting", "free lunch", "click the report", "unheard"]
STDIN = "\n".join(LINES).encode() + b"\n"


def answers(result):
    assert (result.code, result.err) == (0, "")
    return [json.loads(line) for line in result.out.splitlines()]


@pytest.mark.parametrize("raw", [(), ("--raw",)])
def test_predict(textnb, model, raw):
    found = answers(textnb("predict", model, "--lines", "--json", "--prior", "spam=0.1,ham=0.9", *raw, stdin=STDIN))
    loaded = library.load(model)
    expected = loaded.predict_proba(LINES, prior=PRIOR, raw=bool(raw))
    np.testing.assert_allclose([[*answer["probabilities"].values()] for answer in found], expected, rtol=1e-10)
    assert [answer["label"] for answer in found] == loaded.predict(LINES, prior=PRIOR).tolist()
    before = answers(textnb("predict", model, "--lines", "--json", *raw, stdin=STDIN))
    assert [answer["score"] for answer in found] == [answer["score"] for answer in before]
    assert found != before


def test_tables_and_explained_predictions(textnb, model, mail_csv):
    loaded = library.load(model)
    textnb("predict", model, mail_csv, "-o", "out.csv", "--prior", "spam=0.1", "--prior", "ham=0.9")
    with (mail_csv.parent / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 80
    expected = loaded.predict([row["text"] for row in rows], prior=PRIOR).tolist()
    assert [row["predicted_label"] for row in rows] == expected
    explained = answers(
        textnb("predict", model, "--lines", "--explain", "--json", "--prior", "spam=0.1,ham=0.9", stdin=STDIN)
    )
    assert all("prior shift" in [row["term"] for row in one["explanation"]["rows"]] for one in explained)


def test_check(textnb, model):
    result = textnb("check", model, "--json", "-v", "--prior", "spam=0.1,ham=0.9", stdin=b"free lunch")
    loaded = library.load(model)
    assert result.json["probability"] == pytest.approx(loaded.predict_proba(["free lunch"], prior=PRIOR)[0, 1])
    assert result.json["score"] == pytest.approx(textnb("check", model, "--json", stdin=b"free lunch").json["score"])
    assert "prior shift" in [row["term"] for row in result.json["explanation"]["rows"]]
    rare = textnb("check", model, "--prior", "spam=0.000001,ham=0.999999", stdin=b"free lunch")
    assert rare.code == 1


def test_explain(textnb, model):
    (found,) = answers(textnb("explain", model, "--json", "--prior", "ham=0.9,spam=0.1", stdin=b"free lunch"))
    why = library.load(model).explain("free lunch", prior=PRIOR)
    assert (found["label"], found["log_odds"]) == (why.label, pytest.approx(why.log_odds))


def test_evaluate_warns_and_takes_it(textnb, model, tmp_path):
    rows = ["text,label", *(f"cheap pills offer {i},spam" for i in range(100)), "lunch at ten,ham"]
    (tmp_path / "later.csv").write_text("\n".join(rows))
    plain = textnb("evaluate", model, "later.csv", "--json")
    assert "the classes are not as common here as the model assumes" in plain.err
    told = textnb("evaluate", model, "later.csv", "--json", "--prior", "spam=0.99,ham=0.01")
    assert told.err == ""
    assert told.json["log_loss"] < plain.json["log_loss"]
    assert told.json["prior"] == {"spam": 0.99, "ham": 0.01}
    shown = textnb("evaluate", model, "later.csv", "--prior", "spam=0.99,ham=0.01").out
    assert "prior      spam 0.99, ham 0.01, as given" in shown


def test_report_takes_it(textnb, model, tmp_path):
    (tmp_path / "later.csv").write_text("text,label\ncheap meeting,spam\nlunch,ham\n")
    found = textnb("report", model, "later.csv", "--json", "--quiet", "--prior", "spam=0.1,ham=0.9")
    plain = textnb("report", model, "later.csv", "--json", "--quiet")
    assert found.code == plain.code == 0
    assert found.json["evaluation"]["log_loss"] != plain.json["evaluation"]["log_loss"]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("spam=0.2", "prior: give the share of every class; 'ham' has none"),
        ("spam=20,ham=80", "prior: the shares of the classes must add up to 1, and are 100 together"),
        ("spam", "--prior takes every class with its share, such as spam=0.2,ham=0.8, got 'spam'"),
        ("spam=0.2,ham", "--prior takes every class with its share"),
        ("spam=much,ham=0.8", "'spam=much' is no"),
        ("spam=0.2,spam=0.8", "--prior gives 'spam' two shares"),
        ("spam=1,ham=0", "only one class has a share"),
    ],
)
@pytest.mark.parametrize("command", [("predict", "--lines"), ("check",), ("explain",)])
def test_errors_are_one_line(textnb, model, command, prior, message):
    result = textnb(*command[:1], model, *command[1:], "--prior", prior, stdin=b"lunch")
    assert result.code == (3 if command == ("check",) else 2)
    if "is no" in message:
        message = "the model has no class 'spam=much,ham'"
    assert message in result.err
    assert result.err.count("\n") == 1


def test_names_of_classes_may_have_commas_and_equals():
    assert shares(["a,b=0.2,c=d=0.8"]) == {"a,b": 0.2, "c=d": 0.8}
    assert shares(["a=0.2", "b=0.8"]) == {"a": 0.2, "b": 0.8}
    assert shares(None) is None


def test_offsets_are_asked_for_in_training(textnb, mail_csv):
    done = textnb("train", mail_csv, "--model", "multinomial", "--offsets", "-o", "moved.tnb", "--quiet", "--json")
    assert (done.code, done.err) == (0, "")
    moved = library.load(mail_csv.with_name("moved.tnb"))
    assert moved.calibrate == "offsets"
    assert moved.calibration_.keeps_label is not True
    refused = textnb("train", mail_csv, "--offsets", "--no-calibrate", "-o", "none.tnb")
    assert refused.code == 2
    assert "--offsets is what calibration may change" in refused.err
