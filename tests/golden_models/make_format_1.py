"""Make the witnesses that classifiers saved in format 1 stay loadable. Run once, never again.

PYTHONPATH=. python tests/golden_models/make_format_1.py
"""

import json
from pathlib import Path

from textnb import TextClassifier

FOLDER = Path(__file__).parent
TEXTS = [
    "Cheap pills, buy cheap pills now",
    "Billige Pillen für Jürgen",
    "lunch at noon? see the agenda",
    "minutes of the meeting, and the agenda",
    "free entry: win a prize now, win cash",
]
LABELS = ["spam", "späm", "ham", "ham", "spam"]
ASKED = [*TEXTS, "cheap lunch, unheard-of words", "", "für \x1b[31m 中文 𝒳 now"]
CLASSIFIERS = {
    "complement": TextClassifier(ngrams=(1, 2), stop_words=["the", "of"]),
    "multinomial": TextClassifier(
        model="multinomial", weights="counts", unknown="token", min_df=2, stemmer="porter", class_prior=[0.5, 0.3, 0.2]
    ),
    "bernoulli": TextClassifier(
        model="bernoulli", alpha=0.0, analyzer="char_wb", ngrams=(2, 3), strip_accents="unicode"
    ),
}

if __name__ == "__main__":
    answers = {}
    for name, classifier in CLASSIFIERS.items():
        classifier.fit(TEXTS, LABELS).save(FOLDER / f"format-1-{name}.tnb")
        answers[name] = classifier.predict_proba(ASKED).tolist()
    (FOLDER / "format-1.json").write_text(json.dumps(answers, indent=1) + "\n")
