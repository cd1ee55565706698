"""What leaving out must equal: the model fitted anew without each group."""

import numpy as np
from sklearn.base import clone


def refitted(estimator, X, y, groups=None, rows=None):
    """Joint scores (len(rows), K) of rows under models fitted without their groups; −inf for a class left empty."""
    y = np.asarray(y)
    groups = np.arange(len(y)) if groups is None else np.asarray(groups)
    rows = np.arange(len(y)) if rows is None else rows
    classes = np.unique(y)
    scores = np.full((len(rows), len(classes)), -np.inf)
    models = {}
    for i, row in enumerate(rows):
        group = groups[row]
        if group not in models and (groups != group).any():
            models = {group: clone(estimator).fit(X[groups != group], y[groups != group])}
        if group in models:
            found = models[group]
            scores[i, np.searchsorted(classes, found.classes_)] = found.predict_joint_log_proba(X[[row]])[0]
    return scores


def assert_same(ours, theirs, largest_term=0.0):
    """Equal to 1e-8 of the score, or of the largest of the terms that it is the sum of, which may cancel."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * largest_term)
