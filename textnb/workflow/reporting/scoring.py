"""Documents as a model sees them: probabilities, scores, words, and why each is of its class."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows, stacked
from textnb.estimators.text_model import TextModel
from textnb.model.explanation import Explanation
from textnb.model.predictor import Predictor
from textnb.model.settings import USUAL_COLUMNS
from textnb.text.analyzer import Analyzer
from textnb.workflow.evaluation import EvaluatedDocuments
from textnb.workflow.progress import Progress
from textnb.workflow.reading import in_blocks


@dataclass(frozen=True, eq=False)
class ScoredDocuments:
    """What a model says of documents; K classes in the order of the model.

    Attributes
    ----------
    log_probabilities : (n, K), calibrated if the model is
    raw_log_probabilities : (n, K), uncalibrated; None if there is no other
    joint : (n, K) scores, as explanations divide them among terms
    lengths : (n,) sums of the weights that were scored
    predictor, rows : of a model of text, what predicts, and its counts of the documents
    texts : of a table, those of its column of text; None if there is none
    explain : (position, class, other class or None for the likeliest) ↦ Explanation, or None if the model cannot
    """

    log_probabilities: Array
    raw_log_probabilities: Array | None
    joint: Array
    lengths: Array
    predictor: Predictor | None
    rows: SparseRows | None
    texts: list[str] | None
    explain: Callable[[int, Any, Any], Explanation]

    @cached_property
    def words(self) -> Analyzer:
        """What makes words of texts: that of the model, if it counts words as they stand, or runs of them."""
        analyzer = None if self.predictor is None else self.predictor.analyzer
        is_of_words = analyzer is not None and analyzer.kind == "word" and analyzer.is_plain
        return replace(analyzer, ngrams=(1, 1)) if analyzer is not None and is_of_words else Analyzer()

    @cached_property
    def unknown_share(self) -> Array | None:
        """The share of each document's words that the model does not know, (n,); of terms, where it has no words."""
        if self.predictor is None or self.texts is None:
            return None
        analyzer, features = self.predictor.analyzer, self.predictor.features
        if analyzer.kind == "word" and analyzer.ngrams[0] == 1:
            analyzer = replace(analyzer, ngrams=(1, 1))
        known, outside = features.count(self.texts, analyzer, self.predictor.n_jobs)
        return outside / np.maximum(known.row_sums() + outside, 1)


def score(tested: EvaluatedDocuments, progress: Progress) -> ScoredDocuments:
    """What the model says of the documents that it is evaluated on."""
    if isinstance(tested.classifier, TextModel):
        return _score_texts(tested, progress)
    model, documents = tested.classifier, tested.documents
    log_probabilities = np.concatenate([*map(model.predict_log_proba, in_blocks(documents, progress))])
    has_text = bool(getattr(tested.columns, "texts", None))
    named = copy(model)  # explanations name columns, predictions would compare them
    tested.columns.name_columns(named, USUAL_COLUMNS)

    def explain(position: int, label: Any, against: Any) -> Explanation:
        return named.explain(documents[position], against, label=label)

    return ScoredDocuments(
        log_probabilities,
        None,
        log_probabilities,
        np.ones(len(documents)),
        None,
        None,
        texts_of(tested, tested.rows) if has_text else None,
        explain,
    )


def _score_texts(tested: EvaluatedDocuments, progress: Progress) -> ScoredDocuments:
    predictor: Predictor = tested.classifier.predictor_
    texts = list(tested.documents)
    counted = [predictor.count(block) for block in in_blocks(texts, progress)]
    blocks = [(rows, predictor.scores(rows)) for rows in counted]
    calibrated = np.concatenate([predictor.log_proba_of(*block) for block in blocks])
    raw = None
    if predictor.calibration is not None:
        raw = np.concatenate([predictor.log_proba_of(*block, raw=True) for block in blocks])
    rows = stacked(counted)
    return ScoredDocuments(
        calibrated,
        raw,
        np.concatenate([joint for _, joint in blocks]),
        predictor.weighting.apply(rows).row_sums(),
        predictor,
        rows,
        texts,
        lambda position, label, against: predictor.explain(texts[position], label=label, against=against),
    )


def texts_of(tested: EvaluatedDocuments, rows: Array) -> list[str]:
    """The texts at some positions of the corpus."""
    texts = tested.columns.texts_of(tested.corpus)
    return [texts[row] for row in rows.tolist()]
