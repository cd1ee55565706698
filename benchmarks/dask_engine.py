"""20 Newsgroups learned by a dask cluster of three worker processes, of which one is killed midway.

    python benchmarks/dask_engine.py

The log-probabilities of all test documents must be those of learning in memory, digit for digit, and the model files
the same bytes. Times are of one machine that does the work of three: they show what a lost worker costs, not what a
cluster gains. Written to benchmarks/results/dask_engine.json.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from common import write_results

from textnb import TextClassifier, load_corpus
from textnb.corpora import Corpus
from textnb.model.parameters import Model, Weights
from textnb.workflow.cluster import connect, fit_bag, table_bag

RECIPES: tuple[tuple[Model, Weights], ...] = (
    ("multinomial", "counts"),
    ("complement", "counts"),
    ("complement", "log-tfidf"),
)
N_WORKERS = 3
BLOCK_BYTES = 1_000_000


def main() -> None:
    train, test = (load_corpus("20news", subset) for subset in ("train", "test"))
    with tempfile.TemporaryDirectory() as name, connect(n_workers=N_WORKERS) as client:
        folder = Path(name)
        path = folder / "train.jsonl"
        rows = zip(train.texts, train.labels.tolist(), strict=True)
        path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
        bag = table_bag(path, blocksize=BLOCK_BYTES)
        fit_bag(TextClassifier("multinomial", "counts"), bag, client)  # all workers import what they need
        results = [measure(recipe, train, test, bag, client, folder) for recipe in RECIPES]
    write_results("dask_engine", {"workers": N_WORKERS, "partitions": bag.npartitions, "recipes": results})
    print(json.dumps(results, indent=1))
    if not all(result["same_predictions"] and result["same_file"] and result["killed"] for result in results):
        sys.exit("the cluster did not learn what one machine does, or no worker was killed")


def measure(
    recipe: tuple[Model, Weights], train: Corpus, test: Corpus, bag: Any, client: Any, folder: Path
) -> dict[str, Any]:
    """Learn in memory, by all workers, and by all workers of which one is killed halfway through the last pass."""
    model, weights = recipe
    classifiers = [TextClassifier(model, weights, calibrate=False, ledger=False) for _ in range(3)]
    passed = folder / f"{model}-{weights}"
    passed.mkdir()
    last_pass = bag.npartitions if weights.endswith("tfidf") else 0
    fatal = bag.map_partitions(killing(passed, last_pass + bag.npartitions // 2))
    seconds = [
        timed(lambda: classifiers[0].fit(train.texts, train.labels)),
        timed(lambda: fit_bag(classifiers[1], bag, client)),
        timed(lambda: fit_bag(classifiers[2], fatal, client)),
    ]
    client.wait_for_workers(N_WORKERS)
    expected, *found = (classifier.predict_log_proba(test.texts) for classifier in classifiers)
    file, *files = (saved(classifier, folder) for classifier in classifiers)
    return {
        "model": model,
        "weights": weights,
        "same_predictions": all(np.array_equal(expected, each) for each in found),
        "same_file": all(file == each for each in files),
        "killed": (passed / "killed").exists(),
        "accuracy": float(np.mean(classifiers[2].predict(test.texts) == test.labels)),
        "seconds_in_memory": seconds[0],
        "seconds_by_workers": seconds[1],
        "seconds_with_one_killed": seconds[2],
    }


def killing(folder: Path, times: int) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Passes partitions on, but the worker that comes to the one with this number dies."""

    def pass_on(partition: Iterable[Any]) -> Iterator[Any]:
        number = len(list(folder.iterdir())) + 1
        (folder / f"{number}-{os.getpid()}").touch()
        if number >= times:
            with suppress(FileExistsError):
                (folder / "killed").touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        yield from partition

    return pass_on


def timed(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def saved(classifier: TextClassifier, folder: Path) -> bytes:
    path = folder / "model.tnb"
    classifier.save(path)
    return path.read_bytes()


if __name__ == "__main__":
    main()
