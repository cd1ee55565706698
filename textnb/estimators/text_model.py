"""Naive Bayes on raw text without scikit-learn: what workflows train, and what `TextClassifier` makes an estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from textnb.arrays import Array, distinct
from textnb.likelihood.clear_terms import Clarity
from textnb.likelihood.families import MODELS, family
from textnb.model.calibration import Calibration
from textnb.model.compact import write_compact
from textnb.model.derive import Derivation, derive
from textnb.model.file import (
    COMPACT,
    Fitted,
    content,
    fitted_of,
    has_counts,
    is_compact,
    learner_of,
    parameters_of,
    settings_of,
    whole_predictor_of,
)
from textnb.model.learner import Learner
from textnb.model.once import Conflict
from textnb.model.parameters import (
    AUTO,
    BEST,
    CHOOSABLE,
    CLARITY_SETTINGS,
    FITTING_SETTINGS,
    UNITS,
    Accents,
    Auto,
    Best,
    Calibrate,
    Model,
    Units,
    Unknown,
    Weights,
    check_weights_of,
    effective,
    is_auto,
    is_best,
    is_open,
    left_to_choice,
    open_parameters,
    units_are_open,
    with_literature,
)
from textnb.model.plain import spam_among
from textnb.model.policy import Policy
from textnb.model.predictor import Predictor
from textnb.model.recipe import Recipe, check_fitting
from textnb.model.settings import USUAL_COLUMNS, Columns, lowest_reader
from textnb.selection.documents import TrainingDocuments
from textnb.selection.objectives import Objective, check_objective
from textnb.selection.thresholds import threshold_for_ceiling
from textnb.selection.tuning import Choice, Fixed, Trial, scores_by_folds, tune
from textnb.statistics.counts import unique_classes
from textnb.storage import open_model, write_model
from textnb.text.analyzer import Analyzer, check_stop_words, stop_word_set
from textnb.text.counting import RememberedCounts, count_all, term_table
from textnb.text.documents import as_strings
from textnb.text.features import UNKNOWN_CHOICES
from textnb.text.limits import Limits
from textnb.text.steps import step
from textnb.text.terms import TermTable
from textnb.text.threads import check_jobs
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.vocabulary import checked_ids
from textnb.text.weights import check_weighting

if TYPE_CHECKING:
    from textnb.estimators.mixed import MixedNB
    from textnb.model.explanation import Explanation
    from textnb.selection.best import Contest
    from textnb.selection.fitting import Searched
    from textnb.selection.linear_tuning import Features

FEWEST_DOCUMENTS = 50  # from which parameters that are left out are chosen
MAY_CHANGE = (
    "alpha",
    "fit_prior",
    "class_prior",
    "norm",
    *CLARITY_SETTINGS,
    "objective",
    "positive",
    "ledger",
    "n_jobs",
)
DERIVED = ("_training", "_derivation", "_predictor", "_vocabulary")  # attributes that follow from the others


class TextModel:
    """Naive Bayes on raw text, with the parameters and attributes of `TextClassifier`, which documents them.

    Labels are an array of one kind; an estimator checks more.
    """

    learner_: Learner | None  # None for a model of a file without counts
    calibration_: Calibration | None
    policy_: Policy | None
    choice_: Choice
    _fitted_with: dict[str, Any]
    _chosen: dict[str, Any]
    columns_: Columns
    _prior: Mapping[Any, float]  # of `with_prior`
    _old_predictor: Predictor  # of a file without counts, and
    _n_documents: int | None  # how many it has learned, if it says so

    def __init__(
        self,
        model: Model | Auto | Best | None = None,
        weights: Weights | Auto | None = None,
        ngrams: tuple[int, int] | Auto | None = None,
        analyzer: Units | Auto | Callable[[Any], Iterable[Any]] | None = None,
        alpha: float | Auto | None = None,
        unknown: Unknown = "ignore",
        calibrate: Calibrate = True,
        *,
        mail: str | None = None,
        tokenizer: str | Callable[[str], Iterable[Any]] | None = None,
        stemmer: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        strip_accents: Accents | Callable[[str], str] | None = None,
        stop_words: Literal["english"] | Iterable[str] | None = None,
        token_pattern: str = DEFAULT_TOKEN_PATTERN,
        min_df: float | int | Auto | None = None,
        max_df: float | int = 1.0,
        max_features: int | None = None,
        vocabulary: Any = None,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        assumed: float | None = None,
        min_deviation: float | None = None,
        most_terms: int | None = None,
        C: float | Auto | None = None,
        beta: float | Auto | None = None,
        objective: Objective | None = None,
        positive: Any = None,
        ledger: bool | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.weights = weights
        self.ngrams = ngrams
        self.analyzer = analyzer
        self.alpha = alpha
        self.unknown = unknown
        self.calibrate = calibrate
        self.mail = mail
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
        self.assumed = assumed
        self.min_deviation = min_deviation
        self.most_terms = most_terms
        self.C = C
        self.beta = beta
        self.objective = objective
        self.positive = positive
        self.ledger = ledger
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; none has parameters of its own, so `deep` makes no difference."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def check_fitted(self) -> None:
        """Refuse what only a fitted model can do."""
        if not self.__sklearn_is_fitted__():
            raise ValueError("the model is not fitted yet: fit it, or let it learn, first")

    def _checked(self, texts: Any, labels: Any, *, stream: bool = False) -> tuple[Any, Array]:
        """A list of documents, or a stream of them if that is wanted and given, and their labels."""
        documents: Iterable[str] = as_strings(texts, is_mail=self.analyzer == "mail")
        if not (stream and isinstance(texts, Iterator)):
            documents = list(documents)
            if not documents:
                raise ValueError("Found array with 0 sample(s): there are no documents to learn from")
        return documents, np.asarray(labels)

    def _checked_weights(self, sample_weight: Any, n: int) -> Array | None:
        """One weight per document, or None."""
        return None if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), n)

    def fit(
        self,
        texts: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Callable[[Trial], None] = lambda trial: None,
    ) -> Self:
        """Learn from documents and their labels.

        `groups`, one label per document, says which belong together, such as the messages of a thread: what is "auto"
        is then chosen, and probabilities are calibrated, by leaving out whole groups. That choice ignores sample
        weights; with them, or with documents from an iterator, probabilities are not calibrated. `progress` hears of
        each candidate that is tried.
        """
        self._check_parameters()
        if is_best(self.model) or self._is_fitted_to_documents:
            documents, labels = self._checked(texts, y)
            return self._fit_to_documents(documents, labels, sample_weight, groups, progress)
        is_stream = isinstance(texts, Iterator)
        documents, labels = self._checked(texts, y, stream=not self._is_auto and not self._needs_reference)
        classes, class_ids = unique_classes(labels)
        self._positive_among(classes.tolist())  # that it is one of them
        weights = self._checked_weights(sample_weight, len(labels))
        groups = _check_groups(groups, len(labels))
        can_choose = not is_stream and _are_enough_to_choose(class_ids)
        if not (self._is_auto or (self._is_open and can_choose)):
            return self._fit_first(documents, class_ids, classes, weights, None, groups, is_stream=is_stream)
        count = RememberedCounts(documents)
        choice = self.choose(documents, class_ids, groups, classes=classes, count=count, progress=progress)
        return self._fit_first(documents, class_ids, classes, weights, choice, groups, count, is_stream=is_stream)

    def learn(self, texts: Any, labels: Any, *, once: bool = False) -> Self:
        """Learn more documents, one or many: new words and new classes simply arrive.

        However documents are divided among calls, and in whatever order, the result is the same to the last digit.
        tf-idf weighs by the idf of the last `fit`, or of the first call if there was none; a word that came later has
        that of document frequency 0. What `fit` has chosen or calibrated stays.

        Parameters
        ----------
        texts : iterable of str
        labels : array-like of their classes
        once : bool, default=False
            Leave documents that were learned already, and move those that were learned under another label to this one.
            Of mail, copies of a message are known by its Message-ID: they are left too, and one whose message was
            learned under another label is learned as it is, with a warning.
        """
        self._check_parameters()
        documents, checked = self._checked(texts, labels)
        is_fitted = self.__sklearn_is_fitted__()
        before = self._continued() if is_fitted else self.new_learner(keep_ledger=self.ledger is not False)
        learner, summary = before.learn(documents, checked, once=once)
        if summary.conflicts:
            _warn_of_conflicts(summary.conflicts)
        return self._follow(learner) if is_fitted else self.adopt(learner)

    def predict_log_proba(self, texts: Any, *, raw: bool = False, prior: Any = None) -> Array:
        """log P(c | document) of every document and class, (n, n_classes); `raw` uncalibrated.

        `prior` as for `with_prior`.
        """
        return self.with_prior(prior).predictor_.log_proba(texts, raw=raw)

    def with_prior(self, prior: Mapping[Any, float] | None) -> Self:
        """This model where documents come from another mix of classes than it was trained on.

        Probabilities, and what is predicted, decided and explained by them, are P(c | x) · new_c / old_c, made to add
        up to 1 (Saerens et al. 2002). What they assume, old, is the mix of the documents that they were calibrated on,
        or where they are not calibrated the prior of the model; raw probabilities of models whose scores leave the
        prior out (complement, and those of clear terms) assume equal shares.

        Where `decide_by` gave costs, they are expected in the new mix. A ceiling holds as it stands: what share of the
        protected class is lost does not depend on how common the class is.

        Parameters
        ----------
        prior : dict of every class to its share, or None
            Shares add up to 1. None gives the model as it is.

        Returns
        -------
        A model of the same class, and of the same counts; a file that it is saved to is that of this model.

        Examples
        --------
        >>> from textnb import TextClassifier
        >>> texts, labels = ["cheap pills", "cheap lunch", "lunch at noon", "minutes"], ["spam", "spam", "ham", "ham"]
        >>> mail = TextClassifier("multinomial", "counts", alpha=1.0).fit(texts, labels)
        >>> mail.predict_proba(["cheap lunch"]).round(2)
        array([[0.25, 0.75]])
        >>> mail.with_prior({"spam": 0.2, "ham": 0.8}).predict_proba(["cheap lunch"]).round(2)
        array([[0.57, 0.43]])
        """
        self.check_fitted()
        if prior is None:
            return self
        self.predictor_.with_prior(prior)  # which checks it
        shifted = object.__new__(type(self))
        shifted.__dict__ = {**vars(self), "_prior": prior}  # with the predictor, which a copy would derive again
        return shifted

    def decide_by(
        self,
        costs: Mapping[tuple[Any, Any], float] | None = None,
        *,
        unsure: float | None = None,
        protected: Any = None,
        ceiling: float | None = None,
        confidence: float | None = None,
    ) -> Self:
        """Say how `decide` is to decide; the model is saved with that.

        Parameters
        ----------
        costs : dict of (true class, class named) to what that costs
            Any other error costs 1.
        unsure : float, optional
            What it costs to name no class; a document is left unsure where that is the cheapest.
        protected, ceiling : class and share, optional
            At most such a share of the documents of that class is named otherwise: "at most 1 ham in 1,000" is "ham"
            and 0.001. The threshold is chosen on the documents of the last `fit`, each scored by the model without it.
        confidence : float, optional
            The probability with which the share is to be within the ceiling; by default it is on average.
        """
        self.check_fitted()
        if (protected is None) != (ceiling is None):
            raise ValueError("protected and ceiling come together: which class, and how much of it may be lost")
        if confidence is not None and ceiling is None:
            raise ValueError("confidence is that a ceiling is kept: give protected and ceiling, or leave it out")
        policy = Policy.among(self.classes_, costs or {}, unsure, protected, ceiling)
        if ceiling is not None:
            training = self.training_documents()
            posterior = training.log_posterior(self.calibration_)
            position = self.classes_.tolist().index(protected)
            threshold = threshold_for_ceiling(posterior, training.class_ids, position, ceiling, confidence)
            policy = replace(policy, threshold=threshold)
        return self.set_policy(policy)

    def set_policy(self, policy: Policy | None) -> Self:
        """Decide by a policy that was chosen elsewhere."""
        self.check_fitted()
        self.policy_ = policy
        return self

    def leave_one_out(self) -> Array:
        """log P(document, c) of every document of the last `fit` under the model without it, (n, n_classes).

        Exact at the vocabulary and idf of the model, and no slower than predicting.
        """
        return self.training_documents().leave_one_out()

    def leave_one_group_out(self, groups: Any = None) -> Array:
        """The same without all documents of its group; groups as given here or to `fit`."""
        training = self.training_documents()
        groups = training.groups if groups is None else groups
        if groups is None:
            raise ValueError("there are no groups: pass groups, one label a document")
        return training.leave_one_out(groups)

    def explain(self, text: str, against: Any = None, *, label: Any = None, prior: Any = None) -> Explanation:
        """Why a document is of its class: what every term, and the prior, add to the log-odds against another class.

        Of a Bernoulli model, the row of absent words is what a document without any word gets, and the row of a word
        what it changes to have it.

        Parameters
        ----------
        text : str
        against : class, optional
            The other class; by default the likeliest one.
        label : class, optional
            The class to explain; by default that of `predict`.
        prior : dict, optional
            As for `with_prior`. What it adds to the log-odds is the row `prior shift`.

        Examples
        --------
        >>> from textnb import TextClassifier
        >>> texts, labels = ["buy cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"]
        >>> why = TextClassifier(model="multinomial", weights="counts").fit(texts, labels).explain("Cheap, cheap lunch")
        >>> why.label, why.against, round(why.log_odds, 2)
        ('spam', 'ham', 1.65)
        >>> [(row.term, row.count, round(row.contribution, 2), row.spans) for row in why.rows]
        [('cheap', 2, 1.83, ((0, 5), (7, 12))), ('lunch', 1, -0.88, ((13, 18),)), ('prior', None, 0.69, ())]
        """
        return self.with_prior(prior).predictor_.explain(text, label=label, against=against)

    def top_terms(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """For each class, the terms that speak most for it, with their weights.

        A term's weight is what a unit of it adds to the class's score beyond what it adds, on average, to the others'.
        """
        self.check_fitted()
        return self.predictor_.top_terms(n)

    @property
    def classes_(self) -> Array:
        return self._old_predictor.classes if self.learner_ is None else self.learner_.counts.classes

    @property
    def n_documents_(self) -> int:
        """How many documents were learned and not forgotten."""
        if self.learner_ is None and self._n_documents is not None:
            return self._n_documents
        return self._counted().counts.n_documents

    @property
    def predictor_(self) -> Predictor:
        """What predicts, derived from the counts when it is first needed."""
        return self._own_predictor.with_prior(self.__dict__.get("_prior"))

    @property
    def _own_predictor(self) -> Predictor:
        """The same for the mix of classes that the model assumes."""
        if self.learner_ is None:
            return replace(self._old_predictor, policy=self.policy_)
        cached: Predictor | None = self.__dict__.get("_predictor")
        if cached is None or cached.policy is not self.policy_ or cached.calibration is not self.calibration_:
            cached = self._predictor = self._derived().predictor(self.calibration_, self.policy_)
        return cached

    @property
    def parameters_in_use(self) -> dict[str, Any]:
        """The parameters that were fitted with, and what was taken for those that were "auto" or left out."""
        return effective(self._fitted_with, self._chosen)

    @property
    def given_and_chosen(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters as they were given, and what was chosen for those that were open."""
        return dict(self._fitted_with), dict(self._chosen)

    def _counted(self) -> Learner:
        """The learner; an error where there is none."""
        if self.learner_ is None:
            if self._n_documents is not None:
                raise ValueError(f"it {COMPACT}")
            raise ValueError(
                "the model was saved by an older textnb, without all its counts: it can predict, and no more. Fit anew."
            )
        return self.learner_

    def _derived(self) -> Derivation:
        if "_derivation" not in self.__dict__:
            self._derivation = derive(self._counted())
        return self._derivation

    def save(self, path: Any, *, compact: bool = False) -> None:
        """Write the model to a file that `textnb.load` and the command line read: data only, no code.

        The same counts give the same bytes, however they came together. A `compact` file is several times smaller, and
        only predicts (`textnb.model.compact` says how far tf-idf scores move; those of counts do not).
        """
        self.check_fitted()
        saved = self._counted(), self.fitted_record(), self._derived()
        if compact:
            write_compact(path, *saved)
        else:
            arrays, settings = content(*saved)
            write_model(path, arrays, settings, reader=lowest_reader(settings))

    def fitted_record(self) -> Fitted:
        """What a model file says of a classifier beyond its counts and how they are made."""
        fitted_with = self.__dict__.get("_fitted_with") or self.get_params(deep=False)
        ledger, chosen = fitted_with["ledger"], self.__dict__.get("_chosen", {})
        return Fitted(
            calibrate=_calibrate(fitted_with["calibrate"]),
            ledger=None if ledger is None else bool(ledger),
            given_vocabulary=fitted_with["vocabulary"] is not None,
            auto=tuple(sorted(chosen)),
            left_out=left_to_choice(fitted_with, chosen),
            calibration=self.__dict__.get("calibration_"),
            policy=self.__dict__.get("policy_"),
            columns=self.__dict__.get("columns_", USUAL_COLUMNS),
        )

    def _fit_first(
        self,
        documents: Iterable[str],
        class_ids: Array,
        classes: Array,
        weights: Array | None,
        choice: Choice | None = None,
        groups: Any = None,
        count: RememberedCounts | None = None,
        *,
        calibrate: bool = True,
        is_stream: bool = False,
    ) -> Self:
        chosen = {} if choice is None else self._chosen_of(choice)
        learner = self.new_learner(keep_ledger=not is_stream if self.ledger is None else self.ledger, chosen=chosen)
        check_stop_words(learner.recipe.analyzer)
        keep_documents = calibrate and weights is None and not is_stream
        known = None if count is None else count.known(learner.recipe.analyzer)
        learner, counted = learner.fit(
            documents,
            class_ids,
            classes,
            weights,
            counted_before=None if known is None else learner.within_vocabulary(*known),
            keep_documents=keep_documents,
        )
        derivation = derive(learner)  # what cannot be derived is an error of fit
        training, calibration = None, None
        if keep_documents:
            training = TrainingDocuments(derivation, counted, class_ids, groups)
            calibration = self._calibration_of(training)
        more: dict[str, Any] = {"_training": training, "_derivation": derivation}
        if choice is not None:
            more["choice_"] = choice
        return self._set(learner, calibration, None, chosen, forget=("choice_", "columns_"), **more)

    def _fit_to_documents(
        self,
        documents: Sequence[str],
        labels: Array,
        sample_weight: Any,
        groups: Any,
        progress: Callable[[Trial], None],
    ) -> Self:
        """Fit a linear model, or what is best: a linear model or naive Bayes."""
        classes, class_ids = unique_classes(labels)
        weights = self._checked_weights(sample_weight, len(labels))
        groups = _check_groups(groups, len(labels))
        count = RememberedCounts(documents)
        contest = None
        if is_best(self.model):
            contest = self._compete(documents, class_ids, classes, weights, groups, count, progress)
            if contest.linear is None:
                return self._fit_first(documents, class_ids, classes, weights, contest.choice, groups, count)
            searched = contest.linear
        else:
            searched = self._search(documents, class_ids, classes, weights, groups, count, progress)
        found = searched.fitted(weights)
        calibration = self._calibration_of(found.training) if weights is None else None
        choice = searched.choice if contest is None else contest.choice
        chosen = found.chosen if contest is None else self._chosen_of(contest.choice)
        more: dict[str, Any] = {"_training": found.training, "_derivation": found.training.derivation}
        if choice is not None:
            more["choice_"] = choice
        return self._set(found.learner, calibration, None, chosen, forget=("choice_", "columns_"), **more)

    def _calibration_of(self, training: TrainingDocuments) -> Calibration | None:
        """The calibration that is asked for."""
        if not self.calibrate:
            return None
        with step("calibrating"):
            return training.calibration(keep_label=self.calibrate != "offsets")

    def _compete(
        self,
        documents: Sequence[str],
        class_ids: Array,
        classes: Array,
        weights: Array | None,
        groups: Array | None,
        count: Callable[..., Any],
        progress: Callable[[Trial], None],
    ) -> Contest:
        """What is best: naive Bayes as it is chosen by leave-one-out, or a linear model by folds."""
        from textnb.selection import best

        opened: dict[str, Any] = {name: AUTO for name in CHOOSABLE if is_open(getattr(self, name))}
        naive = self._with(**opened, C=None, beta=None)
        choice = naive.choose(documents, class_ids, groups, classes=classes, count=count, progress=progress)
        if not best.can_divide(class_ids, groups):
            return best.Contest(choice, None)
        if self.analyzer in (None, AUTO, "word"):  # the usual words and pairs, and what naive Bayes says of others
            opened |= {name: None for name in ("ngrams", "min_df") if name in opened}
        of_naive = dict.fromkeys(CLARITY_SETTINGS) | ({"analyzer": None} if is_auto(self.analyzer) else {})
        linear = self._with(**opened | of_naive | {"model": best.MODEL}, objective=choice.objective)
        further = best.further_features(choice, best.WEIGHTS if is_open(self.weights) else str(self.weights))
        searched = linear._search(
            documents, class_ids, classes, weights, groups, count, progress, further=further, is_compared=True
        )

        def scored(folds: Array) -> Array:
            how = naive._tuning(classes, count) | {"objective": choice.objective}
            return scores_by_folds(choice.best.candidate, documents, class_ids, folds, **how)

        return best.compete(choice, searched, scored)

    def _search(
        self,
        documents: Sequence[str],
        class_ids: Array,
        classes: Array,
        weights: Array | None,
        groups: Array | None,
        count: Callable[..., Any],
        progress: Callable[[Trial], None],
        **how: Any,
    ) -> Searched:
        """The linear model of these parameters, with what is chosen for it by folds; `how` is for `search`."""
        from textnb.selection.fitting import prepared, search

        def prepare(features: Features) -> TrainingDocuments:
            chosen = {**features._asdict(), "alpha": family(str(self.model)).alpha}
            learner = self.new_learner(keep_ledger=self.ledger is not False, chosen=chosen)
            check_stop_words(learner.recipe.analyzer)
            known = learner.within_vocabulary(*count(documents, learner.recipe.analyzer, self.n_jobs))
            return prepared(
                learner, documents, class_ids, classes, weights=weights, groups=groups, counted_before=known
            )

        return search(
            prepare,
            self.get_params(deep=False),
            weights=weights,
            can_choose=_are_enough_to_choose(class_ids),
            objective=self._wanted or "accuracy",
            positive=self._positive_among(classes.tolist()) if self._wanted == "caught" else None,
            progress=progress,
            **how,
        )

    def _with(self, **changes: Any) -> TextModel:
        """A model that is not fitted, with other parameters."""
        return TextModel(**{**self.get_params(deep=False), **changes})

    def _chosen_of(self, choice: Choice) -> dict[str, Any]:
        """The values of the parameters that were open to choice."""
        candidate, opened = choice.best.candidate, open_parameters(self.get_params(deep=False))
        chosen = {name: getattr(candidate, name) for name in opened}
        if not candidate.terms.has_plain_units:
            chosen |= {name: getattr(candidate, name) for name in UNITS}
        if opened and candidate.min_deviation is not None and self.min_deviation is None:
            chosen["min_deviation"] = candidate.min_deviation
        if family(candidate.model).fitted_to_documents:
            chosen |= {name: getattr(candidate, name) for name in FITTING_SETTINGS if is_open(getattr(self, name))}
        return chosen

    def choose(
        self,
        documents: Sequence[str],
        class_ids: Array,
        groups: Any = None,
        *,
        classes: Array | None = None,
        count: Callable[..., Any] = count_all,
        progress: Callable[[Trial], None] = lambda trial: None,
    ) -> Choice:
        """What `fit` chooses for the parameters that are open. Unknown words play no part in it.

        Messages are filtered: of two classes, one of them called spam, as much of it is to be caught as can be. So it
        is with any documents and classes of which one is named as `positive`.
        """
        self._check_parameters()
        known = np.arange(int(class_ids.max()) + 1) if classes is None else classes
        if is_best(self.model):
            return self._compete(documents, class_ids, known, None, groups, count, progress).choice
        if self._is_fitted_to_documents:
            found = self._search(documents, class_ids, known, None, groups, count, progress).choice
            if found is None:
                raise ValueError("there is nothing to choose, or too few documents or groups to divide into folds")
            return found
        check_weights_of(self.model, self.weights)
        how = self._tuning(classes, count)
        choice = tune(documents, class_ids, groups=groups, objective=self._wanted, progress=progress, **how)
        positive = how["positive"]
        if classes is None or positive is None or choice.best.caught is None:
            return choice
        return replace(choice, positive=str(classes.tolist()[positive]))

    def _tuning(self, classes: Array | None, count: Callable[..., Any]) -> dict[str, Any]:
        """How candidates are tried, as `tune` takes it."""
        parameters = self.get_params(deep=False)
        clarity = {name: getattr(self, name) for name in CLARITY_SETTINGS}
        return {
            "analyzer": self._analyzer(),
            "fixed": Fixed(**with_literature(parameters), **clarity, units=not units_are_open(parameters)),
            "positive": self._positive_among([] if classes is None else classes.tolist()),
            "limits": Limits(1, self.max_df, self.max_features),
            "vocabulary": self._given_terms(self._analyzer()),
            "norm": self.norm,
            "fit_prior": self.fit_prior,
            "class_prior": self.class_prior,
            "n_jobs": self.n_jobs,
            "count": count,
        }

    @property
    def _wanted(self) -> str | None:
        """The objective: to catch a class, if one is named and nothing else is said."""
        return "caught" if self.objective is None and self.positive is not None else self.objective

    def _positive_among(self, labels: list[Any]) -> int | None:
        """The position of the class to be caught: the one named, or that called spam beside one other."""
        if self.positive is not None:
            if self.positive not in labels:
                listed = ", ".join(map(str, labels))
                raise ValueError(f"there is no class {self.positive!r} to be caught (--positive): there are {listed}")
            return labels.index(self.positive)
        return spam_among(labels) if len(labels) == 2 or self.objective == "caught" else None

    def training_documents(self) -> TrainingDocuments:
        self.check_fitted()
        training: TrainingDocuments | None = self.__dict__.get("_training")
        if training is None:
            raise ValueError(
                "the documents of the last fit are not at hand: fit on a list of them, without weights, and learn "
                "nothing since"
            )
        return training

    def new_learner(self, *, keep_ledger: bool, chosen: Mapping[str, Any] = MappingProxyType({})) -> Learner:
        """A learner with these parameters, and with what was chosen for those that are "auto"."""
        recipe = self._recipe(chosen)
        check_weights_of(self.model, self.weights)
        return Learner.new(recipe, self._given_terms(recipe.analyzer), keep_ledger=keep_ledger)

    def _given_terms(self, analyzer: Analyzer) -> TermTable | None:
        if self.vocabulary is None:
            return None
        if not (given := checked_ids(self.vocabulary)):
            raise ValueError("empty vocabulary: give at least one term, or None to learn it from the documents")
        return term_table(given, analyzer)

    def _continued(self) -> Learner:
        """The learner, with the parameters that may change after fitting."""
        self._check_unchanged()
        return replace(self._counted(), recipe=self._recipe(self._chosen))

    def adopt(self, learner: Learner) -> Self:
        """Be fitted by what a learner with these parameters has learned elsewhere."""
        return self._set(learner, None, None, {})

    def _follow(self, learner: Learner) -> Self:
        calibration = self.calibration_
        if calibration is not None:
            calibration = calibration.kept(self.classes_.tolist(), learner.counts.classes.tolist())
        return self._set(learner, calibration, self.policy_, self._chosen)

    def _set(
        self,
        learner: Learner | None,
        calibration: Calibration | None,
        policy: Policy | None,
        chosen: Mapping[str, Any],
        forget: tuple[str, ...] = (),
        **more: Any,
    ) -> Self:
        """Replace all that is fitted at once, so that an interrupted update changes nothing."""
        parameters = self.get_params(deep=False)  # whatever is set later, these are fitted, and saved
        kept = {name: value for name, value in vars(self).items() if name not in (*DERIVED, *forget)}
        fitted = {
            "learner_": learner,
            "calibration_": calibration,
            "policy_": policy,
            "_fitted_with": parameters,
            "_chosen": {name: value for name, value in chosen.items() if is_open(parameters[name])},
        }
        self.__dict__ = kept | fitted | more
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in DERIVED}

    def __sklearn_is_fitted__(self) -> bool:
        return "learner_" in self.__dict__

    def _recipe(self, chosen: Mapping[str, Any]) -> Recipe:
        """How the parameters count and derive; they are checked."""
        self._check_parameters()
        parameters = effective(self.get_params(deep=False), chosen)
        return Recipe.of(self._analyzer(**{name: parameters[name] for name in ("ngrams", *UNITS)}), parameters)

    @property
    def _is_fitted_to_documents(self) -> bool:
        return not is_open(self.model) and family(str(self.model)).fitted_to_documents

    @property
    def _is_auto(self) -> bool:
        """Whether a choice was asked for."""
        return is_best(self.model) or any(is_auto(getattr(self, name)) for name in (*CHOOSABLE, "analyzer"))

    @property
    def _is_open(self) -> bool:
        """Whether there is something to choose, asked for or left out."""
        parameters = self.get_params(deep=False)
        return bool(open_parameters(parameters)) or units_are_open(parameters)

    @property
    def _needs_reference(self) -> bool:
        return not self._is_auto and self._recipe({}).needs_reference

    def _analyzer(self, ngrams: tuple[int, int] = (1, 1), analyzer: Any = None, tokenizer: Any = None) -> Analyzer:
        """The analyzer, with what was chosen of it."""
        if analyzer is None:
            analyzer = "word" if self.analyzer is None or is_auto(self.analyzer) else self.analyzer
        return Analyzer(
            kind=analyzer,
            ngrams=ngrams,
            lowercase=self.lowercase,
            strip_accents=self.strip_accents,
            tokenizer=self.tokenizer if tokenizer is None else tokenizer,
            token_pattern=self.token_pattern,
            stop_words=stop_word_set(self.stop_words) if analyzer == "word" else None,
            stemmer=self.stemmer,
            mail=self.mail,
        )

    def _check_parameters(self) -> None:
        own_pattern = None if self.token_pattern == DEFAULT_TOKEN_PATTERN else self.token_pattern
        of_words = {"stop_words": self.stop_words, "tokenizer": self.tokenizer, "stemmer": self.stemmer}
        for name, value in {**of_words, "token_pattern": own_pattern}.items():
            if isinstance(self.analyzer, str) and self.analyzer == "mail" and value is not None:
                raise ValueError(f'{name} is for words, and analyzer="mail" takes none: leave one of them out')
        if self.model is not None and (not isinstance(self.model, str) or self.model not in (*MODELS, AUTO, BEST)):
            raise ValueError(f"model must be one of {', '.join(MODELS)}, auto or best, got {self.model!r}")
        if self._is_fitted_to_documents and is_auto(self.analyzer):
            raise ValueError(
                f"analyzer='auto' is chosen with naive Bayes, not for {self.model} alone: give one, or model='best'"
            )
        if self.weights is not None and not is_auto(self.weights):
            check_weighting(self.weights)
        if self.unknown not in UNKNOWN_CHOICES:
            raise ValueError(f"unknown must be one of {', '.join(UNKNOWN_CHOICES)}, got {self.unknown!r}")
        if self.alpha is not None and not isinstance(self.alpha, Real) and not is_auto(self.alpha):
            raise ValueError(f"alpha must be a number, 0 or more, or 'auto', got {self.alpha!r}")
        _check_clarity(self.assumed, self.min_deviation, self.most_terms)
        check_fitting(*(None if is_auto(value) else value for value in (self.C, self.beta)))
        check_objective(self.objective)
        check_jobs(self.n_jobs)
        _calibrate(self.calibrate)

    def _check_unchanged(self) -> None:
        """Only how the model is derived from its counts may change after fitting."""
        now = self.get_params(deep=False)
        for name, value in self._fitted_with.items():
            if name not in MAY_CHANGE and not are_equal(now[name], value):
                raise ValueError(f"{name} was {value!r} in fit and cannot become {now[name]!r} afterwards: fit anew")


def open_fitted_model(path: Any) -> TextModel | MixedNB:
    """The model of a file, all of which is verified first; nothing in it is ever executed."""
    file = open_model(path, verify="all")
    if file.settings.get("kind") == "mixed":
        from textnb.estimators.mixed_file import mixed_of

        return mixed_of(file)
    parameters, chosen = parameters_of(file)
    model = TextModel(**parameters)
    fitted = fitted_of(file)
    if has_counts(file):
        return model._set(learner_of(file), fitted.calibration, fitted.policy, chosen, columns_=fitted.columns)
    without_counts: dict[str, Any] = {
        "_old_predictor": whole_predictor_of(file),
        "_n_documents": settings_of(file).n_documents if is_compact(file) else None,
        "columns_": fitted.columns,
    }
    return model._set(None, fitted.calibration, fitted.policy, chosen, **without_counts)


def _warn_of_conflicts(conflicts: Sequence[Conflict]) -> None:
    first = conflicts[0]
    warnings.warn(
        f"messages under another label than a copy of them: {len(conflicts):,}; the first, document {first.position}: "
        f"{first.warning}",
        stacklevel=3,
    )


def _are_enough_to_choose(class_ids: Array) -> bool:
    """Whether leave-one-out can tell candidates apart: enough documents, two classes, two documents a class or more.

    The last on average: rare classes say little about a choice, and must not prevent it.
    """
    n_classes = len(distinct(class_ids))
    return len(class_ids) >= max(FEWEST_DOCUMENTS, 2 * n_classes) and n_classes > 1


def are_equal(a: Any, b: Any) -> bool:
    return a is b or bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def _calibrate(value: Any) -> Calibrate:
    """The parameter as a file holds it."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not (isinstance(value, str) and value == "offsets"):
        raise ValueError(f"calibrate must be True, False or 'offsets', got {value!r}")
    return "offsets"


def _check_clarity(assumed: Any, min_deviation: Any, most_terms: Any) -> None:
    given = {"assumed": assumed, "min_deviation": min_deviation, "most_terms": most_terms}
    for name, value in given.items():
        kind, what = (Integral, "a whole number") if name == "most_terms" else (Real, "a number")
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise ValueError(f"{name} must be {what}, or None, got {value!r}")
    Clarity(**{name: value for name, value in given.items() if value is not None})


def _check_groups(groups: Any, n_documents: int) -> Array | None:
    if groups is None:
        return None
    checked = np.asarray(groups)
    if checked.shape != (n_documents,):
        raise ValueError(f"groups has shape {checked.shape}: give one label for each of {n_documents} documents")
    return checked
