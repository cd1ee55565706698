"""A text model as a model file (format 3): settings, and all its counts. numpy alone.

Weights that follow from the counts are not stored: a predictor derives those of the terms that documents have, from
their totals and from the per-class part of the rule, which is stored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.rules import ClassPart, LinearRule
from textnb.model.derive import Derivation, TouchedRule, derive, knowing_headers, unknown_totals
from textnb.model.learner import Learner
from textnb.model.records import from_json
from textnb.model.settings import USUAL_COLUMNS, Columns, Fitted, Settings, settings_json
from textnb.model.stored import (
    WEIGHTS,
    ArrayFile,
    KeptPositions,
    TouchedIdf,
    TouchedTotals,
    TouchedWeights,
    as_damaged_file_error,
    check_frozen,
    kept_bits,
    narrow,
    pack_bits,
    read_counts,
    read_floats,
    read_log_prior,
    read_totals,
    term_arrays,
    totals_arrays,
)
from textnb.statistics.ledger import LEDGER, MESSAGE_IDS, Ledger, ledger_arrays, ledger_of
from textnb.statistics.text_counts import TextCounts
from textnb.storage import ModelFile
from textnb.text.counting import term_table
from textnb.text.features import Features
from textnb.text.frozen import UNIT
from textnb.text.ngram_terms import terms_from_arrays
from textnb.text.terms import TermTable
from textnb.text.weights import Weighting

if TYPE_CHECKING:
    from textnb.model.predictor import Predictor

_ROUNDING = 1e-9  # of what follows from counts
COMPACT = "is a compact model, which only predicts; use the model that it was made from"

__all__ = [
    "Columns",
    "Fitted",
    "content",
    "counts_content",
    "fitted_of",
    "has_counts",
    "is_compact",
    "learner_of",
    "parameters_of",
    "predictor_of",
    "require_counts",
    "settings_of",
    "stored_ledger",
    "stored_message_ids",
    "table_columns",
    "whole_predictor_of",
]


def content(
    learner: Learner, fitted: Fitted, derivation: Derivation | None = None
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a model file: the same counts give the same ones."""
    derivation = derive(learner) if derivation is None else derivation
    arrays, settings = counts_content(learner, fitted)
    if learner.rule is not None:
        return arrays | rule_arrays(learner.rule, derivation), settings
    part = derivation.class_part
    arrays |= {"log_prior": derivation.log_prior, "by_class": part.by_class, "intercept": part.intercept}
    optional = {"scale": part.scale, "required": part.required}
    arrays |= {name: array.astype(np.float64) for name, array in optional.items() if array is not None}
    if learner.recipe.unknown:
        arrays["unknown_totals"] = narrow(unknown_totals(learner, derivation.keep))
    if not derivation.keep.all():
        arrays["kept"] = pack_bits(derivation.keep)
    return arrays, settings


def rule_arrays(rule: LinearRule, derivation: Derivation) -> dict[str, Array]:
    """A rule that was fitted to documents, whose weights are numbers of single precision."""
    weights = rule.coef.T.astype(np.float32)
    return {WEIGHTS: weights, "intercept": rule.intercept, "log_prior": derivation.log_prior}


def counts_content(learner: Learner, fitted: Fitted) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings from which a learner can go on, and which cannot predict."""
    learner.recipe.analyzer.check_storable()
    counts = learner.counts
    arrays = {**term_arrays(counts.terms), **totals_arrays(counts.totals)}
    names = ["documents", "outside", "document_frequency"]
    names += [] if _occurrences_are_totals(learner, counts) else ["occurrences"]
    names += [] if learner.reference is None else ["frozen"]
    arrays |= {name: narrow(getattr(counts, name)) for name in names}
    if learner.ledger is not None:
        arrays |= ledger_arrays(learner.ledger.among(counts.classes))
    if learner.message_ids is not None:
        arrays |= ledger_arrays(learner.message_ids.among(counts.classes), MESSAGE_IDS)
    return arrays, settings_json(learner, fitted)


def _occurrences_are_totals(learner: Learner, counts: TextCounts) -> bool:
    """Whether the occurrences of a term are the sum of its totals, and need not be stored."""
    return learner.recipe.weighting == "counts" and counts.exact


def has_counts(file: ModelFile) -> bool:
    """Whether a file has all its counts: compact ones and those of format 1 have not, and can only predict."""
    return "totals_lengths" in file.names and not is_compact(file)


def is_compact(file: ModelFile) -> bool:
    """Whether a file has only what prediction needs."""
    return file.settings.get("compact") is True


def require_counts(file: ModelFile) -> None:
    if is_compact(file):
        raise ValueError(f"{file.path} {COMPACT}")
    if not has_counts(file):
        raise ValueError(f"{file.path!r} was saved by an older textnb, without all its counts: train the model again")


def is_old(file: ModelFile) -> bool:
    """Whether a text model is of format 1 or 2, which did not say what kind of model it is."""
    return "kind" not in file.settings


def settings_of(file: ModelFile) -> Settings:
    """The settings of a text model of any format, checked."""
    with as_damaged_file_error(file, "its settings cannot be understood"):
        if is_old(file):
            from textnb.model.old_files import upgraded

            stated = upgraded(file.settings)
        else:
            stated = dict(file.settings)
        stated.pop("checkpoint", None)
        settings = from_json(Settings, stated)
        if settings.analyzer.tokenizer is None:
            settings.analyzer.tokenize("")  # its pattern may be none
        return settings


def fitted_of(file: ModelFile) -> Fitted:
    """What a classifier was fitted with, which stays while the model is changed."""
    return settings_of(file).fitted()


def table_columns(file: ModelFile) -> Columns:
    """The columns that a model of text, or the classes of a mixed one, came from."""
    if file.settings.get("kind") == "mixed":
        label = file.settings.get("label")
        return Columns(label=label) if isinstance(label, str) else USUAL_COLUMNS
    return fitted_of(file).columns


def parameters_of(file: ModelFile) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the classifier, and what was chosen for those left to choice."""
    settings = settings_of(file)
    parameters, chosen = settings.parameters()
    if is_old(file) and isinstance(parameters["stop_words"], list):
        stated = file.settings["parameters"].get("stop_words")
        if isinstance(stated, list) and sorted(stated, key=str) == parameters["stop_words"]:
            parameters["stop_words"] = stated  # in the order in which they were given
    if settings.vocabulary == "given":
        with as_damaged_file_error(file, "its terms cannot be understood"):
            terms = terms_from_arrays(file.array, file.names, compact=is_compact(file))
            terms.check()
            parameters["vocabulary"] = terms.strings()
    return parameters, chosen


def learner_of(file: ModelFile, *, compare_rule: bool = True) -> Learner:
    """The learner of an open model file, of which everything is checked.

    Whether what is stored for prediction follows from the counts, and whether hashes are those of their terms, is left
    out where every millisecond counts.
    """
    require_counts(file)
    settings = settings_of(file)
    recipe, reference = settings.recipe(), settings.reference
    if not (reference is not None) == recipe.needs_reference == ("frozen" in file.names):
        raise file.damaged("the reference frequencies of its terms are missing, or there is no need of them")
    counts = _counts(file, settings, _terms(file, settings, compare_hashes=compare_rule))
    if reference is not None:
        check_frozen(file, counts.frozen, reference)
    ledger = stored_ledger(file, counts.classes)
    if ledger is not None and len(ledger) != counts.n_documents:
        raise file.damaged("its ledger has more or fewer documents than the model")
    ids = stored_message_ids(file, counts.classes)
    if (ids is not None) != (ledger is not None and recipe.analyzer.is_mail):
        raise file.damaged("the ledger of its Message-IDs is missing, or there is no need of it")
    if ids is not None and ledger is not None and (ids.documents > ledger.documents).any():
        raise file.damaged("the ledger of its Message-IDs has more messages than the model")
    learner = Learner(recipe, counts, reference, ledger, settings.pruned, message_ids=ids)
    if recipe.family.fitted_to_documents:
        if "checkpoint" in file.settings:
            raise file.damaged("a model that is fitted to documents has no checkpoint")
        read_log_prior(file, len(counts.classes))
        return replace(learner, rule=_stored_rule(file, len(counts.terms) + recipe.unknown, len(counts.classes)))
    if "checkpoint" not in file.settings and not is_old(file):
        _check_rule(file, learner, compare=compare_rule)
    return learner


def _terms(file: ModelFile, settings: Settings, *, compare_hashes: bool) -> TermTable:
    with as_damaged_file_error(file, "its terms cannot be understood"):
        terms: TermTable = terms_from_arrays(file.array, file.names)
        terms.check(compare_hashes=compare_hashes)  # type: ignore[attr-defined]
        if is_old(file) and settings.analyzer.makes_ngrams:
            terms = term_table(terms.strings(), settings.analyzer)
    return terms


def _counts(file: ModelFile, settings: Settings, terms: TermTable) -> TextCounts:
    classes = np.array(settings.classes)
    size, n_classes = (len(terms),), (len(classes),)
    totals = read_totals(file, len(terms), len(classes), starts=not is_old(file))
    documents = read_counts(file, "documents", n_classes, floats=True)
    frequency = read_counts(file, "document_frequency", size)
    if documents.dtype.kind == "i" and documents.sum() != settings.n_documents:
        raise file.damaged("array 'documents' does not add up to its number of documents")
    if frequency.max(initial=0) > settings.n_documents:
        raise file.damaged("array 'document_frequency' has a term in more documents than there are")
    plain = settings.recipe().weighting == "counts" and totals.data.dtype.kind == "i"
    with as_damaged_file_error(file, "array 'totals' cannot be added up"):
        sums = totals.row_sums() if plain else None
    if sums is None or "occurrences" in file.names:
        occurrences = read_counts(file, "occurrences", size)
        if sums is not None and not np.array_equal(sums, occurrences):
            raise file.damaged("array 'occurrences' does not fit its totals")
    else:
        occurrences = sums
    return TextCounts(
        classes,
        documents,
        settings.n_documents,
        terms,
        totals,
        frequency,
        occurrences,
        read_counts(file, "outside", n_classes, floats=True),
        read_counts(file, "frozen", size) if settings.reference is not None else np.zeros(size, dtype=np.int64),
        fixed=settings.vocabulary != "growing",
    )


def stored_ledger(file: ModelFile, classes: Array | None = None) -> Ledger | None:
    """Which documents a model file says it has learned; None if it does not say."""
    return _stored_ledger(file, LEDGER, classes)


def stored_message_ids(file: ModelFile, classes: Array | None = None) -> Ledger | None:
    """The Message-IDs of what a model file says it has learned; None if it does not say."""
    return _stored_ledger(file, MESSAGE_IDS, classes)


def _stored_ledger(file: ModelFile, names: tuple[str, str], classes: Array | None) -> Ledger | None:
    if not set(names) & set(file.names):
        return None
    keys, times = map(file.array, names)
    classes = np.array(settings_of(file).classes) if classes is None else classes
    try:
        return ledger_of(keys, times, classes, names)
    except ValueError as error:
        raise file.damaged(str(error)) from None


def _check_rule(file: ModelFile, learner: Learner, *, compare: bool) -> None:
    """Refuse what is stored for prediction if it has another form or, compared, does not follow from the counts."""
    n_terms, n_classes = len(learner.counts.terms), len(learner.counts.classes)
    part, log_prior = _class_part(file, n_classes), read_log_prior(file, n_classes)
    unknown = _unknown_totals(file, n_classes) if learner.recipe.unknown else None
    if unknown is None and "unknown_totals" in file.names:
        raise file.damaged("array 'unknown_totals' is there, and unknown words are ignored")
    bits = kept_bits(file, file.array, n_terms) if "kept" in file.names else None
    if not compare:
        return
    with as_damaged_file_error(file, "its limits do not fit its counts"):
        derivation = derive(learner)
        keep = derivation.keep
    if not np.array_equal(pack_bits(keep), pack_bits(np.ones(n_terms, dtype=bool)) if bits is None else bits):
        raise file.damaged("array 'kept' does not fit its limits")
    if unknown is not None and not np.array_equal(unknown, unknown_totals(learner, keep)):
        raise file.damaged("array 'unknown_totals' does not fit its counts")
    stated = {**vars(part), "log_prior": log_prior}
    for name, derived in {**vars(derivation.class_part), "log_prior": derivation.log_prior}.items():
        if not _nearly_equal(stated[name], derived):
            raise file.damaged(f"array {name!r} does not fit its counts")


def _nearly_equal(stated: Array | None, derived: Array | None) -> bool:
    """Whether two arrays are the same but for rounding, which may differ among machines."""
    if stated is None or derived is None:
        return stated is derived
    return bool(np.allclose(stated, derived, rtol=_ROUNDING, atol=_ROUNDING))


def _stored_rule(file: ModelFile, n_columns: int, n_classes: int) -> LinearRule:
    """All of a rule that was fitted to documents."""
    weights = TouchedWeights(file, (n_columns, n_classes))[:]
    return LinearRule(weights, read_floats(file, "intercept", (n_classes,)))


def predictor_of(file: ModelFile) -> Predictor:
    """The predictor of an open model file, of which only what is touched is read and verified."""
    from textnb.model.predictor import Predictor

    settings = settings_of(file)
    if is_old(file):
        from textnb.model.old_files import predictor

        with as_damaged_file_error(file, "its terms cannot be understood"):
            return predictor(file, settings)
    recipe, classes = settings.recipe(), np.array(settings.classes)
    with as_damaged_file_error(file, "its terms cannot be understood"):
        terms = terms_from_arrays(file.lazy, file.names, compact=is_compact(file))
        family = knowing_headers(recipe.family, terms)
    n_terms, n_classes = len(terms), len(classes)
    if not n_terms:
        raise file.damaged("it has no terms")
    is_fitted = family.fitted_to_documents
    if is_fitted and "kept" in file.names:
        raise file.damaged("array 'kept' is there, and all its terms are features")
    columns = KeptPositions(kept_bits(file, file.lazy, n_terms), n_terms) if "kept" in file.names else None
    unit = UNIT if recipe.is_tfidf else None
    idf = None
    if recipe.is_tfidf:
        if settings.reference is None:
            raise file.damaged("its settings have no reference")
        idf = TouchedIdf(file, n_terms, settings.reference, recipe.unknown)
    rule: LinearRule | TouchedRule
    if is_fitted:
        weights = TouchedWeights(file, (n_terms + recipe.unknown, n_classes))
        rule = LinearRule(weights, read_floats(file, "intercept", (n_classes,)))
    else:
        unknown = _unknown_totals(file, n_classes) if recipe.unknown else None
        rule = TouchedRule(
            family,
            TouchedTotals(file, n_terms, unknown, n_classes, unit),
            read_counts(file, "documents", (n_classes,), floats=True),
            settings.alpha,
            _class_part(file, n_classes),
        )
    return Predictor(
        analyzer=recipe.analyzer,
        features=Features(terms, columns, n_terms),
        unknown=recipe.unknown,
        weighting=Weighting(recipe.weighting, idf),
        rule=rule,
        log_prior=read_log_prior(file, n_classes),
        prior_in_score=recipe.family.adds_prior(n_classes),
        classes=classes,
        calibration=settings.calibration,
        policy=settings.policy,
        constant=recipe.family.constant,
    )


def whole_predictor_of(file: ModelFile) -> Predictor:
    """The predictor of a file without counts, all of it checked and in memory: for many documents, or all terms."""
    predictor = predictor_of(file)
    terms, rule, idf = predictor.features.terms, predictor.rule, predictor.weighting.idf
    with as_damaged_file_error(file, "its terms cannot be understood"):
        terms.check()  # type: ignore[attr-defined]
    if "kind" not in file.settings:  # of format 1, which stores its weights as they are
        return predictor
    every = np.arange(predictor.n_columns)
    weighting = predictor.weighting if idf is None else replace(predictor.weighting, idf=idf[every])
    if not isinstance(rule, TouchedRule):
        return replace(
            predictor, rule=_stored_rule(file, predictor.n_columns, len(predictor.classes)), weighting=weighting
        )
    return replace(predictor, rule=rule.of_columns(every), weighting=weighting)


def _class_part(file: ArrayFile, n_classes: int) -> ClassPart:
    """The per-class part of a rule, checked."""
    shape = (n_classes,)
    by_class, intercept = (read_floats(file, name, shape) for name in ("by_class", "intercept"))
    scale, required = (read_floats(file, name, shape) if name in file.names else None for name in ("scale", "required"))
    return ClassPart(by_class, intercept, scale, required)


def _unknown_totals(file: ArrayFile, n_classes: int) -> Array:
    return read_counts(file, "unknown_totals", (n_classes,), floats=True)
