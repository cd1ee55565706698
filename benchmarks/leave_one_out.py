"""How long it takes to try 15 alphas by leave-one-out, next to scikit-learn's grid search by ten folds.

    python benchmarks/leave_one_out.py [--rounds 3] [--pipeline]

The train part of 20 Newsgroups is counted once; then textnb scores every document without itself at every alpha, and
`GridSearchCV` fits scikit-learn's class of the same name on the same matrix, ten folds an alpha, one process, without a
final fit; they take turns, and the shortest time of each counts. Grouped: textnb leaves out every document's thread.
Written to benchmarks/results/leave_one_out.json.

With --pipeline, from texts to the best alpha of the multinomial model: textnb, counting once, next to the grid search
that most people run, scikit-learn's `CountVectorizer` inside it. That one is timed once, since it takes ten minutes and
more. Written to benchmarks/results/leave_one_out_pipeline.json.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import sklearn.naive_bayes
from common import best_of, write_results
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import textnb
from textnb.estimators.sklearn_compat import from_csr
from textnb.selection import leave_one_out_scores

ALPHAS = np.geomspace(1e-3, 10, 15).tolist()
FOLDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    parser.add_argument("--pipeline", action="store_true", help="compare with a grid search that counts in every fit")
    arguments = parser.parse_args()
    data = textnb.load_corpus("20news", "train")
    classes, class_ids = np.unique(data.labels, return_inverse=True)
    common = {
        "corpus": "20news",
        "edition": data.edition,
        "classes": len(classes),
        "alphas": ALPHAS,
        "folds": FOLDS,
        "rounds": arguments.rounds,
    }
    if arguments.pipeline:
        found = show(from_texts(data.texts, class_ids, arguments.rounds))
        write_results("leave_one_out_pipeline", {**common, "measurements": [found]})
        return
    counts = textnb.CountVectorizer().fit_transform(data.texts)
    weights = textnb.TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    rows = [
        show(compared(name, values, X, class_ids, data.groups, arguments.rounds))
        for name, values, X in (
            ("MultinomialNB", "counts", counts),
            ("ComplementNB", "counts", counts),
            ("BernoulliNB", "counts", counts),
            ("MultinomialNB", "log-tfidf", weights),
            ("ComplementNB", "log-tfidf", weights),
        )
    ]
    write_results("leave_one_out", {**common, "shape": counts.shape, "entries": counts.nnz, "measurements": rows})


def compared(name: str, values: str, X: Any, class_ids: Any, groups: Any, rounds: int) -> dict[str, Any]:
    """Seconds of leave-one-out, with and without groups, and of the grid search on the same matrix."""
    found: dict[str, float] = {}
    ours, grouped, theirs = best_of(
        rounds,
        lambda: found.update(accuracy=max(accuracies(name, X, class_ids))),
        lambda: found.update(accuracy_grouped=max(accuracies(name, X, class_ids, groups))),
        lambda: found.update(
            accuracy_grid_search=grid_search(getattr(sklearn.naive_bayes, name)(), "alpha", X, class_ids)
        ),
    )
    return {
        "model": name,
        "values": values,
        "leave_one_out": ours,
        "leave_one_group_out": grouped,
        "grid_search": theirs,
        "ratio": theirs / ours,
        "ratio_grouped": theirs / grouped,
        **found,
    }


def from_texts(texts: list[str], class_ids: Any, rounds: int) -> dict[str, Any]:
    """Seconds from texts to the best alpha."""

    def leave_out() -> list[float]:
        return accuracies("MultinomialNB", textnb.CountVectorizer().fit_transform(texts), class_ids)

    pipeline = make_pipeline(CountVectorizer(), sklearn.naive_bayes.MultinomialNB())
    (ours,) = best_of(rounds, leave_out)
    (theirs,) = best_of(1, lambda: grid_search(pipeline, "multinomialnb__alpha", texts, class_ids))
    return {
        "model": "MultinomialNB",
        "values": "texts",
        "leave_one_out": ours,
        "grid_search": theirs,
        "ratio": theirs / ours,
    }


def accuracies(name: str, X: Any, class_ids: Any, groups: Any = None) -> list[float]:
    """The share of documents that are right without themselves, at every alpha."""
    scores = leave_one_out_scores(getattr(textnb, name).family, from_csr(X), class_ids, ALPHAS, groups)
    return [float(np.mean(score.argmax(axis=1) == class_ids)) for score in scores]


def grid_search(estimator: Any, parameter: str, X: Any, y: Any) -> float:
    """The best mean accuracy over the folds."""
    return float(GridSearchCV(estimator, {parameter: ALPHAS}, cv=FOLDS, refit=False).fit(X, y).best_score_)


def show(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row of results and pass it on."""
    times = f"{row['leave_one_out']:.2f} s / {row['grid_search']:.1f} s = {row['ratio']:.1f} times faster"
    grouped = f", by groups {row['ratio_grouped']:.1f}" if "ratio_grouped" in row else ""
    print(f"{row['values']:<10} {row['model']:<14} {times}{grouped}", flush=True)
    return row


if __name__ == "__main__":
    main()
