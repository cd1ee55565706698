"""What mailboxes and folders of a command are: mail or plain text, which it says, and patterns of names."""

import io
import tarfile
import zipfile

import pytest
from mail_samples import mboxrd, message, messages, write_folder, write_maildir

TEXT = b"minutes of the meeting\n"
SETTINGS = ("--model", "multinomial", "--weights", "counts", "--alpha", "1", "--test-size", "0")
MIXED_MAIL = "spam=sp has mail and other files, and all are read as mail; --analyzer word reads them as plain text"
LEARNED_AS_TEXT = "sp has mail and other files, and all are read as plain text; --analyzer mail reads them as messages"


@pytest.fixture
def ham(tmp_path):
    (tmp_path / "hm").write_bytes(mboxrd(messages("ham")))
    return tmp_path


def analyzer(textnb, name):
    return textnb("inspect", name, "--json").json["settings"]["analyzer"]


def with_mailbox(folder):
    folder.mkdir()
    (folder / "old.mbox").write_bytes(mboxrd(messages("spam")))
    (folder / "README.txt").write_bytes(TEXT)
    (folder / "NOTES.txt").write_bytes(TEXT)


def with_maildir(folder):
    write_maildir(folder / "box", [message()])
    (folder / "README.txt").write_bytes(TEXT)


def with_files_of_no_kind(folder):
    write_folder(folder, messages("spam")[:3])
    (folder / "loop").symlink_to("loop")
    (folder / "broken.csv").symlink_to("nowhere")
    for i in range(4):
        (folder / f"{i}.pdf").write_bytes(b"%PDF-1.4\n\0\x01\x02")
        (folder / f"empty{i}").write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "notices"), [(with_mailbox, [MIXED_MAIL]), (with_maildir, [MIXED_MAIL]), (with_files_of_no_kind, [])]
)
def test_a_few_other_files_make_no_plain_text_of_mail(textnb, ham, make, notices):
    make(ham / "sp")
    for command in (("train", "-o", "m.tnb", *SETTINGS), ("learn", "n.tnb")):
        done = textnb(command[0], *command[1:], "spam=sp", "ham=hm")
        assert done.code == 0
        told = [line.removeprefix("textnb: ") for line in done.err.splitlines() if "skipped" not in line]
        assert "is mail: words of headers and bodies are counted by the mail analyzer" in told[0]
        assert told[1:] == notices
    done = textnb("learn", "one.tnb", "--label", "spam", "sp")
    assert "sp is mail: words of headers and bodies are counted" in done.err
    assert ("has mail and other files" in done.err) is bool(notices)
    assert [analyzer(textnb, name) for name in ("m.tnb", "n.tnb", "one.tnb")] == ["mail"] * 3


def test_text_with_some_mail_is_plain_text_which_every_command_says(textnb, tmp_path):
    write_folder(tmp_path / "sp", [messages("spam")[0], TEXT, b"pills\n"])
    write_folder(tmp_path / "ham", [b"lunch\n", b"dinner\n"])
    assert f"spam={LEARNED_AS_TEXT}" in textnb("train", "spam=sp", "ham=ham", *SETTINGS, "-o", "m.tnb").err
    assert f"spam={LEARNED_AS_TEXT}" in textnb("learn", "n.tnb", "spam=sp", "ham=ham").err
    assert f"textnb: {LEARNED_AS_TEXT}" in textnb("learn", "one.tnb", "--label", "spam", "sp").err
    assert [analyzer(textnb, name) for name in ("m.tnb", "n.tnb", "one.tnb")] == ["word"] * 3


def test_files_beside_the_folders_of_a_source_are_looked_at_too(textnb, ham):
    write_folder(ham / "sp" / "texts", [TEXT] * 2)
    (ham / "sp" / "all.mbox").write_bytes(mboxrd(messages("spam")))
    write_folder(ham / "sp" / ".git", [TEXT] * 30)
    assert MIXED_MAIL in textnb("train", "spam=sp", "ham=hm", *SETTINGS).err


# What a model is started with


def test_a_model_is_started_with_the_analyzer_that_is_asked_for(textnb, ham):
    (ham / "note.txt").write_bytes(TEXT)
    done = textnb("learn", "n.tnb", "spam=hm", "ham=note.txt")
    assert (done.code, "--analyzer mail) or as plain text (--analyzer word)" in done.err) == (2, True)
    for given in ("mail", "word"):
        done = textnb("learn", f"{given}.tnb", "spam=hm", "ham=note.txt", "--analyzer", given)
        assert (done.code, done.err) == (0, "")
        assert analyzer(textnb, f"{given}.tnb") == given
        assert textnb("learn", f"one-{given}.tnb", "--label", "a", "note.txt", "--analyzer", given).err == ""
        assert analyzer(textnb, f"one-{given}.tnb") == given
    assert textnb("learn", "body.tnb", "--label", "ham", "hm", "--mail", "body").code == 0
    assert textnb("inspect", "body.tnb", "--json").json["settings"]["mail"] == "body"
    (ham / "table.csv").write_text("text,label\nlunch,ham\npills,spam\n")
    assert textnb("learn", "table.tnb", "table.csv", "--mail", "no-source").code == 0
    assert textnb("inspect", "table.tnb", "--json").json["settings"]["mail"] == "no-source"


def test_a_model_keeps_what_it_was_started_with(textnb, ham):
    assert textnb("learn", "n.tnb", "--label", "ham", "hm", "--mail", "body").code == 0
    before = (ham / "n.tnb").read_bytes()
    for options, why in [
        (
            ("--analyzer", "word"),
            "n.tnb was started with --analyzer mail, not word, and stays so: leave --analyzer out",
        ),
        (("--mail", "all"), "n.tnb was started with --mail body, not all, and stays so"),
        (("--analyzer", "word", "--mail", "body"), "--mail says what is read of messages: leave it out"),
    ]:
        for words in (("--label", "ham", "hm"), ("ham=hm",)):
            done = textnb("learn", "n.tnb", *words, *options)
            assert (done.code, done.out) == (2, "")
            assert why in done.err
    assert (ham / "n.tnb").read_bytes() == before
    assert textnb("learn", "n.tnb", "--label", "ham", "hm", "--analyzer", "mail", "--mail", "body").code == 0


def test_an_audit_reads_mail_as_it_is_asked_to(textnb, ham):
    (ham / "note.txt").write_bytes(TEXT)
    assert "--analyzer mail" in textnb("audit", "spam=note.txt", "ham=hm").err
    assert textnb("audit", "spam=note.txt", "ham=hm", "--analyzer", "word").code == 0
    assert textnb("audit", "spam=note.txt", "ham=hm", "--mail", "body").code == 0


def test_options_of_words_read_mail_as_plain_text_which_is_said(textnb, ham):
    (ham / "sp").write_bytes(mboxrd(messages("spam")))
    for option, value in [("--stop-words", "the,a"), ("--stemmer", "porter")]:
        done = textnb("train", "spam=sp", "ham=hm", *SETTINGS, option, value, "-o", f"a{option}.tnb")
        assert done.err == (
            f"textnb: spam=sp ham=hm is mail, and is read as plain text because of {option}: the mail analyzer takes "
            "none\n"
        )
        assert analyzer(textnb, f"a{option}.tnb") == "word"
        assert textnb("train", "spam=sp", "ham=hm", *SETTINGS, option, value, "--analyzer", "word").err == ""
        for other in (("--analyzer", "mail"), ("--mail", "body")):
            done = textnb("train", "spam=sp", "ham=hm", option, value, *other)
            assert (done.code, f"leave them out, or {other[0]}" in done.err) == (2, True)


# Patterns


def test_patterns_name_sources_of_every_command(textnb, ham, monkeypatch):
    for i, content in enumerate(messages("spam", 6)):
        (ham / f"raw{i}").write_bytes(content)
    assert textnb("learn", "g.tnb", "--label", "spam", "raw[0-3]").code == 0
    done = textnb("learn", "g.tnb", "ham=hm")
    assert done.code == 0
    assert textnb("predict", "g.tnb", "raw*").out.count("\n") == 6
    assert textnb("explain", "g.tnb", "raw*", "--json").out.count("\n") == 6
    assert textnb("forget", "g.tnb", "--label", "spam", "raw[01]", "--json").json["forgotten"] == 2
    (ham / "rows.csv").write_text("text,label\nlunch at noon,ham\ncheap pills,spam\n")
    assert textnb("evaluate", "g.tnb", "row?.csv", "--json").json["n_test"] == 2
    assert textnb("audit", "row?.csv").code == 0
    assert textnb("learn", "g.tnb", "row?.csv", "--json").json["learned"] == 2
    (ham / "rowt.csv").write_text("text,label\nlunch,ham\n")
    assert "give one corpus, or each source" in textnb("audit", "row?.csv").err
    assert "no*: No such file or directory" in textnb("predict", "g.tnb", "no*").err
    (ham / "raw*").write_bytes(message())
    assert textnb("predict", "g.tnb", "raw*").out.count("\n") == 1


# What has no class


@pytest.mark.parametrize("command", ["train", "evaluate", "audit", "diff", "count"])
def test_a_mailbox_without_a_class_is_said_to_be_one_and_nothing_else(textnb, ham, command):
    write_maildir(ham / "Junk", messages("spam"))
    (ham / "one").write_bytes(message())
    assert textnb("learn", "a.tnb", "ham=hm", "spam=Junk", "--quiet").code == 0
    models = {"evaluate": ["a.tnb"], "diff": ["a.tnb", "a.tnb"]}.get(command, [])
    more = ["-o", "b.tnb"] if command == "count" else []
    for path, what in [("hm", "a mailbox"), ("Junk", "a maildir"), ("one", "a message")]:
        done = textnb(command, *models, path, *more)
        assert done.code == 2
        assert done.err == f"textnb: {path} is {what}, and its class is not known: say it, as LABEL={path}\n"


# Archives


def archive(path, members):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in members.items():
                packed.writestr(name, content)
        return
    with tarfile.open(path, "w:gz") as packed:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("a.zip", {}),
        ("a.zip", {"a.csv": b"text\nx\n"}),
        ("a.tgz", {".hidden": message()}),
        ("a.tgz", {"empty": b""}),
    ],
)
def test_an_archive_of_which_nothing_is_read_is_a_failure(textnb, ham, name, members):
    assert textnb("learn", "a.tnb", "--label", "ham", "hm", "--quiet").code == 0
    archive(ham / name, members)
    done = textnb("predict", "a.tnb", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"textnb: {name}: it is an archive in which there is no document that can be read\n")
