"""`textnb merge`: one model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import show_summary
from textnb.cli.parameters import Argument


def merge(
    output: Annotated[Path, Argument(metavar="OUT", help="The model file to write.")],
    models: Annotated[list[Path], Argument(metavar="MODEL", help="Model files with the same settings.")],
    as_json: options.AsJson = False,
) -> None:
    """Write to OUT what several models have learned together: the same as one model of all their documents.

    tf-idf models can be merged if they have the same idf: those that began as copies of one, or as `count --like` it.

    \b
    Examples:
      textnb merge all.tnb monday.tnb tuesday.tnb
      textnb merge mail.tnb mail.tnb elsewhere.tnb
    """
    from textnb.workflow import merge as merge_models

    show_summary(merge_models(options.writable_path("OUT", output), models), as_json)
