"""Make the witness that models fitted to documents stay loadable. Run once, never again.

PYTHONPATH=.:tests python tests/golden_models/make_fitted.py
"""

import json
from pathlib import Path

from golden_models.make_format_1 import ASKED, LABELS, TEXTS

from textnb import TextClassifier

FOLDER = Path(__file__).parent
CLASSIFIERS = {
    "nbsvm": TextClassifier(model="nbsvm", min_df=1, C=0.3, beta=0.5, unknown="token"),
    "nblr": TextClassifier(model="nblr", weights="binary", min_df=1, C=3.0, beta=1.0, ledger=False),
}

if __name__ == "__main__":
    answers = {}
    for name, classifier in CLASSIFIERS.items():
        classifier.fit(TEXTS, LABELS).save(FOLDER / f"fitted-{name}.tnb")
        answers[name] = classifier.predict_proba(ASKED).tolist()
    (FOLDER / "fitted.json").write_text(json.dumps(answers, indent=1) + "\n")
