"""How long GaussianNB takes to fit and to predict 1,000,000 rows of 50 columns, next to scikit-learn's class.

    python benchmarks/tabular.py [--rows 1000000] [--columns 50] [--classes 5] [--rounds 3]

Both fit the same random normal data in one run, taking turns; the shortest time of each counts. A ratio above 1 says
that textnb is faster. Also, how far fitting in ten batches is from fitting at once. Written to
benchmarks/results/tabular.json.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import sklearn.naive_bayes
from common import best_of, write_results

import textnb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    y = rng.integers(arguments.classes, size=arguments.rows)
    X = rng.standard_normal((arguments.rows, arguments.columns)) + y[:, np.newaxis]
    ours, theirs = textnb.GaussianNB().fit(X, y), sklearn.naive_bayes.GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-10)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
    times = {
        "fit": best_of(arguments.rounds, lambda: ours.fit(X, y), lambda: theirs.fit(X, y)),
        "predict": best_of(arguments.rounds, lambda: ours.predict(X), lambda: theirs.predict(X)),
    }
    for what, (own, other) in times.items():
        print(f"{what:<8} textnb {own:.2f} s, scikit-learn {other:.2f} s: {other / own:.1f} times as fast")
    drift = {"textnb": drifted(textnb.GaussianNB, X, y), "scikit-learn": drifted(sklearn.naive_bayes.GaussianNB, X, y)}
    print(f"ten batches against one fit, largest relative difference of a variance: {drift}")
    write_results(
        "tabular",
        {
            "rows": arguments.rows,
            "columns": arguments.columns,
            "classes": arguments.classes,
            "seconds": {what: {"textnb": own, "scikit-learn": other} for what, (own, other) in times.items()},
            "drift_of_ten_batches": drift,
        },
    )


def drifted(kind: Any, X: Any, y: Any) -> float:
    """How far variances fitted in ten batches, each on another scale, are from those fitted at once."""
    scaled = X * np.repeat(2.0 ** np.arange(10), -(-len(X) // 10))[: len(X), np.newaxis]
    once, batches = kind(var_smoothing=1e-3).fit(scaled, y), kind(var_smoothing=1e-3)
    for rows in np.array_split(np.arange(len(X)), 10):
        batches.partial_fit(scaled[rows], y[rows], classes=once.classes_)
    return float(np.max(np.abs(batches.var_ / once.var_ - 1)))


if __name__ == "__main__":
    main()
