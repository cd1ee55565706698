"""Whether a sender's domain and a few numbers help a spam filter that reads the text: SpamAssassin, raw messages.

    python benchmarks/mixed_spam.py [--folds 5] [--seed 0]

Every message is scored by models that were fitted without its fold: on the text alone (the words of subject and body,
each counted once a message), and by MixedNB on the text, the sender's domain and the kind of content (categories), and
the numbers of links, letters, capitals and exclamation marks (logarithms, Gaussian). Reported is the share of spam
found at the same share of ham lost, with bootstrap standard errors of the difference; both ROC curves go to
benchmarks/results/mixed_spam.json.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

import numpy as np
from common import write_results
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from textnb import CategoricalNB, CountVectorizer, GaussianNB, MixedNB, MultinomialNB, load_corpus

Array = NDArray[Any]

FALSE_POSITIVE_RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
TEXT: tuple[str, Any, Any] = ("text", make_pipeline(CountVectorizer(binary=True), MultinomialNB(alpha=0.1)), 0)
PARTS: dict[str, list[tuple[str, Any, Any]]] = {
    "text": [TEXT],
    "mixed": [TEXT, ("categories", CategoricalNB(unknown="smooth"), [1, 2]), ("numbers", GaussianNB(), [3, 4, 5, 6])],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the division into folds")
    arguments = parser.parse_args()
    corpus = load_corpus("spamassassin")
    X = np.array([features(message) for message in corpus.texts], dtype=object)
    spam = np.asarray(corpus.labels) == "spam"
    folds = StratifiedKFold(arguments.folds, shuffle=True, random_state=arguments.seed)
    scores = {name: held_out_log_odds(parts, X, spam, folds) for name, parts in PARTS.items()}
    rates = {
        name: [spam_found(spam, values, limit) for limit in FALSE_POSITIVE_RATES] for name, values in scores.items()
    }
    areas = {name: float(roc_auc_score(spam, values)) for name, values in scores.items()}
    gains = np.subtract(rates["mixed"], rates["text"])
    errors = standard_errors(spam, scores["mixed"], scores["text"])
    finding = sentence(gains, errors)
    print(f"{'ham lost':<10}" + "".join(f"{limit:>9.1%}" for limit in FALSE_POSITIVE_RATES) + f"{'AUC':>9}")
    for name, found in rates.items():
        print(f"{name:<10}" + "".join(f"{share:>9.2%}" for share in found) + f"{areas[name]:>9.4f}")
    print(finding)
    write_results(
        "mixed_spam",
        {
            "edition": corpus.edition,
            "ham": int((~spam).sum()),
            "spam": int(spam.sum()),
            "false_positive_rates": FALSE_POSITIVE_RATES,
            "spam_found": rates,
            "auc": areas,
            "gain": gains.tolist(),
            "standard_error_of_gain": errors.tolist(),
            "finding": finding,
            "roc": {name: curve(spam, values) for name, values in scores.items()},
        },
    )


def features(message: str) -> list[Any]:
    """Text, sender's domain, kind of content, and logarithms of four counts of a raw message; None where unknown."""
    head, _, body = message.partition("\n\n")
    head = re.sub(r"\n[ \t]+", " ", head)
    sender = re.search(r"@[\w.-]*?([\w-]+\.[\w-]+)(?![\w.-])", header(head, "From") or "")
    content = header(head, "Content-Type")
    counts = [len(re.findall(pattern, body)) for pattern in (r"https?://", r"[A-Za-z]", r"[A-Z]", "!")]
    return [
        f"{header(head, 'Subject') or ''}\n{body}",
        sender and sender.group(1).lower(),
        content and content.partition(";")[0].strip().lower(),
        *np.log1p(counts).tolist(),
    ]


def header(head: str, name: str) -> str | None:
    found = re.search(rf"^{name}:[ \t]*(.*)$", head, re.IGNORECASE | re.MULTILINE)
    return found and found.group(1)


def held_out_log_odds(parts: list[Any], X: Array, spam: Array, folds: StratifiedKFold) -> Array:
    """log P(x | spam) − log P(x | ham) of every message under a model fitted on the other folds."""
    scores = np.empty(len(spam))
    for train, test in folds.split(X, spam):
        likelihood = MixedNB(parts).fit(X[train], spam[train]).log_likelihood(X[test])
        scores[test] = likelihood[:, 1] - likelihood[:, 0]
    return scores


def spam_found(spam: Array, scores: Array, limit: float) -> float:
    """The largest share of spam found where no more than `limit` of ham is lost."""
    lost, found, _ = roc_curve(spam, scores, drop_intermediate=False)
    return float(found[lost <= limit].max())


def curve(spam: Array, scores: Array) -> dict[str, list[float]]:
    lost, found, _ = roc_curve(spam, scores)
    return {"false_positive_rate": lost.round(6).tolist(), "true_positive_rate": found.round(6).tolist()}


def standard_errors(spam: Array, mixed: Array, text: Array, resamples: int = 200) -> Array:
    """Of the difference in spam found at each limit, over messages drawn with replacement."""
    rng = np.random.default_rng(0)
    gains = []
    for rows in rng.integers(len(spam), size=(resamples, len(spam))):
        found, alone = (
            [spam_found(spam[rows], s[rows], limit) for limit in FALSE_POSITIVE_RATES] for s in (mixed, text)
        )
        gains.append(np.subtract(found, alone))
    return np.std(gains, axis=0, ddof=1)


def sentence(gains: Array, errors: Array) -> str:
    points = ", ".join(
        f"{100 * gain:+.2f} ± {100 * error:.2f} at {limit:.1%}"
        for gain, error, limit in zip(gains, errors, FALSE_POSITIVE_RATES, strict=True)
    )
    return (
        f"The mixed model beats the text alone at {(gains > 0).sum()} of {len(gains)} shares of ham lost; "
        f"the points of spam it finds more, with their standard errors: {points}."
    )


if __name__ == "__main__":
    main()
