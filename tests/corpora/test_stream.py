"""Tables of any size are one stream of documents, which can be read more than once and is never held in memory."""

import errno
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.corpora import LabelledSources, Problem, ReadOptions, delimited, open_corpus, read_corpus
from textnb.corpora.decoding import decoded_start
from textnb.corpora.problems import KEPT_PROBLEMS
from textnb.corpora.readers import iter_rows
from textnb.corpora.stream import open_stream
from textnb.corpora.tables import sniffed_format

DOCUMENTS = [(f"text {number}, “quoted”", "ham" if number % 3 else "spam") for number in range(40)]


def table(kind: str, documents: list[tuple[str, str]] = DOCUMENTS) -> bytes:
    if kind == "jsonl":
        lines = [json.dumps({"text": text, "label": label}) for text, label in documents]
    elif kind == "csv":
        lines = ["label,text", *(f'{label},"{text}"' for text, label in documents)]
    else:
        lines = ["label\ttext", *(f"{label}\t{text}" for text, label in documents)]
    return "".join(f"{line}\n" for line in lines).encode()


def write(path: Path, content: str | bytes) -> Path:
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def pairs(rows) -> list[tuple[str, str]]:
    return [(row.text, row.label) for row in rows]


@pytest.fixture
def stdin(monkeypatch):
    """Puts bytes on stdin."""

    def put(content: bytes) -> io.BytesIO:
        file = io.BytesIO(content)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        return file

    return put


# Files


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.tsv.gz", "a.jsonl.gz"])
def test_a_table_can_be_read_again_and_again(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, table(name.split(".")[1]))
    stream = open_stream(path)
    assert stream.n_bytes == path.stat().st_size
    for _ in range(3):
        assert pairs(stream) == DOCUMENTS
        assert stream.bytes_read == stream.n_bytes
    assert [row.where for row in stream] == [f"{path}: {row.where}" for row in iter_rows(path)]


def test_an_iteration_begins_at_the_start_though_another_was_left(tmp_path: Path) -> None:
    stream = open_stream(write(tmp_path / "a.jsonl", table("jsonl")))
    assert pairs(islice(stream, 3)) == DOCUMENTS[:3]
    assert pairs(stream) == DOCUMENTS


def test_several_files_are_one_stream_in_sorted_order(tmp_path: Path) -> None:
    parts = [("b.jsonl", "jsonl", 10, 20), ("a.csv", "csv", 0, 10), ("c.tsv.gz", "tsv", 20, 40)]
    paths = [write(tmp_path / name, table(kind, DOCUMENTS[start:end])) for name, kind, start, end in parts]
    for spec in (paths, f"{tmp_path}/*", [tmp_path / "a.csv", f"{tmp_path}/[a-c].*"]):
        stream = open_stream(spec)
        assert pairs(stream) == DOCUMENTS
        assert stream.n_bytes == stream.bytes_read == sum(path.stat().st_size for path in paths)
    assert next(iter(stream)).where == f"{tmp_path / 'a.csv'}: line 2"


def test_a_name_that_looks_like_a_pattern_is_a_name_if_there_is_such_a_file(tmp_path: Path) -> None:
    write(tmp_path / "a1.jsonl", table("jsonl", DOCUMENTS[:1]))
    path = write(tmp_path / "a[1].jsonl", table("jsonl"))
    assert pairs(open_stream(str(path))) == DOCUMENTS


def test_bytes_read_grow_with_the_rows(tmp_path: Path) -> None:
    numbers = (f"{number**7 % 10**9}" * 5 for number in range(100_000))
    path = write(tmp_path / "a.csv.gz", "label,text\n" + "".join(f"a,{number}\n" for number in numbers))
    stream = open_stream(path)
    assert stream.bytes_read == 0
    positions = [stream.bytes_read for _ in stream]
    assert positions == sorted(positions)
    assert 0 < positions[0] < path.stat().st_size / 2
    assert len(set(positions)) > 2
    assert positions[-1] == stream.n_bytes


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl.gz"])
def test_documents_learned_already_are_skipped(tmp_path: Path, name: str) -> None:
    stream = open_stream(write(tmp_path / name, table(name.split(".")[1])))
    for skip in (0, 1, 39, 40, 50):
        assert pairs(stream.iterate(skip=skip)) == DOCUMENTS[skip:]


def test_a_format_given_wins_over_the_name(tmp_path: Path) -> None:
    path = write(tmp_path / "part-00000", table("jsonl"))
    with pytest.raises(ValueError, match="part-00000 is no table"):
        open_stream(path)
    assert pairs(open_stream(path, format="jsonl")) == DOCUMENTS
    packed = path.with_name("packed")
    packed.write_bytes(gzip.compress(table("csv")))
    assert pairs(open_stream(packed, format="csv")) == DOCUMENTS


def test_columns_and_encoding_are_chosen_as_for_a_corpus(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "kind,body\nä,é\n,ö\n".encode("latin-1"))
    stream = open_stream(path, text="body", label="kind", encoding="latin-1", label_required=False)
    assert pairs(stream) == [("é", "ä"), ("ö", "")]
    with pytest.raises(ValueError, match="no text encoding 'utf-9'"):
        open_stream(path, encoding="utf-9")


# Problems


def test_of_many_problems_the_first_are_kept_and_all_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "x", "label": "a"}\n' + "[]\n" * 5000)
    stream = open_stream(path)
    for _ in range(2):  # every pass counts for itself
        assert len(list(stream)) == 1
        assert stream.n_problems == 5000
        assert len(stream.problems) == KEPT_PROBLEMS
    assert stream.problems[0] == Problem(f"{path}: line 2", "it is not a JSON object")


def test_a_line_of_two_json_objects_is_a_problem(tmp_path: Path) -> None:
    one = '{"text": "x", "label": "a"}'
    stream = open_stream(write(tmp_path / "a.jsonl", f"{one} {one}\n{one}x\n \t{one} \r\n"))
    assert pairs(stream) == [("x", "a")]
    assert [problem.why for problem in stream.problems] == ["it is not JSON: there is more after its end"] * 2


def test_a_strict_stream_stops_at_the_first_problem(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", table("csv"))
    write(tmp_path / "b.csv", "label,text\na\n")
    rows = iter(open_stream(f"{tmp_path}/*.csv", strict=True))
    assert pairs(islice(rows, 40)) == DOCUMENTS
    with pytest.raises(ValueError, match=r"b.csv: line 2: it has 1 column"):
        next(rows)


def test_a_table_that_cannot_be_read_is_no_reason_to_stop(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "")
    write(tmp_path / "b.csv", "id,text\n1,x\n")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(table("jsonl") * 100)[:-9])
    (tmp_path / "d.jsonl.gz").write_bytes(b"no gzip")
    write(tmp_path / "e.jsonl", table("jsonl"))
    stream = open_stream(f"{tmp_path}/*")
    found = pairs(stream)
    assert found[:40] == found[-40:] == DOCUMENTS
    assert len(found) > 3000
    assert stream.bytes_read == stream.n_bytes
    places = ["a.csv", "b.csv", "c.jsonl.gz: the rest of the file", "d.jsonl.gz: the rest of the file"]
    assert [problem.where for problem in stream.problems] == [f"{tmp_path}/{place}" for place in places]
    assert "no column 'label'" in stream.problems[1].why


def test_a_stream_without_a_document_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "label,txt\na,b\n")
    with pytest.raises(ValueError, match=r"a.csv has no usable documents\. .*no column 'text'. Did you mean 'txt'"):
        list(open_stream(path))
    path = write(tmp_path / "a.jsonl", "\n")
    with pytest.raises(ValueError, match="has no usable documents"):
        list(open_stream(path))


def test_what_cannot_be_a_stream_is_refused_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x")
    for spec in (tmp_path / "none.csv", f"{tmp_path}/*.csv"):
        with pytest.raises(FileNotFoundError, match="no file"):
            open_stream(spec)
    for spec in (tmp_path, tmp_path / "a.txt"):
        with pytest.raises(ValueError, match="is no table"):
            open_stream(spec)
    with pytest.raises(ValueError, match="is no table"):
        open_stream(tmp_path, format="csv")
    with pytest.raises(ValueError, match=r"format must be one of csv, tsv, jsonl, .*, got 'xml'"):
        open_stream("-", format="xml")
    with pytest.raises(ValueError, match="cannot be read as one stream"):
        open_stream(["-", tmp_path / "a.txt"])
    with pytest.raises(ValueError, match="nothing to read"):
        open_stream([])


# Stdin and pipes


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_format_of_stdin_is_found_out(stdin, kind: str, encoding: str, pack) -> None:
    stdin(pack(table(kind).decode().encode(encoding)))
    assert pairs(open_stream("-")) == DOCUMENTS


def test_what_a_table_begins_with_tells_its_format() -> None:
    assert sniffed_format('\r\n \n{"text"') == "jsonl"
    assert sniffed_format("label\ttext\na,b,c\t\n") == "tsv"
    assert sniffed_format("label,text\na\t\t\t,b\n") == "csv"
    assert sniffed_format(decoded_start('{"'.encode("utf-16-le"), "utf-16-le")) == "jsonl"
    assert sniffed_format("") == "csv"


def test_stdin_is_read_once_without_a_copy(stdin, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    file = stdin(table("jsonl"))
    stream = open_stream("-", format="jsonl")
    assert stream.n_bytes is None
    assert pairs(stream) == DOCUMENTS
    assert stream.bytes_read == len(table("jsonl"))
    with pytest.raises(ValueError, match="stdin can be read only once: save it in a file, or ask for passes=2"):
        next(iter(stream))
    assert not file.closed


@pytest.mark.parametrize("read_first", [0, 1, 1500, 4000])
def test_stdin_is_kept_on_disk_for_more_passes(stdin, monkeypatch, tmp_path: Path, read_first: int) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    documents = [(f"{number} " * 100, "a") for number in range(4000)]
    file = stdin(table("jsonl", documents))
    stream = open_stream("-", passes=3)
    assert pairs(islice(stream, read_first)) == documents[:read_first]
    assert (file.tell() < len(file.getvalue())) == (read_first < 4000)  # as far as needed, no further
    for _ in range(2):
        assert pairs(stream) == documents
        assert stream.bytes_read == len(file.getvalue())
    assert pairs(stream.iterate(skip=3990)) == documents[3990:]
    assert not list(tmp_path.iterdir()) or os.name == "nt"  # the copy has no name


def test_a_full_disk_says_what_to_do(stdin, monkeypatch, tmp_path: Path) -> None:
    class FullDisk(io.BytesIO):
        def write(self, block) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryFile", FullDisk)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stdin(table("csv"))
    with pytest.raises(OSError, match=r"stdin cannot be kept for a second pass: .*; make room") as caught:
        list(open_stream("-", passes=2))
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path))


def test_a_closed_stdin_is_an_error(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="stdin is closed"):
        open_stream("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_named_pipe_is_read_as_stdin_is(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(table("csv")), daemon=True)
    writer.start()
    stream = open_stream(path, passes=2)
    assert stream.n_bytes is None
    assert pairs(stream) == pairs(stream) == DOCUMENTS
    writer.join()


def test_stdin_of_a_process_is_a_pipe_or_a_file(tmp_path: Path) -> None:
    script = (
        "from textnb.corpora.stream import open_stream\n"
        "stream = open_stream('-', passes=2)\n"
        "print(*(len(list(stream)) for _ in range(2)), stream.n_bytes, stream.bytes_read)"
    )
    content = table("jsonl")
    command = [sys.executable, "-c", script]
    piped = subprocess.run(command, input=content, capture_output=True, check=True)
    assert piped.stdout.decode().split() == ["40", "40", "None", str(len(content))]
    with write(tmp_path / "a.jsonl", content).open("rb") as file:
        redirected = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert redirected.stdout.decode().split() == ["40", "40", str(len(content)), str(len(content))]


# Memory


def peak_memory(stream) -> tuple[int, int]:
    """How many documents there are, and the most bytes that reading them took."""
    tracemalloc.start()
    try:
        return sum(1 for _ in stream), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.jsonl.gz"])
def test_memory_does_not_grow_with_the_stream(tmp_path: Path, name: str) -> None:
    kind = name.split(".")[1]
    stream = open_stream(write(tmp_path / name, table(kind, [("word " * 200, "a")] * 20_000)))
    n_documents, peak = peak_memory(stream)
    assert n_documents == 20_000
    assert peak < 4_000_000


def test_an_open_quote_does_not_take_the_rest_of_the_stream_into_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'label,text\na,x\na,"open\n' + f"a,{'word ' * 200}\n" * 20_000)
    stream = open_stream(path)
    n_documents, peak = peak_memory(stream)
    assert n_documents == 20_001
    assert [problem.where for problem in stream.problems] == [f"{path}: line 3"]
    assert peak < 8_000_000


def test_a_quote_around_too_much_is_given_up(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(delimited, "MAX_QUOTED", 1000)
    path = write(tmp_path / "a.csv", 'label,text\na,"long\n' + "b\n" * 600 + "a,x\n")
    stream = open_stream(path)
    assert pairs(stream) == [("x", "a")]
    assert "unbalanced quote, or one around more than 1,000 characters" in stream.problems[0].why


# Laws

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters='"\r\n\t\0'), max_size=20)
WORDS = WORDS.filter(str.strip)  # an empty document is none
LABELS = st.sampled_from(["ham", "spam", "ä"])
PARTS = st.lists(
    st.tuples(
        st.sampled_from(["csv", "jsonl", "tsv", "jsonl.gz"]),
        st.lists(st.tuples(WORDS, LABELS), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=100)
@given(parts=PARTS, skip=st.integers(0, 10))
def test_any_division_into_files_is_the_same_stream(parts, skip: int) -> None:
    documents = [document for _, part in parts for document in part]
    with tempfile.TemporaryDirectory() as folder:
        for number, (suffix, part) in enumerate(parts):
            write(Path(folder, f"{number}.{suffix}"), table(suffix.split(".")[0], part))
        stream = open_stream(f"{folder}/*")
        assert pairs(stream.iterate(skip)) == documents[skip:]
        assert stream.problems == []


@settings(deadline=None, max_examples=100)
@given(
    kind=st.sampled_from(["csv", "tsv", "jsonl"]),
    documents=st.lists(st.tuples(WORDS, LABELS), max_size=6),
    more=st.lists(st.sampled_from(["a\n", '"\n', "[]\n", "a,b,c\n", '{"text": 5}\n', "\n"]), max_size=3),
)
def test_a_corpus_is_its_stream_made_a_list(kind: str, documents, more: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, f"a.{kind}"), table(kind, [("first", "a"), *documents]) + "".join(more).encode())
        stream, corpus = open_stream(path), read_corpus(path)
        assert pairs(stream) == list(zip(corpus.texts, corpus.labels.tolist(), strict=True))
        assert [row.where for row in stream] == [f"{path}: {place}" for place in corpus.where]
        assert stream.problems == [Problem(f"{path}: {problem.where}", problem.why) for problem in corpus.problems]


def test_options_may_be_given_one_by_one_or_together(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "kind,body\na,x\nb,y\n")
    options = ReadOptions(text="body", label="kind")
    assert pairs(open_stream(path, options)) == pairs(open_stream(path, text="body", label="kind"))
    assert read_corpus(path, options, categories=["b"]).texts == ["y"]
    with pytest.raises(TypeError, match="columm"):
        open_stream(path, columm="body")
    for change in ({"categories": ["b"]}, {"columns": ["kind"]}, {"numeric": ["kind"]}, {"strip": ["quotes"]}):
        with pytest.raises(ValueError, match="needs all documents at once"):
            open_stream(path, options, **change)


def test_a_stream_of_labelled_sources_says_once_how_they_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "Body;kind\na;x\nb;y\n")
    sources = LabelledSources([f"ham={path}"])
    stream = open_stream(sources)
    for _ in range(2):
        assert pairs(stream) == [("a", "ham"), ("b", "ham")]
        assert stream.notices == list(open_corpus(sources).notices)
    assert stream.notices == [
        f"{path}: its columns are separated by semicolons",
        f"{path}: texts are read from 'Body'",
    ]
