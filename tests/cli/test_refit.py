"""Linear models at the prompt: trained, evaluated, shown, and refitted because they cannot learn."""

import csv

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_train import write_split_folder

from textnb import load

TRAIN = ("train", "mail.csv", "--model", "nbsvm", "-o", "m.tnb")


def write_table(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def test_a_linear_model_is_trained_and_used_as_others_are(textnb, mail_csv):
    trained = textnb(*TRAIN, "--json")
    assert trained.code == 0
    settings, choice = trained.json["settings"], trained.json["choice"]
    assert settings["model"] == "nbsvm"
    assert (settings["C"], settings["beta"]) == (choice["best"]["C"], choice["best"]["beta"])
    assert choice["estimate"] == "5-fold cross-validation"
    assert textnb("evaluate", "m.tnb", "mail.csv", "--json").json["accuracy"] == trained.json["accuracy"]
    assert textnb("predict", "m.tnb", "--lines", stdin=b"cheap pills free prize offer\n").out.startswith("spam")
    why = textnb("explain", "m.tnb", "--json", stdin=b"cheap pills free prize offer").json
    assert sum(row["contribution"] for row in why["rows"]) == pytest.approx(why["log_odds"])
    assert textnb("check", "m.tnb", stdin=b"cheap pills free prize offer").code == 0
    shown = textnb("inspect", "m.tnb").out
    assert f"C {settings['C']:g}" in shown
    assert "no more: it is fitted to all its documents at once; textnb refit learns anew" in shown


def test_the_report_shows_a_linear_model(textnb, mail_csv, tmp_path):
    assert textnb(*TRAIN, "--report", "r.html").code == 0
    assert "nbsvm" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_what_cannot_learn_says_what_to_do(textnb, mail_csv):
    assert textnb(*TRAIN, "--C", "1", "--beta", "1").code == 0
    calls = [
        ("learn", "m.tnb", "--label", "spam"),
        ("forget", "m.tnb", "--label", "spam"),
        ("merge", "m.tnb", "m.tnb", "-o", "n.tnb"),
        ("count", "mail.csv", "--like", "m.tnb", "-o", "n.tnb"),
        (*TRAIN, "--stream", "--overwrite"),
    ]
    for call in calls:
        result = textnb(*call, stdin=b"cheap pills")
        assert result.code == 2
        assert "a linear model must be refitted, by `textnb refit MODEL CORPUS` or by fit" in result.err


def test_refit_fits_the_same_settings_to_more_documents(textnb, mail_csv, tmp_path):
    rows = mail()
    write_table(mail_csv, rows[::2])
    assert textnb(*TRAIN, "--test-size", "0", "--ngrams", "1,2").code == 0
    before = load(tmp_path / "m.tnb")
    write_table(mail_csv, rows)
    done = textnb("refit", "m.tnb", "mail.csv", "--json")
    assert done.json["refitted_to"] == len(rows)
    assert done.json["classes"] == {"ham": 40, "spam": 40}
    after = load(tmp_path / "m.tnb")
    assert after.parameters_in_use == before.parameters_in_use
    expected = type(after)(**before.parameters_in_use).fit([text for text, _ in rows], [label for _, label in rows])
    assert np.array_equal(
        after.predict_proba(["cheap lunch", "meeting"]), expected.predict_proba(["cheap lunch", "meeting"])
    )


@pytest.mark.parametrize("settings", [("--model", "multinomial"), ("--model", "nblr", "--compact"), ()])
def test_refit_takes_models_of_every_kind(settings, textnb, mail_csv, tmp_path):
    assert textnb("train", "mail.csv", *settings, "-o", "m.tnb", "--cost", "ham:spam=9", "--unsure", "0.2").code == 0
    before = load(tmp_path / "m.tnb")
    done = textnb("refit", "m.tnb", "mail.csv", "-o", "all.tnb")
    assert (done.code, done.out.partition(";")[0]) == (0, "refitted to 80 documents")
    after = load(tmp_path / "all.tnb")
    assert after.n_documents_ == 80
    assert after.policy_ == before.policy_
    assert after.parameters_in_use == before.parameters_in_use


def test_refit_does_not_forget_unasked(textnb, mail_csv, tmp_path):
    assert textnb(*TRAIN, "--test-size", "0").code == 0
    saved = (tmp_path / "m.tnb").read_bytes()
    write_table(mail_csv, mail()[:70])
    refused = textnb("refit", "m.tnb", "mail.csv")
    assert refused.code == 2
    assert "it has learned 10 documents that this run does not know" in refused.err
    assert (tmp_path / "m.tnb").read_bytes() == saved
    assert textnb("refit", "m.tnb", "mail.csv", "--overwrite").code == 0
    assert load(tmp_path / "m.tnb").n_documents_ == 70


def test_a_model_that_knows_the_test_part_is_refitted_to_all(textnb, tmp_path):
    write_split_folder(tmp_path / "mail")
    trained = textnb("train", "mail", "--model", "nbsvm", "--C", "1", "--beta", "1", "--refit", "-o", "m.tnb", "--json")
    refused = textnb("refit", "m.tnb", "mail")
    assert refused.code == 2
    assert "what it is fitted to is the training part: --subset all takes all" in refused.err
    done = textnb("refit", "m.tnb", "mail", "--subset", "all", "--json")
    assert done.json["refitted_to"] == trained.json["n_learned"]


def test_a_threshold_is_chosen_again_for_its_ceiling(textnb, mail_csv, tmp_path):
    assert textnb(*TRAIN, "--protect", "ham", "--ceiling", "0.1").code == 0
    assert textnb("refit", "m.tnb", "mail.csv", "--overwrite").code == 0
    policy = load(tmp_path / "m.tnb").policy_
    assert (policy.protected, policy.ceiling) == ("ham", 0.1)
    assert policy.threshold is not None


def test_tune_shows_the_costs_that_were_tried(textnb, mail_csv):
    shown = textnb("tune", "mail.csv", "--model", "nblr", "--ngrams", "1", "--min-df", "1", "--weights", "binary")
    assert shown.code == 0
    assert any(line.split()[4:7] == ["alpha", "C", "beta"] for line in shown.out.splitlines())
    again = next(line for line in shown.out.splitlines() if line.startswith("best "))
    assert " --C " in again
    assert " --beta " in again


@pytest.mark.parametrize(("option", "value"), [("--C", "0"), ("--C", "much"), ("--beta", "1.5"), ("--beta", "x")])
def test_costs_and_shares_that_are_none_are_refused(option, value, textnb, mail_csv):
    result = textnb(*TRAIN, option, value)
    assert result.code == 2
    assert f"{option} is a number" in result.err
