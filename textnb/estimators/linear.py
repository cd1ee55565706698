"""NB-weighted linear models as scikit-learn estimators, on counts or weights of features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from textnb.arrays import Array, SparseRows
from textnb.estimators.base import check_weights, unchanged_on_error
from textnb.estimators.sklearn_compat import from_csr, is_sparse, validate_rows
from textnb.likelihood.dual_descent import TOLERANCE
from textnb.likelihood.nb_weighted import LOSSES, Problems, fit_rule
from textnb.likelihood.rules import LinearRule
from textnb.likelihood.smoothing import check_alpha
from textnb.model.decision import log_posterior
from textnb.model.recipe import check_fitting
from textnb.statistics.counts import check_labels, unique_classes
from textnb.text.threads import check_jobs


class NBSVM(ClassifierMixin, BaseEstimator):
    """A linear model of features that naive Bayes has scaled (Wang & Manning 2012).

    Each class against the rest: features are multiplied by their log-count ratio, a support vector machine or logistic
    regression is fitted to them, and its weights are drawn towards their mean size. The model is fitted to all
    documents at once, so there is no ``partial_fit``.

    Parameters
    ----------
    C : float, default=1.0
        What errors cost, against the size of the weights.
    beta : float, default=0.75
        How far weights may be from their mean size: 0 is naive Bayes, 1 the plain linear model.
    loss : {"squared_hinge", "log"}, default="squared_hinge"
        That of a support vector machine, or of logistic regression.
    alpha : float, default=1.0
        Smoothing of the counts that the ratios are of: in how many rows each feature is.
    class_weight : dict, "balanced" or None, default=None
        By what C is multiplied for the rows of a class against the rest, as liblinear has it.
    tol : float, default=1e-4
        How far the objective may be above the least, as a share of itself.
    n_jobs : int, default=None
        Threads, which take different classes; no result depends on it. None takes all cores if there is much to do.

    Attributes
    ----------
    classes_ : ndarray of the class labels, sorted
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) with two classes
    intercept_ : ndarray of shape (n_classes,) or (1,); regularised as a weight is, as liblinear's
    rule_ : the weights as a rule of all classes, of which two have half of the score each

    Notes
    -----
    What scales a feature is in which rows it is, not what it is there: one that every row has is scaled to nothing. The
    objective is that of ``LinearSVC`` or ``LogisticRegression(solver="liblinear")`` on the scaled features.

    Examples
    --------
    >>> from textnb import NBSVM
    >>> X = [[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]]
    >>> model = NBSVM().fit(X, ["ham", "ham", "spam", "spam"])
    >>> model.predict([[1, 0, 1], [0, 1, 1]])
    array(['ham', 'spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        beta: float = 0.75,
        loss: str = "squared_hinge",
        alpha: float = 1.0,
        class_weight: Any = None,
        tol: float = TOLERANCE,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.beta = beta
        self.loss = loss
        self.alpha = alpha
        self.class_weight = class_weight
        self.tol = tol
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit one linear model per class, or one for two classes. Rows cost C times their weight."""
        with unchanged_on_error(self):
            check_fitting(self.C, self.beta)
            check_jobs(self.n_jobs)
            if self.loss not in LOSSES:
                raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {self.loss!r}")
            if isinstance(self.tol, bool) or not 0 < self.tol < 1:
                raise ValueError(f"tol must be a number between 0 and 1, got {self.tol!r}")
            check_labels(y)
            X, y = validate_rows(self, X, y, dtype=np.float64)
            check_classification_targets(y)
            classes, class_ids = unique_classes(y)
            if len(classes) < 2:
                raise ValueError(f"NBSVM needs samples of at least 2 classes, got one class: {classes.tolist()[0]!r}")
            class_costs = None
            if self.class_weight is not None:
                class_costs = compute_class_weight(self.class_weight, classes=classes, y=y)
            problems = Problems(
                rows_of(X),
                class_ids,
                len(classes),
                alpha=check_alpha(self.alpha, X.shape[1]),
                loss=self.loss,
                costs=check_weights(sample_weight, len(class_ids)),
                class_costs=class_costs,
                tolerance=self.tol,
            )
            self.rule_: LinearRule = fit_rule(problems, self.C, self.beta, self.n_jobs)
            self.classes_ = classes
        return self

    @property
    def coef_(self) -> Array:
        coef = self.rule_.coef
        return coef if len(self.classes_) > 2 else 2 * coef[1:]

    @property
    def intercept_(self) -> Array:
        return self.rule_.intercept if len(self.classes_) > 2 else 2 * self.rule_.intercept[1:]

    def decision_function(self, X: Any) -> Array:
        """The score of each class against the rest, (n, n_classes); with two classes that of the second, (n,)."""
        scores = self._scores(X)
        return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> Array:
        """The class with the largest score, of every row."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """exp(s_c) / Σ exp(s), (n, n_classes): probabilities that rank as scores do, and are not calibrated.

        With the logistic loss and two classes they are those of logistic regression. `TextClassifier` calibrates them.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`."""
        return log_posterior(self._scores(X), np.zeros(len(self.classes_)))

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validate_rows(self, X, dtype=np.float64, reset=False)
        return self.rule_.log_likelihood(from_csr(X) if is_sparse(X) else X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # of features that every row has
        return tags


def rows_of(X: Any) -> SparseRows:
    """Rows without zeros that store a column once."""
    rows = scipy.sparse.csr_array(X)
    if is_sparse(X) and not (rows.has_canonical_format and rows.data.all()):
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return SparseRows(rows.indptr, rows.indices, rows.data, rows.shape[1])
