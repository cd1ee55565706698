"""`textnb report` and `train --report` at the prompt."""

import csv
import json

import pytest
from cli.conftest import mail
from cli.test_evaluate import write_rows

from textnb.report import page as page_module
from textnb.workflow import report as report_model

PAGE = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="textnb"></head>'


@pytest.fixture
def page(monkeypatch):
    """A page that is its data, for want of a browser."""
    drawn = []

    def draw(result):
        drawn.append(result)
        return PAGE + json.dumps(result)

    monkeypatch.setattr(page_module, "report_html", draw)
    return drawn


def test_a_report_is_written_and_said_in_a_few_lines(textnb, model, mail_csv, page, tmp_path):
    done = textnb("report", model, mail_csv, "-o", "report.html")
    assert (done.code, done.err) == (0, "")
    written = (tmp_path / "report.html").read_text("utf-8")
    assert written == PAGE + json.dumps(page[0])
    expected = report_model(model, mail_csv).to_json()
    assert page == [expected]
    lines = done.out.splitlines()
    assert lines[0] == f"report     report.html ({len(written) / 1000:.0f} KB)"
    low, high = expected["evaluation"]["accuracy_interval"]
    accuracy = expected["evaluation"]["accuracy"]
    assert f"accuracy   {accuracy:.4f} (95 %: {low:.4f} to {high:.4f})" in lines
    assert any("label looks wrong" in line for line in lines)
    assert any("near duplicates" in line for line in lines)
    assert len(lines) < 10
    assert list(tmp_path.glob(".textnb-*")) == []


def test_json_has_all_that_the_page_shows(textnb, model, mail_csv, page, tmp_path):
    found = textnb("report", model, mail_csv, "--json").json
    assert found == report_model(model, mail_csv).to_json()
    assert page == []
    assert textnb("report", model, mail_csv, "--json", "-o", "report.html").json == found
    assert (tmp_path / "report.html").exists()


def test_without_texts(textnb, model, mail_csv, page):
    assert textnb("report", model, mail_csv, "-o", "report.html", "--no-text").code == 0
    assert page[0]["texts"] is False
    assert {document["text"] for document in page[0]["documents"]} == {None}


def test_a_second_model_is_compared(textnb, model, mail_csv, page, tmp_path):
    assert textnb("train", mail_csv, "--model", "bernoulli", "--output", "other.tnb", "--quiet").code == 0
    done = textnb("report", model, mail_csv, "-o", "report.html", "--compare", "other.tnb")
    assert done.code == 0
    assert page[0]["comparison"]["file"] == "other.tnb"
    assert "compared   other.tnb: accuracy" in done.out
    assert "first minus second" in done.out


def test_a_second_model_reads_its_own_column(textnb, tmp_path, page):
    """Of a table with two texts, each model was trained on one; only the subjects tell the classes apart."""
    rows = [(f"body {i % 7} of {i}", f"about {label}, {i}", label) for i, (_, label) in enumerate(mail(60))]
    for name, part in (("first.csv", rows[::2]), ("later.csv", rows[1::2])):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("body", "subject", "label"), *part])
    for column in ("body", "subject"):
        settings = ("--model", "bernoulli", "--test-size", "0", "--quiet")
        assert textnb("train", "first.csv", "--text", column, *settings, "--output", f"{column}.tnb").code == 0
    assert textnb("report", "body.tnb", "later.csv", "-o", "r.html", "--compare", "subject.tnb").code == 0
    assert page[0]["comparison"]["accuracy"] == 1.0 > page[0]["evaluation"]["accuracy"]


def test_a_second_model_of_other_classes_is_refused(textnb, model, mail_csv, tmp_path):
    (tmp_path / "other.csv").write_text("text,label\ncheap pills,x\nlunch at noon,y\n", "utf-8")
    assert textnb("train", "other.csv", "--test-size", "0", "--output", "other.tnb", "--quiet").code == 0
    done = textnb("report", model, mail_csv, "-o", "r.html", "--compare", "other.tnb")
    assert done.code == 2
    assert "none of them the same" in done.err


def test_training_makes_a_report_without_texts(textnb, mail_csv, page):
    assert textnb("train", mail_csv, "--report", "r.html", "--no-text", "--quiet", "--overwrite").code == 0
    assert page[0]["texts"] is False
    done = textnb("train", mail_csv, "--no-text", "--quiet", "--overwrite")
    assert (done.code, "--report" in done.err) == (2, True)


def test_learned_documents_only_if_asked_for(textnb, model, mail_csv, page):
    assert "24 tested on" in textnb("report", model, mail_csv, "-o", "report.html").out
    assert "80 tested on" in textnb("report", model, mail_csv, "-o", "report.html", "--all").out


def test_where_to_must_be_said(textnb, model, mail_csv):
    done = textnb("report", model, mail_csv)
    assert (done.code, done.out) == (2, "")
    assert "-o report.html" in done.err


@pytest.mark.parametrize("name", ["report.pdf", "report", "model.tnb", "html"])
def test_a_page_is_named_as_one(textnb, model, mail_csv, page, name, tmp_path):
    done = textnb("report", model, mail_csv, "-o", name)
    assert (done.code, page) == (2, [])
    assert "ends in .html" in done.err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["report.HTM", "report.html"])
def test_an_earlier_report_is_replaced(textnb, model, mail_csv, page, name, tmp_path):
    for _ in range(2):
        assert textnb("report", model, mail_csv, "-o", name).code == 0
    assert len(page) == 2


@pytest.mark.parametrize("content", ["", "<!doctype html><p>my diary</p>", 'x<meta name="generator" content="textnb">'])
def test_what_is_no_report_is_not_overwritten_unasked(textnb, model, mail_csv, page, content, tmp_path):
    (tmp_path / "page.html").write_text(content)
    done = textnb("report", model, mail_csv, "-o", "page.html")
    assert (done.code, page) == (2, [])
    assert "it exists and is not a report; choose another name, or overwrite it (--overwrite)" in done.err
    assert (tmp_path / "page.html").read_text() == content
    assert textnb("report", model, mail_csv, "-o", "page.html", "--overwrite").code == 0
    assert (tmp_path / "page.html").read_text().startswith(PAGE)


def test_an_input_is_not_overwritten_even_if_it_looks_like_a_report(textnb, model, page, tmp_path):
    for kind in ("ham", "spam"):
        (tmp_path / "pages" / kind).mkdir(parents=True)
        for i in range(3):
            (tmp_path / "pages" / kind / f"{i}.html").write_text(f"{PAGE} {kind} lunch cheap {i}")
    done = textnb("report", model, "pages", "-o", "pages/ham/0.html")
    assert (done.code, page) == (2, [])
    assert "it is one of the inputs" in done.err


def test_a_folder_that_is_not_there_is_an_error_before_any_work(textnb, mail_csv):
    done = textnb("report", "missing.tnb", mail_csv, "-o", "nowhere/report.html")
    assert done.code == 2
    assert "the folder does not exist" in done.err


def test_a_page_that_cannot_be_drawn_leaves_the_old_one(textnb, model, mail_csv, page, tmp_path, monkeypatch):
    assert textnb("report", model, mail_csv, "-o", "report.html").code == 0
    before = (tmp_path / "report.html").read_bytes()

    def fail(result):
        raise ValueError("no page")

    monkeypatch.setattr(page_module, "report_html", fail)
    assert textnb("report", model, mail_csv, "-o", "report.html").code == 2
    assert (tmp_path / "report.html").read_bytes() == before
    assert list(tmp_path.glob(".textnb-*")) == []


def test_skipped_documents_are_said(textnb, model, page, tmp_path):
    write_rows(tmp_path / "later.jsonl", [(f"later {text}", label) for text, label in mail()])
    with (tmp_path / "later.jsonl").open("a") as file:
        file.write("{}\n")
    done = textnb("report", model, "later.jsonl", "-o", "report.html")
    assert done.code == 0
    assert done.err.startswith("textnb: skipped ")
    assert len(page[0]["skipped"]) == 1
    assert textnb("report", model, "later.jsonl", "-o", "report.html", "--quiet").err == ""
    assert textnb("report", model, "later.jsonl", "-o", "report.html", "--strict").code == 2


def test_training_writes_a_report_of_its_test(textnb, mail_csv, page, tmp_path):
    done = textnb("train", mail_csv, "--report", "test.html", "--json")
    assert done.code == 0
    assert done.err == "textnb: wrote test.html\n"
    (found,) = page
    assert (tmp_path / "test.html").read_text("utf-8") == PAGE + json.dumps(found)
    assert found["evaluation"]["confusion_matrix"] == done.json["confusion_matrix"]
    assert found["model"]["file"] == "mail.tnb" == done.json["model_file"]
    assert found["learning_curve"]["points"][-1]["n"] == done.json["n_train"]
    assert (tmp_path / "mail.tnb").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cv", "3"), "--cv makes several models"),
        (("--test-size", "0"), "--test-size 0 holds nothing out"),
        (("--stream",), "--report needs all documents at once"),
    ],
)
def test_training_without_a_test_of_its_own_has_no_report(textnb, mail_csv, page, options, said):
    done = textnb("train", mail_csv, "--report", "test.html", *options)
    assert (done.code, done.out, page) == (2, "", [])
    assert said in done.err


def test_training_checks_the_report_before_any_work(textnb, mail_csv, tmp_path):
    (tmp_path / "notes.html").write_text("notes")
    assert "not a report" in textnb("train", mail_csv, "--report", "notes.html").err
    assert "ends in .html" in textnb("train", mail_csv, "--report", "notes.txt").err
    assert not (tmp_path / "mail.tnb").exists()
