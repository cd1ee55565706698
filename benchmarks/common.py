"""What all benchmark scripts share: timing, where results go, and on what machine they were measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def best_of(n: int, *functions: Callable[[], Any]) -> list[float]:
    """The shortest time in seconds of each function over n rounds, in which they take turns."""
    times = [float("inf")] * len(functions)
    for _ in range(n):
        for i, function in enumerate(functions):
            started = time.perf_counter()
            function()
            times[i] = min(times[i], time.perf_counter() - started)
    return times


def write_results(name: str, results: dict[str, Any]) -> Path:
    """Results as JSON beside the facts about this run; the path written."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"run": run_facts(), **results}, indent=1) + "\n", encoding="utf-8")
    return path


def run_facts() -> dict[str, Any]:
    """Machine, versions, commit and command."""
    return {
        "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": {package: version(package) for package in ("numpy", "scipy", "scikit-learn")},
    }


def _commit() -> str:
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=RESULTS.parent, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown processor"
