"""What textnb chooses by itself beside what people choose by hand: one table of test accuracy, log-loss and time.

    python benchmarks/choice.py [--corpora 20news r8 …] [--columns auto grid svc logistic fasttext]

Columns:

- auto      `TextClassifier()`: everything chosen on the training documents
- best      `TextClassifier(model="best")`: linear models are tried too
- grid      scikit-learn's naive Bayes: Multinomial, Complement and Bernoulli × five alphas × counts and tf-idf × words
            and words with pairs, by five stratified folds of the training documents, then fitted on all of them. Here
            every fold is counted once for all candidates. A GridSearchCV of a pipeline counts it for each of them:
            what that takes is added up from the same measurements, as `pipeline_cpu_seconds`
- svc       scikit-learn's LinearSVC on log-tf-idf of words and pairs in two documents or more
- logistic  scikit-learn's LogisticRegression on the same
- fasttext  fastText's supervised mode with pairs, where the package is installed: a rate of 0.5 and 100 epochs. The 25
            of its tutorial are too few for 20 Newsgroups, and its own search finds less in a minute

Test documents are a corpus's own, or those that `textnb train` holds out. Beside the measures stands, for every column,
which documents it got right, so that columns measured at different times can be compared document by document. Columns
that were measured before stay in the file; times are CPU seconds of all threads, from lists of strings to the last
prediction. Results go to benchmarks/results/choice.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from common import RESULTS, run_facts, write_results

from textnb import TextClassifier, load_corpus
from textnb.arrays import Array
from textnb.workflow.training import split_documents

CORPORA = ["20news", "r8", "imdb", "movie-reviews", "sentence-polarity", "subjectivity", "sms-spam", "enron-spam"]
ALPHAS = (1.0, 0.5, 0.1, 0.05, 0.01)
N_FOLDS = 5
TENTH = 0.1  # of the grid's time is what `auto` may take
POINTS = 0.5  # by which it may be behind, or by two paired standard errors if those are more


class Task(NamedTuple):
    """Documents to learn from and to predict, and the groups of the first, if there are any."""

    texts: list[str]
    labels: Array
    new_texts: list[str]
    groups: Array | None
    classes: Array


class Answer(NamedTuple):
    """The classes predicted, their log-probabilities (n, K) where there are any, what was chosen, and more."""

    predicted: Array
    log_probabilities: Array | None = None
    chosen: str = ""
    more: dict[str, Any] = {}  # noqa: RUF012  (nobody writes to it)


def auto(task: Task) -> Answer:
    return _textnb(TextClassifier(), task)


def best(task: Task) -> Answer:
    return _textnb(TextClassifier(model="best"), task)


def _textnb(classifier: TextClassifier, task: Task) -> Answer:
    classifier.fit(task.texts, task.labels, groups=task.groups)
    log_probabilities = classifier.predict_log_proba(task.new_texts)
    names = ("model", "weights", "ngrams", "analyzer", "tokenizer", "min_df", "alpha", "C", "beta")
    used = classifier.parameters_in_use
    chosen = ", ".join(f"{name} {used[name]}" for name in names if used[name] is not None)
    return Answer(classifier.classes_[log_probabilities.argmax(axis=1)], log_probabilities, chosen)


def grid(task: Task) -> Answer:
    """The best by folds, each counted once for all candidates; folds keep groups together where there are any."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    folds = (StratifiedKFold if task.groups is None else StratifiedGroupKFold)(N_FOLDS, shuffle=True, random_state=0)
    right: dict[tuple[Any, ...], int] = {}
    clock = Clock()
    for learn, test in folds.split(task.labels, task.labels, task.groups):
        texts, later = ([task.texts[i] for i in rows] for rows in (learn, test))
        for candidate, model, rows in _candidates(texts, task.labels[learn], later, clock):
            right[candidate] = right.get(candidate, 0) + int(np.sum(model.predict(rows) == task.labels[test]))
            clock.own()
    winner = max(right, key=right.__getitem__)
    for candidate, model, rows in _candidates(task.texts, task.labels, task.new_texts, clock, winner):
        if candidate == winner:
            predicted, log_probabilities = model.predict(rows), model.predict_log_proba(rows)
            clock.own()
            more = {"pipeline_cpu_seconds": clock.total, "n_candidates": len(right)}
            return Answer(predicted, log_probabilities, ", ".join(map(str, winner)), more)
    raise AssertionError(winner)


class Clock:
    """Adds up what would be spent if every candidate did what all of them share by itself."""

    def __init__(self) -> None:
        self.total = 0.0
        self.shared = 0.0
        self._last = time.process_time()

    def lap(self) -> float:
        now = time.process_time()
        taken, self._last = now - self._last, now
        return taken

    def own(self) -> None:
        """A candidate is done."""
        self.total += self.lap() + self.shared


def _candidates(
    texts: list[str], labels: Array, later: list[str], clock: Clock, only: tuple[Any, ...] | None = None
) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Every candidate with its fitted model, and the later documents in its features."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

    models = {"multinomial": MultinomialNB, "complement": ComplementNB, "bernoulli": BernoulliNB}
    for ngrams in [(1, 1), (1, 2)] if only is None else [only[0]]:
        clock.lap()
        counting = CountVectorizer(ngram_range=ngrams)
        known, new = counting.fit_transform(texts), counting.transform(later)
        counted = clock.shared = clock.lap()
        for weights in ["counts", "tfidf"] if only is None else [only[1]]:
            rows, new_rows = known, new
            if weights == "tfidf":
                weighting = TfidfTransformer().fit(known)
                rows, new_rows = weighting.transform(known), weighting.transform(new)
                clock.shared = counted + clock.lap()
            for name, alpha in product(models, ALPHAS):
                candidate = (ngrams, weights, name, alpha)
                if only in (None, candidate):
                    yield candidate, models[name](alpha=alpha).fit(rows, labels), new_rows


def svc(task: Task) -> Answer:
    from sklearn.svm import LinearSVC

    known, new = _log_tfidf(task)
    return Answer(LinearSVC().fit(known, task.labels).predict(new))


def logistic(task: Task) -> Answer:
    from sklearn.linear_model import LogisticRegression

    known, new = _log_tfidf(task)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(known, task.labels)
    return Answer(model.predict(new), model.predict_log_proba(new))


def _log_tfidf(task: Task) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return vectorizer.fit_transform(task.texts), vectorizer.transform(task.new_texts)


def fasttext(task: Task) -> Answer | None:
    try:
        import fasttext as package
    except ImportError:
        return None
    ids = np.searchsorted(task.classes, task.labels)
    lines = [f"__label__{i} {' '.join(text.lower().split())}\n" for i, text in zip(ids, task.texts, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        path.write_text("".join(lines), encoding="utf-8", errors="replace")
        model = package.train_supervised(str(path), wordNgrams=2, epoch=100, lr=0.5, thread=2, verbose=0)
    found = np.full((len(task.new_texts), len(task.classes)), 1e-10)
    for row, text in enumerate(task.new_texts):
        pairs = model.f.predict(" ".join(text.lower().split()) + "\n", len(task.classes), 0.0, "strict")
        for probability, label in pairs:
            found[row, int(label.removeprefix("__label__"))] = max(probability, 1e-10)
    return Answer(task.classes[found.argmax(axis=1)], np.log(found / found.sum(axis=1, keepdims=True)))


COLUMNS: dict[str, Callable[[Task], Answer | None]] = {
    "auto": auto,
    "best": best,
    "grid": grid,
    "svc": svc,
    "logistic": logistic,
    "fasttext": fasttext,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--columns", nargs="+", default=list(COLUMNS), choices=list(COLUMNS))
    arguments = parser.parse_args()
    for name, column in product(arguments.corpora, arguments.columns):
        measured = measure(name, column)
        if measured is None:
            print(f"{name:18} {column:9} is not to be had here", flush=True)
            continue
        results = earlier()
        of_corpus = results.setdefault(name, {"corpus": name, "columns": {}})
        of_corpus |= {"n_train": measured.pop("n_train"), "n_test": measured.pop("n_test")}
        of_corpus["columns"][column] = measured | {"measured_by": run_facts()}
        of_corpus |= compared(of_corpus["columns"])
        order = [corpus for corpus in CORPORA if corpus in results]
        write_results("choice", {"measured": [results[corpus] for corpus in order]})
        loss = "" if measured["log_loss"] is None else f"  log-loss {measured['log_loss']:.4f}"
        print(
            f"{name:18} {column:9} accuracy {measured['accuracy']:.4f}  macro-F1 {measured['macro_f1']:.4f}{loss}  "
            f"{measured['cpu_seconds']:.1f} s of CPU  {measured['chosen']}",
            flush=True,
        )


def earlier() -> dict[str, Any]:
    """What was measured before, by corpus."""
    path = RESULTS / "choice.json"
    if not path.exists():
        return {}
    return {row["corpus"]: row for row in json.loads(path.read_text(encoding="utf-8"))["measured"]}


def task_of(name: str) -> tuple[Task, Array]:
    """A corpus, divided, and the classes of the documents to be predicted."""
    corpus = load_corpus(name, quiet=True)
    learn, test, _ = split_documents(corpus)
    texts, new_texts = ([corpus.texts[row] for row in rows] for rows in (learn, test))
    labels, groups = np.asarray(corpus.labels), None if corpus.groups is None else corpus.groups[learn]
    return Task(texts, labels[learn], new_texts, groups, np.unique(labels[learn])), labels[test]


def measure(name: str, column: str) -> dict[str, Any] | None:
    """The measures of one column on one corpus."""
    from sklearn.metrics import f1_score

    task, truth = task_of(name)
    started, worked = time.perf_counter(), time.process_time()
    answer = COLUMNS[column](task)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - worked
    if answer is None:
        return None
    right = answer.predicted == truth
    loss = None
    if answer.log_probabilities is not None:
        at = np.searchsorted(task.classes, truth)
        loss = -float(np.mean(np.maximum(answer.log_probabilities[np.arange(len(truth)), at], np.log(1e-15))))
    return {
        "n_train": len(task.texts),
        "n_test": len(truth),
        "accuracy": float(right.mean()),
        "macro_f1": float(f1_score(truth, answer.predicted, average="macro")),
        "log_loss": loss,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        **answer.more,
        "chosen": answer.chosen,
        "right": b64encode(np.packbits(right).tobytes()).decode(),
    }


def compared(columns: dict[str, Any]) -> dict[str, Any]:
    """How far `auto` is behind the grid, and `best` behind the best column, and whether that is within the goals."""
    found: dict[str, Any] = {}
    if {"auto", "grid"} <= columns.keys():
        share = columns["auto"]["cpu_seconds"] / columns["grid"]["pipeline_cpu_seconds"]
        gap = behind(columns, "auto", "grid")
        found["auto"] = gap | {"share_of_time": share, "goal_met": gap["goal_met"] and share <= TENTH}
    others = columns.keys() - {"best"}
    if "best" in columns and others:
        found["best"] = behind(columns, "best", max(sorted(others), key=lambda name: columns[name]["accuracy"]))
    return {"compared": found}


def behind(columns: dict[str, Any], ours: str, theirs: str) -> dict[str, Any]:
    """How far one column is behind another, in points, and what would be too far."""
    n = 8 * len(b64decode(columns[ours]["right"]))
    right, other = (
        np.unpackbits(np.frombuffer(b64decode(columns[name]["right"]), np.uint8)).astype(int) for name in (ours, theirs)
    )
    points = 100 * (columns[theirs]["accuracy"] - columns[ours]["accuracy"])
    two_errors = 200 * float(np.std(other - right) / np.sqrt(n))
    return {
        "than": theirs,
        "points_behind": points,
        "two_paired_errors": two_errors,
        "goal_met": points <= max(POINTS, two_errors),
    }


if __name__ == "__main__":
    main()
