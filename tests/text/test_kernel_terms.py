"""The kernel's tables of terms: strings, hashes, where terms are, and whether a table is one."""

import hashlib
import re
from bisect import bisect
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_tables import arrays_to_ngrams, ngrams_to_arrays, strings_to_arrays

kernel = pytest.importorskip("textnb.text._kernel", reason="the kernel is optional and was not compiled")

STRINGS = st.text(st.sampled_from("ab \x00é中\ud800😀"), max_size=12) | st.text(st.characters(exclude_categories=()))
TABLES = st.sets(STRINGS, max_size=12).map(sorted)
WORDS = st.sampled_from(["aa", "ab", "b_", "bb", "éé", "中文", "𐐨𐐨"])
NGRAMS = st.sets(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), max_size=12).map(sorted)


def some(data, n):
    """Ids in any order, some of them again."""
    return np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=20) if n else st.just([])), dtype=np.int64)


# Strings --------------------------------------------------------------------------------------------------------------


@given(TABLES)
def test_strings_come_back(strings):
    assert kernel.term_strings(*strings_to_arrays(strings)) == strings


@given(NGRAMS, st.data())
def test_ngrams_come_back(ngrams, data):
    table = ngrams_to_arrays(ngrams, 2)
    assert kernel.ngram_strings(*table) == arrays_to_ngrams(*table) == ngrams
    ids = some(data, len(ngrams))
    assert kernel.ngram_strings(*table, ids) == [ngrams[i] for i in ids]


@given(st.lists(STRINGS, unique=True))
def test_strings_are_numbered_in_their_order(strings):
    numbers = kernel.number_strings(strings)
    assert list(numbers.items()) == [(string, place) for place, string in enumerate(strings)]


@pytest.mark.parametrize("bad", [-1, 2, 2**40])
def test_ids_out_of_range_are_refused(bad):
    ids = np.array([0, bad])
    with pytest.raises(IndexError, match="out of range: there are 2"):
        kernel.ngram_strings(*ngrams_to_arrays(["aa", "aa bb"], 1), ids)


# Hashes ---------------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=400), max_size=5))
@example([b"", b"x" * 127, b"x" * 128, b"x" * 129, b"x" * 256, b"x" * 257])
def test_hashes_are_those_of_hashlib(strings):
    table = np.frombuffer(b"".join(strings), np.uint8), np.cumsum([0, *map(len, strings)])
    expected = [int.from_bytes(hashlib.blake2b(string, digest_size=8).digest(), "little") for string in strings]
    hashes = kernel.hash_terms(*table)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == expected


# Where the terms of one table are in another --------------------------------------------------------------------------


@given(TABLES, TABLES)
def test_strings_are_located_in_another_table(a, b):
    places = kernel.locate_terms(*strings_to_arrays(a), *strings_to_arrays(b))
    assert places.dtype == np.int64
    assert places.tolist() == [a.index(string) if string in a else -1 - bisect(a, string) for string in b]


@given(NGRAMS, NGRAMS)
def test_ngrams_are_located_in_another_table(a, b):
    *words_a, starts_a, rest_a = ngrams_to_arrays(a, 2)
    *words_b, starts_b, rest_b = ngrams_to_arrays(b, 2)
    words = np.maximum(kernel.locate_terms(*words_a, *words_b), -1)
    places = kernel.locate_ngrams(starts_a, rest_a, starts_b, rest_b, words)
    assert places.dtype == np.int64
    assert np.maximum(places, -1).tolist() == [a.index(ngram) if ngram in a else -1 for ngram in b]
    if (words >= 0).all():
        assert places.tolist() == [a.index(ngram) if ngram in a else -1 - bisect(a, ngram) for ngram in b]


@pytest.mark.parametrize("step", [1, 2, 7, 1000, 9999])
def test_few_are_found_among_many_and_many_among_few(step):
    many = sorted(f"{number}" for number in range(10_000))
    few = many[step // 2 :: step]
    expected = np.arange(step // 2, 10_000, step)
    tables = strings_to_arrays(many), strings_to_arrays(few)
    assert np.array_equal(kernel.locate_terms(*tables[0], *tables[1]), expected)
    back = kernel.locate_terms(*tables[1], *tables[0])
    assert np.array_equal(np.flatnonzero(back >= 0), expected)
    ngrams = [np.array([0, len(numbers)]) for numbers in (many, few)]
    rests = [np.arange(10_000, dtype=np.int32)[:, np.newaxis] % 10_000, expected.astype(np.int32)[:, np.newaxis]]
    starts = [np.concatenate((pair, np.full(9_999, pair[1]))) for pair in ngrams]
    assert np.array_equal(kernel.locate_ngrams(starts[0], rests[0], starts[1], rests[1], np.arange(10_000)), expected)


STARTS, REST, IDS = np.array([0, 2, 3]), np.array([[-1], [1], [-1]], dtype=np.int32), np.array([0, 1])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((STARTS[:2], REST, STARTS, REST, IDS), "the n-grams go from 0 to 3"),
        ((STARTS, REST, STARTS, REST, IDS[:1]), "1 words need 2 starts, got 3"),
        ((STARTS, REST, STARTS, REST, IDS + 1), "an id is out of range: there are 2"),
        ((STARTS, REST, STARTS, REST, IDS - 2), "an id is out of range: there are 2"),
        ((STARTS, REST, STARTS, REST + 1, IDS), "an id is out of range: there are 2"),
        ((STARTS, REST, STARTS, REST - 1, IDS), "an id is out of range: there are 2"),
        ((STARTS, REST, STARTS, REST.repeat(2, axis=1), IDS), "of up to 2 and 3 words do not compare"),
        ((STARTS[:0], REST, STARTS, REST, IDS), "starts"),
    ],
)
def test_ngrams_that_reach_out_of_bounds_are_refused(bad, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kernel.locate_ngrams(*bad)


@pytest.mark.parametrize("n_words", [-1, 1, 3])
def test_starts_of_another_number_of_words_are_refused(n_words):
    with pytest.raises(ValueError, match="starts"):
        kernel.check_ngrams(n_words, STARTS if n_words > 0 else STARTS[:0], REST)


@pytest.mark.parametrize("function", ["term_strings", "hash_terms", "check_terms"])
@pytest.mark.parametrize("offsets", [[], [-1, 1], [0, 2, 1], [0, 4], [2**62, 2**62 + 1], [0, -(2**63)]])
def test_offsets_that_reach_out_of_the_blob_are_refused(function, offsets):
    blob, offsets = np.zeros(3, np.uint8), np.array(offsets, dtype=np.int64)
    with pytest.raises(ValueError, match=r"offsets|place|the strings end"):
        getattr(kernel, function)(blob, offsets)
    for tables in ((blob, offsets, blob, np.array([0])), (blob, np.array([0]), blob, offsets)):
        with pytest.raises(ValueError, match=r"offsets|place|the strings end"):
            kernel.locate_terms(*tables)


def test_an_ngram_of_words_that_are_not_there_is_no_string():
    blob, offsets, starts, rest = ngrams_to_arrays(["aa", "aa bb"], 1)
    with pytest.raises(ValueError, match="an id is out of range"):
        kernel.ngram_strings(blob, offsets, starts, rest + 1)


# Whether a table is one -----------------------------------------------------------------------------------------------


def first_bad(items, is_good):
    """The first that is not good, or does not come after the one before it."""
    bad = (i for i, item in enumerate(items) if not is_good(item) or (i > 0 and items[i - 1] >= item))
    return next(bad, -1)


def is_utf8(string):
    try:
        string.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


BYTES = st.binary(max_size=12) | STRINGS.map(lambda string: string.encode("utf-8", "surrogatepass"))


@given(st.lists(BYTES, max_size=6) | st.sets(BYTES, max_size=6).map(sorted))
def test_what_is_no_table_of_strings_is_found(strings):
    table = np.frombuffer(b"".join(strings), np.uint8), np.cumsum([0, *map(len, strings)])
    assert kernel.check_terms(*table) == first_bad(strings, is_utf8)


def test_every_beginning_of_a_character_is_judged_as_python_judges_it():
    edges = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    for lead in range(256):
        for size in range(4):
            for rest in product(edges, repeat=size):
                string = bytes([lead, *rest])
                good = kernel.check_terms(np.frombuffer(string, np.uint8), np.array([0, len(string)])) == -1
                assert good == is_utf8(string), string


@given(
    st.integers(0, 3),
    st.lists(st.lists(st.lists(st.integers(-2, 3), min_size=2, max_size=2), max_size=3).map(sorted), max_size=3),
)
def test_what_is_no_table_of_ngrams_is_found(n_words, buckets):
    buckets = (buckets + [[]] * n_words)[:n_words]
    starts = np.cumsum([0, *map(len, buckets)])
    rest = np.array([ngram for bucket in buckets for ngram in bucket], dtype=np.int32).reshape(-1, 2)

    def is_ngram(ngram):
        return all(-1 <= word < n_words for word in ngram) and not (ngram[0] < 0 <= ngram[1])

    bad = [(start, first_bad(bucket, is_ngram)) for start, bucket in zip(starts, buckets, strict=False)]
    expected = next((start + place for start, place in bad if place >= 0), -1)
    assert kernel.check_ngrams(n_words, starts, rest) == expected


@given(NGRAMS)
def test_a_table_of_ngrams_is_one(ngrams):
    blob, offsets, starts, rest = ngrams_to_arrays(ngrams, 2)
    assert kernel.check_terms(blob, offsets) == kernel.check_ngrams(len(offsets) - 1, starts, rest) == -1
