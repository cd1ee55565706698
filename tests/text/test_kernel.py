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
from sklearn.feature_extraction.text import CountVectorizer

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
    """What was counted, with its terms as a list, once they are numbered in their order."""
    terms, *arrays = counted
    assert list(terms.values()) == list(range(len(terms)))
    return list(terms), *arrays


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


@given(TEXTS, TEXTS, ANALYZERS, RANGES, st.booleans(), STOP_WORDS, st.sampled_from([1, 2, 3]), st.randoms())
@settings(max_examples=400, deadline=None)
def test_known_terms_are_counted_as_defined(seen, texts, analyzer, ngrams, lowercase, stop_words, threads, random):
    analysis = analyzer, *ngrams, lowercase, stop_words
    terms = sorted({"", "a  b", " ", "aa", "aa bb cc dd", *seen}.union(*counted(seen, *analysis)))
    ids = list(range(0, 3 * len(terms), 3))
    random.shuffle(ids)
    names = dict(zip(ids, terms, strict=True))
    vocabulary = kernel.KernelVocabulary(terms, ids)
    *arrays, unknown = kernel.count_known(texts, vocabulary, *analysis, threads, unknown=True)
    expected = counted(texts, *analysis)
    known = set(terms)
    assert rows_of(names, *arrays) == [{term: n for term, n in row.items() if term in known} for row in expected]
    assert unknown.dtype == np.int64
    assert unknown.tolist() == [sum(n for term, n in row.items() if term not in known) for row in expected]


@given(TEXTS, ANALYZERS, RANGES)
@settings(deadline=None)
def test_binary_rows_hold_ones_where_counts_are(texts, analyzer, ngrams):
    terms, indptr, indices, data = listed(kernel.count_growing(texts, analyzer, *ngrams, True, None, 1))
    ones = listed(kernel.count_growing(texts, analyzer, *ngrams, True, None, 1, binary=True))
    vocabulary = kernel.KernelVocabulary(terms)
    known = kernel.count_known(texts, vocabulary, analyzer, *ngrams, True, None, 1, binary=True)
    assert ones[0] == terms
    assert known[3] is None
    for arrays in (ones[1:], known[:3]):
        assert [array.tolist() for array in arrays] == [indptr.tolist(), indices.tolist(), [1] * len(data)]


@pytest.mark.parametrize("width", ["a", "é", "中", "𝒜"])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200])
def test_words_of_any_length_at_any_place(width, length):
    texts = ["." * before + width * length + after for before in (0, 1, 62, 63, 64) for after in ("", ".", ". Zz")]
    assert_grows_as_defined(texts, "word", 1, 2, True, None)


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
    for threads in (2, 3):
        found = listed(kernel.count_growing(texts, *analysis, True, None, threads))
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))


def test_indices_are_wider_where_there_are_too_many_entries(monkeypatch):
    texts = ["ab cd ab", "", "cd ef"]
    _, *narrow = kernel.count_growing(texts, "word", 1, 1, True, None, 1)
    monkeypatch.setattr(kernel, "LARGEST_INDEX", 3)
    _, *wide = kernel.count_growing(texts, "word", 1, 1, True, None, 1)
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
        kernel.count_known([b"a"], kernel.KernelVocabulary(["a"]), "word", 1, 1, True, None, 1)


@pytest.mark.parametrize(
    ("analysis", "threads", "message"),
    [
        (("words", 1, 1), 1, "analyzer must be one of word, char, char_wb, got 'words'"),
        (("word", 0, 1), 1, "1 <= ngram_min <= ngram_max, got 0 and 1"),
        (("word", 2, 1), 1, "1 <= ngram_min <= ngram_max, got 2 and 1"),
        (("word", 1, 1), 0, "n_threads must be 1 or more, got 0"),
    ],
)
def test_bad_settings_are_explained(analysis, threads, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kernel.count_growing(["a"], *analysis, True, None, threads)


def test_huge_ngram_ranges_end():
    assert_grows_as_defined(["ab cd ef"], "word", 1, 50, True, None)
    assert listed(kernel.count_growing(["ab cd"], "word", 1, 10**30, True, None, 1))[0] == ["ab", "ab cd", "cd"]
    assert listed(kernel.count_growing(["ab"], "char_wb", 10**30, 10**30, True, None, 1))[0] == [" ab "]


@pytest.mark.parametrize(
    ("terms", "ids", "message"),
    [
        (["a", "b", "a"], None, "must not repeat a term"),
        (["a", "b"], [0], "each of the 2 terms needs an id"),
        (["a", "b"], [0, -1], "each of the 2 terms needs an id"),
        (["a", "b"], [0, 2**32], "each of the 2 terms needs an id"),
    ],
)
def test_bad_vocabularies_are_refused(terms, ids, message):
    with pytest.raises(ValueError, match=message):
        kernel.count_known([], kernel.KernelVocabulary(terms, ids), "word", 1, 1, True, None, 1)


def test_a_term_that_is_no_string_is_named():
    with pytest.raises(TypeError, match="the term 3 is a int, not a str"):
        kernel.count_known([], kernel.KernelVocabulary(["a", 3]), "word", 1, 1, True, None, 1)


def test_a_vocabulary_serves_every_analyzer_and_survives_pickling():
    vocabulary = pickle.loads(pickle.dumps(kernel.KernelVocabulary(["ab", "b a", "ab cd", " ab"], [3, 2, 1, 0])))
    assert len(vocabulary) == 4
    for analyzer, names in (
        ("word", ["ab", "ab cd"]),
        ("char", ["ab", " ab", "b a", "ab cd"]),
        ("char_wb", ["ab", " ab"]),
    ):
        _, indices, _, _ = kernel.count_known(["ab cd", "x b ab ab"], vocabulary, analyzer, 1, 5, True, None, 1)
        assert {vocabulary.terms[vocabulary.ids.tolist().index(i)] for i in indices} == {*names}


def test_an_empty_vocabulary_knows_nothing():
    indptr, indices, data, unknown = kernel.count_known(
        ["ab cd", ""], kernel.KernelVocabulary([]), "word", 1, 2, True, None, 1, unknown=True
    )
    assert (indptr.tolist(), indices.tolist(), data.tolist(), unknown.tolist()) == ([0, 0, 0], [], [], [3, 0])


def test_a_vocabulary_serves_several_threads_at_once():
    texts = [f"word{i} word{i + 1} other" for i in range(2000)]
    vocabulary = kernel.KernelVocabulary([f"word{i}" for i in range(0, 2000, 2)])
    results = []

    def count():
        results.append(kernel.count_known(texts, vocabulary, "word", 1, 1, True, None, 2)[1].tolist())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [kernel.count_known(texts, vocabulary, "word", 1, 1, True, None, 1)[1].tolist()] * 4


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


@pytest.mark.skipif(sys.platform != "linux", reason="limits its own address space through /proc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer reserves terabytes")
def test_running_out_of_memory_is_an_error_at_every_stage():
    program = """
import resource
from pathlib import Path
from textnb.text import _kernel as kernel

texts = [" ".join(f"w{i * j % 99991:x}" for i in range(2000)) for j in range(100)]
vocabulary = kernel.KernelVocabulary([f"w{i:x}" for i in range(100_000)])
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
            kernel.count_known(texts, vocabulary, analyzer, 1, 2, True, None, 1)
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
    known = kernel.count_known(unseen, kernel.KernelVocabulary(terms), *analysis, 2)
    assert_same_matrix(known[:3], theirs.transform(unseen))


def assert_same_matrix(arrays, matrix):
    matrix.sort_indices()
    for ours, theirs in zip(arrays, (matrix.indptr, matrix.indices, matrix.data), strict=True):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_a_million_random_documents_leak_nothing():
    script = """
import random, resource
from textnb.text import _kernel as kernel
random.seed(0)
words = [random.choice("abcdeéß𝔘") * random.randint(1, 4) + str(i) for i in range(5000)]
vocabulary = kernel.KernelVocabulary(words[:2000])

def round_of(n):
    texts = [" ".join(random.choices(words, k=random.randint(0, 8))) for _ in range(n)]
    kernel.count_growing(texts, "word", 1, 2, True, frozenset(words[:9]), 2)
    kernel.count_known(texts, vocabulary, "word", 1, 1, True, None, 2, unknown=True)

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
