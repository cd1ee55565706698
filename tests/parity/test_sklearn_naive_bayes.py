"""scikit-learn's tests of multinomial, complement and Bernoulli naive Bayes, passed by textnb's."""

import pytest
import sklearn.naive_bayes as theirs
from parity.swap import collected, swapped_module

import textnb

REPLACEMENTS = {name: getattr(textnb, name) for name in ("BernoulliNB", "ComplementNB", "MultinomialNB")}

module = swapped_module("sklearn.tests.test_naive_bayes", theirs.__name__, REPLACEMENTS)
globals().update(collected(module, {}))


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_class_was_swapped(name):
    assert getattr(module, name) is REPLACEMENTS[name]
    assert REPLACEMENTS[name] in module.DISCRETE_NAIVE_BAYES_CLASSES
    assert getattr(theirs, name) not in module.ALL_NAIVE_BAYES_CLASSES


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_no_class_inherits_from_its_namesake(name):
    assert not any(base.__module__ == theirs.__name__ for base in REPLACEMENTS[name].__mro__)
