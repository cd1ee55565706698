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

from textnb import CountVectorizer, MultinomialNB, TfidfTransformer, load_corpus
from textnb.decision import Calibration, DecisionRule, cost_table, log_posterior
from textnb.report import evaluate_decisions
from textnb.selection import leave_one_out
from textnb.selection.calibration import fit_calibration
from textnb.selection.thresholds import threshold_for_ceiling

Array = NDArray[Any]

HAM, SPAM = 0, 1
CEILINGS = (0.01, 0.001)
PRICES = {
    "an error costs 1": cost_table(2),
    "lost ham costs 10": cost_table(2, {(HAM, SPAM): 10.0}),
    "lost ham costs 100, unsure 0.1": cost_table(2, {(HAM, SPAM): 100.0}, unsure=0.1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["spamassassin", "enron-spam"])
    parser.add_argument("--splits", type=int, default=5)
    arguments = parser.parse_args()
    measured = []
    for name in arguments.corpora:
        corpus = load_corpus(name, quiet=True)
        counts = CountVectorizer().fit_transform(corpus.texts)
        spam = (corpus.labels == "spam").astype(np.int64)
        print(f"\n{name}: {len(spam):,} messages, {(spam == HAM).sum():,} of them ham")
        for seed in range(arguments.splits):
            measured += [{"corpus": name, "seed": seed, **row} for row in measure(counts, spam, seed)]
        show([row for row in measured if row["corpus"] == name])
    write_results("decisions", {"measured": measured})


def measure(counts: Any, spam: Array, seed: int) -> list[dict[str, Any]]:
    """The result of every rule on the later part of one split."""
    first, later = train_test_split(np.arange(len(spam)), test_size=0.3, random_state=seed, stratify=spam)
    known = np.asarray(counts[first].sum(axis=0)).ravel() > 0  # words of later mail alone are no features
    train, test = counts[first][:, known], counts[later][:, known]
    weighting = TfidfTransformer(sublinear_tf=True).fit(train)
    rows, later_rows = weighting.transform(train), weighting.transform(test)
    model = MultinomialNB(alpha=0.1).fit(rows, spam[first])
    scores = leave_one_out(model, rows, spam[first])
    lengths, later_lengths = (np.asarray(part.sum(axis=1)).ravel() for part in (train, test))
    calibration = fit_calibration(scores, spam[first], lengths, offsets=True)
    own = log_posterior(calibration.apply(scores, lengths), model.class_log_prior_)
    joint = model.predict_joint_log_proba(later_rows)
    found = log_posterior(calibration.apply(joint, later_lengths), model.class_log_prior_)
    raw = log_posterior(Calibration().apply(joint), model.class_log_prior_)

    results: list[dict[str, Any]] = []
    for ceiling in CEILINGS:
        for confidence in (None, 0.95):
            name = f"at most {ceiling:.1%} of ham lost" + (f", {confidence:.0%} sure" if confidence else "")
            try:
                threshold = threshold_for_ceiling(own, spam[first], HAM, ceiling, confidence)
            except ValueError as error:
                results.append({"rule": name, "refused": str(error)})
                continue
            rule = DecisionRule(cost_table(2), HAM, threshold)
            results.append({"rule": name, "ceiling": ceiling, **judge(rule, found, spam[later])})
    for name, costs in PRICES.items():
        rule = DecisionRule(costs)
        results.append({"rule": name, **judge(rule, found, spam[later])})
        results.append({"rule": f"{name}, raw", **judge(rule, raw, spam[later])})
    return results


def judge(rule: DecisionRule, posterior: Array, spam: Array) -> dict[str, Any]:
    decided = rule.decide(posterior)
    result = evaluate_decisions(spam, decided, rule, posterior).to_json()
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
