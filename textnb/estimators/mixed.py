"""Naive Bayes on mixed data: text, categories and numbers in one model, whose log-likelihoods add up."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from textnb.arrays import Array
from textnb.estimators.base import NaiveBayes, check_weights, unchanged_on_error
from textnb.estimators.columns import Columns, as_table
from textnb.estimators.gaussian import check_sum_of_priors
from textnb.estimators.mixed_evidence import row_evidence, with_texts
from textnb.estimators.parts import Part, automatic_parts, checked_parts
from textnb.likelihood.groups import Groups
from textnb.likelihood.prior import class_log_prior
from textnb.model.decision import log_posterior, most_probable
from textnb.model.explanation import Explanation, explanation
from textnb.model.prior import log_ratios, shares_of
from textnb.statistics.categories import as_objects
from textnb.statistics.counts import check_labels


class MixedNB(NaiveBayes):
    """Naive Bayes on parts of a table that each have a model of their own: text, categories, numbers.

    Given the class the parts are independent, so their log-likelihoods add; the prior is counted once. A missing value
    (None, NaN) leaves its own feature out, in fitting and in predicting: of a text, and of a pipeline in general, the
    whole part.

    Parameters
    ----------
    parts : "auto" or list of (name, estimator, columns), default="auto"
        Each estimator is a GaussianNB, CategoricalNB, BernoulliNB or MultinomialNB, or a pipeline that ends in one,
        such as ``make_pipeline(CountVectorizer(), MultinomialNB())`` for a column of text. Columns are a name or
        position, or a list, slice or mask of them; a pipeline gets a single one as a list of its values. "auto" models
        columns of zeros and ones by BernoulliNB, other numbers by GaussianNB, and all else by CategoricalNB.
    priors : array of shape (n_classes,), optional
        Probabilities of the classes; learned if not given.
    weights : dict, optional
        What the log-likelihoods of parts are multiplied by, by name; 1 if not given.

    Attributes
    ----------
    named_parts_ : dict
        The fitted estimators by name. A BernoulliNB of several columns becomes one per column, named like ``flags[3]``.

    Examples
    --------
    >>> from textnb import CategoricalNB, GaussianNB, MixedNB
    >>> X = [["yes", 2000.0], ["yes", 1900.0], ["no", 300.0], ["no", None], [None, 500.0]]
    >>> parts = [("student", CategoricalNB(), 0), ("balance", GaussianNB(), 1)]
    >>> model = MixedNB(parts).fit(X, ["default", "default", "paid", "paid", "paid"])
    >>> model.predict([["no", 1950.0], [None, 450.0]])
    array(['default', 'paid'], dtype='<U7')
    >>> model.set_params(balance__ddof=1).parts[1][1]
    GaussianNB(ddof=1)
    """

    def __init__(self, parts: Any = "auto", *, priors: Any = None, weights: dict[str, float] | None = None) -> None:
        self.parts = parts
        self.priors = priors
        self.weights = weights

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every part on its columns."""
        with unchanged_on_error(self):
            table, y = self._validate_training(X, y)
            weights = check_weights(sample_weight, len(y))
            classes, class_ids = np.unique(y, return_inverse=True)
            rows = np.bincount(class_ids, weights=weights, minlength=len(classes))
            self.class_log_prior_ = class_log_prior(rows, **self._prior())
            check_sum_of_priors(self.priors)
            self.classes_ = classes
            self._parts = [part.fit(table, y, classes, weights) for part in self._new_parts(table)]
        return self

    def _new_parts(self, table: Columns) -> list[Part]:
        factors = dict(self.weights or {})
        parts = []
        for name, estimator, columns in automatic_parts(table) if self._automatic else checked_parts(self.parts):
            alone = bool(np.isscalar(columns))
            part = Part(name, clone(estimator), table.positions(columns), alone, factors.pop(name, 1))
            parts.extend(part.split(table.names))
        if factors:
            raise ValueError(f"weights are given for {sorted(factors)}, which are no parts")
        return parts

    @property
    def named_parts_(self) -> dict[str, Any]:
        """The fitted estimators by name."""
        return {part.name: part.estimator for part in self._parts}

    def _validate(self, X: Any) -> Columns:
        check_is_fitted(self)
        return self._columns(X, reset=False)

    def _validate_training(self, X: Any, y: Any) -> tuple[Columns, Array]:
        if y is None:
            validate_data(self, X, y)  # says in scikit-learn's words that labels are needed
        check_labels(y)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        table = self._columns(X, reset=True)
        check_consistent_length(table, y)
        return table, y

    def _columns(self, X: Any, reset: bool) -> Columns:
        """X by columns. A data frame keeps the types of its columns."""
        frame = hasattr(X, "iloc") and len(X) > 0
        if frame:
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            X = validate_data(self, as_table(X), reset=reset, dtype=None, ensure_all_finite="allow-nan")
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1])).tolist()
        return Columns.of_frame(X, names) if frame else Columns(list(X.T), names)

    def _log_likelihood(self, X: Columns, groups: Groups | None = None) -> Array:
        scores = np.zeros((len(X), len(self.classes_)))
        for part in self._parts:
            part.add_log_likelihood(X, scores, groups)
        return scores

    def _log_likelihood_without(self, X: Any, groups: Groups) -> Array:
        return self._log_likelihood(self._validate(X), groups)

    def sample(self, n: int, random_state: Any = None, *, length: Any = None) -> tuple[Any, Array]:
        """n rows that the model could have produced, and their classes: (X, y).

        Texts are of `length` words (a number, or one per row), in the order of the vocabulary: a model of counts knows
        no other. Columns of no part are None. X is a data frame if the model was fitted on one.
        """
        class_ids, rng = self._sample_classes(n, random_state)
        columns: list[Any] = [[None] * n for _ in range(self.n_features_in_)]
        for part in self._parts:
            for j, values in zip(part.columns, part.sample(class_ids, rng, length), strict=True):
                columns[j] = values
        if hasattr(self, "feature_names_in_"):
            import pandas  # type: ignore[import-untyped]

            return pandas.DataFrame(dict(zip(self.feature_names_in_, columns, strict=True))), self.classes_[class_ids]
        return np.column_stack([as_objects(list(values)) for values in columns]), self.classes_[class_ids]

    def with_prior(self, prior: Mapping[Any, float] | None) -> Self:
        """This model where rows come from another mix of classes than it was trained on: a copy with that as its prior.

        Parameters
        ----------
        prior : dict of every class to its share, or None
            Shares add up to 1. None gives the model as it is.
        """
        check_is_fitted(self)
        if prior is None:
            return self
        labels, learned = self.classes_.tolist(), np.exp(self.class_log_prior_).tolist()
        shares = shares_of(prior, labels)
        log_ratios(shares, learned, labels)  # which refuses what cannot be corrected
        shifted = copy(self)
        with np.errstate(divide="ignore"):
            shifted.class_log_prior_ = np.log(shares)
        return shifted

    def explain(self, row: Any, against: Any = None, *, label: Any = None) -> Explanation:
        """Why a row is of its class: what every word and value, and the prior, add to the log-odds against another.

        A column of text adds what its terms add, any other column with a value one row of the explanation, such as
        ``links=5``, and a pipeline that textnb does not know one per feature that it makes.

        Parameters
        ----------
        row : list, dict by the names of columns, or data frame or series of one row
        against : class, optional
            The other class; by default the likeliest one.
        label : class, optional
            The class to explain; by default that of `predict`.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from textnb import CountVectorizer, GaussianNB, MixedNB, MultinomialNB
        >>> X = [["cheap pills", 9.0], ["lunch at noon?", 0.0], ["cheap flights", 4.0], ["the minutes", 1.0]]
        >>> parts = [("body", make_pipeline(CountVectorizer(), MultinomialNB()), 0), ("links", GaussianNB(), 1)]
        >>> why = MixedNB(parts).fit(X, ["spam", "ham", "spam", "ham"]).explain(["Cheap lunch", 2.0])
        >>> why.label, why.against, round(why.log_odds, 2)
        ('spam', 'ham', 1.84)
        >>> [(row.term, row.source, round(row.contribution, 2), row.spans) for row in why.rows[:3]]
        [('links=2', 'links', 1.27, ()), ('cheap', 'body', 1.18, ((0, 5),)), ('lunch', 'body', -0.61, ((6, 11),))]
        """
        table = self._one_row(row)
        names = getattr(self, "feature_names_in_", None)
        evidence, texts = row_evidence(self._parts, table, None if names is None else list(map(str, names)))
        joint, log_prior = self._joint(table), self.class_log_prior_
        return explanation(
            evidence,
            self.classes_.tolist(),
            joint[0],
            log_prior,
            lambda: log_posterior(joint, log_prior)[0],
            lambda others: most_probable(self._joint(with_texts(table, texts, others)), log_prior),
            adds_prior=True,
            label=label,
            against=against,
        )

    def _one_row(self, row: Any) -> Columns:
        """A table of one row, however that is given."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_)).tolist()
        if hasattr(row, "iloc"):
            frame = row.to_frame().T.infer_objects() if row.ndim == 1 else row
            if len(frame) != 1:
                raise ValueError(f"one row is explained at a time, and there are {len(frame)}")
            return self._validate(frame)
        if isinstance(row, Mapping):
            if set(row) != set(names):
                raise ValueError(f"the columns of the model are {names}, and those of the row {list(row)}")
            row = [row[name] for name in names]
        values = as_table([row] if isinstance(row, list | tuple) else np.asarray(row)[np.newaxis])
        if values.shape != (1, len(names)):
            raise ValueError(f"a row has a value for each of {len(names)} columns, and this one is {row!r:.200}")
        assert_all_finite(values, allow_nan=True, input_name="X")
        return Columns(list(values.T), names)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of parts are named like ``numbers__ddof``."""
        found: dict[str, Any] = super().get_params(deep=False)
        for name, estimator in self._named_estimators() if deep else []:
            found[name] = estimator
            found |= {f"{name}__{key}": value for key, value in estimator.get_params(deep=True).items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a part's name replaces its estimator, ``numbers__ddof`` a parameter of it."""
        if "parts" in params:
            self.parts = params.pop("parts")
        replaced = {name: params.pop(name) for name, _ in self._named_estimators() if name in params}
        if replaced:
            self.parts = [(name, replaced.get(name, part), columns) for name, part, columns in self.parts]
        super().set_params(**params)
        return self

    @property
    def _automatic(self) -> bool:
        return isinstance(self.parts, str) and self.parts == "auto"

    def _named_estimators(self) -> list[tuple[str, Any]]:
        """Names and estimators of the parts; whether they make sense is for `fit` to say."""
        if not isinstance(self.parts, list | tuple):
            return []
        triples = (part for part in self.parts if isinstance(part, list | tuple) and len(part) == 3)
        return [(name, estimator) for name, estimator, _ in triples if hasattr(estimator, "get_params")]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
