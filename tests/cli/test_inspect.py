"""`textnb inspect`: what is in a model file."""

import pytest

import textnb as library


def test_json_has_the_facts(textnb, model):
    found = textnb("inspect", model, "--terms", 3, "--json").json
    classifier = library.load(model)
    assert found["model_file"] == str(model)
    assert found["bytes"] == model.stat().st_size
    assert found["written_by"]["textnb"] == library.__version__
    assert found["n_documents"] == 56
    assert found["n_terms"] == len(classifier.vocabulary_)
    for entry in found["classes"]:
        assert (entry["documents"], entry["prior"]) == (28, pytest.approx(0.5))
        top = [(term["term"], term["weight"]) for term in entry["top_terms"]]
        assert top == classifier.top_terms(3)[entry["class"]]


def test_text_fits_a_hundred_columns(textnb, model):
    lines = textnb("inspect", model, "--terms", 20).out.splitlines()
    assert lines[0].startswith(f"model      {model}: ")
    assert lines[2] == "learned    56 documents, 20 terms"
    assert max(map(len, lines[1:])) <= 100
    start = lines.index("ham")
    assert "lunch" in " ".join(lines[start + 1 : lines.index("spam")])


def test_a_long_list_of_stop_words_is_not_printed(textnb, mail_csv):
    textnb("train", mail_csv, "--stop-words", "a,b,c,d,e,f,g")
    assert "stop_words 7 of them" in textnb("inspect", "mail.tnb").out


def test_no_terms_on_request(textnb, model):
    assert all(not entry["top_terms"] for entry in textnb("inspect", model, "--terms", 0, "--json").json["classes"])
    assert textnb("inspect", model, "--terms", 0).code == 0
