"""Accents are removed as scikit-learn removes them, whatever the text, and quickly."""

import time

import pytest
import sklearn.feature_extraction.text as theirs
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.normalize import strip_accents_ascii, strip_accents_unicode

MARKS = "\u0300\u0301\u0315\u0323\u0344\u05b0\u3099\u0f73\u0f81\uff9e"
TEXT = st.text(st.characters(exclude_categories=()))
ACCENTED = st.lists(TEXT | st.text("aéÅﬁ②ש가", max_size=4) | st.text(MARKS, max_size=70), max_size=6).map("".join)


@given(ACCENTED)
def test_accents_go_as_scikit_learn_has_it(text):
    assert strip_accents_unicode(text) == theirs.strip_accents_unicode(text)
    assert strip_accents_ascii(text) == theirs.strip_accents_ascii(text)


@pytest.mark.parametrize("strip", [strip_accents_unicode, strip_accents_ascii])
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\u0f75\u0f81", "\uff9e\u0323"])
def test_many_alternating_marks_are_no_attack(strip, marks):
    """`unicodedata.normalize` alone sorts them in quadratic time: 20 s. Some characters only decompose to marks."""
    strip("é")  # the table of marks is built once
    started = time.perf_counter()
    assert strip("a" + marks * (160_000 // len(marks)) + "b") == "ab"
    assert time.perf_counter() - started < 2
