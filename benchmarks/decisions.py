"""Whether a ceiling on lost ham, or a cost, that was asked for in training is met by later mail.

    python benchmarks/decisions.py [--corpora spamassassin enron-spam] [--splits 5]

Of each corpus, 70 % of the mail is learned from and 30 % decided on, in several random, stratified splits. Calibration
and thresholds are chosen on leave-one-out scores of the first part alone. A ceiling is met within sampling error if it
is not below the 95 % interval (Clopper & Pearson) of the share of ham lost among the later mail. A cost is met if what
the probabilities promised is within two standard errors of what was paid. Results go to
benchmarks/results/decisions.json.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from common import write_results
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from textnb import TextClassifier, load_corpus
from textnb.corpora import Corpus
from textnb.model.decision import DecisionRule
from textnb.workflow.metrics import measure_decisions

Array = NDArray[Any]

SPAM = 1
CEILINGS = (0.01, 0.001)
PRICES: dict[str, tuple[dict[tuple[str, str], float], float | None]] = {
    "an error costs 1": ({}, None),
    "lost ham costs 10": ({("ham", "spam"): 10.0}, None),
    "lost ham costs 100, unsure 0.1": ({("ham", "spam"): 100.0}, 0.1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["spamassassin", "enron-spam"])
    parser.add_argument("--splits", type=int, default=5)
    arguments = parser.parse_args()
    measured = []
    for name in arguments.corpora:
        corpus = load_corpus(name, quiet=True)
        print(f"\n{name}: {len(corpus):,} messages, {(corpus.labels == 'ham').sum():,} of them ham")
        for seed in range(arguments.splits):
            measured += [{"corpus": name, "seed": seed, **row} for row in measure(corpus, seed)]
        show([row for row in measured if row["corpus"] == name])
    write_results("decisions", {"measured": measured})


def measure(corpus: Corpus, seed: int) -> list[dict[str, Any]]:
    """The result of every rule on the later part of one split."""
    everything = np.arange(len(corpus))
    first, later = train_test_split(everything, test_size=0.3, random_state=seed, stratify=corpus.labels)
    texts, later_texts = ([corpus.texts[i] for i in rows] for rows in (first, later))
    spam = (corpus.labels[later] == "spam").astype(np.int64)
    classifier = TextClassifier("multinomial", "log-tfidf", alpha=0.1).fit(texts, corpus.labels[first])
    found, raw = classifier.predict_log_proba(later_texts), classifier.predict_log_proba(later_texts, raw=True)

    results: list[dict[str, Any]] = []
    for ceiling in CEILINGS:
        for confidence in (None, 0.95):
            name = f"at most {ceiling:.1%} of ham lost" + (f", {confidence:.0%} sure" if confidence else "")
            try:
                classifier.decide_by(protected="ham", ceiling=ceiling, confidence=confidence)
            except ValueError as error:
                results.append({"rule": name, "refused": str(error)})
                continue
            results.append({"rule": name, "ceiling": ceiling, **judge(rule_of(classifier), found, spam)})
    for name, (costs, unsure) in PRICES.items():
        rule = rule_of(classifier.decide_by(costs, unsure=unsure))
        results.append({"rule": name, **judge(rule, found, spam)})
        results.append({"rule": f"{name}, raw", **judge(rule, raw, spam)})
    return results


def rule_of(classifier: TextClassifier) -> DecisionRule:
    assert classifier.policy_ is not None
    return classifier.policy_.rule(classifier.classes_)


def judge(rule: DecisionRule, posterior: Array, spam: Array) -> dict[str, Any]:
    decided = rule.decide(posterior)
    result = measure_decisions(spam, decided, rule, posterior).to_json()
    return {**result, "spam_found": float((decided[spam == SPAM] == SPAM).mean())}


def show(measured: list[dict[str, Any]]) -> None:
    """A line a rule: means over the splits, and in how many of them what was asked for was met."""
    for rule in dict.fromkeys(row["rule"] for row in measured):
        rows = [row for row in measured if row["rule"] == rule]
        if "refused" in rows[0]:
            print(f"  {rule:34} {rows[0]['refused']}")
        elif "ceiling" in rows[0]:
            met = sum(row["false_positive_interval"][0] <= row["ceiling"] for row in rows)
            below = sum(row["false_positive_rate"] <= row["ceiling"] for row in rows)
            lost = ", ".join(f"{row['false_positive_rate']:.2%}" for row in rows)
            print(
                f"  {rule:34} lost {lost}: met within error {met} of {len(rows)}, kept {below}; "
                f"spam found {mean(rows, 'spam_found'):.2%}"
            )
        else:
            met = sum(abs(row["average_cost"] - row["expected_cost"]) <= 2 * row["cost_error"] for row in rows)
            print(
                f"  {rule:34} promised {mean(rows, 'expected_cost'):.4f}, paid {mean(rows, 'average_cost'):.4f} "
                f"± {mean(rows, 'cost_error'):.4f}: met {met} of {len(rows)}; unsure {mean(rows, 'unsure'):.2%}, "
                f"spam found {mean(rows, 'spam_found'):.2%}"
            )


def mean(rows: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([row[key] for row in rows]))


if __name__ == "__main__":
    main()
