"""Counting a part of a corpus on its own, to be merged with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from textnb.corpora.corpus import Corpus
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.manifest import corpus_names
from textnb.corpora.problems import Problem
from textnb.corpora.rows import ReadOptions
from textnb.corpora.stream import open_stream
from textnb.estimators.text_model import TextModel
from textnb.model.file import fitted_of, learner_of
from textnb.model.parameters import literature, usual_weights
from textnb.model.update import open_text_model, write_learner
from textnb.statistics.ledger import RollCall
from textnb.workflow.near_misses import alike_notices
from textnb.workflow.outputs import KnownDocuments, ModelOutput
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import CorpusLike, opened, read_columns, with_analyzer, with_columns, with_own_columns
from textnb.workflow.stream import Block, StreamLearner
from textnb.workflow.stream_training import watched_blocks
from textnb.workflow.updating import ModelSummary


@hears_steps
def count(
    part: CorpusLike,
    output: str | PathLike[str],
    *,
    like: str | PathLike[str] | None = None,
    prune: int | None = None,
    options: ReadOptions | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
    **settings: Any,
) -> ModelSummary:
    """Count documents into a model file, block by block, without evaluating it: parts merge into one model.

    Parameters
    ----------
    part : str, path, LabelledSources or Corpus
        Tables, also a pattern or "-" for stdin, are read as a stream; all else as a whole.
    output : path
        The model file.
    like : path, optional
        Count with the settings and the idf of this model, instead of `settings`.
    prune, options, overwrite, progress, settings
        As in `train_stream`.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb.corpora.corpus import make_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     output = os.path.join(folder, "monday.tnb")
    ...     mail = make_corpus("mail", ["cheap pills", "lunch at noon"], ["spam", "ham"], "made up")
    ...     count(mail, output, weights="counts").documents
    {'ham': 1, 'spam': 1}
    """
    options = options or ReadOptions(text=None)
    place = ModelOutput.of(output, [part, like], overwrite=overwrite)
    if like is None:
        options, settings = with_analyzer(part, options, settings, progress)
        options = with_own_columns(part, options, progress)
        model = settings.get("model") or literature(settings)["model"]
        weights = usual_weights(model, "counts")  # parts of tf-idf have each their own idf
        settings = {"weights": weights, "ledger": False, **settings}
        settings["calibrate"] = False  # which needs all documents
        classifier = TextModel(**settings)
        learner = classifier.new_learner(keep_ledger=settings["ledger"] is True)
        fitted = replace(classifier.fitted_record(), columns=read_columns(options))
        before = learner.counts.classes
    else:
        file = open_text_model(fspath(like))
        whole, fitted = learner_of(file), fitted_of(file)
        before, learner = whole.counts.classes, whole.blank()
        learner = replace(learner, recipe=replace(learner.recipe, n_jobs=settings.get("n_jobs")))
        options = replace(options, mail=learner.recipe.analyzer.is_mail)
    learning = StreamLearner(learner, prune=prune)
    known, problems, n_problems = _learn(part, with_columns(options, fitted.columns), learning, place, progress)
    for notice in alike_notices(map(str, learning.learner.counts.classes.tolist())):
        progress.notice(notice)
    fitted = fitted.kept(before, learning.learner.counts.classes)
    path = place.save(known, lambda path: write_learner(path, learning.learner, fitted))
    return ModelSummary.of(path, learning.learner, problems=problems, n_problems=n_problems)


def _learn(
    part: CorpusLike, options: ReadOptions, learning: StreamLearner, output: ModelOutput, progress: Progress
) -> tuple[KnownDocuments, Sequence[Problem], int]:
    """Learn a part, tables as a stream, all else as a whole; what was read, and the skipped documents."""
    if isinstance(part, Corpus | LabelledSources) or part in corpus_names() or Path(part).is_dir():
        corpus = opened(part, options, progress)
        known = KnownDocuments.of(corpus.texts, corpus.classes)
        output.check(known)
        whole = [Block(len(corpus), corpus.texts, corpus.labels.tolist())]
        learning.run(lambda skip: whole)
        return known, corpus.problems, len(corpus.problems)
    roll = output.roll_call()
    stream = open_stream(part, options, passes=len(learning.stages))
    learning.run(lambda skip: _ticked(watched_blocks(stream, skip, learning, progress), roll))
    for notice in stream.notices:
        progress.notice(notice)
    counts = learning.learner.counts
    known = KnownDocuments.met(counts.n_documents, counts.classes.tolist(), roll)
    return known, stream.problems, stream.n_problems


def _ticked(blocks: Iterable[Block], roll: RollCall) -> Iterator[Block]:
    for block in blocks:
        roll.tick(block.texts)
        yield block
