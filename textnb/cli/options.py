"""Options that several commands have, and their values: lists and numbers written as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textnb.cli.output import announce_terminal
from textnb.cli.parameters import Argument, Option
from textnb.corpora.files import STDIN, corpus_format, is_table, matching_paths
from textnb.corpora.labelled import LabelledSources, check_complete, has_labels, label_and_path

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions
    from textnb.workflow import LabelledDocuments


AUTO, BEST = "auto", "best"
PACKED_OR_TABLE = (
    *(".gz", ".xz", ".bz2", ".tgz", ".tar", ".zip", ".txt"),
    *(".csv", ".tsv", ".jsonl", ".json", ".ft", ".parquet", ".arrow", ".feather"),
)

CorpusWords = Annotated[
    list[str],
    Argument(
        metavar="CORPUS",
        help="A named corpus, a table, or a folder of class folders or of tables, also packed; or LABEL=PATH for each "
        "of several mailboxes, folders and files.",
    ),
]
ModelFile = Annotated[Path, Argument(metavar="MODEL", help="A model file.")]
ChangedModel = Annotated[Path, Argument(metavar="MODEL", help="A model file, which is changed.")]
LabelledFiles = Annotated[
    list[str] | None,
    Argument(
        metavar="FILE",
        help="With --label, documents, one per file, mailboxes, folders of them, - or none for stdin; without, "
        "labelled ones, as for `train`.",
    ),
]
ClassOfAll = Annotated[str | None, Option("--label", help="The class of the documents.")]
LabelledLines = Annotated[bool, Option("--lines", help="With --label, each line of the input is a document.")]
ModelText = Annotated[
    str | None, Option("--text", help="The column of a table that has the text. [default: the model's own]")
]
ModelLabel = Annotated[
    str | None, Option("--label", help="The column of a table that has the class. [default: the model's own]")
]
LabelColumn = Annotated[str | None, Option(help="The column of a table that has the class. [default: the model's own]")]
EncodingOfTables = Annotated[
    str | None, Option("--encoding", help="The encoding of tables and folders; detected by default.")
]
Alpha = Annotated[float, Option(min=0, help="Smoothing; 1 is Laplace's, 0 none.")]
Ngrams = Annotated[str, Option(help="Shortest and longest n-grams, such as 1,2.")]
AutoAlpha = Annotated[str | None, Option(help="Smoothing; 1 is Laplace's, 0 none; or auto.")]
AutoNgrams = Annotated[str | None, Option(help="Shortest and longest n-grams, such as 1,2; or auto.")]
AutoMinDf = Annotated[str | None, Option(help="Fewest documents a term is in, or a share like 0.01; or auto.")]
AnalyzerUnits = Annotated[
    Literal["word", "char", "char_wb", "mail"] | None,
    Option(help="What n-grams are made of; mail reads documents as messages. [default: mail for mail, else word]"),
]
Assumed = Annotated[
    float | None,
    Option(help="robinson, fisher, log-odds: what is assumed of a word not seen, from 0 to 1. [default: 0.5]"),
]
MinDeviation = Annotated[
    float | None,
    Option(
        help="robinson, fisher, log-odds: how far from 0.5 the probability of a word must be for it to count. "
        "[default: 0.375, or chosen with the model]"
    ),
]
MostTerms = Annotated[
    int | None,
    Option(
        min=1,
        help="robinson, fisher, log-odds: at most how many words of a document count. [default: all that "
        "--min-deviation lets count]",
    ),
]
Cost = Annotated[
    str | None,
    Option("--C", help="nbsvm, nblr: what errors cost, a number above 0, or auto. [default: chosen by folds]"),
]
Beta = Annotated[
    str | None,
    Option(
        help="nbsvm, nblr: how far weights may be from their mean, 0 (naive Bayes) to 1, or auto. [default: chosen "
        "by folds]"
    ),
]
Best = Annotated[
    bool,
    Option(
        "--best",
        help="Try linear models too, which can neither learn nor forget, and take the best; short for --model best.",
    ),
]
ObjectiveOfChoice = Annotated[
    Literal["accuracy", "macro-f1", "log-loss", "auc", "caught"] | None,
    Option(
        "--objective",
        help="What to choose by; auc: the mean over classes; caught: the share of one class that is caught, on average "
        "where 0 to 1 % of the rest are lost. [default: caught with --positive, and for mail of two classes, one of "
        "them called spam; else accuracy]",
    ),
]
PositiveOfChoice = Annotated[
    str | None,
    Option("--positive", metavar="CLASS", help="The class that is to be caught. [default: the one named spam]"),
]
MailParts = Annotated[
    Literal["all", "no-source", "body"] | None,
    Option("--mail", help="What is read of messages: all, all but what tells where they were collected, or the body."),
]
AnalyzerOfMail = Annotated[
    Literal["word", "mail"] | None,
    Option(help="How documents are read: as plain text, or as messages. [default: mail for mail, else word]"),
]
AnalyzerOfStarted = Annotated[
    Literal["word", "mail"] | None,
    Option("--analyzer", help="What a model that is started counts. [default: mail for mail, else word]"),
]
Tokenizer = Annotated[
    str | None,
    Option(help="unicode (words of any script), punctuation (with its marks as words), or nltk's, such as treebank."),
]
Stemmer = Annotated[str | None, Option(help="An nltk stemmer, such as porter or snowball-german.")]
StopWords = Annotated[str | None, Option(help="Words to leave out: english, or a,b,c.")]
UnknownWords = Annotated[Literal["ignore", "token"], Option(help="Unknown words: ignored, or one feature.")]
MinDf = Annotated[str, Option(help="Fewest documents a term is in, or a share like 0.01.")]
MaxDf = Annotated[str, Option(help="Most documents a term is in, or a share.")]
MaxFeatures = Annotated[int | None, Option(min=1, help="Keep only the most frequent terms.")]
Categories = Annotated[str | None, Option(help="Only these classes: a,b,c.")]
Strip = Annotated[str, Option(help="20news: leave out headers,footers,quotes.")]
SubsetOf = Annotated[
    Literal["train", "test", "all"] | None,
    Option("--subset", help="Which part. [default: test if the corpus has one, else all]"),
]
IncludeLearned = Annotated[
    bool, Option("--all", help="Evaluate on documents that the model has learned, too; that flatters.")
]
Text = Annotated[str | None, Option(help="The column of a table that has the text. [default: text]")]
Label = Annotated[str, Option(help="The column of a table that has the class.")]
Groups = Annotated[
    str | None,
    Option(
        "--groups",
        metavar="COLUMN",
        help="The column of a table that says which documents belong together: no split divides them.",
    ),
]
Encoding = Annotated[str | None, Option(help="The encoding of files; detected by default.")]
Jobs = Annotated[int | None, Option(help="Threads; -1 for all cores.")]
Prune = Annotated[
    int | None,
    Option(min=2, help="Keep at most this many terms: the rarest go to <UNK>, and nothing can be forgotten."),
]
TableFormat = Literal["csv", "tsv", "jsonl", "json", "fasttext"]
Table = Annotated[
    TableFormat | None,
    Option("--format", help="What stdin is, if its first line does not say."),
]
StdinTable = Annotated[
    TableFormat | None,
    Option("--format", help="Stdin is a table of this kind. [default: by its header]"),
]
KeepLedger = Annotated[
    bool | None,
    Option("--ledger/--no-ledger", help="Remember which documents were learned. [default: yes, but not of a stream]"),
]
ConfusionPlot = Annotated[Path | None, Option("--plot", help="Draw the confusion matrix: .png, .svg or .pdf.")]
ReliabilityPlot = Annotated[
    Path | None, Option("--reliability", help="Draw the reliability diagram: .png, .svg or .pdf.")
]
Overwrite = Annotated[
    bool,
    Option("--overwrite", help="Write even over an input, another kind of file, or a model that knows more."),
]
NoText = Annotated[
    bool, Option("--no-text", help="Leave all texts and words, which may be private, out of the report.")
]
Prior = Annotated[
    list[str] | None,
    Option(
        "--prior",
        metavar="CLASS=SHARE,…",
        help="How common the classes are where documents come from, such as spam=0.2,ham=0.8. [default: as common as "
        "in what the model was trained on]",
    ),
]
Strict = Annotated[bool, Option("--strict", help="Stop at the first document that cannot be read.")]
AsJson = Annotated[bool, Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress and no notices.")]


def read_options(
    text: str | None,
    label: str | None,
    encoding: str | None,
    strict: bool,
    *,
    categories: str | None = None,
    strip: str = "",
    table: str | None = None,
    groups: str | None = None,
) -> ReadOptions:
    """The `ReadOptions` of a command."""
    from textnb.corpora.rows import ReadOptions

    return ReadOptions(
        text=text,
        label=label or "label",
        categories=name_list(categories),
        strip=name_list(strip) or (),
        encoding=encoding,
        groups=groups,
        format=table,
        strict=strict,
    )


def options_of_tables(
    text: str | None, table: str | None, encoding: str | None, strict: bool, *, whole: bool
) -> ReadOptions | None:
    """How to read tables, if that is said; refused where there are none, since lines or files are `whole` documents."""
    given = {"--text": text, "--format": table, "--encoding": encoding}
    for option, value in given.items():
        if whole and value is not None:
            raise ValueError(f"{option} is for the rows of tables: leave it out, or --lines and --as-document")
    return read_options(text, None, encoding, strict, table=table) if any(given.values()) else None


def classifier_settings(written: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `TextClassifier`, from the options of a command."""
    from textnb.text.tokenize import STEMMERS, TOKENIZERS

    are_words = any(written[name] for name in ("tokenizer", "stemmer", "stop_words"))
    if are_words and (written["analyzer"] not in (None, "word") or written["mail"] is not None):
        other = "--analyzer" if written["mail"] is None else "--mail"
        raise ValueError(f"--tokenizer, --stemmer and --stop-words are for words: leave them out, or {other}")
    if written["jobs"] == 0:
        raise ValueError("--jobs is a number of threads, or -1 for all cores, got 0")
    settings = {
        "tokenizer": one_of("--tokenizer", written["tokenizer"], TOKENIZERS),
        "stemmer": one_of("--stemmer", written["stemmer"], STEMMERS),
        "stop_words": word_list(written["stop_words"]),
        "unknown": written.get("unknown", "ignore"),
        "max_df": frequency("--max-df", written["max_df"]),
        "max_features": written["max_features"],
        **{name: written.get(name) for name in ("assumed", "min_deviation", "most_terms", "objective", "positive")},
        "ledger": written.get("ledger"),
        "n_jobs": written["jobs"],
    }
    settings |= {name: written[name] for name in ("analyzer", "mail") if written[name] is not None}
    parsers: dict[str, Callable[[Any], Any]] = {
        "model": str,
        "weights": str,
        "alpha": smoothing,
        "ngrams": ngram_range,
        "min_df": partial(frequency, "--min-df"),
        "C": partial(above_zero, "--C"),
        "beta": partial(share, "--beta"),
    }
    given = {name: written[name] for name in parsers if written.get(name) is not None}
    if written.get("best"):
        if given.get("model", AUTO) not in (AUTO, BEST):
            raise ValueError(f"--best chooses the model: leave it out, or --model {given['model']}")
        given["model"] = BEST
    return settings | {name: value if value in (AUTO, BEST) else parsers[name](value) for name, value in given.items()}


def name_list(text: str | None) -> list[str] | None:
    """`a,b,c` as a list; None if not given."""
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


def one_of(option: str, text: str | None, known: Sequence[str]) -> str | None:
    if text is not None and text not in known:
        raise ValueError(f"{option} is one of {', '.join(known)}, got {text!r}")
    return text


def word_list(text: str | None) -> str | list[str] | None:
    """`english`, or a list of words; one word alone is rather the name of a language that is not there."""
    if text is None or text == "english":
        return text
    if "," not in text:
        raise ValueError(f"--stop-words takes english, or words with commas such as the,a,of, got {text!r}")
    return name_list(text)


def smoothing(text: float | str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise ValueError(f"--alpha is a number, 0 or more, or auto, got {text}")
    return number


def above_zero(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError(f"{option} is a number above 0, or auto, got {text}")
    return number


def share(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ValueError(f"{option} is a number from 0 to 1, or auto, got {text}")
    return number


def prices(texts: Sequence[str]) -> dict[tuple[str, str], float]:
    """`ham:spam=100` for each error that has a price of its own."""
    costs = {}
    for text in texts:
        labels, _, number = text.rpartition("=")
        true, colon, named = labels.partition(":")
        try:
            price = float(number) if colon and true and named else float("nan")
        except ValueError:
            price = float("nan")
        if not abs(price) < 1e100:
            raise ValueError(f"--cost takes true class:class named=price, such as ham:spam=100, got {text!r}")
        costs[true, named] = price
    return costs


def shares(texts: Sequence[str] | None) -> dict[str, float] | None:
    """`spam=0.2,ham=0.8`, written at once or class by class; None if not given."""
    if not texts:
        return None
    found: dict[str, float] = {}
    for text in texts:
        label = ""
        for part in text.split(","):  # which the name of a class may have in it
            name, equals, number = f"{label}{part}".rpartition("=")
            try:
                share = float(number) if equals and name else None
            except ValueError:
                share = None
            label = "" if share is not None else f"{label}{part},"
            if share is None:
                continue
            if name.strip() in found:
                raise ValueError(f"--prior gives {name.strip()!r} two shares")
            found[name.strip()] = share
        if label:
            raise ValueError(f"--prior takes every class with its share, such as spam=0.2,ham=0.8, got {text!r}")
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


def given_files(files: list[str] | None) -> list[str]:
    """The files that words of a command name, which may be patterns; stdin without any."""
    return [path for word in files or [STDIN] for path in sorted(matching_paths(word))]


def one_corpus(words: list[str]) -> str | LabelledSources:
    """The same as `given_corpus`, of a corpus that is no stream of several files."""
    return given_corpus(words if has_labels(words) else given_files(words))


def given_corpus(words: list[str]) -> str | LabelledSources:
    """What the words of a command name: one corpus, or sources with their classes."""
    if has_labels(words):
        return LabelledSources(words)
    check_complete(words[0])
    if len(words) > 1:
        raise ValueError(f"give one corpus, or each source with its class, as LABEL={words[0]} LABEL={words[1]}")
    return words[0]


def refuse_classes(files: list[str]) -> None:
    """Refuse LABEL=PATH where documents are to be classified, if there is such a path."""
    for word in files:
        parts = label_and_path(word)
        if parts is not None and (parts[1] == STDIN or os.path.lexists(matching_paths(parts[1])[0])):
            raise ValueError(
                f"{word} is given with its class, and classes are what the model says of documents: give "
                f"{parts[1]}. To compare the two, `textnb evaluate` takes {word}"
            )


def default_output(corpus: str | LabelledSources) -> Path:
    """CORPUS.tnb in the current folder; of what has no name mail.tnb if it is mail, and otherwise stream.tnb."""
    from textnb.corpora.stream import is_nameless

    if isinstance(corpus, LabelledSources):
        return Path("mail.tnb" if True in corpus.kinds else "labelled.tnb")
    if is_nameless(corpus):
        return Path("stream.tnb")
    name = Path(os.path.realpath(corpus)).name
    for suffix in PACKED_OR_TABLE:
        name = name[: -len(suffix)] if name.lower().endswith(suffix) else name
    return Path(f"{name}.tnb")


def writable_path(option: str, path: Path) -> Path:
    """A path that can be written to; otherwise an error, before any work is done."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{option} {path}: the folder does not exist; create it, or choose another")
    if Path(os.path.realpath(path)).is_symlink():
        raise ValueError(f"{option} {path}: it is a link that leads to itself; choose another name")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option} {path}: it exists and is not a regular file; choose another name")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{option} {path}: the folder may not be written to; choose another")
    return path


def check_distinct(**paths: Path | None) -> None:
    """Refuse to write two things to one file."""
    options: dict[Path, str] = {}
    for option, path in paths.items():
        if path is not None and (other := options.setdefault(Path(os.path.realpath(path)), option)) != option:
            raise ValueError(f"--{other} and --{option} are two files: give them two names, not {path}")


def check_plots(overwrite: bool, **paths: Path | None) -> None:
    """Refuse pictures that cannot be drawn, or would be drawn over something else, before any work is done."""
    check_distinct(**paths)
    for option, path in paths.items():
        if path is not None:
            from textnb.report.plots import check_picture
            from textnb.workflow.outputs import check_picture_file

            check_picture(writable_path(f"--{option}", path))
            check_picture_file(path, overwrite=overwrite)


def check_report(option: str, path: Path | None, inputs: Sequence[object], overwrite: bool) -> None:
    """Refuse a report that cannot be written, or would be over something else, before any work is done."""
    if path is not None:
        from textnb.workflow.outputs import check_report_file

        check_report_file(writable_path(option, path), inputs, overwrite=overwrite)


def read_labelled(
    model: Path,
    files: list[str] | None,
    label: str | None,
    lines: bool,
    text: str | None,
    label_column: str | None,
    encoding: str | None,
    strict: bool,
    quiet: bool,
    **started: str | None,
) -> LabelledDocuments:
    """The documents of `learn` and `forget`: of one class by --label, or of tables, folders and corpora.

    `started` are the analyzer of a model that is to be started, and what it reads of mail.
    """
    from shlex import quote

    from textnb.workflow.updating import labelled_corpora, labelled_messages, labelled_sources

    if files and has_labels(files):
        if label is not None or lines or label_column is not None:
            option = "--label" if label is not None else "--lines" if lines else "--label-column"
            raise ValueError(f"{option} and sources with their class, such as {files[0]}, exclude each other")
        return labelled_sources(files, read_options(text, None, encoding, strict), model=model, **started)
    files = given_files(files)
    if label is not None:
        refuse_tables(files, label, lines, {"--text": text, "--label-column": label_column, "--encoding": encoding})
        announce_terminal(files, quiet)
        return labelled_messages(files, label, lines=lines, strict=strict, model=model, **started)
    check_complete(files[0])
    if files == ["-"] or lines:
        raise ValueError("which class are the documents of? Give --label, or labelled documents: a table or a folder")
    for file in files:
        if Path(file).is_file() and corpus_format(file) is None:
            raise ValueError(f"which class is {file} of? Give --label, as in --label spam {quote(file)}")
    return labelled_corpora(
        files, read_options(text, None, encoding, strict), model=model, label=label_column, **started
    )


def refuse_tables(files: list[str], label: str, lines: bool, options_of_tables: dict[str, str | None]) -> None:
    """Refuse what was meant as a table of many documents: with --label, each file is one document."""
    if not label:
        raise ValueError("--label is empty: give the name of a class")
    for option, value in options_of_tables.items():
        if value is not None:
            raise ValueError(
                f"{option} is for labelled documents, and with --label each file is one document of that class: "
                "leave one of them out. The column of a table that has the class is --label-column"
            )
    for file in files:
        if is_table(file) and not lines:
            raise ValueError(
                f"{file} is a table, and with --label each file is one document: leave --label out, and name the "
                "columns by --text and --label-column. If it is a document, give it on stdin"
            )
