"""Training on streams larger than memory: `textnb count` on 100 MB, 1 GB and 2 GB of JSON lines, each in a process.

    python benchmarks/out_of_core.py --folder DIRECTORY        # with 2.5 GB of room
    python benchmarks/out_of_core.py --folder DIRECTORY --megabytes 100
    python benchmarks/out_of_core.py --corpora --against PYTHON    # real text, beside another textnb's interpreter

Peak memory must not grow with the stream, and speed be at least half that of the kernel, which counts texts in memory.
Both are in megabytes of text: the stream has its JSON on top. Real text is 20 Newsgroups and IMDB, each several times
over, as JSON lines and CSV, packed too; the model files of both versions must be the same, byte for byte.
"""

from __future__ import annotations

import argparse
import csv
import gc
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from common import best_of, write_results
from stream_data import write_stream

import textnb
from textnb.text.threads import available_cores

CORPORA = {"20news": 6, "imdb": 4}  # how many times over
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
    parser.add_argument("--corpora", action="store_true", help="real text instead of made-up text")
    parser.add_argument("--against", metavar="PYTHON", help="the interpreter of another version, for --corpora")
    arguments = parser.parse_args()
    if arguments.corpora:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            measured = measure_corpora(Path(name), arguments.rounds, arguments.against)
        write_results("out_of_core_corpora", {"rounds": arguments.rounds, "streams": measured})
        return
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


def measure_corpora(folder: Path, rounds: int, against: str | None) -> dict[str, Any]:
    """`textnb count` on real text, by each interpreter in turn: the best seconds, without those of the start."""
    interpreters = {"this": sys.executable} | ({"other": against} if against else {})
    found: dict[str, Any] = {}
    one = folder / "one.jsonl"
    one.write_text('{"label": "a", "text": "one document"}\n')
    starts = {name: best_run(python, one, folder / "one.tnb", rounds) for name, python in interpreters.items()}
    for corpus, times in CORPORA.items():
        for stream, n_bytes in write_corpus(folder, corpus, times):
            row: dict[str, Any] = {}
            models = {name: folder / f"{name}.tnb" for name in interpreters}
            runs: dict[str, list[Run]] = {name: [] for name in interpreters}
            for _ in range(rounds):
                for name, python in interpreters.items():
                    runs[name].append(count_stream(python, stream, models[name]))
            assert len({model.read_bytes() for model in models.values()}) == 1
            for name in interpreters:
                seconds = min(run.seconds for run in runs[name]) - starts[name].seconds
                cpu = min(run.cpu for run in runs[name]) - starts[name].cpu
                peak = max(run.peak_mb for run in runs[name])
                row[name] = {
                    "mb_a_second": n_bytes / 1e6 / seconds,
                    "cpu_ms_a_mb": 1e9 * cpu / n_bytes,
                    "peak_mb": peak,
                }
            found[stream.name] = row
            shown = "; ".join(
                f"{name} {of['mb_a_second']:.0f} MB/s, CPU {of['cpu_ms_a_mb']:.1f} ms a MB, peak {of['peak_mb']:.0f} MB"
                for name, of in row.items()
            )
            print(f"{stream.name:20} {shown}", flush=True)
            stream.unlink()
    return found


def write_corpus(folder: Path, name: str, times: int) -> Iterator[tuple[Path, int]]:
    """A corpus several times over in every format, one file after the other, with its bytes when unpacked."""
    corpus = textnb.load_corpus(name, "all", quiet=True)
    rows = list(zip(corpus.texts, map(str, corpus.labels), strict=True)) * times
    for suffix in ("jsonl", "csv"):
        content = io.StringIO(newline="")
        if suffix == "csv":
            writer = csv.writer(content)
            writer.writerow(["text", "label"])
            writer.writerows(rows)
        else:
            content.writelines(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows)
        encoded = content.getvalue().encode()
        for path in (folder / f"{name}.{suffix}", folder / f"{name}.{suffix}.gz"):
            path.write_bytes(encoded if path.suffix != ".gz" else gzip.compress(encoded, 6))
            yield path, len(encoded)


class Run(NamedTuple):
    seconds: float
    cpu: float
    peak_mb: float


def best_run(python: str, stream: Path, model: Path, rounds: int) -> Run:
    runs = [count_stream(python, stream, model) for _ in range(rounds)]
    return Run(*(min(values) for values in zip(*runs, strict=True)))


def count_stream(python: str, stream: Path, model: Path) -> Run:
    """Seconds and CPU seconds of `textnb count` in a process of another interpreter, and its peak memory."""
    model.unlink(missing_ok=True)
    before, started = os.times(), time.perf_counter()
    _, peak = run_command("count", str(stream), "-o", str(model), "--quiet", python=python)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(time.perf_counter() - started, cpu, peak)


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


def run_command(*arguments: str, python: str = sys.executable) -> tuple[float, float]:
    """Seconds and peak megabytes of a `textnb` command in a process of its own, which says the latter on stderr."""
    started = time.perf_counter()
    done = subprocess.run([python, "-P", "-c", COMMAND, *arguments], check=True, capture_output=True, text=True)
    return time.perf_counter() - started, int(done.stderr.split()[-2]) / 1024


if __name__ == "__main__":
    main()
