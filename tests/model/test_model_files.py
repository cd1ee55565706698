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
from golden_models import make_format_3 as golden_3
from opened_models import open_predictor
from storage.forge import in_child

from textnb import TextClassifier, load
from textnb.arrays import SparseRows
from textnb.model.file import Fitted, content, fitted_of, learner_of
from textnb.model.learner import Learner
from textnb.model.parameters import CHOOSABLE, effective
from textnb.model.recipe import Recipe
from textnb.statistics.text_counts import TextCounts
from textnb.storage import open_model, write_model
from textnb.text.analyzer import Analyzer
from textnb.text.frozen import Reference
from textnb.text.limits import Limits
from textnb.text.terms import Terms

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
    texts = [" ".join(f"w{number}" for number in range(start, start + 300)) for start in range(0, 60_000, 300)]
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
        assert {"by_class", "documents", "totals", "terms", "hashes"} <= set(file.keys())
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


@pytest.mark.slow
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
    for killed in range(200):
        if killed >= 25 and seen == {0, 1}:
            break
        child = os.fork()
        if child == 0:
            try:
                while True:
                    new.save(path)
                    old.save(path)
            finally:
                os._exit(1)
        time.sleep(generator.uniform(0.0, (2 + killed // 25) * cycle))  # longer, if a busy machine has not begun yet
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


ARRAYS = ["terms", "offsets", "hashes", "order", "kept"]
ARRAYS += ["by_class", "intercept", "log_prior", "unknown_totals", "frozen"]
ARRAYS += ["totals", "totals_classes", "totals_lengths", "totals_starts"]
ARRAYS += ["documents", "document_frequency", "occurrences", "outside"]
ARRAYS += ["ledger", "ledger_counts"]


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_form_are_refused(path, limited, name):
    path = limited if name == "kept" else path
    array = array_of(path, name)
    other_dtype = array.astype(np.float32)
    for changed in (array[:-1], np.concatenate([array, array]), array[..., None], other_dtype, array[:0]):
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, {name: changed}))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


def with_value(array, value, where):
    """An array with another value, in a type that holds it."""
    if array.dtype.kind == "u" and not 0 <= value <= np.iinfo(array.dtype).max:
        array = array.astype(np.int64 if value < 2**63 else np.uint64)
    array[where] = value
    return array


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in ("by_class", "intercept", "log_prior") for value in (np.nan, np.inf)],
        *[("totals", value) for value in (-1, 0)],
        *[("totals_classes", value) for value in (-1, 3, 2**31 - 1)],
        *[("totals_lengths", value) for value in (-1, 0, 4, 2**31 - 1, 2**64 - 1)],
        *[("totals_starts", value) for value in (-1, 1, 2**64 - 1)],
        *[(name, -1) for name in ("documents", "document_frequency", "occurrences", "outside", "unknown_totals")],
        *[(name, 2**64 - 1) for name in ("documents", "document_frequency", "occurrences", "outside")],
        *[("document_frequency", 6), ("documents", 5)],
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
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, {name: with_value(array, value, len(array) // 2)}))


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.0])
@pytest.mark.parametrize("name", ["totals", "documents", "outside"])
def test_counts_that_are_no_numbers_are_refused(weighted, name, value):
    array = array_of(weighted, name)
    assert array.dtype == np.float64
    array[len(array) // 2] = value
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(weighted, {name: array}))


def test_features_that_are_not_those_of_the_limits_are_refused(limited):
    kept = array_of(limited, "kept")
    for bit in range(8):
        changed = kept.copy()
        changed[0] ^= 1 << bit
        other = forged(limited, {"kept": changed})
        with pytest.raises(ValueError, match=r"forged\.tnb.*'kept' does not fit its limits"):
            load(other)
        open_predictor(other).predict(TEXTS)  # of other words, and does no harm


def test_a_model_whose_limits_leave_terms_out_predicts_without_them(limited):
    classifier = TextClassifier(min_df=2).fit(TEXTS, LABELS)
    asked = [*TEXTS, "cheap free unheard words", ""]
    assert "kept" in open_model(limited).names
    assert open_predictor(limited).features.names() == sorted(classifier.vocabulary_) == ["cheap", "free", "lunch"]
    for opened in (open_predictor(limited).log_proba(asked), load(limited).predict_log_proba(asked)):
        assert (opened == classifier.predict_log_proba(asked)).all()
    learned = load(limited).learn(["the meeting at noon"], ["ham"])
    assert sorted(learned.vocabulary_) == ["at", "cheap", "free", "lunch", "meeting", "noon", "the"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("offsets", -1), ("offsets", 2**62), ("order", -1), ("order", 2**31 - 1)],
        *[("totals", 0), ("totals_classes", 3), ("totals_classes", 2**64 - 1), ("totals_lengths", 2)],
        *[("totals_lengths", 4), ("totals_lengths", 2**64 - 1), ("totals_starts", 100), ("totals_starts", 2**64 - 1)],
        *[("frozen", 24), ("frozen", 2**64 - 1), ("by_class", np.nan), ("intercept", np.inf), ("documents", -1)],
    ],
)
def test_values_out_of_range_do_no_harm_where_only_what_is_touched_is_read(path, name, value):
    array = with_value(array_of(path, name), value, slice(None))
    texts = TEXTS[:1] if name in ("offsets", "order") else TEXTS  # so few are looked up by these
    with pytest.raises(ValueError, match=r"damaged|beyond floating point"):
        open_predictor(forged(path, {name: array})).predict(texts)


def test_hashes_that_are_not_those_of_their_terms_are_refused(path):
    """All were changed alike and sorted, so that words were not found, and by other ways they were."""
    hashes, order = array_of(path, "hashes") ^ np.uint64(12345), array_of(path, "order")
    by_hash = np.argsort(hashes, kind="stable")
    with pytest.raises(ValueError, match=r"forged\.tnb.*hashes are not those of its terms"):
        load(forged(path, {"hashes": hashes[by_hash], "order": order[by_hash]}))


def test_a_prior_under_which_nothing_is_possible_is_refused(path):
    """Probabilities were NaN."""
    other = forged(path, {"log_prior": np.full(len(array_of(path, "log_prior")), -np.inf)})
    for opened in (load, open_predictor):
        with pytest.raises(ValueError, match=r"forged\.tnb.*'log_prior'"):
            opened(other)


@pytest.mark.parametrize(
    "analyzer",
    [
        *[{"ngrams": [1, n]} for n in (65, 10**8, 10**400)],
        {"kind": "char", "ngrams": [1, 10**6]},
        *[{"token_pattern": pattern} for pattern in ("a{4294967290}", "(?i)" + "[Ā-\U0010ffff]" * 3000, -1.0, "(")],
    ],
    ids=lambda analyzer: repr(analyzer)[:30],
)
def test_an_analyzer_that_would_take_long_is_refused(path, analyzer):
    other = forged(path, settings={"analyzer": open_model(path).settings["analyzer"] | analyzer})
    for opened in (load, open_predictor):
        with pytest.raises(ValueError, match=r"forged\.tnb.*its settings cannot be understood"):
            opened(other)


@pytest.mark.parametrize("name", ["by_class", "intercept", "log_prior"])
def test_what_is_stored_for_prediction_must_follow_from_the_counts(path, name):
    """A file said one thing to `textnb.load`, which derives it, and another to who predicts by it."""
    array = array_of(path, name)
    array[-1] -= 0.5
    with pytest.raises(ValueError, match=rf"forged\.tnb.*array '{name}' does not fit its counts"):
        load(forged(path, {name: array}))
    array[-1] += 0.5 * (1 + 1e-12)  # other machines round otherwise
    load(forged(path, {name: array}))


def frequencies(n_documents, unknown_frequency):
    return {"n_documents": n_documents, "unknown_frequency": unknown_frequency}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kind", [None, "mixed", "words", 5]),
        ("rule", [None, "quadratic", 5, ["linear"]]),
        ("classes", [[], None, "ham", {}, ["a", "b"], ["spam", "other", "ham"], ["a", "a", "b"], ["a", 1, 2.5]]),
        ("classes", [[["a"], ["b"], ["c"]], [None, None, None], ["a", "a\0", "b"]]),
        ("unknown", ["ignore", "both", None, 1, []]),
        ("weights", ["counts", "bm25", None, {}, [], "counts\0"]),
        ("analyzer", [None, [], {}, {"kind": "word"}, "word"]),
        ("n_documents", [-1, 2.5, None, True, "5", [5], 4, 10**30]),
        ("reference", [None, [], [5, 1], "51", {"n_documents": 5}, frequencies(5, -1), frequencies(5, 6)]),
        ("reference", [frequencies(0, 0), frequencies(True, 1), frequencies(5.0, 1), frequencies(10**30, 1)]),
        ("reference", [frequencies(2**62, 1), frequencies(5, 1) | {"more": 1}]),
        ("vocabulary", [None, "taken", 1, ["fixed"]]),
        ("pruned", [None, "no", 1, []]),
        ("model", ["bayes", None, [], "os.system"]),
        ("alpha", ["much", None, [1.0], {}, -1.0, 1e200, 10**400]),
        ("min_df", [0, -1, "all", None, True, 1.5]),
        ("max_df", [0, -1, "all", None, True, 1.5]),
        ("fit_prior", ["yes", None]),
        ("norm", ["no", 5]),
        ("calibrate", ["yes", None, 1]),
        ("auto", [None, "alpha", ["beta"], [5], ["alpha", "alpha"], ["C"]]),
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
        ("max_features", [0, 1.5, "all", 10**30]),
        ("class_prior", ["uniform", {"ham": 1}, [None, 1, 1], ["a", "b", "c"], 0.5]),
        ("ledger", ["yes", 1, []]),
        ("more", [None, 1]),
    ],
)
def test_wrong_settings_that_may_be_left_out_are_refused(path, name, values):
    assert name not in open_model(path).settings
    for value in values:
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={name: value}))


@pytest.mark.parametrize("opened", [load, open_predictor])
def test_what_would_take_much_memory_is_refused_in_time(path, opened):
    start = time.monotonic()
    many = [f"{number:06}" for number in range(100_000)]
    for settings in (
        {"classes": [*many, "x" * 1_000_000]},
        {"classes": ["x" * 2_000_000, "y", "z"]},
        {"analyzer": open_model(path).settings["analyzer"] | {"token_pattern": "a" * 2_000_000}},
    ):
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            opened(forged(path, settings=settings))
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kind", ["sentence", None, 5, "os.system"]),
        ("ngrams", [[], [1], [2, 1], [0, 1], [1.5, 2], ["1", "2"], 3, None, [1, 65], [1, 10**9]]),
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


def test_an_option_that_a_file_does_not_have_is_as_by_default(path):
    assert "stemmer" not in open_model(path).settings["analyzer"]
    assert load(path).predictor_.analyzer.stemmer is None


@pytest.mark.parametrize(
    "parameters",
    [
        {"stop_words": "english", "ngrams": (1, 2), "strip_accents": "ascii", "class_prior": [0.25, 0.5, 0.25]},
        {"stop_words": ["at", "the"], "min_df": 2, "max_df": 0.9, "max_features": 5, "weights": "binary"},
        {"model": "bernoulli", "analyzer": "char", "ngrams": (2, 3), "alpha": 0.5, "fit_prior": False},
        {"vocabulary": ["cheap", "lunch", "noon"], "unknown": "token", "ledger": True, "calibrate": False},
        {"norm": True, "tokenizer": "wordpunct", "stemmer": "porter", "lowercase": False, "ledger": False},
    ],
    ids=str,
)
def test_the_settings_restore_the_parameters(tmp_path, parameters):
    classifier = TextClassifier(**parameters).fit(TEXTS, LABELS)
    classifier.save(tmp_path / "model.tnb")
    left_open = not parameters.keys() & set(CHOOSABLE)
    expected = classifier.get_params() if left_open else classifier.parameters_in_use
    assert load(tmp_path / "model.tnb").get_params() == expected


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
    totals = array_of(large, "totals")
    content[content.index(totals.tobytes()) + totals.nbytes - 8] ^= 1
    broken = large.with_name("elsewhere.tnb")
    broken.write_bytes(content)
    assert (open_predictor(broken).log_proba(message) == expected).all()
    with pytest.raises(ValueError, match="elsewhere"):
        load(broken)


def test_a_million_terms_answer_at_once(tmp_path):
    path, n_terms, n_classes = tmp_path / "million.tnb", 1_000_000, 20
    recipe = Recipe(Analyzer(), "complement", "log-tfidf", False, Limits(), 1.0, True, None, False)
    entries, ones = np.arange(n_terms), np.ones(n_terms, dtype=np.int64)
    counts = TextCounts(
        classes=np.array([f"class {number:02}" for number in range(n_classes)]),
        documents=np.full(n_classes, 5),
        n_documents=100,
        terms=Terms.of([f"term{number:07}" for number in range(n_terms)]),
        totals=SparseRows(np.arange(n_terms + 1), entries % n_classes, ones << 40, n_classes),
        document_frequency=ones,
        occurrences=ones,
        outside=np.zeros(n_classes, dtype=np.int64),
        frozen=ones << 2,
    )
    write_model(path, *content(Learner(recipe, counts, Reference(100, 0)), Fitted()))
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
    saved = effective(golden.CLASSIFIERS[name].get_params(), {})
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
    old = open_model(path)
    write_model(tmp_path / "unchanged.tnb", *content(learner_of(old), fitted_of(old)))
    assert_same_content(open_model(again), open_model(tmp_path / "unchanged.tnb"))
    for name in {"documents", "totals", "totals_classes", "document_frequency", "outside"}:
        assert np.array_equal(open_model(again).array(name), old.array(name))
    assert np.allclose(load(again).predict_proba(golden.ASKED), expected, rtol=1e-10, atol=0)
    before, after = load(path).get_params(), load(again).get_params()
    assert sorted(after.pop("stop_words") or []) == sorted(before.pop("stop_words") or [])
    assert after == before


@pytest.mark.parametrize("name", golden_3.CLASSIFIERS)
def test_files_of_format_3_stay_loadable_and_learn_on(name, tmp_path):
    path, again = golden_3.FOLDER / f"format-3-{name}.tnb", tmp_path / "again.tnb"
    expected = json.loads((golden_3.FOLDER / "format-3.json").read_text())[name]
    classifier = load(path)
    assert np.allclose(classifier.predict_proba(golden.ASKED), expected, rtol=1e-10, atol=0)
    assert np.allclose(np.exp(open_predictor(path).log_proba(golden.ASKED)), expected, rtol=1e-10, atol=0)
    assert classifier.decide(golden.ASKED) == open_predictor(path).decide(golden.ASKED)
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
