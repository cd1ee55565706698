"""`textnb explain`: why a document is of its class."""

import csv
import json
import os
import re
import subprocess
import sys
import termios
from contextlib import suppress

import pytest
from cli.conftest import mail
from cli.test_process import ROOT

import textnb as library


def test_the_decision_its_terms_and_what_would_flip_it_are_shown(textnb, model):
    done = textnb("explain", model, stdin=b"Cheap pills, free lunch")
    first, _, header, *rows = done.out.splitlines()
    why = library.load(model).explain("Cheap pills, free lunch")
    assert first == f"spam  {why.probabilities['spam']:.4f}, log-odds {why.log_odds:+.2f} against ham"
    assert header.split() == ["term", "count", "adds"]
    cells = [re.split(r"\s{2,}", row.strip()) for row in rows]
    shown = {term: adds for term, count, adds, *_ in (each for each in cells if len(each) > 2) if count == "1"}
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


def write_table(path, rows, names=("text", "label")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def test_each_row_of_a_table_is_explained(textnb, model, tmp_path):
    write_table(tmp_path / "new.csv", [("cheap pills", "?"), ("", "?"), ("lunch", "?")])
    done = textnb("explain", model, "new.csv", "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [(one["id"], one["label"]) for one in found] == [("new.csv:2", "spam"), ("new.csv:4", "ham")]
    assert [one["rows"] for one in found] == [
        json.loads(json.dumps(library.load(model).explain(text).to_json()))["rows"] for text in ("cheap pills", "lunch")
    ]
    assert "skipped new.csv: line 3" in done.err
    shown = textnb("explain", model, "new.csv", "-q").out
    assert [line for line in shown.splitlines() if line.startswith("new")] == ["new.csv:2", "new.csv:4"]


def test_tables_are_read_as_predict_reads_them(textnb, model, tmp_path):
    def labels(*call, stdin=b""):
        return [json.loads(line)["label"] for line in textnb(*call, "--json", stdin=stdin).out.splitlines()]

    write_table(tmp_path / "new.tsv.csv", [("caf\xe9 lunch", 1), ("free prize", 2)], ("body", "n"))
    lines = "\n".join(json.dumps({"body": text}) for text in ("lunch", "free prize")).encode()
    for call, stdin in [
        (["new.tsv.csv", "--text", "body"], b""),
        (["--text", "body"], lines),
        (["--text", "body", "--format", "jsonl"], lines),
        (["--lines"], b"lunch\nfree prize\n"),
    ]:
        assert labels("explain", model, *call, stdin=stdin) == ["ham", "spam"]
        assert labels("predict", model, *call, stdin=stdin) == ["ham", "spam"]
    assert len(labels("explain", model, "new.tsv.csv", "--as-document")) == 1


def test_options_of_tables_are_refused_where_there_are_none(textnb, model, mail_csv):
    for how in ("--lines", "--as-document"):
        done = textnb("explain", model, mail_csv, how, "--text", "text")
        assert (done.code, done.out) == (2, "")
        assert done.err == "textnb: --text is for the rows of tables: leave it out, or --lines and --as-document\n"


@pytest.fixture
def columns(textnb, tmp_path):
    """A model of the columns body, domain and links."""
    rows = [
        (("pills free", "win.biz", 5 + i % 4, "spam"), ("lunch noon", "work.org", i % 4, "ham"))[i % 3 == 0]
        for i in range(60)
    ]
    write_table(tmp_path / "t.csv", rows, ("body", "domain", "links", "kind"))
    call = ("--text", "body", "--label", "kind", "--categorical", "domain", "--numeric", "links")
    assert textnb("train", "t.csv", *call, "--model", "multinomial", "-q").code == 0
    return tmp_path / "t.tnb"


def test_rows_of_a_mixed_model_are_explained_by_its_columns(textnb, columns, tmp_path):
    rows = [("Free lunch", "win.biz", 2), ("noon", "", ""), ("", "new.example", 7)]
    write_table(tmp_path / "new.csv", rows, ("body", "domain", "links"))
    found = [json.loads(line) for line in textnb("explain", columns, "new.csv", "--json").out.splitlines()]
    loaded = library.load(columns)
    for one, (body, domain, links) in zip(found, rows, strict=True):
        why = loaded.explain([body or None, domain or None, links or None])
        assert one["rows"] == json.loads(json.dumps(why.to_json()))["rows"]
        assert sum(row["contribution"] for row in one["rows"]) == pytest.approx(one["log_odds"], rel=1e-9)
    assert {row["term"]: row.get("source") for row in found[0]["rows"]} == {
        "free": "body",
        "lunch": "body",
        "domain=win.biz": "domain",
        "links=2": "links",
        "prior": None,
    }
    assert [row["term"] for row in found[1]["rows"]] == ["noon", "prior"]
    out = textnb("explain", columns, "new.csv").out
    assert ["term", "column", "count", "adds"] in [line.split() for line in out.splitlines()]
    assert "[domain=new.example]" in out
    renamed = write_table(tmp_path / "other.csv", rows, ("message", "domain", "links"))
    of_message = json.loads(textnb("explain", columns, renamed, "--text", "message", "--json").out.splitlines()[0])
    assert {row.get("source") for row in of_message["rows"]} == {"message", "domain", "links", None}


def test_a_model_of_columns_takes_rows_only(textnb, columns, tmp_path):
    assert "is a model of the columns body, domain, links" in textnb("explain", columns, stdin=b"pills").err
    assert "it takes rows of tables, not lines" in textnb("explain", columns, "--lines", stdin=b"pills").err


def on_a_terminal(tmp_path, *arguments, **environment):
    """What a terminal gets."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment}
    words = [sys.executable, "-m", "textnb", *map(str, arguments)]
    done = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE, env=settings, cwd=tmp_path, timeout=60)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # at its end, where the other side is closed
        while more := os.read(ours, 1 << 16):
            shown += more
    os.close(ours)
    assert (done.returncode, done.stderr) == (0, b"")
    return shown.decode().replace("\r\n", "\n")


HOSTILE = "Cheap pills \x1b]0;owned\x07\x1b[2J lunch\u202e\r\nspam  1.0000\ntomorrow\x9b31m pi\u200blls"
STYLE = re.compile(r"\x1b\[(?:1;)?([34]);38;5;\d+m([^\x1b\n]+)\x1b\[0m")


def test_on_a_terminal_the_words_are_marked_where_they_stand(textnb, model, tmp_path):
    (tmp_path / "m.txt").write_text("Cheap pills,\nlunch tomorrow", encoding="utf-8")
    shown = on_a_terminal(tmp_path, "explain", model, "m.txt")
    why = library.load(model).explain("Cheap pills,\nlunch tomorrow")
    expected = {
        why.text[piece.start : piece.end]: "4" if piece.share > 0 else "3"
        for piece in why.highlights
        if abs(piece.share) > 0.05 * max(abs(other.share) for other in why.highlights)
    }
    assert {word: sign for sign, word in STYLE.findall(shown)} == expected
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert "\n| Cheap pills,\n| lunch tomorrow\n" in plain
    piped = textnb("explain", model, "m.txt").out
    assert "\x1b" not in piped
    assert "| Cheap" not in piped
    assert plain.replace("| Cheap pills,\n| lunch tomorrow\n\n", "") == piped


@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours_signs_below_the_words_say_what_speaks_for_the_class(textnb, model, tmp_path, settings):
    (tmp_path / "m.txt").write_text("Cheap pills,\n\n日本 lunch", encoding="utf-8")
    shown = on_a_terminal(tmp_path, "explain", model, "m.txt", **settings)
    assert "\x1b" not in shown
    why = library.load(model).explain("Cheap pills,\n\n日本 lunch")
    sign = {why.text[piece.start : piece.end]: "+" if piece.share > 0 else "-" for piece in why.highlights}
    signs = f"| {sign['Cheap'] * 5} {sign['pills'] * 5}\n| \n| 日本 lunch\n|      {sign['lunch'] * 5}\n\n"
    marked = f"| Cheap pills,\n{signs}"
    assert marked in shown
    assert shown.replace(marked, "") == textnb("explain", model, "m.txt").out
    assert "\x1b[" in on_a_terminal(tmp_path, "explain", model, "m.txt", NO_COLOR="")


def test_a_hostile_text_cannot_act_on_the_terminal_it_is_shown_on(model, tmp_path):
    (tmp_path / "m.txt").write_text(HOSTILE, encoding="utf-8", newline="")
    shown = on_a_terminal(tmp_path, "explain", model, "m.txt")
    plain = re.sub(r"\x1b\[(?:0|(?:1;)?[34];38;5;\d+)m", "", shown)  # what textnb itself writes
    assert all(line.isprintable() for line in plain.splitlines())
    assert r"\x1b]0;owned\x07\x1b[2J lunch\u202e" in plain
    assert "\n| spam  1.0000\n" in plain  # not as a decision
    assert plain.count("\nspam") <= 1


def test_of_a_long_text_the_beginning_is_shown(model, tmp_path):
    (tmp_path / "m.txt").write_text("pills\n" * 100 + "lunch")
    plain = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal(tmp_path, "explain", model, "m.txt"))
    assert plain.count("| pills\n") == 15
    assert "| … 516 more characters\n" in plain
    (tmp_path / "m.txt").write_text("pills " * 10_000)
    plain = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal(tmp_path, "explain", model, "m.txt"))
    assert "| … 58,500 more characters\n" in plain


def test_every_text_of_a_row_is_shown_under_its_column(columns, tmp_path):
    write_table(tmp_path / "new.csv", [("Free lunch", "win.biz", 2)], ("body", "domain", "links"))
    plain = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal(tmp_path, "explain", columns, "new.csv", "-q"))
    assert "\nbody\n| Free lunch\n" in plain


def test_what_a_policy_decides_is_explained_and_said_where_it_is_unsure(textnb, mail_csv):
    args = ("--model", "multinomial", "--weights", "counts", "--unsure", "0.01", "--quiet", "--overwrite")
    assert textnb("train", mail_csv, *args, "--output", "decided.tnb").code == 0
    texts = {name: f"{name}.txt" for name in ("sure", "doubtful")}
    (mail_csv.parent / texts["sure"]).write_text("cheap pills " * 30, "utf-8")
    (mail_csv.parent / texts["doubtful"]).write_text("cheap lunch", "utf-8")
    for name, path in texts.items():
        answer = json.loads(textnb("predict", "decided.tnb", path, "--json").out)
        found = json.loads(textnb("explain", "decided.tnb", path, "--json").out)
        shown = textnb("explain", "decided.tnb", path).out
        assert found["decision"] == answer["label"]
        assert (answer["label"] is None) == (name == "doubtful") == shown.startswith("unsure, by the costs")
        assert found["label"] == max(answer["probabilities"], key=answer["probabilities"].get)
    assert "the most probable class would be" in shown
    assert "decision" not in json.loads(textnb("explain", "decided.tnb", texts["sure"], "--label", "ham", "--json").out)


def test_a_text_of_no_known_word_says_so(textnb, mail_csv):
    assert textnb("train", mail_csv, "--model", "complement", "--quiet", "--output", "words.tnb").code == 0
    assert "knows no word of it" in textnb("explain", "words.tnb", stdin=b"zzzz qqqq").out


def test_terms_with_blanks_at_their_ends_stand_in_quotation_marks(textnb, mail_csv):
    settings = ("--model", "multinomial", "--weights", "counts", "--analyzer", "char_wb", "--ngrams", "2,3")
    assert textnb("train", mail_csv, *settings, "--quiet", "--output", "characters.tnb").code == 0
    assert '" ch"' in textnb("explain", "characters.tnb", "--terms", "200", stdin=b"cheap").out


def test_small_numbers_have_digits_enough(textnb, mail_csv):
    settings = ("--model", "complement", "--weights", "tfidf", "--alpha", "1000")
    assert textnb("train", mail_csv, *settings, "--quiet", "--output", "small.tnb").code == 0
    sums = [line for line in textnb("explain", "small.tnb", stdin=b"cheap").out.splitlines() if line.startswith("sum")]
    assert float(sums[0].split()[1]) != 0
