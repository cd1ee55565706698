"""Archives give their members, the same whatever the packing, and nothing dangerous."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from corpora.small_corpus import EDITION, MEMBERS, tar_of, zip_of

from textnb.corpora.archives import canonical_name, content_digest, read_archive, read_folder

PATTERN = EDITION.members


def read(packed: bytes, **options: int) -> dict[str, bytes]:
    return read_archive(io.BytesIO(packed), PATTERN, **options)


def tar_with(header: tarfile.TarInfo, mode: str = "w") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        archive.addfile(header, io.BytesIO(b"x" * header.size))
    return packed.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_every_packing_of_a_tar_gives_the_same_members(mode: str) -> None:
    assert read(tar_of(MEMBERS, mode)) == MEMBERS


def test_a_zip_and_another_outer_folder_give_the_same_members() -> None:
    assert read(zip_of(MEMBERS)) == read(tar_of(MEMBERS, root="a/b/")) == read(tar_of(MEMBERS, root="")) == MEMBERS


def test_an_unpacked_folder_gives_the_same_members(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(tar_of(MEMBERS))) as archive:
        archive.extractall(
            tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {})
        )  # from 3.11.4 on
    assert read_folder([tmp_path / "small"], PATTERN) == MEMBERS


def test_files_that_are_no_part_of_the_corpus_are_left_out() -> None:
    assert read(tar_of({**MEMBERS, "README": b"about", "train/ham/1.txt.orig": b"old"})) == MEMBERS


def test_the_canonical_name_joins_the_groups_that_matched() -> None:
    assert canonical_name("x/easy_ham_2/7.txt", r"(easy)_(ham)(?:_(2))?/(\d)(?:\.txt)?") == "easy/ham/2/7"
    assert canonical_name("x/easy_ham/7", r"(easy)_(ham)(?:_(2))?/(\d)(?:\.txt)?") == "easy/ham/7"
    assert canonical_name("x/uneasy_ham/7", r"(easy)_(ham)(?:_(2))?/(\d)(?:\.txt)?") is None


def test_the_digest_tells_names_and_bytes_apart_and_knows_no_order() -> None:
    assert content_digest({"a": b"1", "b": b"2"}) == content_digest({"b": b"2", "a": b"1"})
    different = [{"a": b"1"}, {"a": b"2"}, {"b": b"1"}, {"a": b"", "1": b""}, {"a1": b""}, {"": b"a1"}]
    assert len({content_digest(members) for members in different}) == len(different)


@pytest.mark.parametrize("name", ["../train/ham/1.txt", "/train/ham/1.txt", "a/../../train/ham/1.txt", "C:/x", "..\\x"])
def test_names_that_leave_the_folder_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="outside the archive's folder"):
        read(tar_with(tarfile.TarInfo(name)))
    with pytest.raises(ValueError, match="outside the archive's folder"):
        read(zip_of({name: b""}, root=""))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_refused(kind: bytes) -> None:
    header = tarfile.TarInfo("train/ham/1.txt")
    header.type, header.linkname = kind, "target"
    with pytest.raises(ValueError, match="link or a device"):
        read(tar_with(header))


def test_links_in_a_zip_are_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("train/ham/1.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/hostname")
    with pytest.raises(ValueError, match="link or a device"):
        read(packed.getvalue())


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_tar_that_inflates_beyond_the_limit_is_refused_even_in_a_member_nobody_asked_for(mode: str) -> None:
    header = tarfile.TarInfo("padding")
    header.size = 5_000_000
    packed = tar_with(header, mode)
    assert len(packed) < 50_000
    with pytest.raises(ValueError, match="unpacks to more than 1,000,000 bytes"):
        read(packed, max_bytes=1_000_000)


def test_a_zip_that_inflates_beyond_the_limit_is_refused() -> None:
    packed = zip_of({"train/ham/1.txt": bytes(5_000_000)})
    with pytest.raises(ValueError, match="unpacks to more than 1,000,000 bytes"):
        read(packed, max_bytes=1_000_000)


def test_a_member_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="there twice"):
        read(tar_of({"a/train/ham/1.txt": b"one", "b/train/ham/1.txt": b"two"}))


@pytest.mark.parametrize(
    "packed", [tar_of(MEMBERS), tar_of(MEMBERS, "w:xz"), tar_of(MEMBERS, "w:bz2"), zip_of(MEMBERS)]
)
def test_an_archive_cut_anywhere_is_a_value_error_or_lacks_members(packed: bytes) -> None:
    for length in range(0, len(packed) - 1, 7):
        try:
            assert len(read(packed[:length])) < len(MEMBERS)
        except ValueError:
            continue


def test_bytes_that_are_no_archive_are_a_value_error() -> None:
    for content in (b"", b"hello", os.urandom(2000), b"\x1f\x8b" + bytes(100), b"PK\x03\x04" + bytes(100)):
        with pytest.raises(ValueError, match="archive"):
            read(content)
