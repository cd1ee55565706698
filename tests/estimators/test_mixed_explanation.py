"""MixedNB.explain: words, categories and numbers on one scale, which add up to the model's log-odds."""

import numpy as np
import pandas as pd
import pytest
from corpora_for_tests import corpus_or_skip
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer as OtherVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler

import textnb
from textnb import (
    BernoulliNB,
    CategoricalNB,
    CountVectorizer,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    TfidfTransformer,
    TfidfVectorizer,
)

MAIL = pd.DataFrame(
    {
        "subject": ["win", "prize", "lunch", "meeting", "prize now", None],
        "body": ["win cash now", "cheap cash prize", "lunch at noon", "the noon meeting", "win the prize now", "notes"],
        "domain": ["spam.biz", "spam.biz", "work.org", "home.net", "home.net", None],
        "weekday": ["mon", "tue", "mon", "tue", "mon", "tue"],
        "n_links": [7.0, 5.0, 0.0, 1.0, 9.0, np.nan],
        "is_html": [1, 1, 0, 0, 1, 0],
        "clicks": [3, 0, 1, 0, 2, 1],
    }
)
LABELS = np.array(["spam", "spam", "ham", "ham", "spam", "list"])
ROWS = [
    ["Win!", "Cash for the LUNCH, cash", "spam.biz", "mon", 5.0, 1, 2],
    ["meeting", "unheard", "new.example", "tue", 2.5, 0, 0],
    [None, "", None, None, None, None, None],
    ["prize", None, "work.org", "mon", None, 1, 4],
]


def text(vectorizer=None, model=None, *steps):
    return make_pipeline(vectorizer or CountVectorizer(), *steps, model or MultinomialNB())


def all_parts(**given):
    return [
        ("subject", given.get("subject", text(CountVectorizer(unknown="token"))), "subject"),
        ("body", given.get("body", text(CountVectorizer(ngram_range=(1, 2)))), "body"),
        ("sender", CategoricalNB(unknown="smooth"), ["domain", "weekday"]),
        ("numbers", GaussianNB(), ["n_links"]),
        ("html", BernoulliNB(), "is_html"),
        ("clicks", MultinomialNB(), ["clicks", "is_html"]),
    ]


BODIES = {
    "counts": text(),
    "tf-idf": text(TfidfVectorizer(sublinear_tf=True, unknown="token")),
    "other norm": text(TfidfVectorizer(norm="l1", use_idf=False, binary=True)),
    "two steps": text(CountVectorizer(), MultinomialNB(), TfidfTransformer(sublinear_tf=True)),
    "bernoulli": text(CountVectorizer(unknown="token"), BernoulliNB()),
    "threshold": text(TfidfVectorizer(), BernoulliNB(binarize=0.5)),
    "given": text(CountVectorizer(vocabulary={"win": 1, "cash": 0, "noon": 2}, unknown="token")),
    "characters": text(CountVectorizer(analyzer="char_wb", ngram_range=(2, 3))),
    "without smoothing": text(CountVectorizer(), MultinomialNB(alpha=0)),
    "single": text(CountVectorizer(dtype=np.float32), MultinomialNB()),
}


def rows_of(why, source):
    return {row.term: row for row in why.rows if row.source == source}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_rows_add_up_for_every_pair_of_classes(body):
    model = MixedNB(all_parts(body=body), weights={"body": 0.5, "numbers": 2.0}).fit(MAIL, LABELS)
    for values in ROWS:
        joint = model.predict_joint_log_proba(pd.DataFrame([values], columns=MAIL.columns))[0]
        for c, d in [(0, 1), (1, 2), (2, 0)]:
            if np.isneginf(joint[[c, d]]).any():
                continue
            why = model.explain(values, model.classes_[d], label=model.classes_[c])
            assert why.log_odds == pytest.approx(joint[c] - joint[d], rel=1e-9, abs=1e-12)
            assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, rel=1e-9, abs=1e-11)
            for row in why.rows:
                assert row.value * row.weight == pytest.approx(row.contribution, rel=1e-12)
            assert [row.term for row in why.rows].count("prior") == 1


def test_winner_and_runner_up_are_compared_with_the_models_probabilities():
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    for values in ROWS:
        frame = pd.DataFrame([values], columns=MAIL.columns)
        why, proba = model.explain(values), model.predict_proba(frame)[0]
        assert why.label == model.predict(frame)[0]
        assert [why.label, why.against] == model.classes_[np.argsort(-proba, kind="stable")[:2]].tolist()
        np.testing.assert_allclose(list(why.probabilities.values()), proba, rtol=1e-12)


def test_every_column_brings_its_rows():
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    why = model.explain(ROWS[0], "ham", label="spam")
    cash = rows_of(why, "body")["cash"]
    assert (cash.count, cash.spans, cash.kind) == (2, ((0, 4), (20, 24)), "term")
    assert rows_of(why, "subject")["win"].spans == ((0, 3),)
    assert list(rows_of(why, "domain")) == ["domain=spam.biz"]
    assert {row.kind for row in why.rows if "=" in row.term} == {"value"}
    assert list(rows_of(why, "weekday")) == ["weekday=mon"]
    assert list(rows_of(why, "n_links")) == ["n_links=5"]
    assert list(rows_of(why, "clicks")) == ["clicks=2"]
    assert set(rows_of(why, "is_html")) == {"is_html=1"}  # of two parts
    assert [row.term for row in why.rows if row.source is None] == ["prior"]
    assert why.texts == [("subject", "Win!"), ("body", "Cash for the LUNCH, cash")]
    assert why.text is None
    assert {piece.source for piece in why.highlights} <= {"subject", "body"}
    assert why.to_json()["rows"][0]["source"]


def test_a_contribution_is_the_difference_of_log_likelihoods():
    model = MixedNB(all_parts(), weights={"sender": 0.5}).fit(MAIL, LABELS)
    why = model.explain(ROWS[0], "ham", label="spam")
    own = GaussianNB().fit(MAIL[["n_links"]].to_numpy()[:5], LABELS[:5]).log_likelihood([[5.0]])[0]
    assert rows_of(why, "n_links")["n_links=5"].contribution == pytest.approx(own[1] - own[0], rel=1e-6)
    sender = model.named_parts_["sender"]
    probabilities = sender.feature_log_prob_[0][:, sender.categories_[0].tolist().index("spam.biz")]
    expected = 0.5 * (probabilities[2] - probabilities[0])
    assert rows_of(why, "domain")["domain=spam.biz"].contribution == pytest.approx(expected, rel=1e-12)


def test_a_missing_value_gives_no_row():
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    why = model.explain(ROWS[3])
    assert not rows_of(why, "body")
    assert not rows_of(why, "n_links")
    assert why.texts == [("subject", "prize")]
    assert why.text == "prize"
    nothing = MixedNB(all_parts()[1:5]).fit(MAIL, LABELS).explain([None] * 7)
    assert [row.term for row in nothing.rows] == ["prior"]
    assert nothing.what_would_flip() is None


def test_what_was_never_seen_is_unknown():
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    why = model.explain(["unheard of", "", "new.example", "mon", 1.0, 0, 0])
    unknown = {row.term: (row.source, row.count, row.spans) for row in why.rows if row.kind == "unknown"}
    assert unknown == {"<UNK>": ("subject", 2, ((0, 7), (8, 10))), "domain=new.example": ("domain", None, ())}


def test_absent_words_are_one_row_of_their_column():
    model = MixedNB([("body", text(model=BernoulliNB()), "body"), *all_parts()[2:4]]).fit(MAIL, LABELS)
    (absent,) = [row for row in model.explain(ROWS[0]).rows if row.kind == "constant"]
    assert (absent.term, absent.source) == ("absent words", "body")


def test_a_part_without_weight_says_nothing():
    model = MixedNB(all_parts(), weights={"body": 0}).fit(MAIL, LABELS)
    why = model.explain(ROWS[0])
    assert [source for source, _ in why.texts] == ["subject"]
    assert not rows_of(why, "body")


def test_columns_without_names_go_by_their_parts():
    parts = [("words", text(), 0), ("where", CategoricalNB(unknown="smooth"), [1, 2]), ("n", GaussianNB(), 3)]
    table = MAIL[["body", "domain", "weekday", "n_links"]].to_numpy(dtype=object)
    why = MixedNB(parts).fit(table, LABELS).explain(["cash", "spam.biz", "mon", 0.123456789])
    named = {row.source: row.term for row in why.rows}
    assert named == {
        "words": "cash",
        "where[1]": "where[1]=spam.biz",
        "where[2]": "where[2]=mon",
        "n": "n=0.123457",
        None: "prior",
    }


@pytest.mark.parametrize(
    "given",
    [
        lambda row: row.to_dict(),
        lambda row: row,
        lambda row: row.to_frame().T.infer_objects(),
        lambda row: tuple(row),
        lambda row: row.to_numpy(),
    ],
    ids=["dict", "series", "frame", "tuple", "array"],
)
def test_a_row_is_given_in_many_ways(given):
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    expected = model.explain(ROWS[0])
    found = model.explain(given(pd.Series(dict(zip(MAIL.columns, ROWS[0], strict=True)))))
    assert [(row.term, row.source) for row in found.rows] == [(row.term, row.source) for row in expected.rows]
    assert found.log_odds == expected.log_odds


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Cheap lunch", "a row has a value for each of 7 columns"),
        ([1, 2], "a row has a value for each of 7 columns"),
        ({"body": "lunch"}, "the columns of the model are"),
        (MAIL, "one row is explained at a time, and there are 6"),
        (["a", "b", "c", "d", np.inf, 0, 0], "infinity"),
    ],
)
def test_what_is_no_row_is_refused(row, message):
    with pytest.raises(ValueError, match=message):
        MixedNB(all_parts()).fit(MAIL, LABELS).explain(row)


def test_a_class_that_is_not_there_is_refused():
    model = MixedNB(all_parts()).fit(MAIL, LABELS)
    with pytest.raises(ValueError, match="the model has no class 'eggs'"):
        model.explain(ROWS[0], "eggs")


def test_what_would_flip_does():
    parts = all_parts()[:3]
    model = MixedNB(parts).fit(MAIL, LABELS)
    flipped = 0
    for values in ROWS[:2]:
        for label in model.classes_:
            why = model.explain(values, label=label)
            flip = why.what_would_flip()
            if flip is None:
                continue
            flipped += 1
            left = dict(why.texts)
            for (start, end), source in sorted(zip(flip.spans, flip.sources, strict=True), reverse=True):
                left[source] = left[source][:start] + left[source][end:]
            changed = dict(zip(MAIL.columns, values, strict=True)) | left
            assert model.explain(changed).label == flip.label != why.label
    assert flipped


def test_a_column_with_two_parts_has_its_words_once():
    parts = [
        ("words", text(), "body"),
        ("letters", text(CountVectorizer(analyzer="char_wb", ngram_range=(2, 2))), "body"),
    ]
    model = MixedNB(parts).fit(MAIL, LABELS)
    why = model.explain(["", "Cash, the lunch", None, None, None, None, None])
    assert why.texts == [("body", "Cash, the lunch")]
    standing = sum(row.contribution for row in why.rows if row.spans)
    assert sum(piece.share for piece in why.highlights) == pytest.approx(standing, rel=1e-9)
    flip = why.what_would_flip()
    left = "Cash, the lunch"
    for start, end in sorted(flip.spans, reverse=True):
        left = left[:start] + left[end:]
    assert model.explain({**dict.fromkeys(MAIL.columns), "body": left}).label == flip.label


def test_features_of_other_pipelines_have_their_names():
    parts = [
        ("body", text(OtherVectorizer()), "body"),
        ("scaled", make_pipeline(StandardScaler(), GaussianNB()), ["is_html", "clicks"]),
        ("codes", make_pipeline(OrdinalEncoder(), CategoricalNB()), ["weekday"]),
    ]
    model = MixedNB(parts).fit(MAIL, LABELS)
    why = model.explain(ROWS[0])
    assert set(rows_of(why, "body")) == {"cash", "lunch", "the"}
    assert all(not row.spans for row in why.rows)
    assert set(rows_of(why, "scaled")) == {"is_html=1", "clicks=0.780869"}
    assert set(rows_of(why, "weekday")) == {"weekday=0"}
    joint = model.predict_joint_log_proba(pd.DataFrame([ROWS[0]], columns=MAIL.columns))[0]
    assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, rel=1e-9)
    assert why.log_odds == pytest.approx(np.diff(np.sort(joint)[-2:])[0], rel=1e-9)


def test_features_without_names_have_numbers():
    lengths = FunctionTransformer(lambda texts: csr_array([[len(text), 0, text.count(" ")] for text in texts]))
    model = MixedNB([("shape", make_pipeline(lengths, MultinomialNB()), "body")]).fit(MAIL, LABELS)
    rows = model.explain([None, "a b c", None, None, None, None, None]).rows
    assert {row.term: row.value for row in rows if row.kind == "term"} == {"feature 0": 5, "feature 2": 2}


def test_a_loaded_model_explains_as_the_one_in_memory(tmp_path):
    from textnb.estimators.mixed_file import save_mixed

    parts = [part for part in all_parts() if part[0] not in ("html", "clicks")]
    model = MixedNB(parts, weights={"body": 0.5}).fit(MAIL, LABELS)
    save_mixed(model, tmp_path / "m.tnb")
    loaded = textnb.load(tmp_path / "m.tnb")
    for values in ROWS:
        mine, its = model.explain(values), loaded.explain(values)
        assert [(row.term, row.spans, row.source) for row in mine.rows] == [
            (row.term, row.spans, row.source) for row in its.rows
        ]
        np.testing.assert_allclose(
            [row.contribution for row in mine.rows], [row.contribution for row in its.rows], rtol=1e-9, atol=1e-12
        )


def test_where_no_class_can_have_produced_a_row_only_the_prior_is_left():
    model = MixedNB([("body", text(CountVectorizer(), MultinomialNB(alpha=0)), "body")]).fit(MAIL, LABELS)
    why = model.explain([None, "cash lunch notes", None, None, None, None, None])
    assert {row.term: row.contribution for row in why.rows if row.contribution} == {
        "prior": pytest.approx(why.log_odds)
    }


def test_real_messages_add_up():
    corpus = corpus_or_skip("sms-spam")
    table = pd.DataFrame(
        {
            "text": corpus.texts,
            "start": [message[:1] for message in corpus.texts],
            "length": [float(len(message)) for message in corpus.texts],
        }
    )
    parts = [
        ("text", text(TfidfVectorizer(ngram_range=(1, 2), unknown="token")), "text"),
        ("start", CategoricalNB(unknown="smooth"), "start"),
        ("length", GaussianNB(), "length"),
    ]
    model = MixedNB(parts).fit(table, corpus.labels)
    new = table[::10]
    joint = model.predict_joint_log_proba(new)
    for values, scores in zip(new.to_numpy(dtype=object).tolist(), joint, strict=True):
        why = model.explain(values)
        scale = sum(abs(row.contribution) for row in why.rows)
        assert abs(why.log_odds - abs(scores[1] - scores[0])) <= 1e-9 * abs(why.log_odds) + 1e-12 * scale
        assert abs(sum(row.contribution for row in why.rows) - why.log_odds) <= 1e-9 * abs(why.log_odds) + 1e-12 * scale
