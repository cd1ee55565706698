"""The kernel gives what the plain definition gives, on any text, and does not depend on threads."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernel_tables import arrays_to_ngrams, arrays_to_strings, ngrams_to_arrays, strings_to_arrays
from sklearn.feature_extraction.text import CountVectorizer

from textnb.text.analyzer import Analyzer
from textnb.text.hashing import _count_in_python

kernel = pytest.importorskip("textnb.text._kernel", reason="the kernel is optional and was not compiled")

CHARACTERS = "aaabB12_ .\t\n\x00\x1c\x85\xa0éÉßﬁʼnΣσςİıẞ\u0301\u200b٣Ⅷ²中文\u3000\ud800\udfff𝒜😀𐐀𐐨"
TEXTS = st.lists(st.text(st.sampled_from(CHARACTERS), max_size=30) | st.text(max_size=20), max_size=6)
ANALYZERS = st.sampled_from(["word", "char", "char_wb"])
RANGES = st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (3, 3), (2, 5)])
STOP_WORDS = st.sampled_from([None, frozenset(), frozenset(["ab", "aa", "éé", "not a word", ""])])


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """So that a few short texts are already shared among threads."""
    whole = kernel.SMALLEST_BLOCK
    kernel.SMALLEST_BLOCK = 20
    yield
    kernel.SMALLEST_BLOCK = whole


def terms_of(text, analyzer, low, high, lowercase, stop_words):
    text = text.lower() if lowercase else text
    if analyzer == "word":
        words = [word for word in re.findall(r"(?u)\b\w\w+\b", text) if word not in (stop_words or ())]
        return [" ".join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)]
    if analyzer == "char":
        text = re.sub(r"\s\s+", " ", text)
        return [text[i : i + n] for n in range(low, high + 1) for i in range(len(text) - n + 1)]
    found = []
    for word in text.split():
        padded = f" {word} "
        sizes = [n for n in range(low, high + 1) if n <= len(padded)] or [len(padded)]
        found += [padded[i : i + n] for n in sizes for i in range(len(padded) - n + 1)]
    return found


def counted(texts, *analysis):
    return [Counter(terms_of(text, *analysis)) for text in texts]


def listed(counted):
    """What was counted, with its terms as a list, after a look at the arrays they came as."""
    blob, offsets, ngrams, *arrays = counted
    assert (blob.dtype, offsets.dtype) == (np.uint8, np.int64)
    if ngrams is None:
        return arrays_to_strings(blob, offsets), *arrays
    starts, rest = ngrams
    assert (starts.dtype, rest.dtype, rest.flags.c_contiguous) == (np.int64, np.int32, True)
    firsts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    assert np.array_equal(np.unique([*firsts, *rest[rest >= 0]]), np.arange(len(offsets) - 1))  # no word without a term
    return arrays_to_ngrams(blob, offsets, starts, rest), *arrays


def probe_of(terms, analyzer="word", ngram_max=1):
    if analyzer == "word" and ngram_max > 1:
        return kernel.Probe(*ngrams_to_arrays(terms, ngram_max - 1))
    return kernel.Probe(*strings_to_arrays(terms))


def rows_of(terms, indptr, indices, data):
    """The rows as dicts, after a look at whether they are canonical."""
    assert data.dtype == np.int64
    assert indptr.dtype == indices.dtype == np.int32
    assert indptr[0] == 0 and indptr[-1] == len(indices) == len(data)
    rows = [slice(start, end) for start, end in pairwise(indptr)]
    assert all((np.diff(indices[row]) > 0).all() for row in rows)
    return [{terms[i]: n for i, n in zip(indices[row], data[row].tolist(), strict=True)} for row in rows]


def assert_grows_as_defined(texts, *analysis, threads=1):
    expected = counted(texts, *analysis)
    terms, *arrays = listed(kernel.count_growing(texts, *analysis, threads))
    assert terms == sorted(set().union(*expected))
    assert rows_of(terms, *arrays) == expected


@given(TEXTS, ANALYZERS, RANGES, st.booleans(), STOP_WORDS, st.sampled_from([1, 2, 3]))
@example(["ΑΣ", "ΑΣΑ ΑΣ. Σ"], "word", (1, 1), True, None, 1)  # a final sigma is lower-cased by its neighbours
@example(["İİ", "ı İx"], "word", (1, 1), True, None, 1)  # becomes two characters, the second of them no letter
@example(["e\u0301e\u0301 aa"], "word", (1, 2), True, None, 1)  # a combining mark is no part of a word
@example(["a\x00b", "a", "a\x00", "\x00"], "char", (1, 3), True, None, 1)
@example(["", " ", "\n\n"], "char_wb", (1, 3), True, None, 2)
@example([], "word", (1, 1), True, None, 2)
@settings(max_examples=600, deadline=None)
def test_all_terms_are_counted_as_defined(texts, analyzer, ngrams, lowercase, stop_words, threads):
    assert_grows_as_defined(texts, analyzer, *ngrams, lowercase, stop_words, threads=threads)


@given(
    TEXTS, ANALYZERS, RANGES, st.booleans(), STOP_WORDS, st.sampled_from([1, 2, 3]), st.sampled_from([1, 2, 7, 2**20])
)
@example(["ab" * n for n in range(1, 12)], "word", (1, 1), True, None, 1, 2**31 - 2)  # every number of rounds and bytes
@settings(max_examples=300, deadline=None)
def test_terms_are_hashed_as_the_python_path_hashes_them(
    texts, analyzer, ngrams, lowercase, stop_words, threads, n_features
):
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]  # a lone surrogate cannot be hashed
    analysis = Analyzer(analyzer, ngrams, lowercase, stop_words=stop_words)
    for alternate_sign in (True, False):
        counted = kernel.count_hashed(
            texts, n_features, alternate_sign, analyzer, *ngrams, lowercase, stop_words, threads
        )
        expected = _count_in_python(texts, analysis, n_features, alternate_sign)
        for found, other in zip(counted, (expected.indptr, expected.indices, expected.data), strict=True):
            assert found.dtype == other.dtype
            np.testing.assert_array_equal(found, other)


@given(TEXTS, TEXTS, ANALYZERS, RANGES, st.booleans(), STOP_WORDS, st.sampled_from([1, 2, 3]), st.randoms(), st.data())
@settings(max_examples=400, deadline=None)
def test_known_terms_are_counted_as_defined(
    seen, texts, analyzer, ngrams, lowercase, stop_words, threads, random, data
):
    analysis = analyzer, *ngrams, lowercase, stop_words
    other = {"aa bb"} if analyzer == "word" and ngrams[1] > 1 else {"", "a  b", " ", "aa", "aa bb cc dd", *seen}
    terms = sorted(other.union(*counted(seen, *analysis)))
    columns, names = None, dict(enumerate(terms))
    if data.draw(st.booleans(), "given columns"):
        columns = np.arange(0, 3 * len(terms), 3, dtype=np.int32)
        random.shuffle(columns)
        columns[:: data.draw(st.integers(2, 9), "left out")] = -1
        names = {column: term for column, term in zip(columns.tolist(), terms, strict=True) if column >= 0}
    probe = probe_of(terms, analyzer, ngrams[1])
    assert len(probe) == len(terms)
    *arrays, unknown = kernel.count_known(texts, probe, columns, *analysis, threads)
    expected = counted(texts, *analysis)
    known = set(names.values())
    assert rows_of(names, *arrays) == [{term: n for term, n in row.items() if term in known} for row in expected]
    assert unknown.dtype == np.int64
    assert unknown.tolist() == [sum(n for term, n in row.items() if term not in known) for row in expected]


@given(TEXTS, RANGES, RANGES)
@settings(deadline=None)
def test_a_probe_of_ngrams_serves_any_range_of_them(texts, known_range, ngrams):
    terms = sorted(set().union(*counted(texts, "word", *known_range, True, None)))
    probe = kernel.Probe(*ngrams_to_arrays(terms, known_range[1] - 1))
    *arrays, unknown = kernel.count_known(texts, probe, None, "word", *ngrams, True, None, 1)
    expected = counted(texts, "word", *ngrams, True, None)
    assert rows_of(terms, *arrays) == [{term: n for term, n in row.items() if term in terms} for row in expected]
    assert unknown.tolist() == [sum(n for term, n in row.items() if term not in terms) for row in expected]


@pytest.mark.parametrize("width", ["a", "é", "中", "𝒜"])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200])
def test_words_of_any_length_at_any_place(width, length):
    texts = ["." * before + width * length + after for before in (0, 1, 62, 63, 64) for after in ("", ".", ". Zz")]
    assert_grows_as_defined(texts, "word", 1, 2, True, None)


def test_many_of_one_known_term():
    probe = probe_of(["ab"])
    indptr, indices, data, unknown = kernel.count_known(["ab " * 100 + "cd"], probe, None, "word", 1, 1, True, None, 1)
    assert [array.tolist() for array in (indptr, indices, data, unknown)] == [[0, 1], [0], [100], [1]]


def test_words_that_differ_late_are_distinct_and_sorted():
    shared = "x" * 1000
    texts = [f"{shared}{end} {shared[: end % 30 + 2]}" for end in range(50, 0, -1)]
    assert_grows_as_defined(texts, "word", 1, 2, True, None)


def test_an_enormous_word():
    word = "Ab" * 5_000_000
    terms, _, _, data = listed(kernel.count_growing([word, word + " cd " + word.lower()], "word", 1, 2, True, None, 2))
    assert terms == [word.lower(), word.lower() + " cd", "cd", "cd " + word.lower()]
    assert data.tolist() == [1, 2, 1, 1, 1]


def test_every_code_point():
    texts = ["".join(chr(c) + "x " for c in range(start, start + 0x1000)) for start in range(0, 0x110000, 0x1000)]
    assert_grows_as_defined(texts, "word", 1, 1, True, None, threads=2)
    assert_grows_as_defined(texts[:64], "char_wb", 2, 2, True, None, threads=2)


@pytest.mark.parametrize("analysis", [("word", 1, 3), ("char", 1, 4), ("char_wb", 2, 4)])
def test_many_terms_in_long_rows_on_any_number_of_threads(analysis):
    random = np.random.default_rng(0)
    texts = [
        " ".join(f"w{number:x}é"[: 3 + number % 5] for number in random.zipf(1.2, 3000) % 10**6) for _ in range(60)
    ]
    expected = listed(kernel.count_growing(texts, *analysis, True, None, 1))
    assert rows_of(*expected) == counted(texts, *analysis, True, None)
    for threads in (2, 3, 4):
        found = listed(kernel.count_growing(texts, *analysis, True, None, threads))
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))


@pytest.mark.parametrize("ngram_max", [2, 3])
def test_ngrams_are_found_the_same_by_search_and_by_hash(ngram_max):
    random = np.random.default_rng(1)
    texts = [" ".join(f"w{number}" for number in random.zipf(1.3, 200) % 3000) for _ in range(300)]
    blob, offsets, ngrams, *arrays = kernel.count_growing(texts[:200], "word", 1, ngram_max, True, None, 1)
    probe = kernel.Probe(blob, offsets, *ngrams)  # makes its hash table when it has seen as many characters as terms
    assert len(probe) > 2 * len(texts[0])
    for place, text in enumerate(texts):
        fresh = kernel.Probe(blob, offsets, *ngrams)
        found, searched = (
            kernel.count_known([text], each, None, "word", 1, ngram_max, True, None, 1) for each in (probe, fresh)
        )
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, searched, strict=True))
        if place < 200:
            row = slice(*arrays[0][place : place + 2])
            assert np.array_equal(found[1], arrays[1][row])
            assert np.array_equal(found[2], arrays[2][row])
            assert found[3].tolist() == [0]


def test_indices_are_wider_where_there_are_too_many_entries(monkeypatch):
    texts = ["ab cd ab", "", "cd ef"]
    for ngram_max in (1, 2):
        monkeypatch.setattr(kernel, "LARGEST_INDEX", 1000)
        narrow = kernel.count_growing(texts, "word", 1, ngram_max, True, None, 1)[3:]
        monkeypatch.setattr(kernel, "LARGEST_INDEX", 3)
        wide = kernel.count_growing(texts, "word", 1, ngram_max, True, None, 1)[3:]
        assert [array.tolist() for array in wide] == [array.tolist() for array in narrow]
        assert [array.dtype for array in wide] == [np.int64] * 3


def test_a_tuple_and_str_subclasses_are_taken():
    class Loud(str):
        def lower(self):
            raise AssertionError("the documents' own methods are not called")

    texts = (Loud("Ab é"), np.str_("ab CD"))
    assert listed(kernel.count_growing(texts, "word", 1, 1, True, None, 1))[0] == ["ab", "cd"]


def test_a_document_that_is_no_string_is_named():
    with pytest.raises(TypeError, match="document 2 is a float"):
        kernel.count_growing(["a", "b", float("nan")], "word", 1, 1, True, None, 1)
    with pytest.raises(TypeError, match="document 0 is a bytes"):
        kernel.count_known([b"a"], probe_of(["a"]), None, "word", 1, 1, True, None, 1)


def test_huge_ngram_ranges_end():
    assert_grows_as_defined(["ab cd ef"], "word", 1, 50, True, None)
    assert listed(kernel.count_growing(["ab cd"], "word", 1, 10**30, True, None, 1))[0] == ["ab", "ab cd", "cd"]
    assert listed(kernel.count_growing(["ab"], "char_wb", 10**30, 10**30, True, None, 1))[0] == [" ab "]


BLOB, OFFSETS = strings_to_arrays(["ab", "cd"])
STARTS, REST = np.array([0, 2, 3]), np.array([[-1], [1], [-1]], dtype=np.int32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((BLOB, OFFSETS[:0]), "n strings need n + 1 offsets"),
        ((BLOB, OFFSETS + 1), "the strings end at 5, the blob at 4"),
        ((BLOB, OFFSETS - 1), "string 0 has no place"),
        ((BLOB, OFFSETS[[0, 2, 1]]), "string 1 has no place"),
        ((np.tile(BLOB[:2], 2), OFFSETS), "the term at 1 is repeated"),
        ((BLOB, OFFSETS, STARTS), "starts and rest are given together"),
        ((BLOB, OFFSETS, None, REST), "starts and rest are given together"),
        ((BLOB, OFFSETS, STARTS[:2], REST), "2 words need 3 starts, got 2"),
        ((BLOB, OFFSETS, STARTS + 1, REST), "the n-grams go from 0 to 3"),
        ((BLOB, OFFSETS, STARTS, REST[:2]), "the n-grams go from 0 to 2"),
        ((BLOB, OFFSETS, np.array([0, 4, 3]), REST), "the n-grams of word 1 have no place"),
        ((BLOB, OFFSETS.astype(np.int32)), "Buffer dtype mismatch"),
    ],
)
def test_tables_that_reach_out_of_bounds_are_refused(arrays, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kernel.Probe(*arrays)


@pytest.mark.parametrize(
    ("ngrams", "columns", "analysis", "message"),
    [
        (False, None, ("word", 1, 2), "the probe needs starts and rest"),
        (True, None, ("char", 1, 2), "need analyzer 'word'"),
        (True, None, ("char_wb", 1, 1), "need analyzer 'word'"),
        (False, [0], ("word", 1, 1), "1 columns do not fit 2 terms"),
        (True, [0, 1], ("word", 1, 1), "2 columns do not fit 3 terms"),
    ],
)
def test_what_a_probe_cannot_serve_is_refused(ngrams, columns, analysis, message):
    probe = kernel.Probe(BLOB, OFFSETS, *((STARTS, REST) if ngrams else ()))
    columns = None if columns is None else np.array(columns, dtype=np.int32)
    with pytest.raises(ValueError, match=re.escape(message)):
        kernel.count_known(["ab"], probe, columns, *analysis, True, None, 1)


def test_a_probe_is_never_pickled():
    with pytest.raises(TypeError):
        pickle.dumps(probe_of(["ab"]))


def test_a_probe_reads_a_mapped_file_and_nothing_after_its_end(tmp_path):
    terms = sorted([f"w{i}" for i in range(900)])
    blob, offsets = strings_to_arrays(terms)
    (tmp_path / "terms").write_bytes(b"\xff" * (8192 - len(blob)) + blob.tobytes())  # up to the end of a page
    mapped = np.memmap(tmp_path / "terms", np.uint8, "r", 8192 - len(blob))
    assert not mapped.flags.writeable
    _, indices, _, _ = kernel.count_known(terms, kernel.Probe(mapped, offsets), None, "word", 1, 1, True, None, 1)
    assert indices.tolist() == list(range(900))


def test_a_probe_serves_every_analyzer():
    terms = [" ab", "ab", "ab cd", "b a"]
    for analyzer, names in (("word", ["ab"]), ("char", terms), ("char_wb", [" ab", "ab"])):
        ngram_max = 1 if analyzer == "word" else 5
        _, indices, _, _ = kernel.count_known(
            ["ab cd", "x b ab ab"], probe_of(terms), None, analyzer, 1, ngram_max, True, None, 1
        )
        assert {terms[i] for i in indices} == {*names}


def test_no_terms_are_known_by_an_empty_probe():
    for ngram_max in (1, 2):
        *arrays, unknown = kernel.count_known(
            ["ab cd", ""], probe_of([], "word", ngram_max), None, "word", 1, ngram_max, True, None, 1
        )
        assert [array.tolist() for array in arrays] == [[0, 0, 0], [], []]
        assert unknown.tolist() == [1 + ngram_max, 0]


def test_a_probe_serves_several_threads_at_once():
    texts = [f"word{i} word{i + 1} other" for i in range(2000)]
    probe = probe_of(sorted(f"word{i}" for i in range(0, 2000, 2)))
    results = []

    def count():
        results.append(kernel.count_known(texts, probe, None, "word", 1, 1, True, None, 2)[1].tolist())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [kernel.count_known(texts, probe, None, "word", 1, 1, True, None, 1)[1].tolist()] * 4


def test_terms_made_to_collide_under_known_seeds_do_not_under_this_process_s():
    known_seeds = [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93]
    for ending in ("", "_long_enough_for_three_rounds_of_the_hash"):
        candidates = [f"{i:x}{ending}" for i in range(2**19)]
        collide = kernel._hashes(candidates, known_seeds) % 1024 == 0
        crafted = [term for term, taken in zip(candidates, collide, strict=True) if taken]
        assert len(crafted) > 400
        slots = kernel._hashes(crafted) % 1024
        assert np.bincount(slots.astype(np.int64)).max() < 12


def test_the_seeds_of_two_processes_differ_and_their_results_do_not():
    program = (
        "from textnb.text import _kernel as kernel\n"
        "print(kernel._hashes(['term'])[0])\n"
        "print(kernel.count_growing(['some words', 'more words', 'some more'], 'word', 1, 2, True, None, 2))"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, check=True) for _ in range(2)]
    hashes, results = zip(*(run.stdout.split(b"\n", 1) for run in runs), strict=True)
    assert hashes[0] != hashes[1]
    assert results[0] == results[1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits its own address space through /proc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer reserves terabytes")
def test_running_out_of_memory_is_an_error_at_every_stage():
    program = """
import resource
from pathlib import Path
from textnb.text import _kernel as kernel

texts = [" ".join(f"w{i * j % 99991:x}" for i in range(2000)) for j in range(100)]
import numpy as np
terms = sorted(f"w{i:x}" for i in range(100_000))
blob = np.frombuffer("".join(terms).encode(), np.uint8)
offsets = np.cumsum([0, *map(len, terms)])
starts = np.arange(100_001)
rest = np.full((100_000, 1), -1, dtype=np.int32)
kernel.count_growing(texts[:3], "word", 1, 2, True, None, 2)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
for room in range(0, 80 << 20, 4 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
    for analyzer in ("word", "char"):
        try:
            kernel.count_growing(texts, analyzer, 1, 2, True, None, 1)
            print("counted")
        except MemoryError:
            print("refused")
        try:
            probe = kernel.Probe(blob, offsets, *((starts, rest) if analyzer == "word" else ()))
            kernel.count_known(texts, probe, None, analyzer, 1, 2, True, None, 1)
            print("counted")
        except MemoryError:
            print("refused")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {*run.stdout.split()} == {"counted", "refused"}


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_heeded_between_blocks(threads):
    texts = ["some words again and again " * 40_000] * 3000  # about 10 s of counting
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kernel.count_growing(texts, "word", 1, 1, True, None, threads)
    timer.join()
    assert time.perf_counter() - start < 3


@pytest.mark.parametrize(
    ("analyzer", "ngrams", "stop_words", "step"),
    [
        ("word", (1, 1), None, 1),
        ("word", (1, 2), "english", 10),
        ("char", (1, 3), None, 40),
        ("char_wb", (3, 5), None, 40),
    ],
)
def test_newsgroups_give_the_matrix_of_scikit_learn(analyzer, ngrams, stop_words, step):
    newsgroups = corpus_or_skip("20news", subset="train").texts
    theirs = CountVectorizer(analyzer=analyzer, ngram_range=ngrams, stop_words=stop_words)
    analysis = analyzer, *ngrams, True, theirs.get_stop_words()
    texts, unseen = newsgroups[::step], newsgroups[1 :: 20 * step]
    terms, *arrays = listed(kernel.count_growing(texts, *analysis, 2))
    fitted = theirs.fit_transform(texts)
    assert terms == theirs.get_feature_names_out().tolist()
    assert_same_matrix(arrays, fitted)
    known = kernel.count_known(unseen, probe_of(terms, analyzer, ngrams[1]), None, *analysis, 2)
    assert_same_matrix(known[:3], theirs.transform(unseen))


def assert_same_matrix(arrays, matrix):
    matrix.sort_indices()
    for ours, theirs in zip(arrays, (matrix.indptr, matrix.indices, matrix.data), strict=True):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.slow
def test_a_million_random_documents_leak_nothing():
    script = """
import random, resource
from textnb.text import _kernel as kernel
random.seed(0)
words = [random.choice("abcdeéß𝔘") * random.randint(1, 4) + str(i) for i in range(5000)]
known = kernel.count_growing([" ".join(words[:2000])], "word", 1, 2, True, None, 1)

def round_of(n):
    texts = [" ".join(random.choices(words, k=random.randint(0, 8))) for _ in range(n)]
    kernel.count_growing(texts, "word", 1, 2, True, frozenset(words[:9]), 2)
    probe = kernel.Probe(*known[:2], *known[2])
    kernel.count_known(texts, probe, None, "word", 1, 2, True, None, 2)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20

for _ in range(4):
    round_of(50_000)
before = resident()
for _ in range(16):
    round_of(50_000)
print(resident() - before)
"""
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(child.stdout) < 8  # megabytes; one leaked pointer a document would be 6, one row 60
