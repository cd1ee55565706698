"""`textnb refit`: a model fitted anew, with the settings that it has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from textnb.cli import options
from textnb.cli.output import Terminal, show_summary
from textnb.cli.parameters import Option


def refit(
    model: options.ModelFile,
    sources: options.CorpusWords,
    output: Annotated[Path | None, Option("--output", "-o", help="The model file. [default: MODEL]")] = None,
    subset: Annotated[
        Literal["train", "test", "all"] | None,
        Option("--subset", help="Which part. [default: train if the corpus has one, else all]"),
    ] = None,
    categories: options.Categories = None,
    strip: options.Strip = "",
    text: options.ModelText = None,
    label: options.ModelLabel = None,
    encoding: options.Encoding = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> object:
    """Fit MODEL anew to CORPUS, with the settings that it has: how a linear model (nbsvm, nblr) learns more.

    Give all documents, the new and the old: what MODEL knows and CORPUS does not have would be forgotten, which is
    refused without --overwrite. What was chosen for MODEL, such as C and beta, stays; `textnb train` chooses anew.

    \b
    Examples:
      textnb refit mail.tnb mail-until-today.csv
      textnb refit 20news.tnb 20news --subset all --output 20news-all.tnb
    """
    from textnb.workflow import refit as refit_model

    corpus = options.given_corpus(sources)
    if output is not None:
        output = options.writable_path("--output", output)
    summary = refit_model(
        model,
        corpus,
        output,
        subset=subset,
        options=options.read_options(text, label, encoding, strict, categories=categories, strip=strip),
        label=label,
        overwrite=overwrite,
        progress=Terminal(quiet),
    )
    return show_summary(summary, as_json, quiet)
