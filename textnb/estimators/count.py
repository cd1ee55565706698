"""Naive Bayes on counts: multinomial, complement and Bernoulli, scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from abc import ABC
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, check_non_negative

from textnb.arrays import Array, SparseRows
from textnb.estimators.base import AdditiveNB
from textnb.estimators.sklearn_compat import from_csr, is_sparse, to_public_csr, validate_rows
from textnb.likelihood.families import LinearFamily, family
from textnb.likelihood.groups import Groups
from textnb.likelihood.leave_one_out import scores_without
from textnb.likelihood.multinomial import perplexity
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.sampling import draw_flags, draw_words
from textnb.likelihood.smoothing import Alpha, check_alpha
from textnb.statistics.counts import ClassCounts, count_classes


class _CountNB(AdditiveNB, ABC):
    """Count, derive a rule, decide."""

    family: str
    norm = False  # Complement's

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def _family(self) -> LinearFamily:
        found = family(self.family)
        assert isinstance(found, LinearFamily)
        return found

    @property
    def has_likelihood(self) -> bool:  # type: ignore[override]
        """Whether the model can be sampled, and be part of a mixed model."""
        return self._family.has_likelihood

    @property
    def _adds_prior(self) -> bool:
        return self._family.adds_prior(len(self.classes_))

    def _prior(self) -> dict[str, Any]:
        return {"learned": self.fit_prior, "given": self.class_prior}

    def _count(self, X: Any, class_ids: Array, classes: Array, weights: Array | None) -> ClassCounts:
        return count_classes(X, class_ids, classes, weights)

    def _derive(self, statistics: ClassCounts) -> None:
        self.n_features_in_ = statistics.totals.shape[0]
        self.class_log_prior_ = class_log_prior(statistics.documents, **self._prior())
        alpha = self._check_alpha()
        self.rule_ = self._family.rule(statistics.totals, statistics.documents, alpha, self.norm).compact()
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self._derived_with = alpha, self.norm
        self._feature_log_prob: Array | None = None

    @property
    def feature_log_prob_(self) -> Array:
        """log P(x_j | c), or a complement model's weights, (n_classes, n_features); derived, so it cannot be set."""
        if self._feature_log_prob is None:
            seen = self.statistics_
            found = self._family.log_probability(seen.totals, seen.documents, *self._derived_with).T
            found.flags.writeable = False
            self._feature_log_prob = found
        return self._feature_log_prob

    def _log_likelihood_without(self, X: Any, groups: Groups) -> Array:
        rows = canonical(self._validate(X))
        (scores,) = scores_without(self._family, rows, groups, self.norm)([self._check_alpha()])
        return scores

    def log_likelihood(self, X: Any) -> Array:
        """log P(x | c) for every row and class, the prior left out, (n, n_classes); an error if there is none."""
        self._family.require_likelihood()
        return super().log_likelihood(X)

    @property
    def class_count_(self) -> Array:
        """Documents of each class, weighted, (n_classes,)."""
        return self.statistics_.documents.astype(np.float64)

    @property
    def feature_count_(self) -> Array:
        """Totals of each feature in each class, weighted, (n_classes, n_features)."""
        return self.statistics_.totals.toarray().T.astype(np.float64)

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._clean(validate_rows(self, X, reset=False))

    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        X, y = validate_rows(self, X, y, reset=reset)
        check_classification_targets(y)
        X = self._clean(X)
        return (from_csr(X) if is_sparse(X) else X), y

    def _clean(self, X: Any) -> Any:
        """X as the model sees it: here without negative values."""
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return X

    def _check_alpha(self) -> Alpha:
        return check_alpha(self.alpha, getattr(self, "n_features_in_", None), self.force_alpha)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class MultinomialNB(_CountNB):
    """Naive Bayes for multinomial counts, such as how often each word occurs in a document.

    Parameters, attributes and results are those of scikit-learn's class of that name; ``statistics_`` holds the counts
    the model is derived from. A label that ``partial_fit`` was not told of is an error, and ``alpha=0`` gives exact
    zeros: a class that cannot have produced a document has probability 0, and if none can, the posterior is the prior.

    Examples
    --------
    >>> from textnb import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 0], [1, 0], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    >>> model.predict_proba([[0, 1]]).round(3)
    array([[0.333, 0.667]])
    """

    family = "multinomial"

    def sample(self, n: int, random_state: Any = None, *, length: Any = None) -> tuple[Any, Array]:
        """n documents of `length` words (a number, or one per document) that the model could have produced: (X, y)."""
        class_ids, rng = self._sample_classes(n, random_state)
        return self._sample_given(class_ids, rng, length), self.classes_[class_ids]

    def _sample_given(self, class_ids: Array, rng: Any, length: Any = None) -> Any:
        if length is None:
            raise ValueError("MultinomialNB does not model how long a document is: pass length=, the number of words")
        totals = self.statistics_.totals.data
        if not (totals == np.floor(totals)).all():
            raise ValueError(
                "cannot sample: the model was fitted on weights such as tf-idf, which are no counts of words that "
                "could be drawn. Fit it on counts."
            )
        lengths = np.broadcast_to(np.asarray(length, dtype=np.int64), class_ids.shape)
        return to_public_csr(draw_words(self.feature_log_prob_, class_ids, lengths, rng))

    def perplexity(self, X: Any, y: Any = None) -> Array:
        """How many words each class's language model hesitates between, (n_classes,): exp(−log P(X | c) / words of X).

        With labels, each class is measured on its own documents alone.
        """
        X = self._validate(X)
        lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        if y is None:
            return perplexity(self._log_likelihood(X), lengths)
        check_consistent_length(X, y)
        strange = np.setdiff1d(y, self.classes_).tolist()
        if strange:
            raise ValueError(f"unknown label {strange[0]!r}; the classes are {self.classes_.tolist()}")
        return perplexity(self._log_likelihood(X), lengths, np.searchsorted(self.classes_, y))


class ComplementNB(_CountNB):
    """Complement naive Bayes (Rennie et al. 2003), the stronger model for text and for classes of unequal size.

    Parameters, attributes and results are those of scikit-learn's class of that name. ``alpha=0`` is refused where a
    feature would get an infinite weight.

    Examples
    --------
    >>> from textnb import ComplementNB
    >>> model = ComplementNB(norm=True).fit([[2, 0], [1, 0], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    """

    family = "complement"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def feature_all_(self) -> Array:
        """Totals of each feature over all classes, (n_features,)."""
        return self.statistics_.totals.row_sums().astype(np.float64)

    def _sample_given(self, class_ids: Array, rng: Any) -> Any:
        self._family.require_likelihood()


class BernoulliNB(_CountNB):
    """Naive Bayes for features that are there or not.

    Parameters, attributes and results are those of scikit-learn's class of that name; ``alpha`` may be an array, and
    ``alpha=0`` gives exact zeros and ones.

    Examples
    --------
    >>> from textnb import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    """

    family = "bernoulli"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    def _sample_given(self, class_ids: Array, rng: Any) -> Any:
        return to_public_csr(draw_flags(self.feature_log_prob_, class_ids, rng))

    def _clean(self, X: Any) -> Any:
        values = X.data if is_sparse(X) else X
        if self.binarize is None:
            if not ((values == 0) | (values == 1)).all():
                raise ValueError(
                    "BernoulliNB(binarize=None) expects only 0 and 1 in X. Set binarize to a threshold to map other "
                    "values to 0 and 1."
                )
            return X
        if self.binarize < 0:
            raise ValueError(f"binarize must be 0 or more, or None, got {self.binarize}.")
        present = values > self.binarize
        if not is_sparse(X):
            return present.astype(np.int64)
        binary = scipy.sparse.csr_array((present.astype(np.int64), X.indices, X.indptr), shape=X.shape)
        if not present.all():
            binary = binary.copy()  # the indices are the user's
            binary.eliminate_zeros()
        return binary

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags


CountModel: TypeAlias = MultinomialNB | ComplementNB | BernoulliNB
_MODELS: dict[str, type[CountModel]] = {model.family: model for model in (MultinomialNB, ComplementNB, BernoulliNB)}


def count_model(model: str, *, norm: bool = False, **parameters: Any) -> CountModel:
    """The estimator of the family of that name; `norm` for one that has it."""
    if family(model).name not in _MODELS:
        raise ValueError(
            f"a {model} model has no estimator on counts of its own: it is one of text. Use TextClassifier"
        )
    home = _MODELS[model]
    return home(**parameters, **({"norm": norm} if "norm" in home().get_params() else {}))


def canonical(X: Any) -> SparseRows:
    """Sparse rows, int64 or float64, that store a column once and no zeros."""
    rows = scipy.sparse.csr_array(X, copy=is_sparse(X))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    kind = np.float64 if np.issubdtype(rows.dtype, np.floating) else np.int64
    return SparseRows(rows.indptr, rows.indices, rows.data.astype(kind, copy=False), rows.shape[1])
