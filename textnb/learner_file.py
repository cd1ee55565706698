"""A learner as a model file: all its counts beside the rule derived from them, checked on the way in. numpy alone.

Totals are stored sparsely, since most terms occur in few classes: in the order of the terms, `totals_lengths` of each
are in `totals`, and their classes in `totals_classes`. Integers take 32 bits where the largest of an array allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from textnb.learner import MODELS, Derived, Learner, Recipe
from textnb.model_file import TERM_ARRAYS, analyzer_of, checked_settings, plain_labels, rule_arrays
from textnb.statistics.ledger import Ledger, ledger_arrays, ledger_of
from textnb.statistics.text_counts import TextCounts
from textnb.storage import ModelFile
from textnb.text.analyzer import Analyzer
from textnb.text.frozen import Reference
from textnb.text.learning import Limits
from textnb.text.rows import Array
from textnb.text.sorted_terms import SortedTerms
from textnb.text.term_index import check_term_arrays

CARRIED = ("parameters", "chosen", "calibration", "policy")
"""Settings that stay as they are while a model learns and forgets: what it was fitted with, and what fit chose."""


def carried(file: ModelFile) -> dict[str, Any]:
    """Those settings of a file."""
    return {name: file.settings[name] for name in CARRIED if name in file.settings}


def chosen_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What fit chose for the parameters that are "auto"; a ValueError for anything else."""
    parameters, chosen = settings["parameters"], settings.get("chosen", {})
    if not isinstance(chosen, dict) or any(parameters.get(name) != "auto" for name in chosen):
        raise ValueError(f"chosen has values for what was not to be chosen: {chosen!r:.60}")
    return dict(chosen)


def learner_content(
    learner: Learner, derived: Derived, fitted: Mapping[str, Any]
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a model file, with what it was `fitted` with: the same counts give the same ones."""
    recipe, counts, reference = learner.recipe, learner.counts, learner.reference
    settings = {
        "analyzer": recipe.analyzer.to_settings(),
        "classes": plain_labels(counts.classes),
        "prior_in_joint": derived.prior_in_joint,
        "unknown": "token" if recipe.unknown else "ignore",
        "weights": recipe.weighting,
        **fitted,
        "n_documents": counts.n_documents,
        "pruned": learner.pruned,
        "reference": None if reference is None else [reference.n_documents, reference.unknown_frequency],
        "vocabulary": "fixed" if counts.fixed else "growing",
    }
    arrays: dict[str, Array] = {**counts.terms.arrays}
    arrays |= rule_arrays(derived.rule, derived.log_prior, derived.idf)
    arrays |= _sparse(counts.totals)
    arrays |= {"documents": counts.documents, "outside": counts.outside}
    arrays |= {"document_frequency": _narrow(counts.document_frequency), "occurrences": _narrow(counts.occurrences)}
    if reference is not None:
        arrays["frozen"] = _narrow(counts.frozen)
    if learner.ledger is not None:
        arrays |= ledger_arrays(learner.ledger.among(counts.classes))
    if not derived.keep.all():
        arrays["columns"] = np.where(derived.keep, np.cumsum(derived.keep) - 1, -1).astype(np.int32)
    return arrays, settings


def has_counts(file: ModelFile) -> bool:
    """Whether a file has all its counts: those of format 1 have not, and can only predict."""
    return "totals_lengths" in file.names


def learner_of(file: ModelFile, *, sorted_terms: bool = True) -> Learner:
    """The learner of an open model file, of which everything is checked.

    That the terms are sorted is left out where every millisecond counts: a file in disorder learns in disorder, and
    does no other harm.
    """
    if not has_counts(file):
        raise ValueError(f"{file.path!r} was saved by an older textnb, without all its counts: train the model again")
    settings = checked_settings(file)
    classes = np.array(settings["classes"])
    terms = {name: file.array(name) for name in TERM_ARRAYS}
    try:
        check_term_arrays(**terms, in_order=sorted_terms)
    except ValueError as error:
        raise file.damaged(str(error).rstrip(".")) from None
    counts = _counts(file, SortedTerms(arrays=terms), classes)
    try:
        recipe = recipe_of(analyzer_of(file, settings["analyzer"]), settings["parameters"] | chosen_of(settings))
        _check_recipe(recipe, settings)
        reference = _reference(settings["reference"], counts.frozen)
        if not (reference is not None) == recipe.needs_reference == ("frozen" in file.names):
            raise ValueError("what its terms are weighed by is missing, or there is no need of it")
    except (KeyError, TypeError, ValueError) as error:
        raise file.damaged(f"its parameters cannot be understood ({error})") from None
    return Learner(recipe, counts, reference=reference, ledger=_ledger(file, counts), pruned=settings["pruned"])


def _check_recipe(recipe: Recipe, settings: Mapping[str, Any]) -> None:
    """What only a forged file has wrong, and what would do harm later."""
    prior = recipe.class_prior
    checks = {
        "model": recipe.model in MODELS,
        "weights": recipe.weighting == settings["weights"],
        "unknown": recipe.unknown == (settings["unknown"] == "token"),
        "alpha": isinstance(recipe.alpha, int | float),
        "fit_prior": isinstance(recipe.fit_prior, bool),
        "norm": isinstance(recipe.norm, bool),
        "class_prior": prior is None or (isinstance(prior, list) and all(isinstance(p, int | float) for p in prior)),
        "n_jobs": recipe.n_jobs is None or isinstance(recipe.n_jobs, int),
        "pruned": isinstance(settings["pruned"], bool),
    }
    for name, right in checks.items():
        if not right:
            raise ValueError(f"{name} is wrong")


def _reference(setting: Any, frozen: Array) -> Reference | None:
    if setting is None:
        return None
    reference = Reference(*map(_whole, setting))
    if max(int((frozen >> 2).max(initial=0)), reference.unknown_frequency) > reference.n_documents:
        raise ValueError("a term was in more documents than there were")
    return reference


def _ledger(file: ModelFile, counts: TextCounts) -> Ledger | None:
    if "ledger" not in file.names and "ledger_counts" not in file.names:
        return None
    keys, times = file.array("ledger"), file.array("ledger_counts")
    try:
        ledger = ledger_of(keys, times, counts.classes)
    except ValueError as error:
        raise file.damaged(str(error)) from None
    if len(ledger) != counts.n_documents:
        raise file.damaged("its ledger has more or fewer documents than the model")
    return ledger


def recipe_of(analyzer: Analyzer, parameters: Mapping[str, Any]) -> Recipe:
    """How a model is made, from an analyzer and the parameters of a classifier."""
    return Recipe(
        analyzer=analyzer,
        model=parameters["model"],
        weights=parameters["weights"],
        unknown=parameters["unknown"] == "token",
        limits=Limits(parameters["min_df"], parameters["max_df"], parameters["max_features"]),
        alpha=parameters["alpha"],
        fit_prior=parameters["fit_prior"],
        class_prior=parameters["class_prior"],
        norm=parameters["norm"],
        n_jobs=parameters["n_jobs"],
    )


def _narrow(integers: Array) -> Array:
    """In 32 bits if the largest has room there."""
    if np.issubdtype(integers.dtype, np.integer) and integers.max(initial=0) <= np.iinfo(np.int32).max:
        return integers.astype(np.int32)
    return integers


def _sparse(totals: Array) -> dict[str, Array]:
    flat = np.ascontiguousarray(totals).ravel()
    places = np.flatnonzero(flat)
    return {
        "totals": _narrow(flat[places]),
        "totals_classes": (places % max(totals.shape[1], 1)).astype(np.int32),
        "totals_lengths": np.count_nonzero(totals, axis=1).astype(np.int32),
    }


def _counts(file: ModelFile, terms: SortedTerms, classes: Array) -> TextCounts:
    size, n_classes = (len(terms),), (len(classes),)
    vocabulary, n_documents = file.settings.get("vocabulary"), file.settings.get("n_documents")
    if vocabulary not in ("fixed", "growing") or type(n_documents) is not int or not 0 <= n_documents < 2**62:
        raise file.damaged("its settings of what was counted are missing or wrong")
    return TextCounts(
        classes,
        _counted(file, "documents", n_classes, "if"),
        n_documents,
        terms,
        _dense(file, len(terms), len(classes)),
        _counted(file, "document_frequency", size),
        _counted(file, "occurrences", size),
        _counted(file, "outside", n_classes, "if"),
        _counted(file, "frozen", size) if "frozen" in file.names else np.zeros(size, dtype=np.int64),
        fixed=vocabulary == "fixed",
    )


def _counted(file: ModelFile, name: str, shape: tuple[int, ...], kinds: str = "i") -> Array:
    """Counts of the right form, in 64 bits; of integers, or where documents have weights, perhaps of floats."""
    array = file.array(name)
    if array.dtype.kind not in kinds or array.shape != shape:
        raise file.damaged(f"array {name!r} is {array.dtype} of shape {array.shape}, not counts of shape {shape}")
    if array.size and not (array.min() >= 0 and array.max() < np.inf):  # NaN is neither
        raise file.damaged(f"array {name!r} has negative or infinite counts")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=False)


def _dense(file: ModelFile, n_terms: int, n_classes: int) -> Array:
    lengths = _counted(file, "totals_lengths", (n_terms,))
    n = int(lengths.sum())
    values, columns = _counted(file, "totals", (n,), "if"), _counted(file, "totals_classes", (n,))
    if lengths.max(initial=0) > n_classes or columns.max(initial=0) >= n_classes:
        raise file.damaged("it has totals of classes that are not there")
    totals = np.zeros((n_terms, n_classes), dtype=values.dtype)
    totals.ravel()[np.repeat(np.arange(n_terms) * n_classes, lengths) + columns] = values
    if np.count_nonzero(totals) != n:
        raise file.damaged("it has a total twice, or one of 0")
    return totals


def _whole(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**62:
        raise ValueError(f"{number!r:.60} is no number of documents")
    return number
