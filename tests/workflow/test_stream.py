"""Learning block by block: passes, stopping and going on, pruning."""

import threading
from contextlib import contextmanager

import numpy as np
import pytest

import textnb
from textnb.arrays import kernel_name
from textnb.corpora.rows import Row
from textnb.model.file import Fitted
from textnb.model.file import content as file_content
from textnb.text import documents as text_documents
from textnb.workflow.stream import (
    FREQUENCIES,
    LEARNING,
    UNKNOWN,
    Block,
    StreamLearner,
    blocks_of,
    is_held_out,
    stages_of,
)

DOCUMENTS = [(f"cheap pills w{i} w{i % 5}", "spam") for i in range(30)]
DOCUMENTS += [(f"lunch at noon w{i % 7} v{i % 3}", "ham") for i in range(30)]
DOCUMENTS += [("an invoice, again an invoice", "bill")] * 3
BLOCKS = [Block(7, *map(list, zip(*DOCUMENTS[at : at + 7], strict=True))) for at in range(0, 63, 7)]

WAYS = [
    {"weights": "counts"},
    {"weights": "counts", "unknown": "token", "min_df": 2},
    {"weights": "binary"},
    {"weights": "binary", "unknown": "token"},
    {"weights": "tfidf", "max_features": 10},
    {"weights": "log-tfidf", "unknown": "token", "min_df": 3},
    {"model": "bernoulli", "unknown": "token"},
]


def classifier(**settings):
    return textnb.TextClassifier(**{"calibrate": False, "ledger": True, **settings})


def new_learning(settings, **options):
    return StreamLearner(classifier(**settings).new_learner(keep_ledger=True), **options)


def read(rows):
    """The blocks after so many rows."""
    return BLOCKS[rows // 7 :]


def content(learner):
    """All that a file would hold of it."""
    arrays, settings = file_content(learner, Fitted())
    return {name: array.tobytes() for name, array in arrays.items()}, settings


# Passes


@pytest.mark.parametrize(
    ("settings", "stages"),
    [
        ({"weights": "counts", "unknown": "token"}, [LEARNING]),
        ({"weights": "binary"}, [LEARNING]),
        ({"weights": "binary", "unknown": "token"}, [FREQUENCIES, LEARNING]),
        ({"weights": "tfidf"}, [FREQUENCIES, LEARNING]),
        ({"weights": "log-tfidf", "unknown": "token"}, [FREQUENCIES, UNKNOWN, LEARNING]),
        ({"model": "bernoulli", "weights": "tfidf"}, [LEARNING]),
    ],
)
def test_a_recipe_is_read_as_often_as_it_needs(settings, stages):
    learning = new_learning(settings)
    assert stages_of(learning.learner) == stages
    passes = []

    def counted(rows):
        passes.append((learning.stage, rows))
        return read(rows)

    learning.run(counted)
    assert passes == [(stage, 0) for stage in stages]
    assert stages_of(learning.learner.blank()) == [LEARNING]  # what it is weighed by is settled


@pytest.mark.parametrize("settings", WAYS)
def test_passes_learn_what_fit_learns(settings):
    learning = new_learning(settings)
    learning.run(read)
    texts, labels = zip(*DOCUMENTS, strict=True)
    fitted = classifier(**settings).fit(texts, labels).learner_
    assert content(learning.learner) == content(fitted)


def test_blocks_without_documents_are_passed_over():
    learning, other = new_learning({"weights": "tfidf"}), new_learning({"weights": "tfidf"})
    learning.run(lambda rows: [Block(5, [], []), *BLOCKS, Block(1, [], [])])
    other.run(read)
    assert content(learning.learner) == content(other.learner)


@pytest.mark.parametrize("settings", [{"weights": "counts"}, {"weights": "tfidf"}])
def test_no_documents_at_all_are_an_error(settings):
    with pytest.raises(ValueError, match="no document is left to learn from"):
        new_learning(settings).run(lambda rows: [Block(3, [], [])])


# Stopping and going on


@pytest.mark.parametrize("prune", [None, 12])
@pytest.mark.parametrize("settings", WAYS)
def test_stopped_after_any_block_another_goes_on_to_the_same(settings, prune):
    whole = new_learning(settings, prune=prune)
    whole.run(read)
    n_blocks = 9 * len(new_learning(settings).stages)
    for last in range(1, n_blocks + 1):
        stopped, taken = new_learning(settings, prune=prune), []

        @contextmanager
        def undisturbed(taken=taken, last=last, learning=stopped):
            n = learning.rows
            yield
            taken += [1] * (learning.rows > n)
            if len(taken) == last:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            stopped.run(read, undisturbed)
        resumed = new_learning(settings, prune=prune)
        state = stopped.state()
        resumed.go_on(state._replace(learner=state.learner.settled()))  # as from a file: it is settled what was learned
        resumed.run(read)
        assert content(resumed.learner) == content(whole.learner)


@pytest.mark.parametrize("prune", [None, 12])
@pytest.mark.parametrize("settings", [{"weights": "counts", "unknown": "token", "min_df": 2}, {"weights": "tfidf"}])
def test_what_is_only_added_up_is_the_same_wherever_it_was_stopped(settings, prune):
    """Without a ledger, counts are added up across blocks, and are in the learner when it is asked for them."""

    def learning():
        return StreamLearner(classifier(**settings).new_learner(keep_ledger=False), prune=prune)

    whole = learning()
    whole.run(read)
    if prune is None:
        texts, labels = zip(*DOCUMENTS, strict=True)
        fitted = classifier(**settings | {"ledger": False}).fit(texts, labels).learner_
        assert content(whole.learner) == content(fitted)
    for last in range(1, 9):
        stopped = learning()
        with pytest.raises(KeyboardInterrupt):
            stopped.run(lambda rows, last=last: _interrupted(read(rows), last))
        resumed = learning()
        state = stopped.state()
        assert state.rows == 7 * last
        resumed.go_on(state._replace(learner=state.learner.settled()))
        resumed.run(read)
        assert content(resumed.learner) == content(whole.learner)


def _interrupted(blocks, last):
    yield from blocks[:last]
    raise KeyboardInterrupt


@pytest.mark.skipif(kernel_name() == "Python", reason="without the kernel documents are counted in rows")
def test_blocks_are_small_where_documents_are_only_added_up():
    large = text_documents.BLOCK_CHARACTERS
    counts = classifier(weights="counts").new_learner(keep_ledger=False)
    assert StreamLearner(counts).block_characters < large
    assert StreamLearner(counts, prune=10).block_characters == large  # what is pruned depends on the blocks
    assert new_learning({"weights": "counts"}).block_characters == large
    weighted = StreamLearner(classifier(weights="tfidf").new_learner(keep_ledger=False))
    sizes = []
    weighted.run(lambda rows: sizes.append(weighted.block_characters) or read(rows))
    assert sizes[0] < large == sizes[1]  # frequencies are added up, weighted documents are not


def test_what_is_finished_has_nothing_left_to_do():
    done, resumed = new_learning({"weights": "tfidf"}), new_learning({"weights": "tfidf"})
    done.run(read)
    resumed.go_on(done.state())
    resumed.run(lambda rows: pytest.fail("there is nothing to read"))
    assert content(resumed.learner) == content(done.learner)


# Pruning


@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_names_are_bounded_after_every_block_and_totals_add_up(unknown):
    pruned, exact = (new_learning({"weights": "counts", "unknown": unknown}, prune=most) for most in (12, None))
    sizes = []

    @contextmanager
    def watched():
        yield
        sizes.append(len(pruned.learner.counts.terms))

    pruned.run(read, watched)
    exact.run(read)
    assert max(sizes) <= 12
    assert pruned.learner.pruned
    assert not exact.learner.pruned
    counts, all_counts = pruned.learner.counts, exact.learner.counts
    np.testing.assert_array_equal(counts.totals.column_sums() + counts.outside, all_counts.totals.column_sums())
    np.testing.assert_array_equal(counts.documents, all_counts.documents)
    assert {"cheap", "pills"} <= set(counts.terms.strings())
    with pytest.raises(ValueError, match="a pruned model cannot forget"):
        pruned.learner.forget(["cheap pills w0 w0"], np.array(["spam"]))


def test_pruned_frequencies_fix_the_vocabulary():
    learning = new_learning({"weights": "tfidf", "unknown": "token"}, prune=12)
    learning.run(read)
    assert learning.learner.pruned
    assert learning.learner.vocabulary_is_given
    assert len(learning.learner.counts.terms) <= 12
    assert learning.learner.counts.outside.all()


# Rows to blocks


def rows(n):
    return [Row(f"line {i}", f"text {i}", "ham") for i in range(n)]


def test_blocks_have_so_many_characters_and_count_rows_held_out(monkeypatch):
    monkeypatch.setattr(text_documents, "BLOCK_CHARACTERS", 21)
    found = list(blocks_of(rows(10), lambda text: text == "text 1"))
    assert [(block.n_rows, len(block.texts)) for block in found] == [(5, 4), (4, 4), (1, 1)]
    assert [text for block in found for text in block.texts] == [f"text {i}" for i in range(10) if i != 1]
    (last,) = blocks_of(rows(3), lambda text: True)
    assert last == Block(3, [], [])


def test_an_error_of_reading_is_raised_and_the_thread_ends():
    def broken():
        yield from rows(2)
        raise OSError("the disk is gone")

    before = threading.active_count()
    with pytest.raises(OSError, match="the disk is gone"):
        list(blocks_of(broken(), lambda text: False))
    assert threading.active_count() == before


def test_leaving_off_ends_the_thread(monkeypatch):
    monkeypatch.setattr(text_documents, "BLOCK_CHARACTERS", 1)
    before = threading.active_count()
    blocks = blocks_of(rows(1000), lambda text: False)
    next(blocks)
    blocks.close()
    assert threading.active_count() == before


def test_a_share_is_held_out_by_the_text_alone():
    texts = [f"text {i}" for i in range(5000)]
    held_out = [is_held_out(text, 0.3, 0) for text in texts]
    assert abs(np.mean(held_out) - 0.3) < 0.02
    assert held_out == [is_held_out(text, 0.3, 0) for text in texts]
    assert held_out != [is_held_out(text, 0.3, 1) for text in texts]
    more = [is_held_out(text, 0.5, 0) for text in texts]
    assert all(b for a, b in zip(held_out, more, strict=True) if a)  # a larger share has the smaller one in it
    assert is_held_out("\udcff", 1.0, 0)
