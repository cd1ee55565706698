"""What is saved, opened and asked answers with the digits of the model in memory, and is saved as the same bytes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textnb.likelihood.families import FAMILIES
from textnb.model.derive import derive
from textnb.model.file import Fitted, content, fitted_of, learner_of, predictor_of
from textnb.model.learner import Learner
from textnb.model.recipe import Recipe
from textnb.model.update import update_model
from textnb.storage import open_model, write_model
from textnb.text.analyzer import Analyzer
from textnb.text.limits import Limits
from textnb.text.terms import terms_of

WORDS = ["alpha", "beta", "gamma", "delta", "épsilon", "zeta", "中文字", "<UNK>"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(st.tuples(texts, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=12)
limits = st.sampled_from([Limits(), Limits(2), Limits(1, 0.5), Limits(1, 1.0, 3)])
recipes = st.builds(
    Recipe,
    analyzer=st.sampled_from(
        [Analyzer(), Analyzer(ngrams=(1, 2)), Analyzer(ngrams=(2, 3)), Analyzer("char_wb", (1, 3))]
    ),
    model=st.sampled_from(sorted(FAMILIES)),
    weights=st.sampled_from(["counts", "binary", "tfidf", "log-tfidf"]),
    unknown=st.booleans(),
    limits=limits,
    alpha=st.sampled_from([0.0, 0.25, 1.0]),
    fit_prior=st.booleans(),
    class_prior=st.none(),
    norm=st.booleans(),
)
vocabularies = st.none() | st.sets(st.sampled_from(WORDS), min_size=1)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("laws") / "model.tnb"


def fitted(recipe, pairs, vocabulary=None, weights=None):
    """A learner and what is derived from it; an example that cannot be fitted is no example."""
    terms = None if vocabulary is None else terms_of(vocabulary)
    classes, class_ids = np.unique([label for _, label in pairs], return_inverse=True)
    try:
        learner, _ = Learner.new(recipe, terms, keep_ledger=True).fit(
            [text for text, _ in pairs], class_ids, classes, weights
        )
        derivation = derive(learner)
        derivation.rule.log_likelihood(derivation.predictor().count(["alpha"]))
    except ValueError:
        assume(False)
    return learner, derivation


@given(recipes, documents, st.lists(texts, min_size=1, max_size=4), vocabularies, st.booleans())
@settings(max_examples=300)
def test_an_opened_model_answers_with_the_digits_of_the_one_in_memory(path, recipe, pairs, asked, vocabulary, weighted):
    weights = np.linspace(0.5, 2, len(pairs)) if weighted and recipe.model != "bernoulli" else None
    vocabulary = vocabulary if recipe.analyzer == Analyzer() else None
    learner, derivation = fitted(recipe, pairs, vocabulary, weights)
    write_model(path, *content(learner, Fitted(given_vocabulary=vocabulary is not None), derivation))
    opened = predictor_of(open_model(path, verify="touched"))
    assert np.array_equal(opened.log_proba(asked), derivation.predictor().log_proba(asked))
    assert opened.features.names() == derivation.features.names()


@given(recipes, documents, documents)
@settings(max_examples=100)
def test_a_file_is_read_as_the_learner_that_was_written(path, recipe, pairs, more):
    learner, derivation = fitted(recipe, pairs)
    write_model(path, *content(learner, Fitted(), derivation))
    written = path.read_bytes()
    file = open_model(path)
    write_model(path, *content(learner_of(file), fitted_of(file)))
    assert path.read_bytes() == written
    extra, labels = [text for text, _ in more], np.array([label for _, label in more])
    try:
        update_model(path, lambda learner: learner.learn(extra, labels))
    except ValueError:  # what cannot be derived is not written
        assert path.read_bytes() == written
        return
    update_model(path, lambda learner: learner.forget(extra, labels))
    assert path.read_bytes() == written
