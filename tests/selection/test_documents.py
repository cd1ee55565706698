"""A classifier's leave-one-out is the classifier fitted anew without each document, at its vocabulary and idf."""

import numpy as np
import pytest
from selection.refitting import assert_same
from selection.test_tuning import made_texts

from textnb import (
    BernoulliNB,
    ComplementNB,
    CountVectorizer,
    MultinomialNB,
    TextClassifier,
    TfidfTransformer,
    load,
)
from textnb.arrays import SparseRows
from textnb.likelihood.families import FAMILIES
from textnb.selection import documents as training_documents
from textnb.selection import leave_one_out
from textnb.selection.documents import stacked

MODELS = {"complement": ComplementNB, "multinomial": MultinomialNB, "bernoulli": BernoulliNB}
TEXTS = [*made_texts(n=24), "", "word1 rare rarer"]
LABELS = np.array(["ham", "spam", "other"])[np.arange(26) % 3]
GROUPS = np.arange(26) // 4

every_model = pytest.mark.parametrize("model", MODELS)


def joint(classifier, text):
    """log P(text, c) of the classifier's classes, or a complement model's scores."""
    predictor = classifier.predictor_
    return predictor.log_likelihood([text])[0] + (predictor.log_prior if predictor.prior_in_score else 0)


def refitted(settings, vocabulary, groups):
    """The same by fitting without each group in turn."""
    classes = np.unique(LABELS)
    scores = np.full((len(TEXTS), len(classes)), -np.inf)
    for i, group in enumerate(groups):
        others = np.flatnonzero(groups != group)
        classifier = TextClassifier(**settings, vocabulary=vocabulary, calibrate=False)
        classifier.fit([TEXTS[j] for j in others], LABELS[others])
        scores[i, np.searchsorted(classes, classifier.classes_)] = joint(classifier, TEXTS[i])
    return scores


@every_model
@pytest.mark.parametrize("weights", ["counts", "binary"])
@pytest.mark.parametrize(("min_df", "unknown"), [(1, "ignore"), (2, "ignore"), (2, "token")])
def test_it_is_refitting_with_the_vocabulary_given(model, weights, min_df, unknown):
    settings = {"model": model, "weights": weights, "alpha": 0.3, "unknown": unknown}
    classifier = TextClassifier(**settings, min_df=min_df).fit(TEXTS, LABELS)
    words = sorted(classifier.vocabulary_)
    assert_same(classifier.leave_one_out(), refitted(settings, words, np.arange(len(TEXTS))))
    assert_same(classifier.leave_one_group_out(GROUPS), refitted(settings, words, GROUPS))


def matrix(weights, **settings):
    rows = CountVectorizer(**settings).fit_transform(TEXTS)
    if weights == "binary":
        return (rows > 0).astype(np.int64)
    return rows if weights == "counts" else TfidfTransformer(sublinear_tf=weights == "log-tfidf").fit_transform(rows)


@every_model
@pytest.mark.parametrize("weights", ["counts", "binary", "tfidf", "log-tfidf"])
@pytest.mark.parametrize("min_df", [1, 2])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_it_is_that_of_the_matrix_with_the_idf_of_all(model, weights, min_df, unknown):
    classifier = TextClassifier(model, weights, ngrams=(1, 2), min_df=min_df, alpha=0.3, unknown=unknown)
    classifier.fit(TEXTS, LABELS)
    X = matrix(weights, ngram_range=(1, 2), min_df=min_df, unknown=unknown)
    estimator = MODELS[model](alpha=0.3)
    assert_same(classifier.leave_one_out(), leave_one_out(estimator, X, LABELS))
    assert_same(classifier.leave_one_group_out(GROUPS), leave_one_out(estimator, X, LABELS, GROUPS))


def test_the_parameters_of_the_model_count():
    settings = {"class_prior": [0.7, 0.2, 0.1], "alpha": 0.1}
    classifier = TextClassifier("multinomial", "counts", **settings).fit(TEXTS, LABELS)
    assert_same(classifier.leave_one_out(), leave_one_out(MultinomialNB(**settings), matrix("counts"), LABELS))
    classifier = TextClassifier("complement", "counts", norm=True).fit(TEXTS, LABELS)
    assert_same(classifier.leave_one_out(), leave_one_out(ComplementNB(norm=True), matrix("counts"), LABELS))


def test_groups_given_to_fit_are_remembered():
    classifier = TextClassifier().fit(TEXTS, LABELS, groups=GROUPS)
    np.testing.assert_array_equal(classifier.leave_one_group_out(), classifier.leave_one_group_out(GROUPS))
    assert not np.array_equal(classifier.leave_one_group_out(), classifier.leave_one_out())


def test_there_must_be_groups_to_leave_out():
    with pytest.raises(ValueError, match="there are no groups: pass groups, one label a document"):
        TextClassifier().fit(TEXTS, LABELS).leave_one_group_out()


@pytest.mark.parametrize("settings", [{}, {"alpha": "auto"}, {"calibrate": False}], ids=str)
@pytest.mark.parametrize("n", [25, 27])
def test_each_document_has_one_group(settings, n):
    with pytest.raises(ValueError, match=rf"groups has shape \({n},\): give one label for each of 26 documents"):
        TextClassifier(**settings).fit(TEXTS, LABELS, groups=np.zeros(n))
    with pytest.raises(ValueError, match="groups has shape"):
        TextClassifier().fit(TEXTS, LABELS).leave_one_group_out(np.zeros(n))


def test_documents_counted_in_blocks_are_the_same(monkeypatch):
    whole = TextClassifier("multinomial", "counts", min_df=2, unknown="token").fit(TEXTS, LABELS)
    blocks = []
    monkeypatch.setattr(
        "textnb.model.learner.text_blocks",
        lambda texts: blocks.extend([texts[:5], texts[5:6], texts[6:]]) or iter(blocks),
    )
    parts = TextClassifier("multinomial", "counts", min_df=2, unknown="token").fit(TEXTS, LABELS)
    assert len(blocks) == 3
    np.testing.assert_array_equal(parts.leave_one_out(), whole.leave_one_out())
    assert parts.calibration_ == whole.calibration_


def test_blocks_stand_one_below_the_other():
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 3, (7, 4))

    def rows(part):
        return SparseRows(
            np.append(0, np.cumsum((part > 0).sum(axis=1))), np.nonzero(part)[1], part[part > 0], part.shape[1]
        )

    found, whole = stacked([rows(dense[:2]), rows(dense[2:2]), rows(dense[2:])]), rows(dense)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert found.n_columns == 4


# When the documents are not at hand


def weighted(classifier):
    return classifier.fit(TEXTS, LABELS, sample_weight=np.ones(len(TEXTS)))


def streamed(classifier):
    return classifier.set_params(weights="counts").fit(iter(TEXTS), LABELS)


def learned(classifier):
    return classifier.fit(TEXTS, LABELS).learn(["more"], ["ham"])


def in_batches(classifier):
    return classifier.partial_fit(TEXTS, LABELS, classes=np.unique(LABELS))


@pytest.mark.parametrize("fit", [weighted, streamed, learned, in_batches], ids=lambda fit: fit.__name__)
def test_it_needs_the_documents_of_the_last_fit(fit):
    classifier = fit(TextClassifier())
    message = "the documents of the last fit are not at hand: fit on a list of them, without weights, and learn"
    for call in (classifier.leave_one_out, lambda: classifier.leave_one_group_out(GROUPS)):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_loaded_model_has_no_documents(tmp_path):
    TextClassifier().fit(TEXTS, LABELS).save(tmp_path / "model.tnb")
    with pytest.raises(ValueError, match="not at hand"):
        load(tmp_path / "model.tnb").leave_one_out()


@pytest.mark.parametrize("fit", [weighted, streamed, in_batches], ids=lambda fit: fit.__name__)
def test_what_has_no_leave_one_out_is_not_calibrated(fit):
    classifier = fit(TextClassifier())
    assert classifier.calibration_ is None
    np.testing.assert_array_equal(classifier.predict_proba(TEXTS), classifier.predict_proba(TEXTS, raw=True))


def test_learning_keeps_the_calibration():
    calibration = TextClassifier().fit(TEXTS, LABELS).calibration_
    assert calibration is not None
    assert learned(TextClassifier()).calibration_ == calibration


# Of very many scores, a calibration is fitted to those of some documents: of 8,000 classes, all took 12 GB.


@pytest.mark.parametrize("model", sorted(name for name, family in FAMILIES.items() if not family.fitted_to_documents))
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "groups"])
def test_some_documents_score_as_they_do_among_all(model, groups):
    training = TextClassifier(model, calibrate=False).fit(TEXTS, LABELS).training_documents()
    only = np.flatnonzero(np.isin(GROUPS, [1, 3, 4]))
    assert np.array_equal(training.leave_one_out(groups, only=only), training.leave_one_out(groups)[only])


@pytest.mark.parametrize("grouped", [False, True])
def test_a_calibration_by_some_documents_does_not_depend_on_their_order(grouped, monkeypatch):
    monkeypatch.setattr(training_documents, "_MOST_SCORES", 40)
    chosen = []

    def remember(*arguments):
        chosen.append(some_rows(*arguments))
        return chosen[-1]

    some_rows = training_documents.some_rows
    monkeypatch.setattr(training_documents, "some_rows", remember)
    texts, labels, groups = [*made_texts(n=60)], LABELS[np.arange(60) % 26], np.arange(60) // 3
    found = set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(60)
        given = {"groups": groups[order]} if grouped else {}
        classifier = TextClassifier("multinomial", "counts").fit([texts[i] for i in order], labels[order], **given)
        found.add(str(classifier.calibration_))
        assert len(chosen[-1]) <= 60 // 3
        assert classifier.calibration_.mix == tuple(np.unique(labels, return_counts=True)[1] / 60)
    assert len(found) == 1
