"""`textnb corpora`: the named corpora, and fetching them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from textnb.cli.output import show, show_json

corpora = typer.Typer(invoke_without_command=True, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@corpora.callback()
def show_default(context: typer.Context, as_json: AsJson = False) -> None:
    """List the named corpora, or fetch one into the cache.

    \b
    Examples:
      textnb corpora
      textnb corpora fetch 20news
    """
    context.obj = as_json
    if context.invoked_subcommand is None:
        show_list(context)


@corpora.command("list")
def show_list(context: typer.Context, as_json: AsJson = False) -> None:
    """List the corpora that `train` and `evaluate` know by name.

    \b
    Examples:
      textnb corpora list
      textnb corpora list --json
    """
    found = run_list()
    if as_json or context.obj:
        show_json(found)
        return
    from textnb.report import table

    rows = [(entry["name"], entry["title"], "yes" if entry["cached"] else "", entry["citation"]) for entry in found]
    show(table(("name", "corpus", "here", "please cite"), rows, "llll"))


@corpora.command()
def fetch(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `textnb corpora` lists.")],
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")] = False,
) -> None:
    """Fetch a corpus and keep it in the cache.

    \b
    Examples:
      textnb corpora fetch sms-spam
    """
    found = run_fetch(name, quiet)
    if as_json or context.obj:
        show_json(found)
        return
    from textnb.report import printable, table

    show(printable(f"{found['edition']}: {found['n_documents']:,} documents, in {found['path']}"))
    show(table(("class", "documents"), list(found["classes"].items()), "lr"))


def run_list() -> list[dict[str, Any]]:
    """The named corpora, with what is known of them."""
    from textnb.corpora.cache import cache_file
    from textnb.corpora.manifest import read_manifest

    return [
        {
            "name": name,
            "title": entry.title,
            "cached": any(cache_file(edition).exists() for edition in entry.editions),
            "editions": [edition.title for edition in entry.editions],
            "licence": entry.licence,
            "citation": entry.citation,
        }
        for name, entry in sorted(read_manifest().items())
    ]


def run_fetch(name: str, quiet: bool) -> dict[str, Any]:
    """A corpus put into the cache: which edition, where, and how many documents of each class."""
    import numpy as np

    from textnb.corpora import fetch_corpus

    corpus, path = fetch_corpus(name, quiet=quiet)
    labels, counts = np.unique(corpus.labels, return_counts=True)
    return {
        "name": name,
        "edition": corpus.edition,
        "path": str(path),
        "n_documents": len(corpus),
        "classes": dict(zip(labels.tolist(), counts.tolist(), strict=True)),
    }
