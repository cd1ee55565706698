"""From positions of tested documents to what a report shows of each."""

from __future__ import annotations

import numpy as np

from textnb.model.explanation import Explanation, finite
from textnb.text.mail.title import title_of
from textnb.workflow.reporting.documents import (
    MAIL_TEXT_LIMIT,
    TEXT_LIMIT,
    ShownDocument,
    ShownExplanation,
    class_numbers,
    cut,
    shown_explanation,
)
from textnb.workflow.reporting.duplicates import TestedDuplicates
from textnb.workflow.reporting.view import View


class Explainer:
    """Makes of positions the documents that are shown."""

    def __init__(self, view: View, texts: bool, flipped: set[int]) -> None:
        self.view, self.texts, self.flipped = view, texts, flipped
        self.labels = view.tested.classifier.classes_.tolist()
        self.numbers = class_numbers(self.labels, view.evaluation.classes)
        self.column = {c: column for column, c in enumerate(view.known.tolist())}
        columns = getattr(view.tested.columns, "texts", None)
        self.source = columns[0] if columns else None  # the column of a table whose text is shown
        self.is_mail = view.scored.predictor is not None and view.scored.predictor.is_mail

    def document(self, i: int, duplicates: TestedDuplicates | None) -> ShownDocument:
        view, scored = self.view, self.view.scored
        true, predicted = int(view.true[i]), int(view.predicted[i])
        against = self.column[true] if true != predicted and true in self.column else None
        why = self._why(i, predicted, against) if self.texts else None
        shown = full = title = None
        if why is not None and scored.texts is not None:
            full = dict(why.texts).get(self.source, scored.texts[i])  # of a message, its rendering
            shown = cut(full, MAIL_TEXT_LIMIT if self.is_mail else TEXT_LIMIT)
            title = title_of(scored.texts[i]) if self.is_mail else None
        own = int(view.own[i])
        is_sought = why is not None and i in self.flipped
        flip = why.what_would_flip() if why is not None and is_sought else None
        return ShownDocument(
            where=view.tested.corpus.place(int(view.tested.rows[i])),
            true=true,
            predicted=predicted,
            probability=round(float(view.confidence[i]), 6),
            true_probability=None if own < 0 else round(float(np.exp(scored.log_probabilities[i, own])), 6),
            n_words=0 if duplicates is None else int(duplicates.n_words[i]),
            unknown_share=None if scored.unknown_share is None else round(float(scored.unknown_share[i]), 4),
            title=title,
            text=shown,
            is_cut=shown is not None and shown != full,
            explanation=self._unexplained(i, predicted, against)
            if why is None
            else shown_explanation(why, self.numbers, shown, self.source),
            flip=None if flip is None else (flip.words, self.numbers[flip.label]),
            is_flip_sought=is_sought,
        )

    def _why(self, i: int, predicted: int, against: int | None) -> Explanation:
        other = None if against is None else self.labels[against]
        return self.view.scored.explain(i, self.labels[self.column[predicted]], other)

    def _unexplained(self, i: int, predicted: int, against: int | None) -> ShownExplanation:
        """The log-odds alone."""
        joint, c = self.view.scored.joint[i], self.column[predicted]
        if against is None and len(joint) > 1:
            others = np.delete(np.arange(len(joint)), c)
            against = int(others[joint[others].argmax()])
        with np.errstate(invalid="ignore"):
            odds = finite(float(joint[c] if against is None else joint[c] - joint[against]))
        odds = None if odds is None else round(odds, 4)
        return ShownExplanation(
            predicted, None if against is None else int(self.view.known[against]), odds, rest=(0, odds)
        )
