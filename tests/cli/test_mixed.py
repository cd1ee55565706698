"""Mixed models at the prompt: text, categories and numbers of a table, from training to prediction."""

import csv
import gzip
import json
import random
import subprocess
import sys

import numpy as np
import pytest
from cli.test_evaluate import OF_LEARNED
from cli.test_train import KEYS

import textnb as library

HEADER = ["body", "domain", "weekday", "n_links", "kind"]
COLUMNS = ("--text", "body", "--categorical", "domain,weekday", "--numeric", "n_links", "--label", "kind")


def mail(n=60):
    """Rows whose words say nothing: the sender's domain decides, and the number of links helps."""
    choose = random.Random(3)
    rows = []
    for number in range(n):
        kind = ("ham", "spam")[number % 2]
        domain = choose.choice({"ham": ["work.org", "home.net"], "spam": ["win.biz", "cash.biz"]}[kind])
        links = f"{choose.gauss({'ham': 1, 'spam': 3}[kind], 1):.3f}"
        words = " ".join(choose.choices(["lunch", "offer", "free", "noon"], k=4))
        rows.append([words, domain, choose.choice(["mon", "tue"]), links, kind])
    rows[0][1] = rows[1][3] = rows[2][0] = ""
    return rows


def write_csv(path, rows, header=HEADER):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "mail.csv", mail())


@pytest.fixture
def mixed(textnb, table):
    """A model file of that table."""
    assert textnb("train", table, *COLUMNS, "--quiet").code == 0
    return table.with_name("mail.tnb")


def answers(done):
    return [json.loads(line) for line in done.out.splitlines()]


def test_other_columns_decide_where_the_text_is_ambiguous(textnb, table):
    text = textnb("train", table, "--text", "body", "--label", "kind", "--cv", "4", "--json").json
    mixed = textnb("train", table, *COLUMNS, "--cv", "4", "--json").json
    assert text["accuracy"] < 0.75
    assert mixed["accuracy"] > 0.95
    assert len(mixed["folds"]) == 4


def test_json_has_the_promised_keys_and_names_the_parts(textnb, table):
    found = textnb("train", table, *COLUMNS, "--json").json
    assert [key for key in found if key != "auc"] == [*KEYS, "n_learned"]
    assert (found["n_train"], found["n_test"]) == (42, 18)
    text = {"model": "multinomial", "weights": "counts", "alpha": 1, "ngrams": [1, 1], "analyzer": "word"}
    text["unknown"] = "ignore"
    categories = {"model": "categorical", "alpha": 1, "unknown": "smooth"}
    assert found["settings"] == {
        "model": "mixed",
        "parts": [
            {"part": "text", "columns": ["body"]} | text,
            {"part": "categorical", "columns": ["domain", "weekday"]} | categories,
            {"part": "numeric", "columns": ["n_links"], "model": "gaussian"},
        ],
        "evaluated_on": "30% held out at random",
    }


def test_the_text_shows_each_part_on_a_line_of_its_own(textnb, table):
    lines = textnb("train", table, *COLUMNS, "--stop-words", "english").out.splitlines()
    (first,) = [number for number, line in enumerate(lines) if line.startswith("settings   part text, columns body,")]
    assert "stop_words english" in lines[first + 1]
    assert lines[first + 2] == " " * 11 + (
        "part categorical, columns domain,weekday, model categorical, alpha 1, unknown smooth"
    )
    assert lines[first + 3] == " " * 11 + "part numeric, columns n_links, model gaussian"


def test_the_model_is_the_one_that_the_library_fits(textnb, table):
    textnb("train", table, *COLUMNS, "--model", "bernoulli", "--weights", "binary", "--alpha", "0.5", "--cv", "2")
    from sklearn.pipeline import make_pipeline

    rows = [[cell or None for cell in row] for row in mail()]
    X = np.array([[*row[:3], np.nan if row[3] is None else float(row[3])] for row in rows], dtype=object)
    text = make_pipeline(library.CountVectorizer(binary=True), library.BernoulliNB(alpha=0.5))
    expected = library.MixedNB(
        [
            ("text", text, 0),
            ("categorical", library.CategoricalNB(alpha=0.5, unknown="smooth"), [1, 2]),
            ("numeric", library.GaussianNB(), [3]),
        ]
    ).fit(X, [row[4] for row in rows])
    done = textnb("predict", "mail.tnb", table, "--json")
    found = [list(answer["probabilities"].values()) for answer in answers(done)]
    assert found == expected.predict_proba(X).tolist()


def test_without_a_text_column_the_others_are_learned_from_alone(textnb, table):
    found = textnb("train", table, "--categorical", "domain", "--numeric", "n_links", "--label", "kind", "--json").json
    assert [part["part"] for part in found["settings"]["parts"]] == ["categorical", "numeric"]
    found = textnb("train", table, "--numeric", "n_links", "--label", "kind", "--json").json
    assert [part["part"] for part in found["settings"]["parts"]] == ["numeric"]


@pytest.mark.parametrize("name", ["mail.csv", "mail.jsonl", "mail.jsonl.gz"])
def test_a_column_named_text_is_the_text(textnb, tmp_path, name):
    header = ["text", "domain", "label"]
    rows = [(words, domain, kind) for words, domain, _, _, kind in mail()]
    if name == "mail.csv":
        write_csv(tmp_path / name, rows, header)
    else:
        content = "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows).encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    found = textnb("train", name, "--categorical", "domain", "--json").json
    assert [part["columns"] for part in found["settings"]["parts"]] == [["text"], ["domain"]]
    assert textnb("predict", "mail.tnb", name).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mail.csv", "--categorical", "domain", "--model", "complement"), "its weights are no likelihood"),
        (("mail.csv", "--categorical", "domian", "--label", "kind"), "Did you mean 'domain'?"),
        (("mail.csv", "--numeric", "kind", "--label", "kind"), "column 'kind' is named twice"),
        (("mail.csv", "--numeric", "n_links", "--categorical", "n_links"), "column 'n_links' is named twice"),
        (("mail.csv", "--categorical", ","), "are given by their names, such as domain and weekday"),
        (("mail.csv", "--text", "bdy", "--numeric", "n_links", "--label", "kind"), "no column 'bdy'"),
        (("sms-spam", "--categorical", "domain"), "sms-spam is no table"),
        (("sms-spam", "--categorical", "domain", "--text", "body"), "sms-spam is no table"),
        ((".", "--numeric", "n_links"), "is no table"),
        (("nothing.csv", "--numeric", "n_links"), "nothing.csv: No such file or directory; check the path"),
        (("mail.csv", "--numeric", "weekday", "--label", "kind"), "which is no number"),
    ],
)
def test_a_wrong_call_is_one_line(textnb, table, arguments, message):
    done = textnb("train", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("textnb: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def test_a_cell_that_is_no_number_is_reported_and_its_row_skipped(textnb, tmp_path):
    rows = mail()
    rows[4][3], rows[7][3], rows[8][3] = "many", "inf", "1_0"
    write_csv(tmp_path / "mail.csv", rows)
    done = textnb("train", "mail.csv", *COLUMNS, "--json")
    assert [problem["where"] for problem in done.json["skipped"]] == ["line 6", "line 9", "line 10"]
    assert done.json["n_train"] + done.json["n_test"] == 57
    assert "skipped mail.csv: line 6: its 'n_links' is 'many', which is no number" in done.err
    done = textnb("train", "mail.csv", *COLUMNS, "--strict")
    assert done.code == 2
    assert "mail.csv: line 6: its 'n_links' is 'many'" in done.err


def test_evaluate_reads_the_columns_that_the_model_names(textnb, mixed, table):
    done = textnb("evaluate", mixed, table, "--json")
    assert "the model has no ledger" in done.err
    trained = done.json
    assert [key for key in trained if key not in ("auc", *OF_LEARNED)] == KEYS
    assert [trained[name] for name in OF_LEARNED] == [None, None]
    assert (trained["n_train"], trained["n_test"]) == (42, 60)
    assert [part["columns"] for part in trained["settings"]["parts"]] == [["body"], ["domain", "weekday"], ["n_links"]]
    other = ["message", "n_links", "weekday", "more", "domain", "class"]
    rows = [(words, links, day, "x", domain, kind) for words, domain, day, links, kind in mail()]
    write_csv(table.with_name("other.csv"), rows, other)
    renamed = textnb("evaluate", mixed, "other.csv", "--text", "message", "--label", "class", "--json").json
    assert renamed["confusion_matrix"] == trained["confusion_matrix"]
    assert renamed["per_class"] == trained["per_class"]


def test_evaluate_says_what_is_missing(textnb, mixed, table, tmp_path):
    write_csv(tmp_path / "less.csv", [row[1:] for row in mail()], HEADER[1:])
    assert "it has no column 'body'" in textnb("evaluate", mixed, "less.csv").err
    assert "sms-spam is no table" in textnb("evaluate", mixed, "sms-spam").err
    assert textnb("train", table, "--numeric", "n_links", "--label", "kind", "-o", "n.tnb").code == 0
    assert "the model has 0 columns of text" in textnb("evaluate", "n.tnb", table, "--text", "body").err


def test_predict_answers_each_row_of_tables_without_labels(textnb, mixed, tmp_path):
    unlabelled = [["", "win.biz", "", ""], ["lunch\nat noon", "work.org", "mon", "0"], ["", "unheard.of", "", ""]]
    write_csv(tmp_path / "new.csv", unlabelled, HEADER[:4])
    (tmp_path / "new.jsonl").write_text(
        json.dumps({"n_links": 3.2, "body": "free", "domain": None, "weekday": "tue"}) + "\n"
    )
    done = textnb("predict", mixed, "new.csv", "new.jsonl", "--json")
    assert (done.code, done.err) == (0, "")
    found = answers(done)
    assert [answer["id"] for answer in found] == ["new.csv:2", "new.csv:3", "new.csv:5", "new.jsonl:1"]
    assert [answer["label"] for answer in found][:2] == ["spam", "ham"]
    assert found[3]["label"] == "spam"
    assert all(sum(answer["probabilities"].values()) == pytest.approx(1) for answer in found)
    lines = textnb("predict", mixed, "new.csv").out.splitlines()
    assert [line.split("\t")[:2] for line in lines][:2] == [["new.csv:2", "spam"], ["new.csv:3", "ham"]]


def test_predict_goes_on_after_a_bad_row_and_a_missing_file(textnb, mixed, tmp_path):
    write_csv(tmp_path / "new.csv", [["free", "win.biz", "mon", "x"], ["free", "win.biz", "mon", "1"]], HEADER[:4])
    done = textnb("predict", mixed, "gone.csv", "new.csv", "--json")
    assert done.code == 2
    assert [answer["id"] for answer in answers(done)] == ["new.csv:3"]
    assert "gone.csv" in done.err
    assert "skipped new.csv: line 2: its 'n_links' is 'x', which is no number" in done.err
    done = textnb("predict", mixed, "new.csv", "--strict")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("arguments", [("message.txt",), (), ("-",), ("--lines", "mail.csv")])
def test_predict_of_text_alone_says_what_the_model_needs(textnb, mixed, tmp_path, arguments):
    (tmp_path / "message.txt").write_text("free offer")
    done = textnb("predict", mixed, *arguments, stdin=b"free offer")
    assert (done.code, done.out) == (2, "")
    assert "is a model of " in done.err
    assert "tables" in done.err


def test_inspect_shows_the_parts(textnb, mixed):
    found = textnb("inspect", mixed, "--terms", "2", "--json").json
    assert found["n_documents"] == sum(entry["documents"] for entry in found["classes"]) == 42
    text, categorical, numeric = found["parts"]
    assert text["n_terms"] == 4
    assert [len(terms) for terms in text["top_terms"].values()] == [2, 2]
    domain = categorical["categories"]["domain"]
    assert (domain["n_categories"], len(domain["top"])) == (4, 2)
    assert all(0 in entry["counts"].values() for entry in domain["top"])
    means = numeric["numbers"]["n_links"]
    assert means["ham"]["mean"] < means["spam"]["mean"]
    assert 0.5 < means["ham"]["deviation"] < 2
    out = textnb("inspect", mixed).out
    for shown in ("text: spam (4 terms)", "categorical: weekday (2 categories)", "numeric: n_links", "win.biz"):
        assert shown in out


def test_what_comes_from_a_table_cannot_act_on_a_terminal(textnb, tmp_path):
    rows = [(f"\x1b[31m{number % 4}", f"{kind}\x1b[2J", "1") for number, (*_, kind) in enumerate(mail())]
    write_csv(tmp_path / "m.csv", rows, ["do\x1bmain", "label", "n\x1b"])
    done = textnb("train", "m.csv", "--categorical", "do\x1bmain", "--numeric", "n\x1b")
    assert done.code == 0
    assert "\x1b" not in done.out + done.err + textnb("inspect", "m.tnb").out


def test_a_plot_is_drawn(textnb, table, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert textnb("train", table, *COLUMNS, "--plot", "m.png").code == 0
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")


def test_predicting_text_imports_nothing_of_mixed_models(textnb, table):
    assert textnb("train", table, "--text", "body", "--label", "kind", "-o", "text.tnb").code == 0
    (table.parent / "message.txt").write_text("free offer")
    script = (
        "import sys; from textnb.cli.app import run; run(['predict', 'text.tnb', 'message.txt']); "
        "print(*[name for name in sys.modules if name in ('sklearn', 'scipy') or 'mixed' in name or 'readers' in name])"
    )
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=table.parent)
    assert child.stdout.splitlines()[1:] == [""]
