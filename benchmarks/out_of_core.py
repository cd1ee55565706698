"""Training on streams larger than memory: `textnb count` on 100 MB, 1 GB and 2 GB of JSON lines, each in a process.

    python benchmarks/out_of_core.py --folder DIRECTORY        # with 2.5 GB of room
    python benchmarks/out_of_core.py --folder DIRECTORY --megabytes 100

Peak memory must not grow with the stream, and speed be at least half that of the kernel, which counts texts in memory.
Both are in megabytes of text: the stream has its JSON on top.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import best_of, write_results
from stream_data import write_stream

import textnb
from textnb.text.threads import available_cores

SPEED_GOAL = 0.5  # of the speed in memory
COMMAND = """
import sys
from textnb.cli import main
try:
    main()
finally:  # getrusage would count the memory of the process that started this one
    print(*(line for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where streams are made")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000, 2000])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    room = shutil.disk_usage(arguments.folder).free
    if room < 1.2e6 * max(arguments.megabytes):
        parser.error(f"{arguments.folder} has {room / 1e9:.1f} GB of room: give another --folder")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        sample = folder / "sample.jsonl"
        write_stream(sample, 100_000_000)
        in_memory = measure_in_memory(sample, arguments.rounds)
        sample.unlink()
        streams = [measure_stream(folder, size, in_memory) for size in sorted(arguments.megabytes)]
    growth = streams[-1]["peak_mb"] / streams[0]["peak_mb"]
    print(f"peak memory of the largest stream is {growth:.2f} times that of the smallest", flush=True)
    write_results("out_of_core", {"in_memory": in_memory, "streams": streams, "growth": growth, "goal": SPEED_GOAL})


def measure_in_memory(stream: Path, rounds: int) -> dict[str, float]:
    """Megabytes of text a second that are counted, and learned, from a list."""
    texts, labels = read_texts(stream)
    megabytes = sum(map(len, texts)) / 1e6
    gc.freeze()  # a list of texts is no garbage to look through
    counting, fitting = best_of(
        rounds,
        lambda: textnb.CountVectorizer(n_jobs=-1).fit_transform(texts),
        lambda: textnb.TextClassifier("complement", "counts", calibrate=False, ledger=False, n_jobs=-1).fit(
            texts, labels
        ),
    )
    found = {"counting_mb_a_second": megabytes / counting, "fitting_mb_a_second": megabytes / fitting}
    speeds = f"counting {megabytes / counting:.0f} MB/s, fitting a model {megabytes / fitting:.0f} MB/s"
    print(f"in memory, {megabytes:.0f} MB of text, {available_cores()} cores: {speeds}", flush=True)
    return found


def read_texts(stream: Path) -> tuple[list[str], list[str]]:
    with stream.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def measure_stream(folder: Path, megabytes: int, in_memory: dict[str, float]) -> dict[str, Any]:
    """`textnb count` on a stream of that size, which is made and removed: seconds, and the process's peak memory."""
    stream, model = folder / "stream.jsonl", folder / "stream.tnb"
    n_documents = write_stream(stream, megabytes * 1_000_000)
    text_megabytes = (stream.stat().st_size - n_documents * len('{"label": "sport", "text": ""}\n')) / 1e6
    seconds, peak = run_command("count", str(stream), "-o", str(model), "--quiet", "--jobs", "-1")
    size = model.stat().st_size / 1e6
    write_stream(stream, 1)
    start, _ = run_command("count", str(stream), "-o", str(model), "--quiet")
    speed = text_megabytes / (seconds - start)
    share = speed / in_memory["counting_mb_a_second"]
    of_fitting = speed / in_memory["fitting_mb_a_second"]
    times = f"{seconds:.1f} s, {start:.1f} of them to start, {speed:.0f} MB/s of text"
    ratios = f"{share:.2f} times counting in memory (goal {SPEED_GOAL}), {of_fitting:.2f} times fitting"
    sizes = f"peak memory {peak:,.0f} MB, the model {size:.1f} MB"
    print(f"{megabytes:>5,} MB, {n_documents:,} documents: {times}, {ratios}; {sizes}", flush=True)
    stream.unlink()
    return {
        "megabytes": megabytes,
        "documents": n_documents,
        "seconds": seconds,
        "start": start,
        "text_mb_a_second": speed,
        "of_counting": share,
        "of_fitting": of_fitting,
        "peak_mb": peak,
    }


def run_command(*arguments: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a `textnb` command in a process of its own, which says the latter on stderr."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", COMMAND, *arguments], check=True, capture_output=True, text=True)
    return time.perf_counter() - started, int(done.stderr.split()[-2]) / 1024


if __name__ == "__main__":
    main()
