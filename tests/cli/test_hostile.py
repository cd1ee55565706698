"""What is printed from documents, class names and file names of strangers is inert."""

import json
import os
import sys

import pytest

EVIL = "\x1b[31mred\x1b]0;title\x07 \u202eevil\u200b \x9b [/bold] <script>alert(1)</script> \x7f"
NAMES = ["a\x1b[2J", "b\u202e<b>[/]\u200b", "c\ud800x\x7f", "d\r\ne"]


@pytest.fixture
def hostile(tmp_path):
    rows = [{"text": f"word{n} {EVIL}zz{n % 4}", "label": NAMES[n % 4]} for n in range(24)]
    bad = [json.dumps({"text": 5, "label": EVIL}), EVIL, json.dumps({EVIL: "x"})]
    (tmp_path / "h.jsonl").write_text("\n".join([*map(json.dumps, rows), *bad]), encoding="utf-8")
    return tmp_path / "h.jsonl"


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


def assert_inert(*outputs):
    for output in outputs:
        assert all(character.isprintable() or character in "\n\t" for character in output)
        output.encode("utf-8")


def test_text_is_inert(textnb, hostile, evil_file):
    trained = textnb("train", hostile)
    assert trained.code == 0
    assert r"a\x1b[2J" in trained.out
    assert len(trained.err.splitlines()) == 3  # the bad rows
    others = [
        textnb("inspect", "h.tnb", "--terms", 40),
        textnb("evaluate", "h.tnb", hostile),
        textnb("predict", "h.tnb", evil_file, hostile),
        textnb("predict", "h.tnb", stdin=EVIL.encode("utf-8", "surrogatepass")),
    ]
    assert [done.code for done in others] == [0] * 4
    for done in (trained, *others):
        assert_inert(done.out, done.err)


def test_json_is_ascii_and_says_it_all(textnb, hostile, evil_file):
    trained = textnb("train", hostile, "--json", "--quiet")
    assert trained.json["classes"] == sorted(name.replace("\ud800", "\ufffd") for name in NAMES)
    predicted = textnb("predict", "h.tnb", evil_file, "--json")
    assert predicted.json["id"] == evil_file
    inspected = textnb("inspect", "h.tnb", "--json")
    for done in (trained, predicted, inspected):
        assert done.out.removesuffix("\n").isprintable()
        assert done.out.isascii()


@pytest.mark.parametrize(
    "call",
    [
        ["train", EVIL],
        ["train", "h.jsonl", "--categories", EVIL],
        ["train", "h.jsonl", "--text", EVIL],
        ["train", "h.jsonl", "--output", f"{EVIL}/x"],
        ["train", "h.jsonl", "--plot", f"{EVIL}.gif"],
        ["train", "h.jsonl", "--model", EVIL],
        ["train", "h.jsonl", "--encoding", EVIL],
        ["train", "h.jsonl", f"--{EVIL}"],
        [EVIL],
        ["predict", EVIL],
        ["predict", "h.jsonl", EVIL],
        ["evaluate", "h.jsonl", EVIL],
        ["corpora", "fetch", EVIL],
    ],
)
def test_errors_are_inert(textnb, hostile, call):
    done = textnb(*call)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert_inert(done.err)


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


def test_a_stream_that_lacks_the_signs_of_tables_gets_plainer_ones(textnb, mail_csv):
    from textnb.cli.output import show

    sys.stdout.reconfigure(encoding="ascii", errors="backslashreplace")
    done = textnb("train", mail_csv)
    assert done.out.isascii()
    matrix = done.out.splitlines()[12:]
    assert "\\x" not in "".join(matrix)
    show("· … ± é")
    assert textnb().out.startswith(". ~ ~ \\xe9\n")
