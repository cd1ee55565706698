"""What takes the space of a model file, and what its ledger tells."""

import re

import pytest
from cli.test_learn import OLD_MODEL

import textnb as library


def test_inspect_shows_what_takes_the_space(textnb, model):
    found = textnb("inspect", model, "--json").json
    space = {entry["part"]: entry for entry in found["space"]}
    assert {"terms", "totals", "document frequencies", "ledger", "header and checksums"} <= space.keys()
    assert sum(entry["bytes"] for entry in found["space"]) == found["bytes"] == model.stat().st_size
    assert sum(entry["share"] for entry in found["space"]) == pytest.approx(1)
    assert space["ledger"]["bytes"] == 56 * 24
    text = textnb("inspect", model).out
    for part, entry in space.items():
        assert re.search(rf"^{part} +{entry['bytes']:,} +{entry['share']:.1%}$", text, re.MULTILINE), part


def test_models_of_every_kind_have_their_space_shown(textnb, tmp_path):
    (tmp_path / "t.csv").write_text("text,size,label\n" + "cheap pills,3,spam\nlunch,1,ham\n" * 9)
    assert textnb("train", "t.csv", "--numeric", "size").code == 0
    for path in ("t.tnb", OLD_MODEL):
        found = textnb("inspect", path, "--json").json
        assert sum(entry["bytes"] for entry in found["space"]) == found["bytes"]
        assert textnb("inspect", path).code == 0


def test_inspect_says_what_the_ledger_is(textnb, model):
    found = textnb("inspect", model, "--json").json
    assert found["ledger"] == {"documents": 56, "entries": 56, "bytes": 56 * 24}
    text = " ".join(textnb("inspect", model).out.split())
    assert "ledger 56 entries, 1,344 bytes: hashes of the documents" in text
    assert "enough to tell whether a given text was learned" in text


def test_the_ledger_can_be_forgotten(textnb, model):
    before = library.load(model)
    done = textnb("forget", model, "--ledger")
    assert done.code == 0
    assert done.out.startswith("56 ledger entries forgotten; ")
    assert "--once" in done.err
    found = textnb("inspect", model, "--json").json
    assert (found["ledger"], found["learning"]["ledger"]) == (None, None)
    assert "no ledger" in textnb("inspect", model).out
    after = library.load(model)
    texts = ["cheap lunch", "free meeting"]
    assert (after.predict_log_proba(texts) == before.predict_log_proba(texts)).all()
    once = textnb("learn", model, "--label", "ham", "--once", stdin=b"lunch")
    assert (once.code, "ledger" in once.err) == (2, True)
    assert textnb("learn", model, "--label", "ham", stdin=b"lunch").code == 0
    again = textnb("forget", model, "--ledger")
    assert (again.code, "has no ledger" in again.err) == (2, True)


def test_the_ledger_is_forgotten_alone(textnb, model, mail_csv):
    for more in ((mail_csv,), ("--label", "ham"), ("--lines",)):
        done = textnb("forget", model, "--ledger", *more)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "--ledger" in done.err
