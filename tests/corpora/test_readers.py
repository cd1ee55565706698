"""One's own data is read whatever its encoding; what cannot be used is reported, never fatal."""

import csv
import gzip
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.corpora import Problem, iter_rows, open_corpus, read_corpus
from textnb.corpora.decoding import decode
from textnb.corpora.delimited import Records
from textnb.corpora.files import table_format
from textnb.corpora.readers import column_names

HEADER = "label,text\n"


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def where(corpus) -> list[str]:
    return [problem.where for problem in corpus.problems]


# Folders


def test_the_top_folder_is_the_class_of_every_file_below_it(tmp_path: Path) -> None:
    write(tmp_path / "spam/b.txt", "win")
    write(tmp_path / "spam/deep/er/a.txt", "prize")
    write(tmp_path / "ham/1", "noon")
    write(tmp_path / "ham/.hidden", "no")
    write(tmp_path / ".git/config", "no")
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["noon", "win", "prize"]
    assert corpus.labels.tolist() == ["ham", "spam", "spam"]
    assert corpus.classes == ["ham", "spam"]
    assert corpus.split is None
    assert corpus.problems == ()
    assert next(iter_rows(tmp_path)) == (str(Path("ham", "1")), "noon", "ham", ())


def test_train_and_test_folders_are_a_split(tmp_path: Path) -> None:
    write(tmp_path / "test/ham/1", "late")
    write(tmp_path / "train/ham/1", "noon")
    write(tmp_path / "train/spam/1", "win")
    write(tmp_path / "unsup/1", "unknown")
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["noon", "win", "late"]
    assert corpus.labels.tolist() == ["ham", "spam", "ham"]
    assert corpus.split.tolist() == ["train", "train", "test"]
    assert corpus.problems == (Problem("unsup", "it is in neither train nor test"),)
    assert open_corpus(tmp_path, "train").texts == ["noon", "win"]
    assert open_corpus(tmp_path, categories=["spam"]).texts == ["win"]


def test_each_document_of_a_folder_is_decoded_on_its_own(tmp_path: Path) -> None:
    contents = ["é".encode(), b"\xef\xbb\xbf\xc3\xa9", "é".encode("utf-16"), "é".encode("utf-32"), b"\xe9", b"\xe9\x81"]
    for number, content in enumerate(contents):
        write(tmp_path / "a" / str(number), content)
    assert read_corpus(tmp_path).texts == ["é", "é", "é", "é", "é", "é\x81"]
    assert read_corpus(tmp_path, encoding="latin-1").texts[0] == "Ã©"


def test_a_document_outside_the_given_encoding_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "a/1", "é")
    write(tmp_path / "a/2", b"\xe9")
    corpus = read_corpus(tmp_path, encoding="utf-8")
    assert corpus.texts == ["é"]
    assert where(corpus) == [str(Path("a", "2"))]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_loose_files_pipes_and_dangling_links_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "README", "about")
    write(tmp_path / "a/1", "one")
    os.mkfifo(tmp_path / "a/pipe")
    (tmp_path / "a/link").symlink_to("nowhere")
    (tmp_path / "b").symlink_to("a")
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["one"]
    assert where(corpus) == ["b", "README", "a/link", "a/pipe"]
    with pytest.raises(ValueError, match="b: it is a link to a folder"):
        read_corpus(tmp_path, strict=True)
    assert read_corpus(tmp_path, label_required=False).labels.tolist() == ["", "a"]


@pytest.mark.parametrize("content", [b"", b"\0\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff\xfea", bytes(range(256))])
def test_any_bytes_decode(content: bytes) -> None:
    decode(content).encode()


# CSV and TSV


def test_columns_are_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "mail.csv", "id,subject,class\n1,noon,ham\n2,win,spam\n")
    corpus = read_corpus(path, text="subject", label="class")
    assert (corpus.texts, corpus.labels.tolist()) == (["noon", "win"], ["ham", "spam"])
    with pytest.raises(ValueError, match=r"no column 'text'.*columns 'id', 'subject', 'class'"):
        read_corpus(path, label="class")
    with pytest.raises(ValueError, match=r"no column 'clas'. Did you mean 'class'"):
        read_corpus(path, text="subject", label="clas")


def test_a_table_without_a_header_line_is_an_error_that_shows_its_first_line(tmp_path: Path) -> None:
    path = write(tmp_path / "sms.tsv", "ham\tGo until jurong point\nspam\tWin\n")
    said = "columns 'ham', 'Go until jurong point': choose among them by --text, or name them by number"
    with pytest.raises(ValueError, match=said):
        read_corpus(path)


@pytest.mark.parametrize(("name", "format"), [("Mail.CSV", "csv"), ("a.Jsonl.GZ", "jsonl"), ("A.PARQUET", "parquet")])
def test_suffixes_are_known_in_any_case(tmp_path: Path, name: str, format: str) -> None:
    assert table_format(tmp_path / name) == format
    if format == "csv":
        assert read_corpus(write(tmp_path / name, "text,label\nnoon,ham\n")).texts == ["noon"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_texts_and_labels_are_not_of_the_same_column(tmp_path: Path, name: str) -> None:
    """The labels were learned from themselves, and the accuracy was 1."""
    content = "text,label\nnoon,ham\n" if name == "a.csv" else '{"text": "noon", "label": "ham"}\n'
    path = write(tmp_path / name, content)
    with pytest.raises(ValueError, match="its column 'label' would give both the texts and the labels"):
        read_corpus(path, text="label")
    assert read_corpus(path, text="label", label_required=False).texts == ["ham"]  # to predict something of it


def test_a_column_named_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"two columns 'text' .*: name the column by its number, as in --text 2"):
        read_corpus(write(tmp_path / "a.csv", "label,text,text\nham,a,b\n"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_encodings_and_line_endings_are_recognised(tmp_path: Path, encoding: str, ending: str) -> None:
    path = write(tmp_path / "a.csv", f"label,text\nhäm,“café”\nspam,win{ending}".replace("\n", ending).encode(encoding))
    corpus = read_corpus(path)
    assert (corpus.texts, corpus.labels.tolist()) == (["“café”", "win"], ["häm", "spam"])


def test_a_stray_byte_spoils_no_other_character(tmp_path: Path) -> None:
    content = HEADER.encode() + "ham,é\n".encode() + b"ham,caf\xe9 \x81\n"
    assert read_corpus(write(tmp_path / "a.csv", content)).texts == ["é", "café \x81"]


def test_rows_outside_the_given_encoding_are_reported(tmp_path: Path) -> None:
    content = HEADER.encode() + "ham,é\n".encode() + b"ham,caf\xe9\nham,late\n"
    corpus = read_corpus(write(tmp_path / "a.csv", content), encoding="utf-8")
    assert corpus.texts == ["é", "late"]
    assert corpus.problems == (Problem("line 3", "it is not in the encoding given"),)


@pytest.mark.parametrize("name", ["data.csv", "data.jsonl"])
def test_a_long_label_costs_its_row(tmp_path: Path, name: str) -> None:
    """Arrays of labels are as wide as the longest: 1,000 rows and one label of 200,000 characters took 3 GB."""
    rows = [("first words", "a"), ("more words", "z" * 200_000), ("other words", "b" * 255)]
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    if name.endswith("csv"):
        lines = ["text,label", *(f"{text},{label}" for text, label in rows)]
    (tmp_path / name).write_text("\n".join(lines))
    corpus = read_corpus(tmp_path / name)
    assert corpus.classes == ["a", "b" * 255]
    (problem,) = corpus.problems
    assert "200,000 characters, a class's name 255 at most" in problem.why


def test_a_document_that_cannot_be_counted_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel refuses 2³⁰ characters, and with them all other documents."""
    monkeypatch.setattr("textnb.corpora.decoding.MOST_CHARACTERS", 20)
    (tmp_path / "data.csv").write_text(f"text,label\nfirst words,a\n{'long ' * 5},b\nother words,b\n")
    corpus = read_corpus(tmp_path / "data.csv")
    assert len(corpus) == 2
    assert "25 characters long, of which 20" in corpus.problems[0].why


def test_bad_rows_are_reported_by_line_and_skipped(tmp_path: Path) -> None:
    content = HEADER + 'ham,"two\nlines"\n\nham\nham,a,b\n,no label\n  ,blank\n"a\0",nul\nspam,\nspam,nul \0 in text\n'
    path = write(tmp_path / "a.csv", content)
    corpus = read_corpus(path)
    assert corpus.texts == ["two\nlines"]
    assert [tuple(problem) for problem in corpus.problems] == [
        ("line 5", "it has 1 column, the header has 2"),
        ("line 6", "it has 3 columns, the header has 2"),
        ("line 7", "its 'label' is empty"),
        ("line 8", "its 'label' is empty"),
        ("line 9", "its 'label' holds a NUL character"),
        ("line 10", "its 'text' is empty"),
        ("line 11", "its 'text' is no text, it has NUL bytes (UTF-16 is read if it begins with a byte order mark)"),
    ]
    with pytest.raises(ValueError, match=r"a.csv: line 5: it has 1 column"):
        read_corpus(path, strict=True)


ROWS = [f"{'ham' if number % 2 else 'spam'},message {number}" for number in range(1000)]


@pytest.mark.parametrize("bad", ['ham,"never closed', 'ham,"closed early" by mistake'])
@pytest.mark.parametrize("position", [0, 500, 999])
def test_an_unbalanced_quote_costs_one_row(tmp_path: Path, bad: str, position: int) -> None:
    rows = [*ROWS]
    rows[position] = bad
    corpus = read_corpus(write(tmp_path / "a.csv", HEADER + "\n".join(rows) + "\n"))
    assert corpus.texts == [row.partition(",")[2] for row in ROWS[:position] + ROWS[position + 1 :]]
    assert where(corpus) == [f"line {position + 2}"]
    assert "unbalanced quote" in corpus.problems[0].why


@pytest.mark.parametrize("closing", ['ham,the end"', 'ham,5" pipe', 'ham,"quoted"'])
def test_a_quote_that_another_row_happens_to_close_costs_one_row(tmp_path: Path, closing: str) -> None:
    rows = [*ROWS[:10], 'spam,"opened', *ROWS[10:900], closing, *ROWS[900:]]
    corpus = read_corpus(write(tmp_path / "a.csv", HEADER + "\n".join(rows) + "\n"))
    assert len(corpus) == 1001
    assert where(corpus) == ["line 12"]
    assert "unbalanced quote" in corpus.problems[0].why


def test_a_long_quoted_text_with_commas_is_one_document(tmp_path: Path) -> None:
    text = "Dear all,\n" * 2000 + "yours, J."
    path = write(tmp_path / "a.csv", HEADER + f'ham,"{text}"\nspam,win\n')
    corpus = read_corpus(path)
    assert corpus.texts == [text, "win"]
    assert corpus.problems == ()


def test_quotes_that_never_balance_cost_their_rows_and_no_quadratic_time(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("textnb.corpora.delimited.MAX_LINES_READ_AGAIN", 10_000)
    path = write(tmp_path / "a.csv", "label,text,more\n" + 'a",",\n' * 2000 + "b,fine,\n")
    with path.open(newline="") as lines:
        records = Records(lines, ",")
        read = [fields for _, _, fields, why in records if why is None]
    assert read == [["label", "text", "more"], ["b", "fine", ""]]
    assert records.lines.read_again < 10_000 + 2000 * 20
    assert len(read_corpus(path).problems) == 2000


def test_stray_quotes_in_a_tsv_are_ordinary_characters(tmp_path: Path) -> None:
    lines = ['ham\t"Hello', 'spam\tsay "win" now', 'ham\t"yes" he said', 'ham\tdone"', 'ham\t"a\tb"']
    corpus = read_corpus(write(tmp_path / "a.tsv", "label\ttext\n" + "\n".join(lines) + "\n"))
    assert corpus.texts == ['"Hello', 'say "win" now', '"yes" he said', 'done"', "a\tb"]
    assert corpus.problems == ()


def test_the_sms_collection_with_a_header_line_reads_as_the_named_corpus(tmp_path: Path) -> None:
    named = corpus_or_skip("sms-spam")
    lines = (f"{label}\t{text}\n" for label, text in zip(named.labels, named.texts, strict=True))
    corpus = read_corpus(write(tmp_path / "sms.tsv", "label\ttext\n" + "".join(lines)))
    assert len(corpus) == len(named)
    np.testing.assert_array_equal(corpus.labels, named.labels)
    different = [pair for pair in zip(corpus.texts, named.texts, strict=True) if pair[0] != pair[1]]
    assert all(theirs.replace('""', '"') == f'"{ours}"' for ours, theirs in different)  # rows that are quoted whole


# JSON lines


def test_json_lines_are_read_and_their_traps_reported(tmp_path: Path) -> None:
    lines = [
        '{"text": "noon", "label": "ham"}',
        "",
        '{"text": "lone \\ud800 surrogate, pair \\ud83d\\ude00", "label": 1}',
        '{"text": "x", "label": true}',
        '{"text": "x", "label": NaN}',
        '{"text": "x", "label": ["a"]}',
        '{"text": 5, "label": "ham"}',
        '{"text": null, "label": "ham"}',
        '{"body": "x", "label": "ham"}',
        '{"text": "x"}',
        '["text"]',
        '{"text": "cut',
        '{"text": "x", "label": "a", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"text": "x", "label": ' + "9" * 5000 + "}",
        '{"text": "last \\u0000", "label": "ham"}',
    ]
    corpus = read_corpus(write(tmp_path / "a.jsonl", "\n".join(lines)))
    assert corpus.texts == ["noon", "lone \ufffd surrogate, pair 😀", "x"]
    assert corpus.labels.tolist() == ["ham", "1", "true"]
    assert where(corpus) == [f"line {number}" for number in range(5, 16)]
    reasons = dict(corpus.problems)
    assert "NaN" in reasons["line 5"]
    assert "no 'text' (keys: 'body', 'label')" in reasons["line 9"]
    assert "no 'label'" in reasons["line 10"]
    assert "not JSON" in reasons["line 12"]
    assert "nested too deeply" in reasons["line 13"]
    for text in corpus.texts:
        text.encode()


def test_labels_may_be_missing_where_they_are_not_required(tmp_path: Path) -> None:
    rows = write(tmp_path / "a.jsonl", '{"text": "x"}\n{"text": "y", "label": "ham"}\n')
    corpus = read_corpus(rows, label_required=False)
    assert (corpus.labels.tolist(), corpus.classes, corpus.problems) == (["", "ham"], ["ham"], ())
    assert read_corpus(write(tmp_path / "a.csv", "text\nx\n"), label_required=False).labels.tolist() == [""]


# Files


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.jsonl.gz"])
def test_an_empty_file_is_an_error(tmp_path: Path, name: str) -> None:
    content = gzip.compress(b"") if name.endswith(".gz") else b""
    with pytest.raises(ValueError, match=r"empty|no usable documents"):
        read_corpus(write(tmp_path / name, content))


def test_nothing_usable_is_an_error_that_tells_the_first_problem(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"no usable documents. 2 documents were skipped; the first, line 1: it has no 'text'"
    ):
        read_corpus(write(tmp_path / "a.jsonl", '{"a": 1}\n{"b": 2}\n'))
    with pytest.raises(ValueError, match="no usable documents"):
        read_corpus(write(tmp_path / "b.csv", HEADER))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no usable documents"):
        read_corpus(tmp_path / "empty")


def test_a_missing_or_unknown_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file or folder .*a.csv"):
        read_corpus(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="of no known kind"):
        read_corpus(write(tmp_path / "a.docx", "x"))
    for encoding in ("utf-9", "rot13"):
        with pytest.raises(ValueError, match=f"no text encoding '{encoding}'"):
            read_corpus(write(tmp_path / "a.csv", HEADER), encoding=encoding)


def test_a_byte_order_mark_is_no_part_of_the_first_column_even_if_the_encoding_is_given(tmp_path: Path) -> None:
    assert read_corpus(write(tmp_path / "a.csv", "\ufeff" + HEADER + "ham,noon\n"), encoding="UTF8").texts == ["noon"]


def test_a_gzipped_file_that_was_cut_gives_what_can_be_read(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    rows = "".join(f"ham,{generator.integers(10**12)}\n" for _ in range(5000))
    packed = gzip.compress((HEADER + rows).encode())
    whole = read_corpus(write(tmp_path / "a.csv.gz", packed))
    cut = read_corpus(write(tmp_path / "b.csv.gz", packed[: len(packed) // 2]))
    assert len(whole) == 5000
    assert 100 < len(cut) < 5000
    assert cut.texts == whole.texts[: len(cut)]
    assert where(cut) == ["the rest of the file"]
    with pytest.raises(ValueError, match=r"[Nn]ot a gzip"):
        read_corpus(write(tmp_path / "c.csv.gz", HEADER + rows))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_line_of_100_megabytes_is_a_document(tmp_path: Path, name: str) -> None:
    text = "word " * 20_000_000
    line = HEADER + f"ham,{text}\n" if name == "a.csv" else '{"label": "ham", "text": "' + text + '"}\n'
    corpus = read_corpus(write(tmp_path / name, line))
    assert corpus.texts == [text]


def test_rows_come_one_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", HEADER + "ham,noon\nham\n")
    rows = iter_rows(path)
    assert next(rows) == ("line 2", "noon", "ham", ())
    with pytest.raises(ValueError, match="line 3: it has 1 column"):
        next(rows)


def test_a_name_a_path_or_neither_can_be_opened(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", HEADER + "ham,noon\nspam,win\n")
    assert open_corpus(str(path)).texts == ["noon", "win"]
    with pytest.raises(ValueError, match=r"neither a file or folder nor a named corpus. Did you mean 'imdb'\?"):
        open_corpus("imbd")
    with pytest.raises(ValueError, match="has no split of its own"):
        open_corpus(path, "train")
    with pytest.raises(ValueError, match="Only 20 Newsgroups"):
        open_corpus(path, strip=["headers"])


def test_a_named_corpus_can_be_opened() -> None:
    named = corpus_or_skip("sms-spam")
    assert open_corpus("sms-spam", quiet=True).texts == named.texts


# What a library writes is read back

WRITABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
LABELS = WRITABLE.filter(lambda label: label.strip() and "\0" not in label)
DOCUMENTS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=8)


@pytest.mark.parametrize(("name", "dialect"), [("a.csv", "excel"), ("a.csv.gz", "unix"), ("a.tsv", "excel-tab")])
@settings(deadline=None, max_examples=150)
@given(documents=DOCUMENTS)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, name: str, dialect: str, documents) -> None:
    table = io.StringIO(newline="")
    csv.writer(table, dialect).writerows([("label", "text"), *documents])
    content = table.getvalue().encode()
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert [(row.label, row.text) for row in iter_rows(path)] == documents


@settings(deadline=None, max_examples=150)
@given(documents=DOCUMENTS, ensure_ascii=st.booleans())
def test_what_the_json_module_writes_is_read_back(tmp_path_factory, documents, ensure_ascii: bool) -> None:
    lines = (json.dumps({"label": label, "text": text}, ensure_ascii=ensure_ascii) for label, text in documents)
    path = tmp_path_factory.getbasetemp() / "a.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [(row.label, row.text) for row in iter_rows(path)] == documents


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz"])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "shift_jis"])
@settings(deadline=None, max_examples=60)
@given(
    pieces=st.lists(st.sampled_from([b'"', b",", b"\t", b"\n", b"\r", b"\0", b"\xff\xfe", b"\xe9", b"{", b"[", b"a"]))
)
def test_no_bytes_are_fatal(tmp_path_factory, name: str, encoding: str | None, pieces: list[bytes]) -> None:
    starts = {".csv": "label,text\na,b\n", ".tsv": "label\ttext\na\tb\n", ".jsonl": '{"label": "a", "text": "b"}\n'}
    content = starts[Path(name.removesuffix(".gz")).suffix].encode(encoding or "utf-8") + b"".join(pieces)
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(gzip.compress(content)[:-4] if name.endswith(".gz") else content)
    corpus = read_corpus(path, encoding=encoding)
    assert corpus.texts[0] == "b"
    assert all("\n" not in problem.where for problem in corpus.problems)


# Further columns


FURTHER = {
    "a.csv": 'label,text,domain,links\nham,noon,work.org,1.5\nham,late,,-2e3\nspam,win," a,b",\n',
    "a.tsv": "label\ttext\tdomain\tlinks\nham\tnoon\twork.org\t1.5\nham\tlate\t \t-2e3\nspam\twin\t a,b\t\n",
    "a.jsonl": '{"label": "ham", "text": "noon", "domain": "work.org", "links": 1.5}\n'
    '{"label": "ham", "text": "late", "domain": null, "links": "-2e3"}\n'
    '{"label": "spam", "text": "win", "domain": " a,b", "links": ""}\n',
}


@pytest.mark.parametrize("name", FURTHER)
def test_further_columns_are_strings_or_numbers_and_empty_cells_missing(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, FURTHER[name])
    corpus = read_corpus(path, columns=["domain"], numeric=["links"])
    assert corpus.texts == ["noon", "late", "win"]
    assert corpus.columns["domain"] == ["work.org", None, " a,b"]
    np.testing.assert_array_equal(corpus.columns["links"], [1.5, -2000.0, np.nan])
    assert read_corpus(path).columns == {}
    assert open_corpus(path, categories=["spam"], columns=["domain"]).columns == {"domain": [" a,b"]}
    without_text = read_corpus(path, text=None, columns=["links"])
    assert (without_text.texts, without_text.columns["links"][:2]) == ([""] * 3, ["1.5", "-2e3"])
    assert sorted(column_names(path)) == ["domain", "label", "links", "text"]


def test_json_values_become_strings(tmp_path: Path) -> None:
    values = [5, 2.5, True, False, "x", "\ud800", [1], {"a": 1}]
    path = write(tmp_path / "a.jsonl", "".join(json.dumps({"label": "a", "v": value}) + "\n" for value in values))
    corpus = read_corpus(path, text=None, columns=["v"])
    assert corpus.columns["v"] == ["5", "2.5", "true", "false", "x", "\ufffd"]
    assert corpus.problems == tuple(Problem(f"line {n}", "its 'v' is not a string or a number") for n in (7, 8))


@pytest.mark.parametrize("cell", ["many", "nan", "-inf", "1e999", "1_000", "1,5", "0x10"])
def test_a_cell_that_is_no_number_is_reported(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path / "a.csv", f'label,n\na,1\nb,"{cell}"\nb, 3 \n')
    corpus = read_corpus(path, text=None, numeric=["n"])
    assert corpus.columns["n"] == [1.0, 3.0]
    assert where(corpus) == ["line 3"]
    assert repr(cell) in corpus.problems[0].why
    with pytest.raises(ValueError, match="line 3: its 'n' is"):
        read_corpus(path, text=None, numeric=["n"], strict=True)


def test_a_further_column_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "label,text,domain\na,b,c\n")
    with pytest.raises(ValueError, match=r"no column 'domian'\. Did you mean 'domain'"):
        read_corpus(path, columns=["domian"])
    path = write(tmp_path / "a.jsonl", '{"label": "a", "text": "b"}\n{"label": "a", "text": "b", "v": null}\n')
    corpus = read_corpus(path, columns=["v"])
    assert corpus.columns == {"v": [None]}
    assert corpus.problems == (Problem("line 1", "it has no 'v' (keys: 'label', 'text')"),)


def test_only_tables_have_further_columns(tmp_path: Path) -> None:
    write(tmp_path / "a/1", "text")
    for options in ({"columns": ["v"]}, {"numeric": ["v"]}, {"text": None}):
        with pytest.raises(ValueError, match="is no table"):
            read_corpus(tmp_path, **options)
        with pytest.raises(ValueError, match="sms-spam is no table"):
            open_corpus("sms-spam", **options)
    with pytest.raises(ValueError, match="is no table"):
        column_names(tmp_path)


def test_further_columns_outside_the_given_encoding_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"label,v\na,\xc3\xa9\na,\xe9\n")
    corpus = read_corpus(path, text=None, columns=["v"], encoding="utf-8")
    assert (corpus.columns["v"], where(corpus)) == (["é"], ["line 3"])
