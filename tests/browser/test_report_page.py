"""The page of a report in a browser: what opens, by mouse and by keyboard, and what the sliders say."""

import random
import re
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from cli.conftest import WORDS
from sample_report import (
    HOSTILE_CLASS,
    Sample,
    decided_classes,
    long_words,
    many_classes,
    sample,
    three_classes,
    two_classes,
)

from textnb.corpora.corpus import make_corpus
from textnb.report.page import report_html
from textnb.report.safe import printable, readable
from textnb.workflow import evaluate, report, train

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("browser not available: chromium is not installed", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="browser not available: playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="browser not available: axe is not installed")

PHONE, TABLET, LAPTOP, DESK = 380, 1000, 1200, 1600
SAMPLES = {
    "two": two_classes(),
    "three": three_classes(),
    "many": many_classes(),
    "no text": three_classes(texts=False),
    "decided": decided_classes(),
    "long words": long_words(),
}


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


class Opened:
    """A page that was opened from a file, and all that it said or asked for."""

    def __init__(self, context, path: Path) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())


@pytest.fixture
def open_page(browser, tmp_path: Path) -> Iterator:
    """Opens the page of a sample; at the end nothing must have been complained of, or asked for."""
    pages: list[Opened] = []
    path = tmp_path / "report.html"

    def opened(found: Sample, *, wait: str = "html.ready", before: str = "", width: int = DESK, **options):
        path.write_text(report_html(found.report), "utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce", **options)
        context.add_init_script(before)
        pages.append(Opened(context, path))
        pages[-1].page.wait_for_selector(wait)
        return pages[-1].page

    yield opened
    for page in pages:
        page.page.context.close()
        assert page.complaints == []
        assert page.requests == [path.as_uri()]


def shown_text(text: str) -> str:
    """What a text looks like, wherever it is cut; tabs stay, too."""
    return "".join("\t" if c == "\t" else shown for c, shown in zip(text, readable(text), strict=True))


def cell_button(page, true: int, predicted: int):
    return page.locator(f'#matrix tr[data-class="{true}"] td button').nth(predicted)


def listed(page) -> list[int]:
    entries = page.locator("#cell-list > li > details")
    return [int(entry.get_attribute("data-document")) for entry in entries.all()]


def largest_error(found: Sample) -> list:
    return max((cell for cell in found.report["cells"] if cell[0] != cell[1]), key=lambda cell: cell[2])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_click_on_a_cell_lists_its_documents(open_page, name: str) -> None:
    page = open_page(SAMPLES[name])
    for true, predicted, n, numbers in SAMPLES[name].report["cells"][:5]:
        cell_button(page, true, predicted).click()
        assert listed(page) == numbers
        assert page.locator("#cell-title").inner_text().endswith(f": {n} document{'s' * (n != 1)}")
    assert page.locator("#matrix [aria-current]").count() == 1


def test_a_cell_without_documents_says_so(open_page) -> None:
    found = SAMPLES["many"]
    matrix = found.report["evaluation"]["confusion_matrix"]
    true, predicted = next((c, d) for c in range(20) for d in range(20) if not matrix[c][d])
    page = open_page(found)
    cell_button(page, true, predicted).click()
    assert listed(page) == []
    assert page.locator("#cell-title").inner_text().endswith(": 0 documents")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_press_on_a_cell_lists_its_documents(open_page, key: str) -> None:
    page, (true, predicted, _, numbers) = open_page(SAMPLES["three"]), largest_error(SAMPLES["three"])
    cell_button(page, true, predicted).focus()
    page.keyboard.press(key)
    assert listed(page) == numbers


def test_keyboard_alone_opens_a_cell_and_a_document(open_page) -> None:
    found = SAMPLES["three"]
    page, numbers = open_page(found), largest_error(found)[3]
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#matrix') !== null"):
            break
    assert page.evaluate("document.activeElement.textContent") == str(len(numbers))
    page.keyboard.press("Enter")
    assert listed(page) == numbers
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(f'#cell-list details[data-document="{numbers[0]}"] .text').wait_for()


def test_arrow_keys_move_between_cells_and_one_stays_in_the_tab_order(open_page) -> None:
    page = open_page(SAMPLES["three"])
    cell_button(page, 0, 0).focus()
    for key, place in [
        ("ArrowRight", (0, 1)),
        ("ArrowDown", (1, 1)),
        ("ArrowLeft", (1, 0)),
        ("ArrowLeft", (1, 0)),
        ("End", (1, 2)),
        ("Control+Home", (0, 0)),
        ("ArrowUp", (0, 0)),
    ]:
        page.keyboard.press(key)
        assert cell_button(page, *place).evaluate("button => button === document.activeElement")
        assert page.locator('#matrix [tabindex="0"]').count() == 1


@pytest.mark.parametrize("name", ["two", "three"])
def test_words_are_marked_where_they_stand(open_page, name: str) -> None:
    found = SAMPLES[name]
    page = open_page(found)
    openings = set()
    for true, predicted, _, numbers in found.report["cells"]:
        cell_button(page, true, predicted).click()
        for number in numbers[:6]:
            document = found.report["documents"][number]
            details = page.locator(f'#cell-list details[data-document="{number}"]')
            details.locator("summary").click()
            text = details.locator(".text")
            text.wait_for()
            marks = text.locator("mark").evaluate_all("marks => marks.map(mark => [mark.textContent, mark.className])")
            assert marks == [
                [document["text"][start:end], "against" if share < 0 else "for"]
                for start, end, share in document["marks"]
            ]
            cut = " … (the text goes on)" if document["is_cut"] else ""
            assert text.evaluate("text => text.textContent") == shown_text(document["text"]) + cut
            openings.add(document["text"][0])
    assert {"👍", "ש"} <= openings


def test_marks_stand_in_text_of_any_characters(open_page) -> None:
    found = two_classes()
    hidden = "\ud83d\u200b\ufeff\u3164 \x00\x1b\x9f\ue000\U000e0041"
    shaped = "می\u200cخواهم क्\u200dष ন্\u200c👩🏽\u200d🚀❤\ufe0f1\ufe0f\u20e310\u202f000\u3000x"
    hiding = "a\u200cb\u200d5\ufe0f्\u200d\u0308\u0308\u0308्\u200d"
    text = f"😀\u202e\r\ne{6 * chr(0x301)} {hidden} {shaped} {hiding} free 𝔘\u0300 \tend"
    number = found.report["confident_errors"][0]
    start = text.index("free")
    found.report["documents"][number] |= {
        "text": text,
        "is_cut": False,
        "marks": [[0, 1, 1.0], [start, start + 4, -2.0]],
    }
    page = open_page(found)
    details = page.locator(f'#look details[data-document="{number}"]').first
    details.locator("summary").click()
    shown = details.locator(".text")
    shown.wait_for()
    assert shown.locator("mark").all_inner_texts() == ["😀", "free"]
    assert shown.evaluate("text => text.textContent") == shown_text(text)


def test_a_message_is_called_by_its_title_also_when_it_is_open(open_page) -> None:
    found = two_classes()
    title = "Cheap <b>pills</b> \u202e - André <a@example.org>"
    for document in found.report["documents"]:
        document["title"] = title
    page = open_page(found)
    cell_button(page, *largest_error(found)[:2]).click()
    for of in ("#cell-list", "#look"):
        entry = page.locator(f"{of} details.document").first
        assert entry.locator(".title").inner_text() == printable(title)
        if entry.get_attribute("open") is None:
            entry.locator("summary").click()
        entry.locator(".text").wait_for()
        assert entry.locator(".title").is_visible()


@pytest.mark.parametrize("name", ["two", "three"])
def test_rows_rest_and_sum_are_those_of_the_explanation(open_page, name: str) -> None:
    found = SAMPLES[name]
    page, number = open_page(found), found.report["confident_errors"][0]
    document = found.report["documents"][number]
    details = page.locator(f'#look details[data-document="{number}"]').first
    details.locator("summary").click()
    details.locator(".rows").wait_for()
    adds = details.locator(".rows tbody td.number:nth-child(3)").all_inner_texts()
    figures = [float(figure.replace("−", "-")) for figure in adds]
    expected = [row[2] for row in document["rows"]] + [document["rest"][1], document["log_odds"]]
    assert figures == pytest.approx(expected, abs=0.0051)
    assert sum(expected[:-1]) == pytest.approx(expected[-1])
    assert details.locator(".decision").inner_text().startswith("Named ")


def test_terms_are_cut_quoted_or_bracketed(open_page) -> None:
    found = long_words()
    number = found.report["confident_errors"][0]
    others = [["", 1, 0.5, "term"], ["size = 1,024", None, 0.5, "value"], ["prior", None, 0.25, "prior"]]
    document = found.report["documents"][number]
    document["rows"] = document["rows"][:2] + others
    details = open_page(found).locator(f'#look details[data-document="{number}"]').first
    details.locator("summary").click()
    details.locator(".rows").wait_for()
    terms = details.locator(".rows tbody th").all_inner_texts()
    long = f"a{19 * 'b'}…{18 * 'b'}c"
    assert [term.strip() for term in terms] == [long, '"ear "', '""', "size = 1,024", "[prior]", "(3 others)", "sum"]
    assert details.locator(".flip").inner_text().startswith(f'Without {long}, "ear " it would be ')


def test_what_would_flip_a_decision_is_named_where_it_is_known(open_page) -> None:
    found = SAMPLES["three"]
    page = open_page(found)
    sought = [
        found.report["documents"][number].get("flip", "not sought") for number in found.report["confident_errors"]
    ]
    assert "not sought" in sought
    assert None in sought
    for number in found.report["confident_errors"]:
        details = page.locator(f'#look details[data-document="{number}"]').first
        details.locator("summary").click()
        details.locator(".body").wait_for()
        flip = found.report["documents"][number].get("flip", "not sought")
        sentences = details.locator(".flip").all_inner_texts()
        if flip == "not sought":
            assert sentences == []
        elif flip is None:
            assert sentences == ["No words were found whose removal would change the class."]
        else:
            label = printable(found.report["classes"][flip["label"]])
            assert sentences == [f"Without win, <i>\\u200b it would be {label}."]


def figures_shown(page) -> dict[str, str]:
    names = ["precision", "recall", "false-positive-rate", "unsure-share", "mean-cost"]
    return {name: page.locator(f"#{name}").inner_text() for name in names}


def check_threshold(page, found: Sample, entry: dict, upper: int, lower: int, costs=(1, 1, 0.2)) -> None:
    """The page's counts and figures against documents counted one by one."""
    counts = found.outcomes(entry["class"], entry["points"][upper][0], entry["points"][lower][0])
    assert {name: int(page.locator(f"#{name}").inner_text()) for name in counts} == counts
    unsure = counts["unsure-positive"] + counts["unsure-negative"]
    named, n = counts["tp"] + counts["fp"], len(found.true)
    total = costs[0] * counts["fp"] + costs[1] * counts["fn"] + costs[2] * unsure
    expected = {
        "precision": counts["tp"] / named if named else None,
        "recall": counts["tp"] / entry["n_positive"],
        "false-positive-rate": counts["fp"] / entry["n_negative"],
        "unsure-share": unsure / n,
        "mean-cost": total / n,
    }
    for name, figure in figures_shown(page).items():
        assert figure == "–" if expected[name] is None else float(figure) == pytest.approx(expected[name], abs=5.1e-5)


def move(page, slider: str, value: int) -> None:
    page.locator(f"#{slider}").fill(str(value))


def middle(entry: dict) -> int:
    return [point[0] for point in entry["points"]].index(0.5)


@pytest.mark.parametrize("name", ["two", "three"])
def test_the_sliders_figures_are_those_of_counting(open_page, name: str) -> None:
    found = SAMPLES[name]
    page = open_page(found)
    for position, entry in enumerate(found.report["thresholds"]):
        page.locator("#chosen-class").select_option(str(position))
        half, last = middle(entry), len(entry["points"]) - 1
        check_threshold(page, found, entry, half, half)
        for upper in (0, 7, last):
            move(page, "threshold", upper)
            check_threshold(page, found, entry, upper, upper)
        move(page, "lower", last // 3)
        check_threshold(page, found, entry, last, last // 3)
        move(page, "threshold", last // 2)  # a band that was made stays
        check_threshold(page, found, entry, last // 2, last // 3)
        page.locator("#reset").click()
        check_threshold(page, found, entry, half, half)


def test_at_one_half_two_classes_have_the_figures_of_the_evaluation(open_page) -> None:
    found = SAMPLES["two"]
    page = open_page(found)
    row = found.report["evaluation"]["per_class"][1]
    shown = figures_shown(page)
    assert float(shown["precision"]) == pytest.approx(row["precision"], abs=5.1e-5)
    assert float(shown["recall"]) == pytest.approx(row["recall"], abs=5.1e-5)
    assert page.locator("#tp").inner_text() == str(found.report["evaluation"]["confusion_matrix"][1][1])


@pytest.mark.parametrize("costs", [(1, 1, 0.2), (10, 1, 0.5), (1, 5, 100), (0, 0, 0)])
def test_the_cheapest_threshold_is_the_cheapest(open_page, costs: tuple[float, float, float]) -> None:
    found = SAMPLES["two"]
    page, entry = open_page(found), SAMPLES["two"].report["thresholds"][1]
    for name, cost in zip(["false-alarm", "miss", "unsure"], costs, strict=True):
        page.locator(f"#cost-{name}").fill(str(cost))
    page.locator("#cheapest").click()
    upper, lower = (int(page.locator(f"#{slider}").input_value()) for slider in ("threshold", "lower"))
    check_threshold(page, found, entry, upper, lower, costs)

    def cost(upper: int, lower: int) -> float:
        counts = found.outcomes(1, entry["points"][upper][0], entry["points"][lower][0])
        unsure = counts["unsure-positive"] + counts["unsure-negative"]
        return costs[0] * counts["fp"] + costs[1] * counts["fn"] + costs[2] * unsure

    pairs = [(i, j) for i in range(len(entry["points"])) for j in range(i + 1)]
    assert cost(upper, lower) == pytest.approx(min(cost(i, j) for i, j in pairs))


def test_the_sliders_answer_to_the_keyboard(open_page) -> None:
    found = SAMPLES["two"]
    page, entry = open_page(found), SAMPLES["two"].report["thresholds"][1]
    half = middle(entry)
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowRight")
    check_threshold(page, found, entry, half + 1, half + 1)
    page.locator("#lower").focus()
    page.keyboard.press("ArrowLeft")
    check_threshold(page, found, entry, half + 1, half)


def test_without_a_band_the_lower_slider_says_none(open_page) -> None:
    page, entry = open_page(SAMPLES["two"]), SAMPLES["two"].report["thresholds"][1]
    lower, written = page.locator("#lower"), page.locator("#lower-value")
    assert (written.inner_text(), lower.get_attribute("aria-valuetext")) == ("none", "none")
    move(page, "lower", 2)
    at = written.inner_text()
    assert float(at) == pytest.approx(entry["points"][2][0], rel=0.01)
    assert lower.get_attribute("aria-valuetext") == at
    page.locator("#reset").click()
    assert written.inner_text() == "none"


@pytest.mark.parametrize("refused", ["-1", ""])
def test_a_cost_that_is_no_cost_is_refused(open_page, refused: str) -> None:
    page = open_page(SAMPLES["two"])
    field, cheapest = page.locator("#cost-miss"), page.locator("#cheapest")
    before = figures_shown(page)
    field.fill(refused)
    assert field.get_attribute("aria-invalid") == "true"
    assert page.locator('[aria-invalid="true"]').count() == 1
    assert figures_shown(page) == before | {"mean-cost": "–"}
    assert page.locator("#cost-problem").is_visible()
    assert cheapest.is_disabled()
    field.fill("1")
    assert field.get_attribute("aria-invalid") == "false"
    assert figures_shown(page) == before
    assert page.locator("#cost-problem").is_hidden()
    assert cheapest.is_enabled()


def test_a_column_sorts_by_its_heading(open_page) -> None:
    found = SAMPLES["many"]
    page = open_page(found)
    heading = page.locator(".sortable th").nth(3)
    recalls = [row["recall"] for row in found.report["evaluation"]["per_class"]]
    for order, expected in (("descending", sorted(recalls, reverse=True)), ("ascending", sorted(recalls))):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == order
        cells = page.locator(".sortable tbody td:nth-child(4)").all()
        assert [float(cell.get_attribute("data-value")) for cell in cells] == expected


def test_a_confused_pair_opens_its_cell(open_page) -> None:
    found = SAMPLES["two"]
    page = open_page(found)
    page.locator("#pairs button").first.click()
    pair = found.report["confused_pairs"][0]
    assert len(listed(page)) == pair["count"]
    assert page.locator("#cell-title").inner_text().startswith("ham taken for spam")


def test_a_long_list_comes_in_parts(open_page) -> None:
    found = sample(["ham", "spam"], 400)
    page = open_page(found)
    true, predicted, n, numbers = max(found.report["cells"], key=lambda cell: cell[2])
    assert n > 100
    cell_button(page, true, predicted).click()
    assert listed(page) == numbers[:50]
    page.locator("#cell-list .more button").click()
    assert listed(page) == numbers[:100]


WIDER_THAN_DOCUMENT = """documents => documents.flatMap(opened => {
  const right = opened.getBoundingClientRect().right + 0.5;
  const inside = [...opened.querySelectorAll(".body, .body .text, .body table, .body p, .body td, .body th")];
  return inside.filter(part => part.getBoundingClientRect().right > right).map(part => part.outerHTML.slice(0, 80));
})"""


def open_everything(page) -> None:
    """A cell with its first document, the first document of each list, and every table behind a chart."""
    page.locator("#matrix td.wrong button").first.click()
    for place in ("#cell-list", *(f"#look .columns > div:nth-child({column})" for column in (1, 2, 3))):
        page.locator(f"{place} summary").first.click()
        page.locator(f"{place} .body").first.wait_for()
    for summary in page.locator(".folded > summary").all():
        summary.click()


def test_hostile_texts_and_names_are_shown_as_text(open_page) -> None:
    found = SAMPLES["three"]
    page = open_page(found)
    open_everything(page)
    for true, predicted, _, numbers in found.report["cells"]:
        cell_button(page, true, predicted).click()
        for number in numbers:
            details = page.locator(f'#cell-list details[data-document="{number}"]')
            details.locator("summary").click()
            details.locator(".body").wait_for()
    assert (
        page.locator("img, iframe, i, main svg:not(.chart, .interval-bar), [onclick], [onload], [onerror]").count() == 0
    )
    assert page.locator("script").count() == 2
    shown = page.locator("main").inner_text()
    assert printable(HOSTILE_CLASS) in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x1b]", shown)


def test_without_texts_everything_else_works(open_page) -> None:
    found = SAMPLES["no text"]
    page = open_page(found)
    open_everything(page)
    assert "The text is left out of this report." in page.locator("#cell-list details[open]").inner_text()
    entry = found.report["thresholds"][0]
    move(page, "threshold", 3)
    check_threshold(page, found, entry, 3, 3)


def test_a_browser_that_cannot_decompress_is_told(open_page) -> None:
    page = open_page(SAMPLES["two"], before="delete window.DecompressionStream", wait="#message:not([hidden])")
    assert "DecompressionStream" in page.locator("#message").inner_text()
    assert page.locator(".headline-figure").count() == 5


def test_figures_and_charts_are_there_without_scripts(open_page) -> None:
    page = open_page(SAMPLES["two"], java_script_enabled=False, wait="noscript")
    assert page.locator("#curve .line").get_attribute("points")
    assert page.locator("#matrix button").count() == 4
    assert "JavaScript" in page.locator("noscript").inner_text()


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_never_scrolls_sideways(open_page, name: str) -> None:
    """At any width, in both themes."""
    page = open_page(SAMPLES[name])
    open_everything(page)
    for width, scheme in product([PHONE, TABLET, LAPTOP, DESK], ["light", "dark"]):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), width
        assert page.locator(".document[open]").evaluate_all(WIDER_THAN_DOCUMENT) == [], width


def test_long_words_do_not_make_a_long_page(open_page) -> None:
    height = "document.documentElement.scrollHeight"
    pages = [open_page(SAMPLES[name], width=PHONE) for name in ("three", "long words")]
    ordinary, long = (page.evaluate(height) for page in pages)
    assert long < 1.2 * ordinary
    open_everything(pages[1])
    assert pages[1].evaluate(height) < 2 * ordinary


def test_a_large_matrix_keeps_its_headings_in_sight(open_page) -> None:
    page = open_page(SAMPLES["many"], width=PHONE)
    box = page.locator(".matrix")
    before = box.bounding_box()
    box.evaluate("box => box.scrollTo(300, 200)")
    assert box.evaluate("box => box.scrollLeft") > 0
    assert page.locator("#matrix tbody th").nth(8).bounding_box()["x"] == pytest.approx(before["x"], abs=1)
    assert page.locator("#matrix thead th").nth(8).bounding_box()["y"] == pytest.approx(before["y"], abs=1)


LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colours": {"forced_colors": "active"},
}


LOOKED_AT = [
    *((name, "light") for name in ("three", "many", "no text", "decided")),
    *(("three", "dark"), ("decided", "dark"), ("three", "forced colours")),
]


@pytest.mark.parametrize(("name", "look"), LOOKED_AT)
def test_axe_finds_no_serious_problem(open_page, name: str, look: str) -> None:
    """Every kind of page in one look, since only colours depend on it, and one that has all of them in every look."""
    page = open_page(SAMPLES[name], **LOOKS[look])
    open_everything(page)
    found = axe.Axe().run(page).response["violations"]
    serious = [problem for problem in found if problem["impact"] in ("serious", "critical")]
    assert [(problem["id"], [node["target"] for node in problem["nodes"]][:3]) for problem in serious] == []


def test_marked_words_stay_readable_in_forced_colours(open_page) -> None:
    page = open_page(SAMPLES["two"], forced_colors="active", color_scheme="dark")
    open_everything(page)
    style = "element => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]"
    around = page.locator("body").evaluate(style)
    assert page.locator("mark.for").first.evaluate(style) == around
    assert page.locator("mark.against").first.evaluate(style) == around
    lines = [
        page.locator(f"mark.{kind}").first.evaluate("m => getComputedStyle(m).textDecorationStyle")
        for kind in ("for", "against")
    ]
    assert lines == ["solid", "dashed"]


def test_printed_pages_have_tables_and_no_sliders(open_page) -> None:
    page = open_page(SAMPLES["two"])
    page.emulate_media(media="print")
    assert page.locator("#threshold").is_hidden()
    assert page.locator("nav").is_hidden()
    assert (
        page.locator("#calibration .folded table").first.evaluate("table => table.getBoundingClientRect().height") > 0
    )


@pytest.fixture(scope="module")
def real():
    """The report of a trained model on messages that it has not learned, and what `evaluate` says of them."""
    choose, labels = random.Random(3), ["ham", "spam"] * 120
    words = WORDS["ham"] + WORDS["spam"]
    texts = [" ".join(choose.choices(WORDS[label], k=2) + choose.choices(words, k=6)) for label in labels]
    corpus = make_corpus("mail", texts, labels, "made up")
    trained = train(corpus, test_size=0.5, model="multinomial", weights="counts", ngrams=(1, 2))
    return report(trained.classifier, corpus), evaluate(trained.classifier, corpus), trained.classifier


def test_the_sliders_of_a_real_report_have_the_figures_of_evaluate(open_page, real) -> None:
    made, evaluated, _ = real
    page = open_page(Sample(made.to_json(), [], []))
    shown, row = figures_shown(page), evaluated.evaluation.per_class[1]
    assert {name: float(shown[name]) for name in ("precision", "recall")} == pytest.approx(
        {name: row[name] for name in ("precision", "recall")}, abs=5.1e-5
    )
    (tn, fp), (fn, tp) = evaluated.evaluation.confusion_matrix.tolist()
    counts = {name: int(page.locator(f"#{name}").inner_text()) for name in ("tp", "fp", "fn", "tn")}
    assert counts == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    assert fp and fn  # else there is little to see


def test_the_documents_of_a_real_report_are_those_that_were_confused(open_page, real) -> None:
    """A cell opens its documents; what is marked are the words of the model's own explanation."""
    made, _, classifier = real
    page = open_page(Sample(made.to_json(), [], []))
    cell = next(cell for cell in made.cells if (cell.true, cell.predicted) == (0, 1))
    cell_button(page, 0, 1).click()
    assert listed(page) == cell.documents
    for number in cell.documents:
        text = made.documents[number].text
        why = classifier.explain(text, "ham", label="spam")
        details = page.locator(f'#cell-list details[data-document="{number}"]')
        details.locator("summary").click()
        details.locator("mark").first.wait_for()
        marked = details.locator("mark").all_inner_texts()
        largest = max(abs(piece.share) for piece in why.highlights)
        told = [text[piece.start : piece.end] for piece in why.highlights if abs(piece.share) >= 0.05 * largest]
        assert set(told) <= set(marked) <= {text[piece.start : piece.end] for piece in why.highlights}
