"""The report as one HTML file."""

from __future__ import annotations

from typing import Any


def report_html(result: dict[str, Any]) -> str:
    """One self-contained page that shows what `ReportResult.to_json` gives."""
    raise NotImplementedError
