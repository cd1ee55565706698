"""Mailboxes of every kind give the same messages; what is mail is known by its content."""

import bz2
import gzip
import io
import lzma
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mail_samples import FROM_LINE, mboxrd, message, messages, write_folder, write_maildir

from textnb.corpora import LabelledSources, archives, mbox, open_corpus, read_corpus
from textnb.corpora.labelled_rows import SkippedOfAll
from textnb.corpora.mailboxes import Reading, file_documents
from textnb.corpora.messages import read_messages
from textnb.corpora.recognition import is_delivered_message, is_mail
from textnb.text.mail import as_message

CONTENTS = [*messages("ham"), message("Gr\udcfc\udce4e\n", number=99), message("A\0B\n>From me\n", number=100)]
EXPECTED = sorted(map(as_message, CONTENTS))


def tar_of(folder: Path, mode: str) -> bytes:
    packed_files = io.BytesIO()
    with tarfile.open(fileobj=packed_files, mode=mode) as archive:
        archive.add(folder, arcname=folder.name)
    return packed_files.getvalue()


def zip_of(folder: Path) -> bytes:
    packed_files = io.BytesIO()
    with zipfile.ZipFile(packed_files, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return packed_files.getvalue()


def documents(path, mail=True):
    """The documents at a path, what was skipped, and what was noticed."""
    skipped = SkippedOfAll()
    return list(read_messages([str(path)], False, skipped, mail=mail)), skipped.problems, skipped.notices


@pytest.fixture
def places(tmp_path):
    """The same messages in mailboxes of every kind."""
    folder, maildir = write_folder(tmp_path / "folder", CONTENTS), write_maildir(tmp_path / "Maildir", CONTENTS)
    nested = write_maildir(tmp_path / "Nested", CONTENTS[:4])
    write_maildir(nested / ".Old", CONTENTS[4:8])
    write_maildir(nested / ".Old.Older", CONTENTS[8:], flags=":2,FRS")
    deep = write_folder(tmp_path / "deep" / "2023" / "01", CONTENTS[:5]).parent.parent
    write_folder(deep / "more", CONTENTS[5:])
    clients = [b"X-Mozilla-Status: 0001\nContent-Length: 99\n" + content for content in CONTENTS]
    made = {
        "all.mbox": mboxrd(CONTENTS),
        "clients": mboxrd(clients),
        "windows.mbox": mboxrd(CONTENTS).replace(b"\n", b"\r\n"),
        "packed": gzip.compress(mboxrd(CONTENTS)),
        "archive.tar": tar_of(folder, "w"),
        "archive.tgz": tar_of(nested, "w:gz"),
        "archive.tar.xz": tar_of(deep, "w:xz"),
        "archive.tar.bz2": tar_of(maildir, "w:bz2"),
        "archive.zip": zip_of(nested),
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    packed_files = write_folder(tmp_path / "packed files", [gzip.compress(content) for content in CONTENTS[:9]])
    (packed_files / "rest.bz2").write_bytes(bz2.compress(mboxrd(CONTENTS[9:12])))
    (packed_files / "rest.xz").write_bytes(lzma.compress(mboxrd(CONTENTS[12:])))
    lines = write_folder(tmp_path / "with From lines", [mboxrd([content]) for content in CONTENTS])
    return [folder, maildir, nested, deep, packed_files, lines, *(tmp_path / name for name in made)]


def test_every_kind_of_mailbox_gives_the_same_messages(places):
    for path in places:
        read, skipped, notices = documents(path)
        assert sorted(text for _, text in read) == EXPECTED, path
        assert len({place for place, _ in read}) == len(read), path
        assert (skipped, notices) == ([], []), path
        assert is_mail(str(path)) is True, path


def test_messages_are_split_for_models_of_plain_text_too(tmp_path):
    (tmp_path / "all.mbox").write_bytes(mboxrd([message("caf\udce9\n"), message(number=2)]))
    read, _, _ = documents(tmp_path / "all.mbox", mail=False)
    assert [text for _, text in read] == [message("café\n").decode(), message(number=2).decode()]


def test_a_text_is_the_same_whether_mailboxes_are_known_or_not(tmp_path):
    (tmp_path / "a").write_bytes(mboxrd([message()]))
    read, _, _ = documents(tmp_path / "a", mail=False)
    assert read == [(str(tmp_path / "a"), mboxrd([message()]).decode())]


# Places


def test_messages_of_a_mailbox_are_numbered(tmp_path):
    (tmp_path / "a.mbox").write_bytes(mboxrd(CONTENTS[:3]))
    assert [place for place, _ in documents(tmp_path / "a.mbox")[0]] == [f"{tmp_path}/a.mbox:{i}" for i in (1, 2, 3)]
    (tmp_path / "a.mbox").write_bytes(mboxrd(CONTENTS[:1]))
    assert [place for place, _ in documents(tmp_path / "a.mbox")[0]] == [f"{tmp_path}/a.mbox"]


def test_the_place_of_a_message_stays_when_somebody_reads_it(tmp_path):
    maildir = write_maildir(tmp_path / "Maildir", CONTENTS[:3])
    before, _, _ = documents(maildir)
    (maildir / "new" / "1000.M0.host").rename(maildir / "cur" / "1000.M0.host:2,RS")
    (maildir / "cur" / "1001.M1.host:2,S").rename(maildir / "cur" / "1001.M1.host:2,")
    assert documents(maildir)[0] == before
    assert [place for place, _ in before] == [f"{maildir}/{1000 + i}.M{i}.host" for i in range(3)]


def test_an_archive_has_the_places_of_its_folder(tmp_path):
    maildir = write_maildir(tmp_path / "Maildir", CONTENTS[:2])
    write_maildir(maildir / ".Junk", CONTENTS[2:4])
    (tmp_path / "a.zip").write_bytes(zip_of(maildir))
    inside = sorted(place.removeprefix(f"{tmp_path}/") for place, _ in documents(maildir)[0])
    assert sorted(place.removeprefix(f"{tmp_path}/a.zip/") for place, _ in documents(tmp_path / "a.zip")[0]) == inside


def test_what_is_hidden_or_not_delivered_is_passed_over(tmp_path):
    maildir = write_maildir(tmp_path / "Maildir", CONTENTS[:2])
    (maildir / ".cache").mkdir()
    (maildir / ".cache" / "1").write_bytes(message())
    (maildir / "cur" / ".hidden").write_bytes(message())
    assert len(documents(maildir)[0]) == 2


# What cannot be read


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b" \n\r\n", "it is empty"),
        (b"\x89PNG\r\n\0\0\0", "it is no message"),
        (gzip.compress(mboxrd(CONTENTS))[:-30], "it is damaged"),
        (b"\x1f\x8b\x08 no gzip", "it is damaged"),
        (b"PK\x03\x04 no archive", "it is damaged"),
        (b"\0" * 257 + b"ustar" + b"\0" * 600, "it is no message"),
        (tarfile.TarInfo("a").tobuf()[:511], "it is no message"),
        (bz2.compress(b""), "it is empty"),
        (tarfile.TarInfo(".hidden").tobuf(), "it is an archive in which there is no document that can be read"),
    ],
)
def test_what_is_no_message_is_skipped(tmp_path, content, why):
    (tmp_path / "a").write_bytes(content)
    _, ((place, reason),), _ = documents(tmp_path / "a")
    assert place == str(tmp_path / "a")
    assert why in reason


def test_a_mailbox_whose_messages_cannot_be_told_apart_says_so(tmp_path):
    (tmp_path / "a.mbox").write_bytes(FROM_LINE + message() + b"\nFrom a@example.org\n" + message(number=2))
    read, skipped, (notice,) = documents(tmp_path / "a.mbox")
    assert (len(read), skipped) == (1, [])
    assert notice.startswith(f"{tmp_path}/a.mbox has lines that begin with 'From ' and have no date")


def test_a_message_without_a_header_is_one_of_its_mailbox_and_begins_with_its_text(tmp_path):
    for bodies in ([b"\nno header\n", message()], [message(), b" folded: x\n"], [b"\nalone\n"]):
        (tmp_path / "a.mbox").write_bytes(b"\xef\xbb\xbf\n" + mboxrd(bodies))
        read, skipped, notices = documents(tmp_path / "a.mbox")
        assert [text for _, text in read] == [as_message(body) for body in bodies]
        assert (skipped, notices) == ([], [])


def hostile_tar(name="a", kind=tarfile.REGTYPE, size=0, link="", pax=None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        header = tarfile.TarInfo(name)
        header.type, header.size, header.linkname, header.pax_headers = kind, size, link, pax or {}
        archive.addfile(header, io.BytesIO(b"x" * size))
    return gzip.compress(made.getvalue())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (hostile_tar("../outside"), "outside the archive's folder"),
        (hostile_tar("/etc/passwd"), "outside the archive's folder"),
        (hostile_tar(kind=tarfile.SYMTYPE, link="/etc/passwd"), "is a link or a device"),
        (hostile_tar(kind=tarfile.LNKTYPE, link="a"), "is a link or a device"),
        (hostile_tar(kind=tarfile.CHRTYPE), "is a link or a device"),
        (hostile_tar(pax={"comment": "x" * (3 << 20)}), "header is longer"),
    ],
    ids=["above", "absolute", "link", "hard link", "device", "header"],
)
def test_unsafe_archives_are_refused(tmp_path, content, why):
    (tmp_path / "a.tar.gz").write_bytes(content)
    read, ((_, reason),), _ = documents(tmp_path / "a.tar.gz")
    assert read == []
    assert why in reason


def test_archives_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "folder", [message("x" * 4000 + "\n")] * 3)
    monkeypatch.setattr(archives, "MAX_BYTES", 10_000)
    for name, content in (("a.tgz", tar_of(folder, "w:gz")), ("a.zip", zip_of(folder))):
        (tmp_path / name).write_bytes(content)
        read, ((_, reason),), _ = documents(tmp_path / name)
        assert len(read) == 2
        assert "unpacks to more than 10,000 bytes" in reason


def test_an_archive_inside_another_is_not_unpacked(tmp_path):
    inner = write_folder(tmp_path / "inner", CONTENTS[:1])
    (inner / "again.zip").write_bytes(zip_of(inner))
    (tmp_path / "outer.zip").write_bytes(zip_of(inner))
    read, ((place, reason),), _ = documents(tmp_path / "outer.zip")
    assert len(read) == 1
    assert place == f"{tmp_path}/outer.zip/inner/again.zip"
    assert reason == "it is an archive, which is read only if it is given by its name"
    read, skipped, _ = documents(inner)
    assert len(read) == len(skipped) == 1


@pytest.mark.parametrize("first", ["[Content_Types].xml", "mimetype"])
def test_documents_of_office_programs_are_no_archives(tmp_path, first):
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as archive:
        archive.writestr(first, "application/vnd.oasis.opendocument.text")
        archive.writestr("word/document.xml", "<p>lunch</p>")
    for mail in (True, False):
        read, ((_, reason),), _ = documents(tmp_path / "letter.docx", mail)
        assert read == []
        assert "NUL" in reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_skipped(tmp_path):
    maildir = write_maildir(tmp_path / "Maildir", CONTENTS[:4])
    (maildir / "cur").chmod(0)
    try:
        read, skipped, _ = documents(maildir)
    finally:
        (maildir / "cur").chmod(0o700)
    assert (len(read), skipped) == (2, [(str(maildir / "cur"), "Permission denied")])


def test_a_small_packed_file_cannot_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(mbox, "MAX_MESSAGE", 1 << 16)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(message() + b"x" * (1 << 20)))
    _, ((_, reason),), _ = documents(tmp_path / "bomb.gz")
    assert reason == "it has more than 65,536 bytes, the most that a message may have"
    (tmp_path / "large").write_bytes(message() + b"x" * (1 << 20))
    assert len(documents(tmp_path / "large")[0]) == 1


def test_what_comes_in_small_pieces_is_recognised():
    class Slow(io.RawIOBase):
        def __init__(self, content):
            self.content = content

        def readable(self):
            return True

        def readinto(self, buffer):
            block, self.content = self.content[:3], self.content[3:]
            buffer[: len(block)] = block
            return len(block)

    for content in (mboxrd(CONTENTS), gzip.compress(mboxrd(CONTENTS))):
        file = io.BufferedReader(Slow(content), 8)
        read = file_documents(file, "-", Reading(True, lambda *problem: pytest.fail(str(problem)), print))
        assert sorted(text for _, text in read) == EXPECTED


PACKED = [content(b"x" * 300) for content in (bytes, gzip.compress, bz2.compress, lzma.compress)]
STARTS = [b"", b"From a\n", FROM_LINE, b"PK\x03\x04", b"\0" * 257 + b"ustar", message()[:50], *PACKED]


@given(st.sampled_from(STARTS), st.binary(max_size=600), st.integers(0, 400), st.booleans())
def test_no_bytes_are_an_error(start, rest, cut, mail):
    read = file_documents(io.BytesIO(start[:cut] + rest), "a", Reading(mail, lambda *problem: None, lambda note: None))
    assert all(isinstance(text, str) for _, text in read)


# What is mail


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (message(), True),
        (b"From: a@example.org\nTo: b@example.org\nMessage-ID: <1@example.org>\n\nsent by myself\n", True),
        (b"From: a@example.org\nSubject: news\nNewsgroups: sci.space\nMessage-ID: <1@example.org>\n\nx\n", False),
        (b"Subject: a text with a title\n\nx\n", False),
        (b"From: me\nTo: you\n\na letter\n", False),
        (b"Received: alone\n\n", False),
        (b"To whom it may concern: Received yesterday: hello\n", False),
        (b"\xff\xd8\xff\0\0", False),
    ],
)
def test_delivered_messages_are_told_from_other_texts_with_headers(start, expected):
    assert is_delivered_message(start) is expected


def test_folders_are_mail_if_most_of_their_files_are(tmp_path):
    article = b"From: a@example.org\nSubject: news\nNewsgroups: sci.space\nMessage-ID: <1@example.org>\n\nx\n"
    root = tmp_path / "corpus"
    write_folder(root / "a", [article] * 12)
    write_folder(root / "b", [article] * 2)
    assert is_mail(str(root)) is False
    write_folder(root / "c", CONTENTS[:2])
    write_folder(root / "d", CONTENTS[:8])
    write_folder(root / "e", CONTENTS[:8])
    assert is_mail(str(root)) is True
    assert is_mail(str(root / "a")) is False


def test_an_empty_folder_tells_nothing(tmp_path):
    assert is_mail(str(tmp_path)) is None


def test_a_maildir_is_mail_whatever_its_messages(tmp_path):
    assert is_mail(str(write_maildir(tmp_path / "Maildir", [b"no header\n"] * 3))) is True


# Corpora


def test_class_folders_of_mailboxes_are_mail(tmp_path):
    write_maildir(tmp_path / "mail" / "spam", messages("spam"))
    (tmp_path / "mail" / "ham").mkdir()
    (tmp_path / "mail" / "ham" / "old.mbox").write_bytes(mboxrd(messages("ham")))
    corpus = read_corpus(tmp_path / "mail")
    assert corpus.is_mail
    assert corpus.class_counts == {"ham": 12, "spam": 12}
    assert (corpus.where[0], corpus.where[12]) == ("ham/old.mbox:1", "spam/1000.M0.host")
    assert corpus.texts[:12] == list(map(as_message, messages("ham")))
    plain = read_corpus(tmp_path / "mail", mail=False)
    assert not plain.is_mail
    assert plain.where == corpus.where


@pytest.mark.parametrize("outer", ["mail", ""])
def test_class_folders_are_read_from_archives(tmp_path, outer):
    top = tmp_path / "files" / outer
    write_folder(top / "spam", messages("spam"))
    write_folder(top / "ham", messages("ham"))
    shutil.make_archive(str(tmp_path / "mail"), "gztar", tmp_path / "files")
    corpus = open_corpus(tmp_path / "mail.tar.gz")
    assert corpus.is_mail
    assert corpus.class_counts == {"ham": 12, "spam": 12}
    assert str(Path(outer, "ham", "000")) in corpus.where


def test_texts_in_class_folders_stay_plain_text(tmp_path):
    for label in ("a", "b"):
        write_folder(tmp_path / "corpus" / label, [b"Subject: news\n\n\xe9t\xe9\n"] * 3)
    corpus = read_corpus(tmp_path / "corpus")
    assert not corpus.is_mail
    assert corpus.texts[0] == "Subject: news\n\nété\n"


def test_a_maildir_has_no_classes_of_its_own(tmp_path):
    with pytest.raises(ValueError, match="is a maildir, and its class is not known: say it, as LABEL="):
        read_corpus(write_maildir(tmp_path / "Maildir", CONTENTS))


def test_a_mailbox_without_a_class_is_refused(tmp_path):
    (tmp_path / "a.mbox").write_bytes(mboxrd(CONTENTS))
    with pytest.raises(ValueError, match=r"is a mailbox, and its class is not known: say it, as LABEL=.*a\.mbox"):
        read_corpus(tmp_path / "a.mbox")


# Sources with their class


@pytest.fixture
def labelled(tmp_path, monkeypatch):
    """A folder with mailboxes of both classes, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_maildir(tmp_path / "Junk", messages("spam", 6))
    (tmp_path / "old").mkdir()
    for i in range(3):
        (tmp_path / "old" / f"{i}.mbox").write_bytes(mboxrd(messages("spam", 12)[6 + 2 * i : 8 + 2 * i]))
    write_folder(tmp_path / "Sent", messages("ham", 5))
    (tmp_path / "Archive").write_bytes(mboxrd(messages("ham")[5:]))
    return ["spam=Junk/", "ham=Archive", "ham=Sent", "spam=old/*.mbox"]


def test_several_paths_of_a_class_are_one_corpus(labelled):
    corpus = open_corpus(LabelledSources(labelled))
    assert corpus.is_mail
    assert corpus.class_counts == {"ham": 12, "spam": 12}
    assert corpus.name == "spam=Junk/ ham=Archive ham=Sent spam=old/*.mbox"
    assert {"Junk/1000.M0.host", "Archive:1", "Sent/000", "old/2.mbox:2"} <= set(corpus.where)
    assert sorted(corpus.texts) == sorted(map(as_message, messages("ham") + messages("spam")))


def test_texts_and_tables_can_be_given_with_a_class_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.csv").write_text("text,label\nlunch,whatever\n,empty\nnoon,\n")
    write_folder(tmp_path / "texts", [b"cheap", b"pills"])
    (tmp_path / "one.txt").write_bytes(b"offer")
    corpus = open_corpus(LabelledSources(["ham=notes.csv", "spam=texts", "spam=one.txt"]))
    assert not corpus.is_mail
    assert list(zip(corpus.where, corpus.texts, corpus.labels.tolist(), strict=True)) == [
        ("notes.csv: line 2", "lunch", "ham"),
        ("notes.csv: line 4", "noon", "ham"),
        ("texts/000", "cheap", "spam"),
        ("texts/001", "pills", "spam"),
        ("one.txt", "offer", "spam"),
    ]
    assert corpus.problems == (("notes.csv: line 3", "its 'text' is empty"),)
    with pytest.raises(ValueError, match="line 3: its 'text' is empty"):
        open_corpus(LabelledSources(["ham=notes.csv", "spam=texts"]), strict=True)


def test_a_path_that_is_given_twice_is_read_once(labelled):
    assert len(open_corpus(LabelledSources([*labelled, "spam=old/0.mbox"]))) == 24
    with pytest.raises(ValueError, match=r"old/0\.mbox is given as spam and as ham"):
        LabelledSources([*labelled, "ham=old/*"])


def test_mail_and_other_documents_are_not_mixed_unasked(labelled, tmp_path):
    (tmp_path / "notes.csv").write_text("text\nlunch at noon\n")
    sources = LabelledSources([*labelled, "ham=notes.csv"])
    with pytest.raises(ValueError, match=r"spam=Junk/ is mail and ham=notes\.csv is not: .*--analyzer word"):
        open_corpus(sources)
    assert len(open_corpus(sources, mail=False)) == len(open_corpus(sources, mail=True)) == 25


def test_a_path_with_an_equals_sign_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "a=b" / "ham", [b"lunch"])
    with pytest.raises(ValueError, match="which class is a=b of"):
        LabelledSources(["a=b"])
    assert open_corpus("a=b").texts == ["lunch"]


def test_sources_that_are_not_there_are_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in ("spam=Junk", "spam=old/*.mbox"):
        with pytest.raises(FileNotFoundError, match="there is no file or folder"):
            LabelledSources([word])


def test_a_bad_file_among_sources_is_a_problem_like_another(labelled, tmp_path):
    (tmp_path / "old" / "9.mbox").write_bytes(b"")
    corpus = open_corpus(LabelledSources(labelled))
    assert corpus.problems == (("old/9.mbox", "it is empty"),)
    with pytest.raises(ValueError, match=r"old/9\.mbox: it is empty"):
        open_corpus(LabelledSources(labelled), strict=True)


def test_a_place_with_a_colon_in_it_stays_whole(tmp_path):
    path = tmp_path / "old: mail: 1.mbox"
    path.write_bytes(b"")
    assert documents(path)[1] == [(str(path), "it is empty")]
    gone = tmp_path / "gone: mail"
    assert documents(gone)[1] == [(str(gone), "No such file or directory; check the path")]
