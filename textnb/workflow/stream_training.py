"""Training on a stream: documents are read as often as needed, and never held in memory all at once."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from textnb.corpora import corpus_names
from textnb.corpora.files import STDIN
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.problems import skipped_sentence
from textnb.corpora.rows import ReadOptions
from textnb.corpora.stream import DocumentStream, open_stream
from textnb.estimators.text_model import TextModel
from textnb.model.records import to_json
from textnb.statistics.ledger import RollCall
from textnb.text.documents import batches
from textnb.text.steps import each
from textnb.workflow.inputs import TextInput, shown_settings, told_settings
from textnb.workflow.metrics import Evaluation, measure
from textnb.workflow.near_misses import alike_notices
from textnb.workflow.outputs import KnownDocuments, ModelOutput, free_name
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import read_columns, with_analyzer, with_own_columns
from textnb.workflow.results import TrainingResult
from textnb.workflow.stream import (
    Block,
    StreamLearner,
    blocks_of,
    is_checkpoint,
    is_held_out,
    resume,
    write_checkpoint,
)
from textnb.workflow.training import check_share, checked_settings

IsHeldOut: TypeAlias = Callable[[str], bool]
Undisturbed: TypeAlias = Callable[[], AbstractContextManager[None]]

MOST_EVALUATED = 200_000  # documents held out that are predicted, however many there are


@hears_steps
def train_stream(
    source: str | PathLike[str] | LabelledSources,
    *,
    test_size: float = 0.3,
    seed: int = 0,
    prune: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    options: ReadOptions | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    refit: bool = False,
    compact: bool = False,
    undisturbed: Undisturbed = nullcontext,
    progress: Progress = SILENT,
    **settings: Any,
) -> TrainingResult:
    """Train on tables of any size, evaluate on the documents held out of them, and perhaps save the model.

    Parameters
    ----------
    source : path, pattern such as 'data/*.jsonl.gz', "-" for stdin, or LabelledSources
    test_size, seed
        The share that is held out, by a hash of the text, and the seed of the hash; 0 holds nothing out.
    prune : int, optional
        Keep at most this many terms: the rarest become unknown words, and nothing can be forgotten.
    checkpoint : path, optional
        Where to save what was learned if a KeyboardInterrupt arrives between two blocks, and to go on from if it is
        there. It is removed at the end. Any other file of that name is refused, unless `overwrite` is true.
    engine : {"local", "dask"}, default="local"
        What counts; with dask the workers of a cluster, at the address `scheduler` or on this machine.
    undisturbed : callable that gives a context manager, optional
        Within it a block is learned; it can hold interrupts back until the block is done.
    options, output, overwrite, refit, compact, progress, settings
        As in `train`; nothing can be "auto". A stream knows its documents only at its end: an output that is refused
        then is left as it is, and the model is saved beside it.

    Examples
    --------
    >>> import json, os, tempfile
    >>> rows = [{"text": f"{word} {n}", "label": label} for n in range(10, 60) for word, label in
    ...         [("cheap", "spam"), ("lunch", "ham")]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.jsonl")
    ...     with open(path, "w") as file:
    ...         _ = file.write("\\n".join(map(json.dumps, rows)))
    ...     train_stream(path, weights="counts").evaluation.accuracy
    1.0
    """
    name = str(source) if isinstance(source, LabelledSources) else fspath(source)
    options = replace(options or ReadOptions(), text=(options and options.text) or "text")
    check_share(test_size)
    if checkpoint is not None and output is not None and os.path.realpath(checkpoint) == os.path.realpath(output):
        raise ValueError("checkpoint and output are two files: a checkpoint is removed when the model is done")
    place = None if output is None else ModelOutput.of(output, [source], overwrite=overwrite)
    if checkpoint is not None:
        ModelOutput.of(checkpoint, [source], overwrite=overwrite)
    if name in corpus_names() or (not isinstance(source, LabelledSources) and Path(source).is_dir()):
        raise ValueError(
            f"{name} is no table, and can only be read as a whole: train without a stream (no prune, checkpoint or "
            "engine dask), or give tables"
        )
    options, settings = with_analyzer(source, options, checked_settings(settings, can_choose=False), progress)
    options = with_own_columns(source, options, progress)
    keep_ledger = settings.get("ledger") is True
    classifier = TextModel(**settings | {"ledger": keep_ledger, "calibrate": False})  # which needs all documents
    learning = StreamLearner(classifier.new_learner(keep_ledger=keep_ledger), prune=prune)
    roll = RollCall(None) if place is None else place.roll_call()
    n_passes = len(learning.stages) + (test_size > 0 or roll.is_needed) + refit
    documents = open_stream(source, options, passes=n_passes)
    held_out = partial(is_held_out, share=test_size, seed=seed)
    about = {
        "parameters": _identity(classifier),
        "source": name,
        **{name: getattr(options, name) for name in ("text", "label", "format", "encoding")},
        "test size": test_size,
        "seed": seed,
        "prune": prune,
    }
    kept = None if checkpoint is None else Path(checkpoint)
    evaluation, n_held_out = None, 0
    with _kept_if_interrupted(kept, learning, about, overwrite, progress):
        if engine == "dask":
            if isinstance(source, LabelledSources):
                raise ValueError("dask reads tables: give their pattern, without a class, or leave out the engine")
            if prune is not None or checkpoint is not None or name == STDIN:
                raise ValueError("dask reads files, not stdin, and can neither prune nor keep a checkpoint")
            learn_on_cluster(classifier, name, options, test_size, seed, scheduler, progress)
        else:
            learning.run(lambda skip: watched_blocks(documents, skip, learning, progress, held_out), undisturbed)
            classifier.adopt(learning.learner)
        if len(classifier.classes_) < 2:
            (only,) = classifier.classes_.tolist()
            skipped = skipped_sentence(documents.problems, documents.n_problems)
            raise ValueError(f"{name} has only the class {only!r} to learn: a classifier needs two or more.{skipped}")
        for notice in [*documents.notices, *alike_notices(classifier.classes_.tolist())]:
            progress.notice(notice)
        n_train = classifier.n_documents_
        if test_size > 0 or roll.is_needed:
            progress.status("evaluating …")
            evaluation, n_held_out = evaluate_stream(classifier, documents, held_out, roll)
            if evaluation is None and test_size > 0:
                raise ValueError(
                    f"no document of {documents.name} was held out to evaluate on: use a larger test size (--test-size)"
                )
        if refit and n_held_out:
            learn_rest(classifier, documents, held_out, prune, progress)
    TextInput().name_columns(classifier, read_columns(options))
    path = None
    if place is not None:
        known = KnownDocuments.met(n_train + n_held_out, classifier.classes_.tolist(), roll)
        path = place.save(known, lambda path: classifier.save(path, compact=compact))
    if checkpoint is not None:
        _remove_checkpoint(Path(checkpoint), progress)
    some = f", {evaluation.n:,} of them predicted" if evaluation is not None and evaluation.n < n_held_out else ""
    by_hash = f"{test_size:.0%} held out by a hash of the text{some}"
    return TrainingResult(
        corpus=name,
        edition=f"{documents.name}, {n_train + n_held_out:,} documents",
        n_train=n_train,
        n_learned=classifier.n_documents_,
        n_documents=n_train + n_held_out,
        evaluated_on="nothing" if evaluation is None else by_hash,
        settings=shown_settings(classifier.parameters_in_use),
        told=told_settings(classifier),
        evaluation=evaluation,
        model=classifier,
        model_file=path,
        compact=compact,
        problems=documents.problems,
        n_problems=documents.n_problems,
    )


def _identity(classifier: TextModel) -> dict[str, Any]:
    """The parameters that a checkpoint must agree with: all but the number of threads."""
    parameters = classifier.get_params(deep=False)
    given = parameters.pop("vocabulary") is not None
    del parameters["n_jobs"]
    return {**{name: to_json(value) for name, value in parameters.items()}, "vocabulary": given}


@contextmanager
def _kept_if_interrupted(
    path: Path | None, learning: StreamLearner, about: dict[str, Any], overwrite: bool, progress: Progress
) -> Iterator[None]:
    """Go on from the checkpoint of a training, if there is one, and save another if this one is interrupted."""
    if path is not None and path.exists() and not (overwrite and not is_checkpoint(path, about)):
        resume(path, learning, about)
        where = f"{learning.rows:,} documents into the pass" if learning.stages else "where all was learned"
        progress.notice(f"going on from {path}, {where}")
    try:
        yield
    except KeyboardInterrupt:
        if path is not None and not learning.is_busy:
            if path.exists() and not overwrite and not is_checkpoint(path, about):
                path = free_name(path)  # somebody has put another file there
            saved = write_checkpoint(path, learning, about)
            progress.warn(
                f"saved what was learned in {path}; the same command goes on from there"
                if saved
                else f"nothing was learned yet: there is nothing to save in {path}"
            )
        raise


def _remove_checkpoint(path: Path, progress: Progress) -> None:
    """Of a training that is done: what becomes of the file is no failure of it any more."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        progress.warn(f"the model is done, but its checkpoint {path} cannot be removed ({error.strerror}): remove it")


def watched_blocks(
    documents: DocumentStream,
    skip: int,
    learning: StreamLearner,
    progress: Progress,
    is_held_out: IsHeldOut = lambda text: False,
) -> Iterator[Block]:
    """The blocks of a pass over a stream, with a bar of its bytes."""
    n_documents = n_bytes = 0
    with progress.bar(learning.stage, "B", documents.n_bytes) as advance:
        for block in blocks_of(documents.iterate(skip), is_held_out, learning.block_characters):
            yield block
            n_documents += block.n_rows
            advance(documents.bytes_read - n_bytes, f"{n_documents:,} documents")
            n_bytes = documents.bytes_read


def learn_on_cluster(
    classifier: TextModel,
    source: str,
    options: ReadOptions,
    share: float,
    seed: int,
    scheduler: str | None,
    progress: Progress,
) -> None:
    from textnb.workflow.cluster import connect, fit_bag, hold_out, table_bag

    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # of what an interrupt leaves behind it prints tracebacks
    with connect(scheduler) as client:
        progress.status(f"counting on {client} …")
        learn, _ = hold_out(table_bag(source, options), share, seed)
        fit_bag(classifier, learn, client, report=lambda problems: None)  # evaluation meets the same, and tells


def learn_rest(
    classifier: TextModel, documents: DocumentStream, is_held_out: IsHeldOut, prune: int | None, progress: Progress
) -> None:
    """Learn the documents held out, too."""
    assert classifier.learner_ is not None
    rest = StreamLearner(classifier.learner_, prune=prune)
    rest.run(lambda skip: watched_blocks(documents, skip, rest, progress, lambda text: not is_held_out(text)))
    classifier.adopt(rest.learner)


def evaluate_stream(
    classifier: TextModel, documents: DocumentStream, is_held_out: IsHeldOut, roll: RollCall
) -> tuple[Evaluation | None, int]:
    """The evaluation on the documents held out, if there are any, and their number; all are ticked off the roll."""
    classes = classifier.classes_.astype(np.str_)
    truth: list[str] = []
    scores = []
    n = 0
    for block in each(batches(documents.iterate(), 1000), "evaluating", " thousand documents"):
        roll.tick(row.text for row in block)
        rows = [row for row in block if is_held_out(row.text)]
        n += len(rows)
        if rows and n <= MOST_EVALUATED:
            truth += [row.label for row in rows]
            scores.append(classifier.predict_log_proba([row.text for row in rows]))
    if not truth:
        return None, 0
    log_probabilities = np.concatenate(scores)
    predicted = classes[log_probabilities.argmax(axis=1)]
    return measure(np.array(truth), predicted, classes, log_probabilities=log_probabilities), n
