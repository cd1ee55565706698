"""NB-weighted linear models: how accurate they are with C and beta chosen by folds, and how long fitting takes.

    python benchmarks/linear.py [--corpora 20news imdb] [--rounds 2]

Each corpus is learned as `textnb train --model nbsvm` does it, words and pairs in two documents or more, C and beta
chosen on the training part alone, groups together. Then `NBSVM` and scikit-learn's `LinearSVC`, both as they are by
default, are fitted to the same matrix in turns: the shortest time of each counts, of the processor and of the clock.
Results go to benchmarks/results/linear.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from common import write_results
from sklearn.svm import LinearSVC

from textnb import NBSVM, CountVectorizer, TextClassifier, TfidfTransformer, load_corpus
from textnb.arrays import Array
from textnb.model.parameters import Weights

WEIGHTS: dict[str, Weights] = {"20news": "log-tfidf", "imdb": "binary"}  # those of the published results
GOALS = {"20news": 0.8756, "imdb": 0.911}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", choices=WEIGHTS, default=list(WEIGHTS))
    parser.add_argument("--rounds", type=int, default=2, help="how often each fit is timed")
    arguments = parser.parse_args()
    measured = []
    for name in arguments.corpora:
        measured.append(measure(name, arguments.rounds))
        print(measured[-1], flush=True)
        write_results("linear", {"rounds": arguments.rounds, "measured": measured})


def measure(name: str, rounds: int) -> dict[str, Any]:
    """The model that is chosen and what it is worth on the test part, and the times of fitting a matrix."""
    learn, test = (load_corpus(name, subset=part, quiet=True) for part in ("train", "test"))
    model = TextClassifier(model="nbsvm", weights=WEIGHTS[name], ngrams=(1, 2), min_df=2)
    started, worked = time.perf_counter(), time.process_time()
    model.fit(learn.texts, learn.labels, groups=learn.groups)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - worked
    accuracy = float(np.mean(model.predict(test.texts) == test.labels))
    best, choice = model.choice_.best.candidate, model.choice_
    return {
        "corpus": name,
        "weights": WEIGHTS[name],
        "C": best.C,
        "beta": best.beta,
        "estimate": choice.estimate,
        "estimated_accuracy": choice.best.accuracy,
        "n_trials": len(choice.trials),
        "accuracy": accuracy,
        "goal": GOALS[name],
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "matrix": compared(name, learn.texts, learn.labels, test.texts, test.labels, rounds),
    }


def compared(name: str, texts: list[str], labels: Array, later: list[str], truth: Array, rounds: int) -> dict[str, Any]:
    """Times and accuracies of both estimators on one matrix."""
    binary = WEIGHTS[name] == "binary"
    counter = CountVectorizer(ngram_range=(1, 2), min_df=2, binary=binary)
    X, Z = counter.fit_transform(texts), counter.transform(later)
    if not binary:
        weigher = TfidfTransformer(sublinear_tf=True).fit(X)
        X, Z = weigher.transform(X), weigher.transform(Z)
    X, Z = X.astype(np.float64), Z.astype(np.float64)
    models = {"NBSVM": NBSVM(), "NBSVM, one thread": NBSVM(n_jobs=1), "LinearSVC": LinearSVC()}
    timed = {key: [timed_fit(partial(model.fit, X, labels))] for key, model in models.items()}
    for _ in range(rounds - 1):
        for key, model in models.items():
            timed[key].append(timed_fit(partial(model.fit, X, labels)))
    return {
        "entries": int(X.nnz),
        "models": {
            key: {
                "seconds": min(clock for clock, _ in timed[key]),
                "cpu_seconds": min(cpu for _, cpu in timed[key]),
                "accuracy": float(model.score(Z, truth)),
            }
            for key, model in models.items()
        },
    }


def timed_fit(fit: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    started, worked = time.perf_counter(), time.process_time()
    fit()
    return time.perf_counter() - started, time.process_time() - worked


if __name__ == "__main__":
    main()
