"""The page of a report as text: what stands in it without a browser."""

import gzip
import json
import re
from base64 import b64decode
from copy import deepcopy
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from sample_report import HOSTILE_CLASS, HOSTILE_WHERE, many_classes, sample, three_classes, two_classes

from textnb.report.page import CONTENTS, payload, report_html

VOID = {"meta", "link", "input", "wbr"}


class Outline(HTMLParser):
    """Elements with their attributes, headings, and whether every element that opens is closed in its place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


SAMPLES = {
    "two": two_classes,
    "three": three_classes,
    "many": many_classes,
    "no text": lambda: three_classes(texts=False),
}


@pytest.fixture(params=SAMPLES)
def page(request: pytest.FixtureRequest) -> str:
    return report_html(SAMPLES[request.param]().report)


def unpacked(page: str) -> dict:
    packed = re.search(r'id="payload">([^<]*)<', page)
    assert packed is not None
    return json.loads(gzip.decompress(b64decode(packed[1])))


def test_it_says_what_it_is_at_once(page: str) -> None:
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta name="generator" content="textnb">' in page[:500]


def test_it_asks_for_nothing(page: str) -> None:
    outline = Outline(page)
    policies = [meta["content"] for meta in outline.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"]
    assert outline.all("link") == [{"rel": "icon", "href": "data:,"}]
    assert not re.search(r"https?:|url\(|@import", page)
    assert [attributes for _, attributes in outline.elements if "src" in attributes] == []


def test_every_element_is_closed_and_every_name_is_used_once(page: str) -> None:
    outline = Outline(page)
    names = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert outline.open == []
    assert len(names) == len(set(names))
    assert {identifier for identifier, _ in CONTENTS} <= set(names)


def test_headings_are_in_order(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Outline(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_chart_has_a_table_and_a_name(page: str) -> None:
    outline = Outline(page)
    charts = [svg for svg in outline.all("svg") if svg["class"] == "chart"]
    assert len(charts) == 4
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in charts)
    assert sum(details["class"] == "folded" for details in outline.all("details")) == len(charts)


def test_equal_reports_give_equal_pages() -> None:
    first, second = three_classes().report, three_classes().report
    assert report_html(first) == report_html(deepcopy(second))


def test_texts_and_names_make_no_elements() -> None:
    outline = Outline(report_html(three_classes().report))
    tags = {tag for tag, _ in outline.elements}
    assert not tags & {"img", "i", "iframe"}
    assert len(outline.all("script")) == 2
    assert [attributes for _, attributes in outline.elements if any(name.startswith("on") for name in attributes)] == []
    shown = "".join(outline.text)
    assert "<img src=x onerror=alert(1)>\\u202e" in shown
    assert "mail/<svg onload=alert(2)>\\n\\u202e.eml" in shown


def test_nothing_hidden_or_acting_stands_in_the_page(page: str) -> None:
    assert all(character.isprintable() or character == "\n" for character in page)
    page.encode("utf-8")


def test_figures_are_there_without_a_script() -> None:
    shown = " ".join(Outline(report_html(two_classes().report)).text)
    for expected in (
        "0.8125",
        "0.9375",
        "0.3125",
        "0.0625",
        "multinomial",
        "200 learned from, 60 tested on (test part)",
    ):
        assert expected in shown


def test_the_matrix_has_a_button_for_every_cell() -> None:
    report = three_classes().report
    page = report_html(report)
    matrix = page[page.index('id="matrix"') : page.index('id="matrix-keys"')]
    shown = [int(cell.replace("·", "0")) for cell in re.findall(r"<button[^>]*>([\d·]+)</button>", matrix)]
    assert shown == [count for row in report["evaluation"]["confusion_matrix"] for count in row]
    assert matrix.count('tabindex="0"') == 1


def test_many_classes_are_numbered_across() -> None:
    head = re.search(r'id="matrix"><thead>.*?</thead>', report_html(many_classes().report))
    assert head is not None
    assert re.findall(r'data-class="\d+">([^<]*)<', head[0]) == [str(number) for number in range(1, 21)]


def test_a_matrix_of_very_many_classes_is_cut_to_the_most_confused() -> None:
    page = report_html(sample([f"class {number}" for number in range(100)], 600).report)
    assert "most confused of 100 classes" in page
    assert page.count("<tr data-class=") == 60


def test_what_the_script_gets_is_what_was_given() -> None:
    report = three_classes().report
    given = unpacked(report_html(report))
    assert given["documents"] == report["documents"]
    assert given["cells"] == report["cells"]
    assert given["thresholds"] == report["thresholds"]


def test_surrogates_that_a_browser_would_join_do_not_move_offsets() -> None:
    report = two_classes().report
    report["documents"][0]["text"] = "\ud83d\ude00 free \ud83d"
    text = json.loads(gzip.decompress(b64decode(payload(report))))["documents"][0]["text"]
    assert text == "\ufffd\ufffd free \ud83d"


def test_without_texts_no_word_of_a_document_is_there() -> None:
    page = report_html(three_classes(texts=False).report)
    assert "without texts" in page
    held = page + json.dumps(unpacked(page))
    assert not [word for word in ("lunch", "prize", "tomorrow") if word in held]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"confused_pairs": []}, "No class was taken for another."),
        ({"thresholds": []}, "there is no threshold to choose"),
        ({"slices": []}, "nothing to divide the documents by"),
        ({"top_words": [[], [], []]}, "no words to list"),
        (
            {"learning_curve": {"points": [], "why_not": "It was not <trained> here."}},
            "It was not &lt;trained&gt; here.",
        ),
        ({"comparison": None}, "give a second one"),
        ({"skipped": []}, "none was skipped"),
        ({"confident_errors": []}, "No document was classified wrongly."),
        ({"suspected_labels": []}, "No label looks wrong."),
    ],
)
def test_a_section_without_data_says_why(change: dict, sentence: str) -> None:
    assert sentence in report_html(three_classes().report | change)


def test_probabilities_that_are_not_there_leave_a_sentence() -> None:
    report = two_classes().report
    report["evaluation"] |= {"reliability": None, "log_loss": None, "ece": None, "auc": None}
    page = report_html(report)
    assert "nothing to compare with what came true" in page
    assert "Log-loss" not in page


def test_decisions_are_shown_where_the_model_makes_them() -> None:
    report = two_classes().report
    row = {"class": HOSTILE_CLASS, "caught": 0.75, "lost": 0.125, "unsure": 0.125, "support": 8}
    report["decisions"] = {"unsure": 0.0625, "average_cost": 0.25, "cost_error": 0.01, "per_class": [row]}
    page = report_html(report)
    assert "6.25 % of the documents got no class" in page
    assert "75.00 %" in page
    assert HOSTILE_CLASS not in page


def test_a_hostile_title_stays_a_title() -> None:
    page = report_html(two_classes().report | {"title": f"</title><script>{HOSTILE_WHERE}"})
    assert len(Outline(page).all("script")) == 2


def test_own_scripts_and_styles_cannot_end_their_elements(page: str) -> None:
    assert page.count("</script>") == 2
    assert page.count("</style>") == 1


def test_thousands_of_documents_stay_small() -> None:
    assert len(report_html(sample([f"class {number}" for number in range(20)], 3000).report)) < 2_000_000
