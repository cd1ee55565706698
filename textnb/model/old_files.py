"""Text models of formats 1 and 2: their settings in today's form, and prediction by the weights that they store.

Format 2 has all counts, and its files are read as those of format 3. Format 1 has only those of the features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array, Table
from textnb.likelihood.families import family
from textnb.likelihood.rules import Impossible, LinearRule
from textnb.model.predictor import Predictor
from textnb.model.settings import Settings
from textnb.model.stored import check_form, read_counts, read_floats, read_log_prior
from textnb.storage import ModelFile
from textnb.text.features import Features
from textnb.text.ngram_terms import terms_from_arrays
from textnb.text.weights import Weighting

_SAME = ("model", "weights", "alpha", "unknown", "min_df", "max_df", "max_features", "fit_prior", "class_prior", "norm")
_ANALYZER = ("kind", "ngrams", "lowercase", "strip_accents", "tokenizer", "token_pattern", "stop_words", "stemmer")


def upgraded(old: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a file in the form of format 3, to be checked like them."""
    parameters, chosen = old["parameters"], old.get("chosen", {})
    if any(parameters[name] != "auto" for name in chosen):
        raise ValueError(f"chosen has values for what was not to be chosen: {chosen!r:.60}")
    in_use = parameters | chosen
    if old["unknown"] != in_use["unknown"] or old["weights"] != family(in_use["model"]).weighting(in_use["weights"]):
        raise ValueError("its parameters are not those that it was made with")
    reference, vocabulary = old.get("reference"), old.get("vocabulary", "growing")
    return {
        "kind": "text",
        "rule": "linear",
        "classes": old["classes"],
        "n_documents": old.get("n_documents", 0),
        "analyzer": {name: old["analyzer"][name] for name in _ANALYZER if name in old["analyzer"]},
        **{name: in_use[name] for name in _SAME},
        "pruned": old.get("pruned", False),
        "reference": reference and dict(zip(("n_documents", "unknown_frequency"), reference, strict=True)),
        "vocabulary": vocabulary if parameters["vocabulary"] is None else "given",
        "calibrate": parameters.get("calibrate", False),
        "ledger": parameters.get("ledger"),
        "auto": sorted(chosen),
        "calibration": old.get("calibration"),
        "policy": old.get("policy"),
    }


def predictor(file: ModelFile, settings: Settings) -> Predictor:
    """A predictor by the dense weights of the file, read as they are touched."""
    terms = terms_from_arrays(file.lazy, file.names)
    weights, n_classes = file.lazy("coef"), len(settings.classes)
    unknown = settings.unknown == "token"
    columns = None
    n_columns = len(terms)
    if "columns" in file.names:  # the limits leave some terms out
        n_columns = len(weights) - unknown
        columns = _Columns(file, n_columns)
        check_form(file, "columns", file.lazy("columns"), (len(terms),), "<i4")
    shape = (n_columns + unknown, n_classes)
    check_form(file, "coef", weights, shape, "<f8")
    impossible = None
    if "impossible" in file.names:
        signs = file.lazy("impossible")
        check_form(file, "impossible", signs, shape, "<i4")
        impossible = Impossible(signs, read_counts(file, "required", shape[1:]))
    model = family(settings.model)
    weighting = model.weighting(settings.weights)
    idf = file.lazy("idf") if weighting.endswith("tfidf") else None
    if idf is not None:
        check_form(file, "idf", idf, shape[:1], "<f8")
    return Predictor(
        analyzer=settings.analyzer,
        features=Features(terms, columns, n_columns),
        unknown=unknown,
        weighting=Weighting(weighting, idf),
        rule=LinearRule(weights, read_floats(file, "intercept", shape[1:]), impossible),
        log_prior=read_log_prior(file, n_classes),
        prior_in_score=model.adds_prior(n_classes),
        classes=np.array(settings.classes),
        calibration=settings.calibration,
        policy=settings.policy,
        constant=model.constant,
    )


@dataclass(frozen=True, eq=False)
class _Columns:
    """The column of each term, −1 for those that the limits leave out, checked as they are read."""

    file: ModelFile
    n_columns: int

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.file.lazy("columns").shape)

    def __getitem__(self, ids: Any) -> Array:
        table: Table = self.file.lazy("columns")
        columns = table[ids]
        if ((columns < -1) | (columns >= self.n_columns)).any():
            raise self.file.damaged("array 'columns' is out of range")
        return columns
