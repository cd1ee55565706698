"""Start-up: commands that a mail filter calls once per message, as multiples of `python -c "import numpy"`.

    python benchmarks/start_up.py [--rounds 20]

All take turns in every round, so that a busy machine slows them alike. Every module has its bytecode, as installed
packages have, whatever PYTHONDONTWRITEBYTECODE says: a first round, not timed, writes it. The model has 100,000 words.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from common import write_results
from learning import MESSAGE, N_WORDS, make_model

GOALS = {"textnb predict": 0.6, "textnb learn": 1.7}
REFERENCE = "import numpy"
ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--dry-run", action="store_true", help="show the results, and write none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder, "model.tnb"), "log-tfidf")
        Path(folder, "message.txt").write_text(MESSAGE, encoding="utf-8")
        measured = measure(arguments.rounds, commands(folder), folder)
    for name, times in measured.items():
        shown = f"best {times['best'] * 1e3:6.1f} ms, {times['best_ratio']:.2f} ×"
        print(f"{name:16} {shown}; median {times['median'] * 1e3:6.1f} ms, {times['median_ratio']:.2f} ×", flush=True)
    if not arguments.dry_run:
        write_results("start_up", {"rounds": arguments.rounds, "words": N_WORDS, "goals": GOALS, "seconds": measured})


def commands(folder: str) -> dict[str, list[str]]:
    """The words of each command; bogofilter, with a word list of the same message, where it is installed."""
    script = Path(sys.executable).with_name("textnb")
    textnb = [str(script)] if script.exists() else [sys.executable, "-m", "textnb"]
    found = {
        "pass": [sys.executable, "-c", "pass"],
        REFERENCE: [sys.executable, "-c", REFERENCE],
        "textnb predict": [*textnb, "predict", "model.tnb", "message.txt"],
        "textnb learn": [*textnb, "learn", "model.tnb", "--label", "ham", "message.txt"],
        "textnb --help": [*textnb, "--help"],
        "textnb --version": [*textnb, "--version"],
    }
    if shutil.which("bogofilter"):
        for kind in ("-s", "-n"):
            subprocess.run(["bogofilter", "-d", folder, kind, "-I", f"{folder}/message.txt"], check=True)
        found["bogofilter"] = ["bogofilter", "-d", folder, "-e", "-I", "message.txt"]
    return found


def measure(rounds: int, words: dict[str, list[str]], folder: str) -> dict[str, dict[str, Any]]:
    """Best and median seconds of each command, and their ratios to those of the reference."""
    seconds: dict[str, list[float]] = {name: [] for name in words}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(1 + rounds):
        for name, command in words.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
            seconds[name].append(time.perf_counter() - started)
    seconds = {name: times[1:] for name, times in seconds.items()}
    best, middle = min(seconds[REFERENCE]), median(seconds[REFERENCE])
    return {
        name: {
            "best": min(times),
            "median": median(times),
            "best_ratio": min(times) / best,
            "median_ratio": median(times) / middle,
        }
        for name, times in seconds.items()
    }


if __name__ == "__main__":
    main()
