"""`textnb corpora`: the named corpora."""

from pathlib import Path

from corpora_for_tests import corpus_or_skip

from textnb.corpora import corpus_names


def test_all_named_corpora_are_listed(textnb):
    listed = textnb("corpora")
    assert listed == textnb("corpora", "list")
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == corpus_names()
    assert max(map(len, listed.out.splitlines())) <= 100


def test_the_list_as_json(textnb):
    found = textnb("corpora", "list", "--json").json
    assert [entry["name"] for entry in found] == corpus_names()
    assert all(
        entry.keys() == {"name", "title", "cached", "here", "editions", "licence", "citation"} for entry in found
    )
    assert textnb("corpora", "--json").json == textnb("corpora", "--json", "list").json == found


def test_what_is_in_the_folder_of_corpora_is_here(textnb, tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TEXTNB_CORPORA", str(tmp_path))
    (tmp_path / "20news-bydate.tar.gz").touch()
    here = [entry["name"] for entry in textnb("corpora", "--json").json if entry["here"]]
    assert here == [line.split()[0] for line in textnb("corpora").out.splitlines() if "  yes  " in line] == ["20news"]


def test_a_corpus_is_fetched_into_the_cache(textnb):
    corpus_or_skip("sms-spam")
    found = textnb("corpora", "fetch", "sms-spam", "--quiet", "--json")
    assert (found.code, found.err) == (0, "")
    assert found.json["classes"] == {"ham": 4827, "spam": 747}
    assert found.json["n_documents"] == 5574
    assert Path(found.json["path"]).is_file()
    text = textnb("corpora", "fetch", "sms-spam", "--quiet").out
    assert text.splitlines()[-1].split() == ["spam", "747"]
    cached = {entry["name"]: entry["cached"] for entry in textnb("corpora", "--json").json}
    assert cached["sms-spam"]
