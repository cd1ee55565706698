"""A download gives the whole content, or an OSError within bounded time."""

import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest
from corpora.small_corpus import Serve, send

from textnb.corpora.download import download

CONTENT = bytes(range(256)) * 4000


def test_the_content_comes_whole(serve: Serve) -> None:
    assert download(serve(lambda handler: send(handler, CONTENT))) == CONTENT


def test_content_without_an_announced_length_comes_whole(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(CONTENT)

    assert download(serve(answer)) == CONTENT


def test_a_redirect_is_followed(serve: Serve) -> None:
    target = serve(lambda handler: send(handler, CONTENT))

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.end_headers()

    assert download(serve(answer)) == CONTENT


def test_a_cut_connection_is_an_error(serve: Serve) -> None:
    with pytest.raises(OSError, match=r"ended after|IncompleteRead"):
        download(serve(lambda handler: send(handler, CONTENT, length=2 * len(CONTENT))))


def test_an_error_status_is_an_error(serve: Serve) -> None:
    with pytest.raises(OSError, match="404"):
        download(serve(lambda handler: send(handler, b"gone", status=404)))


def test_a_closed_port_fails_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    started = time.monotonic()
    with pytest.raises(OSError, match="refused"):
        download(f"http://127.0.0.1:{port}/")
    assert time.monotonic() - started < 2


def test_a_server_that_never_answers_is_given_up(serve: Serve) -> None:
    released = threading.Event()
    with pytest.raises(OSError, match=r"nothing came|timed out"):
        download(serve(lambda handler: released.wait(10) and None), stall_seconds=0.3)
    released.set()


def test_an_answer_that_stops_midway_is_given_up(serve: Serve) -> None:
    released = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, CONTENT, length=2 * len(CONTENT))
        handler.wfile.flush()
        released.wait(10)

    with pytest.raises(OSError, match=r"nothing came|timed out"):
        download(serve(answer), stall_seconds=0.3)
    released.set()


def trickle(write: Callable[[bytes], object], stopped: threading.Event) -> None:
    try:
        while not stopped.wait(0.05):
            write(b"x")
    except OSError:
        pass


def test_a_trickle_of_content_is_given_up(serve: Serve) -> None:
    stopped = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, b"", length=10**6)
        trickle(handler.wfile.write, stopped)

    started = time.monotonic()
    with pytest.raises(OSError, match="too slowly"):
        download(serve(answer), stall_seconds=0.3)
    assert time.monotonic() - started < 2
    stopped.set()


def test_a_trickle_of_headers_is_given_up(serve: Serve) -> None:
    stopped = threading.Event()
    started = time.monotonic()
    with pytest.raises(OSError, match="nothing came"):
        download(serve(lambda handler: trickle(handler.wfile.write, stopped)), stall_seconds=0.3)
    assert time.monotonic() - started < 2
    stopped.set()


def test_an_answer_larger_than_the_limit_is_refused(serve: Serve) -> None:
    with pytest.raises(OSError, match="larger than 1,000 bytes"):
        download(serve(lambda handler: send(handler, CONTENT)), max_bytes=1000)


def test_an_endless_answer_is_refused(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(CONTENT)
        except OSError:
            pass

    with pytest.raises(OSError, match="larger than"):
        download(serve(answer), max_bytes=10_000_000)


def test_an_answer_that_is_not_http_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            connection.sendall(b"\x00\xff nonsense\r\n\r\n")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(OSError, match="BadStatusLine"):
            download(f"http://127.0.0.1:{listener.getsockname()[1]}/")
