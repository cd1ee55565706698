"""The values of options: choices, and lists and numbers written as text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Model(StrEnum):
    multinomial = "multinomial"
    complement = "complement"
    bernoulli = "bernoulli"


class Weights(StrEnum):
    counts = "counts"
    binary = "binary"
    tfidf = "tfidf"
    log_tfidf = "log-tfidf"


class ModelOrAuto(StrEnum):
    multinomial = "multinomial"
    complement = "complement"
    bernoulli = "bernoulli"
    auto = "auto"


class WeightsOrAuto(StrEnum):
    counts = "counts"
    binary = "binary"
    tfidf = "tfidf"
    log_tfidf = "log-tfidf"
    auto = "auto"


class Units(StrEnum):
    word = "word"
    char = "char"
    char_wb = "char_wb"


class Unknown(StrEnum):
    ignore = "ignore"
    token = "token"


class TableFormat(StrEnum):
    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"


class Engine(StrEnum):
    local = "local"
    dask = "dask"


class Subset(StrEnum):
    train = "train"
    test = "test"
    all = "all"


AUTO = "auto"

# Options that several commands have

CorpusName = Annotated[
    str, typer.Argument(metavar="CORPUS", help="A named corpus, a folder of class folders, or .csv/.tsv/.jsonl(.gz).")
]
Alpha = Annotated[float, typer.Option(min=0, help="Smoothing; 1 is Laplace's, 0 none.")]
Ngrams = Annotated[str, typer.Option(help="Shortest and longest n-grams, such as 1,2.")]
AutoModel = Annotated[ModelOrAuto | None, typer.Option(help="Which naive Bayes, for text.")]
AutoWeights = Annotated[WeightsOrAuto | None, typer.Option(help="How terms weigh.")]
AutoAlpha = Annotated[str | None, typer.Option(help="Smoothing; 1 is Laplace's, 0 none; or auto.")]
AutoNgrams = Annotated[str | None, typer.Option(help="Shortest and longest n-grams, such as 1,2; or auto.")]
AutoMinDf = Annotated[str | None, typer.Option(help="Fewest documents a term is in, or a share like 0.01; or auto.")]
AnalyzerUnits = Annotated[Units, typer.Option(help="What n-grams are made of.")]
Tokenizer = Annotated[str | None, typer.Option(help="An nltk tokenizer, such as treebank or tweet.")]
Stemmer = Annotated[str | None, typer.Option(help="An nltk stemmer, such as porter or snowball-german.")]
StopWords = Annotated[str | None, typer.Option(help="Words to leave out: english, or a,b,c.")]
UnknownWords = Annotated[Unknown, typer.Option(help="Unknown words: ignored, or one feature.")]
MinDf = Annotated[str, typer.Option(help="Fewest documents a term is in, or a share like 0.01.")]
MaxDf = Annotated[str, typer.Option(help="Most documents a term is in, or a share.")]
MaxFeatures = Annotated[int | None, typer.Option(min=1, help="Keep only the most frequent terms.")]
Text = Annotated[str | None, typer.Option(help="The column of a table that has the text. [default: text]")]
Label = Annotated[str, typer.Option(help="The column of a table that has the class.")]
Encoding = Annotated[str | None, typer.Option(help="The encoding of files; by default found out.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; -1 for all cores.")]
Prune = Annotated[
    int | None,
    typer.Option(min=2, help="Keep so many terms at most: the rarest go to <UNK>, and nothing can be forgotten."),
]
Table = Annotated[TableFormat | None, typer.Option("--format", help="What stdin is, if its first line does not say.")]
KeepLedger = Annotated[
    bool | None,
    typer.Option(
        "--ledger/--no-ledger", help="Remember which documents were learned. [default: yes, but not of a stream]"
    ),
]
ConfusionPlot = Annotated[Path | None, typer.Option("--plot", help="Draw the confusion matrix: .png, .svg or .pdf.")]
ReliabilityPlot = Annotated[
    Path | None, typer.Option("--reliability", help="Draw how often it is right by how sure it is: .png, .svg or .pdf.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")]


def source(
    categories: str | None, strip: str, text: str | None, label: str | None, encoding: str | None, strict: bool
) -> dict[str, Any]:
    """What `open_corpus` is told, from what was written for it."""
    return {
        "categories": names(categories),
        "strip": names(strip) or (),
        "text": text,
        "label": label,
        "encoding": encoding,
        "strict": strict,
    }


def classifier_settings(
    *,
    model: str,
    weights: str,
    alpha: float | str,
    ngrams: str,
    analyzer: Units,
    tokenizer: str | None,
    stemmer: str | None,
    stop_words: str | None,
    unknown: Unknown,
    min_df: str,
    max_df: str,
    max_features: int | None,
    ledger: bool | None,
    jobs: int | None,
) -> dict[str, Any]:
    """The parameters of a classifier, from what was written for them."""
    from textnb.text.tokenize import STEMMERS, TOKENIZERS

    if analyzer != Units.word and (tokenizer or stemmer or stop_words):
        raise ValueError("--tokenizer, --stemmer and --stop-words are for words: leave them out, or --analyzer")
    if jobs == 0:
        raise ValueError("--jobs is a number of threads, or -1 for all cores, got 0")
    return {
        "model": model,
        "weights": weights,
        "alpha": smoothing(alpha),
        "ngrams": AUTO if ngrams == AUTO else ngram_range(ngrams),
        "analyzer": analyzer.value,
        "tokenizer": one_of("--tokenizer", tokenizer, TOKENIZERS),
        "stemmer": one_of("--stemmer", stemmer, STEMMERS),
        "stop_words": word_list(stop_words),
        "unknown": unknown.value,
        "min_df": AUTO if min_df == AUTO else frequency("--min-df", min_df),
        "max_df": frequency("--max-df", max_df),
        "max_features": max_features,
        "ledger": ledger,
        "n_jobs": jobs,
    }


def names(text: str | None) -> list[str] | None:
    """`a,b,c` as a list; None if not given."""
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


def one_of(option: str, text: str | None, known: Sequence[str]) -> str | None:
    """One of many names, or None."""
    if text is not None and text not in known:
        raise ValueError(f"{option} is one of {', '.join(known)}, got {text!r}")
    return text


def word_list(text: str | None) -> str | list[str] | None:
    """`english`, or a list of words; one word alone is rather the name of a language that is not there."""
    if text is None or text == "english":
        return text
    if "," not in text:
        raise ValueError(f"--stop-words takes english, or words with commas such as the,a,of, got {text!r}")
    return names(text)


def smoothing(text: float | str) -> float | str:
    """A number, 0 or more, or auto."""
    try:
        number = -1.0 if text == AUTO else float(text)
    except ValueError:
        number = float("nan")
    if text != AUTO and not 0 <= number < float("inf"):
        raise ValueError(f"--alpha is a number, 0 or more, or auto, got {text}")
    return AUTO if text == AUTO else number


def prices(texts: Sequence[str]) -> dict[tuple[str, str], float]:
    """`ham:spam=100` for each error that has a price of its own."""
    found = {}
    for text in texts:
        labels, _, number = text.rpartition("=")
        true, colon, named = labels.partition(":")
        try:
            price = float(number) if colon and true and named else float("nan")
        except ValueError:
            price = float("nan")
        if not abs(price) < 1e100:
            raise ValueError(f"--cost takes true class:class named=price, such as ham:spam=100, got {text!r}")
        found[true, named] = price
    return found


def ngram_range(text: str) -> tuple[int, int]:
    """`1,2`, or `2` for 2,2."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not 1 <= numbers[0] <= numbers[-1]:
        raise ValueError(f"--ngrams takes the shortest and the longest n-gram, such as 1,2, got {text!r}")
    return numbers[0], numbers[-1]


def frequency(option: str, text: str) -> int | float:
    """A whole number of documents, or a share of them with a decimal point."""
    try:
        number = float(text) if "." in text else int(text)
    except ValueError:
        number = -1
    if not (0 <= number <= 1 if isinstance(number, float) else number >= 1):
        raise ValueError(f"{option} takes a number of documents, or a share from 0.0 to 1.0, got {text!r}")
    return number


def place(option: str, path: Path) -> Path:
    """A file that can be written, or an error before time is spent on its content."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{option} {path}: the folder does not exist; create it, or choose another")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option} {path}: it exists and is not a regular file; choose another name")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{option} {path}: the folder may not be written to; choose another")
    return path


def check_plot(path: Path | None, option: str = "--plot") -> None:
    """Refuse a picture that could not be drawn, before time is spent on what it shows."""
    if path is not None:
        from textnb.report import check_picture

        check_picture(place(option, path))
