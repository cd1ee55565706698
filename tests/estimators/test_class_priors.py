"""Priors of classes that are given: negative ones are refused everywhere, sums are taken as scikit-learn takes them."""

import numpy as np
import pytest

import textnb

X = np.array([[1.0, 2.0], [0.0, 1.0], [2.0, 0.0], [1.0, 0.0], [3.0, 1.0], [0.0, 3.0]])
Y = [0, 1, 1, 0, 1, 0]
TEXTS = ["cheap pills", "lunch", "free lunch", "cheap", "lunch at noon", "pills now"]
GIVEN = {
    **dict.fromkeys(("MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"), "class_prior"),
    **dict.fromkeys(("GaussianNB", "MixedNB", "LinearDiscriminantAnalysis"), "priors"),
    **dict.fromkeys(("QuadraticDiscriminantAnalysis", "RegularizedDiscriminantAnalysis"), "priors"),
    "TextClassifier": "class_prior",
}


def fitted(name, prior):
    return getattr(textnb, name)(**{GIVEN[name]: prior}).fit(TEXTS if name == "TextClassifier" else X, Y)


def test_every_class_that_takes_priors_is_tried():
    classes = [getattr(textnb, name) for name in textnb.__all__ if name[0].isupper()]
    taking = {made.__name__ for made in classes if {"priors", "class_prior"} & set(parameters_of(made))}
    assert taking == set(GIVEN)


def parameters_of(made):
    return made._get_param_names() if hasattr(made, "_get_param_names") else []


@pytest.mark.parametrize("name", GIVEN)
def test_negative_priors_are_refused(name):
    with pytest.raises(ValueError, match=r"(?i)priors must be non-negative"):
        fitted(name, [-0.5, 1.5])


@pytest.mark.parametrize("name", GIVEN)
def test_the_number_of_priors_is_that_of_the_classes(name):
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        fitted(name, [0.2, 0.3, 0.5])


def test_priors_of_a_gaussian_model_add_up():
    with pytest.raises(ValueError, match=r"The sum of the priors should be 1"):
        fitted("GaussianNB", [0.2, 0.3])


def test_priors_of_a_linear_discriminant_are_made_to_add_up_with_a_warning():
    with pytest.warns(UserWarning, match="The priors do not sum to 1. Renormalizing"):
        model = fitted("LinearDiscriminantAnalysis", [0.5, 1.5])
    assert model.priors_.tolist() == [0.25, 0.75]
