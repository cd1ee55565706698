"""What is said of merged models beyond their counts, whichever of them comes first: calibration, policy, choices."""

import json
from itertools import permutations

import pytest
from cli.conftest import mail

import textnb as library
from textnb.storage import open_model

POLICY = ("--protect", "ham", "--ceiling", "0.2", "--unsure", "0.3")
GIVEN = ("--model", "multinomial", "--weights", "counts")


@pytest.fixture
def halves(tmp_path):
    rows = mail(60)
    for i, name in enumerate(("a", "b")):
        lines = [json.dumps({"text": text, "label": label, "body": text}) for text, label in rows[i::2]]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return [f"{name}.jsonl" for name in ("a", "b")]


def trained(textnb, halves, first=(), second=()):
    for half, options in zip(halves, (first, second), strict=True):
        done = textnb("train", half, *GIVEN, *options, "--test-size", "0", "--quiet")
        assert done.code == 0, done.err


def merged(textnb, tmp_path, *models):
    """The settings of the merge, which is the same in every order, and what was said."""
    contents, said = set(), set()
    for order in permutations(models):
        done = textnb("merge", "-o", "all.tnb", *order, "--overwrite")
        assert done.code == 0
        contents.add((tmp_path / "all.tnb").read_bytes())
        said.add(done.err)
    assert (len(contents), len(said)) == (1, 1)
    return open_model(tmp_path / "all.tnb").settings, *said


@pytest.mark.parametrize(
    ("first", "second", "dropped"),
    [
        ((), (), ["calibration"]),
        (POLICY, POLICY, ["calibration", "policy"]),
        (POLICY, ("--no-calibrate",), ["calibration", "policy"]),
        (("--no-calibrate", "--cost", "ham:spam=9"), ("--no-calibrate",), ["policy"]),
        (("--no-calibrate",), ("--no-calibrate",), []),
        (("--no-calibrate", "--unsure", "0.2"), ("--no-calibrate", "--unsure", "0.2"), []),
    ],
    ids=["calibrated", "ceilings", "one of them", "costs", "plain", "equal costs"],
)
def test_what_models_differ_in_is_dropped_and_said(textnb, halves, tmp_path, first, second, dropped):
    """The merge once had the calibration and the policy of its first model, and said nothing."""
    trained(textnb, halves, first, second)
    settings, said = merged(textnb, tmp_path, "a.tnb", "b.tnb")
    assert textnb("merge", "-o", "all.tnb", "a.tnb", "b.tnb", "--overwrite", "--json").json["dropped"] == dropped
    if not dropped:
        assert said == ""
        assert settings.get("policy") == open_model(tmp_path / "a.tnb").settings.get("policy")
        return
    assert not {"calibration", "policy"} & set(settings)
    assert said.startswith(f"textnb: dropped, because the models differ: {' and '.join(dropped)}; now ")
    assert said.count("\n") == 1
    assert "textnb train" in said
    assert textnb("merge", "-o", "all.tnb", "a.tnb", "b.tnb", "--overwrite", "--quiet").err == ""


def test_what_is_equal_stays(textnb, halves, tmp_path):
    trained(textnb, halves, POLICY, POLICY)
    (tmp_path / "copy.tnb").write_bytes((tmp_path / "a.tnb").read_bytes())
    assert textnb("learn", "copy.tnb", "--label", "ham", stdin=b"dinner tonight").code == 0
    settings, said = merged(textnb, tmp_path, "a.tnb", "copy.tnb")
    before = open_model(tmp_path / "a.tnb").settings
    assert (settings["calibration"], settings["policy"]) == (before["calibration"], before["policy"])
    assert "dropped" not in said


def test_what_was_chosen_in_one_and_given_in_the_other_is_given(textnb, halves, tmp_path):
    trained(textnb, halves, ("--alpha", "auto"), ())
    alpha = open_model(tmp_path / "a.tnb").settings["alpha"]
    assert textnb("train", "b.jsonl", *GIVEN, "--alpha", alpha, "--overwrite", "--text", "body").code == 0
    settings, _ = merged(textnb, tmp_path, "a.tnb", "b.tnb")
    assert (settings["auto"], settings["alpha"]) == ([], alpha)
    assert settings["columns"] == {"text": "body", "label": "label"}  # the other has the usual ones


def test_in_the_library_it_is_the_same_with_a_warning(textnb, halves, tmp_path):
    trained(textnb, halves, (*POLICY, "--alpha", "auto"), POLICY)
    a = library.load(tmp_path / "a.tnb")
    alpha = a.parameters_in_use["alpha"]
    assert textnb("train", "b.jsonl", *GIVEN, *POLICY, "--alpha", alpha, "--overwrite", "--no-ledger").code == 0
    b = library.load(tmp_path / "b.tnb")
    with pytest.warns(UserWarning, match="dropped, because the models differ: calibration and policy"):
        first, second = a + b, b + a
    merged(textnb, tmp_path, "a.tnb", "b.tnb")
    for both in (first, second):
        assert (both.calibration_, both.policy_) == (None, None)
        both.save(tmp_path / "sum.tnb")
        assert (tmp_path / "sum.tnb").read_bytes() == (tmp_path / "all.tnb").read_bytes()
    with pytest.warns(UserWarning, match="dropped"):
        assert library.load(tmp_path / "a.tnb").merge(b).calibration_ is None
    twice = a + a
    assert (twice.calibration_, twice.policy_, twice.alpha) == (a.calibration_, a.policy_, "auto")
