"""`textnb diff`: what changed between two models."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_hostile import EVIL, NAMES, assert_inert
from cli.test_train import write_split_folder
from corpora_for_tests import corpus_or_skip
from golden_models import make_format_1 as golden

import textnb as library
from textnb.estimators.mixed_file import save_mixed
from textnb.model.calibration import Calibration
from textnb.storage import open_model

LATER = [
    ("claim your bitcoin prize", "spam"),
    ("pizza for lunch", "ham"),
    ("your invoice", "bill"),
    ("an invoice", "bill"),
]


@pytest.fixture
def models(tmp_path):
    """Monday's model, and Friday's, which has learned more: words, and a class."""
    rows = mail()
    classifier = library.TextClassifier("complement").fit([text for text, _ in rows], [label for _, label in rows])
    classifier.save(tmp_path / "monday.tnb")
    classifier.learn([text for text, _ in LATER], [label for _, label in LATER]).save(tmp_path / "friday.tnb")
    return "monday.tnb", "friday.tnb"


@pytest.fixture
def other_model(tmp_path):
    """Of part of that mail, some of it with the wrong label, and of other settings."""
    rows = [
        (text, label if number % 40 < 20 else {"ham": "spam", "spam": "ham"}[label])
        for number, (text, label) in enumerate(mail())
        if number % 40 < 25
    ]
    library.TextClassifier(model="multinomial", weights="counts", alpha=0.1).fit(
        [text for text, _ in rows], [label for _, label in rows]
    ).save(tmp_path / "other.tnb")
    return "other.tnb"


def expected_flips(before, after, texts):
    old, new = (library.load(path).predict(texts).tolist() for path in (before, after))
    return [(i, a, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]


def test_json_has_the_changes(textnb, models):
    found = textnb("diff", *models, "--json").json
    assert list(found) == [
        "before", "after", "identical", "settings", "classes", "terms_added", "terms_removed", "terms",
    ]  # fmt: skip
    assert found["before"] == {"model_file": "monday.tnb", "n_documents": 80, "n_terms": 20}
    assert found["after"] == {"model_file": "friday.tnb", "n_documents": 84, "n_terms": 26}
    assert (found["identical"], found["settings"]) == (False, {})
    assert (found["terms_added"], found["terms_removed"]) == (6, 0)
    assert [(entry["class"], entry["before"]) for entry in found["classes"]] == [
        ("ham", {"documents": 40, "prior": pytest.approx(1 / 2)}),
        ("spam", {"documents": 40, "prior": pytest.approx(1 / 2)}),
        ("bill", None),
    ]
    assert found["classes"][2]["after"] == {"documents": 2, "prior": pytest.approx(2 / 84)}


def test_the_way_back_is_the_same_change(textnb, models):
    there, back = (textnb("diff", *pair, "--by-class", "--json").json for pair in (models, models[::-1]))
    assert (back["terms_added"], back["terms_removed"]) == (0, 6)
    changes = {(moved["class"], moved["term"]): moved["change"] for moved in there["terms"]}
    assert {(moved["class"], moved["term"]): -moved["change"] for moved in back["terms"]} == changes


def test_text_marks_what_is_new_and_gone(textnb, models):
    lines = textnb("diff", *models, "--terms", 100).out.splitlines()
    assert lines[0] == "before     monday.tnb: 80 documents, 20 terms"
    assert "settings   the same" in lines
    assert "terms      6 added, 0 removed" in lines
    assert [line.split() for line in lines if line.startswith("bill")] == [["bill", "2", "0.024", "new"]]
    assert any(re.fullmatch(r"bitcoin +ham +new +-(\d\.\d{3}) +-\1", line) for line in lines)
    back = textnb("diff", *models[::-1], "--terms", 100).out.splitlines()
    assert [line.split() for line in back if line.startswith("bill")] == [["bill", "2", "0.024", "gone"]]
    assert any(re.fullmatch(r"bitcoin +ham +-(\d\.\d{3}) +gone +\+\1", line) for line in back)


def test_identical_models_are_said_to_be(textnb, models, tmp_path):
    classifier = library.load(tmp_path / "friday.tnb")
    classifier.forget([text for text, _ in LATER], [label for _, label in LATER])
    classifier.set_params(n_jobs=2).save(tmp_path / "again.tnb")
    done = textnb("diff", "monday.tnb", "again.tnb")
    assert done.out.splitlines()[2:] == ["identical  the same settings, counts and weights: nothing changed"]
    found = textnb("diff", "monday.tnb", "again.tnb", "--json").json
    assert (found["identical"], found["settings"], found["terms"]) == (True, {}, [])


def test_settings_that_differ(textnb, models, other_model):
    found = textnb("diff", models[0], other_model, "--json").json["settings"]
    assert found["alpha"] == {"before": 1.0, "after": 0.1}
    assert [name for name in found if not name.startswith("calibration.")] == ["alpha", "model", "weights"]
    assert re.search(r"^model +complement +multinomial$", textnb("diff", models[0], other_model).out, re.M)


def test_calibration_and_policy_are_compared(textnb, models, tmp_path):
    """Of two models that gave other probabilities, and decided otherwise, it said that their settings are the same."""
    model = library.load(models[0])
    calibration = Calibration(temperature=2.5, length_exponent=0.25)
    model._set(model.learner_, calibration, model.policy_, {}).decide_by(unsure=0.125).save(tmp_path / "other.tnb")
    found = textnb("diff", models[0], "other.tnb", "--json").json["settings"]
    assert found["calibration.temperature"]["after"] == 2.5
    assert found["policy.unsure"] == {"before": None, "after": 0.125}
    lines = textnb("diff", models[0], "other.tnb").out.splitlines()
    assert any(
        line.split()[0] == "calibration.length_exponent" and line.endswith("0.25") for line in filter(None, lines)
    )


def test_settings_chosen_by_auto_are_compared_by_what_was_chosen(textnb, models, tmp_path):
    texts, labels = zip(*mail(), strict=True)
    library.TextClassifier(alpha="auto").fit(texts, labels).save(tmp_path / "auto.tnb")
    found = textnb("diff", models[0], "auto.tnb", "--json").json["settings"]
    chosen = library.load(tmp_path / "auto.tnb").parameters_in_use["alpha"]
    assert isinstance(chosen, float)
    assert found.get("alpha") == (None if chosen == 1.0 else {"before": 1.0, "after": chosen})


def test_terms_left_out_by_limits_are_not_there(textnb, models, tmp_path):
    rows = [*mail(), *LATER]
    library.TextClassifier(min_df=3).fit([text for text, _ in rows], [label for _, label in rows]).save("few.tnb")
    found = textnb("diff", models[1], "few.tnb", "--terms", 100, "--json").json
    assert (found["terms_added"], found["terms_removed"]) == (0, 6)
    assert {moved["term"] for moved in found["terms"] if moved["after"] is None} == {
        "an", "bitcoin", "for", "invoice", "pizza", "your"
    }  # fmt: skip


def test_as_many_terms_as_asked_for(textnb, models):
    assert len(textnb("diff", *models, "--json").json["terms"]) == 10
    assert textnb("diff", *models, "--terms", 0, "--json").json["terms"] == []
    found = textnb("diff", *models, "--terms", 3, "--by-class", "--json").json["terms"]
    assert [moved["class"] for moved in found] == ["ham"] * 3 + ["spam"] * 3


def test_documents_that_flip(textnb, models, other_model, mail_csv):
    texts, labels = zip(*mail(), strict=True)
    expected = expected_flips(models[0], other_model, texts)
    found = textnb("diff", models[0], other_model, mail_csv, "--json").json["corpus"]
    assert (found["corpus"], found["part"], found["n_documents"]) == (str(mail_csv), "all of it", 80)
    assert len(expected) > 0
    assert [(flip["where"], flip["before"]["label"], flip["after"]["label"]) for flip in found["flips"]] == [
        (f"line {i + 2}", old, new) for i, old, new in expected
    ]
    assert [flip["true"] for flip in found["flips"]] == [labels[i] for i, _, _ in expected]
    assert found["better"] == sum(labels[i] == new for i, _, new in expected)
    assert found["worse"] == sum(labels[i] == old for i, old, _ in expected)
    row = expected[0][0]
    probability = library.load(other_model).predict_proba([texts[row]]).max()
    assert found["flips"][0]["after"]["probability"] == pytest.approx(probability)


def test_flips_as_text(textnb, models, other_model, mail_csv):
    found = textnb("diff", models[0], other_model, mail_csv, "--json").json["corpus"]
    lines = textnb("diff", models[0], other_model, mail_csv).out.splitlines()
    start = lines.index(
        f"flips      {len(found['flips'])} of 80 documents of {mail_csv} (all of it): "
        f"{found['better']} for the better, {found['worse']} for the worse"
    )
    first, cells = found["flips"][0], lines[start + 3].split()
    assert cells[:2] == first["where"].split()
    assert cells[2:7] == [
        first["before"]["label"], f"{first['before']['probability']:.3f}",
        first["after"]["label"], f"{first['after']['probability']:.3f}",
        first["true"],
    ]  # fmt: skip


def test_a_long_list_of_flips_is_cut(textnb, models, other_model, tmp_path):
    (tmp_path / "long.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text, _ in mail(400)))
    n = len(textnb("diff", models[0], other_model, "long.jsonl", "--json").json["corpus"]["flips"])
    lines = textnb("diff", models[0], other_model, "long.jsonl").out.splitlines()
    assert n > 20
    assert lines[-1] == f"and {n - 20} more; --json lists them all"
    assert sum(line.startswith("line ") for line in lines) == 20


def test_labels_are_not_needed(textnb, models, other_model, tmp_path):
    (tmp_path / "plain.csv").write_text("body\n" + "".join(f"{text}\n" for text, _ in mail()))
    found = textnb("diff", models[0], other_model, "plain.csv", "--text", "body", "--json").json["corpus"]
    assert found["flips"]
    assert (found["better"], found["worse"]) == (0, 0)
    assert {(flip["true"], flip["verdict"]) for flip in found["flips"]} == {(None, None)}
    assert "better" not in textnb("diff", models[0], other_model, "plain.csv", "--text", "body").out


def test_a_label_column_asked_for_must_be_there(textnb, models, mail_csv):
    done = textnb("diff", *models, mail_csv, "--label", "lable")
    assert (done.code, done.out) == (2, "")
    assert "has no labels in a column 'lable'" in done.err


def test_places_are_those_of_files_in_the_part_chosen(textnb, models, other_model, tmp_path):
    write_split_folder(tmp_path / "mail")
    every = [flip[0] for flip in expected_flips(models[0], other_model, [text for text, _ in mail()])]
    for part, chosen in (("test", [i for i in every if i % 4 == 0]), ("train", [i for i in every if i % 4])):
        found = textnb("diff", models[0], other_model, "mail", "--subset", part, "--json").json["corpus"]["flips"]
        assert {flip["where"] for flip in found} == {f"{part}/{mail()[i][1]}/{i}.txt" for i in chosen}


def test_places_are_right_with_categories_and_skipped_rows(textnb, models, other_model, tmp_path):
    lines = [json.dumps({"text": text, "label": label}) for text, label in mail()]
    (tmp_path / "bad.jsonl").write_text("\n".join(["{", *lines]))
    done = textnb("diff", models[0], other_model, "bad.jsonl", "--categories", "spam", "--json")
    texts, labels = zip(*mail(), strict=True)
    expected = [i for i, _, _ in expected_flips(models[0], other_model, texts) if labels[i] == "spam"]
    assert [flip["where"] for flip in done.json["corpus"]["flips"]] == [f"line {i + 2}" for i in expected]
    assert [problem["where"] for problem in done.json["corpus"]["skipped"]] == ["line 1"]
    assert done.err.startswith("textnb: skipped line 1: ")
    assert textnb("diff", *models, "bad.jsonl", "--quiet").err == ""
    assert textnb("diff", *models, "bad.jsonl", "--strict").code == 2


def test_documents_of_a_named_corpus_are_numbered(textnb, models, other_model):
    corpus = corpus_or_skip("sms-spam")
    found = textnb("diff", models[0], other_model, "sms-spam", "--json").json["corpus"]
    expected = expected_flips(models[0], other_model, corpus.texts)
    assert [flip["where"] for flip in found["flips"]] == [f"texts[{i}]" for i, _, _ in expected]


def test_a_model_of_an_older_format_can_be_compared(textnb, models):
    path = golden.FOLDER / "format-1-complement.tnb"
    found = textnb("diff", path, models[1], "--json").json
    assert found["before"]["n_documents"] == open_model(path).array("documents").sum()


def test_a_model_of_columns_is_refused(textnb, models, tmp_path):
    numbers = library.MixedNB([("links", library.GaussianNB(), [0])]).fit([[1.0], [2.0], [1.5]], ["x", "y", "x"])
    save_mixed(numbers, tmp_path / "columns.tnb")
    done = textnb("diff", models[0], "columns.tnb")
    assert (done.code, done.out) == (2, "")
    assert "columns.tnb is a model of columns" in done.err


def test_a_file_that_is_missing_or_damaged_is_an_error(textnb, models, tmp_path):
    assert "nothing.tnb: No such file" in textnb("diff", models[0], "nothing.tnb").err
    content = bytearray((tmp_path / models[1]).read_bytes())
    content[-1] ^= 1
    (tmp_path / "damaged.tnb").write_bytes(content)
    done = textnb("diff", models[0], "damaged.tnb")
    assert (done.code, done.out) == (2, "")
    assert "damaged" in done.err


def test_what_is_printed_is_inert(textnb, tmp_path):
    texts = [f"{EVIL} zz{number}" for number in range(8)]
    labels = np.array([NAMES[number % 4].encode(errors="replace").decode() for number in range(8)])
    settings = {"tokenizer": None, "token_pattern": r"(?u)\S+", "weights": "counts"}
    library.TextClassifier(**settings).fit(texts, labels).save(tmp_path / "a.tnb")
    library.TextClassifier(**settings, alpha=0.1).fit(texts, labels[::-1]).save(tmp_path / "b.tnb")
    (tmp_path / "h.jsonl").write_text("".join(json.dumps({"text": text, "label": EVIL}) + "\n" for text in texts))
    for option in ((), ("--json",)):
        done = textnb("diff", "a.tnb", "b.tnb", "h.jsonl", "--terms", 50, *option)
        assert done.code == 0
        assert_inert(done.out, done.err)


def test_two_models_are_compared_without_scikit_learn(models, tmp_path):
    paths = [str(tmp_path / name) for name in models]
    script = (
        "import sys\nfrom textnb.cli.app import run\n"
        f"assert run(['diff', *{paths!r}, '--json']) == 0\n"
        "print(*{'sklearn', 'scipy', 'nltk'} & set(sys.modules), file=sys.stderr)"
    )
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert child.stderr.split() == []
