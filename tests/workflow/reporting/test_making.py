"""Reports: every figure against a plain computation of it."""

import json
import random
from decimal import Decimal

import numpy as np
import pytest

import textnb
from tests.corpora_for_tests import corpus_or_skip
from textnb.corpora.corpus import make_corpus
from textnb.corpora.rows import ReadOptions
from textnb.workflow import cross_validate, evaluate, report, train
from textnb.workflow.reporting.documents import ROWS_SHOWN, TEXT_LIMIT
from textnb.workflow.reporting.paired_comparison import mcnemar_p_value
from textnb.workflow.reporting.view import LISTED

LEXICON = {
    "ham": ["lunch", "meeting", "minutes", "report", "project", "thanks", "dinner", "tomorrow", "agenda", "notes"],
    "news": ["today", "election", "report", "minister", "goal", "match", "tomorrow", "prize", "winner", "city"],
    "spam": ["cheap", "pills", "free", "prize", "claim", "cash", "winner", "offer", "click", "viagra"],
}
EVERY = sorted({word for words in LEXICON.values() for word in words})


def documents(n: int, seed: int, classes=tuple(LEXICON)) -> tuple[list[str], list[str]]:
    choose = random.Random(seed)
    labels = [choose.choice(classes) for _ in range(n)]
    texts = [
        " ".join(choose.choices(LEXICON[label], k=choose.randint(1, 6)) + choose.choices(EVERY, k=choose.randint(0, 6)))
        for label in labels
    ]
    return texts, labels


def corpus_of(n=300, seed=3, name="mail", **more):
    texts, labels = documents(n, seed, **more)
    return make_corpus(name, [f"{text} unheard{i % 7}" for i, text in enumerate(texts)], labels, "made up")


def classifier(n=200, seed=1, classes=tuple(LEXICON), **settings):
    texts, labels = documents(n, seed, classes)
    settings = {"model": "multinomial", "weights": "counts", **settings}
    return textnb.TextClassifier(**settings).fit(texts, labels)


def as_json(result):
    found = result.to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found  # plain types, in plain lists
    return found


@pytest.fixture(scope="module")
def model():
    return classifier()


@pytest.fixture(scope="module")
def corpus():
    return corpus_of()


@pytest.fixture(scope="module")
def found(model, corpus):
    return as_json(report(model, corpus))


@pytest.fixture(scope="module")
def truth(model, corpus):
    """(true, predicted, probabilities) by plain means."""
    probabilities = model.predict_proba(corpus.texts)
    classes = model.classes_.tolist()
    return (
        np.array([classes.index(label) for label in corpus.labels.tolist()]),
        probabilities.argmax(axis=1),
        probabilities,
    )


def test_the_figures_are_those_of_evaluate(model, corpus, found):
    expected = evaluate(model, corpus)
    evaluation = expected.evaluation.to_json()
    for name, value in evaluation.items():
        if name != "per_class":
            assert found["evaluation"][name] == value
    for mine, theirs in zip(found["evaluation"]["per_class"], evaluation["per_class"], strict=True):
        assert {name: mine[name] for name in theirs} == theirs
    as_evaluated = expected.to_json()
    for name in ("corpus", "edition", "n_train", "n_learned_skipped", "n_learned_tested", "classes"):
        assert found[name] == as_evaluated[name]
    assert found["n"] == as_evaluated["n_test"] == 300
    assert found["title"] == "mail: made up"
    assert found["model"] == {
        "file": None,
        "settings": expected.settings,
        "n_documents": 200,
        "n_terms": len(EVERY),
        "calibrated": True,
    }


def test_shares_of_classes_have_intervals(found):
    from textnb.workflow.metrics import wilson_interval

    matrix = np.array(found["evaluation"]["confusion_matrix"])
    for c, row in enumerate(found["evaluation"]["per_class"]):
        assert row["recall_interval"] == list(wilson_interval(row["recall"], int(matrix[c].sum())))
        assert row["precision_interval"] == list(wilson_interval(row["precision"], int(matrix[:, c].sum())))


def test_cells_are_those_of_the_confusion_matrix(found):
    matrix = np.zeros((3, 3), dtype=int)
    shown = []
    for true, predicted, n, numbers in found["cells"]:
        matrix[true, predicted] = n
        shown += numbers
        for number in numbers:
            document = found["documents"][number]
            assert (document["true"], document["predicted"]) == (true, predicted)
        probabilities = [found["documents"][number]["probability"] for number in numbers]
        assert probabilities == sorted(probabilities, reverse=true != predicted)
    assert matrix.tolist() == found["evaluation"]["confusion_matrix"]
    assert sorted(shown) == list(range(len(found["documents"])))


def test_documents_have_their_texts_and_probabilities(corpus, found, truth):
    true, predicted, probabilities = truth
    for document in found["documents"]:
        row = int(document["where"].removeprefix("texts[").removesuffix("]"))
        assert document["text"] == corpus.texts[row]
        assert not document["is_cut"]
        assert (document["true"], document["predicted"]) == (true[row], predicted[row])
        assert document["probability"] == pytest.approx(probabilities[row].max(), abs=1e-6)
        assert document["true_probability"] == pytest.approx(probabilities[row, true[row]], abs=1e-6)
        words = corpus.texts[row].split()
        assert document["n_words"] == len(words)
        assert document["unknown_share"] == pytest.approx(1 / len(words), abs=1e-4)


def test_explanations_are_of_the_class_named_against_the_true_one(model, found):
    wrong = 0
    for document in found["documents"]:
        is_error = document["true"] != document["predicted"]
        wrong += is_error
        why = model.explain(
            document["text"],
            against=found["classes"][document["true"]] if is_error else None,
            label=found["classes"][document["predicted"]],
        )
        assert (document["label"], document["against"]) == tuple(
            found["classes"].index(name) for name in (why.label, why.against)
        )
        assert document["log_odds"] == pytest.approx(why.log_odds, abs=0.0005)
        contributions = [row.contribution for row in why.rows]
        assert [(term, count, kind) for term, count, _, kind in document["rows"]] == [
            (row.term, row.count, row.kind) for row in why.rows[:ROWS_SHOWN]
        ]
        assert [row[2] for row in document["rows"]] == pytest.approx(contributions[:ROWS_SHOWN], abs=0.0005)
        others = contributions[ROWS_SHOWN:]
        assert document["rest"] == [len(others), pytest.approx(sum(others), abs=0.0005)]
        assert adds_up(document)
        largest = max(abs(piece.share) for piece in why.highlights)
        marked = [
            [start, end, pytest.approx(share, abs=0.0005)]
            for start, end, share, _ in why.highlights
            if abs(share) >= largest / 100
        ]
        assert document["marks"] == marked
    assert wrong > 20


def adds_up(document):
    """Whether rows and rest give the log-odds, to what rounding each may lose."""
    rows = [row[2] for row in document["rows"]]
    numbers = [*rows, document["rest"][1], document["log_odds"]]
    digits = max(-Decimal(repr(number)).as_tuple().exponent for number in numbers)
    tolerance = 0.5 * 10.0**-digits * (len(rows) + 2) + 1e-12
    return abs(sum(rows) + document["rest"][1] - document["log_odds"]) <= tolerance


def test_confident_errors_are_those_with_the_highest_probability(found, truth):
    true, predicted, probabilities = truth
    wrong = np.flatnonzero(true != predicted)
    expected = sorted(wrong.tolist(), key=lambda i: (-probabilities[i].max(), i))[:LISTED]
    assert [found["documents"][number]["where"] for number in found["confident_errors"]] == [
        f"texts[{i}]" for i in expected
    ]


def test_suspected_labels_are_those_that_words_speak_against(model, corpus, found, truth):
    true, _, _ = truth
    joint = model.predictor_.scores(model.predictor_.count(corpus.texts))
    margins = {}
    for i, scores in enumerate(joint):
        n_known = len(corpus.texts[i].split()) - 1
        suggested = max((c for c in range(3) if c != true[i]), key=lambda c: scores[c])
        if scores[suggested] > scores[true[i]]:
            margins[i] = (scores[suggested] - scores[true[i]]) / n_known, suggested
    expected = sorted(margins, key=lambda i: (-margins[i][0], i))[:LISTED]
    assert [found["documents"][entry["document"]]["where"] for entry in found["suspected_labels"]] == [
        f"texts[{i}]" for i in expected
    ]
    for entry, i in zip(found["suspected_labels"], expected, strict=True):
        assert entry["margin"] == pytest.approx(margins[i][0])
        assert entry["suggested"] == margins[i][1]


def test_only_listed_documents_say_what_would_flip_them(model, found):
    listed = {*found["confident_errors"], *(entry["document"] for entry in found["suspected_labels"])}
    for number, document in enumerate(found["documents"]):
        if number not in listed:
            assert "flip" not in document
            continue
        flip = model.explain(document["text"], label=found["classes"][document["label"]]).what_would_flip()
        expected = None if flip is None else {"words": flip.words, "label": found["classes"].index(flip.label)}
        assert document["flip"] == expected
    assert any(found["documents"][number]["flip"] for number in listed)


def test_words_that_mislead_are_sums_over_all_documents_of_a_pair(model, corpus, found, truth):
    true, predicted, _ = truth
    matrix = np.array(found["evaluation"]["confusion_matrix"])
    for pair in found["confused_pairs"]:
        assert pair["count"] == matrix[pair["true"], pair["predicted"]]
        assert pair["share"] == pair["count"] / matrix[pair["true"]].sum()
        totals, numbers = {}, {}
        for i in np.flatnonzero((true == pair["true"]) & (predicted == pair["predicted"])).tolist():
            why = model.explain(
                corpus.texts[i], found["classes"][pair["true"]], label=found["classes"][pair["predicted"]]
            )
            for row in why.rows:
                if row.kind == "term":
                    totals[row.term] = totals.get(row.term, 0) + row.contribution
                    numbers[row.term] = numbers.get(row.term, 0) + 1
        expected = sorted((term for term in totals if totals[term] > 0), key=lambda term: (-totals[term], term))[:12]
        assert {word for word, _, _ in pair["words"]} == set(expected)
        for word, contribution, n in pair["words"]:
            assert contribution == pytest.approx(totals[word], abs=1e-4)
            assert n == numbers[word]
        contributions = [contribution for _, contribution, _ in pair["words"]]
        assert contributions == sorted(contributions, reverse=True)
    counts = [pair["count"] for pair in found["confused_pairs"]]
    assert counts == sorted((matrix - np.diag(np.diag(matrix)))[matrix > 0].tolist(), reverse=True)[: len(counts)]


def test_probabilities_are_binned(model, corpus, found):
    confidence = model.predict_proba(corpus.texts).max(axis=1)
    expected = [int(((confidence * 20).astype(int).clip(max=19) == b).sum()) for b in range(20)]
    assert found["confidence_histogram"] == expected
    raw = np.exp(model.predict_log_proba(corpus.texts, raw=True)).max(axis=1)
    assert sum(entry["count"] for entry in found["raw_reliability"]) == 300
    mean = sum(entry["count"] * entry["confidence"] for entry in found["raw_reliability"]) / 300
    assert mean == pytest.approx(raw.mean())
    assert as_json(report(classifier(calibrate=False), corpus))["raw_reliability"] is None


def test_thresholds_name_what_evaluate_names_at_one_half():
    two = ("ham", "spam")
    model, corpus = classifier(classes=two), corpus_of(classes=two)
    found = as_json(report(model, corpus))
    matrix = found["evaluation"]["confusion_matrix"]
    assert [curve["class"] for curve in found["thresholds"]] == [0, 1]
    for curve in found["thresholds"]:
        c = curve["class"]
        (point,) = [point for point in curve["points"] if point[0] == 0.5]
        assert point == [0.5, matrix[c][c], matrix[1 - c][c]]
        assert [curve["n_positive"], curve["n_negative"]] == [sum(matrix[c]), sum(matrix[1 - c])]


def test_thresholds_of_several_classes_are_of_one_against_the_rest(found, truth):
    true, _, probabilities = truth
    for curve in found["thresholds"]:
        for threshold, right, wrong in curve["points"]:
            named = probabilities[:, curve["class"]] >= threshold
            assert [right, wrong] == [
                (named & (true == curve["class"])).sum(),
                (named & (true != curve["class"])).sum(),
            ]


def test_slices_are_of_all_documents(found, truth):
    true, predicted, _ = truth
    for kind in ("length", "unknown words", "class", "duplicates"):
        parts = [part for part in found["slices"] if part["by"] == kind]
        assert sum(part["n"] for part in parts) == 300
        assert sum(part["n"] * part["accuracy"] for part in parts) == pytest.approx((true == predicted).sum())


def test_top_words_are_those_of_the_model(model, found):
    for name, words in zip(found["classes"], found["top_words"], strict=True):
        assert [term for term, _ in words] == [term for term, _ in model.top_terms(12)[name]]


def split_corpus(n=200):
    """Documents of which the first half was learned; some of the others are nearly the same, some mislabelled."""
    texts, labels = documents(n, 11)
    texts = [f"{text} {text[::-1]}" for text in texts]
    texts[-1], texts[-2] = texts[0], texts[1] + " more"
    labels[-1], labels[-2] = labels[0], next(name for name in LEXICON if name != labels[1])
    return make_corpus("mail", texts, labels, "made up")


def test_near_duplicates_of_learned_documents_are_told_apart():
    corpus = split_corpus()
    model = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[:100], corpus.labels[:100])
    result = report(model, corpus)
    found = as_json(result)
    sets = [set(text.split()) for text in corpus.texts]
    alike = [
        (i, j)
        for i in range(100, 199)  # the last is known to the letter, and not tested on
        for j in range(i)
        if len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= 0.8
    ]
    repeated = {i for i, j in alike if j < 100}
    assert found["n"] == 99
    assert found["n_learned_skipped"] == 101
    assert 198 in repeated
    duplicates = found["near_duplicates"]
    assert duplicates["n_with_learned"] == len(repeated)
    assert duplicates["n_pairs"] >= len(repeated)
    assert duplicates["n_other_class"] >= 1
    first = duplicates["pairs"][0]
    assert found["classes"][found["documents"][first["first"]]["true"]] != first["second_label"]
    kept = [i for i in range(100, 199) if i not in repeated]
    right = model.predict([corpus.texts[i] for i in kept]) == corpus.labels[kept]
    assert duplicates["accuracy_without"] == pytest.approx(right.mean())
    listed = {(found["documents"][pair["first"]]["where"], pair["second_where"]) for pair in duplicates["pairs"]}
    assert ("texts[198]", "texts[1]") in listed
    for pair in duplicates["pairs"]:
        row = int(pair["second_where"].removeprefix("texts[").removesuffix("]"))
        assert pair["is_learned"] == (row < 100)
        assert (pair["second"] is None) == pair["is_learned"]
        assert pair["second_label"] == corpus.labels[row]


def test_the_learning_curve_ends_with_the_model_itself():
    corpus = split_corpus()
    model = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[:100], corpus.labels[:100])
    found = as_json(report(model, corpus))
    points = found["learning_curve"]["points"]
    assert [point["n"] for point in points] == [6, 12, 25, 50, 100]
    assert points[-1]["accuracy"] == found["evaluation"]["accuracy"]
    assert points[-1]["interval"] == found["evaluation"]["accuracy_interval"]
    assert found["learning_curve"]["why_not"] is None


def test_where_nothing_learned_is_at_hand_there_is_no_learning_curve(corpus, found):
    curve = found["learning_curve"]
    assert curve["points"] == []
    assert curve["why_not"] == "none of the documents that the model has learned are in the corpus"
    without = as_json(report(classifier(ledger=False), corpus))
    assert "no ledger" in without["learning_curve"]["why_not"]
    assert without["near_duplicates"]["n_with_learned"] is None
    assert without["n_learned_skipped"] is None
    assert "duplicates" not in {part["by"] for part in without["slices"]}


def test_learned_documents_are_tested_on_if_asked_for():
    corpus = split_corpus()
    model = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[:100], corpus.labels[:100])
    found = as_json(report(model, corpus, include_learned=True))
    assert (found["n"], found["n_learned_skipped"], found["n_learned_tested"]) == (200, 0, 101)
    assert found["near_duplicates"]["n_with_learned"] >= 101


def test_a_second_model_is_compared_on_the_same_documents(model, corpus, truth):
    other = classifier(n=40, seed=9, model="bernoulli")
    found = as_json(report(model, corpus, compare=other))
    true, predicted, _ = truth
    second = other.predict_proba(corpus.texts)
    first_right, second_right = predicted == true, second.argmax(axis=1) == true
    comparison = found["comparison"]
    counts = [(first_right & second_right).sum(), (first_right & ~second_right).sum()]
    counts += [(~first_right & second_right).sum(), (~first_right & ~second_right).sum()]
    assert [comparison[name] for name in ("both_right", "only_first", "only_second", "both_wrong")] == counts
    difference = first_right.mean() - second_right.mean()
    assert comparison["difference"] == pytest.approx(difference)
    error = (first_right.astype(int) - second_right.astype(int)).std() / np.sqrt(300)
    low, high = difference - 1.959963984540054 * error, difference + 1.959963984540054 * error
    assert comparison["difference_interval"] == pytest.approx([low, high])
    assert comparison["p_value"] == mcnemar_p_value(int(counts[1]), int(counts[2]))
    expected = evaluate(other, corpus).evaluation
    assert comparison["accuracy"] == expected.accuracy
    assert comparison["accuracy_interval"] == list(expected.accuracy_interval)
    assert comparison["macro_f1"] == expected.macro_f1
    for c, first, other_recall in comparison["per_class"]:
        assert first == pytest.approx(first_right[true == c].mean())
        assert other_recall == pytest.approx(second_right[true == c].mean())
    assert comparison["documents"]
    for entry in comparison["documents"]:
        row = int(found["documents"][entry["document"]]["where"].removeprefix("texts[").removesuffix("]"))
        assert entry["other"] == second[row].argmax() != predicted[row]
        assert entry["other_probability"] == pytest.approx(second[row].max(), abs=1e-6)


def test_what_either_model_has_learned_is_left_out_of_a_comparison():
    corpus = split_corpus()
    first = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[:80], corpus.labels[:80])
    second = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[60:120], corpus.labels[60:120])
    found = as_json(report(first, corpus, compare=second))
    assert found["n"] == 200 - 120 - 1  # and the copy of the first
    assert found["n_learned_skipped"] == 121
    assert found["comparison"]["both_right"] + found["comparison"]["only_first"] <= found["n"]
    assert as_json(report(first, corpus, compare=second, include_learned=True))["n"] == 200
    both = textnb.TextClassifier("multinomial", "counts").fit(corpus.texts[80:], corpus.labels[80:])
    with pytest.raises(ValueError, match="learned by one of the two models"):
        report(first, corpus, compare=both)


def test_a_second_model_may_have_other_classes(model, corpus):
    texts, labels = documents(60, 5)
    other = textnb.TextClassifier("multinomial", "counts").fit(texts, ["junk" if x == "spam" else x for x in labels])
    found = as_json(report(model, corpus, compare=other))
    assert found["classes"] == ["ham", "news", "spam"]
    assert found["comparison"]["classes"] == ["ham", "news", "spam", "junk"]
    assert 3 in {entry["other"] for entry in found["comparison"]["documents"]}
    assert found["comparison"]["per_class"][2][2] == 0


def test_labels_that_the_model_does_not_know_are_errors(corpus):
    model = classifier(classes=("ham", "spam"))
    found = as_json(report(model, corpus))
    assert found["classes"] == ["ham", "news", "spam"]
    assert found["evaluation"]["per_class"][1]["recall"] == 0
    strange = [document for document in found["documents"] if document["true"] == 1]
    assert strange
    for document in strange:
        assert document["true_probability"] is None
        assert document["against"] == 2 - document["label"]
        assert document["log_odds"] >= 0
    assert [curve["class"] for curve in found["thresholds"]] == [0, 2]
    assert found["top_words"][1] == []
    assert {pair["true"] for pair in found["confused_pairs"] if not pair["words"]} == {1}


def test_labels_of_a_model_may_be_numbers(corpus):
    texts, labels = documents(100, 1)
    numbers = {name: number for number, name in enumerate(LEXICON)}
    model = textnb.TextClassifier("multinomial", "counts").fit(texts, [numbers[label] for label in labels])
    named = make_corpus("numbers", corpus.texts, [str(numbers[label]) for label in corpus.labels.tolist()], "made up")
    found = as_json(report(model, named, compare=model))
    assert found["classes"] == ["0", "1", "2"]
    assert (found["comparison"]["difference"], found["comparison"]["p_value"]) == (0, 1)


def test_decisions_stand_beside_the_most_probable_classes(corpus):
    model = classifier().decide_by({("ham", "spam"): 20.0}, unsure=0.2)
    found = as_json(report(model, corpus))
    expected = evaluate(model, corpus)
    assert found["decisions"] == expected.decisions.to_json()
    assert found["evaluation"]["accuracy"] == expected.evaluation.accuracy
    assert len(found["decisions"]["confusion_matrix"][0]) == 4


def test_without_texts_no_word_of_a_document_is_there(model, corpus, found):
    private = as_json(report(model, corpus, texts=False))
    assert not private["texts"]
    for key in ("documents", "confused_pairs", "top_words", "near_duplicates"):
        said = json.dumps(private[key])
        assert [word for word in [*EVERY, "unheard"] if word in said and word != "report"] == []
    for mine, theirs in zip(private["documents"], found["documents"], strict=True):
        for name in ("where", "true", "predicted", "probability", "n_words", "label", "against"):
            assert mine[name] == theirs[name]
        assert mine["log_odds"] == pytest.approx(theirs["log_odds"], abs=0.001)
        assert (mine["text"], mine["rows"], mine["marks"]) == (None, [], [])
        assert "flip" not in mine
    for name in ("evaluation", "cells", "confident_errors", "suspected_labels", "thresholds", "slices"):
        assert private[name] == found[name]


def test_the_same_inputs_give_the_same_json(corpus):
    first, second = (json.dumps(report(classifier(), corpus, compare=classifier(n=60)).to_json()) for _ in range(2))
    assert first == second


def test_long_texts_are_cut_and_marks_stay_inside(model):
    texts, labels = documents(30, 8)
    long = make_corpus("long", [f"{text} " * 60 for text in texts], labels, "made up")
    found = as_json(report(model, long))
    cut = [document for document in found["documents"] if document["is_cut"]]
    assert cut
    for document in cut:
        assert len(document["text"]) <= TEXT_LIMIT
        assert document["text"].split()[-1] in EVERY
        assert all(0 <= start < end <= len(document["text"]) for start, end, _ in document["marks"])
        assert adds_up(document)


@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 0.0},
        {"model": "bernoulli"},
        {"model": "bernoulli", "alpha": 0.0},
        {"model": "complement", "weights": "log-tfidf", "norm": True},
        {"ngrams": (1, 2), "unknown": "token"},
        {"ngrams": (2, 2)},
        {"analyzer": "char_wb", "ngrams": (2, 3)},
        {"stemmer": "porter", "stop_words": ["report"]},
        {"model": "multinomial", "weights": "tfidf", "min_df": 2},
    ],
    ids=str,
)
def test_every_kind_of_text_model_has_a_report(settings, corpus):
    found = as_json(report(classifier(**settings), corpus))
    assert sum(n for _, _, n, _ in found["cells"]) == 300
    finite = [document for document in found["documents"] if document["log_odds"] is not None]
    assert len(finite) == len(found["documents"]) or settings["alpha"] == 0
    for document in finite:
        if None not in [*[row[2] for row in document["rows"]], document["rest"][1]]:
            assert adds_up(document)
        assert 0 <= document["unknown_share"] <= 1


def test_an_empty_document_is_reported_too(model):
    corpus = make_corpus(
        "odd", ["", "cheap pills", "\x1b[31m <b>lunch", "lunch"], ["ham", "spam", "spam", "ham"], "odd"
    )
    found = as_json(report(model, corpus))
    assert found["n"] == 4
    assert [document["text"] for document in found["documents"]] == corpus.texts


def mixed_corpus(n=120):
    texts, labels = documents(n, 4)
    choose = random.Random(4)
    links = [choose.gauss(8.0 if label == "spam" else 1.0, 2.0) for label in labels]
    columns = {
        "text": texts,
        "links": links,
        "domain": [f"{label}.example" if choose.random() < 0.8 else None for label in labels],
    }
    return make_corpus("table", texts, labels, "made up", columns=columns)


@pytest.mark.parametrize("with_text", [True, False])
def test_models_of_several_columns_have_a_report_as_far_as_they_can(with_text):
    corpus = mixed_corpus()
    if not with_text:
        corpus = make_corpus(
            "table",
            [""] * 120,
            corpus.labels.tolist(),
            "made up",
            columns={name: corpus.columns[name] for name in ("links", "domain")},
        )
    result = train(corpus, categorical=["domain"], numeric=["links"], report=True)
    found = as_json(result.report)
    assert found["n"] == result.evaluation.n == 36
    assert found["model"]["n_terms"] is None
    assert found["learning_curve"]["points"] == []
    assert "several columns" in found["learning_curve"]["why_not"]
    for document in found["documents"]:
        assert document["unknown_share"] is None
        assert (document["text"] is None) == (not with_text)
        assert adds_up(document)
        assert {row[3] for row in document["rows"]} <= {"term", "value", "unknown", "prior"}
    assert any(row[3] == "value" for document in found["documents"] for row in document["rows"])
    assert ("length" in {part["by"] for part in found["slices"]}) == with_text


def test_training_reports_what_it_has_held_out():
    corpus = split_corpus()
    plain = train(corpus, model="multinomial", weights="counts")
    result = train(corpus, model="multinomial", weights="counts", refit=True, report=True)
    found = as_json(result.report)
    assert plain.report is None
    assert found["evaluation"]["confusion_matrix"] == plain.evaluation.confusion_matrix.tolist()
    assert result.evaluation.to_json() == plain.evaluation.to_json()
    assert (found["n"], found["n_train"], found["model"]["n_documents"]) == (60, 140, 140)
    assert (found["n_learned_skipped"], found["n_learned_tested"]) == (0, 0)
    assert found["evaluated_on"] == "30% held out at random"
    assert [point["n"] for point in found["learning_curve"]["points"]] == [8, 17, 35, 70, 140]
    assert found["learning_curve"]["points"][-1]["accuracy"] == plain.evaluation.accuracy
    assert found["near_duplicates"]["n_with_learned"] is not None
    assert result.n_learned == 200


def test_nothing_held_out_is_nothing_to_report():
    with pytest.raises(ValueError, match="holds none out"):
        train(split_corpus(), model="multinomial", test_size=0, report=True)
    with pytest.raises(ValueError, match="no setting 'report'"):
        cross_validate(split_corpus(), 3, model="multinomial", report=True)


def test_a_report_of_files_names_them(tmp_path):
    texts, labels = documents(120, 6)
    lines = [json.dumps({"body": text, "kind": label}) for text, label in zip(texts, labels, strict=True)]
    path = tmp_path / "mail.jsonl"
    path.write_text("\n".join([*lines, "{}"]) + "\n", encoding="utf-8")
    options = ReadOptions(text="body", label="kind")
    train(path, options=options, model="multinomial", output=tmp_path / "mail.tnb")
    found = as_json(report(tmp_path / "mail.tnb", path))
    assert found["model"]["file"] == str(tmp_path / "mail.tnb")
    assert found["documents"][0]["where"].startswith("line ")
    assert len(found["skipped"]) == 1
    assert found["learning_curve"]["points"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sms-spam", "20news"])
def test_reports_of_real_corpora_add_up(name):
    corpus = corpus_or_skip(name)
    settings = {"model": "complement", "weights": "binary", "ngrams": (1, 2), "min_df": 2, "alpha": 0.5}
    result = train(corpus, report=True, **settings)
    found = as_json(result.report)
    matrix = np.zeros((len(found["classes"]),) * 2, dtype=int)
    for true, predicted, n, _ in found["cells"]:
        matrix[true, predicted] = n
    assert matrix.tolist() == found["evaluation"]["confusion_matrix"] == result.evaluation.confusion_matrix.tolist()
    assert all(adds_up(document) for document in found["documents"])
    for document in found["documents"]:
        assert len(document["text"]) <= TEXT_LIMIT
        assert all(0 <= start < end <= len(document["text"]) for start, end, _ in document["marks"])
    for curve in found["thresholds"]:
        assert len(curve["points"]) <= 500
        assert curve["n_positive"] == matrix[curve["class"]].sum()
    accuracies = [point["accuracy"] for point in found["learning_curve"]["points"]]
    assert len(accuracies) == 5
    assert accuracies[-1] == found["evaluation"]["accuracy"]
