"""A cluster learns what one machine does, to the last bit, whatever is lost on the way."""

import gzip
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import TextClassifier
from textnb.corpora import iter_rows
from textnb.workflow import cluster as engine
from textnb.workflow.cluster import Problems, connect, fit_bag, hold_out, learn_bag, table_bag

pytest.importorskip("distributed", reason='the dask engine is an extra: pip install ".[dask]" in the clone')
import dask
import dask.bag
import distributed

RECIPES = [
    {"model": "multinomial", "weights": "counts"},
    {"model": "complement", "weights": "log-tfidf"},
    {"model": "complement", "weights": "tfidf", "unknown": "token"},
    {"model": "multinomial", "weights": "counts", "unknown": "token", "min_df": 2},
    {"model": "bernoulli", "unknown": "token", "max_features": 40},
    {"model": "multinomial", "weights": "log-tfidf", "unknown": "token", "vocabulary": ["w1", "w2", "zoo"]},
]


def documents(n: int = 600) -> list[tuple[str, str]]:
    """Made up, with some words of each label's own, rare ones, and every tenth document a second time."""
    random = np.random.default_rng(0)
    made = []
    for i in range(n):
        label = "abc"[i % 3]
        words = [f"w{rank}" for rank in random.zipf(1.4, size=20) if rank < 10**6] + [f"{label}{i % 7}"]
        made.append((" ".join(words), label))
    return made + made[::10]


PLAIN: dict[str, Any] = {"model": "complement", "ledger": False, "calibrate": False}
DOCUMENTS = documents()
UNSEEN = [text for text, _ in documents(700)[600:]] + ["nothing that was seen"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with connect(n_workers=3) as client:
        yield client


@pytest.fixture
def locally() -> Iterator[None]:
    with dask.config.set(scheduler="threads"):
        yield


def saved(classifier: TextClassifier, folder: Path) -> bytes:
    path = folder / "model.tnb"
    classifier.save(path)
    return path.read_bytes()


def fitted(recipe: dict[str, Any], pairs: list[tuple[str, Any]] = DOCUMENTS) -> TextClassifier:
    """In memory."""
    texts, labels = zip(*pairs, strict=True)
    return TextClassifier(**recipe).fit(list(texts), list(labels))


def bag_of(pairs: list[Any], npartitions: int = 12) -> Any:
    return dask.bag.from_sequence(pairs, npartitions=npartitions)


def killing(folder: Path, times: int) -> Callable[[Any], Any]:
    """Passes a partition on; the worker that is about to pass on the one with this number dies first."""

    def pass_on(partition: Any) -> Any:
        for number in range(1, times + 1):
            try:
                (folder / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            if number == times:
                os.kill(os.getpid(), signal.SIGKILL)
            break
        yield from partition

    return pass_on


def write_lines(path: Path, lines: list[str]) -> Path:
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def json_lines(pairs: list[tuple[str, str]]) -> list[str]:
    return [json.dumps({"text": text, "label": label}) for text, label in pairs]


# What is learned


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("ledger", [True, False])
def test_a_bag_is_learned_as_in_memory(recipe: dict[str, Any], ledger: bool, locally: None, tmp_path: Path) -> None:
    recipe = recipe | {"ledger": ledger, "calibrate": False}
    bag = dask.bag.concat([bag_of(DOCUMENTS), bag_of([0], 1).filter(bool)])  # the last partition has nothing
    ours, expected = fit_bag(TextClassifier(**recipe), bag), fitted(recipe)
    assert saved(ours, tmp_path) == saved(expected, tmp_path)
    np.testing.assert_array_equal(ours.predict_log_proba(UNSEEN), expected.predict_log_proba(UNSEEN))


def test_a_bag_of_mail_has_the_message_ids_too(locally: None, tmp_path: Path) -> None:
    recipe = {"model": "multinomial", "weights": "counts", "analyzer": "mail", "ledger": True, "calibrate": False}
    pairs = [(f"Message-ID: <{i % 50}@example.com>\n\n{text}", label) for i, (text, label) in enumerate(DOCUMENTS[:99])]
    ours, expected = fit_bag(TextClassifier(**recipe), bag_of(pairs)), fitted(recipe, pairs)
    assert len(expected.learner_.message_ids) == len(pairs)
    assert saved(ours, tmp_path) == saved(expected, tmp_path)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.text("ab c", max_size=12), st.sampled_from(["x", "y", "longer"])), min_size=1, max_size=20),
    st.integers(1, 6),
    st.sampled_from(RECIPES[:3]),
)
def test_no_division_into_partitions_matters(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], npartitions: int, recipe: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    pairs = [*pairs, ("some words", "x")]
    recipe = recipe | {"ledger": True, "calibrate": False}
    with dask.config.set(scheduler="synchronous"):
        ours = fit_bag(TextClassifier(**recipe), bag_of(pairs, npartitions))
    assert saved(ours, folder) == saved(fitted(recipe, pairs[::-1]), folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "times"),
    [
        pytest.param(RECIPES[0], 5, id="counts"),
        pytest.param(RECIPES[2], 29, id="tf-idf with unknown words, in its third"),
    ],
)
def test_a_worker_that_is_killed_midway_changes_nothing(
    cluster: Any, tmp_path: Path, recipe: dict[str, Any], times: int
) -> None:
    recipe = recipe | {"ledger": True, "calibrate": False}
    passed = tmp_path / "passed"
    passed.mkdir()
    before = set(cluster.scheduler_info(n_workers=-1)["workers"])
    ours = fit_bag(TextClassifier(**recipe), bag_of(DOCUMENTS).map_partitions(killing(passed, times)), cluster)
    cluster.wait_for_workers(3)
    expected = fitted(recipe)
    assert saved(ours, tmp_path) == saved(expected, tmp_path)
    np.testing.assert_array_equal(ours.predict_log_proba(UNSEEN), expected.predict_log_proba(UNSEEN))
    assert len(before & set(cluster.scheduler_info(n_workers=-1)["workers"])) == 2, "one was lost"


def test_a_learner_learns_more_by_what_it_weighs_by_already(locally: None, tmp_path: Path) -> None:
    recipe = {"model": "complement", "ledger": True, "calibrate": False}
    more = [("a new word", "d"), *DOCUMENTS[:5]]
    expected = fitted(recipe)
    learner = expected.new_learner(keep_ledger=True)
    learner, _ = learner.learn([text for text, _ in DOCUMENTS], np.array([label for _, label in DOCUMENTS]))
    ours = TextClassifier(**recipe).adopt(learn_bag(learner, bag_of(more, 3)))
    expected.learn([text for text, _ in more], [label for _, label in more])
    assert saved(ours, tmp_path) == saved(expected, tmp_path)
    assert learner.counts.n_documents == len(DOCUMENTS), "the one given stays as it is"


def test_what_needs_all_documents_at_hand_is_refused(locally: None) -> None:
    with pytest.raises(ValueError, match="alpha='auto' is chosen with all documents at hand"):
        fit_bag(TextClassifier(alpha="auto"), bag_of(DOCUMENTS))


def test_labels_may_be_numbers(locally: None, tmp_path: Path) -> None:
    pairs = [(text, "abc".index(label)) for text, label in DOCUMENTS]
    ours = fit_bag(TextClassifier(**PLAIN), bag_of(pairs))
    assert saved(ours, tmp_path) == saved(fitted(PLAIN, pairs), tmp_path)


def test_a_bag_keeps_no_ledger_unless_asked(locally: None) -> None:
    with pytest.raises(ValueError, match="needs the ledger"):
        fit_bag(TextClassifier(), bag_of(DOCUMENTS)).learn(["a"], ["b"], once=True)


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([], "the bag is empty"),
        ([("", "a")], "empty vocabulary"),
        (["ab"], r"\(text, label\) pairs, got 'ab'"),
        ([(None, "a")], "None is an invalid document"),
        ([("text", "a"), ("text", 1)], "all of one kind"),
        ([("text", None)], "all of one kind"),
        ([("text", 0.5)], "all of one kind"),
    ],
)
def test_what_cannot_be_learned_is_said(locally: None, pairs: list[Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        fit_bag(TextClassifier("multinomial", "counts"), bag_of(pairs or [0], 1).filter(bool))


def test_labels_of_two_kinds_in_two_partitions_are_refused(locally: None) -> None:
    with pytest.raises(ValueError, match="classes of different types"):
        fit_bag(TextClassifier("multinomial", "counts"), bag_of([("text", "a"), ("text", 1)], 2))


def test_a_bag_that_changes_between_passes_is_refused(locally: None, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", json_lines(DOCUMENTS[:9]))

    def lose_a_line(pairs: Any) -> Any:
        yield from pairs
        write_lines(path, json_lines(DOCUMENTS[:8]))

    with pytest.raises(ValueError, match="9 documents when it was read first, and 8 when"):
        fit_bag(TextClassifier(), table_bag(path).map_partitions(lose_a_line))


# Holding out


def test_a_document_is_held_out_wherever_it_is(locally: None) -> None:
    sides = []
    for npartitions in (3, 8):
        training, held_out = hold_out(bag_of(DOCUMENTS, npartitions), 0.3, seed=0)
        sides.append((training.compute(), held_out.compute()))
    assert sides[0] == sides[1]
    training, held_out = ({text for text, _ in side} for side in sides[0])
    assert not training & held_out
    assert 0.2 < len(held_out) / (len(training) + len(held_out)) < 0.4


# Tables


def pairs_of(bag: Any) -> tuple[list[tuple[str, str]], Problems]:
    """What a bag has, and what it skipped."""
    found = bag.compute()
    problems = [element for element in found if isinstance(element, Problems)]
    return [element for element in found if not isinstance(element, Problems)], sum(problems, Problems())


@pytest.mark.parametrize("blocksize", [3, 50, 10**6])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_json_lines_are_cut_at_the_ends_of_lines(locally: None, tmp_path: Path, blocksize: int, end: str) -> None:
    lines = [
        *json_lines([("a b", "c"), ("d", "e")]),
        "",
        "[]",
        '{"text": "ä\ufeff", "label": "ö"}',
        "\ufeff{}",
        "x" * 60,
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes((end or "\n").join(lines).encode() + end.encode() + b'{"text": "caf\xe9", "label": "a"}')
    bag = table_bag(path, blocksize=blocksize)
    assert bag.npartitions == max(1, -(-path.stat().st_size // blocksize))
    reported: list[Any] = []
    rows = [(row.text, row.label) for row in iter_rows(path, report=reported.append)]
    pairs, problems = pairs_of(bag)
    assert pairs == rows
    assert problems.n == len(reported)
    assert [problem.why for problem in problems.first] == [problem.why for problem in reported]


def test_where_a_bad_line_is_can_be_found(locally: None, tmp_path: Path) -> None:
    lines = ['{"text": "a", "label": "b"}', '{"text": "a", "label": "b"}', "bad", "bad too"]
    path = write_lines(tmp_path / "a.jsonl", lines)
    _, whole = pairs_of(table_bag(path))
    assert [problem.where for problem in whole.first] == [f"{path}: line 3", f"{path}: line 4"]
    _, cut = pairs_of(table_bag(path, blocksize=30))
    assert [problem.where for problem in cut.first] == [
        f"{path}, after byte 30: line 2",
        f"{path}, after byte 30: line 3",
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", None])
def test_what_cannot_be_read_from_the_middle_is_not_cut(locally: None, tmp_path: Path, encoding: str | None) -> None:
    content = "\n".join(json_lines(DOCUMENTS[:10]))
    path = tmp_path / "a.jsonl"
    path.write_bytes(gzip.compress(content.encode()) if encoding is None else content.encode(encoding))
    for chosen in {encoding if encoding == "utf-16" else None, None}:
        bag = table_bag(path, blocksize=10, encoding=chosen)
        assert bag.npartitions == 1
        assert pairs_of(bag) == (DOCUMENTS[:10], Problems())


def test_files_of_a_pattern_are_one_bag(locally: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "a.jsonl.gz", json_lines(DOCUMENTS[:100]))
    write_lines(tmp_path / "b.csv", ["label,text", *(f"{label},{text}" for text, label in DOCUMENTS[100:200])])
    write_lines(tmp_path / "c.jsonl", json_lines(DOCUMENTS[200:]))
    monkeypatch.chdir(tmp_path)
    bag = table_bag("*.*", blocksize=10_000)
    assert bag.npartitions > 4
    monkeypatch.chdir("/")
    assert pairs_of(bag) == (DOCUMENTS, Problems())
    ours = fit_bag(TextClassifier(**PLAIN), bag)
    assert saved(ours, tmp_path) == saved(fitted(PLAIN), tmp_path)


def test_bad_rows_are_skipped_and_reported_once(cluster: Any, tmp_path: Path) -> None:
    for name in "ab":
        write_lines(tmp_path / f"{name}.jsonl", [*json_lines(DOCUMENTS), *["bad"] * 800])
    reported: list[Problems] = []
    bag = table_bag(tmp_path / "?.jsonl", blocksize=20_000)
    training, _ = hold_out(bag, 0.0, seed=0)
    ours = fit_bag(TextClassifier(**PLAIN), training, cluster, report=reported.append)
    assert [(problems.n, len(problems.first)) for problems in reported] == [(1600, 1000)]
    assert saved(ours, tmp_path) == saved(fitted(PLAIN, DOCUMENTS * 2), tmp_path)
    with pytest.warns(UserWarning, match=r"1,600 documents were skipped; the first, .*a\.jsonl, after byte .*not JSON"):
        fit_bag(TextClassifier(), bag, cluster)
    with pytest.raises(ValueError, match=r"[ab]\.jsonl, after byte .*not JSON"):
        fit_bag(TextClassifier(), table_bag(tmp_path / "?.jsonl", strict=True, blocksize=20_000), cluster)


def test_what_workers_cannot_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stdin cannot be read by several workers"):
        table_bag("-")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ValueError, match=r"pipe\.jsonl is a pipe"):
        table_bag(tmp_path / "pipe.jsonl")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        table_bag(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="blocksize must be"):
        table_bag(write_lines(tmp_path / "a.jsonl", json_lines(DOCUMENTS)), blocksize=0)


# Connecting


def test_a_cluster_is_reached_by_its_address_and_left_as_it_is(cluster: Any) -> None:
    with connect(cluster.scheduler.address) as client:
        assert client.submit(sum, [1, 2]).result() == 3
    assert cluster.submit(sum, [1, 3]).result() == 4


def test_local_workers_leave_interrupts_to_the_program(cluster: Any) -> None:
    ignored = cluster.run(lambda: signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
    assert list(ignored.values()) == [True] * 3


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(OSError, match=r"no dask scheduler can be reached at 127\.0\.0\.1:1 .*check the address"):
        connect("127.0.0.1:1").__enter__()


@pytest.mark.slow
def test_a_scheduler_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SECONDS_TO_CONNECT", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(OSError, match="has no workers: start some with `dask worker"),
    ):
        connect(empty.scheduler_address).__enter__()


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bag = bag_of(DOCUMENTS)
    for name in ("dask", "dask.bag", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (lambda: table_bag(tmp_path), lambda: fit_bag(TextClassifier(), bag), connect(None).__enter__):
        with pytest.raises(ValueError, match=r'pip install "\.\[dask\]" in the clone'):
            call()
