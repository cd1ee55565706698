"""`textnb merge`: one model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.learn import documents_by_class, summary
from textnb.cli.output import show, show_json


def merge(
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The model file to write.")],
    models: Annotated[list[Path], typer.Argument(metavar="MODEL", help="Model files with the same settings.")],
    as_json: options.AsJson = False,
) -> None:
    """Write to OUT what several models have learned together: the same as one model of all their documents.

    tf-idf models can be merged if they have the same idf: those that began as copies of one, or as `count --like` it.

    \b
    Examples:
      textnb merge all.tnb monday.tnb tuesday.tnb
      textnb merge mail.tnb mail.tnb elsewhere.tnb
    """
    found = run_merge(options.place("OUT", output), models)
    show_json(found) if as_json else show(summary(found["model_file"], found["classes"], found["n_terms"]))


def run_merge(output: Path, models: list[Path]) -> dict[str, Any]:
    """The models of several files added up into one."""
    from textnb.model_updates import merge_models

    counts = merge_models(output, models).counts
    return {
        "model_file": str(output),
        "merged": [str(model) for model in models],
        "classes": documents_by_class(counts),
        "n_documents": counts.n_documents,
        "n_terms": counts.n_seen_terms,
    }
