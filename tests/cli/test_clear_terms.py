"""Models of clear terms at the prompt: from training to explaining, learning and comparing."""

import json

import pytest

from textnb import TextClassifier, load

CLARITY = ["--assumed", "0.52", "--min-deviation", "0.2", "--most-terms", "20"]


@pytest.fixture
def model(textnb, mail_csv):
    settings = textnb("train", "mail.csv", "--model", "fisher", *CLARITY, "--json").json["settings"]
    expected = {"model": "fisher", "weights": "binary", "alpha": 0.0178}
    expected |= {"assumed": 0.52, "min_deviation": 0.2, "most_terms": 20}
    assert {name: settings[name] for name in expected} == expected
    return "mail.tnb"


def test_a_model_predicts_explains_and_shows_itself(textnb, model):
    predicted = textnb("predict", model, "--json", stdin=b"cheap pills, free prize")
    assert json.loads(predicted.out)["label"] == "spam"
    explained = textnb("explain", model, "--json", stdin=b"cheap pills, free prize").json
    assert sum(row["contribution"] for row in explained["rows"]) == pytest.approx(explained["log_odds"])
    assert "min_deviation 0.2" in textnb("inspect", model).out
    assert textnb("evaluate", model, "mail.csv", "--all", "--json").json["accuracy"] > 0.9


def test_what_is_learned_can_be_forgotten_and_compared(textnb, model, tmp_path):
    before = (tmp_path / model).read_bytes()
    (tmp_path / "before.tnb").write_bytes(before)
    assert textnb("learn", model, "--label", "ham", stdin=b"cheap lunch prize").code == 0
    assert textnb("diff", "before.tnb", model, "--json").code == 0
    assert textnb("forget", model, "--label", "ham", stdin=b"cheap lunch prize").code == 0
    assert (tmp_path / model).read_bytes() == before


def test_a_report_has_words_that_mislead(textnb, model, tmp_path):
    assert textnb("report", model, "mail.csv", "-o", "report.html", "--all").code == 0
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_settings_of_other_models_are_refused(textnb, mail_csv):
    done = textnb("train", "mail.csv", "--model", "multinomial", "--min-deviation", "0.2")
    assert done.code == 2
    assert "min_deviation is for robinson, fisher, log-odds: leave it out" in done.err


@pytest.mark.parametrize("more", [[], ["--unknown", "token"]], ids=["plain", "unknown"])
def test_a_stream_trains_the_same_model(textnb, mail_csv, more):
    common = ["train", "mail.csv", "--model", "fisher", *CLARITY, *more, "--no-calibrate", "--test-size", "0"]
    assert textnb(*common, "-o", "at-once.tnb").code == 0
    assert textnb(*common, "--stream", "-o", "stream.tnb").code == 0
    answers = [textnb("predict", file, "--json", stdin=b"cheap lunch") for file in ("at-once.tnb", "stream.tnb")]
    assert answers[0].out == answers[1].out != ""


def test_tables_of_several_columns_have_no_clear_terms(textnb, mail_csv, tmp_path):
    lines = mail_csv.read_text().splitlines()
    rows = [f"{line},{i}" for i, line in enumerate(lines[1:])]
    (tmp_path / "table.csv").write_text("\n".join([f"{lines[0]},n", *rows]))
    assert textnb("train", "table.csv", "--numeric", "n", "-o", "mixed.tnb").code == 0
    for option, value in (("--min-deviation", "0.2"), ("--objective", "accuracy")):
        done = textnb("train", "table.csv", "--numeric", "n", option, value, "-o", "mixed.tnb")
        assert done.code == 2
        assert f"{option} is for models of text alone" in done.err
    done = textnb("train", "table.csv", "--numeric", "n", "--model", "robinson", "-o", "mixed.tnb")
    assert done.code == 2
    assert "a robinson model cannot be combined with categorical or numeric columns" in done.err


@pytest.mark.parametrize("weights", ["counts", "tfidf", "log-tfidf"])
@pytest.mark.parametrize("command", ["train", "tune", "count -o new.tnb", "audit", "train --stream"])
def test_weights_that_a_model_does_not_take_are_refused(textnb, mail_csv, tmp_path, command, weights):
    """They once became binary, and nobody was told."""
    done = textnb(*command.split(), mail_csv, "--model", "fisher", "--weights", weights)
    assert (done.code, done.out, list(tmp_path.glob("*.tnb"))) == (2, "", [])
    assert done.err == f"textnb: a fisher model takes binary weights, got {weights}: leave --weights out\n"


@pytest.mark.parametrize(
    "options",
    [["--model", "fisher", "--weights", "auto"], ["--model", "auto", "--weights", "tfidf", "--analyzer", "mail"]],
    ids=" ".join,
)
def test_weights_may_be_left_to_choice(textnb, mail_csv, options):
    assert textnb("train", mail_csv, *options).code == 0


def test_without_weights_they_are_those_of_the_model(textnb, mail_csv, tmp_path):
    for command in ("train", "count"):
        assert textnb(command, mail_csv, "--model", "fisher", "-o", f"{command}.tnb").code == 0
        loaded = load(tmp_path / f"{command}.tnb")
        assert loaded.weights == "binary"
        loaded.fit(["cheap", "lunch"], ["spam", "ham"])
    with pytest.raises(ValueError, match="a robinson model takes binary weights, got counts: leave --weights out"):
        TextClassifier("robinson", "counts").fit(["cheap", "lunch"], ["spam", "ham"])
