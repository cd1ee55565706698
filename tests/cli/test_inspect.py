"""`textnb inspect`: what is in a model file."""

import re

import pytest
from cli.test_learn import OLD_MODEL

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


def test_text_fits_a_hundred_columns(textnb, mail_csv):
    textnb("train", mail_csv, "--model", "complement", "--weights", "log-tfidf", "--alpha", 1, "--output", "mail.tnb")
    lines = textnb("inspect", "mail.tnb", "--terms", 20).out.splitlines()
    assert lines[0].startswith("model      mail.tnb: ")
    at = lines.index("learned    56 documents, 20 terms")
    assert lines[at + 1] == (
        "learning   exact, vocabulary growing, idf frozen at 56 documents, 56 documents in the ledger"
    )
    assert max(map(len, lines[1:])) <= 100
    start = lines.index("ham")
    assert "lunch" in " ".join(lines[start + 1 : lines.index("spam")])


def test_a_long_list_of_stop_words_is_not_printed(textnb, mail_csv):
    textnb("train", mail_csv, "--stop-words", "a,b,c,d,e,f,g")
    assert "stop_words 7 of them" in textnb("inspect", "mail.tnb").out


def test_no_terms_on_request(textnb, model):
    assert all(not entry["top_terms"] for entry in textnb("inspect", model, "--terms", 0, "--json").json["classes"])
    assert textnb("inspect", model, "--terms", 0).code == 0


def test_how_a_model_goes_on_learning(textnb, mail_csv, tmp_path):
    def learning(*options):
        assert textnb("count", mail_csv, "-o", "m.tnb", *options).code == 0
        found = textnb("inspect", "m.tnb")
        (line,) = re.findall("^learning +(.*)$", found.out, re.MULTILINE)
        return textnb("inspect", "m.tnb", "--json").json["learning"], line

    facts = {"vocabulary": "growing", "pruned": False, "weighted": False, "idf_documents": None, "ledger": None}
    assert learning() == (facts, "exact, vocabulary growing, no ledger")
    assert learning("--ledger") == (facts | {"ledger": 80}, "exact, vocabulary growing, 80 documents in the ledger")
    assert learning("--weights", "tfidf")[0] == facts | {"idf_documents": 80}
    assert learning("--weights", "binary", "--unknown", "token") == (facts, "exact, vocabulary growing, no ledger")
    pruned = facts | {"pruned": True}
    assert learning("--prune", 10) == (pruned, "pruned, so that it cannot forget, vocabulary growing, no ledger")
    assert learning("--prune", 10, "--weights", "tfidf")[0] == pruned | {"vocabulary": "fixed", "idf_documents": 80}


def test_a_model_of_weighted_documents_is_not_said_to_be_exact(textnb, tmp_path):
    classifier = library.TextClassifier(weights="counts").fit(["cheap", "lunch"], ["spam", "ham"], [0.5, 2.0])
    classifier.save(tmp_path / "m.tnb")
    assert textnb("inspect", "m.tnb", "--json").json["learning"]["weighted"]
    assert "learning   of weighted documents, so that it cannot forget, vocabulary" in textnb("inspect", "m.tnb").out


def test_a_model_of_an_older_format_learns_no_more(textnb):
    found = textnb("inspect", OLD_MODEL, "--json").json
    assert found["learning"] is None
    assert "learning   no more: it was saved by an older textnb" in textnb("inspect", OLD_MODEL).out


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (("--protect", "ham", "--ceiling", "0.2"), "at most 0.2 of ham lost"),
        (("--unsure", "0.1"), "unsure costs 0.1"),
    ],
)
def test_a_ceiling_or_an_unsure_band_alone_is_shown(textnb, tmp_path, options, shown):
    rows = "".join(f"lunch {i},ham\ncheap {i},spam\n" for i in range(20))
    (tmp_path / "mail.csv").write_text("text,label\n" + rows)
    assert textnb("train", "mail.csv", "--model", "multinomial", "--quiet", *options).code == 0
    assert f"decides    {shown}\n" in textnb("inspect", "mail.tnb").out
