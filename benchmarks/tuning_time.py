"""What `textnb train CORPUS`, all automatic, takes beside an earlier version, and whether both choose alike.

    git worktree add ../before 9b82059   # and build its kernel in place
    python benchmarks/tuning_time.py ../before [--corpora 20news r8 sms-spam] [--rounds 3]

The whole command in a process of its own: imports, reading, choosing, fitting, testing, saving. CPU time, user and
system of all threads, the best of some rounds in which the two versions take turns; it does not depend on the number
of cores, and less than wall time on who else uses the machine. Results go to benchmarks/results/tuning_time.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import write_results

CORPORA = ["20news", "enron-spam", "imdb", "movie-reviews", "r8", "reuters", "sentence-polarity", "sms-spam"]
CORPORA += ["spamassassin", "subjectivity"]
ROOT = Path(__file__).parents[1]
GOAL = 1.5  # of the CPU time before, at most, on 20news: more candidates are tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="a checkout of the earlier version, with its kernel built in place")
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    measured = []
    for corpus in arguments.corpora:
        measured.append(compare(corpus, arguments.before.resolve(), arguments.rounds))
        row = measured[-1]
        same = "the same choice" if row["same_choice"] else "ANOTHER CHOICE"
        print(
            f"{corpus:18} {row['before']:6.2f} → {row['after']:5.2f} s of CPU, {row['ratio']:.2f}; {same}", flush=True
        )
        write_results("tuning_time", {"before_commit": commit(arguments.before), "goal": GOAL, "measured": measured})


def compare(corpus: str, before: Path, rounds: int) -> dict[str, Any]:
    """The best CPU time of both versions, and whether they chose and scored the same."""
    seconds: dict[Path, float] = {before: float("inf"), ROOT: float("inf")}
    choices: dict[Path, Any] = {}
    for _ in range(rounds):
        for tree in seconds:
            taken, choices[tree] = train(corpus, tree)
            seconds[tree] = min(seconds[tree], taken)
    old, new = choices[before], choices[ROOT]
    return {
        "corpus": corpus,
        "before": seconds[before],
        "after": seconds[ROOT],
        "ratio": seconds[ROOT] / seconds[before],
        "same_choice": candidate(old) == candidate(new),
        "same_accuracies": accuracies(old) == accuracies(new),
        "chosen": candidate(new),
    }


def train(corpus: str, tree: Path) -> tuple[float, Any]:
    """CPU seconds of the command, and what it chose."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            "-m",
            "textnb",
            "train",
            corpus,
            "--json",
            "--quiet",
            "--output",
            f"{folder}/model.tnb",
        ]
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        with Path(folder, "result.json").open("wb") as result:
            process = subprocess.Popen(words, stdout=result, env=environment, cwd=folder)
            _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(words)} failed in {tree}")
        return used.ru_utime + used.ru_stime, json.loads(Path(folder, "result.json").read_text()).get("choice")


def candidate(choice: dict[str, Any] | None) -> dict[str, Any] | None:
    """What was chosen; None where a version chooses nothing, as for a corpus with a class of one document."""
    if choice is None:
        return None
    return {name: choice["best"][name] for name in ("model", "weights", "ngrams", "min_df", "alpha")}


def accuracies(choice: dict[str, Any] | None) -> list[float]:
    """The accuracy of every candidate, the best one first."""
    return [] if choice is None else [trial["accuracy"] for trial in (choice["best"], *choice["trials"])]


def commit(tree: Path) -> str:
    words = ["git", "-C", str(tree), "describe", "--always"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
