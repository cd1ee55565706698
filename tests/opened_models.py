"""Model files as `textnb predict` opens them."""

from textnb.model.file import predictor_of
from textnb.storage import open_model


def open_predictor(path):
    """The predictor of a model file, of which only what is touched is read and verified."""
    return predictor_of(open_model(path, verify="touched"))
