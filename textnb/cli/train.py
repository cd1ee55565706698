"""`textnb train`: read a corpus, learn, evaluate, save."""

from __future__ import annotations

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
    from textnb.report import DecisionEvaluation, Evaluation
    from textnb.text.rows import Array

    Documents: TypeAlias = list[str] | Array

DEFAULTS = {"model": "complement", "weights": "log-tfidf", "alpha": "1", "ngrams": "1,1", "min_df": "1"}
MIXED_DEFAULTS = DEFAULTS | {"model": "multinomial", "weights": "counts"}
LARGE = 1 << 30  # bytes of a table from which on it is read as a stream


def train(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="A named corpus, a folder of class folders, .csv/.tsv/.jsonl(.gz), or - for stdin."
        ),
    ],
    model: options.AutoModel = None,
    weights: options.AutoWeights = None,
    alpha: options.AutoAlpha = None,
    ngrams: options.AutoNgrams = None,
    analyzer: options.AnalyzerUnits = options.Units.word,
    tokenizer: options.Tokenizer = None,
    stemmer: options.Stemmer = None,
    stop_words: options.StopWords = None,
    unknown: options.UnknownWords = options.Unknown.ignore,
    min_df: options.AutoMinDf = None,
    max_df: options.MaxDf = "1.0",
    max_features: options.MaxFeatures = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate/--no-calibrate", help="Correct how sure the model is of itself.")
    ] = True,
    cost: Annotated[
        list[str] | None, typer.Option(metavar="TRUE:NAMED=COST", help="What an error costs; others cost 1.")
    ] = None,
    unsure: Annotated[float | None, typer.Option(min=0, help="What it costs to name no class.")] = None,
    protect: Annotated[
        str | None, typer.Option(metavar="CLASS", help="A class seldom to be taken for another.")
    ] = None,
    ceiling: Annotated[
        float | None, typer.Option(help="The share of the protected class that may be, such as 0.001.")
    ] = None,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: options.Text = None,
    categorical: Annotated[
        str | None, typer.Option(help="Columns of a table that hold categories, such as domain,weekday.")
    ] = None,
    numeric: Annotated[
        str | None, typer.Option(help="Columns of a table that hold numbers, such as n_links,size.")
    ] = None,
    label: options.Label = "label",
    encoding: options.Encoding = None,
    test_size: Annotated[float, typer.Option(help="Share held out of a corpus without a test part.")] = 0.3,
    cv: Annotated[int | None, typer.Option(min=2, help="Cross-validate in so many folds.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the split.")] = 0,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Read tables block by block, never all at once: stdin, patterns, large files."),
    ] = False,
    table: options.Table = None,
    prune: options.Prune = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Where to save what a stream has taught when it is interrupted, and to go on from."),
    ] = None,
    engine: Annotated[options.Engine, typer.Option(help="What counts a stream.")] = options.Engine.local,
    scheduler: Annotated[str | None, typer.Option(help="The address of a dask cluster. [default: a local one]")] = None,
    ledger: options.KeepLedger = None,
    jobs: options.Jobs = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The model file. [default: CORPUS.tnb]")] = None,
    plot: options.ConfusionPlot = None,
    reliability: options.ReliabilityPlot = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier on CORPUS, evaluate it on documents it has not seen, and save it.

    Model, weights, alpha, n-grams and min-df are chosen by leave-one-out on the training documents, unless one of them
    is given: then those not given are complement, log-tfidf, 1, 1,1 and 1, or what `auto` chooses. Streams, and text
    beside other columns, have no such choice.

    \b
    Examples:
      textnb train 20news
      textnb train spamassassin --protect ham --ceiling 0.001 --unsure 0.2
      textnb train sms-spam --model multinomial --weights counts --alpha 0.1
      textnb train mail.csv --text body --label kind --plot confusion.png
      textnb train reviews/ --cv 5 --ngrams 1,2 --min-df 2
      textnb train mail.csv --categorical domain,weekday --numeric n_links
      zcat huge.jsonl.gz | textnb train - --output huge.tnb --checkpoint huge.part
      textnb train 'data/*.jsonl.gz' --engine dask
    """
    if not 0 < test_size < 1:
        raise ValueError(f"--test-size is a share between 0 and 1, got {test_size:g}")
    output = options.place("--output", output or default_output(corpus))
    options.check_plot(plot)
    options.check_plot(reliability, "--reliability")
    mixed = categorical is not None or numeric is not None
    streamed = (
        stream or engine == options.Engine.dask or prune is not None or checkpoint is not None or is_stream(corpus)
    )
    if scheduler is not None and engine != options.Engine.dask:
        raise ValueError("--scheduler is the address of a dask cluster: give --engine dask too, or leave it out")
    if mixed and model == options.ModelOrAuto.complement:
        raise ValueError(
            "--model complement cannot be combined with --categorical or --numeric: its weights are no likelihood that "
            "theirs could be added to; use multinomial or bernoulli"
        )
    choices: dict[str, Any] = {
        "model": model,
        "weights": weights,
        "alpha": alpha,
        "ngrams": ngrams,
        "min_df": min_df,
    }
    open_choices = not (mixed or streamed or any(choice is not None for choice in choices.values()))
    defaults = MIXED_DEFAULTS if mixed else DEFAULTS
    choices = {name: given or (options.AUTO if open_choices else defaults[name]) for name, given in choices.items()}
    if (mixed or streamed) and options.AUTO in choices.values():
        raise ValueError("auto needs the text of all documents in memory: give a value, or no stream and no columns")
    classifier = options.classifier_settings(
        **choices,
        analyzer=analyzer,
        tokenizer=tokenizer,
        stemmer=stemmer,
        stop_words=stop_words,
        unknown=unknown,
        max_df=max_df,
        max_features=max_features,
        ledger=ledger,
        jobs=jobs,
    )
    classifier["calibrate"] = calibrate
    decisions = Decisions(options.prices(cost or []), unsure, protect, ceiling)
    plan = Plan(test_size=test_size, folds=cv, seed=seed)
    if streamed:
        from textnb.cli.stream import StreamPlan, run_stream_training

        refuse_in_streams(
            {
                "--cv": cv,
                "--categories": categories,
                "--strip": strip,
                "--categorical": categorical,
                "--numeric": numeric,
                "--cost, --unsure and --ceiling": decisions.wanted,
            }
        )
        stream_plan = StreamPlan(
            spec=corpus,
            text=text or "text",
            label=label,
            format=None if table is None else table.value,
            encoding=encoding,
            strict=strict,
            share=test_size,
            seed=seed,
            prune=prune,
            checkpoint=None if checkpoint is None else options.place("--checkpoint", checkpoint),
            use_dask=engine == options.Engine.dask,
            scheduler=scheduler,
        )
        outcome = run_stream_training(stream_plan, classifier, output, quiet=quiet)
    else:
        source = options.source(categories, strip, text or "text", label, encoding, strict)
        features = None
        if mixed:
            from textnb.cli.mixed import chosen_features

            features = chosen_features(
                corpus, text, label, options.names(categorical) or [], options.names(numeric) or [], encoding
            )
        if mixed and decisions.wanted:
            raise ValueError("--cost, --unsure and --ceiling are for models of text: leave out the other columns")
        outcome = run_training(
            corpus, source, classifier, plan, decisions=decisions, features=features, output=output, quiet=quiet
        )
    show_outcome(outcome, corpus, plot=plot, reliability=reliability, as_json=as_json, quiet=quiet)


def is_stream(corpus: str) -> bool:
    """Whether a corpus is read block by block unasked: stdin, a pattern of several files, a very large table."""
    path = Path(corpus)
    return is_nameless(corpus) or (path.is_file() and path.stat().st_size >= LARGE)


def is_nameless(corpus: str) -> bool:
    """Stdin, or a pattern."""
    return corpus == "-" or (any(sign in corpus for sign in "*?[") and not Path(corpus).exists())


def refuse_in_streams(given: dict[str, object]) -> None:
    for option, value in given.items():
        if value:
            raise ValueError(f"{option} needs all documents at once, and cannot be combined with a stream")


@dataclass(frozen=True)
class Decisions:
    """What errors cost, as it was asked for."""

    costs: dict[tuple[str, str], float]
    unsure: float | None = None
    protected: str | None = None
    ceiling: float | None = None

    @property
    def wanted(self) -> bool:
        return bool(self.costs) or any(value is not None for value in (self.unsure, self.protected, self.ceiling))


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
    decisions: Decisions | None = None,
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
        fit(classifier, corpus, documents, learn)
        decide_by(classifier, decisions)
        evaluation, decided = evaluate_documents(classifier, take(documents, test), corpus.labels[test], quiet)
    else:
        evaluation, folds, learn, evaluated_on = cross_validate(classifier, corpus, documents, plan, quiet)
        fit(classifier, corpus, documents, learn)
        decide_by(classifier, decisions)
        decided = None
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
            parts.part_settings(classifier, features.names)
            if features
            else shown_settings(classifier.parameters_in_use)
        ),
        evaluation=evaluation,
        decisions=decided,
        choice=getattr(classifier, "choice_", None),
        calibration=getattr(classifier, "calibration_", None),
        model_file=str(output),
        problems=corpus.problems,
        folds=folds,
    )


def fit(classifier: Any, corpus: Corpus, documents: Documents, rows: Array) -> None:
    """Fit on some documents of a corpus; those that belong together are left out together where that matters."""
    from textnb.classifier import TextClassifier

    groups = corpus.groups if isinstance(classifier, TextClassifier) else None
    more = {} if groups is None else {"groups": groups[rows]}
    classifier.fit(take(documents, rows), corpus.labels[rows], **more)


def decide_by(classifier: Any, decisions: Decisions | None) -> None:
    if decisions is not None and decisions.wanted:
        protected, ceiling = decisions.protected, decisions.ceiling
        classifier.decide_by(decisions.costs, unsure=decisions.unsure, protected=protected, ceiling=ceiling)


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
    labels, whole, documents = corpus.labels[used], documents, take(documents, used)
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
        model = clone(classifier)
        fit(model, corpus, whole, used[learn])
        found = model.predict_log_proba(take(documents, test))
        known = np.searchsorted(corpus.classes, model.classes_)
        log_probabilities[test] = -np.inf
        log_probabilities[np.ix_(test, known)] = found
        accuracies.append(float(np.mean(model.classes_[found.argmax(axis=1)] == labels[test])))
    predicted = np.array(corpus.classes)[log_probabilities.argmax(axis=1)]
    by_group = "" if corpus.groups is None else " by group"
    evaluation = evaluate(labels, predicted, corpus.classes, log_probabilities=log_probabilities)
    return evaluation, accuracies, used, f"{plan.folds}-fold cross-validation{by_group}"


def take(documents: Documents, rows: Array) -> Documents:
    """Some of the documents: of a list of texts, or of a table."""
    return [documents[i] for i in rows] if isinstance(documents, list) else documents[rows]


def evaluate_documents(
    classifier: Any, documents: Documents, labels: Array, quiet: bool
) -> tuple[Evaluation, DecisionEvaluation | None]:
    """How a fitted classifier does on documents, and what its decisions cost if it has a policy."""
    import numpy as np

    from textnb.report import evaluate, evaluate_decisions

    block = 1000
    starts = range(0, len(documents), block)
    log_probabilities = np.concatenate(
        [
            classifier.predict_log_proba(documents[start : start + block])
            for start in progress(starts, len(starts), "predicting", "thousand documents", quiet)
        ]
    )
    classes = classifier.classes_.astype(np.str_)  # as corpora have them
    best = classes[log_probabilities.argmax(axis=1)]
    evaluation = evaluate(labels, best, classes, log_probabilities=log_probabilities)
    policy = getattr(classifier, "policy_", None)
    known = np.isin(labels, classes)
    if policy is None or not known.any():
        return evaluation, None
    rule, posterior = policy.rule(classifier.classes_), log_probabilities[known]
    position = {label: c for c, label in enumerate(classes.tolist())}  # "10" < "2", so the names need not be sorted
    class_ids = np.array([position[label] for label in labels[known].tolist()])
    return evaluation, evaluate_decisions(class_ids, rule.decide(posterior), rule, posterior)


def default_output(corpus: str) -> Path:
    """CORPUS.tnb in the current folder; of stdin and of a pattern, which have no name, stream.tnb."""
    if is_nameless(corpus):
        return Path("stream.tnb")
    name = Path(corpus).resolve().name
    for suffix in (".gz", ".csv", ".tsv", ".jsonl"):
        name = name.removesuffix(suffix)
    return Path(f"{name}.tnb")
