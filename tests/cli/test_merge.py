"""`textnb merge`: one model from several."""

import json
from itertools import permutations

import pytest
from cli.conftest import mail
from cli.test_learn import OLD_MODEL

import textnb as library
from textnb.model import update as model_updates

SETTINGS = [
    ("--weights", "counts"),
    ("--weights", "counts", "--model", "multinomial", "--unknown", "token", "--min-df", "2"),
    ("--weights", "binary", "--model", "bernoulli"),
    ("--weights", "counts", "--ngrams", "1,2", "--ledger"),
    ("--weights", "counts", "--analyzer", "char", "--ngrams", "2,3", "--max-features", "50"),
]


def write_table(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


@pytest.fixture
def parts(tmp_path):
    """Three parts of some mail, and all of it; a class is in one of them alone."""
    rows = [*mail()[::3], ("your invoice", "bill"), *mail()[1::2], *mail()[::5]]
    write_table(tmp_path / "all.jsonl", rows)
    names = ["p1", "p2", "p3"]
    for i, name in enumerate(names):
        write_table(tmp_path / f"{name}.jsonl", rows[i::3])
    return names


@pytest.mark.parametrize("settings", SETTINGS)
def test_merged_parts_are_the_whole_to_the_byte_in_any_order(textnb, parts, tmp_path, settings):
    for name in ("all", *parts):
        assert textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb", *settings).code == 0
    for order in permutations(parts):
        assert textnb("merge", "-o", "merged.tnb", *(f"{name}.tnb" for name in order)).code == 0
        assert (tmp_path / "merged.tnb").read_bytes() == (tmp_path / "all.tnb").read_bytes()
    textnb("merge", "-o", "two.tnb", "p3.tnb", "p2.tnb")
    textnb("merge", "-o", "two.tnb", "p1.tnb", "two.tnb", "--overwrite")  # it may be one of them
    assert (tmp_path / "two.tnb").read_bytes() == (tmp_path / "all.tnb").read_bytes()


@pytest.mark.parametrize("weights", ["tfidf", "log-tfidf"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_tfidf_parts_counted_like_one_model_merge(textnb, parts, tmp_path, weights, unknown):
    textnb("count", "all.jsonl", "-o", "first.tnb", "--weights", weights, "--unknown", unknown)
    for name in parts:
        assert textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb", "--like", "first.tnb").code == 0
    for order in permutations(parts):
        assert textnb("merge", "-o", "merged.tnb", *(f"{name}.tnb" for name in order)).code == 0
        assert (tmp_path / "merged.tnb").read_bytes() == (tmp_path / "first.tnb").read_bytes()


def test_what_it_prints(textnb, parts, tmp_path):
    for name in parts:
        textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb")
    found = textnb("merge", "-o", "merged.tnb", "p1.tnb", "p2.tnb", "--json").json
    classifier = library.load(tmp_path / "merged.tnb")
    assert found["model_file"] == "merged.tnb"
    assert found["merged"] == ["p1.tnb", "p2.tnb"]
    assert found["n_documents"] == sum(found["classes"].values()) == classifier.n_documents_
    assert found["n_terms"] == len(classifier.vocabulary_)
    said = textnb("merge", "-o", "merged.tnb", "p1.tnb", "p2.tnb")
    classes = ", ".join(f"{label} {count}" for label, count in found["classes"].items())
    assert (said.out, said.err) == (f"merged.tnb has {classes}; {found['n_terms']} terms\n", "")


def test_a_ledger_stays_if_all_have_one(textnb, parts, tmp_path):
    textnb("count", "p1.jsonl", "-o", "with.tnb", "--ledger")
    textnb("count", "p2.jsonl", "-o", "too.tnb", "--ledger")
    textnb("count", "p3.jsonl", "-o", "without.tnb")
    for models, size in ((("with.tnb", "too.tnb"), 56), (("with.tnb", "without.tnb"), None)):
        for out, order in zip(("one.tnb", "other.tnb"), permutations(models), strict=True):
            textnb("merge", "-o", out, *order)
            assert textnb("inspect", out, "--json").json["learning"]["ledger"] == size
        assert (tmp_path / "one.tnb").read_bytes() == (tmp_path / "other.tnb").read_bytes()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (("--model", "multinomial"), "model is"),
        (("--weights", "binary"), "weights is"),
        (("--alpha", "0.5"), "alpha is"),
        (("--ngrams", "1,2"), "ngrams is (1, 1), and (1, 2). Count"),
        (("--analyzer", "char"), "analyzer is 'word', and 'char'. Count"),
        (("--stop-words", "english"), "stop_words is None, and frozenset({"),
        (("--unknown", "token"), "unknown is"),
        (("--min-df", "2"), "min_df is 1, and 2. Count"),
    ],
)
def test_different_settings_are_refused_by_name(textnb, parts, tmp_path, settings, named):
    textnb("count", "p1.jsonl", "-o", "p1.tnb")
    textnb("count", "p2.jsonl", "-o", "p2.tnb", *settings)
    done = textnb("merge", "-o", "merged.tnb", "p1.tnb", "p2.tnb")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "different settings cannot be merged" in done.err
    assert named in done.err
    assert not (tmp_path / "merged.tnb").exists()


def test_another_idf_is_refused(textnb, parts):
    for name in ("p1", "p2"):
        textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb", "--weights", "tfidf")
    done = textnb("merge", "-o", "merged.tnb", "p1.tnb", "p2.tnb")
    assert done.code == 2
    assert "another idf" in done.err


def test_wrong_calls(textnb, parts, tmp_path):
    textnb("count", "p1.jsonl", "-o", "p1.tnb")
    (tmp_path / "old.tnb").write_bytes(OLD_MODEL.read_bytes())
    for call, said in [
        ("merge", "MODEL"),
        ("merge -o merged.tnb", "MODEL"),
        ("merge merged.tnb", "textnb merge -o OUT.tnb merged.tnb"),
        ("merge merged.tnb p1.tnb p2.tnb", "textnb merge -o merged.tnb p1.tnb p2.tnb"),
        ("merge p1.tnb p2.tnb", "textnb merge -o OUT.tnb p1.tnb p2.tnb"),
        ("merge -o merged.tnb p1.tnb missing.tnb", "missing.tnb: No such file"),
        ("merge -o merged.tnb p1.tnb p1.jsonl", "'p1.jsonl' is not a textnb model file"),
        ("merge -o merged.tnb p1.tnb old.tnb", "older textnb"),
        ("merge -o nodir/merged.tnb p1.tnb", "nodir/merged.tnb: the folder does not exist"),
        ("merge -o p1.tnb p1.tnb p1.tnb", "one of the inputs"),
        ("merge -o p1.jsonl p1.tnb p1.tnb", "p1.jsonl: it exists and is not a model"),
    ]:
        done = textnb(*call.split())
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert said in done.err
    assert not (tmp_path / "merged.tnb").exists()


@pytest.mark.parametrize("ledger", [("--ledger",), ()])
def test_a_model_that_knows_more_is_not_overwritten(textnb, parts, tmp_path, ledger):
    for name in parts:
        textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb", *ledger)
    textnb("merge", "-o", "all.tnb", *(f"{name}.tnb" for name in parts))
    before = (tmp_path / "all.tnb").read_bytes()
    done = textnb("merge", "-o", "all.tnb", "p1.tnb", "p2.tnb")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "all.tnb: it has learned" in done.err
    assert (tmp_path / "all.tnb").read_bytes() == before
    assert textnb("merge", "-o", "all.tnb", "p3.tnb", "p2.tnb", "p1.tnb").code == 0
    assert textnb("merge", "-o", "all.tnb", "p1.tnb", "p2.tnb", "--overwrite").code == 0


def test_what_is_learned_while_models_are_merged_into_one_of_them_is_not_lost(textnb, parts, tmp_path, monkeypatch):
    """The models were once read before the lock was taken, and a `learn` between the two was overwritten."""
    for name in ("p1", "p2"):
        textnb("count", f"{name}.jsonl", "-o", f"{name}.tnb")
    before = library.load(tmp_path / "p1.tnb").n_documents_
    lock = model_updates.writer_lock

    def learn_first(path):
        monkeypatch.setattr(model_updates, "writer_lock", lock)
        assert textnb("learn", "p1.tnb", "--label", "ham", stdin=b"dinner").code == 0
        return lock(path)

    monkeypatch.setattr(model_updates, "writer_lock", learn_first)
    assert textnb("merge", "-o", "p1.tnb", "p1.tnb", "p2.tnb", "--overwrite").code == 0
    merged = library.load(tmp_path / "p1.tnb").n_documents_
    assert merged == before + 1 + library.load(tmp_path / "p2.tnb").n_documents_


def test_documents_that_several_models_know_are_counted_and_said(textnb, mail_csv):
    textnb("count", mail_csv, "-o", "a.tnb", "--ledger")
    textnb("count", mail_csv, "-o", "b.tnb", "--ledger")
    done = textnb("merge", "-o", "all.tnb", "a.tnb", "b.tnb", "--json")
    assert "documents were in several of the models, and now count more than once" in done.err
    assert done.json["n_shared"] == len({text for text, _ in mail()})
    assert textnb("merge", "-o", "all.tnb", "a.tnb", "b.tnb", "--quiet").err == ""
