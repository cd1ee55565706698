"""Raw text in, labels and probabilities out: the whole pipeline in one estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from textnb.model_file import TERM_ARRAYS, check_form, file_columns, file_parts, predictor_of
from textnb.models.base import announced_classes, check_weights, class_positions, unique_classes
from textnb.models.count import NO_LIKELIHOOD, BernoulliNB, ComplementNB, MultinomialNB
from textnb.models.parts import texts_of
from textnb.predictor import Predictor
from textnb.statistics.counts import ClassCounts, count_classes
from textnb.statistics.stream import count_stream
from textnb.storage import ModelFile, open_model, write_model
from textnb.text.analyzer import Analyzer, check_ngram_range
from textnb.text.documents import as_documents, decoded
from textnb.text.learning import UNKNOWN_CHOICES, Limits, learn_vocabulary
from textnb.text.rows import Array
from textnb.text.stop_words import check_stop_words, stop_word_set
from textnb.text.term_index import TermIndex, check_term_arrays
from textnb.text.threads import check_jobs
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.vocabulary import Vocabulary
from textnb.text.weights import Weighting, check_weighting

if TYPE_CHECKING:
    from textnb.models.mixed import MixedNB

CountModel: TypeAlias = MultinomialNB | ComplementNB | BernoulliNB

MODELS = ("multinomial", "complement", "bernoulli")


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Naive Bayes on raw text.

    Parameters
    ----------
    model : {"complement", "multinomial", "bernoulli"}, default="complement"
    weights : {"log-tfidf", "tfidf", "counts", "binary"}, default="log-tfidf"
        How a document's terms weigh; "log-tfidf" takes 1 + log(tf). A Bernoulli model looks only at which occur.
    ngrams : (int, int), default=(1, 1)
        Shortest and longest runs of tokens (or characters) that become features.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
    alpha : float, default=1.0
        Smoothing: 1 is Laplace's, less is Lidstone's, 0 none.
    unknown : {"ignore", "token"}, default="ignore"
        What becomes of words outside the vocabulary: nothing, or one more feature ``<UNK>`` with an honest probability.
    calibrate : False, default=False
        Probabilities are the model's own.
    tokenizer, stemmer, lowercase, strip_accents, stop_words, token_pattern, min_df, max_df, max_features, vocabulary
        As in `textnb.CountVectorizer`.
    fit_prior, class_prior, norm
        As in the naive Bayes classes; ``norm`` is Complement's.
    n_jobs : int, default=None
        Threads to count with; no result depends on it. None takes all cores if there is much text, -1 always.

    Attributes
    ----------
    classes_ : ndarray of the class labels, sorted
    vocabulary_ : dict of terms to columns
    statistics_ : what was counted, per class
    model_ : the naive Bayes estimator derived from it

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> filter = TextClassifier().fit(["buy cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"])
    >>> filter.predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    >>> filter.top_terms(2)["spam"]
    [('cheap', 0.58...), ('watches', 0.43...)]
    """

    def __init__(
        self,
        model: str = "complement",
        weights: str = "log-tfidf",
        ngrams: tuple[int, int] = (1, 1),
        analyzer: str | Callable[[Any], Iterable[Any]] = "word",
        alpha: float = 1.0,
        unknown: str = "ignore",
        calibrate: bool = False,
        *,
        tokenizer: str | Callable[[str], Iterable[Any]] | None = None,
        stemmer: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        strip_accents: str | Callable[[str], str] | None = None,
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str = DEFAULT_TOKEN_PATTERN,
        min_df: float | int = 1,
        max_df: float | int = 1.0,
        max_features: int | None = None,
        vocabulary: Any = None,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.weights = weights
        self.ngrams = ngrams
        self.analyzer = analyzer
        self.alpha = alpha
        self.unknown = unknown
        self.calibrate = calibrate
        self.tokenizer = tokenizer
        self.stemmer = stemmer
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.n_jobs = n_jobs

    def fit(self, texts: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from documents and their labels."""
        documents, labels = _check_training(texts, y, stream=self._adds_up())
        classes, class_ids = unique_classes(labels)
        return self._learn_first(documents, class_ids, classes, check_weights(sample_weight, len(labels)))

    def partial_fit(self, texts: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more documents. The first call announces all classes, and fixes the vocabulary and idf."""
        first = not hasattr(self, "predictor_")
        known = announced_classes(classes, None if first else self.classes_)
        documents, labels = _check_training(texts, y)
        class_ids = class_positions(labels, known)
        document_weights = check_weights(sample_weight, len(labels))
        if first:
            return self._learn_first(documents, class_ids, known, document_weights)
        self._check_parameters()
        self._check_unchanged()
        fitted = self.predictor_
        rows = fitted.weighting.apply(fitted.count(documents))
        more = count_classes(rows, class_ids, known, document_weights)
        return self._assemble(fitted.analyzer, fitted.vocabulary, fitted.weighting, self.statistics_ + more)

    def predict(self, texts: Any) -> Array:
        """The most probable class of every document."""
        check_is_fitted(self)
        return self.predictor_.predict(texts)

    def predict_proba(self, texts: Any) -> Array:
        """P(c | document) of every document and class, (n, n_classes)."""
        return np.exp(self.predict_log_proba(texts))

    def predict_log_proba(self, texts: Any) -> Array:
        """log P(c | document) of every document and class, (n, n_classes)."""
        check_is_fitted(self)
        return self.predictor_.log_proba(texts)

    def top_terms(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """For each class, the terms that speak most for it, with their weights.

        A term's weight is what a unit of it adds to the class's score beyond what it adds, on average, to the others'.
        """
        check_is_fitted(self)
        if n < 0:
            raise ValueError(f"n must be 0 or more, got {n}")
        weights = np.asarray(self.predictor_.rule.weights)
        others = max(len(self.classes_) - 1, 1)
        total = weights.sum(axis=1)
        names = self.predictor_.column_names()
        found = {}
        for c, label in enumerate(self.classes_.tolist()):
            lead = weights[:, c] - (total - weights[:, c]) / others
            best = np.lexsort((np.arange(len(lead)), -lead))[:n]
            found[label] = [(names[j], float(lead[j])) for j in best]
        return found

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Terms to columns."""
        terms = self.predictor_.vocabulary.terms()
        return dict(zip(terms, range(len(terms)), strict=True))

    @property
    def model_(self) -> CountModel:
        """The naive Bayes estimator on the vocabulary's columns, derived from ``statistics_``."""
        return _new_model(self._fitted_with).set_statistics(self.statistics_)

    def log_likelihood(self, texts: Any) -> Array:
        """log P(document | c) of every document and class, the prior left out, (n, n_classes)."""
        check_is_fitted(self)
        if self._fitted_with["model"] == "complement":
            raise ValueError(NO_LIKELIHOOD)
        return self.predictor_.log_likelihood(texts)

    def sample(self, n: int, random_state: Any = None, *, length: Any = None) -> tuple[list[str], Array]:
        """n documents that the model could have produced, and their classes: (texts, labels).

        Words stand in the order of the vocabulary: a model of counts knows no other. A multinomial model needs the
        `length` of the documents; complement and tf-idf models cannot be drawn from, and say so.
        """
        check_is_fitted(self)
        if self.predictor_.weighting.idf is not None:
            raise ValueError("cannot sample: tf-idf weights are no counts of words. Use weights='counts' or 'binary'.")
        model = self.model_
        options = {} if length is None or isinstance(model, BernoulliNB) else {"length": length}
        counts, labels = model.sample(n, random_state, **options)
        return texts_of(counts, np.array(self.predictor_.column_names(), dtype=object)), labels

    def save(self, path: Any) -> None:
        """Write the model to a file that `textnb.load` and the command line read: data only, no code."""
        check_is_fitted(self)
        columns = file_columns(self.predictor_)
        arrays, settings = file_parts(self.predictor_, columns)
        arrays["totals"] = self.statistics_.totals.T[columns]
        arrays["documents"] = self.statistics_.documents
        write_model(path, arrays, settings | {"parameters": _plain_parameters(self._fitted_with)})

    def _learn_first(self, documents: Iterable[str], class_ids: Array, classes: Array, weights: Array | None) -> Self:
        self._check_parameters()
        analyzer = self._analyzer()
        check_stop_words(analyzer)
        limits = Limits(self.min_df, self.max_df, self.max_features)
        unknown = self.unknown == "token"
        if self._adds_up():
            vocabulary, statistics = count_stream(
                documents, class_ids, classes, weights, analyzer, limits, unknown=unknown, n_jobs=self.n_jobs
            )
            return self._assemble(analyzer, vocabulary, Weighting("counts"), statistics)
        vocabulary, rows = learn_vocabulary(
            documents,
            analyzer,
            given=None if self.vocabulary is None else Vocabulary(self.vocabulary),
            limits=limits,
            unknown=self.unknown,
            n_jobs=self.n_jobs,
        )
        weighting = Weighting.fitted("binary" if self.model == "bernoulli" else self.weights, rows)
        statistics = count_classes(weighting.apply(rows), class_ids, classes, weights)
        return self._assemble(analyzer, vocabulary, weighting, statistics)

    def _adds_up(self) -> bool:
        """Whether documents can be counted block by block: plain counts of a vocabulary that is not given."""
        return self.weights == "counts" and self.model != "bernoulli" and self.vocabulary is None

    def _assemble(
        self,
        analyzer: Analyzer,
        vocabulary: Vocabulary | TermIndex,
        weighting: Weighting,
        statistics: ClassCounts,
    ) -> Self:
        parameters = self.get_params(deep=False)
        model = _new_model(parameters).set_statistics(statistics)
        self.predictor_ = Predictor(
            analyzer=analyzer,
            vocabulary=vocabulary,
            unknown=self.unknown == "token",
            weighting=weighting,
            rule=model.rule_,
            log_prior=model.class_log_prior_,
            prior_in_joint=self.model != "complement" or len(statistics.classes) == 1,
            classes=statistics.classes,
            n_jobs=self.n_jobs,
        )
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self._fitted_with = parameters  # whatever is set later, this is what was fitted, and what is saved
        return self

    def _analyzer(self) -> Analyzer:
        return Analyzer(
            kind=self.analyzer,
            ngrams=self.ngrams,
            lowercase=self.lowercase,
            strip_accents=self.strip_accents,
            tokenizer=self.tokenizer,
            token_pattern=self.token_pattern,
            stop_words=stop_word_set(self.stop_words) if self.analyzer == "word" else None,
            stemmer=self.stemmer,
        )

    def _check_parameters(self) -> None:
        if self.model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(MODELS)}, got {self.model!r}")
        check_weighting(self.weights)
        if self.unknown not in UNKNOWN_CHOICES:
            raise ValueError(f"unknown must be one of {', '.join(UNKNOWN_CHOICES)}, got {self.unknown!r}")
        if not isinstance(self.alpha, Real):
            raise ValueError(f"alpha must be a number, 0 or more, got {self.alpha!r}")
        check_jobs(self.n_jobs)
        if self.calibrate:
            raise ValueError(f"calibrate must be False: this version does not calibrate, got {self.calibrate!r}")

    def _check_unchanged(self) -> None:
        """Only how the model is derived from its counts may change between calls of `partial_fit`."""
        now = self.get_params(deep=False)
        for name, value in self._fitted_with.items():
            if name not in ("alpha", "fit_prior", "class_prior", "norm", "n_jobs") and not _equal(now[name], value):
                raise ValueError(
                    f"{name} was {value!r} in fit and cannot become {now[name]!r} in partial_fit: fit anew"
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def load(path: Any) -> TextClassifier | MixedNB:
    """The classifier of a model file. All of the file is verified first; nothing in it is ever executed."""
    file = open_model(path, verify="all")
    if file.settings.get("kind") == "mixed":
        from textnb.mixed_file import mixed_of

        return mixed_of(file)
    predictor = predictor_of(file, whole=True)
    try:
        check_term_arrays(*map(file.array, TERM_ARRAYS))
    except ValueError as error:
        raise file.damaged(str(error)) from None
    classifier = _of_parameters(file)
    statistics = _statistics(file, predictor)
    if classifier.vocabulary is not None:
        classifier.vocabulary = predictor.vocabulary.terms()
    classifier.predictor_ = predictor
    classifier.statistics_ = statistics
    classifier.classes_ = predictor.classes
    classifier._fitted_with = classifier.get_params(deep=False)
    return classifier


def _new_model(parameters: dict[str, Any]) -> CountModel:
    common = {name: parameters[name] for name in ("alpha", "fit_prior", "class_prior")}
    if parameters["model"] == "complement":
        return ComplementNB(norm=parameters["norm"], **common)
    return {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}[parameters["model"]](**common)


def _equal(a: Any, b: Any) -> bool:
    return a is b or bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def _plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """The constructor's parameters as JSON has them; of a given vocabulary only that there was one."""
    plain = {name: _plain(value) for name, value in parameters.items()}
    plain["vocabulary"] = None if parameters["vocabulary"] is None else "given"
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _of_parameters(file: ModelFile) -> TextClassifier:
    parameters = file.settings.get("parameters")
    known = TextClassifier().get_params()
    if not isinstance(parameters, dict) or not parameters.keys() <= known.keys():  # a later textnb may know more
        raise file.damaged("its setting 'parameters' is missing or wrong")
    restored = TextClassifier(**parameters)
    try:
        restored.ngrams = check_ngram_range(restored.ngrams)
        restored._check_parameters()
        Limits(restored.min_df, restored.max_df, restored.max_features)
        restored._analyzer()
    except (TypeError, ValueError) as error:
        raise file.damaged(f"its parameters cannot be understood ({error})") from None
    return restored


def _statistics(file: ModelFile, predictor: Predictor) -> ClassCounts:
    totals, documents = file.array("totals"), file.array("documents")
    for name, array, shape in (
        ("totals", totals, (predictor.n_columns, len(predictor.classes))),
        ("documents", documents, (len(predictor.classes),)),
    ):
        check_form(file, name, array, shape, array.dtype.str if array.dtype.kind in "if" else "<i8")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise file.damaged(f"array {name!r} has negative or infinite counts")
    return ClassCounts(predictor.classes, documents, totals.T)


def _check_training(texts: Any, y: Any, *, stream: bool = False) -> tuple[Iterable[str], Array]:
    """Documents and their labels; an iterator of documents is left one if a stream is wanted."""
    if y is None:
        raise ValueError("TextClassifier requires y to be passed, but the target y is None: pass a label a document")
    labels = column_or_1d(y, warn=True)
    documents: Iterable[str] = decoded(as_documents(texts))
    if not (stream and isinstance(texts, Iterator)):
        documents = list(documents)
        if not documents:
            raise ValueError("Found array with 0 sample(s): there are no documents to learn from")
        check_consistent_length(documents, labels)
    try:
        check_classification_targets(labels)
    except TypeError as error:
        raise ValueError(f"labels must be strings, numbers or booleans, all of one kind ({error})") from None
    return documents, labels
