"""Text models of clear terms: learned, saved, opened, explained and decided by as all others are."""

import random

import numpy as np
import pytest
from opened_models import open_predictor

from textnb import TextClassifier, load
from textnb.model.file import content
from textnb.model.scorer import open_scorer
from textnb.storage import ModelFileError, open_model, write_model

NAMES = ["robinson", "fisher", "log-odds"]
every_family = pytest.mark.parametrize("name", NAMES)
WORDS = {
    "ham": ["lunch", "meeting", "minutes", "report", "Subject:Re", "From:@work", "dinner", "agenda"],
    "spam": ["cheap", "pills", "free", "prize", "Subject:WIN", "From:@win", "cash", "click"],
}


def messages(n=60, seed=0):
    """Messages of words of their class, one of any, and one that no other has."""
    choose = random.Random(seed)
    everything = WORDS["ham"] + WORDS["spam"] + ["the", "a", "of"]
    texts, labels = [], ["ham", "spam"] * (n // 2)
    for i, label in enumerate(labels):
        words = [*choose.choices(WORDS[label], k=5), choose.choice(everything), f"{'Once' if i % 4 else 'once'}{i}"]
        texts.append(" ".join(words))
    return texts, labels


def fitted(name="robinson", **options):
    """A model of terms as they stand between blanks."""
    return TextClassifier(name, lowercase=False, token_pattern=r"\S+", **options).fit(*messages())


ASKED = ["cheap lunch", "Subject:WIN free prize of the day", "", "nothing known", "From:@work agenda minutes cash"]


@every_family
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"unknown": "token"},
        {"min_df": 6},
        {"ngrams": (1, 2)},
        {"most_terms": 2, "assumed": 0.4, "min_deviation": 0.1},
    ],
    ids=["plain", "unknown", "limited", "pairs", "settings"],
)
def test_a_saved_model_answers_with_the_same_digits(name, options, tmp_path):
    model, path = fitted(name, **options), tmp_path / "model.tnb"
    model.save(path)
    expected = model.predict_log_proba(ASKED)
    for again in (load(path).predict_log_proba(ASKED), open_predictor(path).log_proba(ASKED)):
        assert again.tobytes() == expected.tobytes()
    written = path.read_bytes()
    load(path).save(path)
    assert path.read_bytes() == written
    model.save(tmp_path / "compact.tnb", compact=True)
    assert load(tmp_path / "compact.tnb").predict_log_proba(ASKED).tobytes() == expected.tobytes()


@every_family
def test_the_prior_is_no_part_of_a_score(name):
    assert fitted(name).predictor_.log_likelihood([""]).tolist() == [[0.0, 0.0]]
    np.testing.assert_allclose(fitted(name).predict_proba(["", "nothing known"]), 0.5)


def test_terms_of_headers_have_a_mean_of_their_own():
    model = fitted(calibrate=False)
    alone, together, drowned = np.diff(
        model.predictor_.log_likelihood(["Subject:WIN", "Subject:WIN cheap", "Subject:WIN cheap pills free prize cash"])
    ).ravel()
    content = np.diff(model.predictor_.log_likelihood(["cheap"])).item()
    assert together == pytest.approx(alone + content)
    assert drowned > alone > 0


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_columns_of_headers_are_those_of_capitals_in_memory_and_in_a_file(ngrams, tmp_path):
    model = fitted(ngrams=ngrams, min_df=3)
    model.save(tmp_path / "model.tnb")
    opened = open_predictor(tmp_path / "model.tnb")
    positions = np.asarray(opened.features.columns[: len(opened.features.terms)])
    for clarity, predictor, columns in (
        (model.predictor_.rule.clarity, model.predictor_, np.arange(model.predictor_.n_columns)),
        (opened.rule.family.clarity, opened, positions[positions >= 0]),
    ):
        names, in_header = predictor.column_names(columns), clarity.in_header(columns).tolist()
        assert in_header == ["A" <= name[0] <= "Z" for name in names]
        assert 0 < sum(in_header) < len(names) < len(opened.features.terms)


@every_family
def test_what_is_forgotten_was_never_learned(name, tmp_path):
    model = fitted(name)
    model.save(tmp_path / "before.tnb")
    more, labels = messages(12, seed=5)
    more[0] += " Neverseen brandnew"
    model.learn([*more, "another class"], [*labels, "other"])
    assert model.classes_.tolist() == ["ham", "other", "spam"]
    assert model.predict_proba(ASKED).shape == (5, 3)
    model.forget([*more, "another class"], [*labels, "other"])
    model.save(tmp_path / "after.tnb")
    assert (tmp_path / "after.tnb").read_bytes() == (tmp_path / "before.tnb").read_bytes()


@every_family
def test_merged_models_are_one_of_all_documents(name):
    texts, labels = messages()
    options = {"lowercase": False, "token_pattern": r"\S+", "calibrate": False}
    halves = [TextClassifier(name, **options).fit(texts[i::3], labels[i::3]) for i in range(3)]
    merged = halves[0] + halves[1] + halves[2]
    whole = TextClassifier(name, **options).fit(texts, labels)
    assert merged.predict_log_proba(ASKED).tobytes() == whole.predict_log_proba(ASKED).tobytes()
    other = TextClassifier(name, min_deviation=0.1, **options).fit(texts, labels)
    with pytest.raises(ValueError, match=r"min_deviation is 0\.375, and 0\.1"):
        whole.merge(other)


@every_family
def test_leaving_a_document_out_is_fitting_without_it(name):
    texts, labels = messages(40)
    options = {"lowercase": False, "token_pattern": r"\S+", "calibrate": False, "min_deviation": 0.2}
    model = TextClassifier(name, **options).fit(texts, labels)
    scores = model.leave_one_out()
    for i in range(0, 40, 7):
        others = TextClassifier(name, **options).fit(texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :])
        np.testing.assert_allclose(scores[i], others.predictor_.log_likelihood([texts[i]])[0], rtol=1e-10, atol=1e-12)


@every_family
def test_a_calibrated_probability_ranks_as_the_score_does(name):
    model = fitted(name)
    assert model.calibration_.length_exponent == 0
    texts = messages(80, seed=3)[0]
    scores = np.diff(model.predictor_.log_likelihood(texts)).ravel()
    log_odds = np.diff(model.predict_log_proba(texts)).ravel()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(log_odds[order]) >= 0).all()
    assert model.predict(texts).tolist() == model.classes_[model.predict_proba(texts).argmax(axis=1)].tolist()


@every_family
@pytest.mark.parametrize("most_terms", [None, 3])
def test_the_rows_of_an_explanation_add_up(name, most_terms, tmp_path):
    model = fitted(name, most_terms=most_terms, min_deviation=0.2)
    model.save(tmp_path / "model.tnb")
    for predictor in (model.predictor_, open_predictor(tmp_path / "model.tnb")):
        for text in messages(10, seed=4)[0]:
            why = predictor.explain(text)
            assert sum(row.contribution for row in why.rows) == pytest.approx(why.log_odds, abs=1e-9)
            if most_terms is not None:
                assert sum(row.contribution != 0 for row in why.rows) <= most_terms


@every_family
def test_what_would_flip_a_decision_does(name):
    model = fitted(name)
    flipped = 0
    for text in messages(12, seed=6)[0]:
        why = model.explain(text)
        flip = why.what_would_flip()
        if flip is not None:
            flipped += 1
            left = " ".join(word for word in text.split() if word not in flip.words)
            assert model.predict([left]).tolist() == [flip.label] != [why.label]
    assert flipped


@every_family
def test_a_ceiling_is_kept_on_the_documents_it_was_chosen_on(name):
    model = fitted(name).decide_by(protected="ham", ceiling=0.1)
    texts, labels = messages()
    lost = [decided for decided, label in zip(model.decide(texts), labels, strict=True) if label == "ham"]
    assert lost.count("spam") <= 0.1 * len(lost)


@every_family
def test_single_messages_are_for_the_predictor(name, tmp_path):
    fitted(name).save(tmp_path / "model.tnb")
    assert open_scorer(tmp_path / "model.tnb") is None


@every_family
def test_top_terms_have_the_log_odds_that_they_say(name):
    model = TextClassifier(name, alpha=0.1).fit(["cheap pills", "cheap now", "lunch now"], ["spam", "spam", "ham"])
    (cheap, weight), (pills, less), *rest = model.top_terms(4)["spam"]
    assert (cheap, pills) == ("cheap", "pills")
    assert weight == pytest.approx(np.log((0.05 + 2) / 0.05))
    assert less == pytest.approx(np.log((0.05 + 1) / 0.05))
    assert rest == [("now", 0.0), ("lunch", pytest.approx(-less))]


@every_family
def test_it_cannot_be_sampled(name):
    for ask in (lambda model: model.sample(3), lambda model: model.log_likelihood(["a"])):
        with pytest.raises(ValueError, match=f"a {name} model has no likelihood"):
            ask(fitted(name))
    with pytest.raises(ValueError, match="has no estimator on counts of its own"):
        _ = fitted(name).model_


@every_family
def test_one_class_is_certain(name):
    model = TextClassifier(name).fit(["a bb cc", "bb"], ["x", "x"])
    np.testing.assert_array_equal(model.predict_proba(["bb", ""]), [[1.0], [1.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "needs one alpha above 0, got 0"),
        ({"assumed": 1.5}, "assumed must be a probability between 0 and 1, got 1.5"),
        ({"min_deviation": "much"}, "min_deviation must be a number, or None, got 'much'"),
        ({"most_terms": 2.5}, "most_terms must be a whole number, or None, got 2.5"),
        ({"model": "multinomial", "min_deviation": 0.1}, "min_deviation is for robinson, fisher, log-odds: leave it"),
    ],
)
def test_wrong_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier(**{"model": "robinson", **options}).fit(*messages())


def test_settings_may_change_after_fitting_and_the_counts_stay():
    model = fitted()
    model.min_deviation = 0.1
    model.learn(["cheap"], ["spam"])
    texts, labels = messages()
    anew = TextClassifier("robinson", lowercase=False, token_pattern=r"\S+", min_deviation=0.1, calibrate=False)
    anew.fit([*texts, "cheap"], [*labels, "spam"])
    np.testing.assert_array_equal(model.predictor_.log_likelihood(ASKED), anew.predictor_.log_likelihood(ASKED))


def test_files_of_other_families_say_nothing_of_clear_terms(tmp_path):
    TextClassifier("multinomial").fit(*messages()).save(tmp_path / "model.tnb")
    settings = open_model(tmp_path / "model.tnb").settings
    assert settings.keys().isdisjoint({"assumed", "min_deviation", "most_terms", "objective"})
    fitted().save(tmp_path / "model.tnb")
    settings = open_model(tmp_path / "model.tnb").settings
    assert (settings["rule"], settings["assumed"], settings["min_deviation"]) == ("clear-terms", 0.5, 0.375)
    assert "most_terms" not in settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"assumed": 1.0},
        {"assumed": "half"},
        {"min_deviation": 0.5},
        {"min_deviation": None},
        {"most_terms": 0},
        {"most_terms": 1.5},
        {"alpha": 0.0},
        {"rule": "linear"},
        {"model": "multinomial"},
        {"model": "multinomial", "rule": "linear"},
    ],
    ids=str,
)
def test_damaged_settings_are_refused(wrong, tmp_path):
    model, path = fitted(), tmp_path / "model.tnb"
    arrays, settings = content(model.learner_, model.fitted_record())
    stated = {name: value for name, value in {**settings, **wrong}.items() if value is not None}
    write_model(path, arrays, stated)
    for opened in (load, open_predictor):
        with pytest.raises(ModelFileError, match="its settings cannot be understood"):
            opened(path)
