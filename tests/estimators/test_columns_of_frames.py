"""Columns of data frames are texts and labels as they are: pandas, polars, pyarrow, and Hugging Face's datasets."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from textnb import CountVectorizer, TextClassifier, TfidfVectorizer

TEXTS = ["cheap pills", "win prize", "lunch noon", "meeting minutes"] * 3
LABELS = ["spam", "spam", "ham", "ham"] * 3
NUMBERS = [1, 1, 0, 0] * 3


class Column(Sequence):
    """A column as `datasets.Dataset` gives it: a sequence, and nothing else."""

    def __init__(self, values: list) -> None:
        self.values = values

    def __getitem__(self, at):
        return self.values[at]

    def __len__(self) -> int:
        return len(self.values)


KINDS = {
    "pandas": pd.Series,
    "pandas, strings of pyarrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type)),
    "pandas, nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas, categories": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow, chunks": lambda values: pa.chunked_array([values[:5], values[5:]]),
    "pyarrow, dictionary": lambda values: pa.array(values).dictionary_encode(),
    "datasets": Column,
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_texts_and_labels(kind: str) -> None:
    column = KINDS[kind]
    expected = TextClassifier("multinomial", "counts").fit(TEXTS, LABELS)
    model = TextClassifier("multinomial", "counts").fit(column(TEXTS), column(LABELS))
    assert model.predict(column(TEXTS)).tolist() == LABELS
    assert np.array_equal(model.predict_proba(column(TEXTS)), expected.predict_proba(TEXTS))
    assert model.learn(column(TEXTS), column(LABELS)).n_documents_ == 24
    numbered = TextClassifier("multinomial", "counts").fit(column(TEXTS), column(NUMBERS))
    assert [(label, type(label)) for label in numbered.classes_.tolist()] == [(0, int), (1, int)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
def test_columns_are_documents_of_vectorizers(kind: str, vectorizer: type) -> None:
    counted = vectorizer().fit_transform(KINDS[kind](TEXTS))
    assert np.array_equal(counted.toarray(), vectorizer().fit_transform(TEXTS).toarray())


@pytest.mark.parametrize("values", [pa.array(["a b", None]), pl.Series(["a b", None]), pd.Series(["a b", None])])
def test_a_missing_text_is_refused_by_its_position(values) -> None:
    with pytest.raises(ValueError, match=r"document 1: .* is an invalid document"):
        CountVectorizer().fit(values)
