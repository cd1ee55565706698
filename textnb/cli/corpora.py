"""`textnb corpora`: the named corpora, and fetching them."""

from __future__ import annotations

from typing import Annotated

import typer

from textnb.cli.output import show, show_json, terminal_width

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
    from textnb.corpora.cache import is_cached
    from textnb.corpora.manifest import read_manifest
    from textnb.corpora.sources import is_here
    from textnb.report.tables import table

    entries = [entry for _, entry in sorted(read_manifest().items())]
    if as_json or context.obj:
        show_json([{**entry.to_json(), "cached": is_cached(entry), "here": is_here(entry)} for entry in entries])
        return
    rows = [(entry.name, entry.title, "yes" if is_here(entry) else "", entry.citation) for entry in entries]
    show(table(("name", "corpus", "here", "please cite"), rows, "Llll", width=terminal_width()))


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
    from textnb.corpora import fetch_corpus
    from textnb.report.safe import printable
    from textnb.report.tables import table

    corpus, path = fetch_corpus(name, quiet=quiet)
    if as_json or context.obj:
        about = {"name": name, "edition": corpus.edition, "path": str(path), "n_documents": len(corpus)}
        show_json({**about, "classes": corpus.class_counts})
        return
    show(printable(f"{corpus.edition}: {len(corpus):,} documents, in {path}"))
    show(table(("class", "documents"), list(corpus.class_counts.items()), "lr"))
