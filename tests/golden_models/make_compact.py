"""Make the witnesses that compact models stay readable. Run once, never again.

PYTHONPATH=.:tests python tests/golden_models/make_compact.py
"""

import json
from pathlib import Path

from golden_models.make_format_1 import ASKED, LABELS, TEXTS

from textnb import TextClassifier

FOLDER = Path(__file__).parent
CLASSIFIERS = {
    "counts": TextClassifier("multinomial", "counts", ngrams=(1, 2), alpha=0.5),
    "tfidf": TextClassifier("complement", "log-tfidf", ngrams=(1, 1), alpha=1.0, unknown="token", max_features=9),
}

if __name__ == "__main__":
    answers = {}
    for name, classifier in CLASSIFIERS.items():
        path = FOLDER / f"compact-{name}.tnb"
        classifier.fit(TEXTS, LABELS).save(path, compact=True)
        answers[name] = classifier.predict_proba(ASKED).tolist()
    (FOLDER / "compact.json").write_text(json.dumps(answers, indent=1) + "\n")
