"""Documents added up without rows: the counts are those of their rows, whatever the batches and threads."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textnb
from textnb.arrays import SparseRows
from textnb.statistics.counts import unique_classes
from textnb.statistics.tally import Tally, can_tally
from textnb.text.analyzer import Analyzer

kernel = pytest.importorskip("textnb.text._kernel", reason="without the kernel documents are counted in rows")

WORDS = ["aa", "ab", "a-long-word-of-many-letters", "Éé", "ΑΣ", "中文", "x", "\x00", "\ud800", " "]
LABELS = ["spam", "ham", "a bill", "ünïcode"]
DOCUMENTS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.sampled_from(LABELS)),
    min_size=1,
    max_size=20,
)
ANALYZERS = [
    {},
    {"lowercase": False, "stop_words": ["aa", "éé"]},
    {"analyzer": "char", "ngrams": (1, 3)},
    {"analyzer": "char_wb", "ngrams": (2, 4)},
    {"tokenizer": "punctuation"},
    {"tokenizer": "unicode"},
    {"analyzer": "mail"},
]


def learner_of(**analysis):
    return textnb.TextClassifier("multinomial", "counts", ledger=False, calibrate=False, **analysis).new_learner(
        keep_ledger=False
    )


def assert_same(found, expected):
    for field in fields(expected):
        a, b = getattr(found, field.name), getattr(expected, field.name)
        if isinstance(b, SparseRows):
            assert a.shape == b.shape
            pairs = [(getattr(a, part), getattr(b, part)) for part in ("indptr", "indices", "data")]
        elif field.name == "terms":
            pairs = list(zip(a.arrays().values(), b.arrays().values(), strict=True))
        else:
            pairs = [(np.asarray(a), np.asarray(b))]
        for ours, other in pairs:
            assert ours.dtype == other.dtype, field.name
            np.testing.assert_array_equal(ours, other)


@given(DOCUMENTS, st.sampled_from(ANALYZERS), st.integers(1, 20), st.sampled_from([1, 2, 3]))
@settings(max_examples=150, deadline=None)
def test_counts_are_those_of_rows(documents, analysis, size, n_jobs):
    texts, labels = map(list, zip(*documents, strict=True))
    learner = learner_of(n_jobs=n_jobs, **analysis)
    classes, class_ids = unique_classes(np.array(labels))
    expected = learner.counts_of(learner.count(texts), class_ids, classes)
    tally = learner.tally()
    for start in range(0, len(texts), size):
        tally.add(texts[start : start + size], labels[start : start + size])
    assert_same(tally.counts(), expected)


def test_many_terms_of_many_classes_in_many_documents(monkeypatch):
    """So that tables grow, documents are shared among threads, and workers have terms in common."""
    monkeypatch.setattr(kernel, "SMALLEST_BLOCK", 1000)
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in random.zipf(1.3, 80) % 30_000) for _ in range(2000)]
    labels = [f"c{i}" for i in random.integers(300, size=2000)]
    learner = learner_of(n_jobs=3)
    classes, class_ids = unique_classes(np.array(labels))
    tally = learner.tally()
    for start in range(0, 2000, 600):
        tally.add(texts[start : start + 600], labels[start : start + 600])
    assert_same(tally.counts(), learner.counts_of(learner.count(texts), class_ids, classes))


def test_only_what_needs_no_rows_is_added_up():
    assert isinstance(learner_of().tally(), Tally)
    assert isinstance(learner_of(unknown="token", min_df=2).tally(), Tally)  # which are told apart at the end
    for settings_ in ({"ngrams": (1, 2)}, {"stemmer": "porter"}, {"vocabulary": ["a"]}):
        assert learner_of(**settings_).tally() is None
    for weights in ("binary", "tfidf"):
        classifier = textnb.TextClassifier(weights=weights, calibrate=False)
        assert classifier.new_learner(keep_ledger=False).tally() is None
    assert textnb.TextClassifier(weights="counts").new_learner(keep_ledger=True).tally() is None
    assert not can_tally(Analyzer(lambda text: [text]))


def test_what_cannot_be_added_up_is_refused():
    with pytest.raises(ValueError, match="n-grams of words are not added up"):
        kernel.Tally("word", 1, 2, True, None, 1)
    tally = kernel.Tally("word", 1, 1, True, None, 1)
    with pytest.raises(ValueError, match="1 classes of 2 texts"):
        tally.add(["a", "b"], np.array([0]))
    with pytest.raises(ValueError, match="a class is out of range: -1"):
        tally.add(["a"], np.array([-1]))
    tally.add(["some words", "more words"], np.array([0, 4]))
    with pytest.raises(ValueError, match="more than 2 classes"):
        tally.totals(2)


def test_labels_of_another_kind_than_the_learners_are_refused():
    learner, _ = learner_of().learn(["some words"], np.array([1]))
    tally = learner.tally()
    tally.add(["more words"], ["spam"])
    with pytest.raises(ValueError, match="cannot align classes of different types"):
        learner.with_counts(tally.counts())
