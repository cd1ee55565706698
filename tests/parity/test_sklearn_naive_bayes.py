"""scikit-learn's tests of naive Bayes, passed by textnb's."""

import pytest
import sklearn.naive_bayes as theirs
from parity.swap import collected, swapped_module

import textnb

NAMES = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]
REPLACEMENTS = {name: getattr(textnb, name) for name in NAMES}
EXCEPTIONS = {
    "test_gnb_check_update_with_no_data": "calls _update_mean_variance, which is private",
    "test_gnb_array_api_compliance": "tests array-API dispatch; textnb works on numpy arrays and scipy's sparse ones",
}

module = swapped_module("sklearn.tests.test_naive_bayes", theirs.__name__, REPLACEMENTS)
globals().update(collected(module, EXCEPTIONS))


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_class_was_swapped(name):
    assert getattr(module, name) is REPLACEMENTS[name]
    assert REPLACEMENTS[name] in module.ALL_NAIVE_BAYES_CLASSES
    assert getattr(theirs, name) not in module.ALL_NAIVE_BAYES_CLASSES


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_no_class_inherits_from_its_namesake(name):
    assert not any(base.__module__ == theirs.__name__ for base in REPLACEMENTS[name].__mro__)
