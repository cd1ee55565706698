"""`textnb compact`: a smaller model file, which only predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import show, show_json
from textnb.cli.parameters import Option


def compact(
    model: options.ModelFile,
    output: Annotated[Path, Option("--output", "-o", help="The compact file.")],
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Write what MODEL needs to predict to a file several times smaller. Keep MODEL: only it can learn and forget.

    \b
    Examples:
      textnb compact mail.tnb -o filter.tnb
    """
    from textnb.report.updates import compaction_text
    from textnb.workflow import compact as compact_model

    done = compact_model(model, options.writable_path("--output", output), overwrite=overwrite)
    show_json(done.to_json()) if as_json else show(compaction_text(done))
