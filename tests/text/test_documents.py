"""What is taken as documents, and how the rest is refused: which document, and why."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from textnb.text import documents
from textnb.text.documents import as_documents, batches, decoded

TEXTS = ["the cat", "", "a dog"]


@pytest.mark.parametrize(
    "given",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        np.array(TEXTS).reshape(-1, 1),
        pd.Series(TEXTS, index=[7, 7, 0]),
        pd.DataFrame({"text": TEXTS}),
        pd.Series(TEXTS, dtype="string"),
        (text for text in TEXTS),
        [text.encode() for text in TEXTS],
        [bytearray(TEXTS[0].encode()), memoryview(b""), TEXTS[2]],
    ],
    ids=lambda given: type(given).__name__,
)
def test_documents_come_in_many_containers(given):
    assert list(decoded(as_documents(given))) == TEXTS


@pytest.mark.parametrize("given", ["one document", b"one document"])
def test_a_lone_string_is_refused(given):
    with pytest.raises(ValueError, match=r"string object received. For one document, pass \[text\]"):
        as_documents(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pd.DataFrame({"title": TEXTS, "text": TEXTS}), r"a table of shape \(3, 2\); select one column"),
        (np.array("scalar"), r"an array of shape \(\)"),
        (np.zeros((2, 1, 1)), r"an array of shape \(2, 1, 1\)"),
        (scipy.sparse.csr_array((3, 1)), r"an array of shape \(3, 1\)"),
        (None, "NoneType"),
        (42, "int"),
    ],
)
def test_what_is_no_collection_of_documents_is_refused(given, message):
    with pytest.raises(ValueError, match=f"expected .* of documents, got {message}"):
        as_documents(given)


@pytest.mark.parametrize(
    ("strange", "message"),
    [
        (None, "None is an invalid document"),
        (float("nan"), "np.nan is an invalid document"),
        (np.nan, "np.nan is an invalid document"),
        (pd.NA, "expected a string, got NAType"),
        (3.5, "expected a string, got float: 3.5"),
        (["a", "list"], r"expected a string, got list: \['a', 'list'\]"),
        (np.array([1, 2]), "expected a string, got ndarray"),
    ],
)
def test_what_is_no_document_is_named_with_its_position(strange, message):
    with pytest.raises(ValueError, match=f"document 2: {message}"):
        list(decoded(["a", "b", strange]))


def test_bytes_that_cannot_be_decoded_are_named_with_their_position():
    with pytest.raises(UnicodeDecodeError, match="document 1: decode it first, or set encoding or decode_error"):
        list(decoded([b"fine", b"caf\xe9"]))
    assert list(decoded([b"caf\xe9"], "latin-1")) == ["café"]
    assert list(decoded([b"caf\xe9"], "utf-8", "ignore")) == ["caf"]


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match="unknown encoding 'klingon'"):
        list(decoded([b"a"], "klingon"))


@pytest.mark.parametrize("item", [lambda text: text, lambda text: ("id", text), lambda text: ("id", text, None)])
def test_what_is_taken_together_is_neither_many_nor_large(item, monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 10)
    given = [item(text) for text in ["a", "b", "c", "d" * 9, "e", "f" * 30, "g" * 30, "h"]]
    assert [len(batch) for batch in batches(iter(given), 3)] == [3, 2, 1, 1, 1]
    assert [one for batch in batches(given, 3) for one in batch] == given
    assert [len(batch) for batch in batches([("row", (1, "x" * 90))] * 4, 3)] == [3, 1]


def test_large_documents_are_let_go_before_the_next_ones_are_read(monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 1000)
    read = []
    some = (read.append(i) or (str(i), "x" * 1000) for i in range(9))
    for n, _ in enumerate(batches(some, 2048), 1):
        assert len(read) == n
