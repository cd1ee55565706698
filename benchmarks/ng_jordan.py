"""Naive Bayes against logistic regression as the training set grows: the experiment of Ng & Jordan 2002.

    python benchmarks/ng_jordan.py [--splits 150] [--archive uci.tar.xz]

The 15 data sets of the paper's figure 1, each a choice between two classes. In every split a random 30 % of the rows
are the test set; training sets are the first m of the others, which begin with one row of each class. Test errors are
averaged over the splits (1,000 in the paper). One model is ahead of another where it is so by three standard errors.

- Continuous sets: Gaussian naive Bayes with variances that classes share, which is the paper's model and a linear
  discriminant with a diagonal covariance, and GaussianNB, which has variances of its own in every class.
- Discrete sets: categorical naive Bayes with Laplace smoothing; a missing value is a category of its own.
- Logistic regression by maximum likelihood, without a penalty, on standardised numbers or indicators of categories.

Which columns and classes the paper took is not always said; what is taken here is in `DATA_SETS`. Written to
benchmarks/results: ng_jordan.json, ng_jordan.txt (a sentence a data set) and ng_jordan.png. Splits of one data set
overlap: the standard errors are those of the average over splits, not over data sets.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import tarfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import RESULTS, write_results
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from tqdm import tqdm

from textnb import CategoricalNB, GaussianNB, LinearDiscriminantAnalysis

Array = NDArray[Any]
TEST_SHARE = 0.3
MOST_ROWS = 6_000  # drawn anew for every split
SIZES = 12
SHARED, OWN, LOGISTIC = "naive Bayes", "naive Bayes, own variances", "logistic regression"


@dataclass(frozen=True)
class DataSet:
    """Two classes of a table: which member, which column tells them apart, and which columns are looked at."""

    name: str
    members: tuple[str, ...]
    target: int
    classes: tuple[set[str], set[str]] | None  # None: above the median or not
    numbers: tuple[int, ...] | None = None  # columns; all if neither is given
    categories: tuple[int, ...] | None = None
    binned: tuple[int, ...] = ()  # numbers among the categories, cut at their quintiles

    @property
    def is_discrete(self) -> bool:
        return self.categories is not None


def _columns(start: int, stop: int, *without: int) -> tuple[int, ...]:
    return tuple(j for j in range(start, stop) if j not in without)


_ADULT_NUMBERS = (0, 2, 4, 10, 11, 12)
_ADULT = (("adult.data", "adult.test"), 14, ({"<=50K"}, {">50K"}))
_DIGITS = ("optdigits.tra", "optdigits.tes")
DATA_SETS = [
    DataSet("pima", ("pima-indians-diabetes.data.csv",), 8, ({"0"}, {"1"}), numbers=_columns(0, 8)),
    DataSet("adult (continuous)", *_ADULT, numbers=_ADULT_NUMBERS),
    DataSet("boston (above the median price)", ("housing.data",), 13, None, numbers=_columns(0, 13)),
    DataSet("optdigits (0 and 1)", _DIGITS, 64, ({"0"}, {"1"}), numbers=_columns(0, 64)),
    DataSet("optdigits (2 and 3)", _DIGITS, 64, ({"2"}, {"3"}), numbers=_columns(0, 64)),
    DataSet("ionosphere", ("ionosphere.csv",), 34, ({"b"}, {"g"}), numbers=_columns(0, 34)),
    DataSet("liver disorders", ("bupa.data",), 6, ({"1"}, {"2"}), numbers=_columns(0, 6)),
    DataSet("sonar", ("sonar.csv",), 60, ({"M"}, {"R"}), numbers=_columns(0, 60)),
    DataSet("adult (discrete)", *_ADULT, categories=_columns(0, 14, *_ADULT_NUMBERS)),
    DataSet("promoters", ("promoters.data",), 58, ({"+"}, {"-"}), categories=_columns(1, 58)),
    DataSet("lymphography (2 and 3)", ("lymphography.data",), 0, ({"2"}, {"3"}), categories=_columns(1, 19)),
    DataSet(
        "breast cancer",
        ("breast-cancer.csv",),
        9,
        ({"no-recurrence-events"}, {"recurrence-events"}),
        categories=_columns(0, 9),
    ),
    DataSet("lenses (hard and soft)", ("lenses.data",), 5, ({"1"}, {"2"}), categories=_columns(1, 5)),
    DataSet(
        "sick",
        ("sick.data",),
        29,
        ({"negative"}, {"sick"}),
        categories=_columns(0, 29, 27),  # 27 was never measured
        binned=(0, 17, 19, 21, 23, 25),
    ),
    DataSet(
        "voting records",
        ("house-votes-84.data",),
        0,
        ({"democrat"}, {"republican"}),
        categories=_columns(1, 17),
    ),
]


def read_members(archive: Path) -> dict[str, list[list[str]]]:
    """The rows of every table, as text: separated by commas or, where there are none, by blanks."""
    wanted = {member for data_set in DATA_SETS for member in data_set.members}
    found = {}
    with tarfile.open(archive) as members:
        for member in members:
            name = Path(member.name).name
            file = members.extractfile(member) if name in wanted else None
            if file is not None:
                text = io.TextIOWrapper(file, encoding="utf-8")
                found[name] = [_fields(line) for line in text if line.strip()]
    missing = wanted - set(found)
    if missing:
        raise ValueError(f"{archive} lacks {', '.join(sorted(missing))}")
    return found


def _fields(line: str) -> list[str]:
    fields = next(csv.reader([line], quotechar="'", skipinitialspace=True)) if "," in line else line.split()
    return [field.partition("|")[0].strip().rstrip(".") for field in fields]


def table(data_set: DataSet, members: dict[str, list[list[str]]]) -> tuple[Array, Array]:
    """X, numbers or integer codes of categories, and y of 0 and 1."""
    rows = np.array([row for member in data_set.members for row in members[member]], dtype=object)
    target = rows[:, data_set.target]
    if data_set.classes is None:
        values = target.astype(float)
        y = (values > np.median(values)).astype(int)
    else:
        first, second = (np.isin(target, list(labels)) for labels in data_set.classes)
        rows, y = rows[first | second], second[first | second].astype(int)
    if data_set.categories is None:
        return rows[:, data_set.numbers].astype(float), y
    return np.column_stack([_codes(rows[:, j], j in data_set.binned) for j in data_set.categories]), y


def _codes(values: Array, binned: bool) -> Array:
    if binned:
        known = values != "?"
        numbers = values[known].astype(float)
        values = np.full(len(values), -1)
        values[known] = np.searchsorted(np.unique(np.quantile(numbers, [0.2, 0.4, 0.6, 0.8])), numbers)
    return np.unique(values, return_inverse=True)[1]


class DiagonalCovariance:
    """Variances alone: with it, linear discriminant analysis is naive Bayes with variances that classes share."""

    def fit(self, rows: Array) -> None:
        self.covariance_ = np.diag(rows.var(axis=0))


Model = tuple[Callable[[], Any], Array]  # an estimator, and X as it is to see it


def models(data_set: DataSet, X: Array) -> dict[str, Model]:
    def logistic() -> LogisticRegression:
        return LogisticRegression(C=np.inf, max_iter=200)

    if data_set.is_discrete:
        numbers = X.max(axis=0) + 1
        indicators = OneHotEncoder(sparse_output=False).fit_transform(X)
        return {SHARED: (lambda: CategoricalNB(min_categories=numbers), X), LOGISTIC: (logistic, indicators)}
    X = StandardScaler().fit_transform(X)

    def shared() -> LinearDiscriminantAnalysis:
        return LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=DiagonalCovariance())

    return {SHARED: (shared, X), OWN: (GaussianNB, X), LOGISTIC: (logistic, X)}


def training_sizes(n: int) -> list[int]:
    """Up to n in equal ratios, a tenth of n among them."""
    smallest = min(6, max(3, n // 2))
    return sorted({*np.geomspace(smallest, n, SIZES).round().astype(int).tolist(), max(smallest, round(n / 10))})


def splits(y: Array, n_splits: int) -> Iterator[tuple[Array, Array]]:
    """Rows to train on, in order, and to test on."""
    random = np.random.default_rng(0)
    for _ in range(n_splits):
        order = random.permutation(len(y))[:MOST_ROWS]
        n_test = round(TEST_SHARE * len(order))
        test, train = order[:n_test], order[n_test:]
        firsts = [np.flatnonzero(y[train] == label)[0] for label in (0, 1)]
        yield np.concatenate([train[firsts], np.delete(train, firsts)]), test


def measure(data_set: DataSet, X: Array, y: Array, n_splits: int) -> dict[str, Any]:
    """Mean test errors by size and model, their standard errors, and those of the difference to logistic regression."""
    candidates = models(data_set, X)
    n_train = min(len(y), MOST_ROWS) - round(TEST_SHARE * min(len(y), MOST_ROWS))
    sizes = training_sizes(n_train)
    errors = {name: np.empty((n_splits, len(sizes))) for name in candidates}
    for i, (train, test) in enumerate(tqdm(splits(y, n_splits), data_set.name, n_splits, leave=False, disable=None)):
        for name, (create, seen) in candidates.items():
            for k, m in enumerate(sizes):
                model = create().fit(seen[train[:m]], y[train[:m]])
                errors[name][i, k] = np.mean(model.predict(seen[test]) != y[test])
    results: dict[str, Any] = {"rows": len(y), "columns": X.shape[1], "sizes": sizes, "models": {}}
    for name, found in errors.items():
        mean, deviation = _average(found)
        difference, uncertainty = _average(errors[LOGISTIC] - found)
        results["models"][name] = {"error": mean, "standard_error": deviation}
        if name != LOGISTIC:
            results["models"][name] |= {"lead": difference, "lead_standard_error": uncertainty}
    return results


def _average(values: Array) -> tuple[list[float], list[float]]:
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return [[round(float(x), 6) for x in row] for row in (values.mean(axis=0), error)]  # type: ignore[return-value]


def verdict(results: dict[str, Any], name: str) -> str:
    """What became of the finding: naive Bayes ahead at first, logistic regression level or ahead in the end."""
    sizes, found = results["sizes"], results["models"][name]
    leads = [_leader(*pair) for pair in zip(found["lead"], found["lead_standard_error"], strict=True)]
    tenth = _tenth(sizes)
    shown = "; ".join(
        f"at {share} (m = {sizes[k]}) {_leader_name(leads[k])} by {100 * abs(found['lead'][k]):.1f} "
        f"± {100 * found['lead_standard_error'][k]:.1f} points"
        for share, k in (("the smallest size" if sizes[0] > sizes[-1] / 10 + 1 else "10 %", tenth), ("100 %", -1))
    )
    if 1 not in leads:
        return f"does not hold: naive Bayes is ahead at no size; {shown}"
    last = max(k for k, lead in enumerate(leads) if lead == 1)
    if last == len(sizes) - 1:
        return f"holds in its first half: logistic regression has not caught up; {shown}"
    if -1 in leads[: leads.index(1)]:
        return f"does not hold: naive Bayes is ahead from m = {sizes[leads.index(1)]} to {sizes[last]} only; {shown}"
    return f"holds: naive Bayes is ahead up to m = {sizes[last]}; {shown}"


def _leader(lead: float, error: float) -> int:
    """1 naive Bayes, −1 logistic regression, 0 neither by three standard errors."""
    return int(np.sign(lead)) if abs(lead) > 3 * error else 0


def _leader_name(leader: int) -> str:
    return {1: "naive Bayes leads", -1: "logistic regression leads", 0: "neither leads, they differ"}[leader]


def _tenth(sizes: list[int]) -> int:
    return int(np.argmin([abs(m - sizes[-1] / 10) for m in sizes]))


def draw(results: dict[str, Any], n_splits: int, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    styles = {SHARED: ("C0", "-"), OWN: ("C2", ":"), LOGISTIC: ("C1", "--")}
    figure, axes = plt.subplots(5, 3, figsize=(11, 14), layout="constrained")
    for axis, (title, found) in zip(axes.flat, results.items(), strict=True):
        sizes = found["sizes"]
        for name, values in found["models"].items():
            color, line = styles[name]
            error, band = np.array(values["error"]), 2 * np.array(values["standard_error"])
            axis.plot(sizes, error, line, color=color, label=name)
            axis.fill_between(sizes, error - band, error + band, color=color, alpha=0.2, linewidth=0)
        axis.set(title=title, xscale="log", ylim=(0, None))
        marked = sorted({sizes[0], sizes[_tenth(sizes)], sizes[-1]})
        axis.set_xticks(marked, [f"{m:,}" for m in marked])
        axis.set_xticks([], minor=True)
        axis.grid(axis="x", color="0.9")
        axis.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    figure.supylabel("test error", size=11)
    figure.supxlabel(
        f"training-set size: smallest, 10 % and 100 % marked; averages over {n_splits} random splits, bands of two "
        "standard errors",
        size=11,
    )
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=150)
    parser.add_argument("--archive", type=Path, default=Path(os.environ.get("TEXTNB_CORPORA", "."), "uci.tar.xz"))
    settings = parser.parse_args()
    members = read_members(settings.archive)
    warnings.simplefilter("ignore")  # separable training sets, features that do not vary yet
    started = time.perf_counter()
    results, sentences = {}, []
    with threadpool_limits(1):
        for data_set in DATA_SETS:
            found = measure(data_set, *table(data_set, members), settings.splits)
            found["finding"] = {name: verdict(found, name) for name in found["models"] if name != LOGISTIC}
            results[data_set.name] = found
            sentences += [f"{data_set.name}, {name}: {text}." for name, text in found["finding"].items()]
            print(*sentences[-len(found["finding"]) :], sep="\n")
    seconds = round(time.perf_counter() - started)
    print(write_results("ng_jordan", {"splits": settings.splits, "seconds": seconds, "data_sets": results}))
    (RESULTS / "ng_jordan.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    draw(results, settings.splits, RESULTS / "ng_jordan.png")


if __name__ == "__main__":
    main()
