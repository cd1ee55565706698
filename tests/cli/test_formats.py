"""Every format at the prompt; and files that were made to harm: one line that names the file, and exit code 2."""

import gzip
import io
import json
import stat
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textnb import TextClassifier
from textnb.model.file import table_columns
from textnb.storage import open_model

ROWS = [
    (f"{'lunch noon' if label == 'ham' else 'win prize'} {i}", label) for i in range(20) for label in ("ham", "spam")
]
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))
TABLE = pa.table({"Body": TEXTS, "label": LABELS, "n": range(40), "image": [b"x"] * 40})
HOW = ("--model", "multinomial", "-q")


@pytest.fixture
def mail(tmp_path):
    pq.write_table(TABLE, tmp_path / "mail.parquet")
    return tmp_path / "mail.parquet"


def test_commands_take_parquet_as_they_take_csv(textnb, mail):
    trained = textnb("train", mail, "-o", "m.tnb", *HOW[:2])
    assert trained.code == 0
    assert trained.err == "textnb: mail.parquet: texts are read from 'Body'\n"
    assert table_columns(open_model("m.tnb")).text == "Body"
    for call in (
        ("train", "--stream", mail, "-o", "s.tnb", *HOW),
        ("evaluate", "m.tnb", mail, "--all", "-q"),
        ("tune", mail, "-q"),
        ("audit", mail, "-q"),
        ("count", mail, "-o", "c.tnb", "-q"),
        ("learn", "m.tnb", mail, "-q"),
        ("report", "m.tnb", mail, "--all", "-o", "r.html", "-q"),
    ):
        done = textnb(*call)
        assert (done.code, done.err) == (0, ""), call


def test_predictions_stand_beside_the_rows_of_parquet(textnb, mail, tmp_path):
    textnb("train", mail, "-o", "m.tnb", *HOW)
    done = textnb("predict", "m.tnb", mail, "-o", "out.csv")
    assert done.err == "textnb: mail.parquet: the columns 'image' are no plain values, and are not written\n".replace(
        "mail.parquet", str(mail)
    )
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "Body,label,n,predicted_label,probability"
    assert lines[2].startswith("win prize 0,spam,1,spam,0.")
    textnb("predict", "m.tnb", mail, "-o", "out.jsonl")
    objects = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert list(objects[1]) == ["Body", "label", "n", "predicted_label", "probability"]
    assert [row["predicted_label"] for row in objects] == LABELS
    assert textnb("predict", "m.tnb", mail, "-q").out.splitlines()[1].startswith(f"{mail}:2\tspam\t")


def test_a_table_keeps_its_separator_and_its_lack_of_a_header(textnb, mail, tmp_path):
    textnb("train", mail, "-o", "m.tnb", *HOW)
    (tmp_path / "a.csv").write_text("id;body\n1;lunch, noon\n")
    (tmp_path / "b.csv").write_text('1,"lunch, noon"\n2,""\n')
    assert textnb("predict", "m.tnb", "a.csv", "-o", "a.out.csv").code == 0
    assert (tmp_path / "a.out.csv").read_text().startswith("id;body;label;probability\n1;lunch, noon;ham;0.")
    assert textnb("predict", "m.tnb", "b.csv", "--text", "2", "-o", "b.out.csv").code == 0
    first, second = (tmp_path / "b.out.csv").read_text().splitlines()
    assert first.startswith('1,"lunch, noon",ham,0.')
    assert second == "2,,,"


def test_a_model_remembers_columns_by_number(textnb, tmp_path):
    (tmp_path / "a.csv").write_text("".join(f"{label},{text}\n" for text, label in ROWS))
    assert textnb("train", "a.csv", "--text", "2", "--label", "1", "-o", "m.tnb", *HOW).code == 0
    assert textnb("evaluate", "m.tnb", "a.csv", "--all", "--json").json["accuracy"] == 1


def test_groups_stay_together(textnb, tmp_path):
    rows = [f"{text},{label},{i // 8}" for i, (text, label) in enumerate(ROWS)]
    (tmp_path / "a.csv").write_text("text,label,thread\n" + "\n".join(rows) + "\n")
    done = textnb("train", "a.csv", "--groups", "thread", "-o", "m.tnb", *HOW)
    assert "32 learned from, 8 tested on (30% held out at random by group)" in done.out
    folds = textnb("train", "a.csv", "--groups", "thread", "--cv", "2", "-o", "m.tnb", "--overwrite", *HOW)
    assert "2-fold cross-validation by group" in folds.out
    refused = textnb("train", "a.csv", "--groups", "thread", "--stream", "-o", "s.tnb")
    assert (refused.code, "--groups needs all documents at once" in refused.err) == (2, True)


# Files that were made to harm


def zip_of(member: zipfile.ZipInfo | str, content: bytes = b"x") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ham/1", b"lunch")
        archive.writestr(member, content)
    return file.getvalue()


def tar_of(member: tarfile.TarInfo) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        archive.addfile(member, io.BytesIO(b""))
    return file.getvalue()


def a_link() -> zipfile.ZipInfo:
    member = zipfile.ZipInfo("spam/1")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def a_tar_link() -> tarfile.TarInfo:
    member = tarfile.TarInfo("ham/1")
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return member


def parquet(table: pa.Table = TABLE, **how) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **how)
    return file.getvalue()


def feather() -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return file.getvalue()


LARGE = pa.table({"text": ["a" * 10_000] * 9, "label": ["x"] * 9})
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4
HOSTILE = {
    "up.zip": (zip_of("../spam/1"), "lies outside the archive's folder"),
    "link.zip": (zip_of(a_link()), "is a link or a device"),
    "bomb.zip": (None, "unpacks to more than"),
    "link.tar.gz": (tar_of(a_tar_link()), "is a link or a device"),
    "cut.parquet": (parquet()[:-100], "it is damaged, or not what its name says"),
    "cut.feather": (feather()[:-100], "it is damaged, or not what its name says"),
    "old.feather": (b"FEA1" + bytes(100), "the first version of Feather"),
    "picture.parquet": (PNG, "it looks like a picture (PNG), whatever its name says"),
    "picture.arrow": (PNG, "it looks like a picture (PNG), whatever its name says"),
    "picture.csv": (PNG, "it looks like a picture (PNG), whatever its name says"),
    "sheet.csv.gz": (gzip.compress(zip_of("a")), "it looks like a zip file (as .xlsx"),
    "noise.parquet": (PNG[1:], "it is damaged, or not what its name says"),
    "noise.csv": (PNG[1:], "it is no text, it has NUL bytes"),
    "noise.json": (PNG[1:], "no usable documents"),
    "deep.json": (b'[{"text": ' + b"[" * 200_000, "it is nested too deeply"),
    "deep.jsonl": (b'{"text": ' + b"[" * 200_000, "it is nested too deeply"),
    "line.csv.gz": (gzip.compress(b"text,label\nham," + b"a" * (1 << 22)), "it is longer than 65,536 characters"),
    "line.ft.gz": (gzip.compress(b"__label__a " + b"a" * (1 << 22)), "it is longer than 65,536 characters"),
    "cut.json.gz": (gzip.compress(b'[{"text": "a"}]')[:-9], "cannot be read"),
    "rows.parquet": (parquet(LARGE, use_dictionary=False), "its rows have 10,0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_line_and_exit_code_2(textnb, tmp_path, monkeypatch, name):
    monkeypatch.setattr("textnb.corpora.decoding.MAX_PACKED_LINE", 1 << 16)
    monkeypatch.setattr("textnb.corpora.archives.MAX_BYTES", 1 << 20)
    monkeypatch.setattr("textnb.corpora.arrow.BATCH_BYTES", 1 << 13)
    content, said = HOSTILE[name]
    (tmp_path / name).write_bytes(zip_of("spam/1", bytes(1 << 22)) if content is None else content)
    done = textnb("train", name, "-o", "m.tnb")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert name in done.err
    assert said in done.err
    assert not (tmp_path / "m.tnb").exists()


def test_the_names_in_an_archive_do_not_reach_the_terminal(textnb, tmp_path):
    name = "\x1b]0;title\x07\u202etxt"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("mail.csv", "text,label\n" + "".join(f"{text},{label}\n" for text, label in ROWS))
        archive.writestr(name, "about")
    done = textnb("train", "a.zip", "-o", "m.tnb", *HOW[:2])
    assert (done.code, done.err) == (0, "textnb: \\x1b]0;title\\x07\\u202etxt is no table, and is not read\n")


def test_a_document_to_predict_does_not_choose_to_be_a_table(textnb, tmp_path):
    TextClassifier("multinomial", "counts").fit(TEXTS, LABELS).save(tmp_path / "m.tnb")
    (tmp_path / "a.txt").write_text("__label__ham __label__ham win prize")
    assert textnb("predict", "m.tnb", "a.txt").out.startswith("spam\t")
    rows = textnb("predict", "m.tnb", "--format", "fasttext", stdin=b"__label__ham win prize\n")
    assert rows.out.startswith("-:1\tspam\t")
