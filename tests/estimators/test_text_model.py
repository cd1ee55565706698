"""The model of text that needs no scikit-learn, and the estimator that is made of it."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError

from textnb import TextClassifier, load
from textnb.corpora.corpus import make_corpus
from textnb.estimators.text_model import TextModel, open_fitted_model
from textnb.workflow import evaluate, train

TEXTS = [
    "cheap pills",
    "cheap watches",
    "buy cheap pills",
    "lunch at noon",
    "noon, lunch",
    "minutes of the meeting",
] * 10
LABELS = np.array((["spam"] * 3 + ["ham"] * 3) * 10)
UNSEEN = ["cheap lunch", "meeting at noon", "unheard of"]


@pytest.mark.parametrize("settings", [{}, {"model": "multinomial", "weights": "counts"}, {"unknown": "token"}])
def test_a_model_learns_what_the_estimator_learns(settings, tmp_path):
    model, estimator = TextModel(**settings).fit(TEXTS, LABELS), TextClassifier(**settings).fit(TEXTS, LABELS)
    assert model.get_params() == estimator.get_params()
    assert model.parameters_in_use == estimator.parameters_in_use
    np.testing.assert_array_equal(model.predict_log_proba(UNSEEN), estimator.predict_log_proba(UNSEEN))
    model.save(tmp_path / "model.tnb")
    estimator.save(tmp_path / "estimator.tnb")
    assert (tmp_path / "model.tnb").read_bytes() == (tmp_path / "estimator.tnb").read_bytes()


def test_the_classifier_of_a_training_is_an_estimator():
    result = train(make_corpus("mail", TEXTS, LABELS, "made up"), model="multinomial")
    classifier = result.classifier
    assert classifier is result.classifier
    assert (
        isinstance(classifier, TextClassifier) and isinstance(classifier, BaseEstimator) and is_classifier(classifier)
    )
    assert classifier.score(TEXTS, LABELS) == 1.0
    assert clone(classifier).get_params() == classifier.get_params()
    copied = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(copied.predict_proba(UNSEEN), classifier.predict_proba(UNSEEN))


def test_what_the_estimator_learns_later_leaves_the_model_as_it_was():
    model = TextModel(model="multinomial").fit(TEXTS, LABELS)
    before = model.predict_log_proba(UNSEEN)
    TextClassifier.of(model).learn(["unheard of"], ["spam"])
    np.testing.assert_array_equal(model.predict_log_proba(UNSEEN), before)
    assert model.n_documents_ == len(TEXTS)


def test_a_file_opens_as_either(tmp_path):
    TextModel(model="multinomial").fit(TEXTS, LABELS).save(tmp_path / "mail.tnb")
    model, estimator = open_fitted_model(tmp_path / "mail.tnb"), load(tmp_path / "mail.tnb")
    assert (type(model), type(estimator)) == (TextModel, TextClassifier)
    np.testing.assert_array_equal(model.predict_log_proba(UNSEEN), estimator.predict_log_proba(UNSEEN))


def test_what_is_not_fitted_is_refused():
    mail = make_corpus("mail", TEXTS, LABELS, "made up")
    with pytest.raises(ValueError, match="not fitted yet: fit it"):
        evaluate(TextModel(), mail)
    with pytest.raises(NotFittedError):
        evaluate(TextClassifier(), mail)
    with pytest.raises(TypeError, match="expected the path of a model, a TextClassifier or a MixedNB, got list"):
        evaluate([], mail)


def test_documents_are_scored_in_blocks_where_there_are_many_classes():
    """Of 8,000 classes, the scores of a block took as much memory again as all probabilities."""
    model = TextModel("multinomial", "counts", calibrate=False, ledger=False)
    model.fit([f"word{i}" for i in range(2000)], [f"class{i:04}" for i in range(2000)])
    texts = [f"word{i % 2000} word7" for i in range(4000)]
    tracemalloc.start()
    probabilities = model.predict_log_proba(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert probabilities.shape == (4000, 2000)
    assert peak < 2.2 * probabilities.nbytes
