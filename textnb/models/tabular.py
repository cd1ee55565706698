"""Naive Bayes on tables: Gaussian columns and categorical ones, with scikit-learn's parameters and more."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from textnb.likelihood.categorical import categorical_log_probability, categorical_rule, m_estimate
from textnb.likelihood.gaussian import gaussian_parameters, gaussian_rule
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.sampling import draw_categories, draw_normal
from textnb.likelihood.smoothing import check_alpha
from textnb.models.base import AdditiveNB
from textnb.models.columns import as_numbers, as_table, bin_edges, in_bins, is_missing
from textnb.statistics.categories import (
    MISSING,
    UNKNOWN,
    CategoryCounts,
    Encoded,
    as_objects,
    count_categories,
    encode_values,
    positions,
)
from textnb.statistics.moments import ClassMoments, measure_classes
from textnb.text.rows import Array
from textnb.text.sklearn_compat import from_csr, is_sparse

_MOST_CODES = 1 << 24  # categories that codes from 0 on may imply: beyond that they are names, not codes


class GaussianNB(AdditiveNB):
    """Naive Bayes for numbers that are normally distributed in each class.

    Parameters and attributes are those of scikit-learn's class of that name. Fitting in batches gives what fitting at
    once gives, since the variance floor ``epsilon_`` is derived from all rows seen and never kept with them; sparse
    input is allowed.

    Parameters
    ----------
    priors : array of shape (n_classes,), optional
        Probabilities of the classes; learned if not given.
    var_smoothing : float, default=1e-9
        Share of the largest variance of any column that is added to every variance.
    ddof : float, default=0
        Variances are sums of squares over n − ddof: 1 gives the unbiased estimate.
    missing : {"error", "ignore"}, default="error"
        Whether NaN is refused, or leaves out its own column in its own row.

    Examples
    --------
    >>> from textnb import GaussianNB
    >>> model = GaussianNB(ddof=1).fit([[1.0], [2.0], [3.0], [7.0], [9.0]], ["low", "low", "low", "high", "high"])
    >>> model.theta_.ravel(), model.var_.ravel().round(6)
    (array([8., 2.]), array([2., 1.]))
    >>> model.predict([[2.5], [6.5]])
    array(['low', 'high'], dtype='<U4')
    """

    statistics_: ClassMoments

    def __init__(
        self, *, priors: Any = None, var_smoothing: float = 1e-9, ddof: float = 0, missing: str = "error"
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof
        self.missing = missing

    def set_statistics(self, statistics: ClassMoments) -> Self:
        """Derive the model from moments, however they came about."""
        for name in ("var_smoothing", "ddof"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be 0 or more and finite, got {getattr(self, name)}.")
        log_prior = class_log_prior(statistics.weight, given=self.priors)
        check_sum_of_priors(self.priors)
        mean, variance, floor = gaussian_parameters(statistics, self.var_smoothing, self.ddof)
        self.n_features_in_ = mean.shape[1]
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.class_log_prior_ = log_prior
        self.theta_, self.var_, self.epsilon_ = mean, variance, floor
        self.rule_ = gaussian_rule(mean, variance)
        return self

    @property
    def class_count_(self) -> Array:
        """Rows of each class, weighted, (n_classes,)."""
        return self.statistics_.weight

    @property
    def class_prior_(self) -> Array:
        """P(c), (n_classes,)."""
        return np.exp(self.class_log_prior_)

    def _count(self, X: Any, class_ids: Array, classes: Array, weights: Array | None) -> ClassMoments:
        return measure_classes(X, class_ids, classes, weights)

    def _sample_given(self, class_ids: Array, rng: Any) -> Array:
        return draw_normal(self.theta_, self.var_, class_ids, rng)

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **self._accepted(X))

    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, reset=reset, **self._accepted(X))
        check_classification_targets(y)
        return (from_csr(X) if is_sparse(X) else X), y

    def _accepted(self, X: Any) -> dict[str, Any]:
        """What `validate_data` lets through; zeros are values, so a sparse matrix has none missing."""
        ignore = ignores_missing(self.missing) and not is_sparse(X)
        return {"accept_sparse": "csr", "ensure_all_finite": "allow-nan" if ignore else True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "ignore"
        return tags


class CategoricalNB(AdditiveNB):
    """Naive Bayes for columns of categories.

    A column of numbers holds codes 0 … n − 1, as scikit-learn's class of that name has them; any other column, such
    as one of strings, holds the categories themselves. Attributes are scikit-learn's, and ``categories_``.

    Parameters
    ----------
    alpha : float or array of shape (n_features,), default=1.0
        Added to every count: Laplace's smoothing, or Lidstone's below 1. 0 gives exact zeros.
    force_alpha : bool, default=True
        If not, an alpha below 1e-10 is raised to that.
    fit_prior : bool, default=True
        Whether class priors are learned; otherwise they are uniform.
    class_prior : array of shape (n_classes,), optional
        Probabilities of the classes.
    min_categories : int or array of shape (n_features,), optional
        The least number of categories of columns of codes.
    categories : list, optional
        For every column a list of all its categories, or None. Without it they are those seen in fitting.
    unknown : {"error", "smooth"}, default="error"
        What a category that was not seen or announced is in prediction: an error, or one more category of every
        column with a count of 0 and its smoothed share.
    m, p : float; float or list, optional
        The m-estimate (n_c + m p) / (n + m) in place of alpha. p is uniform, or a number, or a list that has for every
        column a number or one a category, in the order of ``categories_``.
    bins : int, optional
        Columns of numbers are histograms of that many bins, laid out by the first data seen.
    binning : {"width", "quantile"}, default="width"
        Bins of equal width, or with equal shares of the data.
    missing : {"error", "ignore"}, default="error"
        Whether None and NaN are refused, or leave out their own column in their own row.

    Examples
    --------
    >>> from textnb import CategoricalNB
    >>> X = [["sunny", "working"], ["sunny", "working"], ["rainy", "broken"], ["sunny", "broken"]]
    >>> model = CategoricalNB(unknown="smooth").fit(X, ["out", "out", "home", "home"])
    >>> model.predict([["rainy", "broken"], ["sunny", "stolen"]])
    array(['home', 'out'], dtype='<U4')
    >>> [categories.tolist() for categories in model.categories_]
    [['rainy', 'sunny'], ['broken', 'working']]
    """

    statistics_: CategoryCounts

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        categories: Any = None,
        unknown: str = "error",
        m: float | None = None,
        p: Any = None,
        bins: int | None = None,
        binning: str = "width",
        missing: str = "error",
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.categories = categories
        self.unknown = unknown
        self.m = m
        self.p = p
        self.bins = bins
        self.binning = binning
        self.missing = missing

    def set_statistics(self, statistics: CategoryCounts) -> Self:
        """Derive the model from counts, however they came about."""
        if self.unknown not in ("error", "smooth"):
            raise ValueError(f"unknown must be 'error' or 'smooth', got {self.unknown!r}.")
        n_features = len(statistics.categories)
        smallest = self._smallest_numbers(n_features)
        categories = [
            np.arange(max(len(seen), n)) if _are_codes(seen) else seen
            for seen, n in zip(statistics.categories, smallest, strict=True)
        ]
        log_prior = class_log_prior(statistics.documents, learned=self.fit_prior, given=self.class_prior)
        tables = statistics.aligned(statistics.classes, tuple(categories)).tables
        if self.unknown == "smooth":
            tables = tuple(np.pad(table, ((0, 0), (0, 1))) for table in tables)
        pseudo_counts = self._pseudo_counts([table.shape[1] for table in tables])
        self.feature_log_prob_ = [
            categorical_log_probability(table, a) for table, a in zip(tables, pseudo_counts, strict=True)
        ]
        self.rule_ = categorical_rule(self.feature_log_prob_)
        self.n_features_in_ = n_features
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.class_log_prior_ = log_prior
        self.categories_ = categories
        if not hasattr(self, "bin_edges_"):  # counted elsewhere, so not in bins of ours
            self.bin_edges_: list[Array | None] = [None] * n_features
        return self

    @property
    def class_count_(self) -> Array:
        """Rows of each class, weighted, (n_classes,)."""
        return self.statistics_.documents.astype(np.float64)

    @property
    def category_count_(self) -> list[Array]:
        """For every column, how often each category occurred in each class, (n_classes, n_categories)."""
        aligned = self.statistics_.aligned(self.classes_, tuple(self.categories_))
        return [table.astype(np.float64) for table in aligned.tables]

    @property
    def n_categories_(self) -> Array:
        """The number of categories of every column, (n_features,)."""
        return np.array([len(categories) for categories in self.categories_])

    def _count(self, X: list[Encoded], class_ids: Array, classes: Array, weights: Array | None) -> CategoryCounts:
        return count_categories(X, class_ids, classes, weights)

    def _validate(self, X: Any) -> Array:
        """The codes of X, (n, p)."""
        check_is_fitted(self)
        X = validate_data(self, as_table(X), reset=False, **self._accepted())
        return np.array([self._known_codes(j, *self._column(X, j)) for j in range(X.shape[1])]).T

    def _known_codes(self, j: int, values: Array, missing: Array) -> Array:
        """A column as positions in `categories_`, and the next one for any other category."""
        categories = self.categories_[j]
        if _are_codes(categories):
            codes = self._codes(values, missing, j)
            strange = codes >= len(categories)
        else:
            codes = positions(values, missing, categories)
            strange = codes == UNKNOWN
        if not strange.any():
            return codes
        if self.unknown == "error":
            raise ValueError(
                f"{self._name(j)} has the category {values[strange].tolist()[0]!r}, which was not seen in fitting. "
                "Announce it with categories= or min_categories=, or use unknown='smooth'."
            )
        return np.where(strange, len(categories), codes)

    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[list[Encoded], Array]:
        X, y = validate_data(self, as_table(X), y, reset=reset, **self._accepted())
        check_classification_targets(y)
        columns = [self._column(X, j) for j in range(X.shape[1])]
        if reset:
            self.bin_edges_ = [self._edges(*column) for column in columns]
        if self.categories is not None and len(self.categories) != len(columns):
            raise ValueError(f"categories has {len(self.categories)} lists for {len(columns)} columns")
        return [self._encode(j, *column) for j, column in enumerate(columns)], y

    def _accepted(self) -> dict[str, Any]:
        return {"dtype": None, "ensure_all_finite": "allow-nan" if ignores_missing(self.missing) else True}

    def _column(self, X: Array, j: int) -> tuple[Array, Array]:
        """The values of a column, and where they are missing."""
        missing = is_missing(X[:, j])
        if missing.any() and self.missing == "error":
            raise ValueError(
                f"Input X contains NaN or None in {self._name(j)}. Use missing='ignore' to leave them out."
            )
        return X[:, j], missing

    def _encode(self, j: int, values: Array, missing: Array) -> Encoded:
        announced = None if self.categories is None else self.categories[j]
        if announced is not None:
            categories = as_objects(sorted(set(announced)))
            codes = positions(values, missing, categories)
            strange = values[codes == UNKNOWN].tolist()
            if strange:
                raise ValueError(f"{self._name(j)} has the category {strange[0]!r}, which was not announced")
            return Encoded(categories, codes)
        # A column of objects in which nothing is given may hold names later; of numbers, only codes.
        if as_numbers(values, missing) is None or (values.dtype == object and missing.all()):
            return encode_values(values, missing, self._name(j))
        codes = self._codes(values, missing, j)
        edges = self.bin_edges_[j]
        n_categories = int(codes.max(initial=-1)) + 1 if edges is None else max(1, len(edges) - 1)
        if n_categories > _MOST_CODES:
            raise ValueError(
                f"{self._name(j)} has codes of {_MOST_CODES} and more. Codes count from 0: announce the column's "
                "categories, or pass them as strings."
            )
        return Encoded(np.arange(n_categories), codes)

    def _codes(self, values: Array, missing: Array, j: int) -> Array:
        """Numbers as codes: whole ones from 0 on, or the bins they lie in."""
        numbers = as_numbers(values, missing)
        if numbers is None:
            raise ValueError(f"{self._name(j)} held numbers in fitting, and now holds {values[~missing].tolist()[0]!r}")
        edges = self.bin_edges_[j]
        if edges is None and numbers.min(initial=0) < 0:
            raise ValueError("Negative values in data passed to CategoricalNB (input X)")
        codes = np.minimum(numbers, _MOST_CODES).astype(np.int64) if edges is None else in_bins(numbers, edges)
        codes[missing] = MISSING
        return codes

    def _edges(self, values: Array, missing: Array) -> Array | None:
        """The bins of a column of numbers, if it is to have any."""
        if self.bins is None:
            return None
        if self.bins < 1 or self.binning not in ("width", "quantile"):
            raise ValueError(
                f"bins must be 1 or more and binning 'width' or 'quantile', got {self.bins} and {self.binning!r}."
            )
        numbers = as_numbers(values, missing)
        return None if numbers is None or missing.all() else bin_edges(numbers[~missing], self.bins, self.binning)

    def _smallest_numbers(self, n_features: int) -> Array:
        """min_categories of every column."""
        if self.min_categories is None:
            return np.zeros(n_features, dtype=np.int64)
        smallest = np.asarray(self.min_categories)
        if not np.issubdtype(smallest.dtype, np.signedinteger):
            raise ValueError(f"'min_categories' should have integral type. Got {smallest.dtype} instead.")
        if smallest.shape not in ((), (n_features,)):
            raise ValueError(
                f"'min_categories' should have shape ({n_features},) when an array-like is provided. "
                f"Got {smallest.shape} instead."
            )
        return np.broadcast_to(smallest, (n_features,))

    def _pseudo_counts(self, numbers: list[int]) -> list[Array]:
        """What smoothing adds to the counts of the categories of every column."""
        if self.m is None:
            if self.p is not None:
                raise ValueError("p is the prior of an m-estimate: pass m as well")
            alpha = check_alpha(self.alpha, len(numbers), self.force_alpha)
            return [np.full(n, a) for n, a in zip(numbers, np.broadcast_to(alpha, (len(numbers),)), strict=True)]
        if not 0 <= self.m < np.inf:
            raise ValueError(f"m must be 0 or more and finite, got {self.m}.")
        shares = list(self.p) if isinstance(self.p, list | tuple) else [self.p] * len(numbers)
        if len(shares) != len(numbers):
            raise ValueError(f"p has {len(shares)} entries for {len(numbers)} columns")
        smooth = self.unknown == "smooth"
        return [
            m_estimate(self.m, p, n, smooth, self._name(j))
            for j, (p, n) in enumerate(zip(shares, numbers, strict=True))
        ]

    def _sample_given(self, class_ids: Array, rng: Any) -> Array:
        columns = []
        for categories, edges, table in zip(self.categories_, self.bin_edges_, self.feature_log_prob_, strict=True):
            drawn = draw_categories(table[:, : len(categories)], class_ids, rng)
            if edges is not None and len(edges) > 1:
                columns.append(rng.uniform(edges[drawn], edges[drawn + 1]))
            else:
                columns.append(categories[drawn] if edges is None else edges[drawn])
        return np.column_stack(columns)

    def _name(self, j: int) -> str:
        """A column as errors name it."""
        names = getattr(self, "feature_names_in_", None)
        return f"column {j}" if names is None else f"column {names[j]!r}"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = self.missing == "ignore"
        return tags


def _are_codes(categories: Array) -> bool:
    """Codes from 0 on, as against categories by name or announced."""
    return categories.dtype.kind == "i"


def ignores_missing(missing: str) -> bool:
    if missing not in ("error", "ignore"):
        raise ValueError(f"missing must be 'error' or 'ignore', got {missing!r}.")
    return missing == "ignore"


def check_sum_of_priors(priors: Any) -> None:
    """scikit-learn's Gaussian model asks for priors that add up to one, unlike its discrete models."""
    if priors is not None and not np.isclose(np.sum(priors), 1.0):
        raise ValueError(f"The sum of the priors should be 1, got {np.sum(priors):g}.")


__all__ = ["CategoricalNB", "GaussianNB"]
