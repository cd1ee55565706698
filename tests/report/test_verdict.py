"""A verdict in one line: it never rounds doubt away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.report.verdict import probability_text, score_text, verdict_line
from textnb.workflow.checking import Verdict
from textnb.workflow.prediction import Answer


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.998, "0.998"),
        (0.5, "0.500"),
        (0.99949, "0.999"),
        (0.99951, "0.9995"),
        (0.9999996, "0.999999"),
        (1 - 1e-15, "0.999999"),
        (1.0, "1.000"),
        (0.0004, "0.0004"),
        (0.000049, "0.00005"),
        (1e-300, "0.000001"),
        (0.0, "0.000"),
    ],
)
def test_digits_of_probabilities(probability, text):
    assert probability_text(probability) == text


@given(st.floats(0, 1), st.floats(0, 1))
def test_larger_probabilities_read_no_smaller(one, other):
    low, high = sorted((one, other))
    assert float(probability_text(low)) <= float(probability_text(high))


@pytest.mark.parametrize(
    ("score", "text"),
    [(6.24, "6.2"), (-6.25001, "-6.3"), (-0.04, "0.0"), (1234.5678, "1234.6"), (float("-inf"), "-inf")],
)
def test_digits_of_scores(score, text):
    assert score_text(score) == text


@pytest.mark.parametrize(
    ("label", "shown"),
    [("spam", "spam"), (None, "unsure"), ("a\r\nSubject: b", "a\\r\\nSubject: b"), (7, "7"), ("", '""')],
)
def test_labels_of_strangers_are_inert(label, shown):
    verdict = Verdict(Answer("-", label, {"spam": 0.998, "ham": 0.002}, 6.2), "spam", "text")
    assert verdict_line(verdict) == f"{shown}; 0.998; score 6.2"
