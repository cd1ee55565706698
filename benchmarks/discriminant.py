"""Fitting linear discriminant analysis, textnb's beside scikit-learn's in the same run.

    python benchmarks/discriminant.py [--rows 200000] [--features 200] [--classes 5] [--rounds 2]

Correlated Gaussian classes; the two models take turns, the best time of each counts, and their coefficients must agree
to 1e-10. Written to benchmarks/results/discriminant.json. The exit status is 1 if textnb was slower.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import sklearn.discriminant_analysis as theirs
from common import best_of, write_results
from numpy.typing import NDArray

import textnb


def correlated_classes(n: int, p: int, n_classes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Neighbouring features correlate by a half; class means lie about one standard deviation apart."""
    random = np.random.default_rng(0)
    y = random.integers(n_classes, size=n)
    noise = random.standard_normal((n, p + 1))
    return noise[:, 1:] + noise[:, :-1] + random.standard_normal((n_classes, p))[y], y


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=200)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    settings = parser.parse_args()
    X, y = correlated_classes(settings.rows, settings.features, settings.classes)
    rows: list[dict[str, Any]] = []
    for solver in ("svd", "lsqr", "eigen"):
        ours = textnb.LinearDiscriminantAnalysis(solver=solver)
        other = theirs.LinearDiscriminantAnalysis(solver=solver)
        seconds, other_seconds = best_of(settings.rounds, lambda: ours.fit(X, y), lambda: other.fit(X, y))  # noqa: B023
        difference = float(np.abs(ours.coef_ - other.coef_).max() / np.abs(other.coef_).max())
        rows.append({"solver": solver, "textnb": seconds, "scikit-learn": other_seconds, "difference": difference})
        print(f"{solver:6} textnb {seconds:6.2f} s   scikit-learn {other_seconds:6.2f} s   difference {difference:.1e}")
    assert all(row["difference"] < 1e-10 for row in rows)
    print(write_results("discriminant", {"settings": vars(settings), "seconds": rows}))
    return int(any(row["textnb"] > row["scikit-learn"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
