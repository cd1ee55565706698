"""A small corpus, in archives and at addresses."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

from textnb.corpora.archives import content_digest
from textnb.corpora.cache import read_cached, write_cached
from textnb.corpora.manifest import Edition, Entry

Answer = Callable[[BaseHTTPRequestHandler], None]
Serve = Callable[[Answer], str]

MEMBERS = {
    "train/ham/1.txt": b"see you at noon",
    "train/spam/2.txt": b"win a prize",
    "test/ham/3.txt": b"running late",
    "test/spam/4.txt": b"prize prize prize",
}
EDITION = Edition(
    title="Small corpus",
    layout="class_folders",
    members=r"(train|test)/(ham|spam)/(\d\.txt)",
    digest=content_digest(MEMBERS),
    archives=("small.tar.gz",),
    folders="small",
)
ENTRY = Entry("small", "Small corpus", "none", "nobody", (EDITION,))


def tar_of(members: dict[str, bytes], mode: str = "w:gz", root: str = "small/") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            header = tarfile.TarInfo(root + name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return packed.getvalue()


def zip_of(members: dict[str, bytes], root: str = "small/") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(root + name, content)
    return packed.getvalue()


def entry_at(*addresses: str) -> Entry:
    return replace(ENTRY, editions=(replace(EDITION, addresses=addresses),))


def send(handler: BaseHTTPRequestHandler, content: bytes, length: int | None = None, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def write_and_read(times: int) -> bool:
    """Fill the cache again and again: work for a process of its own."""
    return all(write_cached(EDITION, MEMBERS) and read_cached(EDITION) == MEMBERS for _ in range(times))
