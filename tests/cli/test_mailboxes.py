"""From mailboxes to a model and back, at the prompt."""

import gzip
import io
import shutil
import zipfile

import pytest
from mail_samples import mboxrd, message, messages, write_folder, write_maildir

SETTINGS = ("--model", "multinomial", "--weights", "counts", "--alpha", "1")
SPAM = b"Received: from x\nFrom: a@example.org\nTo: b@example.org\nSubject: cheap pills\n\ncheap pills, free prize\n"


@pytest.fixture
def mailboxes(tmp_path):
    """Mailboxes of spam and ham, each of another kind."""
    write_maildir(tmp_path / "Junk", messages("spam"))
    (tmp_path / "Archive.mbox").write_bytes(mboxrd(messages("ham", 20)[:12]))
    write_folder(tmp_path / "Sent", messages("ham", 20)[12:])
    return ["spam=Junk/", "ham=Archive.mbox", "ham=Sent/"]


@pytest.fixture
def filter_file(textnb, mailboxes, tmp_path):
    """A model of that mail."""
    assert textnb("train", *mailboxes, *SETTINGS, "--quiet", "--refit").code == 0
    return tmp_path / "mail.tnb"


def test_mail_is_trained_on_by_the_mail_analyzer_which_is_said(textnb, mailboxes, tmp_path):
    done = textnb("train", *mailboxes, *SETTINGS, "--json")
    assert done.code == 0
    assert done.err == (
        "textnb: spam=Junk/ ham=Archive.mbox ham=Sent/ is mail: words of headers and bodies are counted by the mail "
        "analyzer; --analyzer word reads it as plain text\n"
    )
    assert done.json["corpus"] == "spam=Junk/ ham=Archive.mbox ham=Sent/"
    assert done.json["edition"] == "32 messages"
    assert (done.json["settings"]["analyzer"], done.json["model_file"]) == ("mail", "mail.tnb")
    assert done.json["n_train"] + done.json["n_test"] == 32
    assert (tmp_path / "mail.tnb").exists()


def test_another_analyzer_reads_mail_as_plain_text(textnb, mailboxes):
    done = textnb("train", *mailboxes, *SETTINGS, "--analyzer", "word", "--json")
    assert (done.code, done.err, done.json["settings"]["analyzer"]) == (0, "", "word")
    assert textnb("predict", "mail.tnb", "Archive.mbox", "--json").out.count("\n") == 12
    words = textnb("train", *mailboxes, *SETTINGS, "--stop-words", "the,a", "--json", "--overwrite")
    assert (words.code, words.json["settings"]["analyzer"]) == (0, "word")


def test_what_is_read_of_messages_can_be_chosen(textnb, mailboxes):
    done = textnb("train", *mailboxes, *SETTINGS, "--mail", "body", "--json")
    assert (done.json["settings"]["analyzer"], done.json["settings"]["mail"]) == ("mail", "body")


def test_class_folders_of_mail_are_mail(textnb, tmp_path):
    write_maildir(tmp_path / "mail" / "spam", messages("spam"))
    write_folder(tmp_path / "mail" / "ham", messages("ham"))
    done = textnb("train", "mail", *SETTINGS, "--json")
    assert "mail is mail" in done.err
    assert (done.json["settings"]["analyzer"], done.json["model_file"]) == ("mail", "mail.tnb")
    assert "mail" not in textnb("train", "mail", *SETTINGS, "--analyzer", "word", "--overwrite").err


def test_an_archive_of_class_folders_is_a_corpus_of_its_name(textnb, tmp_path):
    for label in ("spam", "ham"):
        write_folder(tmp_path / "mail" / label, messages(label))
    shutil.make_archive(str(tmp_path / "mine"), "gztar", tmp_path / "mail")
    done = textnb("train", "mine.tar.gz", *SETTINGS, "--json")
    assert (done.code, done.json["classes"], done.json["model_file"]) == (0, ["ham", "spam"], "mine.tnb")


def test_sources_that_are_not_mail_train_models_of_words(textnb, tmp_path):
    for label in ("spam", "ham"):
        write_folder(tmp_path / label, [content.split(b"\n\n")[1] for content in messages(label)])
    done = textnb("train", "a=spam", "b=ham", *SETTINGS, "--json")
    assert (done.err, done.json["settings"]["analyzer"], done.json["model_file"]) == ("", "word", "labelled.tnb")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("spam=Junk", "Sent"), "which class is Sent of? Give each source with its class, as LABEL=Sent"),
        (("Junk", "Sent"), "give one corpus, or each source with its class, as LABEL=Junk LABEL=Sent"),
        (("spam=", "ham=Sent"), "spam= names a class and no file or folder: give both, as in spam=Junk"),
        (("spam=",), "spam= names a class and no file or folder"),
        (("=Junk", "ham=Sent"), "=Junk has no class before the sign =: give one, as in spam=Junk"),
        (("=Junk",), "=Junk has no class before the sign ="),
        (("Sent",), "it is in no class folder. Documents of one class are given with it, as LABEL=Sent."),
        (("spam=Junk", "ham=nothing"), "ham=nothing: there is no file or folder nothing"),
        (("spam=Junk", "ham=no*.mbox"), "ham=no*.mbox: there is no file or folder no*.mbox"),
        (("spam=Junk", "ham=Junk"), "Junk is given as spam and as ham"),
        (("spam=Junk", "ham=notes.csv"), "spam=Junk is mail and ham=notes.csv is not: say how to read them"),
        (("spam=Junk", "ham=Sent", "--numeric", "x"), "has no columns"),
        (("spam=Junk", "ham=Sent", "--strip", "headers"), "Only 20 Newsgroups"),
        (("spam=Junk",), "has only the class 'spam'"),
        (("Junk",), "Junk is a maildir, and its class is not known: say it, as LABEL=Junk"),
        (("Archive.mbox",), "Archive.mbox is a mailbox, and its class is not known: say it, as LABEL=Archive.mbox"),
        (("Sent/000",), "Sent/000 is a message, and its class is not known: say it, as LABEL=Sent/000"),
        (("Junk", "--stream"), "Junk is no table"),
        (("Archive.mbox", "--stream"), "as LABEL=Archive.mbox"),
    ],
)
def test_sources_that_cannot_be_used_say_why(textnb, mailboxes, tmp_path, words, error):
    (tmp_path / "notes.csv").write_text("text\nlunch at noon\n")
    done = textnb("train", *words)
    assert (done.code, done.out) == (2, "")
    assert error in done.err.splitlines()[-1]
    assert not list(tmp_path.glob("*.tnb"))


def test_an_input_is_not_overwritten(textnb, mailboxes, tmp_path):
    inside = tmp_path / "Sent" / "mail.tnb"
    assert textnb("train", *mailboxes, *SETTINGS, "--output", inside).code == 0
    before = inside.read_bytes()
    for output in (inside, tmp_path / "Archive.mbox"):
        done = textnb("train", *mailboxes, *SETTINGS, "--output", output)
        assert (done.code, done.out) == (2, "")
        assert "it is one of the inputs" in done.err
    assert inside.read_bytes() == before


def test_what_was_skipped_is_listed_and_strict_stops(textnb, mailboxes, tmp_path):
    (tmp_path / "Sent" / "empty").write_bytes(b"")
    done = textnb("train", *mailboxes, *SETTINGS)
    assert "textnb: skipped Sent/empty: it is empty\n" in done.err
    done = textnb("train", *mailboxes, *SETTINGS, "--strict", "--overwrite")
    assert (done.code, done.err.splitlines()[-1]) == (2, "textnb: Sent/empty: it is empty")


def test_streams_of_mail(textnb, mailboxes):
    whole = textnb("train", *mailboxes, *SETTINGS, "--no-calibrate", "--test-size", "0", "--no-ledger", "-o", "a.tnb")
    stream = textnb("train", *mailboxes, *SETTINGS, "--test-size", "0", "--stream", "-o", "b.tnb", "--json")
    assert (whole.code, stream.code) == (0, 0)
    assert (stream.json["n_train"], stream.json["settings"]["analyzer"]) == (32, "mail")
    assert textnb("predict", "a.tnb", "Sent", "--raw").out == textnb("predict", "b.tnb", "Sent", "--raw").out


def test_parts_of_mail_are_counted_and_merged(textnb, mailboxes, tmp_path):
    counting = (*SETTINGS, "--analyzer", "mail", "--ledger")
    whole = textnb("count", *mailboxes, *SETTINGS, "--ledger", "-o", "whole.tnb", "--json")
    assert (whole.code, whole.json["classes"]) == (0, {"ham": 20, "spam": 12})
    assert "is mail: words of headers and bodies are counted by the mail analyzer" in whole.err
    assert textnb("count", mailboxes[0], *counting, "-o", "a.tnb").code == 0
    assert textnb("count", *mailboxes[1:], "-o", "b.tnb", "--like", "a.tnb").code == 0
    assert textnb("merge", "-o", "merged.tnb", "a.tnb", "b.tnb").code == 0
    whole, merged = (textnb("predict", name, "Sent", "Junk") for name in ("whole.tnb", "merged.tnb"))
    assert (whole.out.count("\n"), whole.out) == (20, merged.out)
    assert textnb("count", "Junk", "Sent", "-o", "c.tnb").err.endswith("as LABEL=Junk LABEL=Sent\n")


def test_a_mailbox_is_evaluated_message_by_message(textnb, filter_file, tmp_path):
    (tmp_path / "later.mbox").write_bytes(mboxrd(messages("spam", 30)[12:]))
    with zipfile.ZipFile(tmp_path / "later.zip", "w") as archive:
        for i, content in enumerate(messages("ham", 30)[20:]):
            archive.writestr(f"ham/{i}.eml", content)
    done = textnb("evaluate", filter_file, "spam=later.mbox", "ham=later.zip", "ham=Sent", "--json")
    assert (done.code, done.json["n_test"], done.json["n_learned_skipped"]) == (0, 28, 8)
    assert done.json["accuracy"] > 0.8


def test_reports_and_audits_take_the_same_sources(textnb, filter_file, mailboxes, tmp_path):
    done = textnb("report", filter_file, *mailboxes, "--all", "-o", "report.html")
    assert (done.code, (tmp_path / "report.html").exists()) == (0, True)
    (tmp_path / "Sent" / "wrong").write_bytes(messages("spam", 13)[12])
    done = textnb("audit", *mailboxes, "--json")
    assert [found["where"] for found in done.json["suspicious_labels"]] == ["Sent/wrong"]


# Learning and predicting


def test_predictions_have_the_places_of_messages(textnb, filter_file):
    lines = textnb("predict", filter_file, "Archive.mbox", "Junk").out.splitlines()
    assert len(lines) == 24
    assert lines[2].startswith("Archive.mbox:3\tham\t")
    assert lines[12].startswith("Junk/1000.M0.host\tspam\t")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stdin_is_a_message_or_a_mailbox(textnb, filter_file, pack):
    assert textnb("predict", filter_file, stdin=pack(SPAM)).out.startswith("spam\t")
    assert textnb("predict", filter_file, stdin=pack(mboxrd([SPAM]))).out.startswith("spam\t")
    lines = textnb("predict", filter_file, stdin=pack(mboxrd([SPAM, message()]))).out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["-:1", "-:2"]


def test_explanations_and_tables_of_predictions_are_of_messages_too(textnb, filter_file, tmp_path):
    done = textnb("explain", filter_file, "Archive.mbox", "--json")
    assert (done.code, done.out.count("\n")) == (0, 12)
    assert textnb("predict", filter_file, "Archive.mbox", "-o", "out.csv").code == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[12].startswith("Archive.mbox:12,ham,")


def test_a_mailbox_with_a_label_is_many_messages(textnb, filter_file, tmp_path):
    (tmp_path / "more.mbox").write_bytes(mboxrd(messages("spam", 15)[12:]))
    done = textnb("learn", filter_file, "--label", "spam", "more.mbox", "--json")
    assert (done.json["learned"], done.json["classes"]) == (3, {"ham": 20, "spam": 15})
    write_maildir(tmp_path / "more", messages("spam", 15)[12:])
    done = textnb("learn", filter_file, "--once", "--label", "spam", "more/", "--json")
    assert (done.json["learned"], done.json["known"]) == (0, 3)
    assert textnb("forget", filter_file, "spam=more", "--json").json["classes"] == {"ham": 20, "spam": 12}


def test_a_copy_that_a_client_has_kept_is_the_same_message(textnb, filter_file, tmp_path):
    copy = b"X-Mozilla-Status: 0001\n" + messages("spam")[0].replace(b"\n", b"\r\n") + b"\r\n"
    (tmp_path / "copy.eml").write_bytes(copy)
    done = textnb("learn", filter_file, "--once", "--label", "spam", "copy.eml", "--json")
    assert (done.json["learned"], done.json["known"]) == (0, 1)


def test_sources_with_their_class_are_learned_and_forgotten(textnb, mailboxes, tmp_path):
    done = textnb("learn", "new.tnb", *mailboxes, "--json")
    assert (done.json["started"], done.json["classes"]) == (True, {"ham": 20, "spam": 12})
    assert "is mail: words of headers and bodies are counted by the mail analyzer" in done.err
    assert textnb("predict", "new.tnb", stdin=SPAM).out.startswith("spam\t")
    done = textnb("forget", "new.tnb", "ham=Sent", "--json")
    assert (done.err, done.json["classes"]) == ("", {"ham": 12, "spam": 12})
    assert textnb("learn", "new.tnb", "--label", "spam", *mailboxes).code == 2


@pytest.mark.parametrize("words", [("--label", "spam", "Junk"), ("--label", "spam", "Junk/new"), ("spam=Junk/cur",)])
def test_a_model_that_mail_starts_is_one_of_mail(textnb, mailboxes, words):
    assert textnb("learn", "new.tnb", *words).code == 0
    assert textnb("inspect", "new.tnb", "--json").json["settings"]["analyzer"] == "mail"


def test_a_message_on_stdin_starts_a_model_of_mail_and_a_text_one_of_words(textnb):
    assert textnb("learn", "mail.tnb", "--label", "spam", stdin=SPAM).code == 0
    assert textnb("learn", "text.tnb", "--label", "spam", stdin=b"cheap pills").code == 0
    kinds = [textnb("inspect", name, "--json").json["settings"]["analyzer"] for name in ("mail.tnb", "text.tnb")]
    assert kinds == ["mail", "word"]


def test_stdin_may_be_one_of_the_sources(textnb, mailboxes):
    done = textnb("learn", "new.tnb", "spam=-", "ham=Sent", "--json", stdin=mboxrd(messages("spam")))
    assert done.json["classes"] == {"ham": 8, "spam": 12}
    done = textnb("train", "spam=-", "ham=Sent", *SETTINGS, "--json", stdin=mboxrd(messages("spam")))
    assert (done.code, done.json["settings"]["analyzer"]) == (0, "mail")


def test_models_of_words_take_mailboxes_as_plain_text(textnb, model, mailboxes):
    before = textnb("inspect", model, "--json").json["n_documents"]
    done = textnb("learn", model, *mailboxes, "--json")
    assert (done.code, done.err, done.json["learned"]) == (0, "", 32)
    assert sum(done.json["classes"].values()) == before + 32


def test_what_cannot_be_told_apart_is_noticed(textnb, filter_file, tmp_path):
    (tmp_path / "a.mbox").write_bytes(mboxrd([message()]) + b"From a@example.org\n" + message(number=2))
    for call in (("predict", filter_file, "a.mbox"), ("learn", filter_file, "--label", "ham", "a.mbox")):
        done = textnb(*call)
        assert done.code == 0
        assert "a.mbox has lines that begin with 'From ' and have no date" in done.err
        assert textnb(*call, "--quiet").err == ""


def test_no_message_is_printed_as_it_is(textnb, filter_file, tmp_path):
    (tmp_path / "\x1b[31mred.mbox").write_bytes(mboxrd([message(), message(number=2)]))
    done = textnb("predict", filter_file, "\x1b[31mred.mbox")
    assert "\x1b" not in done.out
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("\x1b[31mred", b"")
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    assert "\x1b" not in textnb("predict", filter_file, "a.zip").err


def test_a_folder_inside_another_is_of_its_own_class_alone(textnb, tmp_path):
    write_maildir(tmp_path / "Maildir", messages("ham"))
    write_maildir(tmp_path / "Maildir" / ".Junk", messages("spam"))
    done = textnb("train", "spam=Maildir/.Junk", "ham=Maildir", *SETTINGS, "--test-size", "0", "--json")
    assert done.json["n_train"] == 24
    assert "Maildir is read without" in done.err
    learned = textnb("learn", "new.tnb", "spam=Maildir/.Junk", "ham=Maildir", "--once", "--json")
    assert learned.json["classes"] == {"ham": 12, "spam": 12}


def test_a_path_that_is_written_in_two_ways_is_read_once(textnb, tmp_path):
    write_folder(tmp_path / "ham", messages("ham"))
    write_folder(tmp_path / "spam", messages("spam"))
    sources = ("ham=ham", "ham=./ham", f"ham={tmp_path}/ham", "spam=spam")
    assert textnb("train", *sources, *SETTINGS, "--test-size", "0", "--json").json["n_train"] == 24
    assert textnb("train", "ham=ham", "spam=./ham").err.endswith("./ham is given as ham and as spam: give it once\n")


@pytest.mark.parametrize("place", ["Empty", "Empty/new", "Empty/cur/"])
def test_a_maildir_without_messages_is_nothing_to_do(textnb, filter_file, tmp_path, place):
    write_maildir(tmp_path / "Empty", [])
    before = filter_file.read_bytes()
    done = textnb("predict", filter_file, place)
    assert (done.code, done.out, done.err) == (0, "", f"textnb: {place}: it is a maildir without messages\n")
    assert textnb("predict", filter_file, place, "-o", "out.csv", "--json").json["n_documents"] == 0
    assert (tmp_path / "out.csv").read_text().splitlines() == ["id,label,probability"]
    assert textnb("predict", filter_file, place, "-o", "out.tsv").out == "0 predicted; written to out.tsv\n"
    for words in (("--label", "spam", place, "--once"), (f"spam={place}", "--once")):
        done = textnb("learn", filter_file, *words, "--json")
        assert (done.code, done.json["learned"], done.json["known"], done.json["copies"]) == (0, 0, 0, 0)
        assert done.err == f"textnb: {place}: it is a maildir without messages\ntextnb: nothing to learn\n"
    assert textnb("forget", filter_file, "--label", "spam", place, "--json").json["forgotten"] == 0
    assert filter_file.read_bytes() == before
    assert textnb("learn", filter_file, "--label", "spam", place, "Junk", "--json").json["learned"] == 12


def test_an_empty_maildir_starts_no_model(textnb, tmp_path):
    write_maildir(tmp_path / "Empty", [])
    done = textnb("learn", "new.tnb", "--label", "spam", "Empty")
    assert (done.code, done.out) == (0, "0 learned; there is no new.tnb yet\n")
    assert not (tmp_path / "new.tnb").exists()


def test_other_empty_folders_stay_errors(textnb, filter_file, tmp_path):
    (tmp_path / "new").mkdir()
    for call in (("predict", filter_file, "new"), ("learn", filter_file, "--label", "spam", "new")):
        done = textnb(*call)
        assert (done.code, "new: it is a folder without files" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_what_is_to_be_classified_is_given_without_a_class(textnb, filter_file, tmp_path, command):
    done = textnb(command, filter_file, "spam=Junk")
    assert (done.code, done.out) == (2, "")
    assert "spam=Junk is given with its class, and classes are what the model says of documents: give Junk." in done.err
    assert "spam=nothing: No such file" in textnb(command, filter_file, "spam=nothing").err
    (tmp_path / "spam=Junk").write_bytes(SPAM)
    assert textnb(command, filter_file, "spam=Junk").code == 0


@pytest.mark.parametrize(
    "call", ["predict {}", "predict {} -o out.csv", "explain {}", "learn {} --label ham", "forget {} --label ham"]
)
def test_lines_are_no_messages(textnb, filter_file, tmp_path, call):
    before = filter_file.read_bytes()
    done = textnb(*call.format("mail.tnb").split(), "Sent", "--lines")
    assert (done.code, done.out) == (2, "")
    assert "the model is one of mail, and a line (--lines) is no message" in done.err
    assert (filter_file.read_bytes(), (tmp_path / "out.csv").exists()) == (before, False)


def test_tables_in_archives_are_skipped_as_in_folders(textnb, filter_file, tmp_path):
    with zipfile.ZipFile(tmp_path / "mixed.zip", "w") as archive:
        archive.writestr("mail/1.eml", SPAM)
        archive.writestr("mail/notes.csv", "text,label\nlunch,ham\n")
    shutil.unpack_archive(tmp_path / "mixed.zip", tmp_path / "unpacked")
    for source in ("mixed.zip", "unpacked"):
        done = textnb("predict", filter_file, source)
        assert (done.code, done.out.count("\n")) == (0, 1)
        assert f"skipped {source}/mail/notes.csv: it is a table of documents" in done.err


@pytest.mark.parametrize("call", ["train", "train --stream", "count --output mail.tnb"])
def test_classes_that_differ_only_in_case_are_noticed(textnb, mailboxes, call):
    command, *options = call.split()
    done = textnb(command, "spam=Junk", "ham=Sent", "Ham=Archive.mbox", *SETTINGS, *options)
    assert done.code == 0
    assert "textnb: 'Ham' and 'ham' are 2 classes, which differ only in case or white space" in done.err
    assert "are 2 classes" not in textnb(command, *mailboxes, *SETTINGS, *options, "--overwrite").err


def test_messages_in_the_trash_and_drafts_are_noticed_and_read(textnb, filter_file, tmp_path):
    write_maildir(tmp_path / "More" / "mail", messages("ham", 4), flags=":2,ST")
    write_maildir(tmp_path / "More" / "mail" / ".Trash", messages("spam", 3))
    write_maildir(tmp_path / "More" / "mail" / ".INBOX.Drafts", messages("spam", 1))
    said = "textnb: the messages of {} that are read include 5 in the trash and 1 in the drafts\n"
    for source in ("More/mail", "More/mail/", "./More//mail"):
        done = textnb("predict", filter_file, source)
        assert (done.code, done.out.count("\n"), done.err) == (0, 8, said.format(source))
    assert textnb("predict", filter_file, "More/mail", "--quiet").err == ""
    assert textnb("learn", filter_file, "More", "--new-class", "--json").json["learned"] == 8
    assert said.format("More") in textnb("learn", filter_file, "More", "--new-class").err
    assert textnb("predict", filter_file, "./More/mail/.INBOX.Drafts", "Junk").err == ""


def test_the_trash_of_the_current_folder_is_noticed(textnb, filter_file, tmp_path, monkeypatch):
    write_maildir(tmp_path / "More", messages("ham", 2))
    write_maildir(tmp_path / "More" / ".Trash", messages("spam", 3))
    monkeypatch.chdir(tmp_path / "More")
    done = textnb("predict", filter_file, ".")
    assert done.err == "textnb: the messages of . that are read include 3 in the trash\n"
