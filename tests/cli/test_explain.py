"""`textnb explain`: why a document is of its class."""

import json

import pytest
from cli.conftest import mail

import textnb as library


def test_the_decision_its_terms_and_what_would_flip_it_are_shown(textnb, model):
    done = textnb("explain", model, stdin=b"Cheap pills, free lunch")
    first, _, header, *rows = done.out.splitlines()
    why = library.load(model).explain("Cheap pills, free lunch")
    assert first == f"spam  {why.probabilities['spam']:.4f}, log-odds {why.log_odds:+.2f} against ham"
    assert header.split() == ["term", "count", "adds"]
    shown = {row.split()[0]: row.split()[2] for row in rows if row.split()[1:2] == ["1"]}
    assert shown == {row.term: f"{row.contribution:+.2f}" for row in why.rows if row.kind == "term"}
    (total,) = [row.split()[1] for row in rows if row.startswith("sum")]
    assert total == f"{why.log_odds:+.2f}"
    flip = why.what_would_flip()
    assert rows[-1] == f"without {', '.join(flip.words)} it would be ham"
    assert done.err == ""


def test_what_is_not_shown_is_summed_up(textnb, model):
    text = " ".join(text for text, _ in mail(10))
    rows = textnb("explain", model, "--terms", "2", stdin=text.encode()).out.splitlines()[3:]
    numbers = [float(row.split(")")[-1].split()[-2 if row[-1] in "+-" else -1]) for row in rows[:4]]
    assert "others)" in rows[2]
    assert sum(numbers[:3]) == pytest.approx(numbers[3], abs=0.02)


def test_json_has_a_line_for_every_document(textnb, model, tmp_path):
    (tmp_path / "a.txt").write_text("cheap pills")
    (tmp_path / "b.txt").write_text("lunch")
    lines = textnb("explain", model, "a.txt", "b.txt", "--json").out.splitlines()
    for name, text, line in zip(("a.txt", "b.txt"), ("cheap pills", "lunch"), lines, strict=True):
        found, why = json.loads(line), library.load(model).explain(text)
        flip = why.what_would_flip()
        assert found.pop("id") == name
        assert found.pop("flip") == (None if flip is None else {"words": flip.words, "label": flip.label})
        assert found == json.loads(json.dumps(why.to_json()))
        assert sum(row["contribution"] for row in found["rows"]) == pytest.approx(found["log_odds"], rel=1e-9)


def test_a_pair_of_classes_is_asked_for(textnb, model):
    assert textnb("explain", model, "--label", "ham", stdin=b"cheap pills").out.startswith("ham  ")
    assert " against ham" in textnb("explain", model, "--against", "ham", stdin=b"cheap pills").out
    done = textnb("explain", model, "--against", "eggs", stdin=b"cheap pills")
    assert (done.code, done.err) == (2, "textnb: the model has no class 'eggs'; it has 'ham', 'spam'\n")


def test_several_documents_have_headings(textnb, model, tmp_path):
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "1.txt").write_text("cheap pills")
    (tmp_path / "inbox" / "2.txt").write_text("lunch")
    out = textnb("explain", model, "inbox").out
    assert [line for line in out.splitlines() if line.startswith("inbox")] == ["inbox/1.txt", "inbox/2.txt"]
    assert textnb("explain", model, "--lines", stdin=b"cheap\nlunch\n").out.count("log-odds") == 2


def test_nothing_in_a_document_acts_on_the_terminal(textnb, tmp_path):
    words = ["\x1b[31mred", "\u202eevil", "<script>", "a\u0300\u0301\u0302\u0303\u0304\u0305b"]
    texts, labels = (
        [f"{word} x{i} pills" for i, word in enumerate(words)] + ["lunch now"] * 4,
        ["spam"] * 4 + ["ham"] * 4,
    )
    classifier = library.TextClassifier(model="multinomial", weights="counts", tokenizer="whitespace").fit(
        texts, labels
    )
    classifier.save(tmp_path / "odd.tnb")
    out = textnb("explain", "odd.tnb", stdin=" ".join(words).encode()).out
    assert all(line.isprintable() for line in out.splitlines())
    assert "\\x1b[31mred" in out
    assert "\\u202eevil" in out
    assert "<script>" in out


def test_a_model_of_columns_is_refused(textnb, tmp_path):
    rows = "\n".join(f"{'pills' if i % 2 else 'lunch'},{i % 3},{'spam' if i % 2 else 'ham'}" for i in range(60))
    (tmp_path / "t.csv").write_text(f"text,n,label\n{rows}\n")
    assert textnb("train", "t.csv", "--numeric", "n", "--model", "multinomial", "-q").code == 0
    assert "explanations are for models of text" in textnb("explain", "t.tnb", stdin=b"pills").err
