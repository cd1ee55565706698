"""Bytes from an address, within bounds of time and size."""

import queue
import threading
import time
from contextlib import suppress

STALL_SECONDS = 5.0
MIN_BYTES_PER_SECOND = 20_000
MAX_BYTES = 200 << 20
CHUNK = 1 << 18

Arrivals = queue.Queue[bytes | int | Exception]


def download(
    address: str, *, stall_seconds: float = STALL_SECONDS, max_bytes: int = MAX_BYTES, quiet: bool = True
) -> bytes:
    """The content at an address; an OSError says why it could not be had.

    Reading happens in a thread of its own: a name look-up has no time limit, and a socket's limit starts anew with
    every byte. Waiting here ends when nothing comes for `stall_seconds`, or when it comes too slowly to be worth it.
    """
    from tqdm import tqdm

    arrivals: Arrivals = queue.Queue(maxsize=64)
    abandoned = threading.Event()
    threading.Thread(target=_fetch, args=(address, stall_seconds, arrivals, abandoned), daemon=True).start()
    started, content = time.monotonic(), bytearray()
    hidden = True if quiet else None  # None: shown on a terminal only
    try:
        announced = _next(arrivals, stall_seconds)
        assert isinstance(announced, int)
        with tqdm(total=announced or None, unit="B", unit_scale=True, leave=False, disable=hidden) as progress:
            while chunk := _next(arrivals, stall_seconds):
                assert isinstance(chunk, bytes)
                content += chunk
                progress.update(len(chunk))
                if max(len(content), announced) > max_bytes:
                    raise OSError(f"it is larger than {max_bytes:,} bytes")
                elapsed = time.monotonic() - started
                if elapsed > stall_seconds and len(content) < MIN_BYTES_PER_SECOND * elapsed:
                    raise OSError(f"it came too slowly ({len(content):,} bytes in {elapsed:.0f} s)")
    finally:
        abandoned.set()
    if announced and len(content) != announced:
        raise OSError(f"the connection ended after {len(content):,} of {announced:,} bytes")
    return bytes(content)


def _fetch(address: str, stall_seconds: float, arrivals: Arrivals, abandoned: threading.Event) -> None:
    """Put the announced size, the chunks, and an empty chunk at the end, or the exception that ended it."""

    def put(item: bytes | int | Exception) -> None:
        while not abandoned.is_set():
            with suppress(queue.Full):
                arrivals.put(item, timeout=1)
                break

    import urllib.request  # here, since it costs more than the rest of this package

    try:
        request = urllib.request.Request(address, headers={"User-Agent": "textnb"})
        with urllib.request.urlopen(request, timeout=stall_seconds) as response:
            announced = response.headers.get("Content-Length") or "0"
            put(int(announced) if announced.isascii() and announced.isdigit() else 0)
            while not abandoned.is_set():
                chunk = response.read1(CHUNK)
                put(chunk)
                if not chunk:
                    break
    except Exception as error:  # whatever the network brings is a reason to try the next source
        put(error)


def _next(arrivals: Arrivals, stall_seconds: float) -> bytes | int:
    try:
        item = arrivals.get(timeout=stall_seconds)
    except queue.Empty:
        raise OSError(f"nothing came for {stall_seconds:g} s") from None
    if isinstance(item, OSError):
        raise item
    if isinstance(item, Exception):
        raise OSError(f"{type(item).__name__}: {item}") from item
    return item
