"""`textnb merge`: one model from several."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

from textnb.cli import options
from textnb.cli.output import Terminal, notice, show_summary
from textnb.cli.parameters import Argument, Option
from textnb.text.steps import heard_by


def merge(
    models: Annotated[list[Path], Argument(metavar="MODEL", help="Model files with the same settings.")],
    output: Annotated[Path | None, Option("--output", "-o", help="The model file to write.")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notices.")] = False,
) -> None:
    """Write what several models have learned together: the same as one model of all their documents.

    Calibration and policy are no counts: they stay where all models have the same, and are dropped otherwise.

    tf-idf models can be merged if they have the same idf: those that began as copies of one, or as `count --like` it.

    \b
    Examples:
      textnb merge -o all.tnb monday.tnb tuesday.tnb
      textnb merge -o mail.tnb mail.tnb elsewhere.tnb --overwrite
    """
    from textnb.workflow import merge as merge_models

    if output is None:
        raise ValueError(f"merge writes to the file that -o names: {corrected(models)}")
    with heard_by(Terminal(quiet).step):
        summary = merge_models(options.writable_path("--output", output), models, overwrite=overwrite)
    if summary.n_shared:
        notice(
            f"{summary.n_shared:,} documents were in several of the models, and now count more than once; to count "
            "each once, teach one model the documents of the others with learn --once",
            quiet,
        )
    show_summary(summary, as_json, quiet)


def corrected(models: list[Path]) -> str:
    """The command that was meant: a first file that is not there is the one to write."""
    first, *others = [quote(str(model)) for model in models]
    output = first if others and not models[0].exists() else "OUT.tnb"
    return f"textnb merge -o {output} {' '.join(others if output == first else [first, *others])}"
