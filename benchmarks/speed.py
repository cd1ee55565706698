"""Text to counts, models and predictions: how much faster than scikit-learn, and how near to `wc -w`.

    python benchmarks/speed.py                    # everything, about ten minutes on two cores
    python benchmarks/speed.py --only counting --rounds 3

All ratios are taken in one run, the contestants in turn, the best of several rounds, on 20 Newsgroups (train for
fitting, test as unseen documents), with equal results checked. Where a row says so, `vocabulary_` is asked for inside
the timing: textnb makes that dict only then. fastText and
Vowpal Wabbit take part when they are installed (`pip install fasttext vowpalwabbit`): on the same shuffled, tokenized
text, with their own defaults but for the epochs and passes named. Results: benchmarks/results/speed.json.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from common import best_of, write_results

import textnb
from textnb import load_corpus
from textnb.model.parameters import Model, Weights

GOALS = {  # times faster than scikit-learn: on one thread, on all cores
    "words": (8, 12),
    "words, and vocabulary_": (8, 12),
    "words + pairs": (20, 35),
    "words + pairs, and vocabulary_": (10, 13),
    "char_wb 3–5": (10, 15),
    "tf-idf": (7, 10),
    "transform, unseen": (10, 15),
    "text → multinomial model": (8, 12),
    "text → multinomial model with pairs": (15, 25),
    "text → saved complement model with pairs": (10, 15),
    "text → predictions": (10, 15),
}
PAIRS: dict[str, Any] = {"ngrams": (1, 2), "alpha": 1.0, "calibrate": False}
ANALYSES: dict[str, dict[str, Any]] = {
    "words": {},
    "words + pairs": {"ngram_range": (1, 2)},
    "char_wb 3–5": {"analyzer": "char_wb", "ngram_range": (3, 5)},
}
LATENCY_GOALS = {"short message": 10.0, "article": 25.0}  # µs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    parser.add_argument("--only", choices=["counting", "memory", "latency", "rivals", "growth"], help="one part")
    parser.add_argument("--peak", nargs=3, metavar=("LIBRARY", "ANALYSIS", "N"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        print(json.dumps(run_once(arguments.peak[0], arguments.peak[1], int(arguments.peak[2]))))
        return
    parts: dict[str, Callable[[], Any]] = {
        "counting": lambda: measure_counting(arguments.rounds),
        "memory": measure_memory,
        "latency": lambda: measure_latency(arguments.rounds),
        "rivals": measure_rivals,
        "growth": measure_growth,
    }
    results = {name: part() for name, part in parts.items() if arguments.only in (None, name)}
    if arguments.only is None:
        write_results("speed", {"cores": os.cpu_count(), "rounds": arguments.rounds, **results})


# Counting, fitting, predicting


def measure_counting(rounds: int) -> dict[str, Any]:
    """Seconds of scikit-learn, of one thread and of all cores for every row of the goals; and of `wc -w`."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    train, test = (load_corpus("20news", subset) for subset in ("train", "test"))
    rows: dict[str, dict[str, float]] = {}

    def compare(name: str, theirs: Callable[[], Any], ours: Callable[[int | None], Any], n: int = rounds) -> None:
        slow, one, all_cores = best_of(n, theirs, lambda: ours(1), lambda: ours(-1))
        rows[name] = {"scikit_learn": slow, "one_thread": one, "all_cores": all_cores}
        goals = GOALS[name]
        print(
            f"{name:26} {slow:7.3f} s  one thread {one:6.3f} s = {slow / one:5.1f}× (goal {goals[0]})"
            f"  all cores {all_cores:6.3f} s = {slow / all_cores:5.1f}× (goal {goals[1]})",
            flush=True,
        )

    def fitted(vectorizer: Any, ask: bool = False) -> Any:
        matrix = vectorizer.fit_transform(train.texts)
        assert not ask or len(vectorizer.vocabulary_) == matrix.shape[1]
        return matrix

    for name, options in ANALYSES.items():
        ours, theirs = textnb.CountVectorizer(**options), CountVectorizer(**options)
        check_equal(fitted(theirs), fitted(ours))
        assert ours.vocabulary_ == theirs.vocabulary_
        for ask in (False, True):
            row = f"{name}, and vocabulary_" if ask else name
            if row in GOALS:
                compare(
                    row,
                    lambda options=options, ask=ask: fitted(CountVectorizer(**options), ask),  # type: ignore[misc]
                    lambda jobs, options=options, ask=ask: fitted(  # type: ignore[misc]
                        textnb.CountVectorizer(**options, n_jobs=jobs), ask
                    ),
                    min(rounds, 3) if name == "char_wb 3–5" else rounds,
                )
    compare("tf-idf", lambda: fitted(TfidfVectorizer()), lambda jobs: fitted(textnb.TfidfVectorizer(n_jobs=jobs)))

    slow, quick = CountVectorizer().fit(train.texts), textnb.CountVectorizer().fit(train.texts)
    check_equal(slow.transform(test.texts), quick.transform(test.texts))
    compare(
        "transform, unseen",
        lambda: slow.transform(test.texts),
        lambda jobs: quick.set_params(n_jobs=jobs).transform(test.texts),
    )

    def classifier(jobs: int | None) -> textnb.TextClassifier:
        return textnb.TextClassifier("multinomial", "counts", calibrate=False, n_jobs=jobs).fit(
            train.texts, train.labels
        )

    def pipeline() -> Any:
        return make_pipeline(CountVectorizer(), MultinomialNB()).fit(train.texts, train.labels)

    slow_model, models = pipeline(), {jobs: classifier(jobs) for jobs in (1, -1)}
    assert (slow_model.predict(test.texts) == models[1].predict(test.texts)).all()
    compare("text → multinomial model", pipeline, classifier)
    compare(
        "text → predictions",
        lambda: slow_model.predict(test.texts),
        lambda jobs: models[1 if jobs == 1 else -1].predict(test.texts),
    )
    compare(
        "text → multinomial model with pairs",
        lambda: make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB()).fit(train.texts, train.labels),
        lambda jobs: textnb.TextClassifier("multinomial", "counts", min_df=1, n_jobs=jobs, **PAIRS).fit(
            train.texts, train.labels
        ),
        min(rounds, 3),
    )
    sizes = compare_saved(train, test, compare, min(rounds, 3))
    words = count_words(train.texts, rounds)
    print(f"wc -w {words:.3f} s; words on all cores take {rows['words']['all_cores'] / words:.2f} times that")
    return {"seconds": rows, "wc": words, "goals": GOALS, "file_mb": sizes}


def compare_saved(train: Any, test: Any, compare: Callable[..., None], rounds: int) -> dict[str, float]:
    """Fit and save a complement model on log-tfidf with pairs, against joblib; megabytes of the files."""
    import joblib
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline

    with tempfile.TemporaryDirectory() as folder:
        theirs, ours, counts = (Path(folder, name) for name in ("model.joblib", "model.tnb", "counts.tnb"))

        def dump() -> Any:
            model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), ComplementNB())
            joblib.dump(model.fit(train.texts, train.labels), theirs, compress=3)
            return model

        def save(
            jobs: int | None, name: Model = "complement", weights: Weights = "log-tfidf", path: Path = ours
        ) -> None:
            model = textnb.TextClassifier(name, weights, min_df=2, n_jobs=jobs, **PAIRS)
            model.fit(train.texts, train.labels).save(path)

        compare("text → saved complement model with pairs", dump, save, rounds)
        assert (joblib.load(theirs).predict(test.texts) == textnb.load(ours).predict(test.texts)).all()
        save(None, "multinomial", "counts", counts)
        sizes = {
            "joblib, tf-idf": theirs.stat().st_size / 1e6,
            "textnb, log-tfidf": ours.stat().st_size / 1e6,
            "textnb, counts": counts.stat().st_size / 1e6,
        }
    print("files with pairs, min_df 2: " + ", ".join(f"{name} {size:.1f} MB" for name, size in sizes.items()))
    return sizes


def check_equal(theirs: Any, ours: Any) -> None:
    theirs.sort_indices()
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(theirs, name), getattr(ours, name)), name


def count_words(texts: list[str], rounds: int) -> float:
    """Seconds that `wc -w` takes for the same text, process start included."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text")
        path.write_bytes("\n".join(texts).encode())
        (seconds,) = best_of(rounds, lambda: subprocess.run(["wc", "-w", str(path)], check=True, capture_output=True))
    return seconds


# Memory


def measure_memory() -> dict[str, dict[str, float]]:
    """Megabytes that fit_transform, or fitting a model, adds at its peak, in a process of its own."""
    found: dict[str, dict[str, float]] = {}
    for name in [*ANALYSES, "model with pairs"]:
        found[name] = {library: in_child(library, name, 0)["peak_mb"] for library in ("sklearn", "textnb")}
        theirs, ours = found[name]["sklearn"], found[name]["textnb"]
        print(f"{name:26} peak memory: scikit-learn {theirs:,.0f} MB, textnb {ours:,.0f} MB", flush=True)
    return found


def in_child(library: str, analysis: str, n: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--peak", library, analysis, str(n)]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def run_once(library: str, analysis: str, n: int) -> dict[str, float]:
    """fit_transform, or fitting a model, once, on 20 Newsgroups or on n made documents: seconds, megabytes added."""
    import sklearn.feature_extraction.text

    corpus = None if n else load_corpus("20news", "train", quiet=True)
    texts = made_documents(n) if corpus is None else corpus.texts
    home = textnb if library == "textnb" else sklearn.feature_extraction.text

    def work(texts: list[str]) -> Any:
        if analysis != "model with pairs":
            return home.CountVectorizer(**ANALYSES[analysis]).fit_transform(texts)
        assert corpus is not None
        labels = corpus.labels[: len(texts)]
        if library == "textnb":
            return textnb.TextClassifier("multinomial", "counts", min_df=1, **PAIRS).fit(texts, labels)
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.pipeline import make_pipeline

        return make_pipeline(home.CountVectorizer(ngram_range=(1, 2)), MultinomialNB()).fit(texts, labels)

    work(texts[:10])  # what is loaded on first use
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is given back, so that using it again shows
    before = resident_mb()
    with Path("/proc/self/clear_refs").open("w") as file:
        file.write("5")  # the peak is counted from here
    started = time.perf_counter()
    kept = work(texts)
    seconds = time.perf_counter() - started
    assert kept is not None
    return {"seconds": seconds, "peak_mb": resident_mb("VmHWM") - before, "characters": sum(map(len, texts))}


def resident_mb(field: str = "VmRSS") -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(rf"{field}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


# Growth


def measure_growth() -> list[dict[str, float]]:
    """Time and memory of fit_transform from 10,000 to 1,000,000 made documents of 60 words."""
    found = []
    for n in (10_000, 100_000, 1_000_000):
        run = in_child("textnb", "words", n)
        found.append({"documents": n, **run})
        each = f"{run['seconds'] / n * 1e6:.1f} µs and {run['peak_mb'] / n * 1e3:.2f} KB a document"
        print(f"{n:>9,} documents: {run['seconds']:.2f} s, {run['peak_mb']:,.0f} MB, {each}", flush=True)
    return found


def made_documents(n: int) -> list[str]:
    """Documents of 60 words drawn from 200,000 with Zipf's frequencies."""
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"w{i:x}" for i in range(200_000)], dtype=object)
    weights = 1.0 / np.arange(1, len(vocabulary) + 1)
    steps = np.cumsum(weights / weights.sum())
    texts: list[str] = []
    for start in range(0, n, 10_000):
        drawn = np.searchsorted(steps, rng.random((min(10_000, n - start), 60)))
        texts += [" ".join(words) for words in vocabulary[np.minimum(drawn, len(vocabulary) - 1)]]
    return texts


# Latency


def measure_latency(rounds: int) -> dict[str, dict[str, float]]:
    """µs per message, one at a time: the scorer and the predictor of a saved model, and a scikit-learn pipeline."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline

    from textnb.model.file import predictor_of
    from textnb.model.scorer import open_scorer
    from textnb.storage import open_model

    news, short = load_corpus("20news", "train"), load_corpus("sms-spam")
    unseen = load_corpus("20news", "test").texts[::20]
    found: dict[str, dict[str, float]] = {}
    for name, train, texts in (("short message", short, short.texts[::20]), ("article", news, unseen)):
        theirs = make_pipeline(TfidfVectorizer(sublinear_tf=True), ComplementNB()).fit(train.texts, train.labels)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.tnb")
            textnb.TextClassifier("complement", calibrate=False).fit(train.texts, train.labels).save(path)
            scorer, predictor = open_scorer(path), predictor_of(open_model(path, verify="touched"))
        assert scorer is not None
        assert [scorer.decide(text) for text in texts] == predictor.decide(texts) == theirs.predict(texts).tolist()

        def each(ask: Callable[[str], Any], texts: list[str] = texts) -> Callable[[], list[Any]]:
            return lambda: [ask(text) for text in texts]

        asked: list[Callable[[str], Any]] = [
            scorer.log_proba,
            lambda text, predictor=predictor: predictor.log_proba([text]),  # type: ignore[misc]
            lambda text, theirs=theirs: theirs.predict_log_proba([text]),  # type: ignore[misc]
        ]
        times = [1e6 * seconds / len(texts) for seconds in best_of(rounds, *map(each, asked))]
        found[name] = dict(zip(("scorer", "predictor", "scikit_learn"), times, strict=True))
        ours, numpy, slow = times
        ratios = f"predictor {numpy:.1f} µs = {numpy / ours:.1f}×, scikit-learn {slow:.1f} µs = {slow / ours:.1f}×"
        print(f"{name:14} {ours:5.1f} µs (goal {LATENCY_GOALS[name]:g}), {ratios}", flush=True)
    return found


# Rivals


def measure_rivals() -> list[dict[str, Any]]:
    """Training and prediction, file or list to labels, on shuffled and tokenized text that all of them read alike."""
    train, test = (load_corpus("20news", subset) for subset in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(train))
    word = re.compile(r"\w\w+")
    texts, unseen = (
        [" ".join(word.findall(text.lower())) for text in documents]
        for documents in ([train.texts[i] for i in order], test.texts)
    )
    labels = train.labels[order]
    contestants: list[tuple[str, Callable[..., tuple[float, float, list[str]]]]] = [
        ("textnb, complement on log-tfidf", run_textnb),
        ("scikit-learn, the same", run_scikit_learn),
    ]
    if find_spec("fasttext"):
        contestants.append(("fastText, 25 epochs at rate 1", run_fasttext))
    if find_spec("vowpalwabbit"):
        contestants.append(("Vowpal Wabbit, one-against-all, 3 passes", run_vowpal_wabbit))
    found = []
    for name, run in contestants:
        training, prediction, predicted = run(texts, labels, unseen)
        accuracy = float(np.mean(np.array(predicted) == test.labels))
        found.append({"name": name, "training": training, "prediction": prediction, "accuracy": accuracy})
        print(
            f"{name:42} training {training:6.2f} s, prediction {prediction:5.2f} s, accuracy {accuracy:.4f}", flush=True
        )
    return found


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = function()
    return time.perf_counter() - started, result


def run_textnb(texts: list[str], labels: Any, unseen: list[str]) -> tuple[float, float, list[str]]:
    training, model = timed(lambda: textnb.TextClassifier(model="complement").fit(texts, labels))
    prediction, predicted = timed(lambda: model.predict(unseen))
    return training, prediction, predicted.tolist()


def run_scikit_learn(texts: list[str], labels: Any, unseen: list[str]) -> tuple[float, float, list[str]]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline

    training, model = timed(
        lambda: make_pipeline(TfidfVectorizer(sublinear_tf=True), ComplementNB()).fit(texts, labels)
    )
    prediction, predicted = timed(lambda: model.predict(unseen))
    return training, prediction, predicted.tolist()


def run_fasttext(texts: list[str], labels: Any, unseen: list[str]) -> tuple[float, float, list[str]]:
    import fasttext

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train")
        path.write_text("\n".join(f"__label__{label} {text}" for label, text in zip(labels, texts, strict=True)))
        training, model = timed(
            lambda: fasttext.train_supervised(input=str(path), epoch=25, lr=1.0, thread=os.cpu_count(), verbose=0)
        )
    prediction, (found, _) = timed(lambda: model.predict(unseen))
    return training, prediction, [best[0].removeprefix("__label__") for best in found]


def run_vowpal_wabbit(texts: list[str], labels: Any, unseen: list[str]) -> tuple[float, float, list[str]]:
    from vowpalwabbit import Workspace

    names = sorted(set(labels))
    numbers = {name: number for number, name in enumerate(names, 1)}
    with tempfile.TemporaryDirectory() as folder:
        data, later, model, answers = (Path(folder, name) for name in ("train", "test", "model", "answers"))
        data.write_text("".join(f"{numbers[label]} | {text}\n" for label, text in zip(labels, texts, strict=True)))
        later.write_text("".join(f"| {text}\n" for text in unseen))
        learn = f"--oaa {len(names)} --loss_function logistic -b 22 -c -k --passes 3 --holdout_off --quiet"
        training, _ = timed(lambda: Workspace(f"-d {data} {learn} -f {model}").finish())
        prediction, _ = timed(lambda: Workspace(f"-d {later} -t -i {model} -p {answers} --quiet").finish())
        found = [names[int(float(line)) - 1] for line in answers.read_text().split()]
    return training, prediction, found


if __name__ == "__main__":
    main()
