"""Learning on many machines: dask workers count the partitions of a bag, and blocks of counts add up as a tree.

A worker that is lost loses nothing: dask does its partitions again, and the sum is the same to the last bit.
"""

from __future__ import annotations

import codecs
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib import import_module
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from textnb.arrays import Array
from textnb.corpora.decoding import marked_encoding
from textnb.corpora.files import STDIN, is_gzip_name
from textnb.corpora.problems import KEPT_PROBLEMS, Problem
from textnb.corpora.rows import DEFAULT_OPTIONS, ReadOptions
from textnb.corpora.stream import DocumentStream, ReadAt, Source, open_stream
from textnb.corpora.tables import GZIP_MARK
from textnb.model.learner import Learner
from textnb.model.parameters import is_auto
from textnb.statistics.counts import unique_classes
from textnb.statistics.ledger import Ledger, sum_of
from textnb.statistics.text_counts import TextCounts
from textnb.text import documents as text_documents
from textnb.text.analyzer import check_stop_words
from textnb.text.features import EMPTY_VOCABULARY
from textnb.text.threads import available_cores
from textnb.workflow.stream import FREQUENCIES, UNKNOWN, freeze_frequencies, frequency_learner, is_held_out, stages_of

if TYPE_CHECKING:
    from textnb.estimators.text_model import TextModel

BLOCK_BYTES = 64_000_000  # of a JSON-lines file that is not packed, to a partition
BYTES_END_LINES = ("utf-8-sig", "ascii", "iso8859-1", "cp1252")  # encodings in which no other character has the byte
SECONDS_TO_CONNECT = 10
# A terminal sends Ctrl-C to workers too, and they would answer by tracebacks; they end with their cluster anyway.
IGNORE_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


@dataclass(frozen=True)
class Problems:
    """How many documents were skipped, and the first thousand of them."""

    n: int = 0
    first: tuple[Problem, ...] = ()

    def __add__(self, other: Problems) -> Problems:
        return Problems(self.n + other.n, (self.first + other.first)[:KEPT_PROBLEMS])


@dataclass(frozen=True, eq=False)
class Part:
    """What a block of documents adds to a learner."""

    counts: TextCounts
    ledger: Ledger | None
    message_ids: Ledger | None
    problems: Problems

    def __add__(self, other: Part) -> Part:
        return Part(
            self.counts + other.counts,
            sum_of(self.ledger, other.ledger),
            sum_of(self.message_ids, other.message_ids),
            self.problems + other.problems,
        )


Report = Callable[[Problems], None]
Model = TypeVar("Model", bound="TextModel")


def fit_bag(classifier: Model, bag: Any, client: Any = None, *, report: Report | None = None) -> Model:
    """Fit a classifier on a dask bag of (text, label) pairs: what `fit` makes of the same documents, to the last bit.

    Parameters
    ----------
    classifier : TextClassifier
        With ``ledger=None`` it keeps no ledger, as with other streams, and it is not calibrated. "auto" is refused.
    bag : dask.bag.Bag
        It is read once, or twice for tf-idf, and once more for tf-idf of unknown words. A partition must fit in the
        memory of a worker.
    client : dask.distributed.Client, default=None
        The cluster; by default whatever dask uses by default.
    report : callable, default=None
        Called with the `Problems` of a `table_bag`, if it had any. By default they are a warning.

    Examples
    --------
    >>> import dask.bag
    >>> from textnb import TextClassifier
    >>> bag = dask.bag.from_sequence([("cheap pills", "spam"), ("cheap watches", "spam"), ("lunch at noon?", "ham")])
    >>> with dask.config.set(scheduler="threads"):
    ...     fit_bag(TextClassifier(), bag).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """
    for name, value in classifier.get_params(deep=False).items():
        if is_auto(value):
            raise ValueError(
                f"{name}='auto' is chosen with all documents at hand, which a bag does not offer: give it a value, "
                "such as one chosen on a sample"
            )
    learner = classifier.new_learner(keep_ledger=classifier.ledger is True)
    check_stop_words(learner.recipe.analyzer)
    classifier.adopt(learn_bag(learner, bag, client=client, report=report))
    classifier.predictor_  # noqa: B018  (what cannot be derived is an error of fit)
    return classifier


def learn_bag(learner: Learner, bag: Any, *, client: Any = None, report: Report | None = None) -> Learner:
    """A learner that has also learned a dask bag of (text, label) pairs; the one given stays as it is.

    The reference frequencies that weigh documents are summed on one worker; each of the others fetches them once.
    """
    dask = _imported("dask")
    stages = stages_of(learner)
    alone = replace(learner.blank(), recipe=replace(learner.recipe, n_jobs=1))  # the workers are the threads
    with nullcontext() if client is None else client.as_current():
        shared: Any = dask.delayed(alone, pure=False) if len(alone.counts.terms) else alone
        if FREQUENCIES in stages:
            shared = _kept_on_a_worker(_frozen, shared, _total(bag, _frequencies, shared))
        if UNKNOWN in stages:
            shared = _kept_on_a_worker(Learner.frozen_at_unknown, shared, _total(bag, _with_unknown, shared))
        total, taught = dask.compute(_total(bag, _learned, shared), shared)
    if total.problems.n:
        (report or _warn)(total.problems)
    if not total.counts.n_documents:
        raise ValueError("there are no documents to learn from: the bag is empty")
    if FREQUENCIES in stages and total.counts.n_documents != taught.reference.n_documents:
        raise ValueError(
            f"the bag had {taught.reference.n_documents:,} documents when it was read first, and "
            f"{total.counts.n_documents:,} when it was read again: it must not change while it is learned"
        )
    counts = learner.counts + taught.counts + total.counts
    if not len(counts.terms):
        raise ValueError(EMPTY_VOCABULARY)
    ledger, ids = sum_of(learner.ledger, total.ledger), sum_of(learner.message_ids, total.message_ids)
    return Learner(learner.recipe, counts, taught.reference, ledger, learner.pruned, message_ids=ids)


def hold_out(bag: Any, share: float, seed: int) -> tuple[Any, Any]:
    """The documents to learn from and a random share of others, each a bag. The same text is always on the same side.

    The problems of a `table_bag` stay with the documents to learn from.
    """
    held_out = partial(_is_held_out, share=share, seed=seed)
    return bag.remove(held_out), bag.filter(held_out)


def table_bag(
    spec: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    blocksize: int = BLOCK_BYTES,
    **changes: Any,
) -> Any:
    """A dask bag of the (text, label) pairs of tables: of a path, a pattern such as 'data/*.jsonl.gz', or several.

    A .jsonl file is cut into blocks of `blocksize` bytes, at the ends of lines; others are a partition each. Workers
    read them, and must see the files under the same paths. Rows are checked as everywhere; of a partition with rows
    that cannot be used, the last element is its `Problems`. With `strict`, the first one is a ValueError. Keywords
    change single `ReadOptions`.
    """
    dask_bag = _imported("dask.bag")
    names = [spec] if isinstance(spec, str | os.PathLike) else list(spec)
    if STDIN in names:
        raise ValueError("stdin cannot be read by several workers: save it in a file, and give that.")
    if blocksize < 1:
        raise ValueError(f"blocksize must be a number of bytes, 1 or more, got {blocksize!r}")
    stream = open_stream([Path(name).absolute() for name in names], options, **changes)
    sources = [block for source in stream.sources for block in _cut(source, stream.options.encoding, blocksize)]
    read = partial(_documents, options=stream.options)
    return dask_bag.from_sequence(sources, partition_size=1).map(read).flatten()


@contextmanager
def connect(scheduler: str | None = None, *, n_workers: int | None = None) -> Iterator[Any]:
    """A dask client of the scheduler at an address, or of a local cluster, which ends with the context.

    Workers elsewhere need textnb installed, too. A local cluster has a process for every core, or `n_workers`, which
    import the main module of the program: a script that connects does so below ``if __name__ == "__main__":``.
    """
    distributed = _imported("distributed")
    if scheduler is None:
        local = distributed.LocalCluster(
            n_workers=n_workers or available_cores(),
            threads_per_worker=1,
            dashboard_address=":0",  # whichever port is free
            silence_logs=logging.CRITICAL,  # what cannot be mended is an exception
            preload=IGNORE_INTERRUPTS,
        )
        with local as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise OSError(
            f"no dask scheduler can be reached at {scheduler} ({error}): check the address, start one with "
            "`dask scheduler`, or give none for a cluster on this machine"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
        except TimeoutError:
            raise OSError(
                f"the dask scheduler at {scheduler} has no workers: start some with `dask worker {scheduler}`"
            ) from None
        yield client


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(
            f'the dask engine needs dask ({error}): pip install ".[dask]" in the clone of textnb'
        ) from error


def _warn(problems: Problems) -> None:
    where, why = problems.first[0]
    warnings.warn(f"{problems.n:,} documents were skipped; the first, {where}: {why}.", stacklevel=3)


# Passes over the bag


def _total(bag: Any, count: Callable[[Iterable[Any], Learner], list[Any]], shared: Any) -> Any:
    """The sum of what is counted of each partition, to be computed."""
    documents = bag.map_partitions(list)  # an iterator, counted again after a loss, would be found at its end
    return documents.map_partitions(count, shared).reduction(_sum, _sum)


def _sum(parts: Iterable[Any]) -> Any:
    return reduce(add, parts)


def _kept_on_a_worker(freeze: Callable[[Learner, Any], Learner], shared: Any, total: Any) -> Any:
    """The learner that knows the total, kept on a worker. Should that be lost, dask knows how it was made."""
    dask = _imported("dask")
    (total,) = dask.persist(total)  # on its own: only so are the steps of a bag taken in one
    (kept,) = dask.persist(dask.delayed(freeze, pure=False)(shared, total))
    dask.delayed(_is_made)(kept).compute()  # a pass that began before the end of this one would keep its documents
    return kept


def _is_made(learner: Learner) -> bool:
    return True


def _frequencies(documents: Iterable[Any], learner: Learner) -> list[TextCounts]:
    counting = frequency_learner(learner)
    for texts, _, _ in _blocks(documents):
        counting = counting.add(texts, np.zeros(len(texts), dtype=np.int64), np.array(["all"]))
    return [counting.counts]


def _frozen(learner: Learner, frequencies: TextCounts) -> Learner:
    return freeze_frequencies(learner, Learner(frequency_learner(learner).recipe, frequencies))


def _with_unknown(documents: Iterable[Any], learner: Learner) -> list[int]:
    return [sum(learner.documents_with_unknown(texts) for texts, _, _ in _blocks(documents))]


def _learned(documents: Iterable[Any], learner: Learner) -> list[Part]:
    return [_sum(_part(learner, *block) for block in _blocks(documents))]


def _part(learner: Learner, texts: list[str], labels: list[Any], problems: Problems) -> Part:
    classes, class_ids = unique_classes(_labels(labels))
    texts = list(text_documents.as_strings(texts, is_mail=learner.recipe.analyzer.is_mail))
    counts = learner.counts_of(learner.count(texts), class_ids, classes)
    return Part(counts, *learner.ledger_entries(texts, class_ids, classes), problems)


def _blocks(documents: Iterable[Any]) -> Iterator[tuple[list[str], list[Any], Problems]]:
    """Texts and labels of a partition, in blocks of so many characters; at least one block, if an empty one."""
    texts: list[str] = []
    labels: list[Any] = []
    problems, characters = Problems(), 0
    for document in documents:
        if isinstance(document, Problems):
            problems += document
            continue
        text, label = _pair(document)
        texts.append(text)
        labels.append(label)
        characters += len(text)
        if characters >= text_documents.BLOCK_CHARACTERS:
            yield texts, labels, problems
            texts, labels, problems, characters = [], [], Problems(), 0
    yield texts, labels, problems


def _pair(document: Any) -> tuple[str, Any]:
    if not isinstance(document, tuple | list) or len(document) != 2:
        raise ValueError(f"a bag to learn from has (text, label) pairs, got {document!r:.60}")
    text, label = document
    return text_documents.decode_document(text, None, "utf-8", "strict"), label


def _labels(labels: list[Any]) -> Array:
    if not labels:
        return np.zeros(0, dtype=np.int64)
    mixed = len({isinstance(label, str) for label in labels}) > 1  # which numpy would make strings of
    array = np.array(labels, dtype=object if mixed else None)
    if array.ndim != 1 or array.dtype.kind not in "Uiub":
        raise ValueError(
            f"labels must be strings, whole numbers or booleans, all of one kind, got {labels[:3]!r:.60} …"
        )
    return array


def _is_held_out(document: Any, share: float, seed: int) -> bool:
    return not isinstance(document, Problems) and is_held_out(_pair(document)[0], share, seed)


# Tables


def _cut(source: Source, encoding: str | None, blocksize: int) -> list[Source]:
    """A file in blocks, if it can be read from the middle: lines say themselves where they begin."""
    if source.size is None:
        raise ValueError(
            f"{source.name} is a pipe, which several workers cannot read: save it in a file, and give that."
        )
    with source.open() as read_at:
        start = read_at(0, 4)
    packed = is_gzip_name(source.name) or start.startswith(GZIP_MARK)
    plain = encoding is None or codecs.lookup(encoding).name in BYTES_END_LINES
    if source.format != "jsonl" or packed or marked_encoding(start) or not plain:
        return [source]
    return [_block(source, at, min(at + blocksize, source.size)) for at in range(0, source.size, blocksize)] or [source]


def _block(source: Source, start: int, end: int) -> Source:
    name = source.name if start == 0 else f"{source.name}, after byte {start}"
    return Source(name, partial(_open_block, source.name, start, end), end - start, source.format)


@contextmanager
def _open_block(path: str, start: int, end: int) -> Iterator[ReadAt]:
    """The lines that begin after byte `start`, up to the one that `end` is in; a file's first line is in the first."""
    with Path(path).open("rb") as file:
        begin, end = start and _line_end(file, start), _line_end(file, end)
        # A block begins with the end of the line before, lest its first bytes be taken for a byte order mark.
        begin = max(begin - 1, 0) if begin < end else end
        file.seek(begin)
        yield lambda position, size: file.read(min(size, end - begin - position))


def _line_end(file: Any, position: int) -> int:
    file.seek(position)
    while (piece := file.readline(1 << 20)) and not piece.endswith(b"\n"):
        pass
    return int(file.tell())


def _documents(source: Source, options: ReadOptions) -> Iterator[tuple[str, str] | Problems]:
    stream = DocumentStream([source], options)
    for row in stream._rows():
        yield row.text, row.label
    if stream.n_problems:
        yield Problems(stream.n_problems, tuple(stream.problems))
