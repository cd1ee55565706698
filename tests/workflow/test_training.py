"""Training as a function: corpora of every kind, settings, progress; nothing is printed."""

import json
from contextlib import contextmanager

import numpy as np
import pytest
from cli.conftest import mail

from textnb import TextClassifier, load
from textnb.corpora import ReadOptions
from textnb.corpora.corpus import make_corpus, select
from textnb.report.evaluation import evaluation_text
from textnb.workflow import Decisions, Progress, audit, cross_validate, evaluate, train, train_stream, tune
from textnb.workflow.training import split_documents

TEXTS, LABELS = map(list, zip(*mail(), strict=True))
MULTINOMIAL = {"model": "multinomial", "weights": "counts"}


@pytest.fixture
def corpus():
    return make_corpus("mail", TEXTS, LABELS, "made up")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in zip(TEXTS, LABELS, strict=True)))
    return path


def test_a_corpus_and_the_table_that_it_was_read_from_give_the_same(corpus, table):
    from_corpus, from_table = train(corpus, **MULTINOMIAL), train(table, **MULTINOMIAL)
    assert from_corpus.evaluation.accuracy == from_table.evaluation.accuracy
    assert from_table.model_file is None
    np.testing.assert_array_equal(
        from_corpus.classifier.predict_log_proba(TEXTS), from_table.classifier.predict_log_proba(TEXTS)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_group_of_a_class_of_one_document_is_on_one_side_too(seed):
    groups, labels = np.append(np.arange(40) // 4, 3), ["ham", "spam"] * 20 + ["rare"]
    grouped = make_corpus("mail", [f"text {i}" for i in range(41)], labels, "41 documents", groups=groups)
    learn, test, _ = split_documents(grouped, test_size=0.5, seed=seed)
    assert sorted([*learn, *test]) == list(range(41))
    assert len(test) > 10
    assert not set(groups[learn]) & set(groups[test])
    assert 40 in learn


def test_the_classifier_is_the_one_evaluated_and_saved(corpus, tmp_path):
    result = train(corpus, output=tmp_path / "mail.tnb", **MULTINOMIAL)
    np.testing.assert_array_equal(load(tmp_path / "mail.tnb").predict(TEXTS), result.classifier.predict(TEXTS))
    assert result.n_train + result.evaluation.n == len(TEXTS)
    assert evaluate(result.classifier, corpus).to_json() == evaluate(tmp_path / "mail.tnb", corpus).to_json() | {
        "model_file": None
    }


def test_settings_are_chosen_unless_one_is_given(corpus):
    assert train(corpus).choice is not None
    given = train(corpus, alpha=0.5)
    assert given.choice is None
    assert given.classifier.get_params() == TextClassifier(alpha=0.5).get_params()
    assert train(corpus, alpha="auto").choice is not None
    with pytest.raises(ValueError, match="auto needs the text of all documents in memory"):
        train_stream("mail.jsonl", alpha="auto")


def test_decisions_have_their_price(corpus):
    result = train(corpus, decisions=Decisions({("ham", "spam"): 10.0}, unsure=0.2), **MULTINOMIAL)
    assert result.decisions.n == result.evaluation.n
    assert result.classifier.policy_ is not None


def test_categories_are_those_of_the_corpus(corpus):
    with pytest.raises(ValueError, match="has only the class 'ham'"):
        train(corpus, options=ReadOptions(categories=["ham"]))
    with pytest.raises(ValueError, match="mail has no class 'hamm'"):
        tune(corpus, options=ReadOptions(categories=["hamm"]))


def test_nothing_is_printed(corpus, table, capsys):
    train(corpus, **MULTINOMIAL)
    cross_validate(table, 3, **MULTINOMIAL)
    train_stream(table, **MULTINOMIAL)
    audit(corpus, select(corpus, categories=["ham"]))
    assert capsys.readouterr() == ("", "")


class Heard(Progress):
    """Remembers what it is told."""

    def __init__(self):
        self.messages, self.steps = [], {}

    def status(self, message):
        self.messages.append(message)

    notice = warn = status

    def step(self, description, unit, total=None):
        return self.bar(description, unit, total)

    @contextmanager
    def bar(self, description, unit, total=None):
        step = self.steps.setdefault(description, [])
        yield lambda n, note: step.append(n)


def test_training_tells_of_every_candidate_it_tries(corpus):
    heard, notes = Heard(), []

    @contextmanager
    def bar(description, unit, total=None):
        yield lambda n, note: notes.append((description, n, note))

    heard.bar = bar
    choice = train(corpus, progress=heard).choice
    best = np.maximum.accumulate([trial.accuracy for trial in choice.trials])
    assert [note for note in notes if note[0] == "tuning"] == [("tuning", 1, f"best {found:.4f}") for found in best]
    notes.clear()
    train(corpus, progress=heard, **MULTINOMIAL)
    assert all(description != "tuning" for description, _, _ in notes)


def test_progress_is_heard_by_who_listens(corpus, table):
    heard = Heard()
    cross_validate(table, 4, progress=heard, **MULTINOMIAL)
    tune(corpus, progress=heard)
    train_stream(table, progress=heard, **MULTINOMIAL)
    assert heard.messages == [f"reading {table} …", "evaluating …"]
    assert heard.steps["cross-validating"] == [1] * 4
    assert len(heard.steps["tuning"]) > 10
    assert sum(heard.steps["learning"]) == table.stat().st_size


def test_steps_of_long_work_are_heard(corpus, table, tmp_path):
    heard = Heard()
    train(table, progress=heard, model="nbsvm", output=tmp_path / "m.tnb")
    assert sum(heard.steps[f"reading {table}"]) == len(corpus)
    assert len(heard.steps["fitting"]) > 5
    assert "calibrating" in heard.steps
    assert f"writing {tmp_path / 'm.tnb'}" in heard.steps


@pytest.mark.parametrize("calibrate", [True, False])
def test_the_reliability_of_raw_probabilities_is_measured_too(corpus, calibrate):
    result = train(corpus, model="multinomial", calibrate=calibrate)
    found = result.evaluation.raw_reliability
    assert (found is not None) == calibrate
    again = evaluate(result.classifier, corpus, include_learned=True).evaluation
    assert (again.raw_reliability is not None) == calibrate
    if calibrate:
        raw = np.exp(result.classifier.predict_log_proba(corpus.texts, raw=True)).max(axis=1)
        assert np.average(again.raw_reliability.confidence, weights=again.raw_reliability.counts) == pytest.approx(
            raw.mean()
        )
        assert again.raw_reliability.histogram.sum() == len(corpus)


def told(result):
    return dict(result.told)


def test_settings_are_told_that_were_set_or_chosen(corpus, tmp_path):
    chosen = train(corpus, output=tmp_path / "m.tnb")
    assert list(told(chosen))[:4] == ["model", "weights", "alpha", "ngrams"]
    assert {"analyzer", "unknown"}.isdisjoint(told(chosen)) or "analyzer" in chosen.model.given_and_chosen[1]
    assert told(train(corpus, alpha=1.0, unknown="token")) == {"alpha": 1.0, "unknown": "token"}
    assert told(train(corpus, model="multinomial", calibrate=False)) == {"model": "multinomial", "calibrate": False}
    assert told(evaluate(tmp_path / "m.tnb", corpus, include_learned=True)) == told(chosen)


def test_where_nothing_was_set_or_chosen_the_settings_are_the_usual_ones():
    few = make_corpus("few", ["cheap pills", "buy cheap", "lunch", "at noon"] * 2, ["a", "a", "b", "b"] * 2, "made up")
    result = train(few)
    assert told(result) == {}
    line = "settings   the usual: model complement, weights log-tfidf, alpha 1, ngrams 1,1"
    assert line in evaluation_text(result).splitlines()


def test_a_stream_that_is_stopped_between_blocks_goes_on_from_its_checkpoint(table, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.text.documents.BLOCK_CHARACTERS", 500)
    whole, output, checkpoint = tmp_path / "whole.tnb", tmp_path / "m.tnb", tmp_path / "c.part"
    train_stream(table, output=whole, weights="log-tfidf")

    @contextmanager
    def stop_after_each_block():
        yield
        raise KeyboardInterrupt

    heard, stops = Heard(), 0
    while not output.exists():
        try:
            more = {"undisturbed": stop_after_each_block, "progress": heard}
            train_stream(table, checkpoint=checkpoint, output=output, weights="log-tfidf", **more)
        except KeyboardInterrupt:
            stops += 1
            assert checkpoint.exists()
    assert stops > 5
    assert heard.messages[0] == f"saved what was learned in {checkpoint}; the same command goes on from there"
    assert output.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()
