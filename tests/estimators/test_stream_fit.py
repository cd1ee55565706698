"""Counting block by block gives what counting all at once gives, whatever the blocks."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textnb
from textnb.text import documents as documents_module

words = st.sampled_from(["apple", "bread", "cheese", "date", "egg", "fig"])
documents = st.lists(
    st.tuples(st.lists(words, max_size=6).map(" ".join), st.sampled_from("xyz")), min_size=1, max_size=12
)


@settings(deadline=None)
@given(
    documents=documents,
    block=st.integers(1, 60),
    unknown=st.sampled_from(["ignore", "token"]),
    limits=st.sampled_from([{}, {"min_df": 2}, {"max_df": 0.5}, {"max_features": 2}]),
    weighted=st.booleans(),
)
def test_blocks_of_any_size_equal_the_matrix(documents, block, unknown, limits, weighted):
    texts, labels = zip(*documents, strict=True)
    weights = np.linspace(0.5, 2.0, len(texts)) if weighted else None
    vectorizer = textnb.CountVectorizer(unknown=unknown, **limits)
    try:
        matrix = vectorizer.fit_transform(texts)
    except ValueError as error:  # nothing is left: the stream says the same
        with pytest.raises(ValueError, match=str(error)[:20]):
            textnb.TextClassifier("multinomial", "counts", unknown=unknown, **limits).fit(iter(texts), labels)
        return
    expected = textnb.MultinomialNB().fit(matrix, labels, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents_module, "BLOCK_CHARACTERS", block)
        classifier = textnb.TextClassifier("multinomial", "counts", unknown=unknown, **limits)
        classifier.fit(iter(texts), labels, sample_weight=weights)
    assert classifier.vocabulary_ == vectorizer.vocabulary_
    np.testing.assert_allclose(
        classifier.statistics_.totals.toarray(), expected.statistics_.totals.toarray(), rtol=1e-12
    )
    if not weighted:
        assert classifier.statistics_ == expected.statistics_


@pytest.mark.parametrize("n", [2, 4])
def test_a_stream_with_another_number_of_labels_is_refused(n):
    with pytest.raises(ValueError, match="give each document one label"):
        textnb.TextClassifier("multinomial", "counts").fit(iter(["a cat", "a dog", "a fox"]), ["x", "y"] * (n // 2))


def test_memory_is_bounded_by_the_vocabulary_not_by_the_documents(monkeypatch):
    monkeypatch.setattr(documents_module, "BLOCK_CHARACTERS", 1 << 18)

    def peak(n: int) -> int:
        texts = (f"word{i % 1000} and word{i * 7 % 1000} " * 10 for i in range(n))
        tracemalloc.start()
        textnb.TextClassifier("multinomial", "counts").fit(texts, np.arange(n) % 2)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    small, large = peak(4_000), peak(16_000)
    labels_and_positions = 12_000 * 4 * 8
    assert large < small + labels_and_positions
