"""What all vectorizers share: how a document of the user's is read, decoded and cut into its terms."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from textnb.text.analyzer import Analyzer, check_stop_words, stop_word_set
from textnb.text.documents import as_documents, decode_document, decoded
from textnb.text.threads import check_jobs
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN


class DocumentAnalysis:
    """The parameters of a vectorizer that say how documents become terms, and what follows from these alone."""

    input: str
    encoding: str
    decode_error: str
    strip_accents: str | Callable[[str], str] | None
    lowercase: bool
    preprocessor: Callable[[Any], str] | None
    tokenizer: str | Callable[[str], Iterable[Any]] | None
    stop_words: str | Iterable[str] | None
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: str | Callable[[Any], Iterable[Any]]
    stemmer: str | Callable[[str], str] | None
    n_jobs: int | None

    def build_preprocessor(self) -> Callable[[Any], str]:
        """The function that normalises a document before it is tokenized."""
        return self.preprocessor or self._analyzer().preprocess

    def build_tokenizer(self) -> Callable[[str], Iterable[Any]]:
        """The function that splits a normalised document into tokens."""
        return self._analyzer().tokenize

    def build_analyzer(self) -> Callable[[Any], Iterable[Any]]:
        """The function from a document, decoded if it is bytes, to its terms."""
        analyzer = self._analyzer()
        check_stop_words(analyzer)
        return partial(_decode_and_analyze, self.decode, analyzer)

    def get_stop_words(self) -> frozenset[str] | None:
        """The stop words in force."""
        return stop_word_set(self.stop_words)

    def decode(self, doc: Any) -> str:
        """A document as a string: read if it is a file or its name, decoded if it is bytes."""
        return decode_document(self._read(doc), None, *self._decoding)

    @property
    def _decoding(self) -> tuple[str, str]:
        """Encoding and errors of bytes; messages say themselves how their parts are encoded."""
        return ("utf-8", "surrogateescape") if self.analyzer == "mail" else (self.encoding, self.decode_error)

    def _read(self, doc: Any) -> Any:
        if self.input == "filename":
            return Path(doc).read_bytes()
        return doc.read() if self.input == "file" else doc

    def _analyzer(self) -> Analyzer:
        words = self.analyzer == "word"
        return Analyzer(
            kind=self.analyzer,
            ngrams=self.ngram_range,
            lowercase=self.lowercase,
            strip_accents=self.strip_accents or None,
            preprocessor=self.preprocessor,
            tokenizer=self.tokenizer,
            token_pattern=self.token_pattern,
            stop_words=self.get_stop_words() if words else None,
            stemmer=self.stemmer,
        )

    def _documents(self, raw_documents: Any) -> Iterable[Any]:
        documents: Iterable[Any] = as_documents(raw_documents)
        if self.input != "content":
            documents = map(self._read, documents)
        only_tokenized = callable(self.tokenizer) and not self.lowercase and not self.strip_accents
        if callable(self.analyzer) or self.preprocessor is not None or only_tokenized:  # documents of any kind
            return (self._decode_lenient(document, i) for i, document in enumerate(documents))
        return decoded(documents, *self._decoding)

    def _decode_lenient(self, document: Any, position: int) -> Any:
        refused = document is None or (isinstance(document, float) and document != document)
        if refused or isinstance(document, bytes):
            return decode_document(document, position, *self._decoding)
        return document

    def _check_analysis(self) -> None:
        check_choice("input", self.input, ("filename", "file", "content"))
        check_choice("decode_error", self.decode_error, ("strict", "ignore", "replace"))
        check_jobs(self.n_jobs)
        self._analyzer()

    def _warn_for_unused_params(self) -> None:
        own_pattern = self.token_pattern not in (None, DEFAULT_TOKEN_PATTERN)
        unused: list[tuple[str, Any, str]] = []  # a parameter, whether it is set, and why it does nothing
        if self.tokenizer is not None:
            is_set = own_pattern or (callable(self.tokenizer) and self.token_pattern)
            unused += [("token_pattern", is_set, "'tokenizer' is not None'")]
        if callable(self.analyzer):
            by_user = {"preprocessor": self.preprocessor is not None, "ngram_range": tuple(self.ngram_range) != (1, 1)}
            unused += [(name, is_set, "'analyzer' is callable'") for name, is_set in by_user.items()]
        if self.analyzer != "word":
            of_words = {name: getattr(self, name) is not None for name in ("stop_words", "tokenizer", "stemmer")}
            of_words["token_pattern"] = own_pattern
            unused += [(name, is_set, "'analyzer' != 'word'") for name, is_set in of_words.items()]
        for name, is_set, reason in unused:
            if is_set:
                warnings.warn(f"The parameter '{name}' will not be used since {reason}", stacklevel=4)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _decode_and_analyze(decode: Callable[[Any], str], analyzer: Analyzer, document: Any) -> Iterable[Any]:
    return analyzer(decode(document))


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
