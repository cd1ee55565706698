"""However documents come together, the model is the same: the bytes of its file, and every digit that it predicts."""

import copy
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb import TextClassifier, load
from textnb.likelihood.families import FAMILIES
from textnb.model.parameters import usual_weights

PIECES = ["apple", "Apple", "bread", "egg", "egg egg", "<UNK>", "UNK", "a", ".", ""]
PIECES += ["ünï", "中文字", "İX", "\ud83d\ud83d", "\0\0"]
ASKED = ["apple bread", "egg unheard egg", "", "<UNK> İX", "\ud83d\ud83d 中文字", "nothing known"]

texts = st.lists(st.sampled_from(PIECES), max_size=5).map(" ".join)
documents = st.lists(st.tuples(texts, st.sampled_from(["x", "y", "longer", "späm"])), min_size=1, max_size=8)
options = st.fixed_dictionaries(
    {
        "model": st.sampled_from(sorted(FAMILIES)),
        "weights": st.sampled_from(["counts", "binary", "tfidf", "log-tfidf"]),
        "unknown": st.sampled_from(["ignore", "token"]),
        "limits": st.sampled_from([{}, {"min_df": 2}, {"max_df": 0.5}, {"max_features": 2}]),
        "terms": st.sampled_from([("word", (1, 1)), ("word", (1, 2)), ("char", (1, 2)), ("char_wb", (2, 3))]),
        "ledger": st.booleans(),
    }
)
folder = tempfile.TemporaryDirectory()


@pytest.fixture(autouse=True, scope="module")
def unflushed():
    """A thousand small files: what survives a power cut is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


def new(options, n_jobs=None):
    analyzer, ngrams = options["terms"]
    chosen = {name: options[name] for name in ("model", "unknown", "ledger")} | options["limits"]
    chosen["weights"] = usual_weights(options["model"], options["weights"])  # others are refused
    return TextClassifier(**chosen, analyzer=analyzer, ngrams=ngrams, calibrate=False, n_jobs=n_jobs)


def simply_adds_up(options):
    """Whether what a document adds depends on it alone: not on an idf, nor on what was unknown at a fit."""
    weights = FAMILIES[options["model"]].weighting(options["weights"])
    return weights == "counts" or (weights == "binary" and options["unknown"] == "ignore")


def saved(classifier):
    path = Path(folder.name) / "model.tnb"
    classifier.save(path)
    return path.read_bytes()


def outcome(classifier):
    """The bytes of the file and all predictions; or why there is no rule, which is then the same for all."""
    try:
        return saved(classifier), classifier.predict_log_proba(ASKED).tobytes()
    except ValueError as error:
        return str(error)


def fit_outcome(options, labelled):
    try:
        return outcome(new(options).fit(*columns(labelled)))
    except ValueError as error:
        return str(error)


def columns(labelled):
    return [text for text, _ in labelled], [label for _, label in labelled]


def fitted(options, labelled):
    try:
        return new(options).fit(*columns(labelled))
    except ValueError:  # the limits leave nothing
        assume(False)


def reloaded(classifier):
    Path(folder.name, "reloaded.tnb").write_bytes(saved(classifier))
    return load(Path(folder.name, "reloaded.tnb"))


def grouped(data, labelled, most=3):
    """The documents in any order, in any groups."""
    order = data.draw(st.permutations(labelled))
    cuts = data.draw(st.lists(st.integers(0, len(order)), max_size=most).map(sorted))
    return [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True) if a < b]


def merged(data, classifiers):
    """All of them, in any order and grouping."""
    waiting = list(classifiers)
    while len(waiting) > 1:
        one = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
        at = data.draw(st.integers(0, len(waiting) - 1))
        waiting[at] = one + waiting[at] if data.draw(st.booleans()) else waiting[at].merge(one)
    return waiting[0]


def looked_at(data, classifier):
    """The same classifier: as it is, after a question, or from a file. What was derived or decoded must not matter."""
    how = data.draw(st.sampled_from(["as it is", "asked", "reloaded"]))
    try:
        if how == "reloaded":
            return reloaded(classifier)
        if how == "asked":
            classifier.predict(ASKED)
    except ValueError:  # there is no rule yet
        pass
    return classifier


@settings(max_examples=50)
@given(st.data(), options.filter(simply_adds_up), documents)
def test_learning_in_any_parts_on_any_machines_equals_one_fit(data, options, labelled):
    machines = []
    for share in grouped(data, labelled):
        machine = new(options, n_jobs=data.draw(st.sampled_from([None, 1, 2])))
        for group in grouped(data, share):
            machine.learn(*columns(group))
        machines.append(looked_at(data, machine))
    assert outcome(merged(data, machines)) == fit_outcome(options, labelled)


@settings(max_examples=50)
@given(st.data(), options, documents, documents)
def test_after_a_common_fit_the_parts_do_not_matter_either(data, options, first, labelled):
    common = fitted(options, first)
    machines = []
    for share in grouped(data, labelled):
        machine = copy.deepcopy(common).set_params(n_jobs=data.draw(st.sampled_from([None, 1, 2])))
        if machines:
            machine.forget(*columns(first))  # it is on the first machine
        for group in grouped(data, share):
            machine = looked_at(data, machine.learn(*columns(group)))
        machines.append(machine)
    assert outcome(merged(data, machines)) == outcome(common.learn(*columns(labelled)))


@settings(max_examples=50)
@given(st.data(), options, documents, documents)
def test_forget_undoes_learn_to_the_last_bit(data, options, first, more):
    classifier = fitted(options, first)
    before = outcome(classifier)
    for group in grouped(data, more):
        classifier = looked_at(data, classifier.learn(*columns(group)))
    for group in grouped(data, more):
        classifier = looked_at(data, classifier.forget(*columns(group)))
    assert outcome(classifier) == before


@settings(max_examples=50)
@given(st.data(), options, documents, documents, documents)
def test_what_is_forgotten_is_as_if_it_had_never_been_learned(data, options, first, kept, gone):
    common = fitted(options, first)
    expected = outcome(copy.deepcopy(common).learn(*columns(kept)))
    classifier = looked_at(data, common.learn(*columns(data.draw(st.permutations(kept + gone)))))
    assert outcome(classifier.forget(*columns(gone))) == expected


@settings(max_examples=50)
@given(options.filter(simply_adds_up), documents)
def test_a_class_that_is_forgotten_leaves_as_if_never_seen(options, labelled):
    gone = [document for document in labelled if document[1] == "longer"]
    kept = [document for document in labelled if document[1] != "longer"]
    assume(gone and kept)
    classifier = fitted(options, labelled)
    assert outcome(classifier.forget(*columns(gone))) == fit_outcome(options, kept)


@settings(max_examples=50)
@given(options, documents, st.tuples(documents, documents, documents))
def test_merging_is_associative_and_commutative(options, first, shares):
    common = fitted(options, first)
    a, b, c = (copy.deepcopy(common).learn(*columns(share)) for share in shares)
    outcomes = [outcome(joined) for joined in ((a + b) + c, a + (b + c), (c + b) + a, b + (c + a))]
    assert outcomes[1:] == outcomes[:-1]


@settings(max_examples=50)
@given(options, documents, documents)
def test_nothing_depends_on_the_kernel(options, first, more):
    def learned():
        common = fitted(options, first)
        grown = outcome(copy.deepcopy(common).learn(*columns(more)))
        return outcome(common), grown, outcome(common.forget(*columns(first)))

    with_kernel = learned()
    with without_kernel():
        assert learned() == with_kernel


@settings(max_examples=50)
@given(st.data(), options.filter(simply_adds_up), documents)
def test_learning_once_in_any_order_is_learning_each_document_under_one_label(data, options, labelled):
    with_ledger = options | {"ledger": True}
    distinct = list(dict(labelled).items())
    classifier = new(with_ledger).learn([labelled[0][0]], ["another"])
    for group in grouped(data, distinct + distinct[:2]):
        classifier.learn(*columns(group), once=True)
    assert outcome(classifier) == fit_outcome(with_ledger, distinct)
