"""Explanations and reports: what they cost beyond a prediction, and a picture of a report on made-up mail.

    python benchmarks/explaining.py [--rounds 5]        # the costs
    python benchmarks/explaining.py --picture           # needs Chromium and playwright

An explanation here is `explain(text)` with all its rows and their places in the text. It and `predict_proba` take turns
on the same documents. The report is that of a saved model on 20 Newsgroups' test part, and takes turns with
`evaluate`, which reads, loads and predicts the same.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from common import RESULTS, best_of, write_results

import textnb
from textnb.corpora.corpus import Corpus, make_corpus
from textnb.report.page import report_html
from textnb.workflow import evaluate, report, train

GOALS = {"explanation": 3.0, "report_seconds": 5.0, "report_megabytes": 5.0}
N_DOCUMENTS = 300
RECIPES: dict[str, dict[str, Any]] = {
    "multinomial, counts": {"model": "multinomial", "weights": "counts"},
    "multinomial, counts, <UNK>": {"model": "multinomial", "weights": "counts", "unknown": "token", "min_df": 2},
    "complement, log-tfidf, pairs": {"model": "complement", "weights": "log-tfidf", "ngrams": (1, 2), "min_df": 2},
    "bernoulli": {"model": "bernoulli"},
    "multinomial, stems": {"model": "multinomial", "weights": "counts", "stemmer": "porter"},
    "multinomial, char_wb 2–4": {"model": "multinomial", "weights": "counts", "analyzer": "char_wb", "ngrams": (2, 4)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--picture", action="store_true", help="draw a report, and measure nothing")
    parser.add_argument("--dry-run", action="store_true", help="show the results, and write none")
    arguments = parser.parse_args()
    if arguments.picture:
        draw_report(RESULTS / "report.png")
        return
    explanations = [
        measured
        for name in ("sms-spam", "20news")
        for measured in measure_explanations(textnb.load_corpus(name), arguments.rounds)
    ]
    reports = measure_report(textnb.load_corpus("20news"), arguments.rounds)
    if not arguments.dry_run:
        results = {"rounds": arguments.rounds, "goals": GOALS, "explanations": explanations, "report": reports}
        write_results("explaining", results)


def measure_explanations(corpus: Corpus, rounds: int) -> list[dict[str, Any]]:
    """Times per document of predicting, of explaining, and of explaining with all rows."""
    texts = corpus.texts[1::2][:N_DOCUMENTS]
    found = []
    for recipe, settings in RECIPES.items():
        classifier = textnb.TextClassifier(**settings, calibrate=False).fit(corpus.texts[::2], corpus.labels[::2])
        classifier.predict(corpus.texts)  # so that its lookup is compiled, as in anything that predicts much

        def predict(classifier: Any = classifier) -> None:
            for text in texts:
                classifier.predict_proba([text])

        def explain(classifier: Any = classifier) -> None:
            for text in texts:
                classifier.explain(text)

        def explain_rows(classifier: Any = classifier) -> None:
            for text in texts:
                classifier.explain(text).rows  # noqa: B018

        times = [seconds / len(texts) for seconds in best_of(rounds, predict, explain, explain_rows)]
        measured = {"corpus": corpus.name, "recipe": recipe, "predict": times[0], "explain": times[1], "rows": times[2]}
        print(
            f"{corpus.name:9} {recipe:29} predict {times[0] * 1e6:6.0f} µs,"
            f" explain {times[1] / times[0]:.2f} ×, with all rows {times[2] / times[0]:.2f} ×",
            flush=True,
        )
        found.append(measured)
    return found


def measure_report(corpus: Corpus, rounds: int) -> dict[str, Any]:
    """What a report takes beyond evaluating, and how large its page is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "20news.tnb")
        train(corpus, output=path)
        page = ""

        def make_report() -> None:
            nonlocal page
            page = report_html(report(path, corpus).to_json())

        times = best_of(rounds, lambda: evaluate(path, corpus), make_report)
    size = len(page.encode("utf-8")) / 1e6
    beyond = times[1] - times[0]
    print(f"report of {corpus.name}: {beyond:.2f} s beyond evaluating ({times[0]:.2f} s), {size:.2f} MB")
    return {"evaluate": times[0], "report": times[1], "beyond": beyond, "megabytes": size}


# A picture ------------------------------------------------------------------------------------------------------------

GREETINGS = ["Hello", "Dear friend", "Hi all", "Good morning", "Dear customer"]
SPAM = """win a free holiday|claim your prize today|cheap watches and cheap pills|you were chosen for a cash reward
|offer ends at midnight|click now to claim|no risk, free trial|lower your loan rate""".replace("\n", "").split("|")
HAM = """minutes of the meeting are attached|lunch on Tuesday?|the build is green again|please review my draft
|thanks for the notes|the train is late, start without me|can you send the figures today
|the offer from the printer came in""".replace("\n", "").split("|")


def made_up_mail(n: int, seed: int) -> Corpus:
    """Short messages of invented sentences, some of which could be of either class."""
    draw = random.Random(seed)
    texts, labels = [], []
    for _ in range(n):
        label = draw.choice(("ham", "ham", "spam"))
        own, other = (SPAM, HAM) if label == "spam" else (HAM, SPAM)
        sentences = [draw.choice(own if draw.random() < 0.78 else other) for _ in range(draw.randint(1, 4))]
        texts.append(f"{draw.choice(GREETINGS)}, {'. '.join(sentences)}. [{draw.randint(100, 999)}]")
        labels.append(label)
    return make_corpus("mail", texts, labels, "made-up messages")


def draw_report(path: Path) -> None:
    from playwright.sync_api import sync_playwright

    classifier = train(made_up_mail(600, 1), test_size=0, model="multinomial", weights="counts").classifier
    page = report_html(report(classifier, made_up_mail(100, 4)).to_json())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        Path(folder, "report.html").write_text(page, encoding="utf-8")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1280, "height": 800})
        view.goto(Path(folder, "report.html").as_uri())
        view.locator("#confusion table button").nth(1).click()
        view.locator("#confusion details", has_text="free").locator("summary").first.click()
        view.evaluate("window.scrollTo(0, 0)")
        area = view.locator("#confusion").bounding_box()
        assert area is not None
        view.screenshot(
            path=str(path),
            full_page=True,
            clip={"x": area["x"] - 20, "y": area["y"], "width": area["width"] + 40, "height": min(area["height"], 860)},
        )
        browser.close()
    print(path)


if __name__ == "__main__":
    main()
