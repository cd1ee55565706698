"""Random programs on a classifier, each held against a refit from the documents that survive.

A program fits, learns, forgets, merges, saves, loads, prunes and so on, in any order, and some of its calls are refused
or interrupted. After every call the classifier is what its documents alone make of it: the same bytes of the file, the
same digits of predictions. What fails leaves it as it was, to the bit.

    python tests/laws/programs.py --seconds 600
"""

from __future__ import annotations

import argparse
import copy
import os
import pickle
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from textnb import TextClassifier, load
from textnb.likelihood.families import FAMILIES, family
from textnb.model.parameters import usual_weights
from textnb.text import tokenize
from textnb.workflow.refitting import fitted_anew

PIECES = ["apple", "Apple", "bread", "egg", "egg egg", "fig", "<UNK>", "a", "", "中文字", "\ud83d\ud83d", "aaaaaaaa"]
ASKED = ["apple bread", "egg unheard egg", "", "<UNK> 中文字", "aaaaaaaa fig", "nothing known"]
LABELS: dict[str, list[Any]] = {
    "strings": ["x", "y", "a longer one"],
    "integers": [-1, 7, 1600000000000000001],
    "booleans": [False, True],
}
SLOW_PATTERN, SLOW_TEXT = r"(?:a|aa|\w)+$", "a" * 60 + "!"
# What limits may do:
NOTHING_LEFT = "empty vocabulary|no terms remain|nothing is left|max_df corresponds to <|min_df: no term is in"
LINEAR = {"C": 1.0, "beta": 0.5}

texts = st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join)
options = st.fixed_dictionaries(
    {
        "model": st.sampled_from([*FAMILIES, *FAMILIES, *FAMILIES, "nbsvm"]),
        "weights": st.sampled_from(["counts", "binary", "tfidf", "log-tfidf"]),
        "unknown": st.sampled_from(["ignore", "token"]),
        "limits": st.sampled_from(
            [{}, {}, {"min_df": 2}, {"max_df": 0.6}, {"max_features": 3}, {"vocabulary": ["apple", "egg", "zebra"]}]
        ),
        "ngrams": st.sampled_from([(1, 1), (1, 1), (1, 2)]),
        "analyzer": st.sampled_from(["word", "word", "char_wb"]),
        "token_pattern": st.sampled_from([None, None, SLOW_PATTERN]),
        "ledger": st.sampled_from([None, True, False]),
        "calibrate": st.sampled_from([False, False, True, "offsets"]),
    }
)
Document = tuple[str, Any]
folder = tempfile.TemporaryDirectory()


def new(chosen: dict[str, Any]) -> TextClassifier:
    own = {name: chosen[name] for name in ("model", "unknown", "ngrams", "ledger", "calibrate")} | chosen["limits"]
    if chosen["token_pattern"] is not None and chosen["analyzer"] == "word":
        own["token_pattern"] = chosen["token_pattern"]
    if is_linear(chosen):
        own |= LINEAR | {"min_df": chosen["limits"].get("min_df", 1)}
    weights = usual_weights(chosen["model"], chosen["weights"])
    return TextClassifier(**own, weights=weights, analyzer=chosen["analyzer"])


def is_linear(chosen: dict[str, Any]) -> bool:
    return family(chosen["model"]).fitted_to_documents


def simply_adds_up(chosen: dict[str, Any]) -> bool:
    """Whether what a document adds depends on it alone: not on an idf, nor on what was unknown at a fit."""
    weights = family(chosen["model"]).weighting(usual_weights(chosen["model"], chosen["weights"]))
    return weights == "counts" or (weights == "binary" and chosen["unknown"] == "ignore")


def saved(model: TextClassifier) -> bytes:
    path = Path(folder.name, "model.tnb")
    model.save(path)
    return path.read_bytes()


def outcome(model: TextClassifier) -> Any:
    """The bytes of the file, all predictions and the classes; or why there is no rule, which is then the same."""
    try:
        everything = saved(model), model.predict_log_proba(ASKED).tobytes(), model.decide(ASKED)
    except ValueError as error:
        everything = str(error)
    classes = model.classes_
    return everything, classes.tolist(), classes.dtype.kind if len(classes) else "", model.n_documents_


def columns(documents: Counter[Document] | list[Document]) -> tuple[list[str], Any]:
    rows = list(documents.elements()) if isinstance(documents, Counter) else documents
    return [text for text, _ in rows], [label for _, label in rows]


class Interrupted(BaseException):
    """As KeyboardInterrupt, which a test would take for its own."""


@contextmanager
def interrupted_at(nth: int) -> Iterator[None]:
    """An interrupt at the nth call of any Python function of the package."""
    left = iter(range(nth, -1, -1))

    def watch(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and f"{os.sep}textnb{os.sep}" in frame.f_code.co_filename and next(left, None) == 0:
            raise Interrupted

    with mock.patch("sys.unraisablehook", lambda unraisable: None):  # one in a generator that is thrown away
        sys.setprofile(watch)
        try:
            yield
        finally:
            sys.setprofile(None)


class Programs(RuleBasedStateMachine):
    """One program: a classifier, and all that can be said of it by definition."""

    programs = calls = refused = interrupts = 0

    @initialize(data=st.data(), chosen=options, kind=st.sampled_from(sorted(LABELS)))
    def begin(self, data: st.DataObject, chosen: dict[str, Any], kind: str) -> None:
        type(self).programs += 1
        self.chosen, self.labels, self.kind = chosen, LABELS[kind], kind
        self.model = new(chosen)
        self.start: TextClassifier | None = None  # as it was after the last fit, and
        self.at_start: Counter[Document] = Counter()  # the documents that it had then
        self.documents: Counter[Document] = Counter()
        self.order: list[Document] = []  # of the last fit
        self.by_difference = False  # whether only what came and went since then can be told
        self.emptied: set[Any] = set()
        self.pruned = False
        first = data.draw(st.sampled_from([self.fit, self.fit, self.learn, self.partial_fit, None]), label="first")
        if first is not None:
            first(data, None)

    # What it should be

    @property
    def is_fitted(self) -> bool:
        return self.start is not None

    @property
    def has_ledger(self) -> bool:
        return self.chosen["ledger"] is not False

    def began(self, documents: list[Document]) -> None:
        """The classifier starts anew."""
        self.starts_from_here(documents)
        self.by_difference = self.pruned = False

    def starts_from_here(self, documents: list[Document]) -> None:
        """From now on it can only be said what has come and gone."""
        self.start, self.by_difference = copy.deepcopy(self.model), True
        self.documents, self.at_start, self.order = Counter(documents), Counter(documents), documents
        self.emptied = set()

    def rebuilt(self) -> TextClassifier:
        """From where it started, and the documents that it has now."""
        assert self.start is not None
        if is_linear(self.chosen):
            return new(self.chosen).fit(*columns(self.order)).set_policy(self.start.policy_)
        if not self.by_difference:
            return self.start.blank().learn(*columns(self.documents)) if self.documents else self.start.blank()
        other, came, went = copy.deepcopy(self.start), self.documents - self.at_start, self.at_start - self.documents
        if came:
            other.learn(*columns(came))
        if went:
            other.forget(*columns(went))
        for label in self.emptied - {label for _, label in self.documents}:  # an announced class that came and went
            if label in other.classes_:
                other.learn(["apple"], [label]).forget(["apple"], [label])
        return other

    @invariant()
    def is_what_its_documents_make_it(self) -> None:
        type(self).calls += 1
        if not self.is_fitted:
            return
        found = outcome(self.model)
        assert found == outcome(self.rebuilt())
        assert self.model.n_documents_ == self.documents.total()
        independent = simply_adds_up(self.chosen) and not (self.by_difference or is_linear(self.chosen))
        if independent and not self.chosen["calibrate"] and self.model.policy_ is None and self.documents:
            try:
                assert outcome(new(self.chosen).fit(*columns(self.documents))) == found
            except ValueError as error:
                assert re.search(NOTHING_LEFT, str(error)), error

    # Calls

    def do(self, call: Callable[[], Any], then: Callable[[], Any], nth: int | None = None, *, may: str = "") -> None:
        """Make a call, perhaps interrupted in its nth function; `then` says what it has done, unless it is refused."""
        before = outcome(self.model) if self.is_fitted else None
        try:
            if nth is None:
                call()
            else:
                with interrupted_at(nth):
                    call()
        except Interrupted:
            type(self).interrupts += 1
            if self.is_fitted and outcome(self.model) == before:
                return
            if not self.is_fitted and not hasattr(self.model, "learner_"):
                return
        except ValueError as error:
            type(self).refused += 1
            if not may or not re.search(may, str(error)):
                raise
            assert before == (outcome(self.model) if self.is_fitted else None)
            return
        then()

    def refuse(self, call: Callable[[], Any], what: str = "") -> None:
        """A call that must be refused, and leaves all as it was."""
        before = outcome(self.model) if self.is_fitted else None
        try:
            call()
        except ValueError as error:
            assert re.search(what, str(error)), error
        else:
            raise AssertionError("was not refused")
        type(self).refused += 1
        assert before == (outcome(self.model) if self.is_fitted else None)
        assert self.is_fitted or not hasattr(self.model, "learner_")

    def draw_documents(self, data: st.DataObject, most: int = 4) -> list[Document]:
        document = st.tuples(texts, st.sampled_from(self.labels))
        return data.draw(st.lists(document, min_size=1, max_size=most), label="documents")

    def draw_survivors(self, data: st.DataObject) -> list[Document]:
        """Some of the documents that it has."""
        there = list(self.documents.elements())
        return data.draw(st.permutations(there))[: data.draw(st.integers(1, len(there)))]

    def as_given(self, data: st.DataObject, documents: list[Document]) -> tuple[Any, Any]:
        """Lists or arrays."""
        given, labels = columns(documents)
        return given, np.array(labels) if data.draw(st.booleans(), label="as array") else labels

    nths = st.one_of(st.none(), st.none(), st.integers(0, 400))

    @rule(data=st.data(), nth=nths)
    def fit(self, data: st.DataObject, nth: int | None) -> None:
        documents = self.draw_documents(data, 7)
        given = self.as_given(data, documents)
        if is_linear(self.chosen):
            return self.fit_linear(documents)
        return self.do(lambda: self.model.fit(*given), lambda: self.began(documents), nth, may=NOTHING_LEFT)

    def fit_linear(self, documents: list[Document]) -> None:
        documents = [*documents, ("apple bread", self.labels[0]), ("egg fig", self.labels[1])]
        before = outcome(self.model) if self.is_fitted else None
        try:
            self.model.fit(*columns(documents))
        except ValueError as error:
            assert re.search(NOTHING_LEFT, str(error)), error
            assert before == (outcome(self.model) if self.is_fitted else None)
        else:
            self.began(documents)

    @rule(data=st.data(), nth=nths)
    def learn(self, data: st.DataObject, nth: int | None) -> None:
        documents = self.draw_documents(data)
        given = self.as_given(data, documents)
        self.do(lambda: self.model.learn(*given), lambda: self.came(documents), nth, may=self.may_fail)

    @rule(data=st.data(), nth=nths)
    def learn_once(self, data: st.DataObject, nth: int | None) -> None:
        documents = self.draw_documents(data)
        if self.documents and data.draw(st.booleans(), label="known ones too"):
            documents += [(text, data.draw(st.sampled_from(self.labels))) for text, _ in self.draw_survivors(data)]
        given = self.as_given(data, documents)
        may = self.may_fail or ("pruned model cannot forget" if self.pruned else "")
        if not self.has_ledger:
            may = f"needs the ledger|{may or 'needs the ledger'}"
        self.do(lambda: self.model.learn(*given, once=True), lambda: self.came_once(documents), nth, may=may)

    @property
    def may_fail(self) -> str:
        """The refusals of a call that is right, as a pattern."""
        return "refitted" if is_linear(self.chosen) else "" if self.is_fitted else NOTHING_LEFT

    def came(self, documents: list[Document]) -> None:
        if not self.is_fitted:
            return self.began(documents)
        self.documents.update(documents)
        return None

    def came_once(self, documents: list[Document]) -> None:
        """Of each text the last label counts, and it is under no other then; what is there under it stays."""
        final, before = self.documents.copy(), set(self.documents)
        for text, label in dict(documents).items():
            for other in self.labels:
                if other != label:
                    final.pop((text, other), None)
            final[text, label] = max(1, final[text, label])
        if not self.is_fitted:
            return self.began(list(final.elements()))
        self.documents = final
        self.left({label for _, label in before})
        return None

    def left(self, labels: set[Any]) -> None:
        """Classes that had documents, and have none now."""
        self.emptied |= labels - {label for _, label in self.documents}

    @precondition(lambda self: self.documents)
    @rule(data=st.data(), nth=nths)
    def forget(self, data: st.DataObject, nth: int | None) -> None:
        documents = self.draw_survivors(data)
        given = self.as_given(data, documents)

        def went() -> None:
            self.documents = self.documents - Counter(documents)
            self.left({label for _, label in documents})

        may = self.may_fail or ("pruned model cannot forget" if self.pruned else "")
        self.do(lambda: self.model.forget(*given), went, nth, may=may)

    @rule(data=st.data(), nth=nths)
    def partial_fit(self, data: st.DataObject, nth: int | None) -> None:
        documents = self.draw_documents(data)
        if self.is_fitted:
            known = set(self.model.classes_.tolist())
            documents = [document for document in documents if document[1] in known]
            if not documents:
                return
        before, classes = self.documents.copy(), None if self.is_fitted else self.labels
        given = self.as_given(data, documents)

        def then() -> None:
            self.starts_from_here([*before.elements(), *documents])
            self.pruned = self.model.learner_.pruned

        may = self.may_fail or NOTHING_LEFT
        self.do(lambda: self.model.partial_fit(*given, classes=classes), then, nth, may=may)

    @precondition(lambda self: self.is_fitted)
    @rule(data=st.data(), nth=nths, way=st.sampled_from(["merge", "+", "+ reversed"]), blank=st.booleans())
    def merge(self, data: st.DataObject, nth: int | None, way: str, blank: bool) -> None:
        """With what another has learned: one like this, or this itself once more."""
        if is_linear(self.chosen):
            return self.refuse(lambda: self.model.merge(copy.deepcopy(self.model)), "refitted")
        documents = self.draw_documents(data) if blank else list(self.documents.elements())
        other = self.model.blank().learn(*columns(documents)) if blank else copy.deepcopy(self.model)

        def call() -> None:
            if way == "merge":
                self.model.merge(other)
            else:
                self.model = self.model + other if way == "+" else other + self.model

        def then() -> None:
            self.came(documents)
            if not blank and self.by_difference:  # what was counted under no name counts twice as well
                self.starts_from_here(list(self.documents.elements()))

        return self.do(call, then, nth)

    @precondition(lambda self: self.is_fitted)
    @rule(how=st.sampled_from(["pickle", "deepcopy"]))
    def copied(self, how: str) -> None:
        self.model = pickle.loads(pickle.dumps(self.model)) if how == "pickle" else copy.deepcopy(self.model)

    @precondition(lambda self: self.is_fitted)
    @rule()
    def save_and_load(self) -> None:
        try:
            written = saved(self.model)
        except ValueError as error:
            assert re.search(NOTHING_LEFT, str(error)), error
            return
        loaded = load(Path(folder.name, "model.tnb"))
        assert saved(loaded) == written
        self.model = loaded

    @precondition(lambda self: self.is_fitted)
    @rule(most=st.integers(1, 6))
    def prune(self, most: int) -> None:
        """As streams do. What is pruned away is still there, under no name."""
        learner = self.model.learner_
        assert learner is not None
        if is_linear(self.chosen) or learner.reference is not None:  # then streams have pruned before they learn
            return
        before, pruned = learner.counts, learner.prune(most)
        totals = [counts.totals.column_sums() + counts.outside for counts in (before, pruned.counts)]
        assert [total.tolist() for total in totals[1:]] == [totals[0].tolist()]
        assert pruned.counts.n_documents == before.n_documents
        had_rule = not isinstance(outcome(self.model)[0], str)
        if pruned is learner or not had_rule:
            return
        self.model.adopt(pruned)
        self.starts_from_here(list(self.documents.elements()))
        self.pruned = True

    @precondition(lambda self: self.is_fitted)
    @rule(question=st.integers(0, len(ASKED) - 1))
    def compact(self, question: int) -> None:
        """It predicts the same, or of tf-idf nearly, and refuses all else."""
        path = Path(folder.name, "compact.tnb")
        try:
            self.model.save(path, compact=True)
            asked = self.model.predict_log_proba(ASKED)
        except ValueError as error:
            assert re.search(NOTHING_LEFT, str(error)), error
            return
        small, before = load(path), path.read_bytes()
        answers = small.predict_log_proba(ASKED)
        if "tfidf" in self.model.parameters_in_use["weights"]:
            np.testing.assert_allclose(np.exp(answers), np.exp(asked), atol=0.02)
        else:
            assert answers.tobytes() == asked.tobytes()
        label = self.model.classes_.tolist()[0]
        for call in (
            lambda: small.learn(["apple"], [label]),
            lambda: small.forget(["apple"], [label]),
            lambda: small.partial_fit(["apple"], [label]),
            lambda: small.merge(self.model),
            lambda: self.model.merge(small),
            lambda: small.save(path),
            lambda: small.blank(),
        ):
            self.refuse(call)
        assert small.predict_log_proba(ASKED[question : question + 1]).tobytes() == answers[question].tobytes()
        assert path.read_bytes() == before

    @precondition(lambda self: self.is_fitted and len(self.model.classes_) > 1)
    @rule(data=st.data())
    def with_prior(self, data: st.DataObject) -> None:
        """Where the mix of classes is another; the file is that of the model, whatever becomes of the other one."""
        labels = self.model.classes_.tolist()
        shares = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(labels), max_size=len(labels))))
        prior = dict(zip(labels, (shares / shares.sum()).tolist(), strict=True))
        if isinstance(outcome(self.model)[0], str):
            return
        before = outcome(self.model)
        try:
            shifted = self.model.with_prior(prior)
        except ValueError as error:  # a class that only was announced
            assert "for impossible" in str(error), error
            return
        assert saved(shifted) == before[0][0]
        assert (
            shifted.predict_log_proba(ASKED).tobytes() == self.rebuilt().predict_log_proba(ASKED, prior=prior).tobytes()
        )
        if not is_linear(self.chosen):
            shifted.learn(["apple pie"], [labels[0]])
        assert outcome(self.model) == before

    @precondition(lambda self: self.is_fitted)
    @rule(data=st.data(), cost=st.integers(0, 9), unsure=st.sampled_from([None, 0.2]), ceiling=st.booleans())
    def decide_by(self, data: st.DataObject, cost: int, unsure: float | None, ceiling: bool) -> None:
        labels = self.model.classes_.tolist()
        if not labels:
            return
        pair = st.sampled_from(labels)
        costs = {(data.draw(pair), data.draw(pair)): float(cost)}
        protected = {"protected": labels[0], "ceiling": 0.1} if ceiling else {}
        before = outcome(self.model)
        try:
            self.model.decide_by(costs, unsure=unsure, **protected)
        except ValueError:  # the documents are not at hand; a class is not that of an error
            assert outcome(self.model) == before
            return
        assert self.start is not None
        self.start.set_policy(self.model.policy_)

    @precondition(lambda self: self.documents)
    @rule()
    def refit(self) -> None:
        documents = sorted(self.documents.elements(), key=str)
        before = outcome(self.model)
        if not self.pruned and not isinstance(before[0], str):
            try:
                anew = fitted_anew(self.model, *columns(documents), None)
            except ValueError as error:
                assert re.search(NOTHING_LEFT + "|protects|no class|ceiling", str(error)), error
                assert outcome(self.model) == before
                return
            self.model = TextClassifier.of(anew)
            given = anew.parameters_in_use["vocabulary"]
            assert given is None or self.chosen["limits"].get("vocabulary") is not None
            self.began(documents)

    @rule(n_jobs=st.sampled_from([None, 1, 2]))
    def set_n_jobs(self, n_jobs: int | None) -> None:
        self.model.set_params(n_jobs=n_jobs)

    # Calls that must be refused

    @rule(data=st.data(), how=st.sampled_from(["learn", "once", "forget", "fit", "partial_fit"]))
    def call_wrongly(self, data: st.DataObject, how: str) -> None:
        wrong = [self.give_what_is_no_text, self.give_labels_of_another_kind, self.give_more_or_fewer_labels]
        if self.chosen["token_pattern"] is not None and self.chosen["analyzer"] == "word":
            wrong.append(self.give_a_document_that_takes_too_long)
        if self.is_fitted:
            wrong += [
                self.forget_what_was_not_learned,
                self.merge_what_cannot_be_merged,
                self.save_nowhere,
            ]
        data.draw(st.sampled_from(wrong), label="wrong")(data, how)

    def give_what_is_no_text(self, data: st.DataObject, how: str) -> None:
        document = data.draw(st.sampled_from([None, 3, b"\xff", ["a", "list"], float("nan")]))
        self.refuse(lambda: self.call(how, ["apple", document], self.labels[:1] * 2))

    def give_labels_of_another_kind(self, data: st.DataObject, how: str) -> None:
        others = [labels[0] for kind, labels in LABELS.items() if kind != self.kind] + [None, ("a", "tuple")]
        has_kind = self.is_fitted and len(self.model.classes_) and how != "fit"
        for other in others:
            for labels in [[self.labels[0], other], *([[other, other]] if has_kind else [])]:
                self.refuse(lambda labels=labels: self.call(how, ["apple", "egg"], labels))

    def give_more_or_fewer_labels(self, data: st.DataObject, how: str) -> None:
        n = data.draw(st.sampled_from([0, 1, 3]))
        self.refuse(lambda: self.call(how, ["apple", "egg"], self.labels[:1] * n))

    def call(self, how: str, given: list[Any], labels: list[Any]) -> Any:
        if how == "partial_fit":
            return self.model.partial_fit(given, labels, classes=None if self.is_fitted else self.labels)
        return self.model.learn(given, labels, once=True) if how == "once" else getattr(self.model, how)(given, labels)

    def give_a_document_that_takes_too_long(self, data: st.DataObject, how: str) -> None:
        """Beside known ones, which `once` moves to another label."""
        known = self.draw_survivors(data) if self.documents else []
        labels = self.labels if how == "once" else self.labels[:1]
        rows = [(text, data.draw(st.sampled_from(labels))) for text, _ in known] + [(SLOW_TEXT, self.labels[0])]
        self.refuse(lambda: self.call(how, *columns(rows)))

    def forget_what_was_not_learned(self, data: st.DataObject, how: str) -> None:
        documents = [*data.draw(st.permutations(list(self.documents.elements()))), ("never learned", self.labels[0])]
        if self.has_ledger or "vocabulary" not in self.chosen["limits"]:
            self.refuse(lambda: self.model.forget(*columns(documents)))
        if self.documents:
            twice = [*self.documents.elements(), *self.documents.elements()]
            self.refuse(lambda: self.model.forget(*columns(twice)))

    def merge_what_cannot_be_merged(self, data: st.DataObject, how: str) -> None:
        unlike = new(self.chosen | {"ngrams": (1, 3)}).set_params(calibrate=False)
        self.refuse(lambda: self.model.merge(unlike))
        if not is_linear(self.chosen):
            self.refuse(lambda: self.model.merge(unlike.learn(["apple"], [self.labels[0]])))
        self.refuse(lambda: self.model.set_params(ngrams=(1, 3)).learn(["apple"], [self.labels[0]]))
        self.model.set_params(ngrams=self.chosen["ngrams"])

    def save_nowhere(self, data: st.DataObject, how: str) -> None:
        before = outcome(self.model)
        for path in (folder.name, Path(folder.name, "missing", "model.tnb")):
            try:
                self.model.save(path)
            except (ValueError, OSError):
                continue
            raise AssertionError("was saved")
        assert outcome(self.model) == before


@contextmanager
def quickly() -> Iterator[None]:
    """Nothing is flushed to the disk, and a document may not take long: both are tested elsewhere."""
    with (
        mock.patch("os.fsync", lambda descriptor: None),
        mock.patch.object(tokenize, "PATTERN_SECONDS", 0.01),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def run_programs(how: settings) -> None:
    with quickly():
        run_state_machine_as_test(Programs, settings=how)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on")
    seconds = parser.parse_args().seconds
    how = settings(
        max_examples=100,
        stateful_step_count=25,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        run_programs(how)
    print(
        f"{Programs.programs:,} programs, {Programs.calls:,} calls, of which {Programs.refused:,} were refused and "
        f"{Programs.interrupts:,} interrupted: each is what its documents make it"
    )


if __name__ == "__main__":
    main()
