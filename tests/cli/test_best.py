"""`--best`: linear models beside naive Bayes, what is said of the winner, and what is refused."""

import csv
import shlex

import pytest
from estimators.test_best import independent, repeated

from textnb import load

WORDS = ("--best", "--ngrams", "1,1", "--min-df", "1")


@pytest.fixture
def tables(tmp_path):
    """Two tables, of which a linear model suits the first, and naive Bayes the second."""
    for name, (texts, labels) in {"repeated.csv": repeated(), "independent.csv": independent()}.items():
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])


def one_line(text):
    return " ".join(text.split())


def test_a_linear_winner_says_what_it_gives_up(textnb, tables):
    done = textnb("train", "repeated.csv", *WORDS)
    assert done.code == 0
    assert "settings model nbsvm" in one_line(done.out)
    said = one_line(done.out)
    assert "by 5-fold cross-validation accuracy 0.9" in said
    assert "a linear model; naive Bayes has " in said
    assert "Linear models cannot learn, forget or merge: `textnb refit` fits them anew" in said


def test_naive_bayes_says_what_the_other_would_be(textnb, tables):
    done = textnb("train", "independent.csv", "--model", "best", "--ngrams", "1,1", "--min-df", "1", "--test-size", "0")
    assert done.code == 0
    assert "naive Bayes, which can learn, forget and merge; the best linear model has nbsvm" in one_line(done.out)


def test_json_has_both_searches(textnb, tables):
    choice = textnb("train", "repeated.csv", *WORDS, "--json").json["choice"]
    assert choice["best"]["model"] == "nbsvm"
    assert {trial["model"] for trial in choice["naive_bayes"]["trials"]} == {"multinomial", "complement", "bernoulli"}
    assert choice["naive_bayes"]["estimate"] == "leave-one-out"


def test_tune_shows_both_kinds_and_a_command_that_trains_the_best(textnb, tables, tmp_path):
    done = textnb("tune", "repeated.csv", "--best", "--objective", "macro-f1", "--plot", "curve.png")
    assert done.code == 0
    header, *rows = (line.split() for line in done.out.splitlines()[5:])
    assert header[-3:] == ["macro-f1", "accuracy", "log-loss"]
    assert {"nbsvm"} < {row[0] for row in rows if row}
    assert "naive Bayes alone, by leave-one-out:" in done.out
    assert (tmp_path / "curve.png").stat().st_size > 1000
    words = shlex.split(done.out.splitlines()[-1].removeprefix("best"))
    assert textnb(*words[1:], "--json").json["settings"]["model"] == "nbsvm"


def test_a_linear_winner_is_fitted_to_what_was_held_out_too(textnb, tables, tmp_path):
    done = textnb("train", "repeated.csv", *WORDS, "--refit", "--output", "m.tnb", "--json")
    assert (done.code, done.json["n_train"], done.json["n_learned"]) == (0, 84, 120)
    model = load(tmp_path / "m.tnb")
    assert model.n_documents_ == 120
    assert model.parameters_in_use["C"] == done.json["choice"]["best"]["C"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "complement"], "--best chooses the model: leave it out, or --model complement"),
        (["--stream"], "best needs the text of all documents in memory: give a value, or no stream and no columns"),
        (["--numeric", "size"], "best needs the text of all documents in memory"),
    ],
)
def test_what_cannot_be_is_refused(textnb, tables, options, said):
    done = textnb("train", "independent.csv", "--best", *options)
    assert done.code == 2
    assert said in one_line(done.err)
