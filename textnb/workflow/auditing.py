"""Auditing a corpus: what leave-one-out says about the documents themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.problems import Problem
from textnb.corpora.rows import DEFAULT_OPTIONS, ReadOptions
from textnb.estimators.text_model import TextModel
from textnb.model.parameters import literature
from textnb.selection.audit import (
    CrossClassDuplicate,
    LengthStandard,
    Novelty,
    SuspiciousLabel,
    cross_class_duplicates,
    log_evidence,
    novelty,
    suspicious_labels,
)
from textnb.selection.subtraction import leave_one_out_scores
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import CorpusLike, opened, require_two_classes, with_analyzer


@dataclass(frozen=True, eq=False)
class AuditResult:
    """Findings by position in the audited corpus, and in an optional corpus of new documents."""

    corpus: Corpus
    suspicious: list[SuspiciousLabel]
    duplicates: list[CrossClassDuplicate]
    new: Corpus | None
    novelties: list[Novelty]
    estimate: str

    @property
    def problems(self) -> list[Problem]:
        return [*self.corpus.problems, *(() if self.new is None else self.new.problems)]

    def to_json(self) -> dict[str, Any]:
        """The findings by name, with the place of each document; `novelty` only where new documents were given."""
        place = self.corpus.place
        result: dict[str, Any] = {
            "corpus": self.corpus.name,
            "edition": self.corpus.edition,
            "n_documents": len(self.corpus),
            "estimate": self.estimate,
            "suspicious_labels": [{"where": place(entry.position), **entry.to_json()} for entry in self.suspicious],
            "cross_class_duplicates": [
                {"where": [place(entry.first), place(entry.second)], **entry.to_json()} for entry in self.duplicates
            ],
        }
        if self.new is not None:
            result["novelty"] = [
                {"where": self.new.place(entry.position), **entry.to_json()} for entry in self.novelties
            ]
        return result


@hears_steps
def audit(
    corpus: CorpusLike,
    new: CorpusLike | None = None,
    *,
    threshold: float = 0.8,
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress = SILENT,
    **settings: Any,
) -> AuditResult:
    """Documents whose label looks wrong, near duplicates with different labels, and how new other documents are.

    Parameters
    ----------
    corpus, options, progress
        As in `train`.
    new : str, path, LabelledSources or Corpus, optional
        Documents to compare with those of the corpus; they need no labels.
    threshold : float, default=0.8
        How alike near duplicates are, from 0 to 1.
    **settings
        Parameters of the `TextClassifier` that judges labels; by default complement on log-tfidf, for mail
        robinson.

    Examples
    --------
    >>> from textnb.corpora.corpus import make_corpus
    >>> texts = ["cheap pills", "cheap watches", "buy cheap pills", "lunch at noon", "noon, lunch", "cheap cheap pills"]
    >>> result = audit(make_corpus("mail", texts, ["spam"] * 3 + ["ham"] * 3, "made up"))
    >>> [(entry.position, entry.suggested) for entry in result.suspicious]
    [(5, 'spam')]
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"the threshold is a share above 0 and at most 1, got {threshold:g}")
    options, settings = with_analyzer(corpus, options, settings, progress)
    read = opened(corpus, options, progress)
    require_two_classes(read, "there is nothing to compare labels with")
    progress.status(f"judging {len(read):,} documents …")
    classifier = TextModel(**{**literature(settings), **settings, "ledger": False, "calibrate": False})
    classifier.fit(read.texts, read.labels, groups=read.groups)
    training, classes = classifier.training_documents(), np.array(read.classes)
    joint = classifier.leave_one_out() if read.groups is None else classifier.leave_one_group_out()
    fresh, novelties = None, []
    if new is not None:
        fresh = opened(new, replace(options, label_required=False, categories=None), progress)
        novelties = rate_novelty(classifier, fresh.texts, training.class_ids)
    return AuditResult(
        read,
        suspicious_labels(joint, training.class_ids, training.weighted.row_sums(), classes),
        cross_class_duplicates(training.counts, training.class_ids, classes, threshold),
        fresh,
        novelties,
        "leave-one-out" if read.groups is None else "leave-one-group-out",
    )


def rate_novelty(classifier: TextModel, texts: list[str], class_ids: Array) -> list[Novelty]:
    """How unlike the training documents new ones are, by a multinomial model of the counts."""
    from textnb.estimators.count import MultinomialNB
    from textnb.estimators.sklearn_compat import to_public_csr

    counts = classifier.training_documents().counts
    known = counts.append_column(np.zeros(counts.shape[0], dtype=np.int64))  # an unknown word is one never counted
    model = MultinomialNB(alpha=0.1)
    (scores,) = leave_one_out_scores(model.family, known, class_ids, [model.alpha])
    reference = LengthStandard.of(log_evidence(scores), known.row_sums())
    rows, outside = classifier.predictor_.features.count(texts, classifier.predictor_.analyzer)
    fresh = rows.append_column(outside)
    lengths = fresh.row_sums()
    joint = model.fit(to_public_csr(known), class_ids).predict_joint_log_proba(to_public_csr(fresh))
    return novelty(log_evidence(joint), lengths, outside / np.maximum(lengths, 1), reference)
