"""Make the witnesses that classifiers saved in format 2 stay loadable, and learn on. Run once, never again.

PYTHONPATH=.:tests python tests/golden_models/make_format_2.py
"""

import json
from pathlib import Path

from golden_models.make_format_1 import ASKED, LABELS, TEXTS

from textnb import TextClassifier

FOLDER = Path(__file__).parent
MORE, MORE_LABELS = ["cheap agenda", "a prize, für Jürgen", "cheap agenda"], ["ham", "späm", "ham"]
CLASSIFIERS = {
    "log-tfidf": TextClassifier(ngrams=(1, 2), stop_words=["the", "of"], calibrate=False),
    "limited": TextClassifier(
        model="multinomial", weights="counts", unknown="token", min_df=2, stemmer="porter", ledger=True, calibrate=False
    ),
    "bernoulli": TextClassifier(
        model="bernoulli", unknown="token", analyzer="char_wb", ngrams=(2, 3), max_features=50, calibrate=False
    ),
    "given": TextClassifier(
        model="multinomial",
        weights="tfidf",
        unknown="token",
        vocabulary=["agenda", "cheap", "für", "never"],
        alpha=0.0,
        ledger=False,
        calibrate=False,
    ),
    "calibrated": TextClassifier(model="multinomial", weights="binary", alpha=0.5),
}


def learned(name: str) -> TextClassifier:
    return CLASSIFIERS[name].fit(TEXTS, LABELS).learn(MORE, MORE_LABELS).forget(MORE[:1], MORE_LABELS[:1])


if __name__ == "__main__":
    answers = {}
    for name in CLASSIFIERS:
        classifier = learned(name)
        classifier.save(FOLDER / f"format-2-{name}.tnb")
        answers[name] = classifier.predict_proba(ASKED).tolist()
    (FOLDER / "format-2.json").write_text(json.dumps(answers, indent=1) + "\n")
