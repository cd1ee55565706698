"""The fused scorer answers as the predictor does, one message at a time, and no file makes it crash."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip
from golden_models import make_format_3
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from model.test_model_files import forged
from opened_models import open_predictor
from storage.forge import in_child

from textnb import CategoricalNB, MixedNB, TextClassifier
from textnb.model import scorer as scorer_module
from textnb.model.calibration import Calibration
from textnb.model.decision import log_odds_against
from textnb.model.derive import derive
from textnb.model.file import Fitted, content
from textnb.model.learner import Learner
from textnb.model.policy import Policy
from textnb.model.recipe import Recipe
from textnb.model.scorer import open_scorer
from textnb.storage import ModelFileError, open_model, write_model
from textnb.text.analyzer import Analyzer
from textnb.text.frozen import UNIT
from textnb.text.limits import Limits
from textnb.text.mail import PRESETS
from textnb.text.terms import terms_of

GOLDEN = Path(make_format_3.__file__).parent
pytestmark = pytest.mark.skipif(scorer_module.compiled_kernel() is None, reason="the kernel was not compiled")

WORDS = [
    "alpha",
    "Beta",
    "gamma",
    "delta",
    "épsilon",
    "ZETA",
    "İstanbul",
    "中文字",
    "<UNK>",
    "co-operate",
    "unheard_of",
]
LABELS = ["x", "y", "z"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(st.tuples(texts, st.sampled_from(LABELS)), min_size=1, max_size=12)
analyzers = st.builds(
    Analyzer,
    kind=st.sampled_from(["word", "word", "char", "char_wb"]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3), (1, 4)]),
    lowercase=st.booleans(),
    stop_words=st.sampled_from([None, frozenset(["alpha", "unheard_of"])]),
)
mail_analyzers = st.builds(
    Analyzer, kind=st.just("mail"), ngrams=st.sampled_from([(1, 1), (1, 2)]), mail=st.sampled_from(sorted(PRESETS))
)
recipes = st.builds(
    Recipe,
    analyzer=analyzers | mail_analyzers,
    model=st.sampled_from(["complement", "multinomial", "bernoulli"]),
    weights=st.sampled_from(["counts", "binary", "tfidf", "log-tfidf"]),
    unknown=st.booleans(),
    limits=st.sampled_from([Limits(), Limits(2), Limits(1, 0.5), Limits(1, 1.0, 3)]),
    alpha=st.sampled_from([0.01, 0.25, 1.0]),
    fit_prior=st.booleans(),
    class_prior=st.none(),
    norm=st.booleans(),
)
numbers = st.floats(-3, 3)
calibrations = st.none() | st.builds(
    Calibration,
    temperature=st.floats(0.5, 20),
    length_exponent=st.floats(0, 1),
    offsets=st.just(()) | st.tuples(numbers, numbers, numbers),
)
policies = st.none() | st.builds(
    lambda prices, unsure, protected: Policy(prices, unsure, *protected),
    st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS), st.floats(0, 50)), max_size=3).map(tuple),
    st.none() | st.floats(0, 0.9),
    st.just((None, None, None)) | st.tuples(st.sampled_from([*LABELS, "gone"]), st.just(0.1), st.floats(-5, 5)),
)
asked = st.lists(texts | st.text(max_size=40) | st.tuples(texts, st.text(max_size=9), texts).map("".join), min_size=1)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("scorer") / "model.tnb"


def write(path, recipe, pairs, calibration=None, policy=None, vocabulary=None, weights=None):
    """A model file; an example that cannot be fitted is no example."""
    classes, class_ids = np.unique([label for _, label in pairs], return_inverse=True)
    if calibration is not None and len(calibration.offsets) not in (0, len(classes)):
        calibration = Calibration(calibration.temperature, calibration.length_exponent)
    learner = Learner.new(recipe, None if vocabulary is None else terms_of(vocabulary))
    try:
        learner, _ = learner.fit([text for text, _ in pairs], class_ids, classes, weights)
        arrays, stated = content(learner, Fitted(calibration=calibration, policy=policy), derive(learner))
    except ValueError:
        assume(False)
    write_model(path, arrays, stated)


def assert_same_answers(scorer, predictor, asked):
    """Probabilities to rounding; decisions where rounding does not decide."""
    for raw in (False, True):
        expected = predictor.log_proba(asked, raw=raw)
        np.testing.assert_allclose([scorer.log_proba(text, raw=raw) for text in asked], expected, 1e-12, 1e-12)
    assert scorer.classes == predictor.classes.tolist()
    for label in scorer.classes:
        scores = [scorer.score(text, label) for text in asked]
        np.testing.assert_allclose(scores, predictor.score(asked, label), 1e-12, 1e-12)
    for text, theirs in zip(asked, predictor.decide(asked), strict=True):
        mine = scorer.decide(text)
        assert mine == theirs or is_tie(predictor, predictor.log_proba([text]), mine, theirs)


def is_tie(predictor, log_proba, mine, theirs):
    """Whether two decisions cost the same to rounding, or a threshold is met to rounding."""
    labels = predictor.classes.tolist()
    if predictor.policy is None:
        a, b = (log_proba[0, labels.index(label)] for label in (mine, theirs))
        return a == pytest.approx(b, abs=1e-11)
    rule = predictor.policy.rule(predictor.classes)
    costs = rule.expected_costs(log_proba)[0]
    a, b = (costs[len(labels) if label is None else labels.index(label)] for label in (mine, theirs))
    if rule.protected is not None and log_odds_against(log_proba, rule.protected) == pytest.approx(rule.threshold):
        return True
    return a == pytest.approx(b, rel=1e-11, abs=1e-15)


@settings(max_examples=250, deadline=None)
@given(recipes, documents, calibrations, policies, asked, st.booleans(), st.booleans())
def test_answers_are_those_of_the_predictor(path, recipe, pairs, calibration, policy, asked, given_terms, weighted):
    weights = np.linspace(0.5, 2, len(pairs)) if weighted and recipe.model != "bernoulli" else None
    vocabulary = ["alpha", "beta", "gamma"] if given_terms and recipe.analyzer.ngrams == (1, 1) else None
    write(path, recipe, pairs, calibration, policy, vocabulary, weights)
    scorer = open_scorer(path)
    assert scorer is not None
    assert_same_answers(scorer, open_predictor(path), asked)


@pytest.mark.parametrize("name", ["limited", "ngrams"])
def test_golden_files_are_answered(name):
    path = GOLDEN / f"format-3-{name}.tnb"
    scorer = open_scorer(path)
    assert scorer is not None
    assert_same_answers(scorer, open_predictor(path), [*make_format_3.TEXTS, "", "?"])


# Files


MAIL = [
    "cheap pills now",
    "win a free prize now",
    "lunch at noon",
    "minutes of the meeting",
    "free lunch, cheap dinner",
]
KINDS = ["spam", "spam", "ham", "ham", "other"]
QUESTIONS = ["Free pills!", "the minutes of the lunch", "naïve ☕ dinner", "", "cheap " * 9]


def save(path, **options):
    chosen = {"model": "multinomial", "weights": "counts", "alpha": 0.5, "calibrate": False, **options}
    TextClassifier(**chosen).fit(MAIL, KINDS).save(path)
    return path


WIDTHS = ["u1", "u2", "u4", "u8"]
WHOLE = ["offsets", "totals", "totals_classes", "totals_lengths", "totals_starts", "documents"]


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
@pytest.mark.parametrize("dtype", WIDTHS)
def test_whole_numbers_may_have_any_width(tmp_path, dtype, ngrams):
    path = save(tmp_path / "m.tnb", ngrams=ngrams, unknown="token")
    names = [*WHOLE, "unknown_totals", "order", *(["ngram_starts"] if ngrams[1] > 1 else [])]
    other = forged(path, {name: open_model(path).array(name).astype(dtype) for name in names})
    assert_same_answers(open_scorer(other), open_predictor(path), QUESTIONS)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_totals_may_be_floats(tmp_path, dtype):
    path = save(tmp_path / "m.tnb", model="complement")
    other = forged(path, {"totals": open_model(path).array("totals").astype(dtype)})
    assert_same_answers(open_scorer(other), open_predictor(path), QUESTIONS)


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_half_and_single_floats_are_those_of_numpy(tmp_path, dtype):
    path = save(tmp_path / "m.tnb", weights="tfidf")
    totals = np.random.default_rng(3).lognormal(0, 5, open_model(path).array("totals").shape).clip(1e-6, 6e4)
    narrow = totals.astype(dtype)  # of weights as they are; wider ones are in units
    exact = forged(path, {"totals": narrow.astype("f8") / UNIT}).rename(tmp_path / "exact.tnb")
    other = forged(path, {"totals": narrow})
    assert_same_answers(open_scorer(other), open_predictor(exact), QUESTIONS)


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_words_are_found_without_their_hashes(tmp_path, ngrams):
    path = save(tmp_path / "m.tnb", ngrams=ngrams)
    other = forged(path, drop=["hashes", "order", "document_frequency", "occurrences", "ledger", "ledger_counts"])
    assert_same_answers(open_scorer(other), open_predictor(path), QUESTIONS)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize("ngrams", [(1, 2), (2, 3)])
def test_words_of_ngrams_may_be_unsigned_with_none_as_0(tmp_path, dtype, ngrams):
    path = save(tmp_path / "m.tnb", ngrams=ngrams, unknown="token")
    other = forged(path, {"ngram_rest": (open_model(path).array("ngram_rest") + 1).astype(dtype)})
    assert_same_answers(open_scorer(other), open_predictor(path), QUESTIONS)


def test_settings_that_others_add_do_not_matter(tmp_path):
    path = save(tmp_path / "m.tnb")
    assert_same_answers(
        open_scorer(forged(path, settings={"columns": {"text": "body"}})), open_predictor(path), QUESTIONS
    )


@pytest.mark.parametrize(
    "options", [{"stemmer": "porter"}, {"alpha": 0.0}, {"strip_accents": "unicode"}, {"token_pattern": r"\w+"}], ids=str
)
def test_what_it_does_not_know_is_for_the_predictor(tmp_path, options):
    assert open_scorer(save(tmp_path / "m.tnb", **options)) is None


@pytest.mark.parametrize("name", ["format-1-complement", "format-2-log-tfidf", "format-3-decided", "format-3-mixed"])
def test_older_files_stemmers_and_tables_are_for_the_predictor(name):
    assert open_scorer(GOLDEN / f"{name}.tnb") is None


def test_without_the_kernel_there_is_no_scorer(tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTNB_KERNEL", "python")
    assert open_scorer(save(tmp_path / "m.tnb")) is None


FORGED_SETTINGS = [
    {"classes": ["a", "a", "b"]},
    {"alpha": "1"}, {"alpha": -1.0}, {"classes": []}, {"classes": [["a"], ["b"], ["c"]]}, {"classes": ["a", "b"]},
    {"model": "other"}, {"weights": "other"}, {"weights": "tfidf"}, {"analyzer": {}}, {"analyzer": []}, {"unknown": 3},
    {"policy": {"prices": [[1, 2]]}}, {"policy": {"prices": [], "threshold": 1.0}}, {"policy": []},
    {"calibration": {"temperature": 0.0, "length_exponent": 0.0, "offsets": []}},
    {"calibration": {"temperature": 1.0, "length_exponent": 0.0, "offsets": [1.0]}},
    {"analyzer": {"kind": "word", "ngrams": [1, 10**8], "lowercase": True, "token_pattern": None}},
    {"analyzer": {"kind": "word", "ngrams": [0, 1], "lowercase": True, "token_pattern": None}},
    {"analyzer": {"kind": "word", "ngrams": [1, 2], "lowercase": True, "token_pattern": None}},
    {"analyzer": {"kind": "word", "ngrams": [1, 1], "lowercase": 3, "token_pattern": None}},
    {"analyzer": {"kind": "word", "ngrams": [1, 1], "lowercase": True, "token_pattern": None, "stop_words": "the"}},
]  # fmt: skip


@pytest.mark.parametrize("stated", FORGED_SETTINGS, ids=str)
def test_settings_that_make_no_sense_are_for_the_predictor_to_refuse(tmp_path, stated):
    assert open_scorer(forged(save(tmp_path / "m.tnb"), settings=stated)) is None


# Damage


def answered(path, expected):
    """Whether the answers are the right ones; False for a file that is refused."""
    try:
        scorer = open_scorer(path)
        if scorer is None:
            open_predictor(path).log_proba(QUESTIONS)
            return True
        found = [scorer.log_proba(text) for text in QUESTIONS]
    except ModelFileError:
        return False
    np.testing.assert_allclose(found, expected, 1e-12)
    return True


@pytest.fixture(scope="module", params=[{"ngrams": (1, 2), "unknown": "token", "min_df": 2}, {"weights": "log-tfidf"}])
def intact(request, tmp_path_factory):
    """A model file, where its arrays begin, and its answers."""
    path = save(tmp_path_factory.mktemp("intact") / "m.tnb", **request.param)
    file = scorer_module.map_model(path)
    return path, [place.begin for place in file.places.values()], open_predictor(path).log_proba(QUESTIONS)


def test_a_flipped_bit_is_refused_or_does_not_matter(intact, tmp_path):
    path, begins, expected = intact
    whole, broken = path.read_bytes(), tmp_path / "broken.tnb"

    def flip_all():
        refused = 0
        for bit in range(8 * min(begins), 8 * len(whole), 3):
            content = bytearray(whole)
            content[bit // 8] ^= 1 << bit % 8
            broken.write_bytes(content)
            refused += not answered(broken, expected)
        assert refused > 100

    assert in_child(flip_all) == 0


def test_a_cut_is_refused(intact, tmp_path):
    path, begins, expected = intact
    whole, broken = path.read_bytes(), tmp_path / "broken.tnb"

    def cut_all():
        for place in begins:
            for size in (place - 1, place, min(place + 1, len(whole) - 1)):
                broken.write_bytes(whole[:size])
                assert not answered(broken, expected)

    assert in_child(cut_all) == 0


@pytest.mark.parametrize("seed", range(4))
def test_no_content_of_the_arrays_makes_it_crash(intact, tmp_path, seed):
    """Sealed with right checksums, so that nothing but the checks of every value stands between them and memory."""
    path, _, _ = intact
    arrays = {name: open_model(path).array(name) for name in open_model(path).names}
    stated = open_model(path).settings
    generator = np.random.default_rng(seed)

    def forge_all():
        for name, array in arrays.items():
            for _ in range(25):
                other = np.array(array)
                raw = other.reshape(-1).view(np.uint8)
                places = generator.integers(0, len(raw), generator.integers(1, 1 + len(raw)))
                raw[places] = generator.choice([0, 1, 2, 127, 128, 255, 7], len(places))
                if generator.random() < 0.2:
                    other = other[: len(other) // 2]
                write_model(tmp_path / "forged.tnb", {**arrays, name: other}, stated)
                scorer = open_scorer(tmp_path / "forged.tnb")
                for text in [] if scorer is None else QUESTIONS:
                    try:
                        assert len(scorer.log_proba(text)) == 3
                    except ValueError:
                        break

    assert in_child(forge_all) == 0


@pytest.mark.parametrize("name", ["by_class", "intercept", "log_prior", "documents", "unknown_totals"])
@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_short_floats_where_no_file_has_them_are_refused(tmp_path, name, dtype):
    """The scorer read them, and the predictor refused the same file."""
    path = save(tmp_path / "m.tnb", unknown="token")
    assert open_scorer(forged(path, {name: open_model(path).array(name).astype(dtype)})) is None


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_the_predictor_takes_short_totals_of_counts_as_they_are(tmp_path, dtype):
    """It took them for tf-idf, 2⁴⁰ times as large."""
    path = save(tmp_path / "m.tnb")
    expected = open_predictor(path).log_proba(QUESTIONS)
    other = forged(path, {"totals": open_model(path).array("totals").astype(dtype)})
    np.testing.assert_allclose(open_predictor(other).log_proba(QUESTIONS), expected, 1e-12)


def test_totals_that_belong_to_several_terms_are_refused(tmp_path):
    """A file of 5 MB whose terms shared their totals took gigabytes to answer a page of text."""
    n_classes, words = 100, [f"word{number:03}" for number in range(400)]
    TextClassifier("multinomial", "counts", alpha=1.0, calibrate=False).fit(
        [" ".join(words[i::n_classes]) for i in range(n_classes)] * 3, list(range(n_classes)) * 3
    ).save(tmp_path / "m.tnb")
    n_terms = len(open_model(tmp_path / "m.tnb").array("totals_lengths"))
    shared = {
        "totals": np.ones(64 * n_classes, "u1"),
        "totals_classes": np.tile(np.arange(n_classes, dtype="u1"), 64),
        "totals_lengths": np.full(n_terms, n_classes, "u1"),
        "totals_starts": np.zeros(-(-n_terms // 64), "u1"),
    }
    path = forged(tmp_path / "m.tnb", shared)
    for ask in (open_scorer(path).log_proba, lambda text: open_predictor(path).log_proba([text])):
        ask(" ".join(words[:64]))
        with pytest.raises(ModelFileError, match="belong to several terms"):
            ask(" ".join(words))


def test_scores_that_leave_no_class_possible_are_for_the_predictor(tmp_path):
    """They were no numbers; the predictor has the prior for them."""
    path = save(tmp_path / "m.tnb")
    other = forged(path, {name: np.full(3, -1.7e308) for name in ("intercept", "log_prior")})
    scorer, predictor = open_scorer(other), open_predictor(other)
    with np.errstate(over="ignore"):
        assert scorer.log_proba("free") == predictor.log_proba(["free"])[0].tolist()


def test_damage_is_met_where_it_is_touched_and_reported_each_time(tmp_path):
    words = [f"word{number:05}" for number in range(20_000)]
    TextClassifier("multinomial", "counts", alpha=1.0, calibrate=False).fit(
        [" ".join(words[i::2]) for i in range(2)], ["a", "b"]
    ).save(tmp_path / "m.tnb")
    place = scorer_module.map_model(tmp_path / "m.tnb").places["terms"]
    content = bytearray((tmp_path / "m.tnb").read_bytes())
    content[place.begin] ^= 1
    (tmp_path / "m.tnb").write_bytes(content)
    scorer = open_scorer(tmp_path / "m.tnb")
    assert scorer.decide(words[-1]) == "b"
    for _ in range(2):
        with pytest.raises(ModelFileError, match="array 'terms' does not match the checksum of its block 0"):
            scorer.decide(words[0])
    assert scorer.decide(words[-2]) == "a"


# In a service


def test_answers_do_not_depend_on_what_was_asked_before(tmp_path):
    path = save(tmp_path / "m.tnb", ngrams=(1, 2), unknown="token")
    scorer, fresh = open_scorer(path), open_scorer(path)
    for start in range(0, 300_000, 50_000):  # more than it remembers
        scorer.log_proba(" ".join(f"new{number}" for number in range(start, start + 50_000)))
    for text in QUESTIONS * 2:
        assert scorer.log_proba(text) == fresh.log_proba(text) == open_scorer(path).log_proba(text)


def test_threads_may_share_it(tmp_path):
    path = save(tmp_path / "m.tnb", ngrams=(1, 2))
    scorer, predictor = open_scorer(path), open_predictor(path)
    texts = [f"{MAIL[i % 5]} number {i} {MAIL[i % 3]}" for i in range(4000)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(scorer.log_proba, texts))
    np.testing.assert_allclose(found, predictor.log_proba(texts), 1e-12)


def test_a_very_long_document_is_for_the_predictor(tmp_path, monkeypatch):
    path = save(tmp_path / "m.tnb")
    monkeypatch.setattr(scorer_module, "_MOST_CHARACTERS", 50)
    scorer, predictor = open_scorer(path), open_predictor(path)
    texts = ["free lunch " * 4, "free lunch " * 5]
    assert [scorer.log_proba(text) for text in texts] == pytest.approx(predictor.log_proba(texts), rel=1e-12)
    assert [text for text in texts if len(text) <= scorer._longest] == texts[:1]


def test_it_outlives_the_file(tmp_path):
    path = save(tmp_path / "m.tnb")
    scorer = open_scorer(path)
    expected = open_predictor(path).decide(QUESTIONS)
    path.unlink()
    assert [scorer.decide(text) for text in QUESTIONS] == expected


@pytest.mark.parametrize("other", [b"free", None, 3, ["free"]])
def test_a_document_is_a_string(tmp_path, other):
    with pytest.raises(TypeError):
        open_scorer(save(tmp_path / "m.tnb")).log_proba(other)


def test_it_works_in_a_process_without_numpy(tmp_path):
    path = save(tmp_path / "m.tnb")
    script = (
        "import sys; sys.modules['numpy'] = None\nfrom textnb.model.scorer import open_scorer\n"
        f"print(open_scorer({str(path)!r}).decide('free pills'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(scorer_module.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "spam\n"


def test_tables_are_not_taken_for_texts(tmp_path):
    from textnb.estimators.mixed_file import save_mixed

    model = MixedNB([("categorical", CategoricalNB(), [0])]).fit(np.array([["a"], ["b"]], dtype=object), ["x", "y"])
    save_mixed(model, tmp_path / "m.tnb")
    assert open_scorer(tmp_path / "m.tnb") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"analyzer": "word"},  # whose tokenizer is not chosen: the scorer does not know all
        {"model": "multinomial", "weights": "counts", "alpha": 0.1, "ngrams": (1, 2), "unknown": "token", "min_df": 2},
        {"model": "bernoulli", "alpha": 1.0},
        {"model": "multinomial", "weights": "binary", "alpha": 1.0, "analyzer": "char_wb", "ngrams": (3, 4)},
    ],
    ids=["default", "pairs", "bernoulli", "char_wb"],
)
@pytest.mark.parametrize("name", ["20news", "sms-spam"])
def test_decisions_on_real_documents_are_the_same(tmp_path, name, options):
    if name == "20news":
        train, unseen = corpus_or_skip(name, "train"), corpus_or_skip(name, "test").texts[::20]
    else:
        train = corpus_or_skip(name)
        unseen = train.texts
    TextClassifier(**options).fit(train.texts, train.labels).save(tmp_path / "m.tnb")
    scorer, predictor = open_scorer(tmp_path / "m.tnb"), open_predictor(tmp_path / "m.tnb")
    expected = predictor.log_proba(unseen)
    log_proba = [scorer.log_proba(text) for text in unseen]
    np.testing.assert_allclose(log_proba, expected, 1e-11, 1e-11)
    assert list(map(scorer.named, log_proba)) == predictor.named(expected)
