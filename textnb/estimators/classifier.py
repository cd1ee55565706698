"""Raw text in, labels and probabilities out: the whole pipeline in one estimator."""

from __future__ import annotations

import warnings
from numbers import Number
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from textnb.arrays import Array
from textnb.estimators.base import check_weights
from textnb.estimators.count import BernoulliNB, CountModel, count_model
from textnb.estimators.parts import texts_of
from textnb.estimators.text_model import TextModel, are_equal, open_fitted_model
from textnb.likelihood.families import family
from textnb.model.derive import fix_vocabulary
from textnb.model.learner import REFIT
from textnb.model.settings import dropped_in_merge, merged_record
from textnb.statistics.counts import ClassCounts, announced_classes, check_labels, class_positions

if TYPE_CHECKING:
    from textnb.estimators.mixed import MixedNB


class TextClassifier(ClassifierMixin, BaseEstimator, TextModel):
    """Naive Bayes on raw text.

    Parameters
    ----------
    model : {"complement", "multinomial", "bernoulli", "robinson", "fisher", "log-odds", "nbsvm", "nblr", "auto", \
"best"}, default=None
        Which naive Bayes; "robinson", "fisher" and "log-odds" combine the terms that clearly speak for a class, as
        filters of mail do. "nbsvm" and "nblr" are linear models, a support vector machine and logistic regression, of
        features that naive Bayes has scaled (Wang & Manning 2012): mostly more accurate, but fitted to all documents at
        once, so that they can neither learn nor forget. Their weights, n-grams and min_df are log-tfidf, (1, 2) and 2
        where they are left out. "best" chooses naive Bayes as "auto" does, then a linear model by folds, and takes the
        one that is better by the same folds: what naive Bayes alone can do, learn and forget, is given up where a
        linear model is. Where this, `weights`, `ngrams`, `min_df` and `alpha` are all left out, `fit` chooses the five
        by leave-one-out, which takes many times as long as the fit itself, and what terms are made of, if nothing says
        it. Where any is given, the others are complement, log-tfidf, (1, 1), 1 and 1, or of mail robinson, binary,
        (1, 1), 1 and 0.0178: ``TextClassifier(model="complement")`` is quick. "auto" chooses single ones. Nothing is
        chosen, unless "auto" asks for it, from fewer than 50 documents, fewer than two classes, fewer than two
        documents a class on average or an iterator, nor by `partial_fit` and `learn`.
    weights : {"log-tfidf", "tfidf", "counts", "binary", "auto"}, default=None
        How a document's terms weigh; "log-tfidf" takes 1 + log(tf). A Bernoulli model looks only at which occur.
    ngrams : (int, int) or "auto", default=None
        Shortest and longest runs of tokens (or characters) that become features.
    analyzer : {"word", "char", "char_wb", "mail", "auto"} or callable, default=None
        What terms are made of. None is "word", unless both `ngrams` and `min_df` are chosen: then this and `tokenizer`
        are too, if neither they nor any other parameter of words is given. "auto" asks for it. With "mail" documents
        are messages, as bytes or as strings in which bytes that are not UTF-8 are escaped (``message.decode("utf-8",
        "surrogateescape")``): see `textnb.text.mail`.
    mail : {"all", "no-source", "body"}, default=None
        What is read of messages: everything (the default), all but the headers that tell where they were collected, or
        the body alone.
    alpha : float or "auto", default=None
        Smoothing: 1 is Laplace's, less is Lidstone's, 0 none. Of models of clear terms, the strength s of the belief
        in `assumed`, above 0; the literature's is 0.0178.
    unknown : {"ignore", "token"}, default="ignore"
        What becomes of words outside the vocabulary: nothing, or one more feature ``<UNK>`` with an honest probability.
    calibrate : bool or "offsets", default=True
        Whether `fit` corrects how sure the model is of itself, by the scores of documents in models without them. The
        most probable class stays the same, and so do probabilities asked for as `raw`. With "offsets" the class may
        become another: those that are named too often, or too often in long documents, are named less.
    min_df : int, float or "auto", default=None
        The fewest documents, or the smallest share of them, that a term is in.
    tokenizer, stemmer, lowercase, strip_accents, stop_words, token_pattern, max_df, max_features, vocabulary
        As in `textnb.CountVectorizer`; the analyzer of mail takes no tokenizer, stemmer, stop words or token pattern.
    fit_prior, class_prior, norm
        As in the naive Bayes classes; ``norm`` is Complement's.
    assumed, min_deviation, most_terms : float, float and int, default=None
        Of models of clear terms. A term of which documents say with frequency p, n times, that they are of a class,
        says f = (s · assumed + n · p) / (s + n), and is clear where f is `min_deviation` or more from ½: 0.5 and 0.375
        if not given. `assumed` is about any class against the rest, of two classes about the second. Only `most_terms`
        of a document count, the clearest; None: all.
    C, beta : float or "auto", default=None
        Of linear models: what errors cost, from 0 on, and how far weights may be from their mean, from 0, naive Bayes,
        to 1, the plain linear model. What is left out is chosen by folds of the documents, or of their groups; of fewer
        than 50 documents it is 0.3 and 0.75 of nbsvm, 3 and 1 of nblr.
    objective : {"accuracy", "macro-f1", "log-loss", "auc", "caught"}, default=None
        What is best where `fit` chooses: the most accurate, the best in the mean of the classes' F1 or of their areas
        under the ROC curve, the surest, or what catches most of one class, on average while 0 to 1 % of the rest are
        lost. None: the last where `positive` is given, and for messages of two classes,
        one of them called spam; else the first.
    positive : class, default=None
        The class that is to be caught, against the rest. None: the one called spam.
    ledger : bool, default=None
        Whether to remember, as a hash of 128 bits, which documents were learned under which label: then only those can
        be forgotten, and none need be learned twice; 24 bytes per document. Messages are hashed without what mailboxes
        add to them (`textnb.text.mail.canonical`), so that a copy is known. None: unless `fit` gets an iterator.
    n_jobs : int, default=None
        Threads to count with; no result depends on it. None takes all cores if there is much text, -1 always.

    Attributes
    ----------
    classes_ : ndarray of the class labels, sorted
    vocabulary_ : dict of terms to columns
    statistics_ : what was counted, per class
    model_ : the naive Bayes estimator derived from it
    calibration_ : how probabilities are corrected, or None
    choice_ : what was chosen, and from what, where something was
    parameters_in_use : the parameters, with what was chosen

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> filter = TextClassifier().fit(["buy cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"])
    >>> filter.predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    >>> filter.top_terms(2)["spam"]
    [('cheap', 0.58...), ('watches', 0.43...)]
    """

    @classmethod
    def of(cls, model: TextModel) -> Self:
        """The estimator with the parameters of a model, fitted by what the model has learned."""
        estimator = cls()
        estimator.__dict__ = dict(vars(model))
        return estimator

    def check_fitted(self) -> None:
        check_is_fitted(self)

    def _checked(self, texts: Any, labels: Any, *, stream: bool = False) -> tuple[Any, Array]:
        if labels is None:
            raise ValueError(
                "TextClassifier requires y to be passed, but the target y is None: pass a label for each document"
            )
        _check_label_kinds(labels)
        labels = _plain_labels(labels)
        check_labels(labels)
        documents, checked = super()._checked(texts, column_or_1d(labels, warn=True), stream=stream)
        if isinstance(documents, list):
            check_consistent_length(documents, checked)
        try:
            check_classification_targets(checked)
        except TypeError as error:
            raise ValueError(f"labels must be strings, numbers or booleans, all of one kind ({error})") from None
        return documents, checked

    def _checked_weights(self, sample_weight: Any, n: int) -> Array | None:
        return check_weights(sample_weight, n)

    def partial_fit(self, texts: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more documents. The first call announces all classes, and fixes the vocabulary and idf."""
        first = not self.__sklearn_is_fitted__()
        known = announced_classes(classes, None if first else self.classes_)
        if not len(known):
            raise ValueError("no class is left of the model: all its documents were forgotten. Fit it anew.")
        self._check_parameters()
        if self._is_fitted_to_documents:
            raise ValueError(REFIT.format(self.model))
        documents, labels = self._checked(texts, y)
        class_ids = class_positions(labels, known)
        weights = check_weights(sample_weight, len(labels))
        if first:
            return self._fit_first(documents, class_ids, known, weights, calibrate=False)
        learner = fix_vocabulary(self._continued())
        return self._follow(learner.add(documents, class_ids, known, weights))

    def forget(self, texts: Any, labels: Any) -> Self:
        """Take documents away as if they had never been learned; one that was not learned is an error.

        A word or class of which nothing is left leaves the vocabulary, the smoothing and the priors.
        """
        self.check_fitted()
        documents, checked = self._checked(texts, labels)
        return self._follow(self._continued().forget(documents, checked)[0])

    def merge(self, other: TextClassifier) -> Self:
        """Learn what another classifier of the same settings has learned, as if its documents had been learned here.

        Calibration and policy stay where both have the same, and are dropped otherwise, with a warning.
        ``self.blank().learn(texts, labels)`` makes one that has the same settings, idf included.
        """
        self.check_fitted()
        return self._merge(other)

    def blank(self) -> TextClassifier:
        """One that counts, weighs and decides like this one, and has learned nothing: what it learns can be merged."""
        self.check_fitted()
        learner, calibration = self._continued().blank(), self.calibration_
        if calibration is not None:
            calibration = calibration.kept(self.classes_.tolist(), learner.counts.classes.tolist())
        return clone(self)._set(learner, calibration, self.policy_, self._chosen)

    def __add__(self, other: TextClassifier) -> TextClassifier:
        """A new classifier that has learned what both have."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        self.check_fitted()
        other.check_fitted()
        both, in_use = clone(self), self.parameters_in_use
        for name, value in both.get_params(deep=False).items():  # given in one and chosen in the other, it is given
            if not are_equal(value, getattr(other, name)):
                setattr(both, name, in_use[name])
        both.calibrate = self.calibrate and other.calibrate
        if self.ledger != other.ledger:
            both.ledger = None not in (self._counted().ledger, other._counted().ledger)
        columns = self.fitted_record().columns
        chosen = {name: value for name, value in self._chosen.items() if name in other._chosen}
        both._set(self._counted(), self.calibration_, self.policy_, chosen, columns_=columns)
        return both._merge(other)

    def _merge(self, other: TextClassifier) -> Self:
        other.check_fitted()
        learner = self._continued().merged(other._counted())
        classes = learner.counts.classes
        records = [part.fitted_record().kept(part.classes_, classes) for part in (self, other)]
        merged, dropped = merged_record(records, has_ledger=learner.ledger is not None)
        if dropped:
            warnings.warn(dropped_in_merge(dropped), stacklevel=3)
        return self._set(learner, merged.calibration, merged.policy, self._chosen, columns_=merged.columns)

    def predict(self, texts: Any, *, prior: Any = None) -> Array:
        """The most probable class of every document; `prior` as for `with_prior`."""
        return self.with_prior(prior).predictor_.predict(texts)

    def predict_proba(self, texts: Any, *, raw: bool = False, prior: Any = None) -> Array:
        """P(c | document) of every document and class, (n, n_classes); `raw` as the model has it, uncalibrated.

        `prior` as for `with_prior`.
        """
        return np.exp(self.predict_log_proba(texts, raw=raw, prior=prior))

    def decide(self, texts: Any, *, prior: Any = None) -> list[Any]:
        """The class to name for every document, as `decide_by` says: None where it is better to name none.

        `prior` as for `with_prior`.
        """
        return self.with_prior(prior).predictor_.decide(texts)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Terms to columns, which are the positions of the sorted terms: a dict, made when it is first asked for."""
        if "_vocabulary" not in self.__dict__:
            self._vocabulary = self.predictor_.features.numbers()
        return self._vocabulary

    @property
    def statistics_(self) -> ClassCounts:
        """The totals that the rule is derived from, in the columns of ``vocabulary_``, and ``<UNK>`` last."""
        return self._derived().statistics

    @property
    def model_(self) -> CountModel:
        """The naive Bayes estimator on the columns of ``vocabulary_``."""
        used = {name: self.parameters_in_use[name] for name in ("model", "alpha", "fit_prior", "class_prior", "norm")}
        return count_model(**used).set_statistics(self.statistics_)

    def log_likelihood(self, texts: Any) -> Array:
        """log P(document | c) of every document and class, the prior left out, (n, n_classes)."""
        self.check_fitted()
        family(self.parameters_in_use["model"]).require_likelihood()
        return self.predictor_.log_likelihood(texts)

    def sample(self, n: int, random_state: Any = None, *, length: Any = None) -> tuple[list[str], Array]:
        """n documents that the model could have produced, and their classes: (texts, labels).

        Words stand in the order of the vocabulary: a model of counts knows no other. A multinomial model needs the
        `length` of the documents; complement and tf-idf models cannot be drawn from, and say so.
        """
        self.check_fitted()
        if self.predictor_.weighting.idf is not None:
            raise ValueError("cannot sample: tf-idf weights are no counts of words. Use weights='counts' or 'binary'.")
        family(self.parameters_in_use["model"]).require_likelihood()
        model = self.model_
        options = {} if length is None or isinstance(model, BernoulliNB) else {"length": length}
        counts, labels = model.sample(n, random_state, **options)
        return texts_of(counts, np.array(self.predictor_.column_names(), dtype=object)), labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def load(path: Any) -> TextClassifier | MixedNB:
    """The classifier of a model file. All of the file is verified first; nothing in it is ever executed."""
    return as_estimator(open_fitted_model(path))


def as_estimator(model: TextModel | MixedNB) -> TextClassifier | MixedNB:
    """A text model as a `TextClassifier`; a mixed model is an estimator."""
    return TextClassifier.of(model) if isinstance(model, TextModel) else model


def _plain_labels(labels: Any) -> Any:
    """Whole numbers and booleans of a data frame as they are: scikit-learn makes floats of pandas' nullable ones."""
    plain = np.asarray(labels) if hasattr(labels, "dtype") else None
    return labels if plain is None or plain.dtype.kind not in "iub" else plain


def _check_label_kinds(y: Any) -> None:
    """Refuse labels of several kinds, which numpy would make strings, or numbers, of."""
    if isinstance(y, list | tuple) or getattr(getattr(y, "dtype", None), "kind", None) == "O":
        kinds = {_label_kind(label): label for label in np.asarray(y, dtype=object).ravel().tolist()}
        if len(kinds) > 1:
            some = " and ".join(f"{label!r:.60}" for label in kinds.values())
            raise ValueError(f"labels must be strings, numbers or booleans, all of one kind, got {some}")


def _label_kind(label: Any) -> str:
    if isinstance(label, bool | np.bool_):
        return "boolean"
    return "number" if isinstance(label, Number) else "string" if isinstance(label, str) else type(label).__name__
