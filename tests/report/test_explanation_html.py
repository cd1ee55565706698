"""Explanations in notebooks: a fragment that adds up, marks words where they stand, and runs nothing."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import textnb
from textnb.report.explanation_html import CHARACTERS, ROWS, explanation_html, marked_text
from textnb.report.safe import readable

HOSTILE = '</pre><script>alert(1)</script> \x1b[31m \u202eevil \ud800 & "q" \'\x00 <img src=x onerror=alert(1)>'

TAGS = {"div", "style", "p", "strong", "figure", "pre", "mark"}
TAGS |= {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}


class Page(HTMLParser):
    """The elements of a fragment, its text, and what is in marks."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.open, self.marks, self.cells, self.text = [], [], [], [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]
        self.open.append(tag)
        if tag == "mark":
            self.marks.append([dict(attributes), ""])
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if "mark" in self.open:
            self.marks[-1][1] += data
        if {"td", "th"} & set(self.open):
            self.cells[-1][-1] += data


@pytest.fixture(scope="module")
def classifier():
    texts = ["cheap pills", "cheap offer now", "free pills", "lunch offer", "lunch at noon", "the agenda"]
    return textnb.TextClassifier("multinomial", "counts").fit(texts, ["spam"] * 3 + ["ham"] * 3)


def test_notebooks_show_the_decision_the_words_and_a_table_that_adds_up(classifier):
    why = classifier.explain("Cheap pills at lunch,\nor none")
    html = why._repr_html_()
    assert html == explanation_html(why)
    page = Page(html)
    assert page.open == []
    assert f"spam {why.probabilities['spam']:.4f}, log-odds {why.log_odds:+.2f} against ham" in page.text
    assert "Cheap pills at lunch,\nor none" in page.text
    assert {text: attributes["class"] for attributes, text in page.marks} == {
        why.text[piece.start : piece.end]: "for" if piece.share > 0 else "against" for piece in why.highlights
    }
    header, *rows, total = page.cells
    assert header == ["term", "count", "adds"]
    assert [(term, float(added)) for term, _, added in rows] == [
        (row.term, round(row.contribution, 2)) for row in why.rows if row.contribution
    ]
    assert total == ["sum", "", f"{why.log_odds:+.2f}"]


def test_it_needs_no_script_no_id_and_nothing_from_elsewhere(classifier):
    html = classifier.explain("cheap lunch")._repr_html_()
    page = Page(html)
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "id" not in page.attributes
    assert not re.search(r"url\(|@import|https?:", html)
    assert "prefers-color-scheme: dark" in html
    css = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    selectors = re.findall(r"^\s*(\.[^{]*|@[^{]*|[a-z][^{:]*)\{", css, re.MULTILINE)
    assert selectors
    assert all(selector.startswith((".textnb-explanation", "@media")) for selector in selectors)


def test_what_is_not_listed_is_one_row(classifier):
    texts = [f"w{i} v{i}" for i in range(40)]
    many = textnb.TextClassifier("multinomial", "counts").fit([*texts, "lunch"], ["spam"] * 40 + ["ham"])
    why = many.explain(" ".join(texts))
    *_, others, total = Page(why._repr_html_()).cells
    n_rows = sum(row.contribution != 0 for row in why.rows)
    assert others[0] == f"{n_rows - ROWS} others"
    shown = [float(cells[-1]) for cells in Page(why._repr_html_()).cells[1:-1]]
    assert sum(shown) == pytest.approx(float(total[-1]), abs=0.01 * (ROWS + 1))


def test_columns_of_a_mixed_model_are_named_and_its_texts_shown():
    mail = pd.DataFrame(
        {"<b>": ["cheap pills", "lunch at noon", "cheap offer"], "title": ["a b", "noon", "win"], "n": [9.0, 0.0, 4.0]}
    )
    text = make_pipeline(textnb.CountVectorizer(), textnb.MultinomialNB())
    model = textnb.MixedNB([("body", text, "<b>"), ("title", text, "title"), ("n", textnb.GaussianNB(), "n")])
    page = Page(model.fit(mail, ["spam", "ham", "spam"]).explain(["Cheap lunch", "win", 3.0])._repr_html_())
    assert page.cells[0] == ["term", "column", "count", "adds"]
    assert ["n=3", "n"] in [cells[:2] for cells in page.cells]
    assert page.tags.count("pre") == 2
    assert "<b>Cheap lunch" in page.text  # the caption, escaped, and the text


@pytest.mark.parametrize("where", ["text", "label", "term"])
def test_nothing_of_a_document_becomes_markup(where):
    label = HOSTILE.replace("\ud800", "").replace("\x00", "") if where == "label" else "spam"
    options = {"tokenizer": "whitespace", "lowercase": False} if where == "term" else {}
    classifier = textnb.TextClassifier("multinomial", "counts", **options)
    safe = HOSTILE.replace("\ud800", "")
    classifier.fit([f"cheap {safe}", "lunch noon", "cheap"], [label, "ham", label])
    html = classifier.explain(f"cheap {HOSTILE} lunch")._repr_html_()
    html.encode("utf-8")
    page = Page(html)
    assert page.open == []
    assert set(page.tags) <= TAGS
    assert set(page.attributes) <= {"class", "style", "title", "scope", "tabindex"}
    assert all(line.isprintable() for line in html.splitlines())
    assert r"\x1b[31m" in page.text
    assert r"\u202eevil" in page.text


def test_a_long_text_is_cut(classifier):
    page = Page(classifier.explain("cheap " * CHARACTERS)._repr_html_())
    assert f"… {5 * CHARACTERS:,} more characters" in page.text
    assert len(page.text) < 2 * CHARACTERS


def test_one_class_has_nothing_to_be_against():
    page = Page(textnb.TextClassifier("multinomial", "counts").fit(["a cat"], ["cats"]).explain("cat")._repr_html_())
    assert "cats 1.0000" in page.text
    assert "against" not in page.text


def test_marks_say_their_sign_and_their_strength():
    html = marked_text("good and bad", [(0, 4, 2.0), (9, 12, -1.0), (5, 8, 0.001)])
    assert html == (
        '<mark class="for" style="--share:1" title="+2.00">good</mark> and '
        '<mark class="against" style="--share:0.5" title="-1.00">bad</mark>'
    )
    assert marked_text("x", []) == "x"
    assert '"--share:0.25"' in marked_text("x", [(0, 1, 1.0)], scale=4.0)
    assert '"--share:1" title="-inf"' in marked_text("x y", [(0, 1, float("-inf")), (2, 3, 1.0)])


marks = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.floats(-9, 9)), max_size=6)


@given(st.text(st.characters(exclude_categories=()), max_size=25), marks)
def test_whatever_the_text_and_the_marks_the_text_is_shown_whole(text, marks):
    page = Page(f"<pre>{marked_text(text, marks)}</pre>")
    assert set(page.tags) <= {"pre", "mark"}
    assert page.open == []
    assert page.text == "".join(readable(text))


def test_marks_do_not_change_what_the_characters_beside_them_look_like():
    text = "می\u200cخواهم नमस्ते"
    cut = [(start, start + 1, 1.0) for start in range(0, len(text), 2)]
    assert Page(f"<pre>{marked_text(text, cut)}</pre>").text == text
