"""What a classifier that chooses everything itself chooses, and how far that is from the best it could have chosen.

    python benchmarks/tuning.py [--corpora 20news r8 sms-spam imdb]

Choices are made on the training documents alone, by leave-one-out, or by leaving out whole threads where the corpus has
them. Beside them stands the best point of the grid of models and weightings × plain words × alpha, found by looking at
the test documents: nobody could have chosen it, it is what there was to gain. A corpus without a split of
its own is divided as `textnb train` does. Results go to benchmarks/results/tuning.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from common import write_results

from textnb import (
    BernoulliNB,
    ComplementNB,
    CountVectorizer,
    MultinomialNB,
    TextClassifier,
    TfidfTransformer,
    load_corpus,
)
from textnb.arrays import Array
from textnb.model.parameters import AUTO
from textnb.selection.candidates import PLAIN_WORDS
from textnb.selection.tuning import ALPHAS, Candidate, Fixed
from textnb.workflow.training import split_documents

GOAL_20NEWS = 0.845  # accuracy
GOAL_POINTS = 0.5  # behind the best grid point, on the other corpora
MODELS = {"complement": ComplementNB, "multinomial": MultinomialNB, "bernoulli": BernoulliNB}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["20news", "r8", "sms-spam", "imdb"])
    arguments = parser.parse_args()
    measured = []
    for name in arguments.corpora:
        measured.append(measure(name))
        show(measured[-1])
        write_results("tuning", {"measured": measured})


def measure(name: str) -> dict[str, Any]:
    """What is chosen on one corpus, what that is worth on its test documents, and what the best would have been."""
    corpus = load_corpus(name, quiet=True)
    learn, test, evaluated_on = split_documents(corpus)
    texts, later = ([corpus.texts[row] for row in rows] for rows in (learn, test))
    labels, truth = corpus.labels[learn], corpus.labels[test]
    groups = None if corpus.groups is None else corpus.groups[learn]

    started, worked = time.perf_counter(), time.process_time()
    classifier = TextClassifier(AUTO, AUTO, AUTO, alpha=AUTO, min_df=AUTO).fit(texts, labels, groups=groups)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - worked
    accuracy = float(np.mean(classifier.predict(later) == truth))
    plain = float(np.mean(TextClassifier("complement", calibrate=False).fit(texts, labels).predict(later) == truth))

    grid = list(grid_accuracies(texts, labels, later, truth))
    best, best_accuracy = max(grid, key=lambda point: point[1])
    choice = classifier.choice_
    return {
        "corpus": name,
        "evaluated_on": evaluated_on,
        "n_train": len(texts),
        "n_test": len(later),
        "estimate": choice.estimate,
        "near_duplicated": choice.near_duplicated,
        "chosen": choice.best.candidate._asdict(),
        "estimated_accuracy": choice.best.accuracy,
        "accuracy": accuracy,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "n_trials": len(choice.trials),
        "default_accuracy": plain,
        "best_by_looking_at_the_test": best._asdict(),
        "best_accuracy_by_looking_at_the_test": best_accuracy,
        "points_behind": 100 * (best_accuracy - accuracy),
        "goal_met": accuracy >= GOAL_20NEWS if name == "20news" else best_accuracy - accuracy <= GOAL_POINTS / 100,
        "n_grid": len(grid),
    }


def grid_accuracies(
    texts: list[str], labels: Array, later: list[str], truth: Array
) -> Iterator[tuple[Candidate, float]]:
    """The test accuracy of every candidate."""
    for ngrams, min_df, *_ in PLAIN_WORDS:
        counting = CountVectorizer(ngram_range=ngrams, min_df=min_df)
        known, new = counting.fit_transform(texts), counting.transform(later)
        for model, weights in Fixed().recipes():
            rows, new_rows = weighed(weights, known, new)
            estimator = MODELS[model]().fit(rows, labels)
            for alpha in ALPHAS:
                estimator.set_params(alpha=alpha).set_statistics(estimator.statistics_)
                found = float(np.mean(estimator.predict(new_rows) == truth))
                yield Candidate(model, weights, ngrams, min_df, alpha), found


def weighed(weights: str, known: Any, new: Any) -> tuple[Any, Any]:
    """Counts of known and of new documents in what they weigh."""
    if weights == "counts":
        return known, new
    if weights == "binary":
        return (known > 0).astype(np.int64), (new > 0).astype(np.int64)
    weighting = TfidfTransformer(sublinear_tf=weights == "log-tfidf").fit(known)
    return weighting.transform(known), weighting.transform(new)


def show(row: dict[str, Any]) -> None:
    print(f"\n{row['corpus']}: {row['n_train']:,} documents to choose on, {row['n_test']:,} to test on")
    chosen, best = (", ".join(map(str, row[key].values())) for key in ("chosen", "best_by_looking_at_the_test"))
    print(
        f"  chosen   {chosen}: {row['accuracy']:.4f} (estimated {row['estimated_accuracy']:.4f} by {row['estimate']})"
    )
    print(f"           {row['n_trials']} candidates, fit: {row['seconds']:.1f} s, {row['cpu_seconds']:.1f} s of CPU")
    print(f"  default  complement, log-tfidf, words, alpha 1: {row['default_accuracy']:.4f}")
    print(f"  best     {best}: {row['best_accuracy_by_looking_at_the_test']:.4f}, by looking at the test documents")
    print(f"  behind   {row['points_behind']:.2f} points; goal {'met' if row['goal_met'] else 'MISSED'}")


if __name__ == "__main__":
    main()
