"""`textnb tune`, and the same choice in `textnb train`: what it is made from, what it says, and when it is made."""

import csv
import json
import re
import shlex

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_train import write_split_folder
from mail_samples import mboxrd, messages

import textnb as library
from textnb.corpora import Corpus
from textnb.selection.tuning import Fixed, tune
from textnb.storage import open_model
from textnb.workflow.metrics import wilson_interval

TEXTS, LABELS = zip(*mail(), strict=True)
CLASS_IDS = np.unique(LABELS, return_inverse=True)[1]
OPEN = Fixed(units=False)


@pytest.fixture
def choice():
    return tune(TEXTS, CLASS_IDS, fixed=OPEN)


@pytest.fixture
def threads(monkeypatch):
    """A corpus of which four messages each belong together."""
    corpus = Corpus(
        "threads", list(TEXTS), np.array(LABELS), ["ham", "spam"], "made up", groups=np.arange(len(TEXTS)) // 4
    )
    monkeypatch.setattr("textnb.corpora.open_corpus", lambda spec, **options: corpus)
    return corpus


@pytest.fixture
def repeated(tmp_path):
    """A table that has every message twice, and a row that cannot be read."""
    rows = [{"text": text, "label": label} for text, label in mail() * 2]
    path = tmp_path / "repeated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "nonsense\n")
    return path


def test_json_has_the_choice_and_every_trial(textnb, mail_csv, choice):
    done = textnb("tune", "mail.csv", "--json")
    assert (done.code, done.err) == (0, "")
    interval = list(wilson_interval(choice.best.accuracy, len(TEXTS)))
    about = {"corpus": "mail.csv", "edition": "mail.csv, 80 documents"}
    assert done.json == {**about, **choice.to_json(), "accuracy_interval": interval}
    assert done.json["estimate"] == "leave-one-out"


def test_the_table_has_every_trial_the_best_first(textnb, mail_csv, choice):
    done = textnb("tune", "mail.csv")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    low, high = wilson_interval(choice.best.accuracy, 80)
    assert lines[:4] == [
        "corpus     mail.csv: mail.csv, 80 documents",
        "documents  80 tried on, of 80; 2 classes",
        f"estimate   leave-one-out, accuracy {choice.best.accuracy:.4f} (95 %: {low:.4f} to {high:.4f})",
        "",
    ]
    assert lines[4].split() == ["model", "weights", "terms", "ngrams", "min-df", "alpha", "accuracy", "log-loss"]
    rows = [line.split() for line in lines[5 : 5 + len(choice.trials)]]
    best = choice.best.candidate
    assert rows[0][:2] == [best.model, best.weights]
    assert [float(row[6]) for row in rows] == sorted((float(row[6]) for row in rows), reverse=True)
    assert {"word", "unicode", "punctuation", "char_wb", "char"} == {row[2] for row in rows}
    assert {(row[0], row[1]) for row in rows} == set(Fixed().recipes())
    assert max(map(len, lines[:-1])) <= 100  # the last is a command, to be copied


def test_the_command_at_the_end_trains_what_was_chosen(textnb, mail_csv, choice, tmp_path):
    mail_csv.rename(tmp_path / "my mail.csv")
    (command,) = re.findall("^best +textnb (.*)$", textnb("tune", "my mail.csv").out, re.MULTILINE)
    done = textnb(*shlex.split(command), "--json")
    found = done.json["settings"]
    best = choice.best.candidate
    assert (found["model"], found["weights"], found["alpha"]) == (best.model, best.weights, best.alpha)
    assert (found["ngrams"], found.get("min_df", 1)) == (list(best.ngrams), best.min_df)
    assert "choice" not in done.json


def test_what_is_given_is_not_chosen(textnb, mail_csv):
    done = textnb("tune", mail_csv, "--model", "multinomial", "--ngrams", "1,3", "--min-df", 2, "--json")
    tried = done.json["trials"]
    assert {(trial["model"], *trial["ngrams"], trial["min_df"]) for trial in tried} == {("multinomial", 1, 3, 2)}
    fixed = Fixed(model="multinomial", ngrams=(1, 3), min_df=2)
    assert done.json["best"] == tune(TEXTS, CLASS_IDS, fixed=fixed).best.to_json()


def test_documents_that_belong_together_leave_together(textnb, threads):
    done = textnb("tune", "threads", "--json")
    choice = tune(TEXTS, CLASS_IDS, fixed=OPEN, groups=threads.groups)
    interval = list(wilson_interval(choice.best.accuracy, len(TEXTS)))
    expected = {"corpus": "threads", "edition": "made up", **choice.to_json(), "accuracy_interval": interval}
    assert done.json == expected
    assert done.json["estimate"] == "leave-one-group-out"
    assert "estimate   leave-one-group-out" in textnb("tune", "threads").out


def test_the_test_part_is_not_looked_at(textnb, tmp_path):
    write_split_folder(tmp_path / "parts")
    before = textnb("tune", "parts", "--json").json
    assert before["n_documents"] == 60
    for path in (tmp_path / "parts" / "test").rglob("*.txt"):
        path.write_text("something else altogether")
    assert textnb("tune", "parts", "--json").json["trials"] == before["trials"]


def test_near_duplicates_are_warned_of(textnb, repeated):
    done = textnb("tune", repeated, "--json")
    assert done.code == 0
    assert done.err.splitlines()[0].startswith("textnb: skipped")
    assert "textnb: 100% of the documents are nearly the same as another: leave-one-out flatters" in done.err
    assert done.json["near_duplicated"] == 1
    assert textnb("tune", repeated, "--quiet").err == ""


def test_a_picture_is_drawn(textnb, mail_csv, tmp_path):
    done = textnb("tune", mail_csv, "--plot", "curve.png")
    assert (done.code, done.err) == (0, "textnb: drew curve.png\n")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plot", "curve.gif"], "must end in .png, .svg or .pdf"),
        (["--plot", "nowhere/curve.png"], "the folder does not exist"),
        (["--alpha", "much"], "--alpha is a number, 0 or more, or auto, got much"),
        (["--alpha", "-1"], "--alpha is a number, 0 or more, or auto"),
        (["--alpha", "nan"], "--alpha is a number, 0 or more, or auto"),
        (["--ngrams", "2,1"], "--ngrams takes the shortest and the longest n-gram"),
        (["--min-df", "none"], "--min-df takes a number of documents"),
        (["--categories", "ham"], "only the class 'ham'"),
        (["--text", "body"], "body"),
        (["--model", "gaussian"], "--model"),
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_one_line(textnb, mail_csv, options, said):
    done = textnb("tune", mail_csv, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


# Training


def test_training_without_settings_is_automatic(textnb, mail_csv):
    found = textnb("train", mail_csv, "--json").json
    best = found["choice"]["best"]
    assert {name: found["settings"][name] for name in ("model", "weights", "alpha", "ngrams")} == {
        name: best[name] for name in ("model", "weights", "alpha", "ngrams")
    }
    assert found["choice"]["n_documents"] == found["n_train"] == 56
    low, high = wilson_interval(best["accuracy"], 56)
    assert (
        f" chosen of {len(found['choice']['trials'])} candidates by leave-one-out accuracy "
        f"{best['accuracy']:.4f} (95 %: {low:.4f} to {high:.4f}) on 56 documents "
    ) in " ".join(textnb("train", mail_csv).out.split())


@pytest.mark.parametrize(
    ("option", "value"),
    [("--model", "multinomial"), ("--weights", "counts"), ("--alpha", "0.3"), ("--ngrams", "1,2"), ("--min-df", "2")],
)
def test_with_one_setting_the_others_are_the_defaults(textnb, mail_csv, tmp_path, option, value):
    found = textnb("train", mail_csv, option, value, "--json").json
    assert "choice" not in found
    defaults = {"model": "complement", "weights": "log-tfidf", "alpha": 1.0, "ngrams": (1, 1), "min_df": 1}
    name = option.removeprefix("--").replace("-", "_")
    expected = defaults | {name: {"1,2": (1, 2), "0.3": 0.3, "2": 2}.get(value, value)}
    assert expected.items() <= library.load(tmp_path / "mail.tnb").parameters_in_use.items()


def test_one_setting_can_be_chosen_alone(textnb, mail_csv):
    found = textnb("train", mail_csv, "--alpha", "auto", "--json").json
    assert {(trial["model"], trial["weights"], *trial["ngrams"]) for trial in found["choice"]["trials"]} == {
        ("complement", "log-tfidf", 1, 1)
    }
    assert len(found["choice"]["trials"]) == 8


def test_training_by_threads_says_so(textnb, threads):
    out = textnb("train", "threads").out
    assert re.search("^chosen     of .* by leave-one-group-out accuracy", out, re.MULTILINE)
    assert "by leave-one-group-out" in textnb("train", "threads", "--cv", 3).out


def test_training_says_how_far_the_choice_is_to_be_believed(textnb, repeated):
    out = " ".join(textnb("train", repeated, "--quiet").out.split())
    assert re.search(r"\d+% of the documents are nearly the same as another: leave-one-out flatters", out)


@pytest.mark.parametrize(
    "options",
    [["--stream", "--alpha", "auto"], ["--stream", "--model", "auto"], ["--prune", "100", "--ngrams", "auto"]],
    ids=" ".join,
)
def test_streams_refuse_to_choose(textnb, mail_csv, options, tmp_path):
    done = textnb("train", mail_csv, *options)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "textnb: auto needs the text of all documents in memory: give a value, or no stream and no columns\n"
    )
    assert not (tmp_path / "mail.tnb").exists()


def test_streams_take_the_defaults_unasked(textnb, mail_csv):
    found = textnb("train", mail_csv, "--stream", "--json").json
    assert (found["settings"]["model"], found["settings"]["weights"]) == ("complement", "log-tfidf")
    assert not {"choice", "calibration"} & set(found)


def test_columns_refuse_to_choose(textnb, tmp_path):
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "day", "label"), *((text, "mon", label) for text, label in mail())])
    done = textnb("train", "table.csv", "--categorical", "day", "--alpha", "auto")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "auto needs the text of all documents" in done.err


def test_learning_at_the_prompt_keeps_what_was_chosen(textnb, model):
    names = ("auto", "alpha", "calibration", "analyzer")
    before = {name: open_model(model).settings[name] for name in names}
    assert set(before["auto"]) == {"model", "weights", "alpha", "ngrams", "min_df"}
    bytes_before = model.read_bytes()
    assert textnb("learn", model, "--label", "bills", stdin=b"pay the invoice").code == 0
    after = {name: open_model(model).settings[name] for name in names}
    fitted_to = {"labels": ["ham", "spam"]}
    assert after == before | {"calibration": before["calibration"] | fitted_to}
    assert library.load(model).parameters_in_use["alpha"] == before["alpha"]
    assert textnb("forget", model, "--label", "bills", stdin=b"pay the invoice").code == 0
    assert model.read_bytes() == bytes_before
    assert textnb("merge", "-o", "both.tnb", model, model).code == 0
    assert {name: open_model("both.tnb").settings[name] for name in names} == before


def test_inspect_says_what_was_chosen_and_calibrated(textnb, model):
    settings = open_model(model).settings
    found = textnb("inspect", model, "--json").json
    assert sorted(found["chosen"]) == settings["auto"]
    assert (found["chosen"]["alpha"], found["calibration"]) == (settings["alpha"], settings["calibration"])
    out = textnb("inspect", model).out
    assert "chosen     alpha, min_df, model, ngrams, weights, as at the last fit" in out
    assert f"calibrated at temperature {settings['calibration']['temperature']:.4g}" in out


def test_mail_is_tuned_by_what_is_caught(textnb, mail_csv):
    done = textnb("tune", "mail.csv", "--analyzer", "mail")
    assert done.code == 0
    said = "^best by +spam caught at losses of 0 to 1% of the rest: [01][.][0-9]{4} on average$"
    assert re.search(said, done.out, re.MULTILINE)
    header = next(line for line in done.out.splitlines() if line.startswith("model "))
    assert header.split()[4:] == ["alpha", "min-dev", "caught", "accuracy", "log-loss"]
    found = textnb("tune", "mail.csv", "--analyzer", "mail", "--json").json
    assert found["objective"] == "caught"
    assert found["best"]["caught"] == max(trial["caught"] for trial in found["trials"])
    found = textnb("tune", "mail.csv", "--analyzer", "mail", "--objective", "log-loss", "--json").json
    assert found["objective"] == "log-loss"


def test_the_command_of_a_model_of_clear_terms_names_its_deviation(textnb, mail_csv):
    done = textnb("tune", "mail.csv", "--analyzer", "mail", "--model", "robinson", "--min-deviation", "0.25")
    (command,) = re.findall("^best +textnb (.*)$", done.out, re.MULTILINE)
    found = textnb(*shlex.split(command), "--json").json["settings"]
    assert found["analyzer"] == "mail"
    assert (found["model"], found["min_deviation"], found["assumed"]) == ("robinson", 0.25, 0.5)


def test_train_says_what_the_choice_for_mail_was_made_by(textnb, mail_csv):
    done = textnb("train", "mail.csv", "--analyzer", "mail")
    assert done.code == 0
    assert "candidates by spam caught at losses of 0 to 1% of the rest" in " ".join(done.out.split())


def test_an_objective_that_cannot_be_is_refused(textnb, mail_csv, tmp_path):
    (tmp_path / "other.csv").write_text(mail_csv.read_text().replace(",spam", ",junk"))
    done = textnb("tune", "other.csv", "--objective", "caught")
    assert done.code == 2
    assert "none is called spam: name it (--positive), or choose accuracy, log-loss, macro-f1 or auc" in done.err


def test_the_class_that_is_to_be_caught_can_be_named(textnb, mail_csv, tmp_path):
    """Without a class called spam, the choice was once made by accuracy, and nobody was told."""
    (tmp_path / "other.csv").write_text(mail_csv.read_text().replace(",spam", ",junk"))
    spam = textnb("tune", "mail.csv", "--analyzer", "mail", "--json").json
    done = textnb("tune", "other.csv", "--analyzer", "mail", "--positive", "junk", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["objective"], done.json["positive"]) == ("caught", "junk")
    assert [trial["caught"] for trial in done.json["trials"]] == [trial["caught"] for trial in spam["trials"]]
    by_accuracy = textnb("tune", "other.csv", "--analyzer", "mail", "--json")
    assert by_accuracy.json["objective"] == "accuracy"
    assert "candidates were compared by accuracy" in by_accuracy.err
    assert "name it (--positive)" in textnb("train", "other.csv", "--analyzer", "mail", "--output", "m.tnb").err
    trained = textnb("train", "other.csv", "--analyzer", "mail", "--positive", "ham")
    assert "candidates by ham caught at losses of 0 to 1% of the rest" in " ".join(trained.out.split())
    of_words = textnb("tune", "other.csv", "--positive", "junk", "--json").json  # also where documents are no mail
    assert (of_words["objective"], of_words["positive"]) == ("caught", "junk")
    for command in (["tune"], ["train", "--output", "new.tnb"]):
        refused = textnb(*command, "other.csv", "--positive", "spam")
        assert (refused.code, refused.out) == (2, "")
        assert "there is no class 'spam' to be caught (--positive): there are ham, junk" in refused.err
    assert textnb("train", "other.csv", "--stream", "--positive", "junk").code == 2


SOURCES = ["spam=spam box/*.mbox", "ham=ham.mbox", "ham=it's more.mbox"]


@pytest.mark.parametrize(
    ("sources", "options"),
    [
        (SOURCES, ["--mail", "no-source"]),
        (SOURCES, ["--analyzer", "word", "--stop-words", "the,a", "--max-df", "0.9"]),
        (["my table.csv"], ["--text", "the body", "--label", "kind", "--categories", "ham,spam"]),
    ],
    ids=["mail", "words", "table"],
)
def test_the_printed_command_runs_and_trains_what_was_chosen(textnb, tmp_path, sources, options):
    """All sources were once one quoted word, and options that say how to read them were left out."""
    (tmp_path / "spam box").mkdir()
    (tmp_path / "spam box" / "1.mbox").write_bytes(mboxrd(messages("spam", 30)))
    (tmp_path / "ham.mbox").write_bytes(mboxrd(messages("ham", 20)))
    (tmp_path / "it's more.mbox").write_bytes(mboxrd(messages("ham", 30)[20:]))
    with (tmp_path / "my table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("the body", "kind"), *mail(), *[("an invoice", "bill")] * 3])
    done = textnb("tune", *sources, *options)
    assert done.code == 0
    (command,) = re.findall("^best +textnb (.*)$", done.out, re.MULTILINE)
    best = textnb("tune", *sources, *options, "--json").json["best"]
    trained = textnb(*shlex.split(command), "--output", "new.tnb", "--json")
    assert trained.code == 0
    found = trained.json["settings"]
    assert {name: found[name] for name in ("model", "weights", "alpha", "ngrams")}.items() <= best.items()
    assert found["analyzer"] == ("mail" if "--mail" in options else "word")
    assert (found.get("mail"), found.get("max_df", 1.0)) == (
        "no-source" if "--mail" in options else None,
        0.9 if "--max-df" in options else 1.0,
    )
    assert trained.json["classes"] == ["ham", "spam"]
