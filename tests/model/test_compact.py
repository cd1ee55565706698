"""Compact model files: what they hold, how far they round, and what becomes of damaged and forged ones."""

import json
import pickle

import numpy as np
import pytest
from golden_models import make_compact as golden
from golden_models.make_format_1 import ASKED, LABELS, TEXTS
from hypothesis import given
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb import TextClassifier, load
from textnb.model.compact import shortened
from textnb.model.file import predictor_of
from textnb.model.settings import COMPACT_READER as READER
from textnb.storage import ModelFileError, open_model, write_model
from textnb.text.ngram_terms import NgramTerms, ShortWordIds, compact_arrays, terms_from_arrays

SETTINGS = [
    {"model": "multinomial", "weights": "counts", "ngrams": (1, 2), "min_df": 2},
    {"model": "complement", "weights": "log-tfidf", "ngrams": (1, 3), "unknown": "token", "max_df": 0.6},
    {"model": "bernoulli", "weights": "binary", "alpha": 0.5},
    {"model": "complement", "weights": "counts", "norm": True, "unknown": "token"},
]


def fitted(**settings):
    return TextClassifier(**{"alpha": 1.0, "ngrams": (1, 1)} | settings).fit(TEXTS, LABELS)


def saved(path, **settings):
    classifier = fitted(**settings)
    classifier.save(path, compact=True)
    return classifier


@given(st.lists(st.floats(1e-30, 1e30, exclude_min=True), min_size=1))
def test_totals_lose_at_most_a_2048th_of_themselves(values):
    totals = np.array(values)
    short = shortened(totals)
    assert (np.abs(short.astype(np.float64) - totals) <= 2.0**-11 * totals).all()


def test_half_precision_where_its_range_is_enough():
    assert shortened(np.array([0.005, 1.0, 24.4, 65000])).dtype == np.float16
    assert shortened(np.array([1.0, 70000.0])).dtype == np.float32
    assert shortened(np.array([1.0, 1e-7])).dtype == np.float32


@pytest.mark.parametrize("settings", SETTINGS)
def test_both_ways_to_open_it_agree(tmp_path, settings):
    path = tmp_path / "small.tnb"
    classifier = saved(path, **settings)
    predictor = predictor_of(open_model(path, verify="touched"))
    whole = load(path)
    assert np.array_equal(predictor.log_proba(ASKED), whole.predict_log_proba(ASKED))
    assert np.allclose(whole.predict_proba(ASKED), classifier.predict_proba(ASKED), rtol=0, atol=1e-3)
    assert whole.predict(ASKED).tolist() == classifier.predict(ASKED).tolist()
    assert whole.vocabulary_ == classifier.vocabulary_
    with without_kernel():
        by_python = predictor_of(open_model(path, verify="touched")).log_proba(ASKED)
    assert np.allclose(by_python, predictor.log_proba(ASKED), rtol=1e-12, atol=1e-12)
    again = pickle.loads(pickle.dumps(whole))
    assert np.array_equal(again.predict_proba(ASKED), whole.predict_proba(ASKED))


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_same_counts_give_the_same_bytes(tmp_path, settings):
    a, b = tmp_path / "a.tnb", tmp_path / "b.tnb"
    saved(a, **settings)
    fitted(**settings).learn(TEXTS[:2], LABELS[:2]).forget(TEXTS[:2], LABELS[:2]).save(b, compact=True)
    assert a.read_bytes() == b.read_bytes()


def test_older_readers_are_told_that_it_is_newer(tmp_path, monkeypatch):
    saved(tmp_path / "small.tnb", **SETTINGS[0])
    monkeypatch.setattr("textnb.storage.header.READER_VERSION", 3)
    with pytest.raises(ModelFileError, match="newer textnb"):
        load(tmp_path / "small.tnb")


def test_a_given_vocabulary_stays_given(tmp_path):
    given_terms = ["cheap", "lunch", "pills"]
    classifier = saved(tmp_path / "small.tnb", model="multinomial", weights="counts", vocabulary=given_terms)
    small = load(tmp_path / "small.tnb")
    assert small.vocabulary == given_terms
    assert np.array_equal(small.predict_proba(ASKED), classifier.predict_proba(ASKED))


def test_many_words_have_longer_ids():
    words = [f"{i:06}" for i in range(ShortWordIds.MOST + 1)]
    terms = NgramTerms.of(sorted([*words, f"{words[0]} {words[-1]}"]), 2)
    arrays = compact_arrays(terms)
    assert arrays["ngram_rest"].dtype == np.int32
    assert compact_arrays(terms.select(np.arange(len(terms)) != 0))["ngram_rest"].dtype == np.int32
    fewer = terms.select(np.arange(len(terms)) != 2)
    arrays = compact_arrays(fewer)
    assert arrays["ngram_rest"].dtype == np.uint16
    again = terms_from_arrays(arrays.__getitem__, arrays, compact=True)
    again.check()
    assert again.strings() == fewer.strings()


@pytest.mark.parametrize("settings", SETTINGS[:2])
def test_a_flipped_bit_is_found_or_does_not_matter(tmp_path, settings):
    path, wrong = tmp_path / "small.tnb", tmp_path / "wrong.tnb"
    expected = saved(path, **settings) and load(path).predict_log_proba(ASKED)
    content = path.read_bytes()
    for at in range(0, len(content), 13):
        wrong.write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :])
        with pytest.raises(ModelFileError):
            load(wrong)
        try:
            found = predictor_of(open_model(wrong, verify="touched")).log_proba(ASKED)
        except ModelFileError:
            continue
        assert np.array_equal(found, expected)


def forgeries(arrays):
    """Wrong arrays, under their names."""
    for name, array in arrays.items():
        yield name, array[:-1]
        yield name, array.astype(np.float64).reshape(-1, 1)
    yield "offsets", arrays["offsets"][::-1].copy()
    yield "offsets", arrays["offsets"] + 200
    yield "terms", np.full_like(arrays["terms"], 0xFF)
    yield "ngram_rest", np.full_like(arrays["ngram_rest"], 0xFFFF)
    yield "ngram_starts", arrays["ngram_starts"][::-1].copy()
    yield "totals_classes", np.full_like(arrays["totals_classes"], 250)
    yield "totals_lengths", np.full_like(arrays["totals_lengths"], 250)
    yield "totals_starts", np.full_like(arrays["totals_starts"], 250)
    for value in (np.nan, np.inf, 0, -1):
        yield "totals", np.full(arrays["totals"].shape, value, dtype=np.float16)


def test_forged_arrays_are_refused(tmp_path):
    path, forged = tmp_path / "small.tnb", tmp_path / "forged.tnb"
    saved(path, **SETTINGS[1])
    file = open_model(path)
    arrays = {name: file.array(name) for name in file.names}
    for name, wrong in forgeries(arrays):
        write_model(forged, arrays | {name: wrong}, file.settings, reader=READER)
        with pytest.raises(ModelFileError):
            load(forged)
        try:  # what is touched may be right; if not, it is refused, and nothing crashes
            predictor_of(open_model(forged, verify="touched")).log_proba(ASKED)
        except ModelFileError:
            pass
        except ValueError as error:
            assert "damaged" in str(error)
    for name in arrays:
        write_model(forged, {other: arrays[other] for other in arrays if other != name}, file.settings, reader=READER)
        with pytest.raises(ModelFileError):
            load(forged)


@pytest.mark.parametrize("name", golden.CLASSIFIERS)
def test_compact_models_of_the_first_day_are_read(name):
    path = golden.FOLDER / f"compact-{name}.tnb"
    expected = json.loads((golden.FOLDER / "compact.json").read_text())[name]
    exactness = 1e-3 if name == "tfidf" else 1e-12
    assert np.allclose(load(path).predict_proba(ASKED), expected, rtol=0, atol=exactness)
    touched = predictor_of(open_model(path, verify="touched"))
    assert np.allclose(np.exp(touched.log_proba(ASKED)), expected, rtol=0, atol=exactness)
