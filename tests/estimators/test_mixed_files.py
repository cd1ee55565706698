"""A mixed model's file: the same model again, to the last digit and byte; damaged and forged files are refused."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from golden_models import make_format_3 as golden_3
from model.test_model_files import array_of, assert_same_content, damage_all, forged, with_value
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from textnb import (
    BernoulliNB,
    CategoricalNB,
    CountVectorizer,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    TfidfVectorizer,
    load,
)
from textnb.estimators.mixed_file import save_mixed
from textnb.storage import open_model, write_model
from textnb.text.terms import Terms

# A column of objects stays one: pyarrow's strings hold no lone surrogates.
MAIL = pd.DataFrame(
    {
        "body": ["win cash now", "cheap cash prize", "lunch at noon", "the noon meeting", None, "win lunch"],
        "domain": pd.Series(["spam.biz", None, "work.org", "home.net", "home.net", "\ud800\0é"], dtype=object),
        "day": ["mon", "tue", "mon", None, "tue", "mon"],
        "n_links": [7.0, 5.0, np.nan, 1.0, 9.0, 2.5],
        "size": [1e3, 2e5, 3.0, 1e-9, 0.1, 7.0],
    }
)
LABELS = ["spam", "spam", "ham", "ham", "spam", "other"]
NEW = pd.DataFrame(
    {
        "body": ["cash at noon", None, "unheard words", "win win win"],
        "domain": pd.Series(["home.net", "unheard.of", None, "\ud800\0é"], dtype=object),
        "day": [None, "mon", "sun", "tue"],
        "n_links": [np.nan, 3.0, 1e6, -4.0],
        "size": [1.0, np.nan, 2.0, 3.0],
    }
)
TEXTS = {
    "counts": make_pipeline(CountVectorizer(unknown="token", ngram_range=(1, 2)), MultinomialNB(alpha=0.3)),
    "no smoothing": make_pipeline(CountVectorizer(), MultinomialNB(alpha=0, fit_prior=False)),
    "binary": make_pipeline(CountVectorizer(binary=True, stop_words=["at", "the"]), BernoulliNB(alpha=0)),
    "tfidf": make_pipeline(TfidfVectorizer(min_df=2, stemmer="porter"), MultinomialNB(class_prior=[0.2, 0.3, 0.5])),
    "log-tfidf": make_pipeline(TfidfVectorizer(sublinear_tf=True, stop_words="english"), BernoulliNB(binarize=0.1)),
    "characters": make_pipeline(CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)), MultinomialNB()),
}


def fitted(text=TEXTS["tfidf"], categorical=None, numeric=None, **options):
    parts = [
        ("text", text, "body"),
        ("categorical", categorical or CategoricalNB(alpha=0.5, unknown="smooth"), ["domain", "day"]),
        ("numeric", numeric or GaussianNB(var_smoothing=1e-3), ["size", "n_links"]),
    ]
    return MixedNB(parts, **options).fit(MAIL, LABELS)


@pytest.fixture
def path(tmp_path):
    save_mixed(fitted(), tmp_path / "mixed.tnb", label="kind")
    return tmp_path / "mixed.tnb"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("options", [{}, {"priors": [0.2, 0.3, 0.5], "weights": {"text": 0.5, "numeric": 0}}])
def test_a_loaded_model_predicts_the_same_to_the_last_digit_and_saves_the_same_bytes(tmp_path, text, options):
    model = fitted(text, **options)
    save_mixed(model, tmp_path / "a.tnb")
    again = load(tmp_path / "a.tnb")
    for table in (MAIL, NEW):
        assert np.array_equal(again.predict_joint_log_proba(table), model.predict_joint_log_proba(table))
        assert (again.predict(table) == model.predict(table)).all()
    save_mixed(again, tmp_path / "b.tnb")
    save_mixed(fitted(text, **options), tmp_path / "c.tnb")
    assert (tmp_path / "a.tnb").read_bytes() == (tmp_path / "b.tnb").read_bytes() == (tmp_path / "c.tnb").read_bytes()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_loaded_model_can_be_fitted_again(tmp_path, text):
    model = fitted(text, weights={"text": 0.5})
    save_mixed(model, tmp_path / "a.tnb")
    again = clone(load(tmp_path / "a.tnb")).fit(MAIL, LABELS)
    assert np.array_equal(again.predict_log_proba(NEW), model.predict_log_proba(NEW))


def test_columns_are_checked_by_name(path):
    model = load(path)
    assert model.feature_names_in_.tolist() == list(MAIL)
    assert model.parts[1][2] == ["domain", "day"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(NEW.rename(columns={"day": "weekday"}))


def test_plain_arrays_codes_and_labels_that_are_numbers(tmp_path):
    X = np.array([[0, 2, 1.5], [1, 0, 2.5], [0, 1, np.nan], [np.nan, 2, 7]])
    model = MixedNB([("codes", CategoricalNB(), [0, 1]), ("numbers", GaussianNB(ddof=0), [2])]).fit(X, [3, 3, 1, 1])
    save_mixed(model, tmp_path / "a.tnb")
    again = load(tmp_path / "a.tnb")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert np.array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    assert not hasattr(again, "feature_names_in_")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([("flags", BernoulliNB(), "n_links")], "a model file holds"),
        ([("counts", MultinomialNB(), ["size"])], "a model file holds"),
        ([("text", make_pipeline(CountVectorizer(vocabulary=["win"]), MultinomialNB()), "body")], "vocabulary"),
        ([("text", make_pipeline(CountVectorizer(tokenizer=str.split), MultinomialNB()), "body")], "callable"),
        ([("text", make_pipeline(TfidfVectorizer(norm="l1"), MultinomialNB()), "body")], "norm"),
        ([("text", make_pipeline(TfidfVectorizer(use_idf=False), MultinomialNB()), "body")], "use_idf"),
        (
            [("text", make_pipeline(CountVectorizer(), FunctionTransformer(), MultinomialNB()), "body")],
            "a vectorizer of textnb and a model",
        ),
        ([("bins", CategoricalNB(bins=2), ["size"])], "bins"),
        ([("codes", CategoricalNB(min_categories=4, unknown="smooth"), ["day"])], "min_categories"),
    ],
)
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_what_a_file_cannot_hold_is_refused_in_saving(tmp_path, parts, reason):
    with pytest.raises(ValueError, match=reason):
        save_mixed(MixedNB(parts).fit(MAIL, LABELS), tmp_path / "a.tnb")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_format_3_stays_loadable(tmp_path):
    path = golden_3.FOLDER / "format-3-mixed.tnb"
    expected = json.loads((golden_3.FOLDER / "format-3.json").read_text())["mixed"]
    model = load(path)
    assert np.allclose(model.predict_proba(golden_3.TABLE), expected, rtol=1e-10, atol=0)
    save_mixed(model, tmp_path / "again.tnb", label="kind")
    assert_same_content(open_model(tmp_path / "again.tnb"), open_model(path))


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_of_format_2_is_loaded_by_its_counts(tmp_path, name):
    """The same model as format 2 had it: totals of every term in every class, and what else it said."""
    save_mixed(fitted(TEXTS[name]), tmp_path / "new.tnb")
    file = open_model(tmp_path / "new.tnb")
    model = fitted(TEXTS[name]).named_parts_["text"]
    vectorizer, text = model[0], model[-1]
    terms = Terms.of(sorted(vectorizer.vocabulary_)).arrays()
    arrays = {name: file.array(name) for name in file.names if not name.startswith(("part0.totals", "part0.ngram"))}
    arrays |= {f"part0.{name}": array for name, array in terms.items()}
    arrays |= {"part0.totals": text.statistics_.totals.toarray(), "part0.coef": text.rule_.coef.T}
    settings = file.settings | {"columns": list(MAIL), "label": None, "priors": None}
    settings["parts"][0] |= {"prior_in_joint": True}
    settings["parts"][0]["analyzer"] |= {"preprocessor": None, "strip_accents": None}
    write_model(tmp_path / "old.tnb", arrays, settings)
    old, new = load(tmp_path / "old.tnb"), load(tmp_path / "new.tnb")
    assert np.array_equal(old.predict_log_proba(NEW), new.predict_log_proba(NEW))
    save_mixed(old, tmp_path / "again.tnb")
    assert (tmp_path / "again.tnb").read_bytes() == (tmp_path / "new.tnb").read_bytes()


@pytest.mark.parametrize("seed", range(2))
def test_flipped_bits_and_cuts_are_refused_by_name(path, seed):
    assert damage_all(path.with_name("broken.tnb"), path.read_bytes(), seed, n_flips=100, n_cuts=40) == 0


def names_of_arrays():
    text = [f"part0.{name}" for name in ("terms", "offsets", "hashes", "order", "idf", "totals", "documents")]
    text += [f"part0.totals_{name}" for name in ("classes", "lengths", "starts")]
    categories = [f"part1.column1.{name}" for name in ("counts", "terms", "offsets", "hashes", "order")]
    numbers = [f"part2.{name}" for name in ("weight", "observed", "mean", "scatter")]
    return ["log_prior", *text, "part1.documents", *categories, *numbers]


def test_a_model_written_anew_is_not_what_is_refused(path):
    assert (load(forged(path)).predict(NEW) == load(path).predict(NEW)).all()
    assert set(names_of_arrays()) <= set(open_model(path).names)


@pytest.mark.parametrize("name", names_of_arrays())
def test_arrays_of_another_form_are_refused(path, name):
    array = array_of(path, name)
    other_dtype = np.ones_like(array, dtype=np.float32)
    for changed in (array[:-1], np.concatenate([array, array]), array[..., None], other_dtype, array[:0], array[0]):
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, {name: np.asarray(changed)}))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(f"part2.{name}", value) for name in ("weight", "observed", "scatter") for value in (-1, np.nan, np.inf)],
        *[("part2.mean", value) for value in (np.nan, np.inf)],
        ("part2.scatter", 1e308),
        *[(name, -1) for name in ("part1.documents", "part1.column0.counts", "part0.documents", "part0.totals")],
        *[("part0.totals", value) for value in (np.nan, np.inf, 0.0)],
        *[("part0.totals_classes", value) for value in (-1, 3)],
        *[("part0.totals_lengths", value) for value in (-1, 0, 4)],
        *[("part0.idf", value) for value in (np.nan, -np.inf)],
        *[("log_prior", value) for value in (np.nan, np.inf)],
        *[("part1.column0.offsets", value) for value in (-1, 2**62)],
        *[("part1.column0.order", value) for value in (-1, 2**31 - 1)],
        ("part1.column0.terms", 0xFF),
    ],
)
def test_values_out_of_range_are_refused(path, name, value):
    array = with_value(array_of(path, name), value, slice(None))
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, {name: array}))


def test_a_table_without_rows_takes_no_memory(path):
    """Of no rows and half a billion columns, it took 4 GB."""
    drop = [f"part1.column0.{name}" for name in ("terms", "offsets", "hashes", "order")]
    other = forged(path, {"part1.column0.counts": np.zeros((0, 2**29), dtype=np.uint8)}, drop=drop)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(other)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("analyzer", [{"ngrams": [1, 65]}, {"token_pattern": "a{4294967290}"}], ids=repr)
def test_an_analyzer_that_would_take_long_is_refused(path, analyzer):
    parts = open_model(path).settings["parts"]
    parts[0]["analyzer"] |= analyzer
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, settings={"parts": parts}))


@pytest.mark.parametrize("name", ["classes", "n_columns", "parts", "log_prior", "part1.documents"])
def test_what_is_missing_is_named(path, name):
    """It was a KeyError."""
    with pytest.raises(ValueError, match=r"forged\.tnb"):
        load(forged(path, drop=[name]))


def test_priors_may_be_left_out(path):
    load(forged(path, drop=["priors"]))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("classes", [[], None, "ham", ["a", "b"], ["spam", "other", "ham"], ["a", "a", "b"], [1, "b", 2.5]]),
        ("columns", [[], ["body"], "bodie", [1, 2, 3, 4, 5], ["a", "a", "b", "c", "d"], {"a": 1}]),
        ("n_columns", [None, 0, -5, 4, 5.0, True, "5"]),
        ("label", [5, ["kind"]]),
        ("priors", [5, "even"]),
        ("parts", [None, [], {}, [None], ["text"], [{}]]),
    ],
)
def test_wrong_settings_are_refused(path, name, values):
    for value in values:
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={name: value}))


@pytest.mark.parametrize(
    ("part", "name", "values"),
    [
        *[(part, "name", [None, 5, "a__b", "priors", "numeric" if part < 2 else "text"]) for part in range(3)],
        *[(part, "columns", [None, [], [5], [-1], [1.0], [True], "body", [0, 1, 2]]) for part in range(3)],
        *[(part, "factor", [None, -1.0, "1", True]) for part in range(3)],
        *[(part, "model", [None, [], "complement", "os.system"]) for part in range(3)],
        *[(part, "parameters", [None, {}, [], {"alpha": 1.0}]) for part in range(3)],
        (0, "model", ["gaussian", "categorical"]),
        (1, "model", ["gaussian", "multinomial"]),
        (2, "model", ["bernoulli", "categorical"]),
        (0, "limits", [None, {}, {"min_df": 0, "max_df": 1.0, "max_features": None}, {"min_df": 1}]),
        (0, "limits", [{"min_df": "1", "max_df": 1.0, "max_features": None}]),
        (0, "analyzer", [None, {}, {"kind": "word"}]),
        (0, "unknown", [None, "token", "both"]),
        (0, "weights", [None, "bm25"]),
    ],
)
def test_wrong_settings_of_parts_are_refused(path, part, name, values):
    for value in values:
        parts = open_model(path).settings["parts"]
        parts[part] = parts[part] | {name: value}
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={"parts": parts}))


@pytest.mark.parametrize(
    ("part", "name", "values"),
    [
        (0, "alpha", [None, -1.0, "1", [1.0], [["a"]], {}]),
        (0, "class_prior", [5, [1.0], ["a", "b", "c"], [-1.0, 1.0, 1.0]]),
        (1, "unknown", [None, "guess", 5]),
        (1, "m", ["1", -1.0, []]),
        (1, "force_alpha", [None, 1, "yes"]),
        (2, "ddof", [None, -1.0, 1e6, "0"]),
        (2, "var_smoothing", [None, -1.0, []]),
        (2, "priors", [5, [0.5, 0.5], [1.0, 1.0, 1.0]]),
    ],
)
def test_wrong_parameters_of_parts_are_refused(path, part, name, values):
    for value in values:
        parts = open_model(path).settings["parts"]
        parts[part]["parameters"][name] = value
        with pytest.raises(ValueError, match=r"forged\.tnb"):
            load(forged(path, settings={"parts": parts}))
