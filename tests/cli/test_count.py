"""`textnb count`: a part of a corpus counted on its own."""

import gzip

import pytest
from cli.conftest import mail
from cli.test_merge import write_table

import textnb as library
from textnb.text import documents as text_documents


@pytest.fixture
def table(tmp_path):
    write_table(tmp_path / "mail.jsonl", mail())
    return tmp_path / "mail.jsonl"


def saved(rows, path, **settings):
    texts, labels = zip(*rows, strict=True)
    library.TextClassifier("complement", **{"weights": "counts", "ledger": False, "calibrate": False, **settings}).fit(
        texts, labels
    ).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("block", [100, 1 << 26])
@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ((), {}),
        (("--ledger",), {"ledger": True}),
        (("--weights", "log-tfidf"), {"weights": "log-tfidf"}),
        (("--weights", "tfidf", "--unknown", "token"), {"weights": "tfidf", "unknown": "token"}),
        (("--weights", "binary", "--unknown", "token", "--jobs", "2"), {"weights": "binary", "unknown": "token"}),
        (("--min-df", "3", "--max-df", "0.5"), {"min_df": 3, "max_df": 0.5}),
    ],
)
def test_counting_is_fitting_block_by_block(textnb, table, tmp_path, monkeypatch, options, settings, block):
    monkeypatch.setattr(text_documents, "BLOCK_CHARACTERS", block)
    assert textnb("count", table, "-o", "m.tnb", *options).code == 0
    assert (tmp_path / "m.tnb").read_bytes() == saved(mail(), tmp_path / "fitted.tnb", **settings)


def test_sources_of_every_kind(textnb, table, mail_csv, tmp_path):
    whole = saved(mail(), tmp_path / "fitted.tnb")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(table.read_bytes()))
    (tmp_path / "parts").mkdir()
    for i in range(3):
        write_table(tmp_path / "parts" / f"{i}.jsonl", mail()[i::3])
    for text, label in mail():
        folder = tmp_path / "folder" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{len(list(folder.iterdir()))}.txt").write_text(text)
    for part in (table, mail_csv, "packed.jsonl.gz", "parts/*.jsonl", "folder"):
        assert textnb("count", part, "-o", "m.tnb").code == 0
        assert (tmp_path / "m.tnb").read_bytes() == whole
    for options in ((), ("--format", "jsonl")):
        assert textnb("count", "-", "-o", "m.tnb", *options, stdin=table.read_bytes()).code == 0
        assert (tmp_path / "m.tnb").read_bytes() == whole


def test_what_it_prints(textnb, table):
    found = textnb("count", table, "-o", "m.tnb", "--json").json
    assert found == {"model_file": "m.tnb", "classes": {"ham": 40, "spam": 40}, "n_documents": 80, "n_terms": 20}
    done = textnb("count", table, "-o", "m.tnb")
    assert (done.out, done.err) == ("m.tnb has ham 40, spam 40; 20 terms\n", "")


def test_like_a_model_takes_its_settings_idf_and_ledger(textnb, table, mail_csv, tmp_path):
    model = tmp_path / "model.tnb"
    textnb("train", mail_csv, "--model", "multinomial", "--weights", "tfidf", "--alpha", 0.5, "--output", model)
    assert textnb("count", table, "-o", "m.tnb", "--like", model).code == 0
    mine, other = (textnb("inspect", name, "--json").json for name in ("m.tnb", model))
    assert mine["settings"] == other["settings"]
    assert mine["learning"] == other["learning"] | {"ledger": 80}
    assert other["learning"]["idf_documents"] == 56
    assert textnb("merge", "-o", "both.tnb", "m.tnb", model).code == 0


def test_bad_rows_are_skipped_and_reported(textnb, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"text": "fine", "label": "ham"}\n' + "nonsense\n" * 1200)
    done = textnb("count", "bad.jsonl", "-o", "m.tnb", "--json")
    assert done.code == 0
    assert (done.json["n_documents"], len(done.json["skipped"]), done.json["n_skipped"]) == (1, 1000, 1200)
    assert done.err.splitlines()[0].startswith("textnb: skipped bad.jsonl: line 2: it is not JSON")
    assert "skipped 1,195 more; --json lists the first 1,000" in done.err
    assert textnb("count", "bad.jsonl", "-o", "m.tnb", "--quiet").err == ""
    assert textnb("count", "bad.jsonl", "-o", "m.tnb", "--strict").code == 2


def test_wrong_calls_leave_no_file(textnb, table, tmp_path):
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "wordless.jsonl").write_text('{"text": "!", "label": "ham"}\n')
    for call, said in [
        ("count", "PART"),
        ("count mail.jsonl", "--output"),
        ("count nothere.jsonl -o m.tnb", "nothere.jsonl"),
        ("count empty.jsonl -o m.tnb", "empty.jsonl"),
        ("count wordless.jsonl -o m.tnb", "empty vocabulary"),
        ("count mail.jsonl -o m.tnb --like missing.tnb", "missing.tnb: No such file"),
        ("count mail.jsonl -o nodir/m.tnb", "nodir/m.tnb: the folder does not exist"),
        ("count mail.jsonl -o m.tnb --prune 1", "--prune"),
        ("count mail.jsonl -o m.tnb --text body", "body"),
    ]:
        done = textnb(*call.split())
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), call
        assert said in done.err
    assert not (tmp_path / "m.tnb").exists()
