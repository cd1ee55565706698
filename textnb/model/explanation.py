"""Why a document is of a class: its score as a sum of what every term, the prior and the rest add."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from textnb.arrays import Array
from textnb.text.spans import Occurrence, Span

Kind = Literal["term", "unknown", "value", "prior", "constant"]

_FIRST_WORDS = 64  # words that are each tried alone, which finds a flip by one word wherever there is one among them
_RIVALS = 3  # classes that words are taken away for
_PRUNED = 32  # words among which needless ones are looked for
_MORE_WORDS = 16  # that are tried where shares promise a flip too early


@dataclass(frozen=True)
class Row:
    """What one thing adds to the log-odds: contribution = value · weight."""

    term: str
    kind: Kind
    count: int | None  # how often a term occurs
    value: float  # the count as the model weighs it
    weight: float
    contribution: float
    spans: tuple[Span, ...]  # where a term stands in the original text
    source: str | None = None  # the column of a table that it is from

    def to_json(self) -> dict[str, Any]:
        numbers = {name: finite(getattr(self, name)) for name in ("value", "weight", "contribution")}
        found = {**vars(self), **numbers, "spans": [list(span) for span in self.spans]}
        return {name: value for name, value in found.items() if name != "source" or value is not None}


class Highlight(NamedTuple):
    """A piece of the text, and what it adds to the log-odds."""

    start: int
    end: int
    share: float
    source: str | None = None  # the column of a table that the text is from


class Flip(NamedTuple):
    """Words without which a document would be of another class."""

    words: list[str]
    spans: list[Span]
    label: Any
    sources: list[str | None]  # of each span, the column of a table that its text is from


@dataclass(frozen=True, eq=False)
class Evidence:
    """Things of one source, such as the terms of a text: what each adds to the score of every class."""

    kind: Kind
    names: Callable[[], list[str]]
    scores: Array  # (n, K)
    values: Array  # (n,)
    counts: Array | None = None  # (n,), of terms
    text: str | None = None
    occurrences: Callable[[], Iterator[Occurrence]] | None = None
    words: Callable[[], list[Occurrence]] | None = None
    unknown: int | None = None  # the row of terms outside the vocabulary
    source: str | None = None  # the column of a table that it is from

    @cached_property
    def terms(self) -> list[str]:
        return self.names()

    @cached_property
    def places(self) -> tuple[Array, list[tuple[Span, ...]]]:
        """For every occurrence of a term that counts, its row and its parts in the text."""
        if self.occurrences is None:
            return np.zeros(0, dtype=np.int64), []
        known = {term: row for row, term in enumerate(self.terms) if row != self.unknown}
        rows, parts = [], []
        for occurrence in self.occurrences():
            row = known.get(occurrence.term, self.unknown)
            if row is not None and occurrence.parts:
                rows.append(row)
                parts.append(occurrence.parts)
        return np.array(rows, dtype=np.int64), parts

    @cached_property
    def spans(self) -> list[list[Span]]:
        """Of every row, where its term stands."""
        found: list[list[Span]] = [[] for _ in range(len(self.scores))]
        rows, parts = self.places
        for row, places in zip(rows.tolist(), parts, strict=True):
            found[row].append((places[0][0], places[-1][1]))
        return found

    def shares(self, added: Array) -> Iterator[tuple[Span, Array]]:
        """What the parts of all occurrences add, given what the rows add, (n,) or (n, K).

        A term's contribution is divided equally among its occurrences, and that of an n-gram among its words.
        """
        rows, parts = self.places
        times = np.bincount(rows, minlength=len(self.scores))
        for row, places in zip(rows.tolist(), parts, strict=True):
            share = added[row] / (times[row] * len(places))
            for place in places:
                yield place, share


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a document is of a class rather than another.

    Attributes
    ----------
    label, against : the two classes that are compared; `against` is None where there is only one class
    log_odds : the score of the one minus that of the other, as the model has it, uncalibrated
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
        return sorted(self._rows_of_evidence, key=self._rank)

    @cached_property
    def _rows_of_evidence(self) -> list[Row]:
        return [row for evidence in self.evidence for row in self._rows(evidence)]

    @staticmethod
    def _rank(row: Row) -> tuple[float, str, str]:
        return -abs(row.contribution), row.kind, row.term

    def _rows(self, evidence: Evidence) -> Iterator[Row]:
        added = self._added(evidence.scores).tolist()
        counts = [None] * len(added) if evidence.counts is None else evidence.counts.tolist()
        columns = (evidence.terms, counts, evidence.values.tolist(), added, evidence.spans)
        for i, (term, count, value, contribution, spans) in enumerate(zip(*columns, strict=True)):
            kind = "unknown" if i == evidence.unknown else evidence.kind
            weight = contribution / value if value else 0.0
            yield Row(str(term), kind, count, value, weight, contribution, tuple(spans), evidence.source)

    def scores_by_class(self) -> list[tuple[Row, dict[Any, float]]]:
        """Every row with what it adds to each class, beyond what it adds to all of them on average.

        That is one scale for all classes: the difference between two is the contribution to their log-odds.
        """
        rows = self._rows_of_evidence
        scores = np.concatenate([evidence.scores for evidence in self.evidence])
        leads = (scores - scores.mean(axis=1, keepdims=True)).tolist()
        both = [(row, dict(zip(self.classes, lead, strict=True))) for row, lead in zip(rows, leads, strict=True)]
        return sorted(both, key=lambda pair: self._rank(pair[0]))

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
        return [piece for evidence in self.evidence if evidence.text is not None for piece in self._pieces(evidence)]

    def _pieces(self, evidence: Evidence) -> Iterator[Highlight]:
        edges: dict[int, list[float]] = {}  # of every place: by how much the density changes, and how many parts begin
        for (start, end), share in evidence.shares(self._added(evidence.scores)):
            density = float(share) / (end - start)
            for place, sign in ((start, 1), (end, -1)):
                edge = edges.setdefault(place, [0.0, 0])
                edge[0] += sign * density
                edge[1] += sign
        density, n_open, places = 0.0, 0.0, sorted(edges)
        for start, end in pairwise(places):
            density, n_open = density + edges[start][0], n_open + edges[start][1]
            if n_open:
                yield Highlight(start, end, density * (end - start), evidence.source)
            else:
                density = 0.0  # nothing is left of it but rounding

    def what_would_flip(self) -> Flip | None:
        """The fewest words without which the document would be of another class, or None if there are no such words.

        All occurrences of a word go together, and what is left is predicted anew. The words are sought by their shares:
        exact for single words, and up to 32 plain counts; where n-grams or lengths matter, there might be fewer.
        """
        return _Words.of(self).flip()

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "against": self.against,
            "log_odds": finite(self.log_odds),
            "probabilities": {str(label): p for label, p in self.probabilities.items()},
            "rows": [row.to_json() for row in self.rows],
        }

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from textnb.report.explanation_html import explanation_html

        return explanation_html(self)

    @property
    def _pair(self) -> tuple[int, int | None]:
        return self.classes.index(self.label), None if self.against is None else self.classes.index(self.against)

    def _added(self, scores: Array) -> Array:
        """What rows add to the log-odds; what makes both classes impossible says nothing about either."""
        c, d = self._pair
        if d is None:
            return scores[:, c]
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(scores[:, c] - scores[:, d], nan=0.0, posinf=np.inf, neginf=-np.inf)


def explanation(
    evidence: Sequence[Evidence],
    classes: list[Any],
    joint: Array,
    log_prior: Array,
    log_proba: Callable[[], Array],
    predict: Callable[[list[list[str]]], Array],
    *,
    adds_prior: bool,
    label: Any = None,
    against: Any = None,
) -> Explanation:
    """The explanation of a document by the evidence of all its sources, and of the prior if the score has it.

    Where no class can have produced the document, nothing was learned from it, and all there is is the prior.
    """
    if np.isneginf(joint).all():
        evidence = [replace(one, scores=np.zeros_like(one.scores)) for one in evidence]
        joint, adds_prior = log_prior, True
    if adds_prior:
        evidence = [*evidence, *constants({"prior": log_prior}, "prior")]
    winner = int(joint.argmax())
    whole = Explanation(tuple(evidence), classes, joint, log_proba, classes[winner], None, predict)
    return whole.of(label, against)


def constants(scores: dict[str, Array], kind: Kind) -> list[Evidence]:
    """Evidence that no term brings, by name; what adds nothing to any class is left out."""
    return [
        Evidence(kind, lambda name=name: [name], added[np.newaxis], np.ones(1))  # type: ignore[misc]
        for name, added in scores.items()
        if added.any()
    ]


def finite(number: float) -> float | None:
    """A number as JSON can have it."""
    return number if np.isfinite(number) else None


def _position(classes: list[Any], label: Any) -> int:
    if label not in classes:
        raise ValueError(f"the model has no class {label!r}; it has {', '.join(map(repr, classes[:20]))}")
    return classes.index(label)


def _runner_up(joint: Array, c: int) -> int | None:
    others = np.delete(np.arange(len(joint)), c)
    return int(others[joint[others].argmax()]) if len(others) else None


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of a document, each with all its places, and what they add to the score of every class."""

    explained: Explanation
    names: list[str]
    places: list[list[tuple[int, Span]]]  # which text, and where in it
    shares: Array  # (n, K)

    @classmethod
    def of(cls, explained: Explanation) -> _Words:
        names: dict[str, int] = {}
        places: list[list[tuple[int, Span]]] = []
        added: list[Array] = []
        for t, evidence in enumerate(one for one in explained.evidence if one.text is not None):
            assert evidence.words is not None
            spans, owners = [], []
            for word in evidence.words():
                if word.span is None:
                    continue
                i = names.setdefault(str(word.term), len(names))
                if i == len(places):
                    places.append([])
                    added.append(np.zeros(len(explained.classes)))
                places[i].append((t, word.span))
                spans.append(word.span)
                owners.append(i)
            starts = [start for start, _ in spans]
            for (start, end), share in evidence.shares(evidence.scores):
                for k in range(max(bisect_right(starts, start) - 1, 0), len(spans)):
                    if spans[k][0] >= end:
                        break
                    overlap = min(end, spans[k][1]) - max(start, spans[k][0])
                    if overlap > 0:
                        added[owners[k]] = added[owners[k]] + share * (overlap / (end - start))
        return cls(explained, list(names), places, np.array(added).reshape(len(names), len(explained.classes)))

    def flip(self) -> Flip | None:
        explained = self.explained
        joint, c = explained.joint, explained.classes.index(explained.label)
        if int(joint.argmax()) != c or not len(self.names):
            return None
        rivals = [d for d in np.argsort(-joint, kind="stable").tolist() if d != c]
        with np.errstate(invalid="ignore"):
            gains = {d: np.nan_to_num(self.shares[:, c] - self.shares[:, d], nan=0.0) for d in rivals}
        best: tuple[list[int], int] | None = None
        if rivals:
            order = np.argsort(-np.max([gains[d] for d in rivals], axis=0), kind="stable")[:_FIRST_WORDS].tolist()
            best = self._first([[i] for i in order])
        for d in rivals[:_RIVALS] if best is None else []:
            order = [i for i in np.argsort(-gains[d], kind="stable").tolist() if gains[d][i] > 0]
            n = int(np.searchsorted(np.cumsum(gains[d][order]), joint[c] - joint[d]))
            found = self._first(
                [order[:k] for k in sorted({*range(max(n, 1), n + _MORE_WORDS), len(order)}) if k <= len(order)]
            )
            if found is not None:
                found = self._without_needless(*found)
                best = found if best is None or len(found[0]) < len(best[0]) else best
        if best is None:
            return None
        words, label = best
        sources = [evidence.source for evidence in explained.evidence if evidence.text is not None]
        places = sorted(place for i in words for place in self.places[i])
        spans, of = [span for _, span in places], [sources[t] for t, _ in places]
        return Flip([self.names[i] for i in words], spans, explained.classes[label], of)

    def _first(self, candidates: list[list[int]]) -> tuple[list[int], int] | None:
        """The first of some sets of words without which the class is another, and that class."""
        if not candidates:
            return None
        c = self.explained.classes.index(self.explained.label)
        labels = self.explained.predict([self._texts_without(words) for words in candidates]).tolist()
        return next(((words, label) for words, label in zip(candidates, labels, strict=True) if label != c), None)

    def _without_needless(self, words: list[int], label: int) -> tuple[list[int], int]:
        """Fewer words that do as well, the least telling left out first."""
        while 1 < len(words) <= _PRUNED:  # of more, nobody reads which
            fewer = self._first([words[:i] + words[i + 1 :] for i in reversed(range(len(words)))])
            if fewer is None:
                break
            words, label = fewer
        return words, label

    def _texts_without(self, words: list[int]) -> list[str]:
        texts = [evidence.text for evidence in self.explained.evidence if evidence.text is not None]
        for t, text in enumerate(texts):
            pieces, position = [], 0
            for start, end in sorted(span for i in words for of, span in self.places[i] if of == t):
                pieces.append(text[position:start])
                position = max(end, position)
            texts[t] = "".join([*pieces, text[position:]])
        return texts
