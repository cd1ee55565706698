"""How well predictions agree with the truth, all of it computed from the confusion matrix."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of `evaluate`; rows of `confusion_matrix` are true classes, columns predicted, in `classes` order."""

    classes: list[Any]
    n: int
    accuracy: float
    macro_f1: float
    auc: float | None
    per_class: list[dict[str, Any]]
    confusion_matrix: Counts

    def to_json(self) -> dict[str, Any]:
        """The same by name, in plain Python types."""
        return {**vars(self), "confusion_matrix": self.confusion_matrix.tolist()}


def evaluate(
    labels: Iterable[Any], predicted: Iterable[Any], classes: Iterable[Any], scores: ArrayLike | None = None
) -> Evaluation:
    """Compare true `labels` with `predicted` ones.

    The order of `classes` is kept. Labels that are not among them (a class the model never saw) count as the errors
    they are: the result's classes are then the sorted union.

    `scores` gives two classes an area under the ROC curve: of shape (n,) for the second class, or (n, 2), either
    probabilities or joint log-likelihoods. It is None for other numbers of classes, or where only one occurs.
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
    support = matrix.sum(axis=1)
    ranked = scores is not None and len(known) == len(classes) == 2
    return Evaluation(
        classes=classes,
        n=len(labels),
        accuracy=float(np.trace(matrix) / matrix.sum()),
        macro_f1=float(f1.mean()),
        auc=area_under_curve(true == 1, _second_class_scores(scores, len(labels))) if ranked else None,
        per_class=[
            {"class": name, "precision": p, "recall": r, "f1": f, "support": s}
            for name, p, r, f, s in zip(
                classes, precision.tolist(), recall.tolist(), f1.tolist(), support.tolist(), strict=True
            )
        ],
        confusion_matrix=matrix,
    )


def confusion_matrix(true: Counts, predicted: Counts, n_classes: int) -> Counts:
    """M_ij = number of documents of class i that were given class j, from class numbers."""
    pairs = np.bincount(true * n_classes + predicted, minlength=n_classes * n_classes)
    return pairs.reshape(n_classes, n_classes).astype(np.int64, copy=False)


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
    """The numbers, ascending, of at most `n` classes that the largest confusions are between."""
    pairs = np.stack(_confusions(matrix), axis=1).ravel()
    _, first = np.unique(pairs, return_index=True)
    return np.sort(pairs[np.sort(first)[:n]])


def _confusions(matrix: Counts) -> tuple[Counts, Counts]:
    """Rows and columns of the off-diagonal counts above 0, largest count first."""
    true, predicted = np.nonzero(matrix)
    wrong = true != predicted
    true, predicted = true[wrong], predicted[wrong]
    order = np.argsort(-matrix[true, predicted], kind="stable")
    return true[order], predicted[order]


def _second_class_scores(scores: ArrayLike | None, n: int) -> Floats:
    array = np.asarray(scores, dtype=np.float64)
    if array.shape not in ((n,), (n, 2)):
        raise ValueError(f"scores must be of shape ({n},) or ({n}, 2), one row a document, got {array.shape}.")
    if array.ndim == 2:
        probabilities = (array >= 0).all() and np.allclose(array.sum(axis=1), 1)
        # A difference of probabilities would round small ones to a tie; a joint log-likelihood means nothing alone.
        with np.errstate(invalid="ignore"):  # −∞ − −∞, refused below
            array = array[:, 1] if probabilities else array[:, 1] - array[:, 0]
    if np.isnan(array).any():
        row = int(np.isnan(array).argmax())
        raise ValueError(f"scores give document {row} no order (NaN); give probabilities instead.")
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
