"""What is in a model file: its settings, what it has learned, and what speaks most for each class."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from os import PathLike, fspath
from typing import Any

import numpy as np

from textnb.estimators.text_model import TextModel, open_fitted_model
from textnb.model.file import has_counts, is_compact, parameters_of, settings_of, stored_ledger, stored_message_ids
from textnb.model.records import to_json
from textnb.model.stored import read_counts
from textnb.statistics.ledger import LEDGER, MESSAGE_IDS, ledger_arrays
from textnb.storage import ModelFile, open_model
from textnb.text.ngram_terms import NGRAM_ARRAYS
from textnb.text.terms import STRING_ARRAYS
from textnb.workflow.inputs import shown_settings

_SPACES = {  # what the arrays of a file are
    **dict.fromkeys((*STRING_ARRAYS, *NGRAM_ARRAYS), "terms"),
    **dict.fromkeys(("totals", "totals_classes", "totals_lengths", "totals_starts"), "totals"),
    **dict.fromkeys(("document_frequency", "frozen", "occurrences", "kept", "idf"), "document frequencies"),
    **dict.fromkeys((*LEDGER, *MESSAGE_IDS), "ledger"),
    "coef": "weights",
    "weights": "weights",
}


@dataclass(frozen=True)
class Inspection:
    """The facts about a model file by name; those of a mixed model have `parts`."""

    facts: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return self.facts


def inspect(model: str | PathLike[str], terms: int = 10) -> Inspection:
    """The facts about a model file, all of it verified, with this many terms per class and categories per column.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     facts = inspect(path, terms=1).facts
    >>> facts["n_documents"], facts["classes"][1]["top_terms"][0]["term"]
    (2, 'cheap')
    """
    path = fspath(model)
    classifier = open_fitted_model(path)
    file = open_model(path, verify="touched")
    about = {"model_file": path, "bytes": file.nbytes, "written_by": file.writer, "space": _space(file)}
    facts = _text_facts(classifier, file, terms) if isinstance(classifier, TextModel) else None
    return Inspection(about | (facts or _mixed_facts(classifier, path, terms)))


def _space(file: ModelFile) -> list[dict[str, Any]]:
    """The bytes of the parts of a file, the largest first, and their shares of the whole."""
    bytes_of: dict[str, int] = {}
    for name in file.names:
        array = file.lazy(name)
        kind = _SPACES.get(name.rpartition(".")[2], "other")  # the arrays of a part of a mixed model have a prefix
        bytes_of[kind] = bytes_of.get(kind, 0) + array.dtype.itemsize * prod(array.shape)
    bytes_of["header and checksums"] = file.nbytes - sum(bytes_of.values())
    ordered = sorted(bytes_of.items(), key=lambda item: (-item[1], item[0]))
    return [{"part": part, "bytes": size, "share": size / file.nbytes} for part, size in ordered]


def _ledger_facts(file: ModelFile) -> dict[str, int] | None:
    ledger = stored_ledger(file)
    if ledger is None:
        return None
    ids = stored_message_ids(file)
    arrays = [array for part in (ledger, ids) if part is not None for array in ledger_arrays(part).values()]
    facts = {"documents": len(ledger), "entries": len(ledger.keys), "bytes": sum(array.nbytes for array in arrays)}
    return facts if ids is None else facts | {"message_ids": len(ids.keys)}


def _text_facts(classifier: TextModel, file: ModelFile, n_terms: int) -> dict[str, Any]:
    documents = read_counts(file, "documents", classifier.classes_.shape, floats=True).tolist()
    _, chosen = parameters_of(file)
    top = classifier.top_terms(n_terms)
    classes = _classes(classifier.classes_.tolist(), documents, classifier.predictor_.log_prior)
    return {
        "settings": shown_settings(classifier.parameters_in_use),
        "n_documents": sum(documents),
        "n_terms": classifier.predictor_.features.n_columns,
        "compact": is_compact(file) or None,
        "learning": _learning_facts(file),
        "ledger": _ledger_facts(file),
        "chosen": to_json(chosen) or None,
        "calibration": to_json(classifier.calibration_),
        "policy": to_json(classifier.policy_),
        "classes": [{**entry, "top_terms": _terms(top[entry["class"]])} for entry in classes],
    }


def _mixed_facts(model: Any, path: str, most: int) -> dict[str, Any]:
    from textnb.workflow.table_input import column_names_of, part_settings, rows_of_classes

    names = column_names_of(model, path)
    rows = rows_of_classes(model)
    return {
        "settings": part_settings(model, names),
        "n_documents": sum(rows),
        "classes": _classes(model.classes_.tolist(), rows, model.class_log_prior_),
        "parts": [
            {"part": part.name, **_learned(part.estimator, [names[j] for j in part.columns], most)}
            for part in model._parts
        ],
    }


def _classes(labels: list[Any], documents: list[Any], log_prior: Any) -> list[dict[str, Any]]:
    priors = np.exp(log_prior).tolist()
    return [
        {"class": label, "documents": count, "prior": prior}
        for label, count, prior in zip(labels, documents, priors, strict=True)
    ]


def _terms(terms: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"term": term, "weight": weight} for term, weight in terms]


def _learning_facts(file: ModelFile) -> dict[str, Any] | None:
    """How a text model goes on learning; None if it cannot."""
    if not has_counts(file):
        return None
    settings = settings_of(file)
    reference = settings.reference if settings.recipe().is_tfidf else None
    return {
        **({"fitted": True} if settings.recipe().family.fitted_to_documents else {}),
        "vocabulary": settings.vocabulary,
        "pruned": settings.pruned,
        "weighted": file.array("documents").dtype.kind == "f",
        "idf_documents": None if reference is None else reference.n_documents,
        "ledger": int(file.array("ledger_counts").sum()) if "ledger_counts" in file.names else None,
    }


def _learned(estimator: Any, columns: list[str], most: int) -> dict[str, Any]:
    """Top terms, the most frequent categories of each column, or its means and deviations."""
    from sklearn.pipeline import Pipeline

    from textnb.estimators.mixed_file import kind_of, text_predictor

    if not isinstance(estimator, Pipeline):
        is_gaussian = kind_of(estimator) == "gaussian"
        facts = _numbers(estimator) if is_gaussian else _categories(estimator, most)
        return {"numbers" if is_gaussian else "categories": dict(zip(columns, facts, strict=True))}
    text = text_predictor(estimator)
    return {
        "n_terms": text.features.n_columns,
        "top_terms": {str(label): _terms(terms) for label, terms in text.top_terms(most).items()},
    }


def _categories(model: Any, most: int) -> list[dict[str, Any]]:
    """The most frequent categories of each column, with their counts per class."""
    columns = []
    labels = [str(label) for label in model.classes_.tolist()]
    for categories, counts in zip(model.statistics_.categories, model.statistics_.tables, strict=True):
        order = np.lexsort((np.arange(len(categories)), -counts.sum(axis=0)))[:most]
        top = [
            {"category": str(categories[m]), "counts": dict(zip(labels, counts[:, m].tolist(), strict=True))}
            for m in order.tolist()
        ]
        columns.append({"n_categories": len(categories), "top": top})
    return columns


def _numbers(model: Any) -> list[dict[str, Any]]:
    labels, deviations = model.classes_.tolist(), np.sqrt(model.var_)
    return [
        {
            str(label): {"mean": mean, "deviation": deviation}
            for label, mean, deviation in zip(labels, means, column_deviations, strict=True)
        }
        for means, column_deviations in zip(model.theta_.T.tolist(), deviations.T.tolist(), strict=True)
    ]
