"""Learning and forgetting: a message into a model file of 100,000 words, and 20 Newsgroups in pieces.

    python benchmarks/learning.py [--rounds 20]

The goal is 50 ms for `learn`, and for `forget`, beyond the start of the process and its imports.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from common import write_results
from stream_data import made_up_documents, spelling

from textnb import TextClassifier, load_corpus
from textnb.model.parameters import Weights
from textnb.model.update import update_model

GOAL = 0.050
N_WORDS, N_DOCUMENTS = 100_000, 2_000
MESSAGE = " ".join(spelling(rank * rank % 150_000) for rank in range(300))  # of a hundred words some are new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", choices=["message", "newsgroups"])
    arguments = parser.parse_args()
    parts: dict[str, Callable[[], Any]] = {
        "message": lambda: measure_messages(arguments.rounds),
        "newsgroups": measure_newsgroups,
    }
    results = {name: part() for name, part in parts.items() if arguments.only in (None, name)}
    if arguments.only is None:
        write_results("learning", {"rounds": arguments.rounds, "goal": GOAL, **results})


# One message


def measure_messages(rounds: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    schemes: tuple[Weights, ...] = ("counts", "log-tfidf")
    for weights in schemes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.tnb")
            make_model(path, weights)
            found[weights] = {
                "megabytes": path.stat().st_size / 1e6,
                "in a process": measure(rounds, lambda what, path=path: change(path, what)),  # type: ignore[misc]
                "the command": measure(rounds, lambda what, path=path: run_command(path, what)),  # type: ignore[misc]
            }
        for where in ("in a process", "the command"):
            for what, times in found[weights][where].items():
                shown = ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in times.items())
                print(f"{weights:9} {what:6} {where:12}: {shown}", flush=True)
    return found


def make_model(path: Path, weights: Weights) -> None:
    """Two classes and exactly so many words, each document with its share of them."""
    words = [spelling(rank) for rank in range(N_WORDS)]
    texts = [
        " ".join([*words[i::N_DOCUMENTS], text.decode()])
        for i, (_, text) in enumerate(islice(made_up_documents(), N_DOCUMENTS))
    ]
    known = set(words)
    texts = [" ".join(word for word in text.split() if word in known) for text in texts]
    model = TextClassifier("complement", weights, calibrate=False).fit(texts, ["ham", "spam"] * (N_DOCUMENTS // 2))
    assert len(model.vocabulary_) == N_WORDS
    model.save(path)


def change(path: Path, what: str) -> None:
    """What the command does once it is running."""
    update_model(path, lambda learner: getattr(learner, what)([MESSAGE], np.array(["ham"])))


def run_command(path: Path, what: str) -> None:
    words = [sys.executable, "-m", "textnb", what, str(path), "--label", "ham"]
    subprocess.run(words, input=MESSAGE.encode(), check=True, capture_output=True)


def measure(rounds: int, work: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Best and median seconds of learning and of forgetting: on the clock, and of the processor."""
    wall: dict[str, list[float]] = {"learn": [], "forget": []}
    processor: dict[str, list[float]] = {"learn": [], "forget": []}
    for _ in range(rounds):
        for what in wall:
            started, cpu = time.perf_counter(), processor_time()
            work(what)
            wall[what].append(time.perf_counter() - started)
            processor[what].append(processor_time() - cpu)
    return {
        what: {
            "best": min(wall[what]),
            "median": median(wall[what]),
            "processor, best": min(processor[what]),
            "processor, median": median(processor[what]),
        }
        for what in wall
    }


def processor_time() -> float:
    """Of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# 20 Newsgroups in pieces


def measure_newsgroups() -> dict[str, Any]:
    """All at once, one document at a time, in batches and as merged halves: seconds, and the same predictions."""
    train, test = (load_corpus("20news", subset) for subset in ("train", "test"))
    texts, labels = train.texts, train.labels
    order = np.random.default_rng(0).permutation(len(texts))

    def learned(size: int) -> TextClassifier:
        model = new_model()
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            model.learn([texts[i] for i in batch], labels[batch])
        return model

    def halves() -> TextClassifier:
        first, last = (new_model().fit([texts[i] for i in half], labels[half]) for half in np.array_split(order, 2))
        return first + last

    ways: dict[str, Callable[[], TextClassifier]] = {
        "all at once": lambda: new_model().fit(texts, labels),
        "one document at a time": lambda: learned(1),
        "batches of 500": lambda: learned(500),
        "two merged halves": halves,
    }
    seconds, scores = {}, {}
    for name, way in ways.items():
        started = time.perf_counter()
        model = way()
        model.predictor_  # noqa: B018  (the rule is derived when it is asked for)
        seconds[name] = time.perf_counter() - started
        scores[name] = model.predict_log_proba(test.texts)
        same = np.array_equal(scores[name], scores["all at once"])
        print(f"{name:24} {seconds[name]:6.2f} s, predictions {'the same' if same else 'NOT the same'}", flush=True)
        assert same
    return {"seconds": seconds, "test_documents": len(test.texts), "accuracy": accuracy(model, scores, test.labels)}


def new_model() -> TextClassifier:
    return TextClassifier("complement", "counts", calibrate=False)


def accuracy(model: TextClassifier, scores: dict[str, Any], labels: Any) -> float:
    return float(np.mean(model.classes_[scores["all at once"].argmax(axis=1)] == labels))


if __name__ == "__main__":
    main()
