"""`textnb diff`: what changed between two models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import progress, report_skipped, show, show_json, status

if TYPE_CHECKING:
    from textnb.cli.comparison import Comparison, Flips, Side
    from textnb.predictor import Predictor
    from textnb.report.changes import Answer, ClassShare
    from textnb.storage import ModelFile
    from textnb.text.rows import Array


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="A model file.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Another, such as a later state of it.")],
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help="Documents to try both on: a named corpus, a folder, or .csv/.tsv/.jsonl(.gz); labels are not needed.",
        ),
    ] = None,
    terms: Annotated[int, typer.Option(min=0, help="How many of the terms that moved most to show.")] = 10,
    by_class: Annotated[bool, typer.Option("--by-class", help="Show so many terms of each class.")] = False,
    subset: Annotated[
        options.Subset | None, typer.Option(help="Which part. [default: test if the corpus has one, else all]")
    ] = None,
    categories: Annotated[str | None, typer.Option(help="Only documents of these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: Annotated[str, typer.Option(help="The column of a table that has the text.")] = "text",
    label: Annotated[
        str | None, typer.Option(help="The column of a table that has the class. [default: label, if there is one]")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="The encoding of files; by default found out.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")] = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what changed from model A to model B: settings, classes, priors, and the terms whose weight moved most.

    A term's weight for a class, of those that both have, is what it adds to the class's score beyond the average of the
    others. With CORPUS, also the documents whose label flips, and whether for the better: of tables and folders by line
    and file, of a named corpus numbered from 0.

    \b
    Examples:
      textnb diff monday.tnb friday.tnb
      textnb diff monday.tnb friday.tnb mail.csv --text body --label kind
      textnb diff counts.tnb tfidf.tnb 20news --terms 5 --by-class --json
    """
    source = options.source(categories, strip, text, label, encoding, strict)
    part = None if subset is None else subset.value
    found = run_comparison(before, after, corpus, part, source, terms=terms, by_class=by_class, quiet=quiet)
    if found.flips is not None:
        report_skipped(found.flips.problems, quiet)
    show_json(found.to_json()) if as_json else show(found.to_text())


def run_comparison(
    before: Path,
    after: Path,
    corpus: str | None,
    subset: str | None,
    source: dict[str, Any],
    *,
    terms: int,
    by_class: bool,
    quiet: bool,
) -> Comparison:
    """What changed between two model files, all of them verified."""
    from textnb.cli.comparison import Comparison
    from textnb.report.changes import compare_classes, compare_terms

    old, new = open_text_model(before), open_text_model(after)
    flips = None if corpus is None else find_flips(old.predictor, new.predictor, corpus, subset, source, quiet)
    status("comparing …", quiet)
    return Comparison(
        before=old.side,
        after=new.side,
        identical=same_content(old, new),
        settings=changed_settings(old.settings, new.settings),
        classes=compare_classes(old.shares, new.shares),
        terms=compare_terms(old.predictor, new.predictor, terms, by_class=by_class),
        flips=flips,
    )


@dataclass(frozen=True, eq=False)
class TextModel:
    """A model file, and what of it is compared."""

    file: ModelFile
    predictor: Predictor
    documents: Array  # of each class

    @property
    def settings(self) -> dict[str, Any]:
        """What is in use, chosen or given; the number of threads never matters."""
        from textnb.learner_file import chosen_of

        settings = self.file.settings
        found = settings["parameters"] | chosen_of(settings) | {"pruned": settings.get("pruned", False)}
        return {name: value for name, value in found.items() if name != "n_jobs"}

    @property
    def side(self) -> Side:
        from textnb.cli.comparison import Side

        return Side(self.file.path, self.documents.sum().item(), len(self.predictor.vocabulary))

    @property
    def shares(self) -> dict[str, ClassShare]:
        """The documents and prior of each class."""
        import numpy as np

        from textnb.report.changes import ClassShare, class_names

        priors = np.exp(self.predictor.log_prior).tolist()
        shares = map(ClassShare, self.documents.tolist(), priors)
        return dict(zip(class_names(self.predictor), shares, strict=True))


def open_text_model(path: Path) -> TextModel:
    """A model of text; `textnb.load` would also take the time to make its counts ready for learning."""
    import numpy as np

    from textnb.model_file import check_form, predictor_of
    from textnb.storage import open_model

    file = open_model(path, verify="all")
    if file.settings.get("kind") == "mixed":
        raise ValueError(f"{path} is a model of columns: diff compares models of text alone")
    predictor = predictor_of(file, whole=True)
    documents = file.array("documents")
    check_form(file, "documents", documents, predictor.classes.shape, "<f8" if documents.dtype.kind == "f" else "<i8")
    if not (np.isfinite(documents) & (documents >= 0)).all():
        raise file.damaged("array 'documents' has negative or infinite counts")
    if not isinstance(file.settings.get("parameters"), dict):
        raise file.damaged("its setting 'parameters' is missing or wrong")
    return TextModel(file, predictor, documents)


def same_content(a: TextModel, b: TextModel) -> bool:
    """Whether two files hold the same counts, weights and settings."""
    import numpy as np

    def named(model: TextModel) -> dict[str, Any]:
        return model.file.settings | {"parameters": model.settings}

    names = a.file.names
    return (
        named(a) == named(b)
        and names == b.file.names
        and all(np.array_equal(a.file.array(name), b.file.array(name)) for name in names)
    )


def changed_settings(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (before.get(name), after.get(name)) for name in before | after}
    return {name: (old, new) for name, (old, new) in pairs.items() if old != new}


def find_flips(
    before: Predictor, after: Predictor, spec: str, subset: str | None, source: dict[str, Any], quiet: bool
) -> Flips:
    """The documents of a corpus that get another label."""
    from textnb.cli.comparison import Flips
    from textnb.cli.evaluate import part_of
    from textnb.corpora import open_corpus
    from textnb.report.changes import Flip

    label_asked_for = source["label"] is not None
    source = source | {"label": source["label"] or "label", "label_required": False}
    status(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, quiet=quiet, **source)
    if label_asked_for and not corpus.classes:
        raise ValueError(
            f"{spec} has no labels in a column {source['label']!r}: choose another --label, or leave it out"
        )
    rows, part = part_of(corpus, subset)
    texts = [corpus.texts[row] for row in rows]
    asked = zip(rows.tolist(), ask(before, texts, quiet), ask(after, texts, quiet), strict=True)
    flipped = [(row, old, new) for row, old, new in asked if old.label != new.label]
    return Flips(
        corpus=corpus.name,
        edition=corpus.edition,
        part=part,
        n=len(texts),
        flips=[Flip(corpus.place(row), old, new, str(corpus.labels[row]) or None) for row, old, new in flipped],
        problems=corpus.problems,
    )


def ask(predictor: Predictor, texts: list[str], quiet: bool) -> list[Answer]:
    """What a model says of each document."""
    from textnb.report.changes import answers

    block = 1000
    starts = range(0, len(texts), block)
    return [
        answer
        for start in progress(starts, len(starts), "predicting", "thousand documents", quiet)
        for answer in answers(predictor, texts[start : start + block])
    ]
