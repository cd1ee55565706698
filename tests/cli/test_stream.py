"""`textnb train` on streams: read block by block, interrupted, gone on with."""

import array
import errno
import fcntl
import gzip
import os
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import mail
from cli.test_merge import write_table

import textnb as library
from textnb.model.file import learner_of
from textnb.storage import open_model
from textnb.text import documents as text_documents
from textnb.workflow.stream import StreamLearner, is_held_out

ROOT = Path(__file__).parents[2]
RARE = [(f"{text} w{i} w{i % 7} w{i % 13}", label) for i, (text, label) in enumerate(mail(60))]

PLAIN = ("--model", "complement")  # what `fitted` takes by default

WAYS = [
    (("--weights", "counts"), {"weights": "counts"}),
    (
        ("--weights", "counts", "--unknown", "token", "--min-df", "2"),
        {"weights": "counts", "unknown": "token", "min_df": 2},
    ),
    (PLAIN, {"weights": "log-tfidf"}),
    (("--weights", "binary", "--unknown", "token"), {"weights": "binary", "unknown": "token"}),
    (
        ("--weights", "tfidf", "--unknown", "token", "--min-df", "3"),
        {"weights": "tfidf", "unknown": "token", "min_df": 3},
    ),
    (("--model", "bernoulli", "--ledger"), {"model": "bernoulli", "weights": "log-tfidf", "ledger": True}),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(text_documents, "BLOCK_CHARACTERS", 1500)


@pytest.fixture
def table(tmp_path):
    write_table(tmp_path / "mail.jsonl", RARE)
    return tmp_path / "mail.jsonl"


def kept(rows, share=0.3, seed=0):
    return [row for row in rows if not is_held_out(row[0], share, seed)]


def fitted(path, rows, **settings):
    """The bytes of a model of these (text, label) pairs, fitted in memory."""
    texts, labels = zip(*rows, strict=True)
    settings = {"model": "complement", "ledger": False, "calibrate": False, **settings}
    library.TextClassifier(**settings).fit(texts, labels).save(path)
    return path.read_bytes()


# Equal to what is fitted in memory


@pytest.mark.parametrize(("options", "settings"), WAYS)
def test_a_stream_is_learned_as_in_memory(textnb, table, tmp_path, options, settings):
    done = textnb("train", table, "--stream", "--output", "m.tnb", *options, "--json")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE), **settings)
    test = [row for row in RARE if is_held_out(row[0], 0.3, 0)]
    predicted = library.load(tmp_path / "m.tnb").predict([text for text, _ in test])
    assert done.json["accuracy"] == np.mean(predicted == [label for _, label in test])
    assert (done.json["n_train"], done.json["n_test"]) == (len(RARE) - len(test), len(test))


def test_sources_of_every_kind(textnb, table, tmp_path):
    whole = fitted(tmp_path / "memory.tnb", kept(RARE))
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(table.read_bytes()))
    (tmp_path / "mail.csv").write_text("".join(f"{text},{label}\n" for text, label in [("text", "label"), *RARE]))
    (tmp_path / "parts").mkdir()
    for i in range(3):
        write_table(tmp_path / "parts" / f"{i}.jsonl", RARE[i::3])
    for source in ("mail.jsonl", "mail.csv", "packed.jsonl.gz", "parts/*.jsonl"):
        assert textnb("train", source, *PLAIN, "--stream", "--output", "m.tnb").code == 0
        assert (tmp_path / "m.tnb").read_bytes() == whole
    for form in ((), ("--format", "jsonl")):
        (tmp_path / "stream.tnb").unlink(missing_ok=True)
        assert textnb("train", "-", *PLAIN, *form, stdin=table.read_bytes()).code == 0
        assert (tmp_path / "stream.tnb").read_bytes() == whole  # its name where nothing has one
    assert textnb("train", "parts/*.jsonl", *PLAIN).code == 0
    assert (tmp_path / "stream.tnb").read_bytes() == whole


def test_which_documents_are_held_out_is_up_to_share_and_seed(textnb, table, tmp_path):
    textnb("train", table, *PLAIN, "--stream", "--test-size", 0.5, "--seed", 7, "--output", "m.tnb")
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE, 0.5, 7))


def test_bad_rows_are_skipped_and_reported(textnb, table, tmp_path):
    with table.open("a") as file:
        file.write('{"text": 1, "label": "ham"}\n' + "nonsense\n" * 6)
    done = textnb("train", table, *PLAIN, "--stream", "--json", "--output", "m.tnb")
    assert (done.code, len(done.json["skipped"])) == (0, 7)
    assert done.err.startswith(f"textnb: skipped {table}: line 121: its 'text' is not a string\n")
    assert "skipped 2 more" in done.err
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE))
    assert textnb("train", table, "--stream", "--quiet").err == ""
    strict = textnb("train", table, "--stream", "--strict")
    assert (strict.code, strict.out, strict.err.count("\n")) == (2, "", 1)
    assert "line 121" in strict.err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("train mail.jsonl --stream --cv 3", "--cv needs all documents at once"),
        ("train mail.jsonl --stream --categories ham", "--categories needs all documents at once"),
        ("train mail.jsonl --stream --checkpoint mail.tnb", "two files"),
        ("train mail.jsonl --checkpoint nodir/c.part", "nodir/c.part: the folder does not exist"),
        ("train mail.jsonl --prune 1", "--prune"),
        ("train mail.jsonl --stream --test-size 0.000001", "no document of mail.jsonl was held out.*--test-size"),
        ("train mail.jsonl --stream --test-size 0.99999", "no document is left to learn from.*smaller"),
        ("train one.jsonl --stream", "only the class 'ham'"),
        ("train no*.jsonl", "no\\*.jsonl"),
        ("train -", "stdin"),
        ("train mail.jsonl --stream --text body", "body"),
        ("train sms-spam --stream", "sms-spam is no table.*without a stream"),
        ("train . --prune 100", "is no table.*no prune"),
        ("train mail.jsonl --scheduler tcp://127.0.0.1:8786", "--scheduler.*--engine dask"),
    ],
)
def test_a_wrong_call_is_one_line_and_leaves_no_file(textnb, table, tmp_path, call, said):
    write_table(tmp_path / "one.jsonl", [(f"lunch {i}", "ham") for i in range(50)])
    done = textnb(*call.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.search(said, done.err)
    assert not list(tmp_path.glob("*.tnb"))


# Pruned


@pytest.mark.parametrize("weights", ["counts", "log-tfidf"])
@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_what_is_pruned_is_counted_as_unknown(textnb, table, tmp_path, weights, unknown):
    options = ("--weights", weights, "--unknown", unknown, "--output", "m.tnb")
    assert textnb("train", table, "--prune", 40, *options).code == 0
    counts = learner_of(open_model(tmp_path / "m.tnb")).counts
    assert 20 <= len(counts.terms) <= 40
    if weights == "counts":
        words = {
            label: sum(len(re.findall(r"\w\w+", text)) for text, of in kept(RARE) if of == label)
            for label in counts.classes
        }
        assert (counts.totals.column_sums() + counts.outside).tolist() == [words[label] for label in counts.classes]
    assert counts.outside.all() or (weights != "counts" and unknown == "ignore")
    found = textnb("inspect", "m.tnb", "--json").json
    assert found["learning"]["pruned"]
    assert "pruned, so that it cannot forget" in textnb("inspect", "m.tnb").out
    before = (tmp_path / "m.tnb").read_bytes()
    done = textnb("forget", "m.tnb", "--label", "ham", stdin=kept(RARE)[0][0].encode())
    assert done.code == 2
    assert "a pruned model cannot forget" in done.err
    assert (tmp_path / "m.tnb").read_bytes() == before
    assert textnb("learn", "m.tnb", "--label", "ham", stdin=b"lunch").code == 0
    assert textnb("predict", "m.tnb", stdin=b"free cheap pills").out.startswith("spam")


def test_pruning_that_never_has_to_is_exact(textnb, table, tmp_path):
    assert textnb("train", table, *PLAIN, "--prune", 1000, "--output", "m.tnb").code == 0
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE))


# Interrupted


def interrupt(monkeypatch, block, *signals):
    """Send signals to this process while it learns a block, counted over all passes."""
    take, taken = StreamLearner._take, []

    def take_and_interrupt(learning, documents):
        taken.append(documents)
        if len(taken) == block:
            for number in signals:
                os.kill(os.getpid(), number)
        take(learning, documents)

    monkeypatch.setattr(StreamLearner, "_take", take_and_interrupt)
    return taken


def blocks_in_all(textnb, monkeypatch, table, options):
    with monkeypatch.context() as patched:
        taken = interrupt(patched, 0)
        assert textnb("train", table, "--stream", "--output", "whole.tnb", *options).code == 0
    return len(taken)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [*(options for options, _ in WAYS), ("--weights", "counts", "--prune", "40")])
def test_interrupted_in_any_block_of_any_pass_it_goes_on_to_the_same_model(
    textnb, table, tmp_path, monkeypatch, options, number
):
    call = ("train", table, "--checkpoint", "c.part", "--output", "m.tnb", *options)
    for block in range(1, blocks_in_all(textnb, monkeypatch, table, options) + 1):
        with monkeypatch.context() as patched:
            interrupt(patched, block, number)
            done = textnb(*call)
        assert (done.code, done.out) == (130, "")
        assert "saved what was learned in c.part; the same command goes on from there" in done.err
        assert not (tmp_path / "m.tnb").exists()
        done = textnb(*call)
        assert done.code == 0
        assert "going on from c.part" in done.err
        assert (tmp_path / "m.tnb").read_bytes() == (tmp_path / "whole.tnb").read_bytes()
        assert not (tmp_path / "c.part").exists()
        (tmp_path / "m.tnb").unlink()


def test_it_may_be_interrupted_again_and_again(textnb, table, tmp_path, monkeypatch):
    call = ("train", "-", "--checkpoint", "c.part", "--output", "m.tnb", "--quiet")
    n = 0
    while True:
        with monkeypatch.context() as patched:
            interrupt(patched, 1, signal.SIGINT)
            code = textnb(*call, stdin=table.read_bytes()).code
        if code == 0:
            break
        assert (code, (tmp_path / "c.part").exists()) == (130, True)
        n += 1
    assert n == blocks_in_all(textnb, monkeypatch, table, ())
    assert (tmp_path / "m.tnb").read_bytes() == (tmp_path / "whole.tnb").read_bytes()


def test_interrupted_while_it_evaluates_it_need_not_learn_again(textnb, table, tmp_path, monkeypatch):
    call = ("train", table, *PLAIN, "--checkpoint", "c.part", "--output", "m.tnb")
    with monkeypatch.context() as patched:
        patched.setattr(
            "textnb.workflow.stream_training.evaluate_stream", lambda *_: os.kill(os.getpid(), signal.SIGINT)
        )
        assert textnb(*call).code == 130
    taken = interrupt(monkeypatch, 0)
    done = textnb(*call)
    assert (done.code, done.err) == (0, "textnb: going on from c.part, where all was learned\n")
    assert not taken
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE))


def test_interrupted_before_anything_is_learned_it_says_that_nothing_is_saved(textnb, table, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "textnb.workflow.stream_training.watched_blocks", lambda *_: os.kill(os.getpid(), signal.SIGINT)
    )
    done = textnb("train", table, "--checkpoint", "c.part", "--output", "m.tnb")
    assert (done.code, done.err) == (130, "textnb: nothing was learned yet: there is nothing to save in c.part\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mail.jsonl"]


def test_a_second_interrupt_stops_at_once_and_leaves_the_older_checkpoint(textnb, table, tmp_path, monkeypatch):
    call = ("train", table, "--checkpoint", "c.part", "--output", "m.tnb", "--weights", "counts")
    with monkeypatch.context() as patched:
        interrupt(patched, 2, signal.SIGINT, signal.SIGINT)
        done = textnb(*call)
    assert done.code == 130
    assert "once more stops at once" in done.err
    assert not list(tmp_path.glob("*.part"))
    with monkeypatch.context() as patched:
        interrupt(patched, 1, signal.SIGINT)
        textnb(*call)
    before = (tmp_path / "c.part").read_bytes()
    with monkeypatch.context() as patched:
        interrupt(patched, 1, signal.SIGTERM, signal.SIGINT)
        assert textnb(*call).code == 130
    assert (tmp_path / "c.part").read_bytes() == before
    assert textnb(*call).code == 0


def test_a_checkpoint_that_cannot_be_removed_is_a_notice_of_a_training_that_is_done(
    textnb, table, checkpoint, tmp_path, monkeypatch
):
    def refuse(path, missing_ok=False):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        done = textnb("train", table, "--checkpoint", "c.part", "--output", "m.tnb", "--quiet")
    assert (done.code, (tmp_path / "m.tnb").exists()) == (0, True)
    assert done.err == (
        "textnb: the model is done, but its checkpoint c.part cannot be removed (Input/output error): remove it\n"
    )


def test_without_a_checkpoint_nothing_is_left(textnb, table, tmp_path, monkeypatch):
    interrupt(monkeypatch, 2, signal.SIGINT)
    done = textnb("train", table, "--stream", "--output", "m.tnb")
    assert (done.code, done.out) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["mail.jsonl"]


@pytest.fixture
def checkpoint(textnb, table, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt(patched, 2, signal.SIGINT)
        assert textnb("train", table, "--checkpoint", "c.part").code == 130
    return tmp_path / "c.part"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("--alpha 0.5", "parameters"),
        ("--weights counts", "parameters"),
        ("--ledger", "parameters"),
        ("--seed 1", "seed"),
        ("--test-size 0.2", "test size"),
        ("--text label", "text"),
        ("--prune 100", "prune"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(textnb, table, checkpoint, options, what):
    before = checkpoint.read_bytes()
    done = textnb("train", table, "--checkpoint", checkpoint, *options.split())
    assert (done.code, done.out) == (2, "")
    assert f"is the checkpoint of a training with another {what}: remove it to begin anew" in done.err
    assert checkpoint.read_bytes() == before


def test_a_checkpoint_of_another_source_is_refused(textnb, table, checkpoint):
    done = textnb("train", "-", "--checkpoint", checkpoint, stdin=table.read_bytes())
    assert (done.code, "another source" in done.err) == (2, True)


def test_what_is_no_checkpoint_is_refused_and_kept(textnb, table, model):
    before = model.read_bytes()
    done = textnb("train", table, "--checkpoint", model, "--output", "m.tnb")
    assert (done.code, "is no checkpoint" in done.err) == (2, True)
    assert model.read_bytes() == before


@pytest.mark.parametrize(
    "call", ["learn c.part --label ham", "forget c.part --label ham", "merge m.tnb c.part", "predict c.part"]
)
def test_a_checkpoint_is_no_model(textnb, checkpoint, tmp_path, call):
    before = checkpoint.read_bytes()
    done = textnb(*call.split(), stdin=b"lunch")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert checkpoint.read_bytes() == before


# As a process

SMALL_BLOCKS = "import textnb.text.documents as d; d.BLOCK_CHARACTERS = 1500; from textnb.cli import main; main()"


def start(folder, *arguments):
    words = [sys.executable, "-c", SMALL_BLOCKS, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes)


def wait_until_read(pipe):
    """Until nothing is left in a pipe that stays open."""
    left, deadline = array.array("i", [1]), time.monotonic() + 60
    while left[0] and time.monotonic() < deadline:
        time.sleep(0.02)
        fcntl.ioctl(pipe, termios.FIONREAD, left)
    time.sleep(0.5)  # it counts what it has read
    assert not left[0]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_waits_for_more_of_a_pipe_hears_signals(textnb, table, tmp_path, number):
    """It once waited for a thread that waited for the pipe, and Python then failed at its exit (SIGABRT)."""
    arguments = ("train", "-", *PLAIN, "--checkpoint", "c.part", "--output", "m.tnb")
    content = table.read_bytes()
    with start(tmp_path, *arguments) as child:
        child.stdin.write(content[: len(content) // 2])
        child.stdin.flush()
        wait_until_read(child.stdin)
        child.send_signal(number)
        child.wait(timeout=30)
        assert (child.returncode, child.stdout.read()) == (130, b"")
        assert child.stderr.read().endswith(b"saved what was learned in c.part; the same command goes on from there\n")
    with start(tmp_path, *arguments, "--json") as child:
        _, err = child.communicate(content, timeout=60)
        assert child.returncode == 0
        assert re.search(rb"going on from c.part, [1-9]\d* documents into the pass", err)
    assert (tmp_path / "m.tnb").read_bytes() == fitted(tmp_path / "memory.tnb", kept(RARE))


@pytest.mark.slow
def test_a_process_without_a_checkpoint_ends_with_130(tmp_path):
    with start(tmp_path, "train", "-", "--output", "m.tnb") as child:
        child.stdin.write(b'{"text": "lunch", "label": "ham"}\n')
        child.stdin.flush()
        wait_until_read(child.stdin)
        child.send_signal(signal.SIGINT)
        child.wait(timeout=30)
        assert (child.returncode, child.stdout.read(), child.stderr.read()) == (130, b"", b"")
    assert not list(tmp_path.iterdir())
