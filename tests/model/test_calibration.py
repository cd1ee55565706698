"""A calibration that keeps the label, or moves it: by hand, in plain floats, in files, and as classes come and go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from textnb import TextClassifier, load
from textnb.model.calibration import Calibration
from textnb.model.decision import log_posterior
from textnb.model.plain import PlainCalibration
from textnb.model.scorer import compiled_kernel, open_scorer
from textnb.storage import open_model

WORDS = [f"w{i}" for i in range(40)]
numbers = st.floats(-3, 3)
triples = st.tuples(numbers, numbers, numbers)
calibrations = st.builds(
    Calibration,
    temperature=st.floats(0.5, 20),
    length_exponent=st.floats(0, 1),
    offsets=triples,
    slopes=st.none() | triples,
    keeps_label=st.booleans(),
)
scores = arrays(np.float64, 3, elements=st.floats(-100, 0) | st.just(-np.inf))


def test_by_hand():
    """Scores 0, −2 and −4, temperature 2, length e²: u = 0, −1, −2, and z = 0 + 1, −1 + 3, −2 + 0.

    The second class would be ahead by 1; where the label is kept it is behind by 1/100.
    """
    joint, lengths = np.array([[0.0, -2.0, -4.0]]), np.array([np.exp(2)])
    how = {"temperature": 2.0, "offsets": (1.0, 1.0, 0.0), "slopes": (0.0, 1.0, 0.0)}
    np.testing.assert_allclose(Calibration(**how, keeps_label=False).apply(joint, lengths), [[1.0, 2.0, -2.0]])
    np.testing.assert_allclose(Calibration(**how, keeps_label=True).apply(joint, lengths), [[0.0, -0.01, -3.0]])


@given(calibrations, scores, st.integers(0, 500))
def test_plain_floats_give_the_same(calibration, joint, length):
    if np.isneginf(joint).all():
        return
    values = {name: getattr(calibration, name) for name in PlainCalibration._fields}
    found = PlainCalibration(**values).apply(joint.tolist(), length)
    expected = calibration.apply(joint[np.newaxis], np.array([length]))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(calibrations, arrays(np.float64, (6, 3), elements=st.floats(-100, 0)), st.integers(1, 500))
def test_the_label_is_kept_or_is_not(calibration, joint, length):
    ranked = np.sort(joint, axis=1)
    joint = joint[ranked[:, 2] - ranked[:, 1] > 1e-6]  # no ties, which rounding would break
    calibrated = calibration.apply(joint, np.full(len(joint), length))
    if calibration.moves_label:
        spread = joint / (calibration.temperature * length**calibration.length_exponent)
        slopes = np.zeros(3) if calibration.slopes is None else np.array(calibration.slopes)
        expected = spread + calibration.offsets + slopes * np.log(length)
        np.testing.assert_allclose(np.diff(calibrated), np.diff(expected), atol=1e-8)
    else:
        np.testing.assert_array_equal(calibrated.argmax(axis=1), joint.argmax(axis=1))


@given(st.floats(-3, 3), st.floats(0.5, 20), st.lists(st.integers(-1000, 1000), min_size=2, unique=True))
def test_scores_of_two_classes_rank_as_they_did(offset, temperature, margins):
    """At one length: strictly, so that nothing is tied that was not."""
    calibration = Calibration(temperature, 0.0, (0.0, offset), keeps_label=True)
    joint = np.column_stack([np.zeros(len(margins)), np.sort(margins) / 10.0])
    log_odds = np.diff(log_posterior(calibration.apply(joint), np.zeros(2))).ravel()
    assert (np.diff(log_odds) > 0).all()


# Classifiers


def drawn(n=600, seed=0):
    """Documents of classes whose words overlap, and half of them of the first class."""
    rng = np.random.default_rng(seed)
    weights = np.random.default_rng(1).dirichlet(np.full(len(WORDS), 0.4), size=3)
    class_ids = rng.choice(3, n, p=[0.7, 0.15, 0.15])
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 30), p=0.3 * weights[c] + 0.7 / 40)) for c in class_ids]
    return texts, np.array(["a", "b", "c"])[class_ids]


def fitted(texts, labels, calibrate=True):
    """A model that takes all classes to be as common."""
    model = TextClassifier("multinomial", "counts", alpha=1.0, fit_prior=False, calibrate=calibrate)
    return model.fit(texts, labels)


@pytest.fixture(scope="module")
def models():
    texts, labels = drawn()
    return {how: fitted(texts, labels, how) for how in (False, True, "offsets")}


def test_predictions_stay_unless_it_is_asked_for(models):
    later, truth = drawn(600, seed=2)
    raw, kept, moved = (models[how] for how in (False, True, "offsets"))
    assert kept.calibration_.keeps_label
    assert moved.calibration_.moves_label
    np.testing.assert_array_equal(kept.predict(later), raw.predict(later))
    for model in (kept, moved):
        by_probability = model.classes_[model.predict_proba(later).argmax(axis=1)]
        np.testing.assert_array_equal(model.predict(later), by_probability)
        assert [model.explain(text).label for text in later[:50]] == model.predict(later[:50]).tolist()
    assert (moved.predict(later) == truth).mean() > (raw.predict(later) == truth).mean()
    losses = [
        -model.predict_log_proba(later)[np.arange(600), np.searchsorted(model.classes_, truth)].mean()
        for model in (raw, kept, moved)
    ]
    assert losses == sorted(losses, reverse=True)


def test_files_have_it(models, tmp_path):
    later, _ = drawn(100, seed=3)
    for how, model in models.items():
        path = tmp_path / f"{how}.tnb"
        model.save(path)
        loaded = load(path)
        assert loaded.calibrate == how
        assert loaded.calibration_ == model.calibration_
        np.testing.assert_array_equal(loaded.predict(later), model.predict(later))
        np.testing.assert_allclose(loaded.predict_proba(later), model.predict_proba(later), rtol=1e-10)
        if compiled_kernel() is not None:
            scorer = open_scorer(path)
            found = [scorer.log_proba(text) for text in later]
            np.testing.assert_allclose(found, model.predict_log_proba(later), rtol=1e-10, atol=1e-12)
            assert [scorer.decide(text) for text in later] == model.decide(later)


def test_the_order_of_documents_gives_the_same_file(tmp_path):
    texts, labels = drawn(300)
    order = np.random.default_rng(5).permutation(300)
    for name, rows in (("a", np.arange(300)), ("b", order)):
        model = fitted([texts[i] for i in rows], labels[rows])
        assert model.calibration_.offsets
        model.save(tmp_path / f"{name}.tnb")
    assert (tmp_path / "a.tnb").read_bytes() == (tmp_path / "b.tnb").read_bytes()


def test_it_follows_its_classes(tmp_path):
    texts, labels = drawn(300)
    model = fitted(texts, labels, "offsets")
    before = model.calibration_
    model.save(tmp_path / "before.tnb")
    model.learn(["w1 w2 new", "new words"], ["aa", "aa"])
    assert model.calibration_.labels == ("a", "b", "c")
    now = model.calibration_.among(["a", "aa", "b", "c"])
    assert now.offsets == (before.offsets[0], 0.0, *before.offsets[1:])
    assert now.mix is None
    model.save(tmp_path / "more.tnb")
    np.testing.assert_allclose(load(tmp_path / "more.tnb").predict_proba(texts[:9]), model.predict_proba(texts[:9]))
    if compiled_kernel() is not None:
        scorer = open_scorer(tmp_path / "more.tnb")
        found = [scorer.log_proba(text) for text in texts[:9]]
        np.testing.assert_allclose(found, model.predict_log_proba(texts[:9]), rtol=1e-10, atol=1e-12)
    assert open_model(tmp_path / "more.tnb").settings["calibration"]["labels"] == ["a", "b", "c"]
    model.forget(["w1 w2 new", "new words"], ["aa", "aa"])
    assert model.calibration_ == before
    model.save(tmp_path / "after.tnb")
    assert (tmp_path / "after.tnb").read_bytes() == (tmp_path / "before.tnb").read_bytes()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"offsets": (1.0,), "slopes": (1.0, 2.0)}, "slopes must be numbers"),
        ({"slopes": (1.0, 2.0)}, "slopes must be numbers"),
        ({"offsets": (1.0, 2.0), "slopes": (1.0, float("nan"))}, "slopes must be numbers"),
        ({"offsets": (1.0, float("inf"))}, "offsets must be numbers"),
        ({"keeps_label": True}, "keeps_label says what offsets do"),
        ({"offsets": (1.0, 2.0), "keeps_label": 1}, "keeps_label says what offsets do"),
        ({"mix": (0.5, 0.6)}, "mix must be the shares"),
        ({"mix": (-0.5, 1.5)}, "mix must be the shares"),
        ({"offsets": (1.0, 2.0), "labels": ("a",)}, "calibrated for 1 classes, got 2 values"),
        ({"offsets": (1.0, 2.0), "labels": ("a", "a")}, "different classes"),
    ],
)
def test_what_is_no_calibration(values, message):
    with pytest.raises(ValueError, match=message):
        Calibration(**values)


def test_calibrate_is_one_of_three():
    with pytest.raises(ValueError, match="calibrate must be True, False or 'offsets', got 'isotonic'"):
        TextClassifier(calibrate="isotonic").fit(["a", "b"], ["x", "y"])
