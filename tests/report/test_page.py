"""The page of a report as text: what stands in it without a browser."""

import gzip
import json
import re
from base64 import b64decode
from copy import deepcopy
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from sample_report import (
    HOSTILE_CLASS,
    HOSTILE_WHERE,
    LONG_WORD,
    Sample,
    decided_classes,
    long_words,
    many_classes,
    sample,
    three_classes,
    two_classes,
)

from textnb.report.page import CONTENTS, payload, report_html
from textnb.report.safe import SHAPING

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
    "decided": decided_classes,
    "long words": long_words,
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
    linked = [link["href"] for link in outline.all("a")]
    sections = [attributes["id"] for attributes in outline.all("section")]
    assert linked == ["#summary", *(f"#{identifier}" for identifier in sections)]
    assert set(CONTENTS) - set(sections) <= {"comparison", "skipped"}


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
    seen = re.sub(SHAPING, "", page)
    assert all(character.isprintable() or character == "\n" for character in seen)
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


def without_errors(n_classes: int, n_confused: int = 0) -> Sample:
    """Three documents of each class; one of each of the first `n_confused` is taken for the next class."""
    found = sample([f"class {number}" for number in range(n_classes)], 3 * n_classes)
    matrix = [[3 if c == d else 0 for d in range(n_classes)] for c in range(n_classes)]
    for c in range(n_confused):
        matrix[c][c], matrix[c][c + 1] = 2, 1
    found.report["evaluation"]["confusion_matrix"] = matrix
    return found


@pytest.mark.parametrize(
    ("n_confused", "n_shown", "sentence"),
    [
        (0, 60, "No class was taken for another. Shown are the first 60 of 70 classes."),
        (3, 4, "Shown are the 4 of 70 classes that were confused with one another."),
    ],
)
def test_many_classes_of_which_few_are_confused_have_a_matrix(n_confused: int, n_shown: int, sentence: str) -> None:
    page = report_html(without_errors(70, n_confused).report)
    assert sentence in page
    assert page.count("<tr data-class=") == n_shown
    assert page[page.index('id="matrix"') : page.index('id="matrix-keys"')].count('tabindex="0"') == 1


@pytest.mark.parametrize(("n_classes", "is_folded"), [(40, False), (41, True)])
def test_what_is_said_of_very_many_classes_is_folded(n_classes: int, is_folded: bool) -> None:
    page = report_html(without_errors(n_classes).report)
    for title in ("Slices of", "Top words of"):
        assert (f"<summary>{title} {n_classes} classes</summary>" in page) == is_folded
    slices, words = page.index('id="slices"'), page.index('id="words"')
    assert page[slices:words].count("class ") >= n_classes
    classes = page[page.index('id="classes"') : page.index('id="pairs"')]
    assert "<details" not in classes
    assert classes.count("<tr>") == n_classes + 1


def test_long_words_are_cut_in_the_middle() -> None:
    page = report_html(long_words().report)
    assert page.count(f"a{19 * 'b'}…{18 * 'b'}c") == 7
    assert LONG_WORD[:200] not in page


def test_a_blank_at_the_end_of_a_word_is_seen() -> None:
    page = report_html(long_words().report)
    assert page.count('<span class="term">&quot;ear &quot;</span>') == 4
    assert '<span class="term">free</span>' in report_html(two_classes().report)


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
            {"learning_curve": {"points": [], "why_not": "it was not <trained> here"}},
            ">It was not &lt;trained&gt; here.<",
        ),
        ({"learning_curve": {"points": [], "why_not": "Too few."}}, ">Too few.<"),
        ({"confident_errors": []}, "No document was classified wrongly."),
        ({"suspected_labels": []}, "No label looks wrong."),
    ],
)
def test_a_section_without_data_says_why(change: dict, sentence: str) -> None:
    assert sentence in report_html(three_classes().report | change)


@pytest.mark.parametrize(("change", "identifier"), [({"comparison": None}, "comparison"), ({"skipped": []}, "skipped")])
def test_a_section_that_nobody_asked_for_is_left_out(change: dict, identifier: str) -> None:
    report = three_classes().report
    assert f'href="#{identifier}"' in report_html(report)
    assert f'"{identifier}"' not in report_html(report | change)
    assert f"#{identifier}" not in report_html(report | change)


def test_a_model_of_columns_says_why_it_lists_no_words() -> None:
    report = two_classes().report
    report["top_words"], report["model"]["n_terms"] = [[], []], None
    page = report_html(report)
    assert "Top words are listed for models of text alone." in page
    assert "no words to list" not in page


def warnings_in(report: dict) -> list[str]:
    page = report_html(report)
    return re.findall(r'<p class="warning">(.*?)</p>', page[: page.index('id="look"')])


def test_nothing_is_warned_of_where_all_is_known() -> None:
    assert warnings_in(two_classes().report) == []
    assert warnings_in(two_classes().report | {"n": 30}) == []


def test_nobody_knows_what_a_model_without_a_ledger_has_learned() -> None:
    (warning,) = warnings_in(two_classes().report | {"n_learned_skipped": None, "n_learned_tested": None})
    assert "no ledger" in warning


def test_tested_documents_that_were_learned_are_warned_of() -> None:
    (warning,) = warnings_in(two_classes().report | {"n_learned_tested": 1234})
    assert warning.startswith("1,234 of the documents tested on were learned")


def test_few_documents_are_warned_of() -> None:
    assert warnings_in(two_classes().report | {"n": 29}) == [
        "The figures are of only 29 documents: go by the interval."
    ]


@pytest.mark.parametrize("log_loss", [None, 0.25])
def test_classes_that_the_model_does_not_know_are_named(log_loss: float | None) -> None:
    report = three_classes().report
    report["thresholds"] = [entry for entry in report["thresholds"] if entry["class"] != 1]
    report["evaluation"]["log_loss"] = log_loss
    (warning,) = warnings_in(report)
    n = report["evaluation"]["per_class"][1]["support"]
    told = f"1 class (&lt;img src=x onerror=alert(1)&gt;\\u202e): {n} documents can only be wrong."
    assert f"The model does not know {told}" in warning
    assert ("log-loss is infinite" in warning) == (log_loss is None)


def test_a_class_without_documents_is_not_missed() -> None:
    report = three_classes().report
    report["thresholds"] = report["thresholds"][:2]
    report["evaluation"]["per_class"][2]["support"] = 0
    assert warnings_in(report) == []


def test_intervals_that_are_not_there_are_not_shown() -> None:
    report = two_classes().report
    figures = {"accuracy_interval": None, "macro_f1_interval": None}
    report["evaluation"] |= figures
    for row in report["evaluation"]["per_class"]:
        row |= {"precision_interval": None, "recall_interval": None}
    for part in report["slices"]:
        part["interval"] = None
    page = report_html(report)
    assert 'class="interval"' not in page
    assert "None" not in page
    report["evaluation"] |= {"macro_f1_interval": [0.75, 0.875]}
    assert report_html(report).count("95 %: 0.7500–0.8750") == 1


def test_probabilities_that_are_not_there_leave_a_sentence() -> None:
    report = two_classes().report
    report["evaluation"] |= {"reliability": None, "log_loss": None, "ece": None, "auc": None}
    page = report_html(report)
    assert "nothing to compare with what came true" in page
    assert "Log-loss" not in page


def test_decisions_are_shown_beside_the_most_probable_class() -> None:
    found = decided_classes()
    decided, n = found.report["decisions"], len(found.true)
    outline = Outline(report_html(found.report))
    shown = " ".join(outline.text)
    summary = shown[: shown.index("Where to look first")]
    unsure = sum(max(row) < 0.6 for row in found.probabilities)
    right = round(decided["accuracy"] * n)
    assert "Of the most probable class" in summary
    for figure in (decided["accuracy"], unsure / n, (n - right - unsure) / n):
        assert f"{figure:.4f}" in summary
    for sentence in (f"{right} of {n} documents got", "0.2500 ± 0.0125", f"{unsure} documents got no class", "policy"):
        assert sentence in summary
    assert shown.count("Of the most probable class, not of the decisions.") == 4
    assert HOSTILE_CLASS not in shown


def test_the_matrix_of_the_decisions_has_a_column_for_unsure() -> None:
    found = decided_classes()
    page = report_html(found.report)
    table = page[page.index("Matrix of the decisions") : page.index('id="classes"')]
    shown = [int(cell.replace("·", "0")) for cell in re.findall(r'<td class="number">([\d·]+)</td>', table)]
    assert shown == [count for row in found.report["decisions"]["confusion_matrix"] for count in (*row, sum(row))]
    assert '<th scope="col" class="number">unsure</th>' in table


def test_a_large_matrix_of_decisions_shows_the_classes_of_the_other() -> None:
    report = without_errors(70, 2).report
    matrix = [[*row, 0] for row in report["evaluation"]["confusion_matrix"]]
    matrix[0][0], matrix[0][-1] = 1, 1
    decided = decided_classes().report["decisions"]
    page = report_html(report | {"decisions": decided | {"confusion_matrix": matrix, "per_class": []}})
    table = page[page.index("Matrix of the decisions") : page.index('id="classes"')]
    rows = re.findall("<tr><th.*?</tr>", table)[1:]
    assert [re.findall(r">([\d·]+)</td>", row) for row in rows] == [
        ["1", "1", "·", "1", "3"],
        ["·", "2", "1", "·", "3"],
        ["·", "·", "3", "·", "3"],
    ]


def test_a_model_without_a_policy_says_nothing_of_decisions() -> None:
    page = report_html(three_classes().report)
    assert "ecisions" not in page[: page.index('id="payload"')]
    assert "Of the most probable class" not in page


def test_a_hostile_title_stays_a_title() -> None:
    page = report_html(two_classes().report | {"title": f"</title><script>{HOSTILE_WHERE}"})
    assert len(Outline(page).all("script")) == 2


def test_own_scripts_and_styles_cannot_end_their_elements(page: str) -> None:
    assert page.count("</script>") == 2
    assert page.count("</style>") == 1


def test_many_documents_stay_small() -> None:
    assert len(report_html(sample([f"class {number}" for number in range(20)], 1000).report)) < 700_000
