"""Which documents a report shows, and in which order."""

import numpy as np
import pytest

from textnb.estimators.text_model import TextModel
from textnb.workflow.reporting.documents import (
    ERRORS_PER_CELL,
    HITS_PER_CELL,
    ROWS_SHOWN,
    cells_of,
    class_numbers,
    cut,
    documents_to_show,
    shown_explanation,
)


def outcomes(n=3000, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(n_classes, size=n)
    predicted = np.where(rng.random(n) < 0.7, true, rng.integers(n_classes, size=n))
    return true, predicted, rng.random(n)


def test_cells_show_the_most_confident_errors_and_the_least_confident_hits():
    true, predicted, confidence = outcomes()
    shown = documents_to_show(true, predicted, confidence, [])
    cells = cells_of(true, predicted, confidence, shown)
    assert sorted((cell.true, cell.predicted) for cell in cells) == [(i, j) for i in range(3) for j in range(3)]
    for cell in cells:
        members = np.flatnonzero((true == cell.true) & (predicted == cell.predicted)).tolist()
        is_error = cell.true != cell.predicted
        ranked = sorted(members, key=lambda i: -confidence[i] if is_error else confidence[i])
        assert cell.n == len(members)
        most = ERRORS_PER_CELL if is_error else HITS_PER_CELL
        assert shown[cell.documents].tolist() == ranked[:most]


def test_where_there_are_too_many_errors_come_first_and_every_cell_has_its_turn():
    true, predicted, confidence = outcomes()
    shown = documents_to_show(true, predicted, confidence, [], most=60)
    assert len(shown) == 60
    assert (true[shown] != predicted[shown]).all()
    assert {len(cell.documents) for cell in cells_of(true, predicted, confidence, shown) if cell.documents} == {10}
    some_hits = documents_to_show(true, predicted, confidence, [], most=303)
    assert (true[some_hits] == predicted[some_hits]).sum() == 3


def test_documents_that_are_wanted_are_always_shown():
    true, predicted, confidence = outcomes()
    hit = int(np.flatnonzero(true == predicted)[confidence[true == predicted].argmax()])
    assert hit not in documents_to_show(true, predicted, confidence, [], most=60)
    assert hit in documents_to_show(true, predicted, confidence, [hit, hit], most=60)
    assert documents_to_show(true, predicted, confidence, [5, 3, 9], most=2).tolist() == [3, 5, 9]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two"),
        ("one two three", 7, "one two"),
        ("one two three", 3, "one"),
        ("x" * 200, 100, "x" * 100),
        ("word " + "x" * 200, 100, "word " + "x" * 95),
        ("", 5, ""),
    ],
)
def test_texts_are_cut_at_a_word_border_where_one_is_near(text, limit, expected):
    assert cut(text, limit) == expected


def explained(text, **settings):
    texts = ["cheap pills now", "cheap watches buy now", "lunch at noon", "meeting at noon today", "buy lunch"]
    model = TextModel(**{"model": "multinomial", "weights": "counts", **settings})
    model.fit(texts, np.array(["spam", "spam", "ham", "ham", "ham"]))
    return model.predictor_.explain(text), class_numbers(["ham", "spam"], ["ham", "other", "spam"])


def test_rows_and_rest_add_up_to_the_log_odds():
    why, numbers = explained("cheap pills and watches buy now at noon lunch meeting today", ngrams=(1, 2))
    assert len(why.rows) > ROWS_SHOWN
    shown = shown_explanation(why, numbers, why.text)
    assert (shown.label, shown.against) == (numbers[why.label], numbers[why.against])
    assert [row[0] for row in shown.rows] == [row.term for row in why.rows[:ROWS_SHOWN]]
    assert shown.rest[0] == len(why.rows) - ROWS_SHOWN
    total = sum(row[2] for row in shown.rows) + shown.rest[1]
    assert total == pytest.approx(why.log_odds, abs=(ROWS_SHOWN + 1) * 0.0005)
    assert shown.log_odds == round(why.log_odds, 3)


def test_marks_are_the_highlights_within_the_shown_text_that_matter():
    why, numbers = explained("cheap pills. lunch at noon")
    shown = shown_explanation(why, numbers, "cheap pills.")
    pieces = [piece for piece in why.highlights if piece.end <= 12]
    assert [(start, end) for start, end, _ in shown.marks] == [(piece.start, piece.end) for piece in pieces]
    for (_, _, share), piece in zip(shown.marks, pieces, strict=True):
        assert share == pytest.approx(piece.share, abs=0.0005)
    assert shown_explanation(why, numbers, None).marks == ()


def test_small_numbers_keep_their_digits():
    why, numbers = explained("cheap lunch", model="complement", weights="tfidf", norm=True, alpha=1000.0)
    largest = max(abs(row.contribution) for row in why.rows)
    assert largest < 0.001
    shown = shown_explanation(why, numbers, why.text)
    assert abs(shown.rows[0][2]) == pytest.approx(largest, rel=1e-2)
    assert abs(shown.marks[0][2]) > 0


def test_infinite_contributions_are_none():
    why, numbers = explained("cheap buy", alpha=0.0)
    shown = shown_explanation(why, numbers, why.text).to_json()
    assert None in [row[2] for row in shown["rows"]]
    assert why.log_odds == np.inf
    assert shown["log_odds"] is None
    assert None in [share for _, _, share in shown["marks"]]
