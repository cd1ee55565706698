"""The formats that people's data comes in are read alike, and what is chosen for them is said."""

import csv
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from textnb.corpora import Corpus, Problem, iter_rows, open_corpus, read_corpus
from textnb.corpora.readers import column_names
from textnb.corpora.rows import ReadOptions
from textnb.corpora.stream import open_stream
from textnb.corpora.tables import table_records

TEXTS = ["lunch, at noon", 'win "a" prize', "two\nlines", "é"]
LABELS = ["ham", "spam", "ham", "spam"]
ROWS = list(zip(TEXTS, LABELS, strict=True))
TABLE = pa.table({"text": TEXTS, "label": LABELS})
NAMED = {b"huggingface": json.dumps({"info": {"features": {"label": {"names": ["ham", "spam"]}}}}).encode()}


def write_arrow(path: Path, table: pa.Table, new=pa.ipc.new_file) -> Path:
    with new(path, table.schema) as file:
        file.write_table(table, max_chunksize=3)
    return path


def write_parquet(path: Path, table: pa.Table) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def pairs(corpus: Corpus) -> list[tuple[str, str]]:
    return list(zip(corpus.texts, corpus.labels.tolist(), strict=True))


def as_csv(separator: str = ",", names: tuple[str, str] = ("text", "label")) -> str:
    quoted = [[f'"{cell}"' for cell in (text.replace('"', '""'), label)] for text, label in ROWS]
    return "\n".join(separator.join(cells) for cells in [list(names), *quoted]) + "\n"


AS_JSON = json.dumps([{"text": text, "label": label} for text, label in ROWS], indent=1)
FASTTEXT = "".join(f"__label__{label} {text}\n" for text, label in ROWS if "\n" not in text)


# Parquet, Arrow and Feather


@pytest.mark.parametrize("name", ["a.parquet", "file.arrow", "stream.arrow", "a.feather"])
def test_columns_of_arrow_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(TABLE, path, row_group_size=3)
    elif name == "a.feather":
        pyarrow.feather.write_feather(TABLE, path)
    else:
        write_arrow(path, TABLE, pa.ipc.new_file if name == "file.arrow" else pa.ipc.new_stream)
    corpus = read_corpus(path)
    assert pairs(corpus) == ROWS
    assert corpus.where == ["row 1", "row 2", "row 3", "row 4"]
    assert column_names(path) == ["text", "label"]
    assert [(row.text, row.label) for row in open_stream(path)] == ROWS


@pytest.mark.parametrize("type", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_strings_of_every_type_are_texts(tmp_path: Path, type: pa.DataType) -> None:
    table = pa.table({name: pa.array(TABLE[name].to_pylist(), type) for name in TABLE.column_names})
    assert pairs(read_corpus(write_arrow(tmp_path / "a.arrow", table))) == ROWS
    assert pairs(read_corpus(write_parquet(tmp_path / "a.parquet", table))) == ROWS


def test_integers_are_the_classes_that_hugging_face_names(tmp_path: Path) -> None:
    numbers = [0, 1, -1, 2]
    table = pa.table({"text": TEXTS, "label": numbers})
    assert read_corpus(write_parquet(tmp_path / "plain.parquet", table)).classes == ["-1", "0", "1", "2"]
    corpus = read_corpus(write_parquet(tmp_path / "named.parquet", table.replace_schema_metadata(NAMED)))
    assert pairs(corpus) == ROWS[:2]
    assert [problem.why for problem in corpus.problems] == [
        "its 'label' is -1, which stands for no class",
        "its 'label' is 2, which stands for no class",
    ]


@pytest.mark.parametrize("said", [b"{", b"[" * 100_000, b'{"info": {"features": {"label": {"names": [1]}}}}', b"[]"])
def test_damaged_names_of_classes_are_left_and_said(tmp_path: Path, said: bytes) -> None:
    table = pa.table({"text": TEXTS, "label": [0, 1, 0, 1]}).replace_schema_metadata({b"huggingface": said})
    corpus = read_corpus(write_parquet(tmp_path / "a.parquet", table))
    assert corpus.classes == ["0", "1"]
    assert corpus.notices == ("a.parquet: what it says of its classes is damaged, and not read",)


def test_rows_without_a_text_or_label_are_reported(tmp_path: Path) -> None:
    table = pa.table({"text": ["a", None, "c"], "label": ["x", "y", None]})
    corpus = read_corpus(write_parquet(tmp_path / "a.parquet", table))
    assert pairs(corpus) == [("a", "x")]
    assert corpus.problems == (Problem("row 2", "its 'text' is empty"), Problem("row 3", "its 'label' is empty"))


def test_nan_is_missing_as_null_is(tmp_path: Path) -> None:
    values = pa.array([1.0, float("nan"), None, float("inf")])
    table = pa.table({"text": list("abcd"), "kind": list("xyxy"), "label": values, "n": values})
    path = write_parquet(tmp_path / "a.parquet", table)
    corpus = read_corpus(path)
    assert pairs(corpus) == [("a", "1.0"), ("d", "Infinity")]
    assert [problem.why for problem in corpus.problems] == ["its 'label' is empty"] * 2
    corpus = read_corpus(path, label="kind", numeric=["n"])
    assert np.array_equal(corpus.columns["n"], [1.0, np.nan, np.nan], equal_nan=True)
    assert [problem.where for problem in corpus.problems] == ["row 4"]


def test_rows_are_written_as_json_that_has_no_nan(tmp_path: Path) -> None:
    table = pa.table({"text": ["a", "b"], "label": ["x", "y"], "n": [float("nan"), float("-inf")]})
    with write_parquet(tmp_path / "a.parquet", table).open("rb") as file:
        options = ReadOptions(written_as="jsonl")
        lines = [line.text for row, line in table_records(file, "a", "parquet", options, note=print) if row]
    assert [json.loads(line, parse_constant=pytest.fail)["n"] for line in lines] == [None, None]


def test_of_a_file_that_is_damaged_in_its_middle_the_first_rows_are_read(tmp_path: Path) -> None:
    path = write_arrow(tmp_path / "a.arrow", pa.concat_tables([TABLE] * 300), pa.ipc.new_stream)
    path.write_bytes(path.read_bytes()[:-1000])
    corpus = read_corpus(path)
    assert 0 < len(corpus) < 1200
    (problem,) = corpus.problems
    assert problem.where == "the rest of the file"
    assert "it is damaged" in problem.why


def test_other_columns_are_not_read(tmp_path: Path, monkeypatch) -> None:
    path = write_parquet(tmp_path / "a.parquet", TABLE.append_column("image", [[b"x"] * 4]))
    asked = []
    own = pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda file, *n, **how: asked.append(how["columns"]) or own(file, *n, **how)
    )
    assert pairs(read_corpus(path)) == ROWS
    assert asked == [["text", "label"]]


def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        ValueError, match=r"a.parquet cannot be read: it is read by pyarrow.*pip install \"\.\[arrow\]\" in the clone"
    ):
        read_corpus(tmp_path / "a.parquet")


# Parts


@pytest.mark.parametrize("folder", [".", "data"])
@pytest.mark.parametrize("ending", [".parquet", "-00000-of-00001.parquet"])
def test_tables_of_two_parts_in_a_folder_are_a_corpus(tmp_path: Path, folder: str, ending: str) -> None:
    (tmp_path / "README.md").write_text("about")
    for part, rows in (("test", TABLE.slice(2)), ("train", TABLE.slice(0, 2)), ("validation", TABLE)):
        write_parquet(tmp_path / folder / (part + ending), rows)
    corpus = read_corpus(tmp_path)
    assert pairs(corpus) == ROWS
    assert corpus.split.tolist() == ["train", "train", "test", "test"]
    assert [problem.why for problem in corpus.problems] == ["it is a table of neither train nor test"]
    assert open_corpus(tmp_path, "test").texts == TEXTS[2:]


def test_a_table_beside_class_folders_is_no_part(tmp_path: Path) -> None:
    write_parquet(tmp_path / "train.parquet", TABLE)
    for label in ("ham", "spam"):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1").write_text(label)
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["ham", "spam"]
    assert corpus.problems == (Problem("train.parquet", "it is in no class folder"),)


def test_shards_of_one_part_have_no_split(tmp_path: Path) -> None:
    for number in (0, 1):
        write_parquet(tmp_path / f"train-{number}.parquet", TABLE.slice(2 * number, 2))
    corpus = read_corpus(tmp_path)
    assert (pairs(corpus), corpus.split) == (ROWS, None)


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize(("pack", "name"), [(zipped, "a.zip"), (tarred, "a.tar.gz")])
def test_archives_of_tables_are_read(tmp_path: Path, pack, name: str) -> None:
    parquet = write_parquet(tmp_path / "a.parquet", TABLE.slice(2)).read_bytes()
    csv = "text,label\n" + "".join(as_csv().splitlines(keepends=True)[1:3])
    corpus = read_corpus(
        pack(tmp_path / name, {"readme": b"about", "x/train.csv": csv.encode(), "x/test.parquet": parquet})
    )
    assert pairs(corpus) == ROWS
    assert corpus.split.tolist() == ["train", "train", "test", "test"]
    assert corpus.notices == ("readme is no table, and is not read",)
    assert pairs(read_corpus(pack(tmp_path / f"one-{name}", {"mail.json": AS_JSON.encode()}))) == ROWS


def test_tables_in_class_folders_of_an_archive_are_documents(tmp_path: Path) -> None:
    members = {"ham/1.txt": b"lunch", "ham/2.csv": b"a,b", "spam/1.txt": b"win"}
    assert read_corpus(zipped(tmp_path / "a.zip", members)).labels.tolist() == ["ham", "ham", "spam"]


# JSON and fastText


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_json_array_is_read_as_a_stream(tmp_path: Path, name: str, block: int, monkeypatch) -> None:
    monkeypatch.setattr("textnb.corpora.json_array.BLOCK", block)
    packed = gzip.compress(AS_JSON.encode()) if name.endswith(".gz") else AS_JSON.encode()
    (tmp_path / name).write_bytes(packed)
    corpus = read_corpus(tmp_path / name)
    assert (pairs(corpus), corpus.where[0]) == (ROWS, "item 1")
    assert column_names(tmp_path / name) == ["text", "label"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('[{"text": "a", "label": "x"}, {"text": ]', "item 2: it is not JSON: Expecting value"),
        ('[{"text": "a", "label": "x"} {"text": "b", "label": "x"}]', "item 2: there is no comma before it"),
        ('[{"text": "a", "label": "x"}, ', "item 2: the array has no end"),
        ('[{"text": "a", "label": "x"}]\n[{"text": "b", "label": "x"}]', "item 2: it stands after the end"),
        ('[{"text": "a", "label": "x"}, ]', "item 2: it is not JSON"),
        ('[{"text": "a", "label": "x"}, 5]', "item 2: it is not a JSON object"),
        ('[{"text": "a", "label": "x"}, ' + "[" * 100_000, "item 2: it is nested too deeply"),
    ],
)
def test_what_is_wrong_in_an_array_is_reported(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "a.json").write_text(content)
    corpus = read_corpus(tmp_path / "a.json")
    assert pairs(corpus) == [("a", "x")]
    (problem,) = corpus.problems
    assert f"{problem.where}: {problem.why}".startswith(why)


@pytest.mark.parametrize("block", [1, 1 << 16])
def test_a_number_that_is_none_costs_its_object_alone(tmp_path: Path, block: int, monkeypatch) -> None:
    """Everything after it was lost, although its end could be found."""
    monkeypatch.setattr("textnb.corpora.json_array.BLOCK", block)
    rows = [
        *(f'{{"text": "{t}", "label": "x", "n": {n}}}' for t, n in zip("abc", ("NaN", "-Infinity", "1"), strict=True))
    ]
    (tmp_path / "a.json").write_text(f"[{', '.join([*rows, rows[0]])}, NaN, {rows[2]}]")
    corpus = read_corpus(tmp_path / "a.json")
    assert pairs(corpus) == [("c", "x"), ("c", "x")]
    assert [problem.where for problem in corpus.problems] == ["item 1", "item 2", "item 4", "item 5"]
    assert corpus.problems[0].why == "it is not JSON: NaN is no JSON number"


def test_the_lost_rest_of_an_array_is_said_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"text": "a", "label": "x"}, {"text": "b"; 7}, {"text": "c", "label": "x"}]')
    with (tmp_path / "a.json").open("rb") as file:
        *_, (problem, line) = table_records(file, "a.json", "json", ReadOptions(), note=print)
    assert isinstance(problem, Problem)
    assert problem.why.endswith("everything after it is lost")
    assert line is None  # an empty line was written for it


def test_an_object_that_never_ends_is_not_read_to_its_end(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("textnb.corpora.decoding.MAX_PACKED_LINE", 1 << 16)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b'[{"text": "a", "label": "x"}, {"text": "' + b"a" * (1 << 22)))
    (problem,) = read_corpus(tmp_path / "a.json.gz").problems
    assert problem.why.startswith("it is no JSON, or longer than 65,536 characters")


def test_json_lines_may_be_called_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in ROWS))
    assert read_corpus(tmp_path / "a.json").where[:2] == ["line 1", "line 2"]


@pytest.mark.parametrize("name", ["a.txt", "train", "marked", "a.ft", "a.ft.gz"])
def test_the_lines_of_fasttext_are_rows(tmp_path: Path, name: str) -> None:
    content = (FASTTEXT + "__label__a __label__b both\nnone\n").encode("utf-8-sig" if name == "marked" else "utf-8")
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    corpus = read_corpus(tmp_path / name)
    assert pairs(corpus) == [row for row in ROWS if "\n" not in row[0]]
    assert corpus.problems == (
        Problem("line 4", "it has 2 labels, and one is wanted"),
        Problem("line 5", "its 'label' is empty"),
    )


# Separators, headers, and the names of columns


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_the_separator_of_a_csv_is_found_and_said(tmp_path: Path, separator: str, name: str) -> None:
    (tmp_path / "a.csv").write_text(as_csv(separator))
    corpus = read_corpus(tmp_path / "a.csv")
    assert pairs(corpus) == ROWS
    assert corpus.notices == (f"a.csv: its columns are separated by {name}",)


def test_of_several_separators_the_even_one_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ham;Go until, jurong\nspam;Win\nham;Well, yes, no\n")
    assert read_corpus(tmp_path / "a.csv", text="2", label="1").texts[:2] == ["Go until, jurong", "Win"]
    (tmp_path / "b.csv").write_text("label,text;or so\nham,a;b\nspam,c\n")
    assert read_corpus(tmp_path / "b.csv", text="text;or so").texts == ["a;b", "c"]


@pytest.mark.parametrize("n_before", [1, 17, 18, 19])
def test_a_record_that_goes_on_after_the_lines_looked_at_is_not_uneven(tmp_path: Path, n_before: int) -> None:
    rows = ["text;label;a, b", *['"lunch, at noon";ham;x'] * n_before, '"win\n' + "more, and\n" * 20 + '";spam;x']
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    assert read_corpus(tmp_path / "a.csv").labels.tolist() == ["ham"] * n_before + ["spam"]


def test_separators_are_found_in_long_cells(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'text;label;a, b\n"{"long, " * 30_000}";ham;x\nwin;spam;x\n')
    before = csv.field_size_limit(1 << 17)  # as a process begins
    try:
        assert read_corpus(tmp_path / "a.csv").labels.tolist() == ["ham", "spam"]
    finally:
        csv.field_size_limit(before)


def test_columns_by_number_say_that_there_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ham,lunch,7\nspam,win,8\n")
    corpus = read_corpus(tmp_path / "a.csv", text="2", label="1", columns=["3"])
    assert pairs(corpus) == [("lunch", "ham"), ("win", "spam")]
    assert corpus.columns == {"3": ["7", "8"]}
    for wanted in ({"text": "2"}, {"text": "2", "label": "4"}, {"text": "0", "label": "1"}):
        with pytest.raises(ValueError, match=r"its first line has 3 columns.*--text 2 --label 1"):
            read_corpus(tmp_path / "a.csv", **wanted)


def test_a_header_where_numbers_were_given_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Label,Message\nham,lunch\nspam,win\n")
    corpus = read_corpus(tmp_path / "a.csv", text="2", label="1")
    assert corpus.texts == ["lunch", "win"]
    assert corpus.notices == ("a.csv: its first line is taken for a header",)


def test_columns_may_be_called_by_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2\nham,lunch\n")
    assert read_corpus(tmp_path / "a.csv", text="2", label="1").texts == ["lunch"]


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "parquet"])
def test_usual_names_in_any_case_are_found_and_said(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    rows = [{"Content": text, "CLASS": label} for text, label in ROWS]
    if kind == "csv":
        path.write_text(as_csv(names=("Content", "CLASS")))
    elif kind == "parquet":
        write_parquet(path, pa.Table.from_pylist(rows))
    else:
        path.write_text(json.dumps(rows) if kind == "json" else "\n".join(map(json.dumps, rows)))
    corpus = read_corpus(path)
    assert pairs(corpus) == ROWS
    assert corpus.notices == (f"a.{kind}: texts are read from 'Content', labels from 'CLASS'",)
    assert read_corpus(path, text="CONTENT", label="class").texts == TEXTS
    with pytest.raises(ValueError, match="'contents'"):
        read_corpus(path, text="contents")


def test_of_several_usual_names_none_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("body,message,label\na,b,c\n")
    with pytest.raises(ValueError, match="several that may be meant, 'body', 'message': choose one by --text"):
        read_corpus(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"no column 'bdy'. Did you mean 'body'\?.*'body', 'message', 'label'"):
        read_corpus(tmp_path / "a.csv", text="bdy")


# Groups


def test_groups_are_read_from_a_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label,Thread\na,x,one\nb,y,two\nc,x,one\nd,y,\ne,x,\n")
    corpus = read_corpus(tmp_path / "a.csv", groups="thread")
    assert corpus.groups.tolist() == [0, 1, 0, 2, 3]
    assert corpus.columns == {}


# Attacks


def test_an_unclosed_quote_in_the_header_costs_no_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('label,"text\nham,lunch\nspam,win\n')
    corpus = read_corpus(tmp_path / "a.csv")
    assert corpus.texts == ["lunch", "win"]
    assert corpus.notices[0].startswith("a.csv: its header is taken as it stands: it has an unbalanced quote")


@pytest.mark.parametrize("label", ["label", None])
def test_unclosed_quotes_cost_their_rows_in_a_large_table(tmp_path: Path, label: str | None, monkeypatch) -> None:
    monkeypatch.setattr("textnb.corpora.delimited.MAX_QUOTED_LINES", 1000)
    monkeypatch.setattr("textnb.corpora.delimited.MAX_LINES_READ_AGAIN", 3000)
    rows = ["ham,fine"] * 20_000
    for i in range(0, 10_000, 1000):
        rows[i] = 'ham,"open'
    (tmp_path / "a.csv").write_text("class,text\n" + "\n".join(rows) + "\n")
    problems: list[Problem] = []
    how = {"label": "class"} if label else {"label_required": False}
    read = sum(1 for _ in iter_rows(tmp_path / "a.csv", report=problems.append, **how))
    assert (read, len(problems)) == (20_000 - 10, 10)


def test_links_in_class_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    for label in ("ham", "spam"):
        (tmp_path / "c" / label).mkdir(parents=True)
        (tmp_path / "c" / label / "1").write_text("one")
    (tmp_path / "c/ham/2").symlink_to(tmp_path / "secret")
    corpus = read_corpus(tmp_path / "c")
    assert corpus.texts == ["one", "one"]
    assert corpus.problems == (Problem("ham/2", "it is a link, which is not followed"),)


def test_texts_out_of_all_proportion_are_not_read_to_their_end(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("textnb.corpora.tables.MOST_AT_LEAST", 1 << 20)
    again = pa.DictionaryArray.from_arrays([0] * 100, ["a" * 100_000])
    write_parquet(tmp_path / "a.parquet", pa.table({"text": again, "label": ["x"] * 100}))
    (tmp_path / "a.jsonl.gz").write_bytes(
        gzip.compress((json.dumps({"text": "a" * 100_000, "label": "x"}) + "\n").encode() * 100)
    )
    for name in ("a.parquet", "a.jsonl.gz"):
        corpus = read_corpus(tmp_path / name)
        assert len(corpus) < 100
        assert "200 times as large as the file" in corpus.problems[-1].why
