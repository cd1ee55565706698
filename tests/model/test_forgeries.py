"""Whatever a file with valid checksums says: one error that names it, or an answer on which all ways agree.

`TEXTNB_FORGERIES` says how many files are tried; in a child, with limits of time and memory.
"""

import os
import resource
import signal
import traceback
import warnings
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from forgeries import forgeries
from opened_models import open_predictor
from sklearn.pipeline import make_pipeline
from storage.forge import in_child

from textnb import CategoricalNB, CountVectorizer, GaussianNB, MixedNB, MultinomialNB, TextClassifier, TfidfVectorizer
from textnb.estimators.mixed_file import save_mixed
from textnb.estimators.text_model import TextModel, open_fitted_model
from textnb.model.scorer import open_scorer
from textnb.storage import open_model
from textnb.workflow import LabelledDocuments, compact, compare, forget, inspect, learn, merge
from textnb.workflow.stream import Block, StreamLearner, resume, write_checkpoint

N_FORGERIES = int(os.environ.get("TEXTNB_FORGERIES", "1000"))
SECONDS = 10  # for all that is done with one file
MEMORY = 600 << 20  # bytes more than there are before
TEXTS = ["cheap pills now", "win a free prize", "lunch at noon", "minutes of the meeting", "free lunch, cheap dinner"]
LABELS = ["spam", "spam", "ham", "ham", "other"]
ASKED = ["cheap lunch", "minutes of the unheard meeting, free pills", "", "a"]
TEXT_MODELS = {
    "plain": {"model": "multinomial", "weights": "counts", "unknown": "token"},
    "usual": {"ngrams": (1, 2)},
    "limited": {"model": "bernoulli", "min_df": 2, "ledger": False},
    "clear": {"model": "robinson", "calibrate": "offsets"},
    "numbers": {"model": "complement", "weights": "tfidf", "ngrams": (1, 2), "unknown": "token"},
    "fitted": {"model": "nbsvm", "C": 0.3, "beta": 0.75},
}
ABOUT = {"source": "mail.jsonl"}
GOLDEN = Path(__file__).parents[1] / "golden_models"
TABLE = pd.DataFrame({"body": TEXTS, "day": ["mon", "tue", None, "mon", "tue"], "size": [1.0, 2.5, np.nan, 1e5, 7.0]})


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A good file of every kind, and of every format."""
    folder = tmp_path_factory.mktemp("good")
    for name, settings in TEXT_MODELS.items():
        labels = LABELS if name != "numbers" else [1, 1, 2, 2, 5]
        model = TextClassifier(**settings).fit(TEXTS, labels)
        model.decide_by(unsure=0.2).save(folder / f"{name}.tnb")
        compact(folder / f"{name}.tnb", folder / f"compact-{name}.tnb")
    mail = [f"Subject: {text}\n\n{text}\n" for text in TEXTS]
    TextClassifier("robinson", analyzer="mail").fit(mail, LABELS).save(folder / "mail.tnb")
    TextClassifier("multinomial").fit(TEXTS, LABELS, sample_weight=[0.5, 1, 2, 1, 1.5]).save(folder / "weighted.tnb")
    pipelines = [make_pipeline(kind(), MultinomialNB()) for kind in (CountVectorizer, TfidfVectorizer)]
    for number, pipeline in enumerate(pipelines):
        parts = [("text", pipeline, "body"), ("days", CategoricalNB(), ["day"]), ("sizes", GaussianNB(), ["size"])]
        save_mixed(MixedNB(parts).fit(TABLE, LABELS), folder / f"mixed-{number}.tnb")
    learning = new_learning()
    learning._take(Block(len(TEXTS), TEXTS, LABELS))
    assert write_checkpoint(folder / "checkpoint.tnb", learning, ABOUT)
    return [*sorted(folder.iterdir()), *sorted(GOLDEN.glob("*.tnb"))]


def new_learning():
    return StreamLearner(TextModel("multinomial", "counts").new_learner(keep_ledger=True))


def agree(*answers):
    """Whether probabilities are some, and the same."""
    for answer in answers:
        assert np.allclose(np.exp(answer).sum(axis=1), 1), "probabilities do not add up to 1"
    for one, other in pairwise(answers):
        assert np.allclose(np.exp(one), np.exp(other), atol=1e-6), "two ways differ"


def alone(path, text):
    """The answer of the scorer or, where that leaves it to the predictor, of that."""
    scorer = open_scorer(path)
    return open_predictor(path).log_proba([text]) if scorer is None else np.array([scorer.log_proba(text)])


def touched(path):
    """As `predict` and filters open it: by the scorer, and by the predictor."""
    predictor = open_predictor(path)
    agree(predictor.log_proba(ASKED))
    predictor.decide(ASKED)
    for text in ASKED:
        agree(alone(path, text))
        predictor.explain(text)


def whole(path):
    """As `textnb.load` opens it. What it has verified, all ways answer alike.

    But for a file of format 2: it has weights to predict by beside its counts, and is loaded by these.
    """
    model = open_fitted_model(path)
    if isinstance(model, MixedNB):
        agree(model.predict_log_proba(TABLE))
        save_mixed(model, path.with_name("again.tnb"))
        return
    if "kind" not in open_model(path).settings:
        agree(model.predict_log_proba(ASKED))
        return
    one_by_one = np.concatenate([alone(path, text) for text in ASKED])
    agree(model.predict_log_proba(ASKED), open_predictor(path).log_proba(ASKED), one_by_one)
    model.save(path.with_name("again.tnb"))


def updates(path, good):
    """What may be written from it."""
    other = path.with_name("updated.tnb")
    calls = [
        lambda: learn(other, LabelledDocuments(["free minutes"], ["spam"]), new_class=True),
        lambda: forget(other, LabelledDocuments([TEXTS[0]], ["spam"])),
        lambda: merge(path.with_name("merged.tnb"), [path, good]),
        lambda: compact(path, path.with_name("compact.tnb")),
    ]
    for call in calls:
        other.write_bytes(path.read_bytes())
        yield call


def ways(path, good):
    """All that may be done with a file."""
    yield partial(touched, path)
    yield partial(whole, path)
    yield partial(inspect, path)
    yield partial(compare, path, good)
    yield partial(resume, path, new_learning(), ABOUT)
    yield from updates(path, good)


def too_slow(number, frame):
    raise AssertionError(f"it took more than {SECONDS} s")


def attack(models, folder, seeds):
    """Do everything with every forged file; a line for each that ends otherwise than it should."""
    signal.signal(signal.SIGALRM, too_slow)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    outcomes, path = Counter(), folder / "forged.tnb"
    with (folder / "faults").open("w", buffering=1) as faults:
        for seed, good in forgeries(models, path, seeds):
            (folder / "seed").write_text(str(seed))
            signal.alarm(SECONDS)
            for way in ways(path, good):
                try:
                    way()
                    outcomes["answered"] += 1
                except ValueError:
                    outcomes["refused"] += 1
                except BaseException as error:
                    last = traceback.extract_tb(error.__traceback__)[-1]
                    place = f"{Path(last.filename).name}:{last.lineno}"
                    faults.write(f"seed {seed}, of {good.name}: {type(error).__name__} at {place}: {error!s:.200}\n")
            signal.alarm(0)
    (folder / "outcomes").write_text(f"{outcomes['answered']} {outcomes['refused']}")


@pytest.mark.parametrize("part", range(2))
def test_forged_files_are_answered_or_refused(models, tmp_path, part, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    warnings.simplefilter("ignore")
    seeds = range(part, N_FORGERIES, 2)
    code = in_child(partial(attack, models, tmp_path, seeds))
    assert code == 0, f"ended by {code} at seed {(tmp_path / 'seed').read_text()}"
    assert (tmp_path / "faults").read_text() == ""
    answered, refused = map(int, (tmp_path / "outcomes").read_text().split())
    assert answered > refused / 20  # not everything is refused at the door
