"""`textnb inspect`: what is in a model file."""

from __future__ import annotations

from typing import Annotated

from textnb.cli import options
from textnb.cli.output import show, show_json, terminal_width
from textnb.cli.parameters import Option


def inspect(
    model: options.ModelFile,
    terms: Annotated[int, Option(min=0, help="Terms to show per class, and categories per column.")] = 10,
    as_json: options.AsJson = False,
) -> None:
    """Show what MODEL was trained on, its settings, and the terms that speak most for each class.

    Of a model of several columns also the most frequent categories, and the means and deviations of numbers.

    \b
    Examples:
      textnb inspect 20news.tnb
      textnb inspect 20news.tnb --terms 30 --json
    """
    from textnb.report.inspection import inspection_text
    from textnb.workflow import inspect as inspect_model

    inspection = inspect_model(model, terms)
    show_json(inspection.to_json()) if as_json else show(inspection_text(inspection, terminal_width()))
