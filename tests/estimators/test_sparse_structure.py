"""A sparse matrix with an index outside it is refused: reading past the end of an array ends the process."""

import numpy as np
import pytest
import scipy.sparse

from textnb import NBSVM, BernoulliNB, ComplementNB, GaussianNB, MultinomialNB, TfidfTransformer
from textnb.selection import leave_one_out

LABELS = [0, 1, 1]
MODELS = [MultinomialNB, ComplementNB, BernoulliNB, GaussianNB, NBSVM]


def matrix(kind, **arrays):
    made = scipy.sparse.eye_array(3, 4, format=kind)
    for name, (place, value) in arrays.items():
        changed = getattr(made, name).copy()
        changed[place] = value
        setattr(made, name, changed)
    return made


BROKEN = [
    matrix("csr", indices=(2, 2**30)),
    matrix("csr", indices=(0, -(2**30))),
    matrix("csr", indptr=(1, 2**30)),
    matrix("csr", indptr=(1, -1)),
    matrix("csr", indptr=(3, 4)),
    matrix("csc", indices=(2, 3)),
]


@pytest.mark.parametrize("broken", BROKEN, ids=repr)
@pytest.mark.parametrize("model", MODELS)
def test_models_refuse_it_in_fitting_and_predicting(model, broken):
    fitted = model().fit(matrix("csr"), LABELS)
    calls = [lambda: fitted.predict(broken), lambda: model().fit(broken, LABELS)]
    if hasattr(model, "partial_fit"):
        calls.append(lambda: model().partial_fit(broken, LABELS, classes=[0, 1]))
    for call in calls:
        with pytest.raises(ValueError, match="has an index outside it"):
            call()


@pytest.mark.parametrize("broken", BROKEN, ids=repr)
def test_so_do_transformers_and_leave_one_out(broken):
    for call in (lambda: TfidfTransformer().fit(broken), lambda: leave_one_out(MultinomialNB(), broken, LABELS)):
        with pytest.raises(ValueError, match="has an index outside it"):
            call()


def test_room_that_is_not_used_may_hold_anything():
    X = matrix("csr")
    X.indices, X.data = (np.append(array, filler) for array, filler in ((X.indices, 2**30), (X.data, 1.0)))
    model = MultinomialNB().fit(matrix("csr"), LABELS)
    assert model.predict(X).tolist() == model.predict(matrix("csr")).tolist()
