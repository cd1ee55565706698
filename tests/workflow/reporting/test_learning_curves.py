"""Learning curves are those of models that are fitted anew."""

import random

import numpy as np
import pytest

from textnb.estimators.text_model import TextModel
from textnb.workflow.metrics import wilson_interval
from textnb.workflow.reporting.learning_curves import FEWEST_DOCUMENTS, learning_curve, nested_order

WORDS = [f"word{number}" for number in range(60)]
LEXICON = {"ham": WORDS[:40], "spam": WORDS[20:], "other": WORDS[10:50:3]}


def documents(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    choose = random.Random(seed)
    labels = [choose.choice([*LEXICON, "ham"]) for _ in range(n)]
    texts = [" ".join(choose.choices(LEXICON[label], k=choose.randint(1, 12))) for label in labels]
    return texts, np.array(labels)


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "multinomial", "weights": "counts"},
        {"model": "bernoulli", "unknown": "token"},
        {"model": "complement", "weights": "log-tfidf", "unknown": "token", "min_df": 2},
        {"model": "multinomial", "weights": "counts", "unknown": "token"},
        {"model": "multinomial", "weights": "binary", "ngrams": (1, 2), "min_df": 2, "max_df": 0.5},
        {"model": "multinomial", "weights": "tfidf", "max_features": 20, "fit_prior": False},
        {"model": "multinomial", "weights": "counts", "vocabulary": [*WORDS[:30], "never"], "unknown": "token"},
        {"model": "multinomial", "weights": "counts", "alpha": 0.0},
        {"model": "complement", "analyzer": "char_wb", "ngrams": (2, 3)},
        {"model": "multinomial", "stemmer": "porter"},
    ],
    ids=lambda settings: "-".join(map(str, settings.values()))[:60],
)
def test_every_point_is_a_model_fitted_on_a_part_of_the_documents(settings):
    learned, labels = documents(200, 1)
    texts, true = documents(150, 2)
    texts += ["never seen", "", "word1 never word1"]
    true = np.append(true, ["ham", "ham", "spam"])
    model = TextModel(**settings).fit(learned, labels)
    curve = learning_curve(model, learned, labels, texts, true)
    order = nested_order(np.unique(labels, return_inverse=True)[1])
    assert [point.n for point in curve.points] == [12, 25, 50, 100, 200]
    for point in curve.points:
        some = np.sort(order[: point.n])
        plain = TextModel(**{**settings, "calibrate": False, "ledger": False})
        plain.fit([learned[i] for i in some], labels[some])
        assert point.accuracy == np.mean(plain.predictor_.predict(texts) == true)
    assert curve.to_json()["points"][0]["interval"] == list(wilson_interval(curve.points[0].accuracy, len(texts)))


def test_subsets_are_nested_and_stratified():
    class_ids = np.repeat([0, 1, 2], [160, 320, 32])
    order = nested_order(class_ids)
    assert sorted(order.tolist()) == list(range(512))
    for n in (32, 64, 128, 256):
        assert np.abs(np.bincount(class_ids[order[:n]]) - np.array([160, 320, 32]) * n / 512).max() <= 1
    assert (nested_order(class_ids) == order).all()
    assert order[:32].tolist() != sorted(order[:32].tolist())


def test_the_accuracy_of_the_model_itself_is_taken_where_it_is_known():
    learned, labels = documents(64, 1)
    model = TextModel("multinomial").fit(learned, labels)
    assert learning_curve(model, learned, labels, learned, labels, 0.123).points[-1].accuracy == 0.123


def test_too_few_documents_have_no_curve_and_say_why():
    learned, labels = documents(FEWEST_DOCUMENTS, 1)
    model = TextModel("multinomial").fit(learned, labels)
    assert learning_curve(model, learned, labels, learned, labels).why_not is None
    for n, said in ((0, "none of the documents"), (1, "only 1 document "), (31, "only 31 documents")):
        curve = learning_curve(model, learned[:n], labels[:n], learned, labels)
        assert curve.points == ()
        assert curve.why_not.startswith(said)


def test_sizes_that_the_settings_refuse_are_left_out():
    learned, labels = documents(64, 1)
    model = TextModel("multinomial", min_df=12).fit(learned, labels)
    points = learning_curve(model, learned, labels, learned, labels).points
    assert points
    assert points[0].n > 4
