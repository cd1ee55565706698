"""What is printed or drawn from documents, labels, file names and models of strangers is inert, one test a place."""

import csv
import json
import os
import re
import sys
import tarfile
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from cli.conftest import caller
from model.test_model_files import forged
from storage.forge import seal, split

from textnb import TextClassifier, load
from textnb.cli import app
from textnb.cli.app import COMMANDS
from textnb.corpora import ReadOptions, sources
from textnb.workflow import train

LINK = "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x07"
EVIL = (
    f"\x1b[31mred\x1b]0;title\x07{LINK} \u202eevil\u2066\u200b\u2060\xad \x9b2J [/] [/bold] "
    "<script>alert(1)</script> \x7f"
)
NAMES = ["a\x1b[2J[/]", "b\u202e<b>[/]\u200b", "c\ud800x\x7f[bold]", "d\r\ne\x9b1m"]
CATEGORIES = ["x\x1b]0;t\x07", "<i>\u2067[/]", "z\u200e&amp;"]
CORPUS, FEW = "h\x1b[31m\u202e[b]<i>.jsonl", "f\x1b[31m.jsonl"
TABLE, BOX = "t\x1b[2J\u2066[b]<i>.csv", "m\x9b\u202e<i>.mbox"
MODEL, MIXED, OTHER, SECOND = "m\x1b]0;x\x07\u202e<i>.tnb", "x\x1b[7m\u200b.tnb", "o\x1b[1m\u2069.tnb", "s\x9b[b].tnb"
COLUMN = "kind\x1b[5m\u202e<u>[/]"
COLUMNS = ["--text", "text", "--categorical", COLUMN, "--numeric", "n"]


def texts(n=24):
    return [(f"word{number} {EVIL} zz{number % 4} {CATEGORIES[number % 3]}", NAMES[number % 4]) for number in range(n)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A hostile corpus in each form, and models of it, whose classes, terms, columns and patterns are hostile."""
    root = tmp_path_factory.mktemp("hostile")
    rows = [{"text": text, "label": label} for text, label in texts()]
    bad = [json.dumps({"text": 5, "label": EVIL}), EVIL, json.dumps({EVIL: "x"})]
    (root / CORPUS).write_text("\n".join([*map(json.dumps, rows), *bad]), encoding="utf-8")
    (root / FEW).write_text("\n".join(map(json.dumps, rows[:3])), encoding="utf-8")
    names = [name.replace("\ud800", "\ufffd") for name in NAMES]
    table = [(text, CATEGORIES[n % 3], n % 5, names[n % 4]) for n, (text, _) in enumerate(texts())]
    with (root / TABLE).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", COLUMN, "n", "label"), *table])
    (root / "document.txt").write_text(f"word1 {EVIL} zz1", encoding="utf-8")
    (root / BOX).write_bytes(b"".join(map(message, range(6))))
    (root / "ham.mbox").write_bytes(b"".join(map(message, range(6, 12))))
    documents, labels = zip(*((row[0], row[3]) for row in table), strict=True)
    made = {"token_pattern": "\\S+|\x1b\u202e<b>", "model": "multinomial", "weights": "counts"}
    first = TextClassifier(**made).fit(documents, labels)
    first.decide_by({(names[0], names[1]): 5.0}, unsure=0.01).save(root / MODEL)
    TextClassifier(**made).fit(documents[:9], labels[:9]).save(root / OTHER)
    TextClassifier(**made).fit(documents[9:], labels[9:]).save(root / SECOND)
    options = ReadOptions(text="text", label="label")
    train(root / TABLE, categorical=[COLUMN], numeric=["n"], options=options, output=root / MIXED)
    return root


def message(number):
    """A mail with hostile headers and a hostile part of HTML."""
    words = "win free" if number < 6 else "lunch minutes"
    return (
        "From x@example.org Thu Jan  1 00:00:00 1970\n"
        f"Subject: =?utf-8?q?=1B[31m{number}=E2=80=AE=E2=80=8B[/]=07?= {LINK}\n"
        f"From: =?utf-8?q?a=1B]0;t=07?= <a@example.org>\nMessage-ID: <{number}\x9b@example.org>\n"
        f"Content-Type: text/html; charset=utf-8\n\n<a href='javascript:x'>{words} {EVIL}</a>\n\n"
    ).encode()


@pytest.fixture
def textnb(folder, monkeypatch, capsys):
    """The command line in that folder, as `tests/cli/conftest.py` has it in a folder of its own."""
    monkeypatch.chdir(folder)
    return caller(monkeypatch, capsys)


@pytest.fixture
def kept_model(folder):
    """The model as it was before, for some commands change it."""
    kept = (folder / MODEL).read_bytes()
    yield
    (folder / MODEL).write_bytes(kept)


def assert_inert(*outputs):
    for output in outputs:
        assert all(character.isprintable() or character in "\n\t" for character in output)
        output.encode("utf-8")


BOTH = {  # what is asked as a table, then as JSON
    "train": ["train", CORPUS, "-o", "new.tnb", "--overwrite"],
    "train by folds": ["train", CORPUS, "--cv", 2, "-o", "new.tnb", "--overwrite"],
    "train on mail": ["train", f"{NAMES[0][:4]}={BOX}", "ham=ham.mbox", "-o", "new.tnb", "--overwrite"],
    "train on columns": ["train", TABLE, *COLUMNS, "-o", "new.tnb", "--overwrite"],
    "train a stream": ["train", CORPUS, "--stream", "-o", "new.tnb", "--overwrite"],
    "count": ["count", CORPUS, "-o", "new.tnb", "--overwrite"],
    "evaluate": ["evaluate", MODEL, CORPUS, "--all"],
    "report": ["report", MODEL, CORPUS, "--all", "-o", "r\x1b[m.html", "--compare", OTHER, "--overwrite"],
    "predict a file": ["predict", MODEL, "document.txt", CORPUS],
    "predict and explain": ["predict", MODEL, CORPUS, "--explain"],
    "predict the top": ["predict", MODEL, CORPUS, "--top", 3],
    "predict to a table": ["predict", MODEL, CORPUS, "-o", "p\x1b[m.csv", "--overwrite"],
    "predict by columns": ["predict", MIXED, TABLE],
    "check": ["check", MODEL, "document.txt", "--positive", NAMES[0], "--verbose"],
    "explain": ["explain", MODEL, "document.txt", CORPUS],
    "explain columns": ["explain", MIXED, TABLE],
    "tune": ["tune", CORPUS, "--model", "multinomial", "--weights", "counts", "--ngrams", "1,1", "--min-df", "1"],
    "inspect": ["inspect", MODEL, "--terms", 40],
    "inspect columns": ["inspect", MIXED],
    "learn": ["learn", MODEL, CORPUS],
    "learn a new class": ["learn", MODEL, "document.txt", "--label", EVIL, "--new-class"],
    "refit": ["refit", MODEL, CORPUS, "-o", "new.tnb", "--overwrite"],
    "forget": ["forget", MODEL, FEW],
    "merge": ["merge", OTHER, SECOND, "-o", "n\x1b[m.tnb", "--overwrite"],
    "compact": ["compact", MODEL, "-o", "n\x1b[m.tnb", "--overwrite"],
    "diff": ["diff", OTHER, SECOND, CORPUS, "--by-class"],
    "audit": ["audit", CORPUS, "--new", CORPUS],
    "audit mail": ["audit", f"spam={BOX}", "ham=ham.mbox"],
}


def test_every_command_is_tried():
    assert {call[0] for call in BOTH.values()} | {"corpora"} == set(COMMANDS)


@pytest.mark.parametrize("place", BOTH)
def test_a_command_prints_nothing_that_acts(textnb, kept_model, place):
    done = textnb(*BOTH[place])
    assert done.code in (0, 1)
    assert re.search(r"\\x1b|\\u202e|\\x9b", done.out + done.err) or place == "tune"
    assert_inert(done.out, done.err)


@pytest.mark.parametrize("place", BOTH)
def test_json_is_ascii_and_its_lines_are_whole(textnb, kept_model, place):
    done = textnb(*BOTH[place], "--json")
    assert done.code in (0, 1)
    assert done.out.isascii()
    assert done.out.replace("\n", "").isprintable()
    assert [json.loads(line) for line in done.out.splitlines()]
    assert_inert(done.err)


OWN_STYLE = re.compile(r"\x1b\[(?:0|(?:1;)?[34];38;5;\d+)m")  # of marked words
OWN_PROGRESS = re.compile(r"\r|\x1b\[A")  # of bars


@pytest.mark.parametrize("document", ["document.txt", TABLE])
def test_texts_shown_on_a_terminal_have_our_colours_alone(textnb, monkeypatch, document):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    done = textnb("explain", MODEL if document == "document.txt" else MIXED, document, terminal=True)
    assert OWN_STYLE.search(done.out)
    assert r"\x1b]8;;" in done.out
    assert_inert(OWN_STYLE.sub("", done.out))


@pytest.mark.parametrize("place", ["train", "train a stream", "predict to a table", "report", "diff"])
def test_progress_on_a_terminal(textnb, place):
    done = textnb(*BOTH[place], terminal=True)
    assert "reading " in done.err or "\r" in done.err
    assert_inert(OWN_PROGRESS.sub("", done.err))


class Elements(HTMLParser):
    """The elements of a page, and the names of their attributes."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}


def test_a_report_holds_no_markup_of_others(textnb, folder):
    assert textnb(*BOTH["report"]).code == 0
    page = (folder / "r\x1b[m.html").read_text("utf-8")
    found = Elements(page)
    assert r"b\u202e&lt;b&gt;[/]\u200b" in page
    assert found.tags.count("script") == 2
    assert not {"i", "u", "img", "iframe"} & set(found.tags)
    assert not [name for name in found.attributes if name.startswith("on")]
    assert_inert(page)


@pytest.mark.parametrize("name", [MODEL, MIXED])
def test_an_explanation_in_a_notebook_holds_no_markup_of_others(folder, name):
    row = {"text": EVIL, COLUMN: CATEGORIES[1], "n": 1.0}
    page = load(folder / name).explain(EVIL if name == MODEL else row)._repr_html_()
    found = Elements(page)
    assert r"\x1b" in page
    assert "&lt;" in page
    assert not {"script", "i", "u", "b"} & set(found.tags)
    assert not [name for name in found.attributes if name.startswith("on")]
    assert_inert(page)


@pytest.mark.parametrize(
    ("place", "picture"), [("evaluate", "--plot"), ("evaluate", "--reliability"), ("tune", "--plot")]
)
def test_pictures_hold_no_markup_of_others(textnb, folder, place, picture):
    done = textnb(*BOTH[place], picture, "p\x1b[1m.svg", "--overwrite")
    assert done.code == 0
    content = (folder / "p\x1b[1m.svg").read_text("utf-8")
    assert not {"script", "a"} & {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(content).iter()}
    assert_inert(content, done.err)


CALLS = {
    "a corpus that is not there": ["train", EVIL],
    "classes": ["train", CORPUS, "--categories", EVIL],
    "a column": ["train", TABLE, "--text", EVIL],
    "a folder that is not there": ["train", CORPUS, "--output", f"{EVIL}/x"],
    "a picture": ["train", CORPUS, "--plot", f"{EVIL}.gif"],
    "a choice": ["train", CORPUS, "--model", EVIL],
    "an encoding": ["train", CORPUS, "--encoding", EVIL],
    "an option": ["train", CORPUS, f"--{EVIL}"],
    "a command": [EVIL],
    "a cost": ["train", CORPUS, "--cost", f"{EVIL}:x=1"],
    "the first bad row": ["train", CORPUS, "--strict"],
    "a model that is not there": ["predict", EVIL],
    "a model that is none": ["predict", CORPUS, EVIL],
    "a model to evaluate that is none": ["evaluate", CORPUS, EVIL],
    "a class to explain": ["explain", MODEL, "document.txt", "--label", EVIL],
    "a prior": ["predict", MODEL, "document.txt", "--prior", f"{EVIL}=1"],
    "a document that was not learned": ["forget", MODEL, "document.txt", "--label", NAMES[3]],
    "a model that is written over": ["count", FEW, "-o", MODEL],
    "models that do not fit": ["merge", MODEL, MIXED, "-o", "new.tnb", "--overwrite"],
    "a mixed model to diff": ["diff", MODEL, MIXED],
    "a named corpus": ["corpora", "fetch", EVIL],
}


@pytest.mark.parametrize("why", CALLS)
def test_an_error_is_one_inert_line(textnb, why):
    done = textnb(*CALLS[why])
    assert (done.code, done.out) == (2, "")
    assert done.err.rstrip("\n").count("\n") == 0
    assert_inert(done.err)


def test_a_warning_of_the_library_is_one_inert_line(textnb, monkeypatch):
    monkeypatch.setattr(app, "call", lambda arguments: warnings.warn(EVIL, stacklevel=1))
    done = textnb("train")
    assert done.err.startswith(r"textnb: \x1b[31mred\x1b]0;title")
    assert done.err.count("\n") == 1
    assert_inert(done.err)


SETTINGS = [
    *({"model": EVIL}, {"weights": EVIL}, {"rule": EVIL}, {"auto": [EVIL]}, {"left_out": {EVIL: 1}}, {EVIL: 1}),
    *({"classes": [EVIL, NAMES[0]]}, {"policy": {EVIL: EVIL}}, {"calibration": EVIL}, {"analyzer": {EVIL: EVIL}}),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: ascii(next(iter(settings)))[1:9])
def test_a_model_file_with_hostile_settings(textnb, folder, settings):
    name = forged(folder / MODEL, settings=settings).name
    for command in (["predict", name, "document.txt"], ["inspect", name], ["diff", MODEL, name]):
        done = textnb(*command)
        assert done.code in (0, 2)  # prediction overlooks what it does not need
        assert_inert(done.out, done.err)


def test_a_model_file_with_hostile_versions(textnb, folder):
    header, data = split(folder / MODEL)
    (folder / "v.tnb").write_bytes(seal(re.sub(rb"\d+\.\d+\.\d+", rb"\\\\u001b[31m\\\\u202e", header.rstrip())) + data)
    for as_json in ([], ["--json"]):
        done = textnb("inspect", "v.tnb", *as_json)
        assert (done.code, r"\u202e" in done.out) == (0, True)
        assert_inert(done.out, done.err)


def test_a_damaged_archive_of_a_named_corpus(textnb, tmp_path, monkeypatch):
    place = tmp_path / "c\x1b[31m\u202e"
    place.mkdir()
    with tarfile.open(place / "sms_spam.tar.xz", "w:xz") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("sms_spam/\x1b[2J\u202e"))
    monkeypatch.setenv("TEXTNB_CORPORA", str(place))
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "_far", lambda edition, quiet: iter(()))
    done = textnb("corpora", "fetch", "sms-spam")
    assert r"c\x1b[31m\u202e" in done.err
    assert_inert(done.out, done.err)


@pytest.fixture
def evil_file(tmp_path):
    """A file whose name is no UTF-8, nor inert."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/m\xff\x1b[31m\xe2\x80\xae.txt")
    try:
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(EVIL)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    return path


def test_a_file_whose_name_is_no_text(textnb, evil_file):
    assert_inert(*textnb("predict", MODEL, evil_file, CORPUS)[1:])
    assert textnb("predict", MODEL, evil_file, "--json").json["id"] == evil_file


def test_stdin(textnb):
    assert_inert(*textnb("predict", MODEL, stdin=f"{EVIL}\ud800".encode("utf-8", "surrogatepass"))[1:])


def test_a_folder_with_names_of_other_encodings(textnb, tmp_path, evil_file):
    root = os.fsencode(tmp_path) + b"/folder\xff"
    for label in (b"one\xfe\x1b", b"two"):
        os.makedirs(root + b"/" + label)  # noqa: PTH103
        for number in range(8):
            with open(root + b"/" + label + b"/%d\xff.txt" % number, "wb") as file:  # noqa: PTH123
                file.write(b"word%d \xff" % number)
    done = textnb("train", os.fsdecode(root))
    assert done.code == 0
    assert_inert(done.out, done.err)
    assert textnb("predict", os.fsdecode(b"folder\xff.tnb"), evil_file).code == 0


def test_a_stream_that_lacks_the_signs_of_tables_gets_plainer_ones(textnb):
    from textnb.cli.output import show

    sys.stdout.reconfigure(encoding="ascii", errors="backslashreplace")
    done = textnb("evaluate", MODEL, CORPUS, "--all")
    assert done.out.isascii()
    assert r"\xb7" not in done.out
    show("· … ± é")
    assert textnb().out.startswith(". ~ ~ \\xe9\n")
