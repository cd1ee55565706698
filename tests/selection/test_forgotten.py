"""A document left out is scored as by a model fitted anew without it, which knows neither it nor its own words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.refitting import assert_same

from textnb import TextClassifier
from textnb.arrays import SparseRows
from textnb.likelihood import leave_one_out as leaving
from textnb.likelihood.families import FAMILIES
from textnb.likelihood.forgotten import forgotten_columns
from textnb.likelihood.groups import group_rows
from textnb.likelihood.smoothing import safe_log
from textnb.selection import leave_one_out_scores
from textnb.statistics.counts import count_classes
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.weights import Weighting

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"]
RECIPES = [(name, weights, False) for name, family in FAMILIES.items() for weights in family.weightings]
RECIPES += [("complement", weights, True) for weights in FAMILIES["complement"].weightings]
WAYS = {"entries": 0, "one model per group": 1e18}


@st.composite
def corpora(draw):
    n = draw(st.integers(4, 9))
    texts = [" ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))) for _ in range(n)]
    class_ids = np.array([0, 1, *draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))])
    class_ids = np.unique(class_ids, return_inverse=True)[1]
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).map(np.array))
    return texts, class_ids, groups


def scored(texts, class_ids, groups, model, weights, min_df, alphas, *, norm=False, way=0):
    """Leave-one-out scores by subtraction, (n_alphas, n, K)."""
    terms, rows = count_all(texts, Analyzer())
    rows = rows.select_columns(rows.document_frequency() >= min_df)
    assert len(terms) >= rows.n_columns
    forgotten = forgotten_columns(rows, group_rows(groups, class_ids, int(class_ids.max()) + 1), min_df)
    weighed = Weighting.fitted(weights, rows).apply(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving, "_MODEL_PAYS", way)
        found = leave_one_out_scores(
            model,
            weighed,
            class_ids,
            alphas,
            groups,
            forgotten=forgotten,
            unit_length=weights.endswith("tfidf"),
            norm=norm,
        )
        return np.array(list(found))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("weights", ["counts", "binary"])
@pytest.mark.parametrize("model", FAMILIES)
@given(corpora(), st.integers(1, 3), st.sampled_from([2.0, 0.1]), st.booleans())
@settings(max_examples=12, deadline=None)
def test_it_is_the_classifier_fitted_anew_without_each_group(model, weights, way, corpus, min_df, alpha, norm):
    """From the strings on: vocabulary, counts, rule, prior."""
    texts, class_ids, groups = corpus
    if weights not in FAMILIES[model].weightings or count_all(texts, Analyzer())[1].document_frequency().max() < min_df:
        return
    norm = norm and model == "complement"
    (found,) = scored(texts, class_ids, groups, model, weights, min_df, [alpha], norm=norm, way=WAYS[way])
    of_row = np.arange(len(texts)) if groups is None else groups
    for i, text in enumerate(texts):
        others = np.flatnonzero(of_row != of_row[i])
        known = np.unique(class_ids[others])
        options = {"alpha": alpha, "min_df": min_df, "norm": norm, "calibrate": False}
        try:
            anew = TextClassifier(model, weights, **options).fit([texts[j] for j in others], class_ids[others])
        except ValueError:  # no words, or no documents, are left
            continue
        if len(known) < 2:  # a lone class has its prior as its score
            continue
        assert_same(found[i, known], joint(anew, text), largest_term=10.0)


def joint(model, text):
    """log P(x, c), or the score of a model in which there is no prior."""
    predictor = model.predictor_
    rows, _ = predictor.features.count([text], predictor.analyzer)
    scores = predictor.rule.log_likelihood(predictor.weighting.apply(rows))[0]
    return scores + predictor.log_prior if predictor.prior_in_score else scores


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("model", "weights", "norm"), RECIPES)
@given(corpora(), st.integers(1, 3))
@settings(max_examples=8, deadline=None)
def test_with_tf_idf_it_is_so_at_the_idf_and_lengths_of_all_documents(model, weights, norm, way, corpus, min_df):
    """The naive loop over the definition, for every family and weighting."""
    texts, class_ids, groups = corpus
    _, rows = count_all(texts, Analyzer())
    rows = rows.select_columns(rows.document_frequency() >= min_df)
    if not rows.n_columns:
        return
    found = scored(texts, class_ids, groups, model, weights, min_df, [1.0, 0.3], norm=norm, way=WAYS[way])
    weighed = Weighting.fitted(weights, rows).apply(rows).toarray().astype(float)
    of_row, n_classes = np.arange(len(texts)) if groups is None else groups, int(class_ids.max()) + 1
    for i in range(len(texts)):
        others = of_row != of_row[i]
        keep = (rows.toarray()[others] > 0).sum(axis=0) >= min_df
        documents = np.bincount(class_ids[others], minlength=n_classes)
        own = weighed[i] * keep
        if weights.endswith("tfidf") and own.any():
            own /= np.linalg.norm(own)
        left = weighed[others][:, keep] if weights.endswith("tfidf") else rows.toarray()[others][:, keep]
        left = (left > 0).astype(np.int64) if weights == "binary" else left
        totals = count_classes(SparseRows.of_dense(left), class_ids[others], np.arange(n_classes)).totals
        for alpha, scores in zip([1.0, 0.3], found, strict=True):
            if not keep.any() or not others.any():
                continue
            rule = FAMILIES[model].rule(totals, documents, alpha, norm)
            expected = rule.log_likelihood(SparseRows.of_dense(own[keep][np.newaxis]))[0]
            if FAMILIES[model].adds_prior(n_classes):
                expected = expected + safe_log(documents) - np.log(others.sum())
            there = documents > 0
            assert_same(scores[i, there], expected[there], largest_term=10.0)
            assert np.isneginf(scores[i, ~there]).all()


def test_words_of_one_document_only_do_not_count_for_it():
    texts = ["ant bee", "ant cat", "dog elk", "dog fox"]
    class_ids = np.array([0, 0, 1, 1])
    _, rows = count_all(texts, Analyzer())
    forgotten = forgotten_columns(rows, group_rows(None, class_ids, 2), 1)
    assert forgotten.n_columns().ravel().tolist() == [1, 1, 1, 1]
    assert forgotten.without_entries(rows).row_sums().tolist() == [1, 1, 1, 1]
    pairs = group_rows([0, 0, 1, 1], class_ids, 2)
    assert forgotten_columns(rows, pairs, 1).n_columns().ravel().tolist() == [3, 3]
