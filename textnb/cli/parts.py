"""What is in the parts of a mixed model: their settings, and what each has learned."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from textnb.classifier import TextClassifier
from textnb.cli.evaluation import shown_settings
from textnb.cli.mixed import column_names_of
from textnb.models.mixed import MixedNB
from textnb.part_file import KINDS, kind_of, plain, text_predictor, weights_name
from textnb.report import printable, table

_SHARED = (  # parameters of vectorizers and text classifiers
    *("analyzer", "unknown", "tokenizer", "stemmer", "lowercase", "strip_accents", "stop_words", "token_pattern"),
    *("min_df", "max_df", "max_features"),
)


def part_settings(model: MixedNB, names: list[str]) -> dict[str, Any]:
    """The settings of a mixed model that are worth showing, a part at a time."""
    parts = []
    for part in model._parts:
        columns = [names[j] for j in part.columns]
        if isinstance(part.estimator, Pipeline):
            shown = shown_settings(as_text_model(part.estimator).get_params())
        else:
            shown = _shown_parameters(part.estimator)
        parts.append({"part": part.name, "columns": columns, **shown})
    return {"model": "mixed", "parts": parts}


def rows_of_classes(model: MixedNB) -> list[int | float]:
    """How many rows of each class were learned from; a text part has not seen those without a text."""
    models = [part.estimator[-1] if isinstance(part.estimator, Pipeline) else part.estimator for part in model._parts]
    rows = np.max([model.class_count_ for model in models], axis=0).tolist()
    return [int(n) if n.is_integer() else n for n in rows]  # sums of weights need not be whole


def as_text_model(pipeline: Pipeline) -> TextClassifier:
    """A text part as the text classifier that it would be alone."""
    vectorizer, model = pipeline[0], pipeline[-1]
    return TextClassifier(
        model=str(kind_of(model)),
        weights=weights_name(vectorizer),
        ngrams=vectorizer.ngram_range,
        alpha=model.alpha,
        **{name: getattr(vectorizer, name) for name in _SHARED},
    )


def inspected(model: MixedNB, path: Path, most: int) -> dict[str, Any]:
    """The facts about a mixed model, with what each part has learned."""
    names = column_names_of(model, path)
    rows, priors = rows_of_classes(model), np.exp(model.class_log_prior_).tolist()
    return {
        "settings": part_settings(model, names),
        "n_documents": sum(rows),
        "classes": [
            {"class": label, "documents": count, "prior": prior}
            for label, count, prior in zip(model.classes_.tolist(), rows, priors, strict=True)
        ],
        "parts": [
            {"part": part.name, **_learned(part.estimator, [names[j] for j in part.columns], most)}
            for part in model._parts
        ],
    }


def _learned(estimator: Any, columns: list[str], most: int) -> dict[str, Any]:
    """Top terms, the most frequent categories of each column, or its means and deviations."""
    if not isinstance(estimator, Pipeline):
        is_gaussian = kind_of(estimator) == "gaussian"
        found = _numbers(estimator) if is_gaussian else _categories(estimator, most)
        return {"numbers" if is_gaussian else "categories": dict(zip(columns, found, strict=True))}
    text = text_predictor(estimator)
    return {
        "n_terms": len(text.vocabulary),
        "top_terms": {
            str(label): [{"term": term, "weight": weight} for term, weight in terms]
            for label, terms in text.top_terms(most).items()
        },
    }


def parts_text(parts: list[dict[str, Any]]) -> list[str]:
    """Lines that show the parts that were inspected."""
    lines = []
    for entry in parts:
        for label, terms in entry.get("top_terms", {}).items():
            best = ", ".join(f"{printable(term['term'])} {term['weight']:.2f}" for term in terms)
            title = f"{entry['part']}: {label} ({entry['n_terms']:,} terms)"
            lines += ["", printable(title), fill(best, 100, initial_indent="  ", subsequent_indent="  ")]
        for column, found in entry.get("categories", {}).items():
            labels = list(found["top"][0]["counts"]) if found["top"] else []
            rows = [(top["category"], *(f"{n:,g}" for n in top["counts"].values())) for top in found["top"]]
            title = f"{entry['part']}: {column} ({found['n_categories']:,} categories)"
            lines += ["", printable(title), table(("category", *labels), rows, "l" + "r" * len(labels))]
        for column, classes in entry.get("numbers", {}).items():
            rows = [(label, f"{one['mean']:.4g}", f"{one['deviation']:.4g}") for label, one in classes.items()]
            lines += ["", printable(f"{entry['part']}: {column}"), table(("class", "mean", "deviation"), rows, "lrr")]
    return lines


def _shown_parameters(model: Any) -> dict[str, Any]:
    kind = str(kind_of(model))
    defaults = KINDS[kind].model().get_params()
    values = {name: plain(getattr(model, name)) for name in KINDS[kind].parameters}
    always = ("alpha", "unknown")
    return {"model": kind} | {
        name: value for name, value in values.items() if name in always or value != defaults[name]
    }


def _categories(model: Any, most: int) -> list[dict[str, Any]]:
    """For every column the most frequent categories, with their counts in each class."""
    columns = []
    for categories, counts in zip(model.statistics_.categories, model.statistics_.tables, strict=True):
        order = np.lexsort((np.arange(len(categories)), -counts.sum(axis=0)))[:most]
        labels = [str(label) for label in model.classes_.tolist()]
        top = [
            {"category": str(categories[m]), "counts": dict(zip(labels, counts[:, m].tolist(), strict=True))}
            for m in order.tolist()
        ]
        columns.append({"n_categories": len(categories), "top": top})
    return columns


def _numbers(model: Any) -> list[dict[str, Any]]:
    """For every column its mean and standard deviation in each class."""
    labels, deviations = model.classes_.tolist(), np.sqrt(model.var_)
    return [
        {
            str(label): {"mean": mean, "deviation": deviation}
            for label, mean, deviation in zip(labels, means, column_deviations, strict=True)
        }
        for means, column_deviations in zip(model.theta_.T.tolist(), deviations.T.tolist(), strict=True)
    ]
