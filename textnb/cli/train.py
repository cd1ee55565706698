"""`textnb train`: read a corpus, learn, evaluate, save."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textnb.cli import options
from textnb.cli.output import progress, show_outcome, status

if TYPE_CHECKING:
    from textnb.cli.evaluation import Outcome
    from textnb.cli.mixed import Features
    from textnb.corpora import Corpus
    from textnb.report import Evaluation
    from textnb.text.rows import Array

    Documents: TypeAlias = list[str] | Array


def train(
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="A named corpus, a folder of class folders, or .csv/.tsv/.jsonl(.gz)."),
    ],
    model: Annotated[
        options.Model | None,
        typer.Option(help="Which naive Bayes, for text. [default: complement; multinomial beside other columns]"),
    ] = None,
    weights: Annotated[
        options.Weights | None,
        typer.Option(help="How terms weigh. [default: log-tfidf; counts beside other columns]"),
    ] = None,
    alpha: Annotated[float, typer.Option(min=0, help="Smoothing; 1 is Laplace's, 0 none.")] = 1.0,
    ngrams: Annotated[str, typer.Option(help="Shortest and longest n-grams, such as 1,2.")] = "1,1",
    analyzer: Annotated[options.Units, typer.Option(help="What n-grams are made of.")] = options.Units.word,
    tokenizer: Annotated[str | None, typer.Option(help="An nltk tokenizer, such as treebank or tweet.")] = None,
    stemmer: Annotated[str | None, typer.Option(help="An nltk stemmer, such as porter or snowball-german.")] = None,
    stop_words: Annotated[str | None, typer.Option(help="Words to leave out: english, or a,b,c.")] = None,
    unknown: Annotated[
        options.Unknown, typer.Option(help="Unknown words: ignored, or one feature.")
    ] = options.Unknown.ignore,
    min_df: Annotated[str, typer.Option(help="Fewest documents a term is in, or a share like 0.01.")] = "1",
    max_df: Annotated[str, typer.Option(help="Most documents a term is in, or a share.")] = "1.0",
    max_features: Annotated[int | None, typer.Option(min=1, help="Keep only the most frequent terms.")] = None,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: Annotated[str | None, typer.Option(help="The column of a table that has the text. [default: text]")] = None,
    categorical: Annotated[
        str | None, typer.Option(help="Columns of a table that hold categories, such as domain,weekday.")
    ] = None,
    numeric: Annotated[
        str | None, typer.Option(help="Columns of a table that hold numbers, such as n_links,size.")
    ] = None,
    label: Annotated[str, typer.Option(help="The column of a table that has the class.")] = "label",
    encoding: Annotated[str | None, typer.Option(help="The encoding of files; by default found out.")] = None,
    test_size: Annotated[float, typer.Option(help="Share held out of a corpus without a test part.")] = 0.3,
    cv: Annotated[int | None, typer.Option(min=2, help="Cross-validate in so many folds.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the split.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; -1 for all cores.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The model file. [default: CORPUS.tnb]")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the confusion matrix: .png, .svg or .pdf.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")] = False,
) -> None:
    """Train a classifier on CORPUS, evaluate it on documents it has not seen, and save it.

    \b
    Examples:
      textnb train 20news
      textnb train sms-spam --model multinomial --weights counts --alpha 0.1
      textnb train mail.csv --text body --label kind --plot confusion.png
      textnb train reviews/ --cv 5 --ngrams 1,2 --min-df 2
      textnb train mail.csv --categorical domain,weekday --numeric n_links
    """
    from textnb.text.tokenize import STEMMERS, TOKENIZERS

    if analyzer != options.Units.word and (tokenizer or stemmer or stop_words):
        raise ValueError("--tokenizer, --stemmer and --stop-words are for words: leave them out, or --analyzer")
    if alpha == float("inf"):
        raise ValueError("--alpha is a number, 0 or more, got inf")
    if not 0 < test_size < 1:
        raise ValueError(f"--test-size is a share between 0 and 1, got {test_size:g}")
    if jobs == 0:
        raise ValueError("--jobs is a number of threads, or -1 for all cores, got 0")
    output = options.place("--output", output or default_output(corpus))
    options.check_plot(plot)
    mixed = categorical is not None or numeric is not None
    if mixed and model == options.Model.complement:
        raise ValueError(
            "--model complement cannot be combined with --categorical or --numeric: its weights are no likelihood that "
            "theirs could be added to; use multinomial or bernoulli"
        )
    classifier = {
        "model": (model or (options.Model.multinomial if mixed else options.Model.complement)).value,
        "weights": (weights or (options.Weights.counts if mixed else options.Weights.log_tfidf)).value,
        "alpha": alpha,
        "ngrams": options.ngram_range(ngrams),
        "analyzer": analyzer.value,
        "tokenizer": options.one_of("--tokenizer", tokenizer, TOKENIZERS),
        "stemmer": options.one_of("--stemmer", stemmer, STEMMERS),
        "stop_words": options.stop_words(stop_words),
        "unknown": unknown.value,
        "min_df": options.frequency("--min-df", min_df),
        "max_df": options.frequency("--max-df", max_df),
        "max_features": max_features,
        "n_jobs": jobs,
    }
    source = {
        "categories": options.names(categories),
        "strip": options.names(strip) or (),
        "text": text or "text",
        "label": label,
        "encoding": encoding,
        "strict": strict,
    }
    features = None
    if mixed:
        from textnb.cli.mixed import chosen_features

        features = chosen_features(
            corpus, text, label, options.names(categorical) or [], options.names(numeric) or [], encoding
        )
    plan = Plan(test_size=test_size, folds=cv, seed=seed)
    outcome = run_training(corpus, source, classifier, plan, features=features, output=output, quiet=quiet)
    show_outcome(outcome, corpus, plot, as_json=as_json, quiet=quiet)


@dataclass(frozen=True)
class Plan:
    """How to evaluate: on the corpus's own test part, or one held out, or in folds."""

    test_size: float = 0.3
    folds: int | None = None
    seed: int = 0


def run_training(
    spec: str,
    source: dict[str, Any],
    settings: dict[str, Any],
    plan: Plan,
    *,
    features: Features | None = None,
    output: Path,
    quiet: bool,
) -> Outcome:
    """Learn from a corpus and evaluate; the saved model is the one evaluated (in folds: one of all their documents).

    With `features` the documents are rows of a table, and the model a mixed one.
    """
    from textnb.classifier import TextClassifier
    from textnb.cli.evaluation import Outcome, shown_settings
    from textnb.corpora import open_corpus

    status(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, quiet=quiet, **source | (features.source() if features else {}))
    if len(corpus.classes) < 2:
        raise ValueError(f"{spec} has only the class {corpus.classes[0]!r}: a classifier needs two or more")
    classifier: Any = TextClassifier(**settings)
    documents: Documents = corpus.texts
    if features is not None:
        from textnb.cli import mixed, parts

        classifier, documents = mixed.new_model(features, settings), features.table(corpus.columns)
    folds: list[float] = []
    if plan.folds is None:
        learn, test, evaluated_on = split_documents(corpus, plan)
        status(f"learning from {len(learn):,} documents …", quiet)
        classifier.fit(take(documents, learn), corpus.labels[learn])
        evaluation = evaluate_documents(classifier, take(documents, test), corpus.labels[test], quiet)
    else:
        evaluation, folds, learn, evaluated_on = cross_validate(classifier, corpus, documents, plan, quiet)
        classifier.fit(take(documents, learn), corpus.labels[learn])
    with writing(output):
        if features is None:
            classifier.save(output)
        else:
            mixed.save(classifier, output, features, source["label"])
    return Outcome(
        corpus=corpus.name,
        edition=corpus.edition,
        n_train=len(learn),
        evaluated_on=evaluated_on,
        settings=(
            parts.part_settings(classifier, features.names) if features else shown_settings(classifier.get_params())
        ),
        evaluation=evaluation,
        model_file=str(output),
        problems=corpus.problems,
        folds=folds,
    )


def split_documents(corpus: Corpus, plan: Plan) -> tuple[Array, Array, str]:
    """Positions to learn from and to test on: the corpus's own parts, or a stratified random share held out."""
    import numpy as np

    if corpus.split is not None:
        learn, test = np.flatnonzero(corpus.split == "train"), np.flatnonzero(corpus.split == "test")
        if not len(learn) or not len(test):
            raise ValueError(f"{corpus.name} has no document in its {'test' if len(learn) else 'train'} part")
        return learn, test, "its own test part"
    from sklearn.model_selection import train_test_split

    everything = np.arange(len(corpus))
    # A class of one document can only be learned from: it cannot be on both sides.
    names, counts = np.unique(corpus.labels, return_counts=True)
    lone = np.isin(corpus.labels, names[counts < 2])
    try:
        learn, test = train_test_split(
            everything[~lone], test_size=plan.test_size, random_state=plan.seed, stratify=corpus.labels[~lone]
        )
    except ValueError:
        raise ValueError(
            f"a share of {plan.test_size:g} of {len(corpus):,} documents is too few or too many to test {len(names)} "
            "classes on: use more documents, another --test-size, or fewer --categories"
        ) from None
    return np.sort(np.concatenate([learn, everything[lone]])), np.sort(test), f"{plan.test_size:.0%} held out at random"


def cross_validate(
    classifier: Any, corpus: Corpus, documents: Documents, plan: Plan, quiet: bool
) -> tuple[Evaluation, list[float], Array, str]:
    """Predict every document by a model that has not seen its fold; a test part of the corpus's own is not touched.

    Documents that belong together (`groups`) stay in one fold: a reply quotes what it answers.
    """
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    from textnb.report import evaluate

    assert plan.folds is not None
    used = np.arange(len(corpus)) if corpus.split is None else np.flatnonzero(corpus.split == "train")
    labels, documents = corpus.labels[used], take(documents, used)
    smallest = min(np.unique(labels, return_counts=True)[1])
    if smallest < plan.folds:
        raise ValueError(
            f"a class of {smallest} documents cannot be divided into {plan.folds} folds: use a smaller --cv"
        )
    kinds = StratifiedKFold if corpus.groups is None else StratifiedGroupKFold
    folds = kinds(plan.folds, shuffle=True, random_state=plan.seed).split(
        documents, labels, None if corpus.groups is None else corpus.groups[used]
    )
    log_probabilities = np.zeros((len(used), len(corpus.classes)))
    accuracies = []
    for learn, test in progress(folds, plan.folds, "cross-validating", "folds", quiet):
        model = clone(classifier).fit(take(documents, learn), labels[learn])
        found = model.predict_log_proba(take(documents, test))
        known = np.searchsorted(corpus.classes, model.classes_)
        log_probabilities[test] = -np.inf
        log_probabilities[np.ix_(test, known)] = found
        accuracies.append(float(np.mean(model.classes_[found.argmax(axis=1)] == labels[test])))
    predicted = np.array(corpus.classes)[log_probabilities.argmax(axis=1)]
    by_thread = "" if corpus.groups is None else " by thread"
    evaluation = evaluate(labels, predicted, corpus.classes, log_probabilities)
    return evaluation, accuracies, used, f"{plan.folds}-fold cross-validation{by_thread}"


def take(documents: Documents, rows: Array) -> Documents:
    """Some of the documents: of a list of texts, or of a table."""
    return [documents[i] for i in rows] if isinstance(documents, list) else documents[rows]


def evaluate_documents(classifier: Any, documents: Documents, labels: Array, quiet: bool) -> Evaluation:
    """How a fitted classifier does on documents."""
    import numpy as np

    from textnb.report import evaluate

    block = 1000
    starts = range(0, len(documents), block)
    log_probabilities = np.concatenate(
        [
            classifier.predict_log_proba(documents[start : start + block])
            for start in progress(starts, len(starts), "predicting", "thousand documents", quiet)
        ]
    )
    classes = classifier.classes_.astype(np.str_)  # as corpora have them
    return evaluate(labels, classes[log_probabilities.argmax(axis=1)], classes, log_probabilities)


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """An error of writing the model says what to do."""
    try:
        yield
    except OSError as error:
        reason = f"the model cannot be written: {error.strerror}; make room, or choose another --output"
        raise OSError(error.errno, reason, str(output)) from error


def default_output(corpus: str) -> Path:
    """CORPUS.tnb in the current folder."""
    name = Path(corpus).resolve().name
    for suffix in (".gz", ".csv", ".tsv", ".jsonl"):
        name = name.removesuffix(suffix)
    return Path(f"{name}.tnb")
