"""Draws README's picture from the results of speed.py.

python benchmarks/speed_chart.py    # writes results/speed.png
"""

from __future__ import annotations

import json

from common import RESULTS

ROWS = {  # of the results, and what the picture calls them
    "words": "count words",
    "words + pairs": "count words and pairs",
    "char_wb 3–5": "count characters, 3 to 5",
    "text → multinomial model with pairs": "train on words and pairs",
}
OURS, THEIRS, INK = "#1f5fb4", "#d0d3d8", "#22252a"


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    results = json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))
    measured = [results["counting"]["seconds"][name] for name in ROWS]
    figure, axes = plt.subplots(figsize=(8.2, 2.9), dpi=130)
    for row, seconds in enumerate(measured):
        ours, theirs = seconds["all_cores"], seconds["scikit_learn"]
        axes.barh(row - 0.19, theirs, 0.36, color=THEIRS)
        axes.barh(row + 0.19, ours, 0.36, color=OURS)
        axes.text(theirs + 0.15, row - 0.19, f"{theirs:.1f} s", va="center", color=INK, fontsize=9)
        label = f"{ours:.2f} s, {theirs / ours:.0f} times as fast"
        axes.text(ours + 0.15, row + 0.19, label, va="center", color=OURS, fontsize=9, fontweight="bold")
    axes.set_yticks(range(len(ROWS)), list(ROWS.values()), color=INK)
    axes.set_xlim(0, 1.1 * max(seconds["scikit_learn"] for seconds in measured))
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(
        f"20 Newsgroups, 11,314 documents, {results['cores']} cores: textnb (blue) and scikit-learn (grey)",
        loc="left",
        fontsize=10,
        color=INK,
    )
    figure.tight_layout()
    figure.savefig(RESULTS / "speed.png")


if __name__ == "__main__":
    main()
