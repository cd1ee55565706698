"""20 Newsgroups at the prompt: the published figures, digit for digit, on the edition with headers."""

import re

import pytest
from corpora_for_tests import corpus_or_skip

import textnb as library
from textnb.corpora.corpus import select

FOUR = "comp.graphics,sci.space,soc.religion.christian,talk.religion.misc"


@pytest.fixture
def newsgroups(monkeypatch):
    """The corpus, read once for all tests."""
    corpus = corpus_or_skip("20news")
    if corpus.groups is None:
        pytest.skip("corpus not available: 20news with headers")

    def loaded(name, subset="all", *, categories=None, strip=(), raw=False, quiet=False):
        assert (name, tuple(strip), raw) == ("20news", (), False)
        return select(corpus, subset, categories)

    monkeypatch.setattr("textnb.corpora.readers.load_corpus", loaded)


def test_the_matrix_of_four_groups(textnb, tmp_path):
    corpus = corpus_or_skip("20news")
    if corpus.groups is None:
        pytest.skip("corpus not available: 20news with headers")
    options = ["--model", "multinomial", "--weights", "tfidf", "--alpha", 1, "--categories", FOUR]
    found = textnb("train", "20news", *options, "--json").json
    assert found["edition"] == corpus.edition
    assert found["classes"] == FOUR.split(",")
    assert found["confusion_matrix"] == [[344, 13, 32, 0], [6, 364, 24, 0], [1, 5, 392, 0], [4, 12, 187, 48]]
    assert found["accuracy"] == 1148 / 1432
    assert (found.pop("n_learned"), found["model_file"]) == (found["n_train"], "20news.tnb")
    assert textnb("evaluate", "20news.tnb", "20news", "--categories", FOUR, "--json").json == found | {
        "n_learned_skipped": 0,
        "n_learned_tested": 0,
    }


@pytest.mark.parametrize(
    ("model", "weights", "alpha", "accuracy"),
    [
        ("multinomial", "tfidf", 1, "0.7739"),
        ("multinomial", "counts", 1, "0.7728"),
        ("multinomial", "tfidf", 0.01, "0.8352"),
        ("complement", "log-tfidf", 1, "0.8447"),
    ],
)
def test_accuracies_on_all_groups(textnb, newsgroups, model, weights, alpha, accuracy):
    done = textnb("train", "20news", "--model", model, "--weights", weights, "--alpha", alpha, "--quiet")
    assert re.search(r"accuracy +([\d.]+)", done.out)[1] == accuracy
    assert max(map(len, done.out.splitlines())) <= 100


def test_stripping_changes_the_documents(textnb):
    if corpus_or_skip("20news").groups is None:
        pytest.skip("corpus not available: 20news with headers")
    strip = ["--strip", "headers,footers,quotes"]
    options = ["--model", "multinomial", "--weights", "tfidf", "--alpha", 0.01, "--categories"]
    groups = "alt.atheism,comp.graphics,sci.space,talk.religion.misc"
    found = textnb("train", "20news", *options, groups, *strip, "--json").json
    assert round(found["macro_f1"], 4) == 0.7700


@pytest.mark.slow
@pytest.mark.parametrize(("model", "weights"), [("complement", "log-tfidf"), ("multinomial", "counts")])
def test_compact_files_with_pairs_take_six_megabytes_and_decide_alike(textnb, newsgroups, tmp_path, model, weights):
    recipe = ["--model", model, "--weights", weights, "--alpha", 1, "--ngrams", "1,2", "--min-df", 2]
    assert textnb("train", "20news", *recipe, "--quiet").code == 0
    assert textnb("compact", "20news.tnb", "-o", "small.tnb").code == 0
    assert (tmp_path / "small.tnb").stat().st_size <= 6_000_000
    texts = select(corpus_or_skip("20news"), "test").texts
    full, small = (library.load(tmp_path / name) for name in ("20news.tnb", "small.tnb"))
    assert (full.predict(texts) == small.predict(texts)).all()
    scores, rounded = (classifier.predictor_.log_likelihood(texts) for classifier in (full, small))
    assert abs(rounded / scores - 1).max() < (1e-5 if weights == "log-tfidf" else 1e-300)
