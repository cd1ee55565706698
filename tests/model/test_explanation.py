"""Explanations add up, stand where they stand, and say truly what would flip a decision."""

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip

import textnb
from textnb.model.explanation import finite

TEXTS = [
    *(
        "cheap pills cheap offer",
        "win a cheap prize now",
        "free prize, claim now",
        "pills and offer",
        "claim free cash",
    ),
    *("lunch at noon", "minutes of the meeting", "meeting at noon, agenda", "project notes", "thanks for lunch"),
    *("goal in the last minute", "the team won the match", "match and goal", "team news", "last match, last goal"),
]
LABELS = ["spam"] * 5 + ["ham"] * 5 + ["sport"] * 5
NEW = ["Cheap lunch, cheap!", "the last MEETING of the team", "goal", "", "unheard of words", "free free free noon"]
SETTINGS = {
    "multinomial": {"model": "multinomial", "weights": "counts"},
    "unknown": {"model": "multinomial", "weights": "counts", "unknown": "token", "min_df": 2},
    "pairs": {"model": "multinomial", "weights": "counts", "ngrams": (1, 2)},
    "tf-idf": {"model": "multinomial", "weights": "log-tfidf"},
    "complement": {"model": "complement", "ngrams": (1, 2)},
    "normed": {"model": "complement", "norm": True, "weights": "tfidf"},
    "bernoulli": {"model": "bernoulli", "unknown": "token"},
    "characters": {"model": "multinomial", "weights": "counts", "analyzer": "char", "ngrams": (1, 3)},
    "characters of words": {"model": "complement", "analyzer": "char_wb", "ngrams": (2, 4)},
    "stems": {"model": "multinomial", "weights": "binary", "stemmer": "porter", "strip_accents": "unicode"},
}


@pytest.fixture(params=SETTINGS)
def classifier(request):
    return textnb.TextClassifier(**SETTINGS[request.param]).fit(TEXTS, LABELS)


def opened(classifier, tmp_path):
    """The same model, of which only what is touched is read."""
    from textnb.model.file import predictor_of
    from textnb.storage import open_model

    classifier.save(tmp_path / "m.tnb")
    return predictor_of(open_model(tmp_path / "m.tnb", verify="touched"))


def test_the_rows_add_up_for_every_pair_of_classes(classifier):
    joint = {text: classifier.predict_log_proba([text], raw=True)[0] for text in NEW}
    for text in NEW:
        for label, against in [("spam", "ham"), ("ham", "sport"), ("sport", "spam")]:
            why = classifier.explain(text, against, label=label)
            c, d = (classifier.classes_.tolist().index(name) for name in (label, against))
            assert why.log_odds == pytest.approx(joint[text][c] - joint[text][d], rel=1e-9, abs=1e-12)
            assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, rel=1e-9, abs=1e-12)
            for row in why.rows:
                assert row.value * row.weight == pytest.approx(row.contribution, rel=1e-12)


def test_winner_and_runner_up_are_compared(classifier):
    for text in NEW:
        why = classifier.explain(text)
        order = np.argsort(-classifier.predict_log_proba([text], raw=True)[0], kind="stable")
        assert [why.label, why.against] == classifier.classes_[order[:2]].tolist()
        assert why.label == classifier.predict([text])[0]
        assert list(why.probabilities.values()) == classifier.predict_proba([text])[0].tolist()


def test_a_file_explains_as_the_model_in_memory(classifier, tmp_path):
    predictor = opened(classifier, tmp_path)
    for text in NEW:
        mine, its = classifier.explain(text), predictor.explain(text)
        for name in ("term", "kind", "count", "spans"):
            assert [getattr(row, name) for row in mine.rows] == [getattr(row, name) for row in its.rows]
        np.testing.assert_allclose(
            [row.contribution for row in mine.rows], [row.contribution for row in its.rows], rtol=1e-9, atol=1e-12
        )


def test_highlights_share_out_what_stands_in_the_text(classifier):
    for text in NEW:
        why = classifier.explain(text)
        standing = sum(row.contribution for row in why.rows if row.spans)
        assert sum(piece.share for piece in why.highlights) == pytest.approx(standing, rel=1e-9, abs=1e-12)
        ends = [0, *(place for piece in why.highlights for place in (piece.start, piece.end)), len(text)]
        assert ends == sorted(ends)


def test_counts_and_spans_agree():
    why = textnb.TextClassifier(model="multinomial", weights="counts", ngrams=(1, 2)).fit(TEXTS, LABELS).explain(NEW[0])
    rows = {row.term: row for row in why.rows}
    assert (rows["cheap"].count, rows["cheap"].spans) == (2, ((0, 5), (13, 18)))
    assert (rows["lunch"].count, rows["lunch"].spans) == (1, ((6, 11),))
    assert rows["prior"].kind == "prior"


def test_masking_a_word_changes_the_score_by_its_share():
    """Of counts, an n-gram goes with any of its words: the share of a word is its Shapley value."""
    classifier = textnb.TextClassifier(model="multinomial", weights="counts").fit(TEXTS, LABELS)
    text = "cheap lunch and prize"
    why = classifier.explain(text, "ham", label="spam")
    for piece in why.highlights:
        masked = text[: piece.start] + text[piece.end :]
        change = why.log_odds - classifier.explain(masked, "ham", label="spam").log_odds
        assert piece.share == pytest.approx(change, rel=1e-9)


def test_the_shares_of_pairs_are_shapley_values():
    """v(S): the log-odds of the terms all of whose words are in S, for all orders in which three words may come."""
    from itertools import permutations

    classifier = textnb.TextClassifier(model="multinomial", weights="counts", ngrams=(1, 2)).fit(TEXTS, LABELS)
    text = "cheap pills cheap"
    why = classifier.explain(text, "ham", label="spam")
    value = {row.term: row.contribution / row.count for row in why.rows if row.kind == "term"}
    words = ["cheap", "pills", "cheap"]
    terms = [*((word, {i}) for i, word in enumerate(words)), ("cheap pills", {0, 1}), ("pills cheap", {1, 2})]

    def worth(present: set[int]) -> float:
        return sum(value.get(term, 0.0) for term, needed in terms if needed <= present)

    shapley = np.zeros(3)
    for order in permutations(range(3)):
        for position, i in enumerate(order):
            shapley[i] += (worth(set(order[: position + 1])) - worth(set(order[:position]))) / 6
    np.testing.assert_allclose([piece.share for piece in why.highlights], shapley, rtol=1e-9)


def test_what_would_flip_does(classifier):
    for text in NEW:
        why = classifier.explain(text)
        flip = why.what_would_flip()
        if flip is None:
            assert text in NEW[2:5]  # of which few words, or none, are known
            continue
        left, position = "", 0
        for start, end in flip.spans:
            left, position = left + text[position:start], end
        assert classifier.predict([left + text[position:]])[0] == flip.label != why.label


def test_the_fewest_words_flip_a_sum_of_words():
    """By all subsets of the words of a message."""
    from itertools import combinations

    classifier = textnb.TextClassifier(model="multinomial", weights="counts").fit(TEXTS, LABELS)
    for text in ("cheap lunch meeting prize free", "goal meeting team cheap cheap noon agenda", "thanks noon goal"):
        words = sorted(set(text.split()))
        label = classifier.predict([text])[0]
        sizes = [
            n
            for n in range(1, len(words) + 1)
            for gone in combinations(words, n)
            if classifier.predict([" ".join(word for word in text.split() if word not in gone)])[0] != label
        ]
        flip = classifier.explain(text).what_would_flip()
        assert (len(flip.words) if flip else None) == (min(sizes) if sizes else None)


def test_all_classes_are_on_one_scale(classifier):
    why = classifier.explain(NEW[1])
    for row, leads in why.scores_by_class():
        assert leads[why.label] - leads[why.against] == pytest.approx(row.contribution, rel=1e-9, abs=1e-12)
        assert sum(leads.values()) == pytest.approx(0, abs=1e-9)


def test_words_that_a_class_never_has_count_infinitely():
    classifier = textnb.TextClassifier(model="multinomial", weights="counts", alpha=0.0).fit(TEXTS, LABELS)
    why = classifier.explain("cheap", "ham")
    assert why.log_odds == np.inf
    assert [row.term for row in why.rows if row.contribution == np.inf] == ["cheap"]
    assert why.to_json()["log_odds"] is None
    with pytest.raises(ValueError, match="neither 'sport' nor 'ham' can have produced"):
        classifier.explain("cheap", "ham", label="sport")
    nobody = classifier.explain("cheap lunch goal")
    assert [row.kind for row in nobody.rows if row.contribution] == []  # all classes have the same prior
    assert nobody.log_odds == 0


def test_what_cannot_be_asked_for_is_said():
    classifier = textnb.TextClassifier(model="complement").fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="no class 'eggs'; it has 'ham', 'spam', 'sport'"):
        classifier.explain("lunch", "eggs")
    with pytest.raises(ValueError, match="compared with itself"):
        classifier.explain("lunch", "ham", label="ham")
    lonely = textnb.TextClassifier(model="multinomial", weights="counts").fit(["a bird", "a cat"], ["x", "x"])
    only = lonely.explain("bird")
    assert (only.label, only.against) == ("x", None)
    assert sum(row.contribution for row in only.rows) == pytest.approx(only.log_odds)


def test_json_has_plain_data(classifier):
    import json

    found = json.loads(json.dumps(classifier.explain(NEW[0]).to_json(), allow_nan=False))
    assert list(found) == ["label", "against", "log_odds", "probabilities", "rows", "highlights", "text"]
    assert found["text"] == NEW[0]
    assert finite(np.inf) is None


def test_an_explanation_in_one_line():
    classifier = textnb.TextClassifier(model="multinomial", weights="counts").fit(TEXTS, LABELS)
    assert repr(classifier.explain("cheap", "ham")) == "<Explanation of 'spam' against 'ham', log-odds +1.34, 2 rows>"


def test_a_class_that_cannot_have_a_term_stays_impossible_beside_the_others():
    classifier = textnb.TextClassifier(model="multinomial", weights="counts", alpha=0.0, calibrate=False)
    classifier.fit(["cheap cheap pills", "cheap lunch lunch lunch", "goal"], ["spam", "ham", "sport"])
    (row, leads), *_ = classifier.explain("cheap", "ham", label="spam").scores_by_class()
    assert leads["sport"] == -np.inf
    assert leads["spam"] - leads["ham"] == pytest.approx(row.contribution)


def test_too_many_terms_have_no_places_and_still_add_up(monkeypatch):
    from textnb.model import predictor

    classifier = textnb.TextClassifier(model="multinomial", weights="counts", ngrams=(1, 2)).fit(TEXTS, LABELS)
    before = classifier.explain(NEW[0])
    monkeypatch.setattr(predictor, "_MOST_PLACES", 2 * len(NEW[0]) - 1)
    why = classifier.explain(NEW[0])
    assert [row[:6] for row in why.rows] == [row[:6] for row in before.rows]
    assert not any(row.spans for row in why.rows)
    assert (why.highlights, bool(before.highlights)) == ([], True)
    assert why.what_would_flip() is None or why.what_would_flip().words


def test_words_that_flip_are_those_of_the_text():
    classifier = textnb.TextClassifier(model="multinomial", weights="counts", stemmer="porter").fit(TEXTS, LABELS)
    flip = classifier.explain("Meetings, offers").what_would_flip()
    assert flip.words in (["meetings"], ["offers"])


@pytest.mark.parametrize(
    "settings", [{"analyzer": "char_wb", "ngrams": (2, 3)}, {"analyzer": "word"}], ids=["characters", "words"]
)
def test_words_that_flip_keep_their_case_where_terms_do(settings):
    texts = ["Cheap Pills", "Cheap Watches", "cheap lunch", "cheap dinner"]
    labels = ["spam", "spam", "ham", "ham"]
    classifier = textnb.TextClassifier(model="multinomial", weights="counts", lowercase=False, **settings)
    classifier.fit(texts, labels)
    flip = classifier.explain("Cheap Cheap cheap").what_would_flip()
    assert (flip.words, flip.spans) == (["Cheap"], [(0, 5), (6, 11)])


def test_terms_of_mail_that_flip_keep_their_case():
    """They were once all lower-cased, so that `subject:Cheap` and `subject:cheap` looked the same."""
    messages = [f"Subject: {word}\n\n{text}\n" for word, text in (("Cheap", "pills"), ("cheap", "lunch"))] * 3
    classifier = textnb.TextClassifier(analyzer="mail", model="log-odds", mail="no-source")
    classifier.fit(messages, ["spam", "ham"] * 3)
    flip = classifier.explain("Subject: Cheap\n\n").what_would_flip()
    assert flip.words == ["subject:Cheap"]


def test_a_search_for_what_would_flip_predicts_so_many_characters(monkeypatch):
    from textnb.model import flipping

    classifier = textnb.TextClassifier(model="multinomial", weights="counts").fit(TEXTS, LABELS)
    text = "cheap prize free claim cash " * 50
    assert classifier.explain(text).what_would_flip() is not None
    monkeypatch.setattr(flipping._Search, "n_left", 0)
    monkeypatch.setattr(flipping._Search.__init__, "__defaults__", (0,))
    assert classifier.explain(text).what_would_flip() is None


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_real_documents_add_up_and_their_spans_give_their_terms(name):
    """SMS messages, and articles of twenty classes."""
    for corpus, n in ((corpus_or_skip("sms-spam"), 600), (corpus_or_skip("20news"), 120)):
        n = n // 10 if corpus.name == "20news" and name.startswith("characters") else n
        step = 8 if name.startswith(("characters", "stems")) else 2
        classifier = textnb.TextClassifier(**SETTINGS[name], calibrate=False)
        classifier.fit(corpus.texts[::step], corpus.labels[::step])
        analyzer = classifier.predictor_.analyzer
        texts = corpus.texts[1 : 2 * n : 2]
        for text, log_proba in zip(texts, classifier.predict_log_proba(texts), strict=True):
            why = classifier.explain(text)
            size = sum(abs(row.contribution) for row in why.rows)
            assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, rel=1e-9, abs=1e-13 * size)
            c, d = (why.classes.index(label) for label in (why.label, why.against))
            rounding = 1e-13 * size + 4 * np.finfo(float).eps * np.abs(log_proba[[c, d]]).max()
            assert why.log_odds == pytest.approx(log_proba[c] - log_proba[d], rel=1e-9, abs=rounding)
            for row in why.rows:
                if row.kind == "term":
                    assert len(row.spans) == row.count
                    assert all(row.term in analyzer(text[slice(*span)]) for span in set(row.spans))


@pytest.mark.slow
def test_masking_a_word_of_a_real_message_changes_the_score_by_its_share():
    corpus = corpus_or_skip("sms-spam")
    classifier = textnb.TextClassifier(model="multinomial", weights="counts", calibrate=False)
    classifier.fit(corpus.texts[::2], corpus.labels[::2])
    for text in corpus.texts[1:600:2]:
        why = classifier.explain(text, "ham", label="spam")
        pieces = [(piece, text[: piece.start] + " " + text[piece.end :]) for piece in why.highlights]
        if pieces:
            ham, spam = classifier.predict_log_proba([masked for _, masked in pieces]).T
            shares = [piece.share for piece, _ in pieces]
            np.testing.assert_allclose(why.log_odds - (spam - ham), shares, rtol=1e-9, atol=1e-9)
