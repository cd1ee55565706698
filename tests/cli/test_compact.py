"""`textnb compact` and `train --compact`: files that only predict."""

import numpy as np
import pytest
from cli.conftest import mail

import textnb as library
from textnb.storage import open_model

EXACT = [
    ("--model", "multinomial", "--weights", "counts"),
    ("--model", "multinomial", "--weights", "counts", "--ngrams", "1,2", "--min-df", "2"),
    ("--model", "multinomial", "--weights", "counts", "--ngrams", "1,3", "--unknown", "token", "--max-features", "60"),
    ("--model", "complement", "--weights", "binary", "--unknown", "token", "--min-df", "3"),
    ("--model", "bernoulli", "--alpha", "0", "--min-df", "2"),
    ("--model", "multinomial", "--weights", "counts", "--analyzer", "char", "--ngrams", "2,3"),
]
ROUNDED = [
    ("--model", "complement", "--weights", "log-tfidf"),
    ("--model", "multinomial", "--weights", "tfidf", "--ngrams", "1,2", "--min-df", "2"),
    ("--model", "complement", "--weights", "log-tfidf", "--unknown", "token", "--ngrams", "2,3"),
]
TEXTS = [text for text, _ in mail()] + ["never seen words", "", "cheap lunch", "Lunch lunch LUNCH prize"]


@pytest.fixture
def both(textnb, mail_csv, tmp_path):
    """A model file and its compact one."""

    def make(*settings):
        assert textnb("train", mail_csv, *settings, "-o", "m.tnb", "--overwrite").code == 0
        assert textnb("compact", "m.tnb", "-o", "small.tnb", "--overwrite").code == 0
        return tmp_path / "m.tnb", tmp_path / "small.tnb"

    return make


def predicted(textnb, path, *options):
    lines = "\n".join(text for text in TEXTS if text).encode()
    return textnb("predict", path, "--lines", "--json", *options, stdin=lines).out


@pytest.mark.parametrize("settings", EXACT)
def test_counts_predict_to_the_last_digit(textnb, both, settings):
    model, small = both(*settings)
    assert predicted(textnb, small) == predicted(textnb, model) != ""
    assert predicted(textnb, small, "--raw") == predicted(textnb, model, "--raw")
    classifiers = library.load(model), library.load(small)
    full, compact = (classifier.predict_log_proba(TEXTS) for classifier in classifiers)
    assert np.array_equal(full, compact)
    assert classifiers[0].top_terms(5) == classifiers[1].top_terms(5)
    assert small.stat().st_size < model.stat().st_size


@pytest.mark.parametrize("settings", ROUNDED)
def test_tfidf_predicts_nearly_the_same(textnb, both, settings):
    model, small = both(*settings)
    full, compact = (library.load(path).predict_proba(TEXTS) for path in (model, small))
    assert abs(full - compact).max() < 2e-3
    totals = open_model(small).array("totals")
    assert totals.dtype == np.float16


def test_a_file_of_few_types(both):
    _, small = both("--model", "multinomial", "--weights", "counts", "--ngrams", "1,2", "--min-df", "2")
    file = open_model(small)
    assert file.settings["compact"] is True
    assert file.names == [
        *("by_class", "documents", "intercept", "log_prior", "ngram_rest", "ngram_starts", "offsets", "terms"),
        *("totals", "totals_classes", "totals_lengths", "totals_starts"),
    ]
    assert file.array("ngram_rest").dtype == np.uint16


def test_what_it_prints(textnb, both):
    model, small = both("--model", "multinomial", "--weights", "counts")
    done = textnb("compact", "m.tnb", "-o", "small.tnb")  # it knows the same documents
    sizes = f"{small.stat().st_size:,} bytes of {model.stat().st_size:,}"
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"small.tnb: {sizes}, 20 terms\n")
    assert done.out.endswith("scores are the same to the last digit\n")
    for lost in ("learn", "forget", "merge"):
        assert lost in done.out
    found = textnb("compact", "m.tnb", "-o", "small.tnb", "--json").json
    assert (found["bytes"], found["bytes_before"]) == (small.stat().st_size, model.stat().st_size)
    assert (found["n_documents"], found["n_terms"], found["rounded"]) == (56, 20, False)
    inspected = textnb("inspect", "small.tnb")
    assert "compact" in inspected.out
    assert inspected.code == 0
    assert textnb("inspect", "small.tnb", "--json").json["compact"] is True


def test_train_can_save_it_at_once(textnb, both, mail_csv, tmp_path):
    _, small = both("--model", "complement")
    done = textnb("train", mail_csv, "--model", "complement", "--compact", "-o", "other.tnb")
    assert done.code == 0
    assert "it only predicts" in done.out
    assert "scores move in their sixth digit" in done.out
    assert max(map(len, done.out.splitlines()[1:])) <= 100
    assert (tmp_path / "other.tnb").read_bytes() == small.read_bytes()
    assert textnb("train", mail_csv, "--model", "complement", "--compact", "--json").json["compact"] is True
    assert textnb("train", mail_csv, "--model", "complement", "--compact").code == 0  # of the same corpus
    streamed = textnb("train", mail_csv, "--model", "complement", "--compact", "--stream", "-o", "s.tnb")
    assert streamed.code == 0
    assert open_model(tmp_path / "s.tnb").settings["compact"] is True


def test_what_needs_counts_is_refused(textnb, both, mail_csv):
    _, small = both("--model", "multinomial", "--weights", "counts")
    before = small.read_bytes()
    for call in (
        ("learn", "small.tnb", mail_csv),
        ("learn", "small.tnb", mail_csv, "--once"),
        ("forget", "small.tnb", mail_csv),
        ("forget", "small.tnb", "--ledger"),
        ("merge", "-o", "x.tnb", "m.tnb", "small.tnb"),
        ("count", mail_csv, "-o", "x.tnb", "--like", "small.tnb"),
        ("compact", "small.tnb", "-o", "x.tnb"),
    ):
        done = textnb(*call)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), call
        assert "small.tnb is a compact model, which only predicts; use the model that it was made from" in done.err
    assert small.read_bytes() == before
    assert not small.with_name("x.tnb").exists()
    classifier = library.load(small)
    for act in (lambda: classifier.learn(["a"], ["ham"]), lambda: classifier.save("x.tnb"), lambda: classifier.model_):
        with pytest.raises(ValueError, match="compact model, which only predicts"):
            act()
    assert classifier.n_documents_ == 56


def test_it_evaluates(textnb, both, mail_csv):
    model, small = both("--model", "multinomial", "--weights", "counts")
    results = [textnb("evaluate", path, mail_csv, "--all", "--json").json for path in (model, small)]
    nobody_knows = {"n_learned_skipped": None, "n_learned_tested": None}  # the compact file has no ledger
    assert results[1] == results[0] | {"model_file": str(small)} | nobody_knows


def test_outputs_that_are_refused(textnb, both, model, tmp_path):
    both("--model", "multinomial", "--weights", "counts")
    for output, said in (("m.tnb", "one of the inputs"), ("mail.csv", "not a model")):
        done = textnb("compact", "m.tnb", "-o", output)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert said in done.err
    textnb("learn", "mail.tnb", "--label", "ham", stdin=b"a message of today")
    assert "1 document that this run does not know" in textnb("compact", "m.tnb", "-o", "mail.tnb").err
    assert textnb("compact", "m.tnb", "-o", "m.tnb", "--overwrite").code == 0
