"""Why a document is of a class: its score as a sum of what every term, the prior and the rest add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array
from textnb.model.evidence import Evidence, Kind, constants, without_nan
from textnb.model.flipping import Flip, fewest_words
from textnb.text.spans import Span


class Row(NamedTuple):
    """What one thing adds to the log-odds: contribution = value · weight."""

    term: str
    kind: Kind
    count: int | None  # type: ignore[assignment]  # how often a term occurs; nobody needs tuple.count here
    value: float  # the count as the model weighs it
    weight: float
    contribution: float
    spans: tuple[Span, ...]  # where a term stands in the original text
    source: str | None = None  # the column of a table that it is from

    def to_json(self) -> dict[str, Any]:
        numbers = {name: finite(getattr(self, name)) for name in ("value", "weight", "contribution")}
        found = {**self._asdict(), **numbers, "spans": [list(span) for span in self.spans]}
        return {name: value for name, value in found.items() if name != "source" or value is not None}


class Highlight(NamedTuple):
    """A piece of the text, and what it adds to the log-odds."""

    start: int
    end: int
    share: float
    source: str | None = None  # the column of a table that the text is from


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a document is of a class rather than another.

    Attributes
    ----------
    label, against : the two classes that are compared; `against` is None where there is only one class
    log_odds : the score of the one minus that of the other, as the model has it, uncalibrated; where another mix of
        classes is expected, with what that adds
    probabilities : dict of the classes to their probabilities, calibrated if the model is
    rows : list of Row, the largest contributions first; they add up to `log_odds`
    text : the document, or None of a row of a table
    """

    evidence: tuple[Evidence, ...]
    classes: list[Any]
    joint: Array  # (K,)
    log_proba: Callable[[], Array]  # (K,), calibrated
    label: Any
    against: Any
    predict: Callable[[list[list[str]]], Array]  # the positions of the classes of documents, given their texts
    winner: int  # the position of the class that is predicted

    @property
    def text(self) -> str | None:
        texts = [evidence.text for evidence in self.evidence if evidence.text is not None]
        return texts[0] if len(texts) == 1 else None

    @property
    def texts(self) -> list[tuple[str | None, str]]:
        """The texts of the document, each with the column of a table that it is from."""
        texts = [(evidence.source, evidence.text) for evidence in self.evidence if evidence.text is not None]
        return list(dict.fromkeys(texts))

    @cached_property
    def probabilities(self) -> dict[Any, float]:
        return dict(zip(self.classes, np.exp(self.log_proba()).tolist(), strict=True))

    @property
    def log_odds(self) -> float:
        c, d = self._pair
        return float(self.joint[c] if d is None else self.joint[c] - self.joint[d])

    @cached_property
    def rows(self) -> list[Row]:
        rows = [
            row for evidence, added in zip(self.evidence, self._added, strict=True) for row in _rows(evidence, added)
        ]
        return [rows[i] for i in self._order.tolist()]

    def largest(self, n: int) -> list[Row]:
        """The first n rows: those with the largest contributions."""
        if n >= len(self._order):
            return self.rows
        found: dict[int, Row] = {}
        begin, wanted = 0, self._order[:n]
        for evidence, added in zip(self.evidence, self._added, strict=True):
            (places,) = np.nonzero((wanted >= begin) & (wanted < begin + len(added)))
            found |= zip(places.tolist(), _rows(evidence, added, wanted[places] - begin), strict=True)
            begin += len(added)
        return [found[place] for place in range(n)]

    @cached_property
    def contributions(self) -> Array:
        """What the rows add to the log-odds, the largest first."""
        return np.concatenate(self._added)[self._order]

    @cached_property
    def _added(self) -> list[Array]:
        """What the rows of each source add to the log-odds."""
        return [self._difference(evidence.scores) for evidence in self.evidence]

    @cached_property
    def _order(self) -> Array:
        """The rows of all sources, the largest contributions first."""
        return np.argsort(-np.abs(np.concatenate(self._added)), kind="stable")

    def scores_by_class(self) -> list[tuple[Row, dict[Any, float]]]:
        """Every row with what it adds to each class, beyond what it adds to all of them on average.

        That is one scale for all classes: the difference between two is the contribution to their log-odds.
        """
        scores = np.concatenate([evidence.scores for evidence in self.evidence])[self._order]
        finite_scores = np.isfinite(scores)  # a class that cannot have a term stays at −∞
        n_finite = np.maximum(finite_scores.sum(axis=1, keepdims=True), 1)
        means = np.where(finite_scores, scores, 0.0).sum(axis=1, keepdims=True) / n_finite
        leads = (scores - means).tolist()
        return [(row, dict(zip(self.classes, lead, strict=True))) for row, lead in zip(self.rows, leads, strict=True)]

    def of(self, label: Any = None, against: Any = None) -> Explanation:
        """The same document explained for another pair of classes; by default the likeliest other class."""
        c = self.classes.index(self.label) if label is None else _position(self.classes, label)
        d = _runner_up(self.joint, c) if against is None else _position(self.classes, against)
        if c == d:
            raise ValueError(f"{self.classes[c]!r} is compared with itself: give two different classes")
        if d is not None and np.isneginf(self.joint[[c, d]]).all():
            raise ValueError(f"neither {self.classes[c]!r} nor {self.classes[d]!r} can have produced this document")
        return replace(self, label=self.classes[c], against=None if d is None else self.classes[d])

    @cached_property
    def highlights(self) -> list[Highlight]:
        """The pieces of the text that terms stand on, in order, each with its share of their contributions.

        An n-gram's contribution is divided equally among its words, that of a run of characters among the characters.
        Where weights are counts, a word's share is what masking it would change (its Shapley value); for other weights
        shares add up as well, and are that only nearly.
        """
        sources = dict.fromkeys(evidence.source for evidence in self.evidence if evidence.text is not None)
        return [
            Highlight(start, end, share, source)
            for source in sources
            for start, end, share in zip(*(column.tolist() for column in self.shares(source)), strict=True)
        ]

    def shares(self, source: str | None = None) -> tuple[Array, Array, Array]:
        """Starts, ends and shares of the highlights of a text: that of a column, or the only one."""
        found = [
            _unit_shares(evidence, added)
            for evidence, added in zip(self.evidence, self._added, strict=True)
            if evidence.text is not None and evidence.source == source
        ]
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
        starts, ends, shares = (np.concatenate(columns) for columns in zip(*found, strict=True))
        if len(found) > 1:
            order = np.argsort(starts, kind="stable")
            starts, ends, shares = starts[order], ends[order], shares[order]
        # What overlaps is one piece: two characters made of one, as the lower case of İ, or a text of two parts.
        (apart,) = np.nonzero(np.append(True, starts[1:] >= np.maximum.accumulate(ends)[:-1])[: len(starts)])
        if len(apart) < len(starts):
            starts, ends = starts[apart], np.maximum.reduceat(ends, apart)
            with np.errstate(invalid="ignore"):
                shares = without_nan(np.add.reduceat(shares, apart))
        return starts, ends, shares

    def what_would_flip(self) -> Flip | None:
        """The fewest words without which the document would be of another class, or None if there are no such words.

        All occurrences of a word go together, and what is left is predicted anew. The words are sought by their shares:
        exact for plain counts of up to 32 words; where n-grams or lengths matter, and of very long texts, there might
        be fewer than are found.
        """
        c = self.classes.index(self.label)
        if self.winner != c:
            return None
        texts = [evidence for evidence in self.evidence if evidence.text is not None]
        return fewest_words(texts, self.joint, c, self.classes, self.predict)

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "against": self.against,
            "log_odds": finite(self.log_odds),
            "probabilities": {str(label): p for label, p in self.probabilities.items()},
            "rows": [row.to_json() for row in self.rows],
            "highlights": [
                [start, end, finite(share), *(() if source is None else [source])]
                for start, end, share, source in self.highlights
            ],
            **self._texts_to_json(),
        }

    def _texts_to_json(self) -> dict[str, Any]:
        """What spans point into: the text, or those of a table by column."""
        texts = dict(self.texts)
        return {"text": texts[None]} if None in texts else {"texts": texts}

    def __repr__(self) -> str:
        against = "" if self.against is None else f" against {self.against!r}, log-odds {self.log_odds:+.2f}"
        return f"<Explanation of {self.label!r}{against}, {len(self._order)} rows>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from textnb.report.explanation_html import explanation_html

        return explanation_html(self)

    @property
    def _pair(self) -> tuple[int, int | None]:
        return self.classes.index(self.label), None if self.against is None else self.classes.index(self.against)

    def _difference(self, scores: Array) -> Array:
        """What scores (n, K) add to the log-odds, (n,)."""
        c, d = self._pair
        if d is None:
            return scores[:, c]
        with np.errstate(invalid="ignore"):
            return without_nan(scores[:, c] - scores[:, d])


def explanation(
    evidence: Sequence[Evidence],
    classes: list[Any],
    joint: Array,
    log_prior: Array,
    log_proba: Callable[[], Array],
    predict: Callable[[list[list[str]]], Array],
    *,
    adds_prior: bool,
    winner: int | None = None,
    shift: Array | None = None,
    label: Any = None,
    against: Any = None,
) -> Explanation:
    """The explanation of a document by the evidence of all its sources, and of the prior if the score has it.

    Where no class can have produced the document, nothing was learned from it, and all there is is the prior. `winner`
    is the most probable class, if that is not simply the one of the best score. `shift` (K,) is what another mix of
    classes than the model's adds to scores.
    """
    if np.isneginf(joint).all():
        evidence = [replace(one, scores=np.zeros_like(one.scores)) for one in evidence]
        joint, adds_prior = log_prior, True
    if adds_prior:
        evidence = [*evidence, *constants({"prior": log_prior}, "prior")]
    if shift is not None:
        evidence, joint = [*evidence, *constants({"prior shift": shift}, "prior")], joint + shift
    winner = int(joint.argmax()) if winner is None else winner
    whole = Explanation(tuple(evidence), classes, joint, log_proba, classes[winner], None, predict, winner)
    return whole.of(label, against)


def finite(number: float) -> float | None:
    """A number as JSON can have it."""
    return number if np.isfinite(number) else None


def _position(classes: list[Any], label: Any) -> int:
    if label not in classes:
        raise ValueError(f"the model has no class {label!r}; it has {', '.join(map(repr, classes[:20]))}")
    return classes.index(label)


def _runner_up(joint: Array, c: int) -> int | None:
    if len(joint) < 2:
        return None
    first = int(joint[:c].argmax()) if c else c + 1
    second = c + 1 + int(joint[c + 1 :].argmax()) if c + 1 < len(joint) else first
    return second if joint[second] > joint[first] else first


def _rows(evidence: Evidence, added: Array, which: Array | None = None) -> Iterator[Row]:
    """All rows of a source, or some of them."""
    chosen = np.arange(len(added)) if which is None else which
    values, counts = evidence.values, evidence.counts
    if which is not None:
        added, values, counts = added[which], values[which], None if counts is None else counts[which]
    weights = np.divide(added, values, out=np.zeros(len(added)), where=values != 0)
    kinds = [evidence.kind] * len(added)
    if evidence.unknown is not None:
        for place in np.flatnonzero(chosen == evidence.unknown).tolist():
            kinds[place] = "unknown"
    columns = (
        map(str, evidence.names(chosen)),
        kinds,
        [None] * len(added) if counts is None else counts.tolist(),
        *(column.tolist() for column in (values, weights, added)),
        evidence.spans(which),
        [evidence.source] * len(added),
    )
    return map(tuple.__new__, repeat(Row), zip(*columns, strict=True))  # as Row._make, in a third of the time


def _unit_shares(evidence: Evidence, added: Array) -> tuple[Array, Array, Array]:
    """Starts, ends and shares of the words or characters of a text that terms stand on."""
    located = evidence.located
    shares, n_terms = located.shares(added)
    covered = n_terms > 0
    return located.starts[covered], located.ends[covered], without_nan(shares[covered])
