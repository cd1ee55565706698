"""Naive Bayes on columns of categories, with scikit-learn's parameters and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from textnb.arrays import Array
from textnb.estimators.base import AdditiveNB
from textnb.estimators.columns import as_numbers, as_table, bin_edges, ignores_missing, in_bins, is_missing
from textnb.likelihood.categorical import categorical_log_probability, categorical_rule, categorical_without, m_estimate
from textnb.likelihood.groups import Groups
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.sampling import draw_categories
from textnb.likelihood.smoothing import check_alpha
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

_MOST_CODES = 1 << 24  # categories that codes from 0 on may imply: beyond that they are names, not codes


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
        column a number or one per category, in the order of ``categories_``.
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

    def _prior(self) -> dict[str, Any]:
        return {"learned": self.fit_prior, "given": self.class_prior}

    def _derive(self, statistics: CategoryCounts) -> None:
        if self.unknown not in ("error", "smooth"):
            raise ValueError(f"unknown must be 'error' or 'smooth', got {self.unknown!r}.")
        n_features = len(statistics.categories)
        smallest = self._smallest_numbers(n_features)
        categories = [
            np.arange(max(len(seen), n)) if _are_codes(seen) else seen
            for seen, n in zip(statistics.categories, smallest, strict=True)
        ]
        self.class_log_prior_ = class_log_prior(statistics.documents, **self._prior())
        tables, pseudo_counts = self._smoothing(statistics.aligned(statistics.classes, tuple(categories)).tables)
        self.feature_log_prob_ = list(map(categorical_log_probability, tables, pseudo_counts))
        self.rule_ = categorical_rule(self.feature_log_prob_)
        self.n_features_in_ = n_features
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.categories_ = categories
        if not hasattr(self, "bin_edges_"):  # counted elsewhere, so not in bins of ours
            self.bin_edges_: list[Array | None] = [None] * n_features

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

    def _log_likelihood_without(self, X: Any, groups: Groups) -> Array:
        tables, pseudo_counts = self._smoothing([table.astype(np.int64) for table in self.category_count_])
        return categorical_without(self._validate(X), groups, tables, pseudo_counts)

    def _smoothing(self, tables: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """The tables, with one more category where unknown ones are smoothed, and what is added to their counts."""
        extra = int(self.unknown == "smooth")
        padded = [np.pad(table, ((0, 0), (0, extra))) for table in tables]
        return padded, self._pseudo_counts([table.shape[1] for table in padded])

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
