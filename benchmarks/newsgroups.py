"""The 20 Newsgroups confusion matrices, next to scikit-learn's own pipeline in the same run.

    python benchmarks/newsgroups.py

Each recipe is fitted on the train part and evaluated on the later test part, once by textnb and once by scikit-learn's
vectorizer and naive Bayes class; the two confusion matrices must be equal cell by cell, and the figures that
scikit-learn's documentation and the lecture notes print must come out. It needs the edition with headers. Written to
benchmarks/results: newsgroups.json, newsgroups.txt (the tables) and the heat maps as PNG, true
classes across as in the notes.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from common import RESULTS, write_results
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from textnb import TextClassifier, load_corpus
from textnb.model.parameters import Model, Weights
from textnb.report.plots import confusion_heatmap
from textnb.report.tables import confusion_table
from textnb.workflow.metrics import Evaluation
from textnb.workflow.metrics import measure as measured

NOTES = ("comp.graphics", "sci.space", "soc.religion.christian", "talk.religion.misc")
DOCUMENTATION = ("alt.atheism", "comp.graphics", "sci.space", "talk.religion.misc")


@dataclass(frozen=True)
class Recipe:
    """What is measured, and the figure that is published for it."""

    name: str
    model: Model
    weights: Weights
    alpha: float
    published: tuple[str, float]  # which measure, to four digits
    categories: tuple[str, ...] | None = None
    strip: tuple[str, ...] = ()
    picture: str = ""


RECIPES = (
    Recipe("4 groups of the lecture notes", "multinomial", "tfidf", 1.0, ("accuracy", 0.8017), NOTES, picture="notes"),
    Recipe("4 groups of scikit-learn's guide", "multinomial", "tfidf", 0.01, ("macro_f1", 0.8821), DOCUMENTATION),
    Recipe(
        "the same, headers, footers and quotes stripped",
        "multinomial",
        "tfidf",
        0.01,
        ("macro_f1", 0.7700),
        DOCUMENTATION,
        ("headers", "footers", "quotes"),
    ),
    Recipe("20 groups", "multinomial", "counts", 1.0, ("accuracy", 0.7728)),
    Recipe("20 groups", "multinomial", "tfidf", 1.0, ("accuracy", 0.7739)),
    Recipe("20 groups", "multinomial", "tfidf", 0.01, ("accuracy", 0.8352)),
    Recipe("20 groups", "complement", "log-tfidf", 1.0, ("accuracy", 0.8447), picture="20-groups"),
)


def main() -> None:
    results, tables = [], []
    for recipe in RECIPES:
        result, evaluation = measure(recipe)
        results.append(result)
        title = f"{recipe.name}: {recipe.model}, {recipe.weights}, alpha {recipe.alpha:g}"
        tables.append(f"{title}\naccuracy {evaluation.accuracy:.4f}, macro-F1 {evaluation.macro_f1:.4f}\n")
        tables[-1] += confusion_table(evaluation)
        print(tables[-1], end="\n\n")
        if recipe.picture:
            confusion_heatmap(evaluation, RESULTS / f"newsgroups-{recipe.picture}.png", title=title, true_across=True)
    (RESULTS / "newsgroups.txt").write_text("\n\n".join(tables) + "\n", encoding="utf-8")
    write_results("newsgroups", {"recipes": results})
    failures = [f"{r['name']}, {r['model']}, {r['weights']}" for r in results if not (r["equal"] and r["as_published"])]
    if failures:
        sys.exit(f"not as published, or not equal to scikit-learn's: {'; '.join(failures)}")


def measure(recipe: Recipe) -> tuple[dict[str, Any], Evaluation]:
    """Fit and evaluate a recipe with textnb and with scikit-learn."""
    train, test = (
        load_corpus("20news", subset, categories=recipe.categories, strip=recipe.strip) for subset in ("train", "test")
    )
    if train.groups is None:
        sys.exit("this benchmark needs 20 Newsgroups with headers; see `textnb corpora fetch 20news`")
    started = time.perf_counter()
    ours = TextClassifier(recipe.model, recipe.weights, alpha=recipe.alpha).fit(train.texts, train.labels)
    predicted = ours.predict(test.texts)
    switched = time.perf_counter()
    pipeline = scikit_learn(recipe).fit(train.texts, train.labels)
    expected = pipeline.predict(test.texts)
    ended = time.perf_counter()
    evaluation = measured(test.labels, predicted, train.classes)
    theirs = measured(test.labels, expected, train.classes)
    matrix = pipeline[0].transform(train.texts)
    measure_name, published = recipe.published
    return {
        **asdict(recipe),
        **evaluation.to_json(),
        "n_train": len(train),
        "vocabulary": matrix.shape[1],
        "entries_per_document": matrix.nnz / matrix.shape[0],
        "equal": bool(np.array_equal(evaluation.confusion_matrix, theirs.confusion_matrix)),
        "as_published": round(getattr(evaluation, measure_name), 4) == published,
        "seconds": switched - started,
        "scikit_learn_seconds": ended - switched,
    }, evaluation


def scikit_learn(recipe: Recipe) -> Any:
    """The same recipe in scikit-learn's words."""
    vectorizer = (
        CountVectorizer() if recipe.weights == "counts" else TfidfVectorizer(sublinear_tf=recipe.weights == "log-tfidf")
    )
    model = {"multinomial": MultinomialNB, "complement": ComplementNB}[recipe.model]
    return make_pipeline(vectorizer, model(alpha=recipe.alpha))


if __name__ == "__main__":
    main()
