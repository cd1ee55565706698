"""`textnb predict` on what `train` reads: tables row by row, folders file by file, and tables of predictions."""

import csv
import gzip
import io
import json
import os

import numpy as np
import pytest
from cli.conftest import WORDS, mail

import textnb as library

HARD = "=cmd()|'x'"  # a cell that a spreadsheet would run


@pytest.fixture
def trained(textnb, tmp_path):
    """A model that was trained on the columns `body` and `kind`."""
    with (tmp_path / "extra.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("n", "body", "kind"), *((n, *row) for n, row in enumerate(mail()))])
    assert textnb("train", "extra.csv", "--text", "body", "--label", "kind", "-o", "extra.tnb", "-q").code == 0
    return tmp_path / "extra.tnb"


def ids_and_labels(done):
    return [tuple(line.split("\t")[:2]) for line in done.out.splitlines()]


# Reading


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_each_row_of_a_table_is_a_document(textnb, model, tmp_path, kind, packed):
    rows = [("free prize", "1"), ("lunch,\nand the agenda", "2"), ("cheap cash", "3")]
    table = io.StringIO(newline="")
    if kind == "jsonl":
        table.write("".join(json.dumps({"n": n, "text": text}) + "\n" for text, n in rows))
    else:
        csv.writer(table, delimiter="," if kind == "csv" else "\t").writerows([("text", "n"), *rows])
    content = "\ufeff".encode() + table.getvalue().encode() if kind == "csv" else table.getvalue().encode()
    name = f"new.{kind}{'.gz' * packed}"
    (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    done = textnb("predict", model, name, "--json")
    assert (done.code, done.err) == (0, "")
    found = [json.loads(line) for line in done.out.splitlines()]
    expected = library.load(model).predict_proba([text for text, _ in rows])
    np.testing.assert_allclose([list(answer["probabilities"].values()) for answer in found], expected, 1e-12)
    lines = [1, 2, 3] if kind == "jsonl" else [2, 3, 5]
    assert [answer["id"] for answer in found] == [f"{name}:{line}" for line in lines]
    assert ids_and_labels(textnb("predict", model, name))[0] == (f"{name}:{lines[0]}", "spam")


def test_a_table_is_one_document_only_if_that_is_meant(textnb, model, mail_csv):
    assert len(textnb("predict", model, mail_csv).out.splitlines()) == 80
    whole = textnb("predict", model, mail_csv, "--as-document", "--json").json
    text = mail_csv.read_bytes().decode()
    assert list(whole["probabilities"].values()) == library.load(model).predict_proba([text])[0].tolist()
    assert len(textnb("predict", model, mail_csv, "--lines").out.splitlines()) == 81


def test_a_table_on_stdin_by_its_format(textnb, model):
    done = textnb("predict", model, "--format", "csv", stdin=b"text,n\nfree prize,1\nlunch,2\n")
    assert ids_and_labels(done) == [("-:2", "spam"), ("-:3", "ham")]


def test_folders_are_walked(textnb, model, tmp_path):
    for name, text in (("inbox/b.txt", "lunch"), ("inbox/a/x.txt", "free prize"), ("inbox/.hidden", "cash")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "inbox" / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00")
    (tmp_path / "inbox" / "rows.csv").write_text("text\nlunch\n")
    (tmp_path / "inbox" / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "inbox" / "pipe")
    done = textnb("predict", model, "inbox")
    assert ids_and_labels(done) == [("inbox/b.txt", "ham"), ("inbox/a/x.txt", "spam")]
    assert done.code == 0
    skipped = [line.removeprefix("textnb: skipped ").split(": ")[0] for line in done.err.splitlines()]
    assert sorted(skipped) == ["inbox/loop", "inbox/picture.jpg", "inbox/pipe", "inbox/rows.csv"]
    assert textnb("predict", model, "inbox", "--strict").code == 2


def test_bad_rows_are_skipped_and_said_and_others_answered(textnb, model, tmp_path):
    (tmp_path / "new.csv").write_text('text,label\nlunch,\n" ",ham\nfree\n"open,ham\nprize,spam\n')
    done = textnb("predict", model, "new.csv", "gone.csv")
    assert ids_and_labels(done) == [("new.csv:2", "ham"), ("new.csv:6", "spam")]
    assert done.code == 2
    assert done.err.splitlines() == [
        "textnb: skipped new.csv: line 3: its 'text' is empty",
        "textnb: skipped new.csv: line 4: it has 1 column, the header has 2",
        "textnb: skipped new.csv: line 5: it has an unbalanced quote, which is never closed",
        "textnb: gone.csv: No such file or directory; check the path",
    ]
    assert textnb("predict", model, "new.csv").code == 0
    strict = textnb("predict", model, "new.csv", "--strict")
    assert (strict.code, strict.err) == (2, "textnb: new.csv: line 3: its 'text' is empty\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv", "words,n\nlunch,1\n"), ("t.jsonl", '{"words": "lunch", "n": 1}\n')],
)
def test_a_table_without_the_column_lists_its_columns_and_names_the_option(textnb, model, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    for call in (("predict", model, name), ("learn", model, name)):
        done = textnb(*call)
        assert (done.code, done.out) == (2, "")
        assert all(word in done.err for word in (name, "'text'", "'words', 'n'", "--text"))
    assert textnb("predict", model, name, "--text", "words").out.startswith(f"{name}:")


def test_a_line_of_gigabytes_in_a_small_file_is_passed_over(textnb, model, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.corpora.decoding.MAX_LINE", 1 << 16)
    for kind, start in (("csv", "text\nlunch\n"), ("jsonl", '{"text": "lunch"}\n')):
        bomb = start.encode() + b"a" * (1 << 20) + b"\n" + start.encode().splitlines()[-1]
        (tmp_path / f"bomb.{kind}.gz").write_bytes(gzip.compress(bomb))
        done = textnb("predict", model, f"bomb.{kind}.gz")
        assert (done.code, done.out.count("\n")) == (0, 2)
        number = start.count("\n") + 1
        assert done.err.endswith(f"line {number}: it is longer than 65,536 characters\n")
    done = textnb("predict", model, "--lines", stdin=b"lunch\n" + b"a" * (1 << 20) + b"\nfree")
    assert (done.code, done.out) == (0, "ham\t0.7685\nspam\t0.7777\n")
    assert done.err == "textnb: skipped -:2: it is longer than 65,536 characters\n"


def test_a_quote_around_endless_lines_costs_its_row(textnb, model, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.corpora.delimited.MAX_QUOTED_LINES", 1000)
    (tmp_path / "bomb.csv").write_text('text\nlunch\n"' + "\n" * 5000 + "free prize\n")
    done = textnb("predict", model, "bomb.csv")
    assert ids_and_labels(done) == [("bomb.csv:2", "ham"), ("bomb.csv:5003", "spam")]
    assert done.err == (
        "textnb: skipped bomb.csv: line 3: it has an unbalanced quote, or one around more than 1,000 lines\n"
    )


# The most probable labels


def test_top_gives_several_labels(textnb, tmp_path):
    texts = [word for words in ("lunch noon", "cheap pills", "invoice bill") for word in words.split()]
    library.TextClassifier("multinomial", "counts").fit(texts, ["a", "a", "b", "b", "c", "c"]).save(tmp_path / "m.tnb")
    answer = textnb("predict", "m.tnb", "--top", "2", "--json", stdin=b"bill, cheap bill").json
    assert list(answer) == ["id", "label", "top", "probabilities"]
    best = sorted(answer["probabilities"].items(), key=lambda item: -item[1])[:2]
    assert answer["top"] == [{"label": label, "probability": p} for label, p in best]
    assert [entry["label"] for entry in answer["top"]] == ["c", "b"]
    (label, p), (other, q) = best
    line = f"{label}\t{p:.4f}\t{other}\t{q:.4f}\n"
    assert textnb("predict", "m.tnb", "--top", "2", stdin=b"bill, cheap bill").out == line
    assert len(textnb("predict", "m.tnb", "--top", "9", stdin=b"bill").out.split("\t")) == 6
    assert textnb("predict", "m.tnb", "--top", "0", stdin=b"bill").code == 2


# Tables of predictions


def rows_of(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def test_a_table_is_written_again_with_two_columns(textnb, model, tmp_path):
    rows = [["id", "text"], ["1", "free prize"], [HARD, 'lunch, "noon"\nand\r\nagenda'], ["+3", ""], ["@é", "cash"]]
    with (tmp_path / "new.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    done = textnb("predict", model, "new.csv", "-o", "predicted.csv")
    assert (done.code, done.err) == (0, "textnb: skipped new.csv: line 6: its 'text' is empty\n")
    assert done.out == "3 predicted: spam 2, ham 1; 1 skipped; written to predicted.csv\n"
    found = rows_of(tmp_path / "predicted.csv")
    assert [row[:2] for row in found] == rows
    assert [row[2] for row in found] == ["label", "spam", "ham", "", "spam"]
    expected = library.load(model).predict_proba([row[1] for row in rows[1:]]).max(axis=1).tolist()
    assert [row[3] for row in found] == ["probability", repr(expected[0]), repr(expected[1]), "", repr(expected[3])]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mail.csv", "mail.tnb", "new.csv", "predicted.csv"]


def test_columns_that_are_there_keep_their_names(textnb, model, mail_csv, tmp_path):
    assert textnb("predict", model, mail_csv, "-o", "p.csv", "--json").json["labels"].keys() == {"ham", "spam"}
    assert rows_of(tmp_path / "p.csv")[0] == ["text", "label", "predicted_label", "probability"]
    assert [row[:2] for row in rows_of(tmp_path / "p.csv")] == rows_of(mail_csv)
    assert textnb("predict", model, "p.csv", "-o", "q.csv").code == 2
    assert not (tmp_path / "q.csv").exists()


def test_cells_stay_as_they_were_written(textnb, model, tmp_path):
    """Also those that a writer would quote otherwise: a TSV file need not quote at all."""
    (tmp_path / "new.tsv").write_text('size\ttext\n5" disk\tfree prize\n"6"\tlunch\n7\n')
    assert textnb("predict", model, "new.tsv", "-o", "p.tsv").code == 0
    lines = (tmp_path / "p.tsv").read_text().splitlines()
    assert [line.rsplit("\t", 1)[0] for line in lines[:3]] == [
        "size\ttext\tlabel",
        '5" disk\tfree prize\tspam',
        '"6"\tlunch\tham',
    ]
    assert lines[3] == "7\t\t\t"


def test_json_lines_keep_what_they_say(textnb, model, tmp_path):
    lines = ['{"text": "free prize", "x": 1.10, "y": [1, {}]}', '{ "text" : "lunch" }', '{"text": 5}', "{", "{}"]
    (tmp_path / "new.jsonl").write_text("\n".join(lines))
    done = textnb("predict", model, "new.jsonl", "-o", "p.jsonl.gz", "--json")
    assert done.json == {"output": "p.jsonl.gz", "n_documents": 2, "n_skipped": 3, "labels": {"spam": 1, "ham": 1}}
    written = gzip.decompress((tmp_path / "p.jsonl.gz").read_bytes()).decode().splitlines()
    assert written[0].startswith('{"text": "free prize", "x": 1.10, "y": [1, {}], "label": "spam", "probability": 0.')
    assert json.loads(written[1])["label"] == "ham"
    assert json.loads(written[2]) == {"text": 5, "label": None, "probability": None}
    assert written[3] == "{"
    assert json.loads(written[4]) == {"label": None, "probability": None}


def test_files_are_listed_by_their_ids(textnb, model, tmp_path):
    (tmp_path / "one.txt").write_text("lunch")
    (tmp_path / "two, too.txt").write_text("prize")
    (tmp_path / "more.csv").write_text("text\ncash\n \n")
    done = textnb("predict", model, "one.txt", "two, too.txt", "more.csv", "-o", "p.csv")
    assert done.code == 0
    found = rows_of(tmp_path / "p.csv")
    assert [row[:2] for row in found] == [
        ["id", "label"],
        ["one.txt", "ham"],
        ["two, too.txt", "spam"],
        ["more.csv:2", "spam"],
        ["more.csv:3", ""],
    ]


def test_nothing_is_overwritten_unasked(textnb, model, mail_csv, tmp_path):
    before = mail_csv.read_bytes()
    for output in ("mail.csv", "mail.tnb"):
        done = textnb("predict", model, mail_csv, "-o", output)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert mail_csv.read_bytes() == before
    (tmp_path / "p.csv").write_text("mine")
    assert "--overwrite" in textnb("predict", model, mail_csv, "-o", "p.csv").err
    assert (tmp_path / "p.csv").read_text() == "mine"
    assert textnb("predict", model, mail_csv, "-o", "p.csv", "--overwrite").code == 0
    assert len(rows_of(tmp_path / "p.csv")) == 81


def test_an_output_that_appears_meanwhile_is_not_overwritten(textnb, model, mail_csv, tmp_path, monkeypatch):
    from textnb.workflow import table_prediction

    output, answers = tmp_path / "out.csv", table_prediction.table_answers

    def while_another_writes(*arguments, **options):
        output.write_text("another's")
        return answers(*arguments, **options)

    monkeypatch.setattr(table_prediction, "table_answers", while_another_writes)
    before = sorted(tmp_path.iterdir())
    done = textnb("predict", model, mail_csv, "-o", output)
    assert done.code == 2
    assert "it exists" in done.err
    assert output.read_text() == "another's"
    assert sorted(tmp_path.iterdir()) == sorted([*before, output])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("mail.csv -o p.txt", "p.txt: predictions are written to .csv"),
        ("mail.csv -o missing/p.csv", "the folder does not exist"),
        ("mail.csv -o p.csv --top 2", "--top is printed"),
        ("gone.txt -o p.csv", "no document to predict.*gone.txt"),
        ("bad.csv -o p.csv --strict", "bad.csv: line 3: its 'text' is empty"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(textnb, model, mail_csv, tmp_path, call, said):
    import re

    (tmp_path / "bad.csv").write_text('text\nlunch\n" "\n')
    before = sorted(path.name for path in tmp_path.iterdir())
    done = textnb("predict", model, *call.split())
    assert (done.code, done.out) == (2, "")
    assert re.search(said, done.err)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_many_rows_are_predicted_in_order(textnb, model, tmp_path):
    texts = [WORDS["ham" if n % 3 else "spam"][n % 10] for n in range(2500)]
    (tmp_path / "many.csv").write_text("text\n" + "".join(f"{text}\n" for text in texts))
    assert textnb("predict", model, "many.csv", "-o", "p.csv").code == 0
    found = rows_of(tmp_path / "p.csv")[1:]
    assert [row[0] for row in found] == texts
    assert [row[1] for row in found] == library.load(model).predict(texts).tolist()


# The columns that a model remembers


def test_a_model_remembers_its_columns(textnb, trained, tmp_path):
    assert textnb("evaluate", trained, "extra.csv", "--all", "--json").json["n_test"] == 80
    assert len(textnb("predict", trained, "extra.csv").out.splitlines()) == 80
    assert textnb("learn", trained, "extra.csv", "--json").json["learned"] == 80
    assert textnb("forget", trained, "extra.csv", "--json").json["forgotten"] == 80
    assert textnb("diff", trained, trained, "extra.csv").code == 0
    assert textnb("merge", "-o", "both.tnb", trained, trained).code == 0
    for name in ("extra.tnb", "both.tnb"):
        assert library.storage.open_model(tmp_path / name).settings["columns"] == {"text": "body", "label": "kind"}
    library.load(trained).learn(["lunch"], ["ham"]).save(tmp_path / "again.tnb")
    assert len(textnb("predict", "again.tnb", "extra.csv").out.splitlines()) == 80
    for how in (["--stream"], ["--cv", "3"]):
        assert textnb("train", "extra.csv", "--text", "body", "--label", "kind", "-o", "s.tnb", *how).code == 0
        assert textnb("evaluate", "s.tnb", "extra.csv", "--all").code == 0
    assert textnb("count", "extra.csv", "--text", "body", "--label", "kind", "-o", "c.tnb").code == 0
    assert textnb("count", "extra.csv", "--like", "c.tnb", "-o", "d.tnb").code == 0


def test_an_option_wins_and_a_table_without_the_column_is_said(textnb, trained, mail_csv):
    done = textnb("evaluate", trained, mail_csv)
    assert done.code == 2
    assert all(word in done.err for word in ("no column 'body'", "'text', 'label'", "--text"))
    assert textnb("evaluate", trained, mail_csv, "--text", "text", "--label", "label").code == 0
    assert len(textnb("predict", trained, mail_csv, "--text", "text").out.splitlines()) == 80


def test_usual_columns_are_not_written(textnb, model):
    assert "columns" not in library.storage.open_model(model).settings


@pytest.mark.parametrize(
    ("start", "row"),
    [
        ("text,label\n", "cheap pills,spam\n"),
        ("label\ttext\n", "spam\tcheap pills\n"),
        ("", '{"text": "cheap pills"}\n'),
    ],
)
def test_a_table_on_stdin_is_read_by_its_rows(textnb, model, start, row):
    done = textnb("predict", model, stdin=(start + row * 3).encode())
    assert [line.split("\t")[:2] for line in done.out.splitlines()] == [
        [f"-:{number}", "spam"] for number in (range(2, 5) if start else range(1, 4))
    ]
    whole = textnb("predict", model, "--as-document", stdin=(start + row * 3).encode())
    assert len(whole.out.splitlines()) == 1


@pytest.mark.parametrize("message", ["text\ncheap pills\n", "Dear all, lunch\n", '{"subject": "lunch"}', "a\tb\n", ""])
def test_a_message_on_stdin_stays_one_document(textnb, model, message):
    done = textnb("predict", model, stdin=message.encode())
    assert len((done.out or done.err).splitlines()) == 1
    assert not done.out.startswith("-")


def test_cells_without_a_column_do_not_stand_under_the_predictions(textnb, model, tmp_path):
    (tmp_path / "new.csv").write_text('n,text\n1,cheap pills\n2,lunch,"at, noon",x\n3\n')
    assert textnb("predict", model, "new.csv", "-o", "out.csv").code == 0
    header, first, ragged, short = rows_of(tmp_path / "out.csv")
    assert header == ["n", "text", "label", "probability"]
    assert first[2] == "spam"
    assert ragged == ["2", "lunch,at, noon,x", "", ""]
    assert short == ["3", "", "", ""]


def test_the_notice_of_many_skipped_rows_promises_no_list(textnb, model, tmp_path):
    (tmp_path / "new.csv").write_text("n,text\n1,pills\n" + "2\n" * 9)
    assert (
        textnb("predict", model, "new.csv").err.splitlines()[-1]
        == "textnb: skipped 4 more; --strict stops at the first"
    )


def test_an_open_quote_in_a_skipped_row_swallows_nothing_of_the_output(textnb, model, tmp_path):
    (tmp_path / "new.csv").write_text('n,text\n1,cheap pills\n2,"open\n3,lunch meeting\n4,"a ""quoted"" pill"\n')
    assert textnb("predict", model, "new.csv", "-o", "out.csv").code == 0
    found = rows_of(tmp_path / "out.csv")
    assert [row[:2] for row in found[1:]] == [
        ["1", "cheap pills"],
        ["2", '"open'],
        ["3", "lunch meeting"],
        ["4", 'a "quoted" pill'],
    ]
    assert [row[2] for row in found[1:]] == ["spam", "", "ham", found[4][2]]
    assert {len(row) for row in found} == {4}
