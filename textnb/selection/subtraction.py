"""What every document would have scored in a model that never saw it, without fitting that model.

A naive Bayes model is a sum of counts: what a document, or a whole group of them, put in is taken out again, and the
rest is the model fitted without it, exactly, at a fixed vocabulary, idf, bins and categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.families import Family, family
from textnb.likelihood.forgotten import Forgotten
from textnb.likelihood.groups import group_rows
from textnb.likelihood.leave_one_out import scores_without, with_prior_left
from textnb.likelihood.smoothing import check_alpha
from textnb.statistics.counts import class_positions

_AT_ONCE = 1 << 24  # scores held at a time, if there are no more for one alpha


def leave_one_out(estimator: Any, X: Any, y: Any, groups: Any = None) -> Array:
    """log P(x, c) of every row under the model fitted without it, (n, n_classes), classes sorted.

    Parameters
    ----------
    estimator : MultinomialNB, ComplementNB, BernoulliNB, GaussianNB, CategoricalNB or MixedNB
        Its parameters count, not whether it is fitted; it is left as it is.
    X, y : rows and labels
        All of them, as for `fit`.
    groups : array of shape (n,), optional
        Labels of rows that leave together, such as the messages of a thread: each row is scored by the model fitted
        without its whole group.

    Returns
    -------
    array of shape (n, n_classes)
        The joint log-likelihood, or a complement model's scores, as `predict_joint_log_proba` has them. A class left
        empty scores −inf.

    Examples
    --------
    >>> from textnb import MultinomialNB
    >>> from textnb.selection import leave_one_out
    >>> X, y = [[2, 0], [1, 0], [0, 3], [1, 2]], ["ham", "ham", "spam", "spam"]
    >>> leave_one_out(MultinomialNB(), X, y).argmax(axis=1)
    array([0, 0, 1, 1])
    """
    model, class_ids = _fitted(estimator, X, y)
    return model._joint_without(X, group_rows(groups, class_ids, len(model.classes_)))


def kfold_by_subtraction(estimator: Any, X: Any, y: Any, folds: Any = 10) -> Array:
    """log P(x, c) of every row under the model fitted without its fold, (n, n_classes), classes sorted.

    `folds` has the fold of every row, or says how many there are to be: then they are stratified, and always the same.
    Otherwise as `leave_one_out`.
    """
    model, class_ids = _fitted(estimator, X, y)
    return model._joint_without(X, group_rows(_check_folds(folds, class_ids), class_ids, len(model.classes_)))


def leave_one_out_scores(
    model: str | Family,
    rows: SparseRows,
    class_ids: Array,
    alphas: Iterable[Any],
    groups: Any = None,
    *,
    ignore_unseen: bool = False,
    forgotten: Forgotten | None = None,
    unit_length: bool = False,
    norm: bool = False,
    fit_prior: bool = True,
    class_prior: Any = None,
    only: Array | None = None,
) -> Iterator[Array]:
    """`leave_one_out` of a family of count models on rows that are checked already, for several alphas.

    What does not depend on alpha is computed once. Classes are numbered; `rows` store a column at most once per row,
    and for a Bernoulli model anything above 0 is 1. Words that no other document, or group, has are scored by smoothing
    alone; with `ignore_unseen` they are not scored, as in a new document they would not be. With the columns that are
    `forgotten` without each group, the scores are those of the model fitted anew, its vocabulary too: exactly, but for
    idf and the lengths of other documents in tf-idf (rows of `unit_length`), which stay those of all documents. `only`
    has the rows to score, whole groups of them, if that is not every row.
    """
    chosen = family(model) if isinstance(model, str) else model
    left_out = group_rows(groups, class_ids, int(class_ids.max()) + 1)
    scores = scores_without(
        chosen,
        rows,
        left_out,
        norm,
        ignore_unseen=ignore_unseen,
        forgotten=forgotten,
        unit_length=unit_length,
        only=only,
    )
    if only is not None:
        left_out = left_out.alone(only)
    adds_prior = chosen.adds_prior(left_out.n_classes)
    checked = [check_alpha(alpha, rows.n_columns) for alpha in alphas]
    at_once = max(1, _AT_ONCE // max(1, len(left_out.of_row) * left_out.n_classes))
    for start in range(0, len(checked), at_once):
        for found in scores(checked[start : start + at_once]):
            yield with_prior_left(found, left_out, adds_prior, learned=fit_prior, given=class_prior)


def _fitted(estimator: Any, X: Any, y: Any) -> tuple[Any, Array]:
    """The model of all rows, which has checked them and laid out what stays fixed, and the class of every row."""
    if not hasattr(estimator, "_log_likelihood_without"):
        raise ValueError(f"leave-one-out needs a naive Bayes model of textnb, got {estimator!r}")
    from sklearn.base import clone  # an estimator was given, so it is there
    from sklearn.utils.validation import column_or_1d

    model = clone(estimator).fit(X, y)
    return model, class_positions(column_or_1d(y), model.classes_)


def stratified_folds(class_ids: Array, n_folds: int) -> Array:
    """A fold number for every row: those of each class are dealt out in turn, going on where the last class ended.

    So folds differ by at most one row, in all and of each class.
    """
    n = len(class_ids)
    if not 2 <= n_folds <= n:
        raise ValueError(f"folds must be from 2 to the number of rows, {n}, got {n_folds}")
    folds = np.empty(n, dtype=np.int64)
    folds[np.argsort(class_ids, kind="stable")] = np.arange(n) % n_folds
    return folds


def _check_folds(folds: Any, class_ids: Array) -> Array:
    """Folds as numbers, one per row, made from how many there are to be if that is what is given."""
    if np.ndim(folds) == 0:
        if not isinstance(folds, Integral):
            raise ValueError(f"folds must be a whole number, or the fold of every row, got {folds!r}")
        return stratified_folds(class_ids, int(folds))
    numbers = np.asarray(folds)
    if numbers.shape != class_ids.shape:
        raise ValueError(
            f"folds has shape {numbers.shape}: give one fold for each of {len(class_ids)} rows, or how many"
        )
    return numbers
