"""Make the witnesses that models saved in format 3 stay loadable, and learn on. Run once, never again.

PYTHONPATH=.:tests python tests/golden_models/make_format_3.py
"""

import json
from pathlib import Path

from golden_models.make_format_1 import ASKED, LABELS, TEXTS
from golden_models.make_format_2 import MORE, MORE_LABELS
from sklearn.pipeline import make_pipeline

from textnb import CategoricalNB, GaussianNB, MixedNB, MultinomialNB, TextClassifier, TfidfVectorizer
from textnb.estimators.mixed_file import save_mixed

FOLDER = Path(__file__).parent
CLASSIFIERS = {
    "ngrams": TextClassifier(model="multinomial", weights="counts", ngrams=(1, 2), stop_words="english"),
    "limited": TextClassifier(weights="tfidf", unknown="token", max_df=0.5, max_features=9, norm=True, ledger=False),
    "decided": TextClassifier(model="bernoulli", alpha=0.5, stemmer="porter", class_prior=[0.5, 0.25, 0.25]),
}
TABLE = [
    [text, length, float(len(text))] for text, length in zip(ASKED, ["short", "long", "long", "x"] * 2, strict=True)
]


def learned(name: str) -> TextClassifier:
    classifier = CLASSIFIERS[name].fit(TEXTS, LABELS).learn(MORE, MORE_LABELS).forget(MORE[:1], MORE_LABELS[:1])
    return classifier.decide_by({("ham", "spam"): 5.0}, unsure=0.25) if name == "decided" else classifier


def mixed() -> MixedNB:
    text = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), unknown="token"), MultinomialNB(alpha=0.3))
    parts = [
        ("text", text, 0),
        ("length", CategoricalNB(unknown="smooth"), [1]),
        ("size", GaussianNB(var_smoothing=1e-3), [2]),
    ]
    return MixedNB(parts, weights={"text": 0.5}).fit(TABLE[: len(TEXTS)], LABELS)


if __name__ == "__main__":
    answers = {}
    for name in CLASSIFIERS:
        classifier = learned(name)
        classifier.save(FOLDER / f"format-3-{name}.tnb")
        answers[name] = classifier.predict_proba(ASKED).tolist()
    save_mixed(mixed(), FOLDER / "format-3-mixed.tnb", label="kind")
    answers["mixed"] = mixed().predict_proba(TABLE).tolist()
    (FOLDER / "format-3.json").write_text(json.dumps(answers, indent=1) + "\n")
