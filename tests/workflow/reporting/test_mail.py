"""Reports of mail: texts that were judged, marks that stand on the right terms, subject and sender as title."""

import base64
import gzip
import json
import re
from email.header import Header

import pytest
from mail_samples import messages

import textnb
from textnb.corpora.corpus import make_corpus
from textnb.report.page import report_html
from textnb.workflow import report
from textnb.workflow.reporting.documents import MAIL_TEXT_LIMIT


def corpus_of(n, name):
    texts = [message.decode() for label in ("ham", "spam") for message in messages(label, n)]
    return make_corpus(name, texts, ["ham"] * n + ["spam"] * n, "made up", is_mail=True)


def encoded(subject, body):
    """A message of which nothing can be read as it stands."""
    body = base64.b64encode(body.encode()).decode()
    return (
        f"From: =?utf-8?q?Andr=C3=A9?= <andre@example.org>\nSubject: {Header(subject, 'utf-8').encode()}\n"
        f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n{body}\n"
    )


@pytest.fixture(scope="module", params=[(1, 1), (1, 2)], ids=["words", "pairs"])
def model(request):
    learned = corpus_of(12, "learned")
    settings = {"model": "robinson", "ngrams": request.param, "min_deviation": 0.1, "calibrate": False}
    return textnb.TextClassifier(analyzer="mail", **settings).fit(learned.texts, learned.labels)


@pytest.fixture(scope="module")
def later():
    """Later mail, of which some labels are wrong."""
    messages = [encoded("Cheap <b>Prize</b>", "free pills, claim cash"), encoded("Réunion", "lunch tomorrow, thanks")]
    tested = corpus_of(14, "later")
    new = [i for i in range(len(tested)) if i % 14 >= 12]
    texts = [*messages, *(tested.texts[i] for i in new)]
    return make_corpus("later", texts, ["ham", "ham", *tested.labels[new][::-1]], "made up", is_mail=True)


def payload(page):
    return json.loads(gzip.decompress(base64.b64decode(re.search(r'id="payload">([^<]*)<', page)[1])))


def test_every_mark_stands_on_a_term_with_what_it_adds(model, later):
    """Spans of the rendering of a message were once applied to the message as it stands."""
    found = report(model, later).to_json()
    n_marks = 0
    for documents in (found["documents"], payload(report_html(found))["documents"]):
        assert len(documents) == len(later)
        for document, message in zip(documents, later.texts, strict=True):
            why = model.explain(message)
            assert document["text"] == why.text[:MAIL_TEXT_LIMIT]
            terms = {row.term for row in why.rows if row.spans}
            sliced = [document["text"][start:end] for start, end, _ in document["marks"]]
            assert set(sliced) <= terms
            assert {term for term, _, adds, _ in document["rows"] if abs(adds) > 0.1} & terms <= set(sliced)
            n_marks += sum(term in sliced for term in terms)
            if model.ngrams == (1, 2):
                assert any("+" in term for term in sliced)
    assert n_marks > 50


def test_documents_are_called_by_subject_and_sender(model, later):
    found = report(model, later).to_json()
    assert [document["title"] for document in found["documents"][:2]] == [
        "Cheap <b>Prize</b> - André <andre@example.org>",
        "Réunion - André <andre@example.org>",
    ]
    page = report_html(found)
    assert '<span class="snippet title">Cheap &lt;b&gt;Prize&lt;/b&gt; - André &lt;andre@example.org&gt;</span>' in page
    assert "Return-Path" not in page


def test_a_long_rendering_is_cut(model):
    message = encoded("Long", "lunch " * MAIL_TEXT_LIMIT)
    (document,) = report(model, make_corpus("long", [message], ["spam"], "made up", is_mail=True)).documents
    assert document.is_cut
    assert MAIL_TEXT_LIMIT - 100 < len(document.text) <= MAIL_TEXT_LIMIT
    assert {document.text[start:end] for start, end, _ in document.explanation.marks} >= {"lunch"}


def test_without_texts_there_are_no_titles_either(model, later):
    found = report(model, later, texts=False).to_json()
    assert {(document["title"], document["text"]) for document in found["documents"]} == {(None, None)}
    assert "andre" not in report_html(found)
