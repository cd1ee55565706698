"""The parameters of a text classifier: their choices are those of the tables that define them."""

import inspect
from typing import get_args, get_type_hints

from textnb import TextClassifier
from textnb.likelihood.families import FAMILIES
from textnb.model.parameters import (
    AUTO,
    CHOOSABLE,
    LITERATURE,
    Accents,
    Model,
    Units,
    Unknown,
    Weights,
    effective,
    open_parameters,
    with_literature,
)
from textnb.selection.tuning import Candidate
from textnb.text.analyzer import ANALYZERS
from textnb.text.features import UNKNOWN_CHOICES
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.weights import WEIGHTINGS

NONE = dict.fromkeys(CHOOSABLE)


def test_choices_are_those_of_the_tables():
    for choices, table in (
        (Model, FAMILIES),
        (Weights, WEIGHTINGS),
        (Units, ANALYZERS),
        (Unknown, UNKNOWN_CHOICES),
        (Accents, ACCENT_STRIPPERS),
    ):
        assert set(get_args(choices)) == set(table)


def test_the_signature_names_the_choices():
    hints = get_type_hints(TextClassifier.__init__)
    for name, choices in (("model", Model), ("weights", Weights)):
        assert {*get_args(choices), AUTO} <= {value for hint in get_args(hints[name]) for value in get_args(hint)}
    assert hints["unknown"] == Unknown


def test_what_can_be_chosen_is_left_out_by_default_and_is_what_candidates_have():
    assert CHOOSABLE == Candidate._fields == tuple(LITERATURE)
    defaults = {name: value.default for name, value in inspect.signature(TextClassifier).parameters.items()}
    assert {name for name in CHOOSABLE if defaults[name] is None} == set(CHOOSABLE)


def test_all_are_open_where_none_is_given_and_else_those_that_are_auto():
    assert open_parameters(NONE) == CHOOSABLE
    assert open_parameters(NONE | {"alpha": 0.5}) == ()
    assert open_parameters(NONE | {"alpha": AUTO}) == ("alpha",)
    assert open_parameters(NONE | {"alpha": AUTO, "model": AUTO, "ngrams": (1, 2)}) == ("model", "alpha")
    assert set(with_literature(NONE).values()) == {AUTO}
    assert with_literature(NONE | {"alpha": AUTO}) == {**LITERATURE, "alpha": AUTO}
    assert with_literature(NONE | {"alpha": 0.5}) == {**LITERATURE, "alpha": 0.5}


def test_what_was_chosen_comes_before_the_literature_and_after_what_is_given():
    assert effective(NONE, {}) == LITERATURE
    assert effective(NONE | {"alpha": 2.0}, {"alpha": 0.1, "min_df": 2}) == {**LITERATURE, "alpha": 2.0, "min_df": 2}
    assert effective(NONE | {"alpha": AUTO}, {"alpha": 0.1}) == {**LITERATURE, "alpha": 0.1}
