"""A report in a few lines: where it is, and what it is worth looking at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb.report.evaluation import INDENT, accuracy_lines, learned_text, narrowed, share_text
from textnb.report.safe import printable
from textnb.report.tables import counted

if TYPE_CHECKING:
    from textnb.workflow.reporting.paired_comparison import PairedComparison
    from textnb.workflow.reporting.results import ReportResult


def report_text(result: ReportResult, file: str, n_bytes: int, width: int | None = None) -> str:
    """The file and its size, the accuracy with its interval, and how much there is to look into."""
    evaluated, evaluation, duplicates = result.result, result.evaluation, result.near_duplicates
    evaluated_on = evaluated.evaluated_on + ("" if evaluated.learned is None else learned_text(evaluated.learned))
    lines = [
        f"report     {printable(file)} ({size_text(n_bytes)})",
        f"corpus     {printable(evaluated.corpus)}: {printable(evaluated.edition)}",
        f"documents  {evaluation.n:,} tested on ({evaluated_on}), {len(result.documents):,} of them shown",
        *accuracy_lines(evaluation),
        f"labels     {counted(len(result.suspected_labels), 'document')} listed whose label looks wrong",
        f"near       {counted(duplicates.n_pairs, 'pair')} of near duplicates, {duplicates.n_other_class:,} of them "
        "with different labels",
    ]
    if duplicates.n_with_learned and duplicates.accuracy_without is not None:
        without = f"accuracy without them {duplicates.accuracy_without:.4f}"
        lines.append(
            f"{INDENT}{counted(duplicates.n_with_learned, 'document')} nearly the same as learned ones; {without}"
        )
    if result.comparison is not None:
        lines += _comparison_lines(result.comparison)
    return "\n".join(narrowed(lines, width))


def _comparison_lines(comparison: PairedComparison) -> list[str]:
    other = "the other" if comparison.model_file is None else printable(comparison.model_file)
    low, high = comparison.difference_interval
    evaluation = comparison.evaluation
    return [
        f"compared   {other}: accuracy {share_text(evaluation.accuracy, evaluation.accuracy_interval)}",
        f"{INDENT}first minus second {comparison.difference:+.4f} (95 %: {low:+.4f} to {high:+.4f}), "
        f"p = {comparison.p_value:.3g}",
    ]


def size_text(n_bytes: int) -> str:
    """A number of bytes in a unit that suits it.

    Examples
    --------
    >>> size_text(2_345_678), size_text(12_345), size_text(99)
    ('2.3 MB', '12 KB', '99 bytes')
    """
    if n_bytes >= 1_000_000:
        return f"{n_bytes / 1_000_000:.1f} MB"
    return f"{n_bytes / 1000:.0f} KB" if n_bytes >= 1000 else f"{n_bytes} bytes"
