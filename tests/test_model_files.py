"""A TextClassifier's file: damaged, forged, killed while it is written, opened quickly."""

import json
import os
import signal
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import safetensors
from golden_models import make_format_1 as golden
from golden_models import make_format_2 as golden_2
from storage.forge import in_child

from textnb import TextClassifier, load
from textnb.model_file import open_predictor
from textnb.storage import open_model, write_model
from textnb.text.analyzer import Analyzer
from textnb.text.term_index import build_term_arrays

TEXTS = ["cheap pills now", "win a free prize", "lunch at noon", "minutes of the meeting", "free lunch, cheap dinner"]
LABELS = ["spam", "spam", "ham", "ham", "other"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.tnb"
    TextClassifier(unknown="token").fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture
def limited(tmp_path):
    """A model whose limits leave terms out, which its file counts all the same."""
    path = tmp_path / "limited.tnb"
    TextClassifier(min_df=2).fit(TEXTS, LABELS).save(path)
    return path


@pytest.fixture
def weighted(tmp_path):
    """A model whose counts are no integers."""
    path = tmp_path / "weighted.tnb"
    TextClassifier(unknown="token").fit(TEXTS, LABELS, sample_weight=[0.5, 1, 2, 1, 1.5]).save(path)
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Large enough to be mapped instead of read."""
    texts = [" ".join(f"w{number}" for number in range(start, start + 300)) for start in range(0, 12_000, 300)]
    path = tmp_path_factory.mktemp("large") / "large.tnb"
    TextClassifier().fit(texts, [f"class {number % 8}" for number in range(len(texts))]).save(path)
    assert path.stat().st_size > 1 << 20
    return path


def refused(path, content):
    path.write_bytes(content)
    try:
        load(path)
    except ValueError as error:
        return str(path) in str(error)
    return False


def damage_all(path, content, seed, n_flips, n_cuts):
    """In a child: every flip and every cut is refused, in time."""

    def attempt():
        signal.alarm(120)
        generator = np.random.default_rng(seed)
        for bit in generator.integers(0, len(content) * 8, n_flips).tolist():
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            assert refused(path, changed), f"bit {bit}"
        for size in generator.integers(0, len(content), n_cuts).tolist():
            assert refused(path, content[:size]), f"cut at {size}"

    return in_child(attempt)


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_and_cuts_are_refused_by_name(path, seed):
    content = path.read_bytes()
    load(path)
    assert damage_all(path.with_name("broken.tnb"), content, seed, n_flips=100, n_cuts=40) == 0


def test_flipped_bits_and_cuts_of_a_mapped_file_are_refused_by_name(large, tmp_path):
    assert damage_all(tmp_path / "broken.tnb", large.read_bytes(), 0, n_flips=40, n_cuts=20) == 0


def test_the_first_and_last_bytes_matter(path):
    content = path.read_bytes()
    broken = path.with_name("broken.tnb")
    for changed in (content[1:], content[:-1], b"", content + b"\0", content * 2, content[8:]):
        assert refused(broken, changed)


def test_safetensors_opens_it(path):
    classifier = load(path)
    with safetensors.safe_open(path, "numpy") as file:
        assert {"coef", "documents", "totals", "terms", "hashes"} <= set(file.keys())
        assert file.get_tensor("documents").tolist() == classifier.statistics_.documents.tolist()
        terms = file.get_tensor("terms").tobytes().decode()
    assert terms == "".join(sorted(classifier.vocabulary_))


def test_saving_twice_gives_the_same_bytes(path):
    again = path.with_name("again.tnb")
    classifier = TextClassifier(unknown="token").fit(TEXTS, LABELS)
    classifier.save(again)
    assert again.read_bytes() == path.read_bytes()
    classifier.save(again)
    load(path).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_the_order_of_documents_changes_no_byte_of_exact_counts(tmp_path):
    contents = set()
    for order in ([0, 1, 2, 3, 4], [3, 4, 1, 0, 2]):
        classifier = TextClassifier(model="multinomial", weights="counts")
        classifier.fit([TEXTS[i] for i in order], [LABELS[i] for i in order]).save(tmp_path / "m.tnb")
        contents.add((tmp_path / "m.tnb").read_bytes())
    assert len(contents) == 1


def test_kills_while_saving_leave_the_old_model_or_the_new(large):
    path = large.with_name("killed.tnb")
    texts = [f"w{number} w{number + 1}" for number in range(2000)]
    labels = [f"class {number % 8}" for number in range(2000)]
    old = TextClassifier(alpha=0.1, calibrate=False).fit(texts, labels)
    new = TextClassifier(alpha=5.0, calibrate=False).fit(texts, labels[::-1])
    answers = [classifier.predict_proba(texts[:20]).tobytes() for classifier in (old, new)]
    start = time.monotonic()
    new.save(path)
    old.save(path)
    cycle = time.monotonic() - start  # as long as the disk takes today
    generator = np.random.default_rng(0)
    seen = set()
    for _ in range(25):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    new.save(path)
                    old.save(path)
            finally:
                os._exit(1)
        time.sleep(generator.uniform(0.0, 2 * cycle))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen.add(answers.index(load(path).predict_proba(texts[:20]).tobytes()))
    assert seen == {0, 1}


def forged(path, arrays=(), settings=(), drop=()):
    """The model with other arrays and settings, sealed as the writer does."""
    model = open_model(path)
    changed = {name: model.array(name) for name in model.names if name not in drop} | dict(arrays)
    kept = {name: value for name, value in model.settings.items() if name not in drop} | dict(settings)
    other = path.with_name("forged.tnb")
    write_model(other, changed, kept)
    return other


def test_a_model_written_anew_is_not_what_is_refused(path):
    assert (load(forged(path)).predict(TEXTS) == load(path).predict(TEXTS)).all()


def array_of(path, name):
    return open_model(path).array(name).copy()


ARRAYS = ["terms", "offsets", "hashes", "order", "columns"]
ARRAYS += ["coef", "intercept", "log_prior", "idf", "frozen"]
ARRAYS += ["totals", "totals_classes", "totals_lengths", "documents", "document_frequency", "occurrences", "outside"]
ARRAYS += ["ledger", "ledger_counts"]


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_form_are_refused(path, limited, name):
    path = limited if name == "columns" else path
    array = array_of(path, name)
    other_dtype = array.astype(np.uint8 if array.dtype != np.uint8 else np.int64)
    for changed in (array[:-1], np.concatenate([array, array]), array[..., None], other_dtype, array[:0]):
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, {name: changed}))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in ("coef", "intercept", "log_prior", "idf") for value in (np.nan, np.inf)],
        *[("totals", value) for value in (-1, 0)],
        *[("totals_classes", value) for value in (-1, 3, 2**31 - 1)],
        *[("totals_lengths", value) for value in (-1, 0, 4, 2**31 - 1)],
        *[(name, -1) for name in ("documents", "document_frequency", "occurrences", "outside")],
        *[("frozen", value) for value in (-1, 2**31 - 1)],
        ("ledger", 0xFF),
        *[("ledger_counts", value) for value in (-1, 0, 2, 2**31 - 1)],
        *[("offsets", value) for value in (-1, 2**62)],
        *[("order", value) for value in (-1, 2**31 - 1)],
        ("terms", 0xFF),
        ("hashes", 2**64 - 1),
    ],
)
def test_values_out_of_range_are_refused(path, name, value):
    array = array_of(path, name)
    array[len(array) // 2] = value
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, {name: array}))


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.0])
@pytest.mark.parametrize("name", ["totals", "documents", "outside"])
def test_counts_that_are_no_numbers_are_refused(weighted, name, value):
    array = array_of(weighted, name)
    assert array.dtype == np.float64
    array[len(array) // 2] = value
    if value == 0 and name != "totals":  # of a class, there may be nothing
        load(forged(weighted, {name: array}))
        return
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(weighted, {name: array}))


@pytest.mark.parametrize("value", [-2, 0, 2**31 - 1])
def test_columns_that_are_no_numbering_are_refused(limited, value):
    columns = array_of(limited, "columns")
    columns[np.flatnonzero(columns == -1)[3]] = value
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(limited, {"columns": columns}))
    columns[:] = value
    if value:
        with pytest.raises(ValueError, match="damaged"):
            open_predictor(forged(limited, {"columns": columns})).predict(TEXTS)


def test_a_model_whose_limits_leave_terms_out_predicts_without_them(limited):
    classifier = TextClassifier(min_df=2).fit(TEXTS, LABELS)
    asked = [*TEXTS, "cheap free unheard words", ""]
    assert "columns" in open_model(limited).names
    assert open_predictor(limited).vocabulary.terms() == sorted(classifier.vocabulary_) == ["cheap", "free", "lunch"]
    for opened in (open_predictor(limited).log_proba(asked), load(limited).predict_log_proba(asked)):
        assert (opened == classifier.predict_log_proba(asked)).all()
    learned = load(limited).learn(["the meeting at noon"], ["ham"])
    assert sorted(learned.vocabulary_) == ["at", "cheap", "free", "lunch", "meeting", "noon", "the"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("offsets", -1), ("offsets", 2**62), ("order", -1), ("order", 2**31 - 1), ("coef", np.nan), ("coef", np.inf)],
)
def test_values_out_of_range_do_no_harm_where_only_what_is_touched_is_read(path, name, value):
    array = array_of(path, name)
    array[:] = value
    with pytest.raises(ValueError, match=r"damaged|beyond floating point"):
        open_predictor(forged(path, {name: array})).predict(TEXTS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("classes", [[], None, "ham", {}, ["a", "b"], ["spam", "other", "ham"], ["a", "a", "b"], ["a", 1, 2.5]]),
        ("classes", [[["a"], ["b"], ["c"]], [None, None, None], ["a", "a\0", "b"]]),
        ("unknown", ["ignore", "both", None, 1, []]),
        ("weights", ["bm25", None, {}, "counts\0"]),
        ("prior_in_joint", [1, "yes", None]),
        ("analyzer", [None, [], {}, {"kind": "word"}, "word"]),
        ("parameters", [None, [], {"more": 1}, "all"]),
        ("n_documents", [-1, 2.5, None, True, "5", [5], 4, 10**30]),
        ("reference", [None, [], [5], [5, 1, 1], [5, -1], [5, 6], [0, 0], [True, 1], [5.0, 1], "51", {"5": 1}]),
        ("reference", [[10**30, 1], [2**62, 1]]),
        ("vocabulary", [None, "given", 1, ["fixed"]]),
        ("pruned", [None, "no", 1, []]),
    ],
)
def test_wrong_settings_are_refused(path, name, values):
    for value in values:
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={name: value}))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("model", ["bayes", None, [], "os.system"]),
        ("weights", ["counts", "tfidf", None, []]),
        ("unknown", ["ignore", "both", None]),
        ("alpha", ["much", None, [1.0], {}]),
        ("min_df", [0, -1, "all", None, True, 1.5]),
        ("max_features", [0, 1.5, "all"]),
        ("class_prior", ["uniform", {"ham": 1}, [None, 1, 1], ["a", "b", "c"], 0.5]),
        ("fit_prior", ["yes", None]),
        ("norm", ["no", 5]),
        ("n_jobs", ["two", 0, 1.5]),
    ],
)
def test_wrong_parameters_are_refused(path, name, values):
    parameters = open_model(path).settings["parameters"]
    for value in values:
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={"parameters": parameters | {name: value}}))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kind", ["sentence", None, 5, "os.system"]),
        ("ngrams", [[], [1], [2, 1], [0, 1], [1.5, 2], ["1", "2"], 3, None]),
        ("lowercase", ["yes", None]),
        ("strip_accents", ["all", 5]),
        ("preprocessor", ["os.system", {}]),
        ("tokenizer", ["os.system", "nltk.data.load", 5, ["tweet"]]),
        ("token_pattern", ["(", "(a)(b)", 5, ["a"]]),
        ("stop_words", ["the", 5, [["a"]], {"a": 1}]),
        ("stemmer", ["os.system", "snowball-klingon", 5]),
    ],
)
def test_a_wrong_analyzer_is_refused(path, name, values):
    analyzer = open_model(path).settings["analyzer"]
    for value in values:
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={"analyzer": analyzer | {name: value}}))
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            open_predictor(path.with_name("forged.tnb"))


@pytest.mark.parametrize("name", ["kind", "ngrams", "lowercase"])
def test_an_analyzer_without_a_part_that_it_needs_is_refused(path, name):
    analyzer = open_model(path).settings["analyzer"]
    del analyzer[name]
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, settings={"analyzer": analyzer}))


def test_an_analyzer_with_an_unknown_part_is_refused(path):
    analyzer = open_model(path).settings["analyzer"]
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, settings={"analyzer": analyzer | {"spelling": "corrected"}}))


def test_an_option_that_an_older_file_does_not_have_is_as_by_default(path):
    analyzer = open_model(path).settings["analyzer"]
    del analyzer["stemmer"]
    assert load(forged(path, settings={"analyzer": analyzer})).predictor_.analyzer.stemmer is None


@pytest.mark.parametrize("open_file", [load, open_predictor])
def test_a_strangers_pattern_is_stopped_in_time(path, monkeypatch, open_file):
    monkeypatch.setattr("textnb.text.tokenize.PATTERN_SECONDS", 0.2)
    analyzer = open_model(path).settings["analyzer"] | {"token_pattern": r"(a+)+$"}
    opened = open_file(forged(path, settings={"analyzer": analyzer}))
    start = time.monotonic()
    with pytest.raises(ValueError, match=r"took longer than 0\.2 s"):
        opened.predict(["a" * 29 + "b" + "a" * 5000 + "b"])
    assert time.monotonic() - start < 5


def test_what_is_not_touched_is_not_read(large):
    """A damaged block far from the words of the message: `predict` answers, `load` refuses."""
    predictor, message = open_predictor(large), ["w1 w2"]
    expected = predictor.log_proba(message)
    content = bytearray(large.read_bytes())
    coef = content.index(array_of(large, "coef").tobytes())
    content[coef + 8 * 8 * 5000] ^= 1
    broken = large.with_name("elsewhere.tnb")
    broken.write_bytes(content)
    assert (open_predictor(broken).log_proba(message) == expected).all()
    with pytest.raises(ValueError, match="elsewhere"):
        load(broken)


def test_a_million_terms_answer_at_once(tmp_path):
    path, n_terms, n_classes = tmp_path / "million.tnb", 1_000_000, 20
    settings = {
        "analyzer": Analyzer().to_settings(),
        "classes": [f"class {number:02}" for number in range(n_classes)],
        "prior_in_joint": False,
        "unknown": "ignore",
        "weights": "log-tfidf",
    }
    arrays = build_term_arrays([f"term{number:07}" for number in range(n_terms)])
    coef = np.zeros((n_terms, n_classes))
    coef[np.arange(n_terms), np.arange(n_terms) % n_classes] = 1.0
    arrays |= {"coef": coef, "idf": np.ones(n_terms), "intercept": np.zeros(n_classes)}
    write_model(path, arrays | {"log_prior": np.full(n_classes, -np.log(n_classes))}, settings)
    message = " ".join(f"term{number:07} stranger{number}" for number in range(7, n_terms, n_terms // 100))

    def answer():
        start = time.perf_counter()
        label = open_predictor(path).predict([message])
        assert label.tolist() == ["class 07"]
        return time.perf_counter() - start

    answer()  # the file is then in the system's cache
    tracemalloc.start()
    answer()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20  # of 188 MB
    assert min(answer() for _ in range(5)) < 0.020


@pytest.mark.parametrize("name", golden.CLASSIFIERS)
def test_files_of_format_1_stay_loadable(name):
    path = golden.FOLDER / f"format-1-{name}.tnb"
    expected = json.loads((golden.FOLDER / "format-1.json").read_text())[name]
    assert np.allclose(load(path).predict_proba(golden.ASKED), expected, rtol=1e-10, atol=0)
    assert np.allclose(np.exp(open_predictor(path).log_proba(golden.ASKED)), expected, rtol=1e-10, atol=0)
    saved = golden.CLASSIFIERS[name].get_params()
    assert load(path).get_params() == saved | {"calibrate": False}  # there was nothing else then


def test_a_model_of_format_1_predicts_and_says_that_it_can_do_no_more():
    classifier = load(golden.FOLDER / "format-1-multinomial.tnb")
    for act in (classifier.learn, classifier.forget):
        with pytest.raises(ValueError, match="older textnb, without all its counts"):
            act(TEXTS, LABELS)


@pytest.mark.parametrize("name", golden_2.CLASSIFIERS)
def test_files_of_format_2_stay_loadable_and_learn_on(name, tmp_path):
    path, again = golden_2.FOLDER / f"format-2-{name}.tnb", tmp_path / "again.tnb"
    expected = json.loads((golden_2.FOLDER / "format-2.json").read_text())[name]
    classifier = load(path)
    assert np.allclose(classifier.predict_proba(golden.ASKED), expected, rtol=1e-10, atol=0)
    assert np.allclose(np.exp(open_predictor(path).log_proba(golden.ASKED)), expected, rtol=1e-10, atol=0)
    classifier.learn(golden_2.MORE, golden_2.MORE_LABELS).forget(golden_2.MORE, golden_2.MORE_LABELS).save(again)
    assert_same_content(open_model(again), open_model(path))


def assert_same_content(one, other):
    """All that was counted to the last bit; logarithms may differ in the last digit from one processor to another."""
    assert one.settings == other.settings
    assert one.names == other.names
    for name in one.names:
        a, b = one.array(name), other.array(name)
        assert a.dtype == b.dtype
        assert np.allclose(a, b, rtol=1e-12, atol=0) if a.dtype.kind == "f" else np.array_equal(a, b)
    if one.writer == other.writer and all(np.array_equal(one.array(name), other.array(name)) for name in one.names):
        assert Path(one.path).read_bytes() == Path(other.path).read_bytes()
