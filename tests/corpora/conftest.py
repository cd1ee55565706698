"""An empty cache, an empty folder of corpora, and servers that answer as a test asks."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from corpora.small_corpus import Answer, Serve


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no folder of corpora."""
    monkeypatch.delenv("TEXTNB_CORPORA", raising=False)
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def local_corpora(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of corpora."""
    folder = tmp_path / "corpora"
    folder.mkdir()
    monkeypatch.setenv("TEXTNB_CORPORA", str(folder))
    return folder


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a server on this machine that answers every request with a function; returns its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/small.tar.gz"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
