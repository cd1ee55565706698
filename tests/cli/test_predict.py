"""`textnb predict`: documents in, labels and probabilities out."""

import json

import pytest
from opened_models import open_predictor

import textnb as library


def test_a_document_on_stdin(textnb, model):
    done = textnb("predict", model, stdin=b"cheap pills and a free prize\nclaim cash\n")
    assert (done.code, done.err) == (0, "")
    label, probability = done.out.rstrip("\n").split("\t")
    expected = library.load(model).predict_proba(["cheap pills and a free prize\nclaim cash\n"])[0]
    assert (label, probability) == ("spam", f"{expected[1]:.4f}")


def test_json_has_id_label_probabilities_and_score_a_line_each(textnb, model, tmp_path):
    (tmp_path / "one.txt").write_text("lunch tomorrow")
    (tmp_path / "two.txt").write_text("free prize")
    done = textnb("predict", model, "one.txt", "-", "two.txt", "--json", stdin=b"cash")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [list(answer) for answer in answers] == [["id", "label", "probabilities", "score"]] * 3
    assert [answer["id"] for answer in answers] == ["one.txt", "-", "two.txt"]
    assert [answer["label"] for answer in answers] == ["ham", "spam", "spam"]
    classifier = library.load(model)
    for answer, text in zip(answers, ["lunch tomorrow", "cash", "free prize"], strict=True):
        assert list(answer["probabilities"]) == ["ham", "spam"]
        assert list(answer["probabilities"].values()) == pytest.approx(classifier.predict_proba([text])[0], rel=1e-12)


def test_several_files_are_named(textnb, model, tmp_path):
    (tmp_path / "one.txt").write_text("lunch tomorrow")
    (tmp_path / "two.txt").write_text("free prize")
    out = textnb("predict", model, "one.txt", "two.txt").out
    assert [line.split("\t")[:2] for line in out.splitlines()] == [["one.txt", "ham"], ["two.txt", "spam"]]


LINES = "free prize\n \nlunch caf\xe9\nagenda"


@pytest.mark.parametrize(
    "content",
    [
        LINES.encode(),
        LINES.encode("latin-1"),
        LINES.replace("\n", "\r\n").encode("utf-8-sig"),
        LINES.encode("utf-16"),
    ],
    ids=["utf-8", "latin-1", "windows", "utf-16"],
)
def test_each_line_is_a_document(textnb, model, content):
    done = textnb("predict", model, "--lines", "--json", stdin=content)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["id"] for answer in answers] == ["-:1", "-:3", "-:4"]
    assert (done.code, done.err) == (0, "textnb: skipped -:2: it is empty\n")
    expected = library.load(model).predict_proba([line for line in LINES.split("\n") if line.strip()])
    for answer, row in zip(answers, expected.tolist(), strict=True):
        assert list(answer["probabilities"].values()) == pytest.approx(row, rel=1e-13)  # numpy has its own exp


def test_more_lines_than_a_block(textnb, model):
    done = textnb("predict", model, "--lines", stdin=b"free prize\nlunch tomorrow\n" * 700)
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["spam", "ham"] * 700


def test_lines_come_as_they_are_read(model):
    from textnb.workflow.prediction import answers

    def endless():
        while True:
            yield "-", "lunch"

    assert next(answers(open_predictor(model), endless())).label == "ham"


def test_an_empty_document_is_said_and_no_line_is_no_answer(textnb, model):
    for content in (b"", b" \n\t\r\n", b"\xef\xbb\xbf"):
        assert textnb("predict", model, stdin=content) == (2, "", "textnb: stdin: it is empty\n")
    assert textnb("predict", model, "--lines", stdin=b"") == (0, "", "")


def test_any_bytes_but_nul_are_a_document(textnb, model):
    done = textnb("predict", model, "--json", stdin=bytes(range(1, 256)) * 20)
    assert done.code == 0
    assert set(done.json) == {"id", "label", "probabilities", "score"}
    done = textnb("predict", model, "--json", stdin=bytes(range(256)) * 20)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("textnb: stdin: it is no text")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_wide_characters_are_text_where_a_byte_order_mark_says_so(textnb, model, encoding):
    assert textnb("predict", model, stdin="free prize".encode(encoding)).out.startswith("spam\t")
    assert textnb("predict", model, "--lines", stdin="free prize\nlunch".encode(encoding)).out.count("\n") == 2


def test_a_file_that_cannot_be_read_is_reported_and_the_others_predicted(textnb, model, tmp_path):
    (tmp_path / "one.txt").write_text("lunch tomorrow")
    (tmp_path / "folder").mkdir()
    done = textnb("predict", model, "missing.txt", "one.txt", "folder")  # which is empty
    assert done.code == 2
    assert done.out.startswith("one.txt\tham\t")
    assert done.err.splitlines() == [
        "textnb: missing.txt: No such file or directory; check the path",
        "textnb: folder: it is a folder without files; give documents",
    ]
    strict = textnb("predict", model, "missing.txt", "one.txt", "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert strict.err.count("\n") == 1


def test_labels_that_are_numbers_stay_numbers(textnb, tmp_path):
    library.TextClassifier().fit(["aa bb", "dd ee"], [2, 10]).save(tmp_path / "numbers.tnb")
    assert textnb("predict", "numbers.tnb", "--json", stdin=b"dd").json["label"] == 10
    assert textnb("predict", "numbers.tnb", stdin=b"dd").out.startswith("10\t")


def test_a_damaged_model_is_refused_where_it_is_touched(textnb, model):
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    done = textnb("predict", model, stdin=b" ".join([b"lunch prize cheap agenda notes winner offer"] * 3))
    assert (done.code, done.out) == (2, "")
    assert "mail.tnb' is damaged" in done.err


def test_explained_answers_show_what_adds_most(textnb, model, tmp_path):
    text = "cheap pills, free prize, claim cash and lunch at the meeting"
    done = textnb("predict", model, "--explain", stdin=text.encode())
    answer, *lines = done.out.splitlines()
    assert f"{answer}\n" == textnb("predict", model, stdin=text.encode()).out
    assert all(line.startswith("    ") for line in lines)
    why = library.load(model).explain(text)
    rows = [row for row in why.rows if row.contribution]
    for line, row in zip(lines, rows[:5], strict=False):
        assert line.split("  ")[2] == (row.term if row.kind == "term" else f"[{row.term}]")
    assert [float(line.split()[-1]) for line in lines[:5]] == [round(row.contribution, 2) for row in rows[:5]]
    assert lines[5].lstrip().startswith(f"({len(rows) - 5} others)")
    assert lines[6].split() == ["spam", "against", "ham", f"{why.log_odds:+.2f}"]
    (tmp_path / "one.txt").write_text("lunch")
    assert textnb("predict", model, "one.txt", "one.txt", "--explain").out.count("one.txt\tham\t") == 2


def test_explained_answers_as_json(textnb, model):
    plain = textnb("predict", model, "--lines", "--json", stdin=b"cheap pills\nlunch\n").out.splitlines()
    explained = textnb(
        "predict", model, "--lines", "--json", "--explain", stdin=b"cheap pills\nlunch\n"
    ).out.splitlines()
    for text, before, after in zip(("cheap pills", "lunch"), plain, explained, strict=True):
        found = json.loads(after)
        assert found.pop("explanation") == json.loads(json.dumps(library.load(model).explain(text).to_json()))
        assert found["label"] == json.loads(before)["label"]
        assert found["probabilities"] == pytest.approx(json.loads(before)["probabilities"], rel=1e-12)


def test_rows_of_tables_are_explained_too(textnb, model, mail_csv):
    explained = [
        json.loads(line) for line in textnb("predict", model, mail_csv, "--json", "--explain").out.splitlines()
    ]
    plain = [json.loads(line) for line in textnb("predict", model, mail_csv, "--json").out.splitlines()]
    assert [(one["id"], one["label"]) for one in explained] == [(one["id"], one["label"]) for one in plain]
    assert all(one["explanation"]["label"] == one["label"] for one in explained)


@pytest.mark.parametrize(("call", "other"), [(["--top", "2"], "--top"), (["-o", "out.csv"], "--output")])
def test_an_explanation_goes_with_one_printed_label(textnb, model, call, other):
    done = textnb("predict", model, "--explain", *call, stdin=b"cheap")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"textnb: --explain is printed after each label: leave it out, or {other}\n"


def test_the_class_that_a_policy_names_is_explained_and_the_likeliest_where_it_names_none(textnb, tmp_path):
    texts = ["cheap pills", "cheap offer", "free pills", "lunch offer", "lunch at noon", "the agenda"]
    classifier = library.TextClassifier("multinomial", "counts").fit(texts, ["spam"] * 3 + ["ham"] * 3)
    classifier.decide_by({("ham", "spam"): 1000.0})
    classifier.save(tmp_path / "careful.tnb")
    found = textnb("predict", "careful.tnb", "--explain", "--json", stdin=b"cheap pills").json
    assert (found["label"], found["explanation"]["label"], found["explanation"]["against"]) == ("ham", "ham", "spam")
    assert found["explanation"]["log_odds"] < 0
    classifier.decide_by({("ham", "spam"): 1000.0}, unsure=0.01)
    classifier.save(tmp_path / "unsure.tnb")
    found = textnb("predict", "unsure.tnb", "--explain", "--json", stdin=b"cheap pills").json
    assert (found["label"], found["explanation"]["label"]) == (None, "spam")
    assert textnb("predict", "unsure.tnb", "--explain", stdin=b"cheap pills").out.startswith("unsure\t")
