"""How honest probabilities are: raw naive Bayes, textnb's calibration, and scikit-learn's CalibratedClassifierCV.

    python benchmarks/calibration.py [--corpora 20news sms-spam imdb] [--rounds 3] [--seed 0]

On one matrix of counts or weights a corpus, every method learns from the training documents and is judged on the
others: accuracy, log-loss and expected calibration error (top label, 15 bins of equal mass), with bootstrap standard
errors. textnb fits its calibration to leave-one-out scores, as of new documents in which words that no other training
document has are unknown; by thread on 20 Newsgroups and by film on IMDB, which scikit-learn's five folds keep together
too. "textnb" keeps the label of the raw model, and "textnb, offsets" lets it move. Seconds are those of fitting model
and calibration and of predicting, the best of the rounds; where leave-one-out scores are there already, as after
tuning, only "scores to calibration" is added to those of raw naive Bayes. Differences to the best of scikit-learn's
methods are paired, document by document.
Results go to benchmarks/results/calibration.json, pictures beside it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.naive_bayes
from common import RESULTS, best_of, write_results
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GroupKFold, StratifiedKFold, train_test_split

import textnb
from textnb import ComplementNB, CountVectorizer, MultinomialNB, TfidfTransformer, load_corpus
from textnb.estimators.sklearn_compat import from_csr
from textnb.model.decision import log_posterior
from textnb.report.plots import reliability_diagram
from textnb.selection import leave_one_out_scores
from textnb.selection.calibration import fit_calibration
from textnb.workflow.metrics import measure as measured
from textnb.workflow.metrics import reliability_of

Array = NDArray[Any]

RECIPES = [("multinomial", "counts", 1.0), ("multinomial", "log-tfidf", 0.1), ("complement", "log-tfidf", 1.0)]
MODELS = {"multinomial": MultinomialNB, "complement": ComplementNB}
RESAMPLES = 200


class Task:
    """A corpus in numbers: weighed rows of the training and test documents, their lengths, classes and groups."""

    def __init__(self, name: str, weights: str, seed: int) -> None:
        texts, labels, later_texts, later_labels, self.groups = documents(name, seed)
        vectorizer = CountVectorizer()
        counts, later_counts = vectorizer.fit_transform(texts), vectorizer.transform(later_texts)
        self.lengths, self.later_lengths = (np.asarray(rows.sum(axis=1)).ravel() for rows in (counts, later_counts))
        self.rows, self.later_rows = counts, later_counts
        if weights == "log-tfidf":
            transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
            self.rows, self.later_rows = transformer.transform(counts), transformer.transform(later_counts)
        self.classes, self.class_ids = np.unique(labels, return_inverse=True)
        self.later_ids = np.searchsorted(self.classes, later_labels)

    def scores(self, model: Any) -> Array:
        """Leave-one-out scores as of new documents, as `TextClassifier` calibrates by."""
        rows = from_csr(self.rows)
        (found,) = leave_one_out_scores(
            model.family, rows, self.class_ids, [model.alpha], self.groups, ignore_unseen=True
        )
        return found

    def folds(self) -> list[Any]:
        if self.groups is None:
            return list(StratifiedKFold(5).split(self.rows, self.class_ids))
        return list(GroupKFold(5).split(self.rows, self.class_ids, self.groups))


def documents(name: str, seed: int) -> tuple[list[str], Array, list[str], Array, Array | None]:
    """Training and test documents with their labels, and the groups of the training documents."""
    corpus = load_corpus(name, quiet=True)
    if corpus.split is None:
        texts, later_texts, labels, later_labels = train_test_split(
            corpus.texts, corpus.labels, test_size=0.3, random_state=seed, stratify=corpus.labels
        )
        return texts, labels, later_texts, later_labels, None
    train, test = (load_corpus(name, subset=subset, quiet=True) for subset in ("train", "test"))
    return train.texts, train.labels, test.texts, test.labels, train.groups


def methods(task: Task, model: str, alpha: float) -> dict[str, Callable[[], Array]]:
    """By name: from the training rows to log-probabilities of the test rows, fitting included."""
    ours = MODELS[model](alpha=alpha)
    theirs = getattr(sklearn.naive_bayes, type(ours).__name__)(alpha=alpha)

    def raw() -> Array:
        return ours.fit(task.rows, task.class_ids).predict_log_proba(task.later_rows)

    def calibrated(keep_label: bool) -> Array:
        fitted = ours.fit(task.rows, task.class_ids)
        scores = task.scores(ours)
        calibration = fit_calibration(scores, task.class_ids, task.lengths, keep_label=keep_label)
        joint = calibration.apply(fitted.predict_joint_log_proba(task.later_rows), task.later_lengths)
        return log_posterior(joint, fitted.class_log_prior_)

    def rival(method: str) -> Array:
        fitted = CalibratedClassifierCV(theirs, method=method, cv=task.folds()).fit(task.rows, task.class_ids)
        found = np.maximum(fitted.predict_proba(task.later_rows), np.finfo(float).eps)  # as its log_loss does
        return np.log(found / found.sum(axis=1, keepdims=True))

    return {
        "raw": raw,
        "textnb": partial(calibrated, keep_label=True),
        "textnb, offsets": partial(calibrated, keep_label=False),
        **{f"scikit-learn, {name}": partial(rival, name) for name in ("sigmoid", "isotonic", "temperature")},
    }


def judge(log_probabilities: Array, class_ids: Array) -> dict[str, Any]:
    """Accuracy, log-loss and calibration error with their standard errors."""
    losses = -log_probabilities[np.arange(len(class_ids)), class_ids]
    random = np.random.default_rng(0)
    resampled = [
        (losses[rows].mean(), reliability_of(log_probabilities[rows], class_ids[rows]).expected_calibration_error)
        for rows in random.integers(len(class_ids), size=(RESAMPLES, len(class_ids)))
    ]
    log_loss_error, ece_error = np.std(resampled, axis=0, ddof=1).tolist()
    return {
        "accuracy": float((log_probabilities.argmax(axis=1) == class_ids).mean()),
        "log_loss": float(losses.mean()),
        "log_loss_error": log_loss_error,
        "ece": reliability_of(log_probabilities, class_ids).expected_calibration_error,
        "ece_error": ece_error,
    }


def compare(task: Task, found: dict[str, Array], judged: dict[str, Any]) -> dict[str, Any]:
    """textnb's log-loss less that of scikit-learn's best method, with the standard error of the paired difference."""
    best = min((name for name in found if name.startswith("scikit")), key=lambda name: judged[name]["log_loss"])
    rows = np.arange(len(task.later_ids)), task.later_ids
    compared = {}
    for name in ("textnb", "textnb, offsets"):
        difference = found[best][rows] - found[name][rows]
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        compared[name] = {"best": best, "difference": float(difference.mean()), "error": float(error)}
    return compared


def draw(task: Task, calibrated: Array, raw: Array, name: str) -> None:
    """The reliability of both in one picture."""
    named = task.classes[calibrated.argmax(axis=1)]
    result = measured(task.classes[task.later_ids], named, task.classes, log_probabilities=calibrated, raw=raw)
    reliability_diagram(result, RESULTS / f"calibration-{name}.png", title=name)


def measure(name: str, recipe: tuple[str, str, float], rounds: int, seed: int) -> dict[str, Any]:
    model, weights, alpha = recipe
    task = Task(name, weights, seed)
    ways = methods(task, model, alpha)
    found = {way: function() for way, function in ways.items()}
    judged = {way: judge(log_probabilities, task.later_ids) for way, log_probabilities in found.items()}
    for way, seconds in zip(ways, best_of(rounds, *ways.values()), strict=True):
        judged[way]["seconds"] = seconds
    title = f"{name}, {model}, {weights}, alpha {alpha:g}"
    print(f"\n{title}: {len(task.class_ids):,} documents, {len(task.later_ids):,} later ones")
    for way, numbers in judged.items():
        print(
            f"  {way:26} accuracy {numbers['accuracy']:.4f}   "
            f"log-loss {numbers['log_loss']:7.4f} ± {numbers['log_loss_error']:.4f}   "
            f"calibration error {numbers['ece']:.4f} ± {numbers['ece_error']:.4f}   {numbers['seconds']:6.2f} s"
        )
    scores = task.scores(MODELS[model](alpha=alpha))
    (calibrating,) = best_of(rounds, lambda: fit_calibration(scores, task.class_ids, task.lengths))
    print(f"  scores to calibration: {calibrating:.3f} s")
    compared = compare(task, found, judged)
    for way, gain in compared.items():
        print(f"  {way}: log-loss {gain['difference']:+.4f} ± {gain['error']:.4f} against {gain['best']}")
    if recipe == RECIPES[0]:
        draw(task, found["textnb"], found["raw"], name)
    return {
        "corpus": name,
        "model": model,
        "weights": weights,
        "alpha": alpha,
        "methods": judged,
        "compared": compared,
        "scores_to_calibration_seconds": calibrating,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["20news", "sms-spam", "imdb"])
    parser.add_argument("--rounds", type=int, default=3, help="of which the best time counts")
    parser.add_argument("--seed", type=int, default=0, help="of the split of corpora that have none")
    arguments = parser.parse_args()
    measured = [
        measure(name, recipe, arguments.rounds, arguments.seed) for name in arguments.corpora for recipe in RECIPES
    ]
    write_results("calibration", {"textnb": textnb.__version__, "measured": measured})


if __name__ == "__main__":
    main()
