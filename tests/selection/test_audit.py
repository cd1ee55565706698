"""Wrong labels, duplicates that disagree and strange documents come first in their lists."""

import json

import numpy as np
import pytest
import scipy.special
from corpora_for_tests import corpus_or_skip
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import roc_auc_score

from textnb import ComplementNB, MultinomialNB
from textnb.arrays import SparseRows
from textnb.estimators.sklearn_compat import to_public_csr
from textnb.selection import leave_one_out
from textnb.selection.audit import (
    LengthStandard,
    cross_class_duplicates,
    log_evidence,
    novelty,
    suspicious_labels,
)
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all, count_known
from textnb.text.weights import Weighting

CLASSES = ["eggs", "ham", "spam"]
INFINITE = float("inf")


def suspects(joint, class_ids, lengths):
    found = suspicious_labels(np.array(joint, dtype=float), np.array(class_ids), np.array(lengths), CLASSES)
    return [(suspect.position, suspect.label, suspect.suggested, suspect.margin) for suspect in found]


def test_the_margin_is_the_lead_of_the_best_other_class_a_word():
    joint = [[-9, -1, -5], [-2, -8, -3], [-9, -7, -1], [-4, -4, -4]]
    assert suspects(joint, [0, 1, 2, 0], [4, 2, 1, 1]) == [(1, "ham", "eggs", 3.0), (0, "eggs", "ham", 2.0)]


def test_equal_margins_keep_the_order_of_the_documents():
    assert [found[0] for found in suspects([[-2, -1, -9]] * 5, [0] * 5, [1] * 5)] == [0, 1, 2, 3, 4]


def test_a_document_without_words_is_not_suspicious():
    assert suspects([[-2, -1, -9]] * 2, [0, 0], [0, 1]) == [(1, "eggs", "ham", 1.0)]


def test_a_class_that_its_only_document_leaves_empty_is_not_judged():
    joint = [[-INFINITE, -1, -2], [-INFINITE, -1, -2], [-3, -1, -INFINITE]]
    assert suspects(joint, [0, 0, 2], [1, 1, 1]) == []


def test_a_label_that_is_impossible_where_the_class_is_known_leads():
    joint = [[-2, -1, -9], [-INFINITE, -1, -2], [-INFINITE] * 3]
    found = suspicious_labels(np.array(joint), np.zeros(3, dtype=int), np.ones(3), CLASSES)
    assert [(suspect.position, suspect.margin) for suspect in found] == [(1, INFINITE), (0, 1)]
    assert found[0].to_json() == {"position": 1, "label": "eggs", "suggested": "ham", "margin": None}


def test_one_class_leaves_no_doubt():
    assert suspicious_labels(np.full((2, 1), -3.0), np.zeros(2, dtype=int), np.ones(2), ["all"]) == []


def test_scores_are_left_as_they_were():
    joint = np.array([[-2.0, -1.0, -9.0]])
    suspicious_labels(joint, np.zeros(1, dtype=int), np.ones(1), CLASSES)
    assert joint.tolist() == [[-2, -1, -9]]


@pytest.mark.parametrize(
    ("weights", "model", "precision"),
    [("counts", MultinomialNB(alpha=0.1), 0.88), ("log-tfidf", ComplementNB(alpha=1.0), 0.84)],
)
def test_labels_turned_on_purpose_lead_the_list(weights, model, precision):
    corpus = corpus_or_skip("sms-spam")
    counts = count_all(corpus.texts, Analyzer())[1]
    rows = Weighting.fitted(weights, counts).apply(counts)
    classes, truth = np.unique(corpus.labels, return_inverse=True)
    turned = np.random.default_rng(0).choice(len(truth), len(truth) // 20, replace=False)
    given = truth.copy()
    given[turned] = 1 - truth[turned]
    joint = leave_one_out(model, to_public_csr(rows), given)
    found = [suspect.position for suspect in suspicious_labels(joint, given, rows.row_sums(), classes)]
    assert np.isin(found[:100], turned).mean() >= 0.96
    assert np.isin(found[: len(turned)], turned).mean() >= precision


def test_duplicates_are_reported_where_their_labels_differ():
    rows = SparseRows(np.arange(0, 13, 2), np.array([0, 1] * 3 + [2, 3] * 2 + [4, 5]), np.ones(12, dtype=int), 6)
    (found,) = cross_class_duplicates(rows, np.array([2, 2, 0, 1, 1, 0]), CLASSES)
    assert json.loads(json.dumps(found.to_json())) == {
        "first": 0, "second": 2, "first_label": "spam", "second_label": "eggs", "similarity": 1.0,
    }  # fmt: skip


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.one_of(st.just(-np.inf), st.floats(-1e6, 0)),
    )
)
def test_evidence_is_the_sum_over_classes(joint):
    np.testing.assert_allclose(log_evidence(joint), scipy.special.logsumexp(joint, axis=1), rtol=1e-12, atol=1e-12)


def drawn(n, surprise, seed):
    """Lengths and log P(x) of n documents whose words cost `surprise` on average, give or take half."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 500, n)
    return -lengths * surprise + rng.normal(size=n) * np.sqrt(lengths) / 2, lengths


def test_known_documents_of_any_length_are_standard():
    reference = LengthStandard.of(*drawn(20_000, 7.0, seed=0))
    log_probability, lengths = drawn(20_000, 7.0, seed=1)
    z = reference.z(log_probability, lengths)
    for part in (lengths < 50, (lengths >= 50) & (lengths < 200), lengths >= 200):
        assert abs(z[part].mean()) < 0.05
        assert abs(z[part].std() - 1) < 0.1


def test_a_strange_document_leads_though_longer_ones_are_less_probable():
    reference = LengthStandard.of(*drawn(2000, 7.0, seed=0))
    found = novelty(np.array([-3500.0, -800.0, -72.0]), np.array([500, 100, 10]), np.array([0.0, 0.5, 0.1]), reference)
    assert [document.position for document in found] == [1, 2, 0]
    assert found[0].z > 10
    assert found[0].unknown_share == 0.5
    assert json.loads(json.dumps(found[0].to_json())).keys() == {"position", "z", "unknown_share"}


def test_documents_without_words_are_not_strange():
    reference = LengthStandard.of(np.array([-7.0, 0.0, -15.0, -INFINITE]), np.array([1, 0, 2, 3]))
    assert reference.z(np.array([0.0, -30.0]), np.array([0, 2]))[0] == 0


def test_whatever_differs_from_documents_that_are_all_alike_is_infinitely_strange():
    reference = LengthStandard.of(np.full(60, -8.0), np.full(60, 4))
    found = novelty(np.array([-8.0, -9.0, -INFINITE]), np.full(3, 4), np.zeros(3), reference)
    assert [(document.position, document.z) for document in found] == [(1, INFINITE), (2, INFINITE), (0, 0.0)]
    assert found[0].to_json()["z"] is None


def test_a_reference_without_documents_is_refused():
    with pytest.raises(ValueError, match="nothing to compare with"):
        LengthStandard.of(np.array([0.0]), np.array([0]))


def test_sentences_about_films_are_strange_among_text_messages():
    messages, films = corpus_or_skip("sms-spam"), corpus_or_skip("subjectivity")
    shuffled = np.random.default_rng(0).permutation(len(messages.texts))
    known, unseen = shuffled[:4000], [messages.texts[i] for i in shuffled[4000:]]
    vocabulary, counted = count_all([messages.texts[i] for i in known], Analyzer())
    rows = counted.append_column(np.zeros(len(known), dtype=int))
    X, y = to_public_csr(rows), messages.labels[known]
    model = MultinomialNB(alpha=0.1)
    reference = LengthStandard.of(log_evidence(leave_one_out(model, X, y)), rows.row_sums())

    fresh, outside = count_known([*unseen, *films.texts[::10]], Analyzer(), vocabulary)
    new = fresh.append_column(outside)
    log_probability = log_evidence(model.fit(X, y).predict_joint_log_proba(to_public_csr(new)))
    z = reference.z(log_probability, new.row_sums())
    assert roc_auc_score(np.arange(len(z)) >= len(unseen), z) > 0.85
    assert (z[: len(unseen)] > 3).mean() < 0.03
