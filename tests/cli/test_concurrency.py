"""One model file, several processes, some of them killed: what was acknowledged stays, what is read is whole."""

import io
import os
import random
import select
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import textnb as library
from textnb.cli.app import run
from textnb.model.file import learner_of
from textnb.model.update import update_model
from textnb.statistics.ledger import Ledger
from textnb.storage import open_model

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")

ROOT = Path(__file__).parents[2]
KILLS = 200
READY = 10**8
FIRST = [(" ".join(f"w{i * j % 3001}" for j in range(1, 40)), ("ham", "spam")[i % 2]) for i in range(100)]


@pytest.fixture
def path(tmp_path):
    """A model of 3,000 terms: writing it takes a while."""
    fit(FIRST, tmp_path / "model.tnb")
    return tmp_path / "model.tnb"


def fit(rows, path):
    texts, labels = zip(*rows, strict=True)
    library.TextClassifier(weights="counts", calibrate=False).fit(texts, labels).save(path)


def document(i):
    return f"message {i} has its own words n{i} m{i}"


def learn_by_function(path, i):
    update_model(path, lambda learner: learner.learn([document(i)], np.array(["ham"])))


def learn_by_command(path, i):
    message = path.with_name(f"{i}.txt")
    message.write_text(document(i))
    assert run(["learn", str(path), "--label", "ham", str(message)]) == 0


class Child:
    """A forked process that calls `work(say)`; what it said, as whole numbers, and whether it failed."""

    def __init__(self, work):
        self.said, say = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                sys.stdout = io.StringIO()
                work(lambda number: os.write(say, number.to_bytes(4, "big")))
                code = 0
            finally:
                os._exit(code)
        os.close(say)

    def has_said_something(self):
        return bool(select.select([self.said], [], [], 30)[0])

    def end(self, kill):
        """The numbers it has said, and its exit code, which is −9 where it was killed."""
        if kill:
            os.kill(self.pid, signal.SIGKILL)
        numbers = b""
        while piece := os.read(self.said, 1 << 16):
            numbers += piece
        os.close(self.said)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        assert len(numbers) % 4 == 0
        return [int.from_bytes(numbers[at : at + 4], "big") for at in range(0, len(numbers), 4)], code


@contextmanager
def readers(path, n=2):
    """Processes that load the model and predict with it all the time; none may fail, or see documents vanish."""

    def read(say):
        message = path.with_name("question.txt")
        message.write_text("message w1 w2")
        seen = 0
        while not path.with_name("stop").exists():
            model = library.load(path)  # everything is verified
            assert model.n_documents_ >= seen
            seen = model.n_documents_
            assert len(model.learner_.ledger) == seen
            np.testing.assert_allclose(model.predict_proba([document(0)]).sum(), 1)
            assert run(["predict", str(path), str(message)]) == 0
            say(seen)
            time.sleep(0.005)

    children = [Child(read) for _ in range(n)]
    try:
        yield
    finally:
        path.with_name("stop").touch()
        for child in children:
            seen, code = child.end(kill=False)
            assert code == 0
            assert len(seen) >= 3


def learned_by(path, numbers):
    """Which of these documents the model has learned, each once."""
    ledger = learner_of(open_model(path)).ledger
    found = Ledger.of([document(i) for i in numbers], np.zeros(len(numbers), dtype=np.int64), np.array(["ham"]))
    assert len(found.keys) == len(numbers)
    return [i for i in numbers if ledger.has(entry_of(i))[0]]


def entry_of(i):
    return Ledger.of([document(i)], np.zeros(1, dtype=np.int64), np.array(["ham"]))


def leftovers(path):
    return [file.name for file in path.parent.iterdir() if file.suffix == ".tmp"]


@pytest.mark.slow
def test_whatever_is_killed_nothing_acknowledged_is_lost_and_nothing_read_is_torn(path):
    """Two writers at a time learn one message after another until they are killed, 200 in all, beside two readers."""
    chance = random.Random(0)
    acknowledged, tried, most_left = {READY}, 0, 0

    def writer(first):
        learn = learn_by_command if first % 2000 else learn_by_function

        def work(say):
            say(READY)
            for i in range(first, first + 1000):
                learn(path, i)
                say(i)

        return Child(work)

    started = time.monotonic()
    learn_by_function(path, READY)
    usual = time.monotonic() - started

    with readers(path):
        for kill in range(0, KILLS, 2):
            pair = [writer(1000 * (kill + k)) for k in range(2)]
            assert all(child.has_said_something() for child in pair)
            time.sleep(chance.uniform(0, 4 * usual))
            for child in pair:
                numbers, code = child.end(kill=True)
                assert code == -signal.SIGKILL
                acknowledged.update(numbers)
                tried += 1
            most_left = max(most_left, len(leftovers(path)))
    assert tried == KILLS
    assert len(acknowledged) > KILLS / 20  # there was something to lose, on however busy a machine
    assert learned_by(path, sorted(acknowledged)) == sorted(acknowledged)
    learner = learner_of(open_model(path))
    assert learner.counts.n_documents == len(learner.ledger)
    unacknowledged = learner.counts.n_documents - len(FIRST) - len(acknowledged)
    assert 0 <= unacknowledged <= KILLS  # a killed one may have done its work, and at most one
    assert most_left <= 4
    learn_by_function(path, 10**6)
    assert leftovers(path) == []


def test_what_the_killed_have_left_is_a_model_like_any_other(path):
    """Its counts are those of the documents in its ledger, to the byte."""
    for kill in range(6):
        child = Child(lambda say, kill=kill: [(learn_by_function(path, 100 * kill + i), say(i)) for i in range(100)])
        assert child.has_said_something()
        time.sleep(0.003 * kill)
        child.end(kill=True)
    numbers = learned_by(path, range(600))
    assert len(numbers) >= 6
    fit([*FIRST, *((document(i), "ham") for i in numbers)], path.with_name("again.tnb"))
    assert path.read_bytes() == path.with_name("again.tnb").read_bytes()


def test_several_writers_at_once_lose_nothing(path):
    """Order does not matter either: the file is what fitting all documents would have made it."""
    n_writers, n_each = 3, 15

    def work(say, writer):
        for i in range(writer * n_each, (writer + 1) * n_each):
            (learn_by_command if i % 2 else learn_by_function)(path, i)
            say(i)

    with readers(path, 1):
        children = [Child(lambda say, writer=writer: work(say, writer)) for writer in range(n_writers)]
        for child in children:
            said, code = child.end(kill=False)
            assert (len(said), code) == (n_each, 0)
    fit([*FIRST, *((document(i), "ham") for i in range(n_writers * n_each))], path.with_name("again.tnb"))
    assert path.read_bytes() == path.with_name("again.tnb").read_bytes()
    assert leftovers(path) == []


@pytest.mark.slow
def test_processes_of_their_own_killed_at_random_moments(path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    words = [sys.executable, "-m", "textnb", "learn", str(path), "--label", "ham"]
    started = time.monotonic()
    first = subprocess.run(words, input=document(0).encode(), env=environment, capture_output=True, timeout=60)
    usual = time.monotonic() - started
    assert first.stdout.startswith(b"1 learned; ")
    chance, acknowledged = random.Random(1), [0]
    for i in range(1, 9):
        with subprocess.Popen(words, env=environment, **pipes) as child:
            child.stdin.write(document(i).encode())
            child.stdin.close()
            time.sleep(usual * chance.uniform(0.6, 1.2))
            child.kill()
            if child.stdout.read().startswith(b"1 learned; "):
                acknowledged.append(i)
    assert set(acknowledged) <= set(learned_by(path, range(9)))
    assert library.load(path).n_documents_ == len(FIRST) + len(learned_by(path, range(9)))
    learn_by_function(path, 10**6)
    assert leftovers(path) == []
