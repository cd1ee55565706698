"""What every document would have scored in a model that never saw it, without fitting that model.

A naive Bayes model is a sum of counts: what a document, or a whole group of them, put in is taken out again, and the
rest is the model fitted without it, exactly, at a fixed vocabulary, idf, bins and categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d

from textnb.likelihood.smoothing import check_alpha
from textnb.models.base import class_positions
from textnb.models.count import BernoulliNB, ComplementNB, CountModel, MultinomialNB
from textnb.models.mixed import MixedNB
from textnb.models.tabular import CategoricalNB, GaussianNB
from textnb.selection.categorical import categorical_without
from textnb.selection.counts import Scores, scores_without
from textnb.selection.folds import check_folds
from textnb.selection.gaussian import gaussian_without
from textnb.selection.groups import Groups, group_rows, log_prior_left
from textnb.text.rows import Array, SparseRows
from textnb.text.sklearn_compat import is_sparse

_COUNT_MODELS: dict[str, Any] = {
    "multinomial": MultinomialNB,
    "complement": ComplementNB,
    "bernoulli": BernoulliNB,
}


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
    return _joint(model, X, group_rows(groups, class_ids, len(model.classes_)))


def kfold_by_subtraction(estimator: Any, X: Any, y: Any, folds: Any = 10) -> Array:
    """log P(x, c) of every row under the model fitted without its fold, (n, n_classes), classes sorted.

    `folds` has the fold of every row, or says how many there are to be: then they are stratified, and always the same.
    Otherwise as `leave_one_out`.
    """
    model, class_ids = _fitted(estimator, X, y)
    return _joint(model, X, group_rows(check_folds(folds, class_ids), class_ids, len(model.classes_)))


def leave_one_out_scores(
    model: str | CountModel,
    rows: SparseRows,
    class_ids: Array,
    alphas: Iterable[Any],
    groups: Any = None,
    *,
    ignore_unseen: bool = False,
) -> Iterator[Array]:
    """`leave_one_out` of a count model on rows that are checked already, for one alpha after the other.

    What does not depend on alpha is computed once. The model is an estimator, of which all parameters but alpha count,
    or "multinomial", "complement" or "bernoulli". Classes are numbered; `rows` store a column at most once a row, and
    for a Bernoulli model anything above 0 is 1. Words that no other document, or group, has are scored by smoothing
    alone; with `ignore_unseen` they are not scored, as in a new document they would not be.
    """
    if isinstance(model, str) and model not in _COUNT_MODELS:
        raise ValueError(f"model must be one of {list(_COUNT_MODELS)}, or an estimator, got {model!r}")
    estimator = _COUNT_MODELS[model]() if isinstance(model, str) else model
    left_out = group_rows(groups, class_ids, int(class_ids.max()) + 1)
    scores = _count_scores(estimator, rows, left_out, ignore_unseen)
    for alpha in alphas:
        yield _with_prior(estimator, scores(check_alpha(alpha, rows.n_columns)), left_out)


def _fitted(estimator: Any, X: Any, y: Any) -> tuple[Any, Array]:
    """The model of all rows, which has checked them and laid out what stays fixed, and the class of every row."""
    model = clone(estimator).fit(X, y)
    return model, class_positions(column_or_1d(y), model.classes_)


def _joint(model: Any, X: Any, groups: Groups) -> Array:
    return _with_prior(model, log_likelihood_without(model, X, groups), groups)


def _with_prior(model: Any, scores: Array, groups: Groups) -> Array:
    documents = groups.documents_left()
    if not isinstance(model, ComplementNB) or groups.n_classes == 1:
        given = model.priors if isinstance(model, GaussianNB | MixedNB) else model.class_prior
        prior = log_prior_left(documents, learned=getattr(model, "fit_prior", True), given=given)
        scores = scores + prior[groups.of_row]
    scores[(documents == 0)[groups.of_row]] = -np.inf
    return scores


@singledispatch
def log_likelihood_without(model: Any, X: Any, groups: Groups) -> Array:
    """log P(x | c) of every row without its group, (n, K), from a model fitted on all rows; or complement scores."""
    raise ValueError(f"leave-one-out needs a naive Bayes model of textnb, got {model!r}")


@log_likelihood_without.register(MultinomialNB)
@log_likelihood_without.register(ComplementNB)
@log_likelihood_without.register(BernoulliNB)
def _(model: CountModel, X: Any, groups: Groups) -> Array:
    return _count_scores(model, _canonical(model._validate(X)), groups)(model._check_alpha())


@log_likelihood_without.register
def _(model: GaussianNB, X: Any, groups: Groups) -> Array:
    return gaussian_without(model._validate(X), groups, model.statistics_, model.var_smoothing, model.ddof)


@log_likelihood_without.register
def _(model: CategoricalNB, X: Any, groups: Groups) -> Array:
    tables = [table.astype(np.int64) for table in model.category_count_]
    if model.unknown == "smooth":
        tables = [np.pad(table, ((0, 0), (0, 1))) for table in tables]
    pseudo_counts = model._pseudo_counts([table.shape[1] for table in tables])
    return categorical_without(model._validate(X), groups, tables, pseudo_counts)


@log_likelihood_without.register
def _(model: MixedNB, X: Any, groups: Groups) -> Array:
    table = model._validate(X)
    scores = np.zeros((len(table), groups.n_classes))
    for part in model._parts:
        before, estimator = part._steps
        rows, values = part._input(table)
        for step in before:
            values = step.transform(values)
        if part.factor:
            scores[rows] += part.factor * log_likelihood_without(estimator, values, groups.subset(rows))
    return scores


def _count_scores(model: CountModel, rows: SparseRows, groups: Groups, ignore_unseen: bool = False) -> Scores:
    if isinstance(model, BernoulliNB):
        rows = rows.present()
    (name,) = (name for name, home in _COUNT_MODELS.items() if isinstance(model, home))
    return scores_without(name, rows, groups, norm=getattr(model, "norm", False), ignore_unseen=ignore_unseen)


def _canonical(X: Any) -> SparseRows:
    """Sparse rows, int64 or float64, that store a column once and no zeros."""
    from scipy.sparse import csr_array

    rows = csr_array(X, copy=is_sparse(X))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    kind = np.float64 if np.issubdtype(rows.dtype, np.floating) else np.int64
    return SparseRows(rows.indptr, rows.indices, rows.data.astype(kind, copy=False), rows.shape[1])
