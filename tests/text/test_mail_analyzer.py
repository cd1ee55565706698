"""The analyzer of mail: what it counts, with n-grams, and what it refuses."""

import pytest

from textnb import TextClassifier
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.mail import render

MESSAGE = "From: Ann <ann@work.example>\nSubject: Lunch\n\nlunch at noon?\n"


def test_terms_are_those_of_the_rendered_message():
    assert Analyzer("mail")(MESSAGE) == render(MESSAGE).split()
    assert Analyzer("mail", mail="body")(MESSAGE) == render(MESSAGE, "body").split()


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
def test_the_kernel_counts_what_the_analyzer_gives(ngrams):
    analyzer = Analyzer("mail", ngrams)
    terms, rows = count_all([MESSAGE], analyzer)
    expected = analyzer(MESSAGE)
    assert dict(zip(terms.strings(), rows.data.tolist(), strict=True)) == {t: expected.count(t) for t in set(expected)}


def test_ngrams_stay_within_a_line():
    terms = Analyzer("mail", (1, 2))(MESSAGE)
    assert "lunch+at" in terms
    assert not any(term.startswith(("noon+", "subject:Lunch+")) for term in terms)


def test_what_is_rendered_already_has_the_same_terms():
    analyzer = Analyzer("mail", (1, 2))
    assert analyzer.of_rendered(analyzer.rendered(MESSAGE)) == analyzer(MESSAGE)


def test_only_presets_are_accepted():
    for mail in ("rendered", "", "Body"):
        with pytest.raises(ValueError, match=r"mail must be one of all, no-source, body, got"):
            TextClassifier(analyzer="mail", mail=mail).fit([MESSAGE], ["ham"])
    with pytest.raises(ValueError, match="says what is read of messages"):
        Analyzer("word", mail="body")


@pytest.mark.parametrize(
    "of_words",
    [{"stop_words": "english"}, {"tokenizer": "treebank"}, {"stemmer": "porter"}, {"token_pattern": "[a-z]+"}],
)
def test_settings_of_words_are_refused_beside_the_analyzer_of_mail(of_words):
    (name,) = of_words
    with pytest.raises(ValueError, match=f'{name} is for words, and analyzer="mail" takes none'):
        TextClassifier(analyzer="mail", **of_words).fit([MESSAGE, MESSAGE], ["ham", "spam"])
    TextClassifier("multinomial", "counts", analyzer="word", **of_words).fit([MESSAGE, MESSAGE], ["ham", "spam"])


def test_an_explanation_shows_the_rendered_message_and_its_capitals():
    classifier = TextClassifier("multinomial", "binary", analyzer="mail").fit(
        [MESSAGE, "Subject: Buy\n\npills"], [0, 1]
    )
    why = classifier.explain(MESSAGE)
    ((_, text),) = why.texts
    assert text == render(MESSAGE)
    (spans,) = [row.spans for row in why.rows if row.term == "subject:Lunch"]
    assert [text[start:end] for start, end in spans] == ["subject:Lunch"]
    assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, 1e-9)


def test_long_ngrams_are_refused():
    """They are made before anything is counted: a message of half a megabyte took gigabytes."""
    assert Analyzer("mail", (1, 5)).ngrams == (1, 5)
    with pytest.raises(ValueError, match="up to 5 terms"):
        Analyzer("mail", (1, 6))
