"""A model file that answers single messages: from a string to a decision in microseconds, without numpy."""

from __future__ import annotations

import os
from copy import copy
from functools import cached_property
from itertools import pairwise
from math import exp
from struct import unpack
from typing import TYPE_CHECKING, Any, NamedTuple

from textnb.compiled import compiled_kernel
from textnb.model.plain import (
    UNSURE,
    PlainCalibration,
    PlainRule,
    check_calibration,
    check_fitted_to,
    cost_table,
    for_prior,
    is_number,
    log_posterior,
    prices_among,
    score_of,
    values_among,
)
from textnb.model.prior import log_ratios, shares_of
from textnb.storage.mapped import MappedFile, map_model
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable

    from textnb.model.predictor import Predictor

_LONGEST_NGRAM = 16
_MOST_CHARACTERS = 1 << 22  # of a document times the longest n-gram, so that its n-grams fit into memory
_MOST_PRICED_CLASSES = 64  # whose costs are added up in Python


class Scored(NamedTuple):
    """The raw score of each class, log P(x, c), and log P(c | x), calibrated if the model is."""

    joint: list[float]
    log_proba: list[float]


def open_scorer(path: str | os.PathLike[str]) -> Scorer | None:
    """What answers single messages by a model file, or None where only the predictor can.

    Words and n-grams of the built-in analyzers are scored by the kernel. A model of tables, of a format before the
    third, with a stemmer, or with alpha 0 is for `predictor_of`, and so is every file that cannot be understood.

    Parameters
    ----------
    path : path
        A model file. Its header is checked now, the rest as messages touch it.

    Examples
    --------
    A service opens the model once, and asks it for every message:

    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> from textnb.model.scorer import open_scorer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier("multinomial", "counts", alpha=1.0, calibrate=False).fit(
    ...         ["cheap pills", "lunch at noon"], ["spam", "ham"]
    ...     ).save(path)
    ...     scorer = open_scorer(path)
    >>> scorer.decide("Cheap, cheap!")
    'spam'
    >>> dict(zip(scorer.classes, scorer.log_proba("lunch?")))
    {'ham': -0.45198..., 'spam': -1.01160...}
    """
    kernel = compiled_kernel()
    if kernel is None:
        return None
    file = map_model(path)
    try:
        known = _is_known(file.header.settings) and "required" not in file.places
        return Scorer(kernel, file) if known else None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):  # the predictor says what is wrong
        return None


class Scorer:
    """A text model that answers one message at a time, calibrated and by its policy. Made by `open_scorer`.

    It remembers the words it has met and what they weigh, within limits. Threads may share it.
    """

    def __init__(self, kernel: Any, file: MappedFile) -> None:
        settings = file.header.settings
        self.classes: list[Any] = settings["classes"]
        self.is_mail: bool = settings["analyzer"]["kind"] == "mail"
        self._prior: Any = None
        self._shares: tuple[float, ...] = ()
        self._file = file
        self._damage: type[Exception] = kernel.Damage
        self._longest = _MOST_CHARACTERS // settings["analyzer"]["ngrams"][1]
        self._rendered = _renderer(settings["analyzer"]) if self.is_mail else None
        self._calibration = _calibration(settings.get("calibration"), self.classes)
        self._rule = _rule(settings.get("policy"), self.classes)
        self._scores = kernel.TextScorer(
            file.buffer,
            {name: (place.entry.dtype, place.entry.shape, *place[1:]) for name, place in file.places.items()},
            _analysis(settings["analyzer"]),
            settings["model"],
            settings["weights"],
            settings["alpha"],
            len(self.classes),
            _reference(settings.get("reference")),
            settings["unknown"] == "token",
        ).scores

    @property
    def has_policy(self) -> bool:
        """Whether decisions have a price."""
        return self._rule is not None

    def with_prior(self, prior: Any) -> Scorer:
        """The same model where documents come from another mix of classes, as `Predictor.with_prior` says."""
        if prior is None:
            return self
        shifted = copy(self)
        vars(shifted).pop("_predictor", None)
        shifted._prior, shifted._shares = prior, shares_of(prior, self.classes)
        for raw in (False, True):
            shifted._ratios(raw)  # what cannot be corrected is refused now
        return shifted

    def scored(self, document: str | bytes) -> Scored:
        """The raw scores of a text, and its probabilities; a message may be bytes."""
        text: Any = document
        if self.is_mail and isinstance(document, bytes):
            text = document.decode("utf-8", "surrogateescape")
        counted = text if self._rendered is None else self._rendered(text)
        if len(counted) > self._longest:
            return self._ask_predictor(text)
        try:
            joint, length = self._scores(counted)
        except self._damage:
            return self._ask_predictor(text)
        calibrated = joint if self._calibration is None else self._calibration.apply(joint, length)
        return Scored(joint, self._in_mix(log_posterior(calibrated), raw=False))

    def raw_log_proba(self, joint: list[float]) -> list[float]:
        """log P(c | x) of each class as the raw model has it, from the scores that `scored` gives."""
        return self._in_mix(log_posterior(joint), raw=True)

    def log_proba(self, text: str | bytes, *, raw: bool = False) -> list[float]:
        """log P(c | x) of each class: calibrated if the model is, or as the raw model has it."""
        joint, log_proba = self.scored(text)
        return self.raw_log_proba(joint) if raw else log_proba

    def score(self, text: str | bytes, positive: Any) -> float:
        """The log-odds of a class against all others together, from raw scores: it ranks where probabilities tie."""
        return score_of(self.scored(text).joint, self.classes.index(positive))

    def decide(self, text: str | bytes) -> Any:
        """The class that the policy names, None where it is unsure; without a policy, the most probable one."""
        return self.named(self.log_proba(text))

    def named(self, log_proba: list[float]) -> Any:
        """The decision given log P(c | x), which must be calibrated if the model is."""
        if self._rule is None:
            c = log_proba.index(max(log_proba))
        else:
            c = self._rule.decide(log_proba, self._ratios(raw=False))
        return None if c == UNSURE else self.classes[c]

    def _in_mix(self, log_proba: list[float], raw: bool) -> list[float]:
        """Log-probabilities of documents of the expected mix."""
        ratios = self._ratios(raw)
        return log_proba if ratios is None else for_prior(log_proba, ratios, self._shares)

    def _ratios(self, raw: bool) -> list[float] | None:
        """log(new_c / old_c) of each class, where another mix is expected."""
        if not self._shares:
            return None
        return log_ratios(self._shares, self._assumed_raw if raw else self._assumed, self.classes)

    @cached_property
    def _assumed(self) -> list[float]:
        """The mix of classes that probabilities assume."""
        if self._calibration is None:
            return self._assumed_raw
        return self._learned if self._calibration.mix is None else list(self._calibration.mix)

    @cached_property
    def _assumed_raw(self) -> list[float]:
        from textnb.likelihood.families import family

        n = len(self.classes)
        return self._learned if family(self._file.header.settings["model"]).adds_prior(n) else [1 / n] * n

    @cached_property
    def _learned(self) -> list[float]:
        """The prior of the model, whose array the kernel has checked."""
        place = self._file.places["log_prior"]
        logs = unpack(f"<{len(self.classes)}d", self._file.buffer[place.begin : place.end])
        shares = [exp(value - max(logs)) for value in logs]
        return [share / sum(shares) for share in shares]

    def _ask_predictor(self, text: str) -> Scored:
        """What the predictor answers, or the error that it has for a damaged file."""
        return Scored(*(found[0].tolist() for found in self._predictor.scored([text])))

    @cached_property
    def _predictor(self) -> Predictor:
        from textnb.model.file import predictor_of
        from textnb.storage.reader import ModelFile

        return predictor_of(ModelFile(self._file, "touched")).with_prior(self._prior)


# Settings: what is not as expected is a KeyError, a TypeError or a ValueError, and for the predictor to refuse.


def _is_known(settings: dict[str, Any]) -> bool:
    analyzer, labels = settings["analyzer"], settings["classes"]
    low, high = analyzer["ngrams"]
    plain_words = analyzer.get("token_pattern") in (None, DEFAULT_TOKEN_PATTERN)
    own_parts = any(
        analyzer.get(part) is not None for part in ("strip_accents", "preprocessor", "tokenizer", "stemmer")
    )
    return (
        settings["kind"] == "text"
        and settings["rule"] in ("linear", "fitted")
        and settings["unknown"] in ("ignore", "token")
        and "checkpoint" not in settings
        and len({type(label) for label in labels}) == 1
        and type(labels[0]) in (str, int, float, bool)
        and all(a < b for a, b in pairwise(labels))
        and not own_parts
        and (analyzer["kind"] != "word" or plain_words)
        and type(low) is type(high) is int
        and 1 <= low <= high <= _LONGEST_NGRAM
        and is_number(settings["alpha"])
    )


def _analysis(analyzer: dict[str, Any]) -> tuple[Any, ...]:
    stop_words, lowercase = analyzer.get("stop_words"), analyzer["lowercase"]
    if not isinstance(lowercase, bool) or not isinstance(stop_words, list | None):
        raise ValueError("the analyzer has other parts")
    if analyzer["kind"] == "mail":
        return "mail", 1, 1, False, None  # a rendered message has its n-grams as terms
    return analyzer["kind"], *analyzer["ngrams"], lowercase, stop_words


def _renderer(analyzer: dict[str, Any]) -> Callable[[str], str]:
    """From a message to what the kernel counts of it."""
    from textnb.text.mail import PRESETS, render

    preset, ngrams = analyzer["mail"], tuple(analyzer["ngrams"])
    if preset not in PRESETS:
        raise ValueError("the analyzer reads other parts of messages")
    if ngrams == (1, 1):
        return lambda message: render(message, preset)
    from textnb.text.analyzer import Analyzer

    return Analyzer("mail", ngrams, mail=preset).rendered


def _reference(stated: dict[str, Any] | None) -> tuple[int, int] | None:
    return None if stated is None else (stated["n_documents"], stated["unknown_frequency"])


def _calibration(stated: dict[str, Any] | None, classes: list[Any]) -> PlainCalibration | None:
    if stated is None:
        return None
    slopes, mix = (None if stated.get(name) is None else tuple(stated[name]) for name in ("slopes", "mix"))
    calibration = PlainCalibration(
        stated["temperature"],
        stated["length_exponent"],
        tuple(stated["offsets"]),
        slopes,
        stated.get("keeps_label"),
        mix,
    )
    check_calibration(*calibration)
    labels = stated.get("labels")
    if labels is None:
        check_fitted_to(classes, calibration.offsets, mix)
        return calibration
    check_fitted_to(labels, calibration.offsets, mix)
    return calibration._replace(
        offsets=() if not calibration.offsets else values_among(labels, calibration.offsets, classes),
        slopes=None if slopes is None else values_among(labels, slopes, classes),
        mix=None,
    )


def _rule(stated: dict[str, Any] | None, classes: list[Any]) -> PlainRule | None:
    """The decisions that a policy makes among the classes."""
    if stated is None:
        return None
    unsure, protected, threshold = (stated.get(name) for name in ("unsure", "protected", "threshold"))
    prices = stated["prices"]
    numbers = [*(price for _, _, price in prices), *(value for value in (unsure, threshold) if value is not None)]
    if len(classes) > _MOST_PRICED_CLASSES or not all(map(is_number, numbers)):
        raise ValueError("the policy is out of range")
    if (protected is None) != (threshold is None):
        raise ValueError("a protected class and its threshold come together")
    costs = cost_table(len(classes), prices_among(classes, prices), unsure)
    number = {label: c for c, label in enumerate(classes)}.get(protected)
    return PlainRule(costs, number, 0.0 if threshold is None else threshold)
