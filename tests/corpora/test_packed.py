"""Packed files are known by more than a few letters, a bad member costs itself alone, archives are read as folders."""

import bz2
import gzip
import io
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from mail_samples import mboxrd, message, messages, write_folder, write_maildir

from textnb.corpora import read_corpus
from textnb.corpora.labelled_rows import SkippedOfAll
from textnb.corpora.messages import read_messages
from textnb.corpora.packed import is_archive, is_packed


def documents(path):
    """The documents at a path by their places below it, and what was skipped of them."""
    skipped = SkippedOfAll()
    read = {
        place.removeprefix(f"{path}/"): text for place, text in read_messages([str(path)], False, skipped, mail=True)
    }
    return read, {place.removeprefix(f"{path}/"): why for place, why in skipped.problems}


def with_mark(start: bytes, mark: bytes = b"ustar") -> bytes:
    """A text with what tar files have at one place."""
    return start.ljust(257, b"x")[:257] + mark + b" and more\n" * 60


def with_sum(start: bytes) -> bytes:
    """A text that even has the sum of a header of tar at its place."""
    block = with_mark(start)[:512].ljust(512, b"x")
    blank = block[:148] + b" " * 8 + block[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:] + with_mark(start)[512:]


@pytest.mark.parametrize(
    "content",
    [
        with_mark(message()),
        with_mark(b"lunch at noon, "),
        with_sum(b"Subject: lunch\n\n"),
        with_sum(b"From a@example.org Mon Jan  5 10:00:00 2004\nSubject: lunch\n\n"),
        with_sum(b"\xef\xbb\xbf\r\nSubject: lunch\n\n"),
        b"BZh is what it begins with\n",
        b"BZh9 is what it begins with\n",
    ],
)
def test_texts_with_the_letters_of_packed_files_are_texts(tmp_path, content):
    assert not is_archive(content)
    assert not is_packed(content)
    (tmp_path / "a").write_bytes(content)
    read, skipped = documents(tmp_path / "a")
    assert (len(read), skipped) == (1, {})


def test_a_mailbox_is_no_archive_by_what_its_first_message_says(tmp_path):
    first = with_sum(mboxrd([message()]))
    (tmp_path / "a.mbox").write_bytes(first + b"\n" + mboxrd(messages("ham")))
    assert len(documents(tmp_path / "a.mbox")[0]) == 13


@pytest.mark.parametrize("name", ["a", "Subject: a", "x" * 100, "x" * 150, "é" * 90])
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_files_are_known_whatever_their_first_name(name, form):
    if form == tarfile.USTAR_FORMAT and len(name.encode()) > 100:
        name = f"{name[:60]}/{name[60:]}"
    assert is_archive(tarfile.TarInfo(name).tobuf(form))


def test_what_holds_nothing_is_packed_too():
    assert all(is_packed(pack(content)) for pack in (gzip.compress, bz2.compress) for content in (b"", b"lunch"))


# A bad file of an archive


def write_tar(path: Path, members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    path.write_bytes(made.getvalue())
    return made.getvalue()


def write_zip(path: Path, members: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.read_bytes()


@pytest.mark.parametrize("write", [write_tar, write_zip])
def test_a_bad_file_of_an_archive_costs_no_other(tmp_path, write):
    bad = {"bz2": b"BZh91AY&SY no bzip2", "cut.gz": gzip.compress(message())[:-9], "bad.xz": b"\xfd7zXZ\0 no xz"}
    members = {"first": message(), **bad, "last": message(number=2)}
    write(tmp_path / "a", members)
    read, skipped = documents(tmp_path / "a")
    assert list(read) == ["first", "last"]
    assert list(skipped) == list(bad)
    assert all(why.startswith("it is damaged") for why in skipped.values())


def test_a_member_that_a_zip_file_cannot_give_costs_no_other(tmp_path):
    content = write_zip(tmp_path / "a", {name: message(number=i) for i, name in enumerate("abcd")})
    places = [info.header_offset for info in zipfile.ZipFile(tmp_path / "a").infolist()]
    damaged = bytearray(content)
    damaged[places[1] + 60] ^= 0xFF  # what it holds
    damaged[places[2] : places[2] + 4] = b"none"  # its header
    (tmp_path / "a").write_bytes(damaged)
    read, skipped = documents(tmp_path / "a")
    assert (list(read), list(skipped)) == (["a", "d"], ["b", "c"])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_cut_archive_is_read_up_to_there(tmp_path, pack):
    content = pack(write_tar(tmp_path / "a", {f"{i}": os.urandom(3000).hex().encode() for i in range(9)}))
    (tmp_path / "a").write_bytes(content[: len(content) // 2])
    read, skipped = documents(tmp_path / "a")
    assert 0 < len(read) < 9
    assert [place for place in skipped if place != f"{tmp_path}/a"] == []
    assert len(skipped) == 1


# Archives and folders


def maildir_in_a_class(top: Path) -> None:
    write_maildir(top / "mail/spam", messages("spam"))
    write_folder(top / "mail/ham/more", messages("ham"))


def classes_named_as_parts_of_maildirs(top: Path) -> None:
    for i, folder in enumerate(["new", "old/cur", "old/tmp", "tmp"]):
        (top / folder).mkdir(parents=True)
        (top / folder / "1000.M0.host:2,S").write_bytes(message(number=i))


def names_that_servers_use(top: Path) -> None:
    for i, name in enumerate(["dovecot-talk.eml", "courier.eml", "subscriptions", "maildirfolder", "1.tmp:2,S"]):
        path = top / "ham" / "tmp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(message(number=i))
    write_folder(top / "spam", [message(number=9)])


def nested_maildirs(top: Path) -> None:
    maildir = write_maildir(top / "Maildir", messages("ham", 4))
    write_maildir(maildir / ".Junk", messages("spam", 4))
    write_maildir(maildir / "plain", messages("spam", 8)[4:], flags="")
    write_folder(maildir / "cur" / "deeper", [message(number=50)])
    write_folder(maildir / "no maildir", [message(number=51)])
    write_folder(top / ".hidden", [message(number=52)])
    write_folder(top / "other", [message(number=53)])


def a_maildir_itself(top: Path) -> None:
    write_maildir(top, messages("ham"))


def parts(top: Path) -> None:
    for part in ("train", "test"):
        for label in ("spam", "ham"):
            write_folder(top / "all" / part / label, [message(number=len(part + label))])


TREES = [maildir_in_a_class, classes_named_as_parts_of_maildirs, names_that_servers_use, nested_maildirs, parts]


@pytest.mark.parametrize("form", ["zip", "tar", "gztar"])
@pytest.mark.parametrize("make", [*TREES, a_maildir_itself])
def test_an_archive_has_the_documents_of_its_folder(tmp_path, make, form):
    make(tmp_path / "top")
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), form, tmp_path / "top"))
    assert documents(packed)[0] == documents(tmp_path / "top")[0]


@pytest.mark.parametrize("make", TREES)
def test_an_archive_has_the_classes_of_its_folder(tmp_path, make):
    make(tmp_path / "top")
    top = tmp_path / "top"
    if [path.name for path in top.iterdir()] in (["mail"], ["all"]):  # in an archive, one folder above all may be
        (top,) = top.iterdir()
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", top)
    folder, archive = read_corpus(top, mail=True), read_corpus(packed, mail=True)

    def labelled(corpus):
        part = [None] * len(corpus) if corpus.split is None else corpus.split.tolist()
        return sorted(zip(corpus.where, corpus.texts, corpus.labels.tolist(), part, strict=True))

    assert labelled(archive) == labelled(folder)


def test_a_hidden_maildir_is_read_from_an_archive_of_its_own(tmp_path):
    write_maildir(tmp_path / "top" / ".Junk", messages("spam"))
    packed = shutil.make_archive(str(tmp_path / "packed"), "gztar", tmp_path / "top")
    assert len(documents(packed)[0]) == 12
