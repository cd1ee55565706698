"""How long the count models take to fit and to predict, next to scikit-learn's classes on the same matrix.

    python benchmarks/models.py [--corpora 20news sms-spam imdb] [--rounds 7]

The train part of each corpus is counted once; then every model is fitted on it and predicts it, textnb's class and
scikit-learn's taking turns, and the shortest time of each counts. 20 Newsgroups is taken with its 20 classes and with
two (comp.* or not), every corpus as int64 counts and as float64 tf-idf. A ratio above 1 says that textnb is faster.
Written to benchmarks/results/models.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.naive_bayes
from common import best_of, write_results

import textnb

SUBSETS = {"20news": "train", "sms-spam": "all", "imdb": "train"}
MODELS = ("MultinomialNB", "ComplementNB", "BernoulliNB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", choices=SUBSETS, default=["20news"])
    parser.add_argument("--rounds", type=int, default=7, help="how often each is timed")
    arguments = parser.parse_args()
    rows = []
    print(f"{'':<38}{'fit, ms':>18}{'predict, ms':>24}{'predict_proba, ms':>24}")
    for corpus in arguments.corpora:
        for row in measurements(corpus, arguments.rounds):
            rows.append(row)
            print(line(row), flush=True)
    write_results("models", {"rounds": arguments.rounds, "measurements": rows})


def measurements(corpus: str, rounds: int) -> Iterator[dict[str, Any]]:
    """A row for each labelling, kind of values and model."""
    data = textnb.load_corpus(corpus, SUBSETS[corpus])
    counts = textnb.CountVectorizer().fit_transform(data.texts)
    labellings = [np.asarray(data.labels)]
    if corpus == "20news":
        labellings.append(np.array([label.startswith("comp.") for label in data.labels]))
    for labels in labellings:
        for values, X in (("counts", counts), ("tfidf", textnb.TfidfTransformer().fit_transform(counts))):
            for model in MODELS:
                yield {
                    "corpus": corpus,
                    "edition": data.edition,
                    "shape": X.shape,
                    "entries": X.nnz,
                    "classes": len(np.unique(labels)),
                    "values": values,
                    "model": model,
                    **compared(model, X, labels, rounds),
                }


def compared(model: str, X: Any, labels: Any, rounds: int) -> dict[str, Any]:
    """Seconds of both classes, textnb's first, and whether they predict the same."""
    ours, theirs = (getattr(home, model)().fit(X, labels) for home in (textnb, sklearn.naive_bayes))
    return {
        "equal": bool(np.array_equal(ours.predict(X), theirs.predict(X))),
        "fit": best_of(rounds, lambda: ours.fit(X, labels), lambda: theirs.fit(X, labels)),
        "predict": best_of(rounds, lambda: ours.predict(X), lambda: theirs.predict(X)),
        "predict_proba": best_of(rounds, lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X)),
    }


def line(row: dict[str, Any]) -> str:
    """textnb's time / scikit-learn's = how many times faster."""
    name = f"{row['corpus']} {row['classes']:>2} {row['values']:<6} {row['model']}"
    times = (
        f"{1e3 * a:.1f} / {1e3 * b:.1f} = {b / a:.2f}" for a, b in (row["fit"], row["predict"], row["predict_proba"])
    )
    return f"{name:<36}" + "".join(f"{text:>24}" for text in times) + ("" if row["equal"] else "  PREDICTIONS DIFFER")


if __name__ == "__main__":
    main()
