"""A second model on the documents of a first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from textnb.corpora.rows import ReadOptions
from textnb.workflow.evaluation import CANNOT_KNOW, EvaluatedDocuments, require_shared_classes, which_are_learned
from textnb.workflow.inputs import ModelLike, TextInput, open_fitted, remembered_columns, take
from textnb.workflow.progress import Progress
from textnb.workflow.reading import CorpusLike, opened, with_columns
from textnb.workflow.results import LearnedDocuments


def second_model(
    first: EvaluatedDocuments,
    model: ModelLike,
    corpus: CorpusLike,
    *,
    options: ReadOptions | None,
    label: str | None,
    include_learned: bool,
    progress: Progress,
) -> tuple[EvaluatedDocuments, EvaluatedDocuments]:
    """Both models with the same documents: those of the first that the second has not learned either."""
    classifier, columns, path = open_fitted(model)
    classifier = classifier.with_prior(first.prior)
    options = options or ReadOptions(text=None)
    of_first = with_columns(options, remembered_columns(first.model_file), label)
    of_first = replace(of_first, mail=first.columns.is_mail(first.classifier))
    own = replace(with_columns(options, remembered_columns(path), of_first.label), mail=columns.is_mail(classifier))
    read, are_texts = first.corpus, isinstance(columns, TextInput)
    if own != of_first or not (are_texts and isinstance(first.columns, TextInput)):
        try:
            read = opened(corpus, columns.options(own), progress)
        except ValueError as error:
            if not (are_texts and any(first.corpus.texts)):
                raise ValueError(f"for {path or 'the second model'}: {error}") from None
            progress.notice(f"{path or 'the second model'} gets the texts that the first model reads")
        if not np.array_equal(read.labels, first.corpus.labels):
            raise ValueError(
                f"the two models read different documents of {read.name}: some are skipped for one of them; leave out "
                "what lacks a text or a column"
            )
    require_shared_classes(classifier, read, read.labels[first.rows], path or "given second", progress)
    learned = which_are_learned(classifier, take(columns.documents(read), first.rows))
    if learned is None:
        progress.notice(f"of {path or 'the second model'}: {CANNOT_KNOW}")
    if learned is not None and learned.any() and not include_learned:
        if learned.all():
            raise ValueError(
                f"each of the {len(learned):,} documents of {read.name} was learned by one of the two models, whose "
                "figures on them would flatter: compare on others, or on these, saying so (--all)"
            )
        known = first.learned
        n = None if known is None or known.n is None else known.n + int(learned.sum())
        first = replace(
            first,
            rows=first.rows[~learned],
            evaluated_on=f"{first.evaluated_on}, without what the second model has learned",
            learned=LearnedDocuments(n),
        )
    second = replace(
        first,
        classifier=classifier,
        columns=columns,
        model_file=path,
        corpus=read,
        n_train=columns.n_documents(classifier),
    )
    return first, second
