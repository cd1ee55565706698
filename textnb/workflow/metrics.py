"""How well predictions, probabilities and decisions agree with the truth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.model.decision import UNSURE, DecisionRule

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

RELIABILITY_BINS = 15
HISTOGRAM_EDGES = 1 / (1 + np.exp(-np.arange(-5, 10, 0.5)))  # of probabilities, at equal steps of their log-odds
_AT_ONCE = 1 << 22  # probabilities that are added up together
Z_95 = 1.959963984540054  # standard errors that a 95 % interval has on either side
FEWEST_TESTED = 30  # of fewer documents, an accuracy says little
PER_CLASS = ("class", "precision", "recall", "f1", "support")
PER_DECIDED_CLASS = ("class", "caught", "lost", "unsure", "support")


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of documents, least confident first: mean confidence in the best class, and how often it was right."""

    counts: Counts
    confidence: Floats  # mean probability of the most probable class
    accuracy: Floats  # how often it was the true one
    histogram: Counts  # documents by confidence: below the first of `HISTOGRAM_EDGES`, between two, from the last

    @property
    def expected_calibration_error(self) -> float:
        """ECE = Σ_b (n_b / n) |accuracy_b − confidence_b|.  Naeini et al. 2015; top label, bins of equal mass."""
        return float(np.average(np.abs(self.accuracy - self.confidence), weights=self.counts))

    def to_json(self) -> list[dict[str, Any]]:
        columns = (self.counts.tolist(), self.confidence.tolist(), self.accuracy.tolist())
        return [{"count": n, "confidence": c, "accuracy": a} for n, c, a in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of `measure`; rows of `confusion_matrix` are true classes, columns predicted, in `classes` order.

    `log_loss` and `reliability` are there where probabilities were given, and `raw_reliability` where those before
    calibration were, too. The log-loss is infinite where a true class had probability 0, and None in JSON, which has no
    such number.
    """

    classes: list[Any]
    n: int
    accuracy: float
    macro_f1: float
    auc: float | None
    per_class: list[dict[str, Any]]
    confusion_matrix: Counts
    log_loss: float | None = None
    reliability: Reliability | None = None
    raw_reliability: Reliability | None = None

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Of 95 %."""
        return wilson_interval(self.accuracy, self.n)

    @property
    def ece(self) -> float | None:
        return None if self.reliability is None else self.reliability.expected_calibration_error

    def to_json(self) -> dict[str, Any]:
        """The same by name, in plain Python types; raw probabilities only where there are any."""
        found = {
            **vars(self),
            "accuracy_interval": list(self.accuracy_interval),
            "confusion_matrix": self.confusion_matrix.tolist(),
            "log_loss": None if self.log_loss == np.inf else self.log_loss,
            "ece": self.ece,
            "reliability": None if self.reliability is None else self.reliability.to_json(),
        }
        raw = found.pop("raw_reliability")
        return found if raw is None else found | {"raw_reliability": raw.to_json()}


def measure(
    labels: Iterable[Any],
    predicted: Iterable[Any],
    classes: Iterable[Any],
    *,
    log_probabilities: ArrayLike | None = None,
    raw: ArrayLike | None = None,
) -> Evaluation:
    """Compare true `labels` with `predicted` ones.

    The order of `classes` is kept. Labels that are not among them (a class the model never saw) count as the errors
    they are: the result's classes are then the sorted union.

    `log_probabilities`, (n, n_classes) in the order of `classes`, give a log-loss and a reliability, and two classes an
    area under the ROC curve, which is None for other numbers of classes, or where only one occurs. `raw` are the same
    before calibration, if there was one.
    """
    labels, predicted, known = _plain(labels), _plain(predicted), _plain(classes)
    if len(labels) != len(predicted):
        raise ValueError(f"labels and predicted must have one length, got {len(labels)} and {len(predicted)}.")
    if not labels:
        raise ValueError("there is nothing to evaluate: labels is empty; give at least one document.")
    classes = _union(known, {*labels, *predicted})
    index = {name: position for position, name in enumerate(classes)}
    true = np.array([index[label] for label in labels], dtype=np.int64)
    guess = np.array([index[label] for label in predicted], dtype=np.int64)

    matrix = confusion_matrix(true, guess, len(classes))
    precision, recall, f1 = precision_recall_f1(matrix)
    measures = (measure.tolist() for measure in (precision, recall, f1, matrix.sum(axis=1)))
    rows = zip(classes, *measures, strict=True)
    auc, log_loss, reliability, raw_reliability = None, None, None, None
    if log_probabilities is not None:
        given = _checked_log_probabilities(log_probabilities, (len(labels), len(known)))
        position = {name: column for column, name in enumerate(known)}
        columns = np.array([position.get(label, -1) for label in labels], dtype=np.int64)
        log_loss, reliability = mean_log_loss(given, columns), reliability_of(given, columns)
        if raw is not None:
            raw_reliability = reliability_of(_checked_log_probabilities(raw, given.shape), columns)
        if len(known) == len(classes) == 2:
            auc = area_under_curve(true == 1, given[:, 1] - given[:, 0])  # small probabilities keep their order
    return Evaluation(
        classes=classes,
        n=len(labels),
        accuracy=float(np.trace(matrix) / matrix.sum()),
        macro_f1=float(f1.mean()),
        auc=auc,
        per_class=[dict(zip(PER_CLASS, row, strict=True)) for row in rows],
        confusion_matrix=matrix,
        log_loss=log_loss,
        reliability=reliability,
        raw_reliability=raw_reliability,
    )


def mean_log_loss(log_probabilities: Floats, class_ids: Counts) -> float:
    """−(1 / n) Σ_i log P(y_i | x_i), in nats; a class id of −1 is a class without a probability."""
    own = log_probabilities[np.arange(len(class_ids)), class_ids]
    return float(np.where(class_ids < 0, np.inf, 0.0 - own).mean())  # never −0


def reliability_of(log_probabilities: Floats, class_ids: Counts) -> Reliability:
    """Documents in `RELIABILITY_BINS` bins of equal mass by the probability of their best class.

    Equal probabilities share a bin, so that the order of the documents does not matter; there can be fewer bins.
    """
    best = log_probabilities.argmax(axis=1)
    confidence = np.exp(log_probabilities[np.arange(len(best)), best])
    starts = np.sort(confidence)[np.arange(1, RELIABILITY_BINS) * len(best) // RELIABILITY_BINS]
    bins = np.unique(np.searchsorted(starts, confidence, side="right"), return_inverse=True)[1]
    counts = np.bincount(bins)
    right = np.bincount(bins, best == class_ids)
    histogram = np.bincount(np.searchsorted(HISTOGRAM_EDGES, confidence, "right"), minlength=len(HISTOGRAM_EDGES) + 1)
    return Reliability(counts, np.bincount(bins, confidence) / counts, right / counts, histogram)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What was decided: one row per true class, one column per class named, and a last column for unsure."""

    classes: list[Any]
    confusion_matrix: Counts  # (K, K + 1)

    @classmethod
    def of(cls, class_ids: Counts, decisions: Counts, classes: Iterable[Any]) -> Self:
        """From the positions of the true classes and of those named, or `UNSURE`, among `classes`."""
        names = _plain(classes)
        columns = np.where(decisions == UNSURE, len(names), decisions)
        return cls(names, confusion_matrix(class_ids, columns, len(names), len(names) + 1))

    @property
    def n(self) -> int:
        return int(self.confusion_matrix.sum())

    @property
    def unsure(self) -> float:
        """The share of documents without a class."""
        return float(self.confusion_matrix[:, -1].sum() / self.n)

    @property
    def wrong(self) -> float:
        """The share of documents that were named otherwise."""
        named = self.confusion_matrix[:, :-1]
        return float((named.sum() - np.trace(named)) / self.n)

    @property
    def accuracy(self) -> float:
        """The share of documents whose class was named; an unsure document is none of them."""
        return float(np.trace(self.confusion_matrix) / self.n)

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Of 95 %."""
        return wilson_interval(self.accuracy, self.n)

    @property
    def per_class(self) -> list[dict[str, Any]]:
        """The shares of each class that were named as it (caught), named otherwise (lost), and left unsure."""
        matrix = self.confusion_matrix
        support, right, unsure = matrix.sum(axis=1), np.diagonal(matrix), matrix[:, -1]
        counts = (right, support - right - unsure, unsure)
        shares = (_ratio(count, support).tolist() for count in counts)
        rows = zip(self.classes, *shares, support.tolist(), strict=True)
        return [dict(zip(PER_DECIDED_CLASS, row, strict=True)) for row in rows]

    def to_json(self) -> dict[str, Any]:
        """The same by name, in plain Python types."""
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.accuracy_interval),
            "per_class": self.per_class,
            "confusion_matrix": self.confusion_matrix.tolist(),
        }


@dataclass(frozen=True, eq=False)
class DecisionEvaluation:
    """The result of `measure_decisions`: costs are per document, rates are of the protected class."""

    n: int
    average_cost: float
    cost_error: float  # the standard error of the average
    expected_cost: float | None  # what the probabilities promised
    unsure: float  # the share of documents without a class
    outcomes: Outcomes  # also of documents of classes that have no cost
    false_positive_rate: float | None = None  # documents of the protected class that were named otherwise
    false_positive_interval: tuple[float, float] | None = None  # of 95 %
    protected: Any = None  # the protected class

    def to_json(self) -> dict[str, Any]:
        """The same by name, in plain Python types; those of the outcomes beside those of the costs."""
        costs = {name: value for name, value in vars(self).items() if name != "outcomes"}
        interval = self.false_positive_interval
        return {**costs, "false_positive_interval": interval and list(interval), **self.outcomes.to_json()}


def measure_decisions(
    class_ids: Counts, decisions: Counts, rule: DecisionRule, log_posterior: Floats | None = None
) -> DecisionEvaluation:
    """The cost of `decisions` (class ids or `UNSURE`) for documents of classes `class_ids` under a rule."""
    if not len(class_ids):
        raise ValueError("there is nothing to evaluate: class_ids is empty; give at least one document.")
    costs = np.array(rule.costs, dtype=np.float64)
    unsure = decisions == UNSURE
    if unsure.any() and costs.shape[0] == costs.shape[1]:
        raise ValueError("some decisions are unsure, and the rule has no cost for that: add a column to its costs.")
    paid = costs[class_ids, decisions]  # UNSURE is the last column's number too
    rate, interval = None, None
    if rule.protected is not None and (protected := class_ids == rule.protected).any():
        from textnb.selection.thresholds import share_interval

        lost = protected & ~unsure & (decisions != rule.protected)
        rate = float(lost.sum() / protected.sum())
        interval = share_interval(int(lost.sum()), int(protected.sum()))
    promised = None
    if log_posterior is not None:
        promised = float(rule.expected_costs(log_posterior)[np.arange(len(decisions)), decisions].mean())
    return DecisionEvaluation(
        n=len(class_ids),
        average_cost=float(paid.mean()),
        cost_error=float(paid.std() / np.sqrt(len(paid))),
        expected_cost=promised,
        unsure=float(unsure.mean()),
        outcomes=Outcomes.of(class_ids, decisions, range(len(costs))),
        false_positive_rate=rate,
        false_positive_interval=interval,
        protected=rule.protected,
    )


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """(p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n), z = 1.96: the 95 % interval of a share p of n documents.

    Wilson 1927. It takes the documents to be independent of one another.
    """
    z = Z_95
    centre = share + z**2 / (2 * n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low, high = (centre - half) / (1 + z**2 / n), (centre + half) / (1 + z**2 / n)
    return 0.0 if share == 0 else float(low), 1.0 if share == 1 else float(high)  # where rounding would miss them


def confusion_matrix(true: Counts, predicted: Counts, n_classes: int, n_columns: int | None = None) -> Counts:
    """M_ij = number of documents of class i that were given class j, from class numbers."""
    n_columns = n_columns or n_classes
    pairs = np.bincount(true * n_columns + predicted, minlength=n_classes * n_columns)
    return pairs.reshape(n_classes, n_columns).astype(np.int64, copy=False)


def precision_recall_f1(matrix: Counts) -> tuple[Floats, Floats, Floats]:
    """P_c = M_cc / Σ_i M_ic, R_c = M_cc / Σ_j M_cj, F_c = 2 M_cc / (Σ_i M_ic + Σ_j M_cj); 0/0 is 0."""
    right, predicted, support = np.diagonal(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    return _ratio(right, predicted), _ratio(right, support), _ratio(2 * right, predicted + support)


def area_under_curve(positive: NDArray[np.bool_], scores: Floats) -> float | None:
    """AUC = (Σ_{i positive} rank_i − n₁(n₁ + 1)/2) / (n₁ n₀), tied scores sharing their mean rank.

    Mann and Whitney 1947. None where all documents are of one class.
    """
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    _, group, size = np.unique(scores, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(size) - (size - 1) / 2
    surplus = mean_rank[group][positive].sum() - n_positive * (n_positive + 1) / 2
    return float(surplus / (n_positive * n_negative))


def most_confused(matrix: Counts, classes: Sequence[Any], n: int = 5) -> list[tuple[Any, Any, int]]:
    """The `n` largest off-diagonal counts as (true, predicted, count); equal counts in the order of the classes."""
    true, predicted = _confusions(matrix)
    return [(classes[i], classes[j], int(matrix[i, j])) for i, j in zip(true[:n], predicted[:n], strict=True)]


def most_confused_classes(matrix: Counts, n: int) -> Counts:
    """The ids, ascending, of at most `n` classes with the largest confusions between them."""
    pairs = np.stack(_confusions(matrix), axis=1).ravel()
    _, first = np.unique(pairs, return_index=True)
    return np.sort(pairs[np.sort(first)[:n]])


def is_decided(matrix: Counts) -> bool:
    """Whether a matrix is that of decisions, with a last column for unsure."""
    return matrix.shape[1] > matrix.shape[0]


def part_of_matrix(matrix: Counts, classes: Counts) -> Counts:
    """The rows and columns of some classes, and the last column of decisions."""
    return matrix[np.ix_(classes, np.append(classes, np.arange(*matrix.shape)))]


def _confusions(matrix: Counts) -> tuple[Counts, Counts]:
    """Rows and columns of the off-diagonal counts above 0, largest count first; unsure is no class."""
    true, predicted = np.nonzero(matrix[:, : len(matrix)])
    wrong = true != predicted
    true, predicted = true[wrong], predicted[wrong]
    order = np.argsort(-matrix[true, predicted], kind="stable")
    return true[order], predicted[order]


def _checked_log_probabilities(given: ArrayLike, shape: tuple[int, int]) -> Floats:
    array = np.asarray(given, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"log_probabilities must be of shape {shape}, one row per document, got {array.shape}.")
    block = max(1, _AT_ONCE // max(1, shape[1]))
    sums = [np.exp(array[start : start + block]).sum(axis=1) for start in range(0, len(array), block)]
    off = ~np.isclose(np.concatenate(sums), 1)
    if off.any():
        raise ValueError(f"log_probabilities of document {int(off.argmax())} are not those of probabilities: sum 1.")
    return array


def _union(classes: list[Any], seen: set[Any]) -> list[Any]:
    unknown = seen.difference(classes)
    if not unknown:
        return classes
    union = unknown.union(classes)
    try:
        return sorted(union)
    except TypeError:
        types = " and ".join(sorted({type(label).__name__ for label in union}))
        raise ValueError(f"labels, predicted and classes must be of one type, got {types}.") from None


def _plain(values: Iterable[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _ratio(numerator: Counts, denominator: Counts) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)
