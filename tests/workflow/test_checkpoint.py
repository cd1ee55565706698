"""An interrupted stream in a file: all it was, or refused."""

import numpy as np
import pytest
from workflow.test_stream import BLOCKS, WAYS, classifier, content, new_learning, read

from textnb.model.file import learner_of
from textnb.storage import ModelFileError, open_model
from textnb.workflow.stream import StreamLearner, resume, write_checkpoint


def about(settings, **more):
    return {"parameters": {"settings": settings}, "source": "mail.jsonl", **more}


def stopped_after(settings, n_blocks, **options) -> StreamLearner:
    """One that has learned so many blocks, in however many passes."""
    learning = new_learning(settings, **options)

    def some(rows):
        nonlocal n_blocks
        for block in read(rows):
            if n_blocks == 0:
                raise KeyboardInterrupt
            n_blocks -= 1
            yield block

    with pytest.raises(KeyboardInterrupt):
        learning.run(some)
    return learning


@pytest.mark.parametrize("settings", WAYS)
@pytest.mark.parametrize("prune", [None, 12])
def test_a_file_goes_on_in_every_pass_to_the_same_model(tmp_path, settings, prune):
    whole = new_learning(settings, prune=prune)
    passes = len(whole.stages)
    whole.run(read)
    for n_blocks in range(1, len(BLOCKS) * passes, 4):
        path = tmp_path / f"{n_blocks}.part"
        assert write_checkpoint(path, stopped_after(settings, n_blocks, prune=prune), about(settings))
        resumed = new_learning(settings, prune=prune)
        resume(path, resumed, about(settings))
        resumed.run(read)
        assert content(resumed.learner) == content(whole.learner)


def test_limits_that_leave_no_term_yet_do_not_keep_it_from_being_saved(tmp_path):
    """A rule was once derived for the file, and of the first documents none could be: all was lost."""
    settings = {"weights": "counts", "min_df": 25}
    assert write_checkpoint(tmp_path / "c.part", stopped_after(settings, 1), about(settings))
    resumed, whole = new_learning(settings), new_learning(settings)
    resume(tmp_path / "c.part", resumed, about(settings))
    resumed.run(read)
    whole.run(read)
    assert content(resumed.learner) == content(whole.learner)


@pytest.mark.parametrize("settings", [{"weights": "counts"}, {"weights": "tfidf"}])
def test_nothing_learned_is_nothing_to_save(tmp_path, settings):
    assert not write_checkpoint(tmp_path / "c.part", stopped_after(settings, 0), about(settings))
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_something_else_is_refused_by_name(tmp_path):
    settings = {"weights": "counts"}
    write_checkpoint(tmp_path / "c.part", stopped_after(settings, 2), about(settings, seed=0))
    learning = new_learning(settings)
    for other, what in [
        (about({"weights": "binary"}, seed=0), "parameters"),
        (about(settings, seed=1), "seed"),
        (about(settings, seed=0, more=1), "more"),
        (about(settings, seed=0) | {"source": "-"}, "source"),
    ]:
        with pytest.raises(ValueError, match=f"a training with another {what}: remove it to begin anew"):
            resume(tmp_path / "c.part", learning, other)
    assert learning.rows == 0


def test_a_model_or_a_damaged_file_is_no_checkpoint(tmp_path):
    settings = {"weights": "counts"}
    classifier(**settings).fit(["cheap", "lunch"], ["spam", "ham"]).save(tmp_path / "m.tnb")
    with pytest.raises(ValueError, match="is no checkpoint"):
        resume(tmp_path / "m.tnb", new_learning(settings), about(settings))
    write_checkpoint(tmp_path / "c.part", stopped_after(settings, 2), about(settings))
    content = bytearray((tmp_path / "c.part").read_bytes())
    content[-20] ^= 1
    (tmp_path / "c.part").write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged"):
        resume(tmp_path / "c.part", new_learning(settings), about(settings))


def test_it_holds_what_was_learned(tmp_path):
    settings = {"weights": "counts"}
    learning = stopped_after(settings, 3)
    write_checkpoint(tmp_path / "c.part", learning, about(settings))
    saved = learner_of(open_model(tmp_path / "c.part"))
    assert saved.counts.n_documents == len(saved.ledger) == 21
    np.testing.assert_array_equal(saved.counts.totals.toarray(), learning.learner.counts.totals.toarray())
