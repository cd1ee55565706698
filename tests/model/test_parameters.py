"""The parameters of a text classifier: their choices are those of the tables that define them."""

import inspect
from typing import get_args, get_type_hints

import pytest

from textnb import TextClassifier
from textnb.likelihood.families import MODELS
from textnb.model.parameters import (
    AUTO,
    CHOOSABLE,
    CLARITY_SETTINGS,
    LITERATURE,
    MAIL_LITERATURE,
    UNITS,
    Accents,
    Chosen,
    Model,
    Units,
    Unknown,
    Weights,
    effective,
    left_to_choice,
    open_parameters,
    units_are_open,
    with_literature,
)
from textnb.selection.linear_tuning import LinearCandidate
from textnb.selection.tuning import Candidate
from textnb.text.analyzer import ANALYZERS
from textnb.text.features import UNKNOWN_CHOICES
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.weights import WEIGHTINGS

NONE = dict.fromkeys(CHOOSABLE)


def get_names(choices):
    """The names in a union of literals."""
    return tuple(name for choice in get_args(choices) for name in get_args(choice))


def test_choices_are_those_of_the_tables():
    for choices, table in (
        (Model, MODELS),
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
    assert (*CHOOSABLE, *UNITS, "min_deviation") == tuple(
        sorted(Candidate._fields, key=(*CHOOSABLE, *UNITS, "min_deviation").index)
    )
    assert {*Candidate._fields, *LinearCandidate._fields} == set(get_names(Chosen))
    assert CHOOSABLE == tuple(LITERATURE) == tuple(MAIL_LITERATURE)
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


def test_models_of_clear_terms_and_mail_have_a_literature_of_their_own():
    assert effective(NONE | {"model": "fisher"}, {}) == {
        **LITERATURE,
        "model": "fisher",
        "weights": "binary",
        "alpha": 0.0178,
    }
    assert effective(NONE | {"analyzer": "mail"}, {}) == {**MAIL_LITERATURE, "analyzer": "mail"}
    given = NONE | {"analyzer": "mail", "model": "multinomial"}
    assert effective(given, {}) == {**MAIL_LITERATURE, **given, "weights": "binary", "ngrams": (1, 1)} | {
        "min_df": 1,
        "alpha": 1.0,
    }


def test_what_says_which_terms_are_clear_is_the_familys_chosen_or_given():
    none = NONE | dict.fromkeys(CLARITY_SETTINGS)
    usual = {"assumed": 0.5, "min_deviation": 0.375, "most_terms": None}
    robinson = effective(none | {"model": "robinson"}, {})
    assert {name: robinson[name] for name in CLARITY_SETTINGS} == usual
    assert effective(none, {"model": "robinson", "min_deviation": 0.3})["min_deviation"] == 0.3
    assert effective(none | {"min_deviation": 0.2}, {"model": "fisher", "min_deviation": 0.3})["min_deviation"] == 0.2
    assert effective(none | {"min_deviation": 0.2}, {"model": "multinomial"})["min_deviation"] is None
    assert effective(none, {})["assumed"] is None


def test_what_was_chosen_beyond_the_five_is_left_to_choice_too():
    none = NONE | dict.fromkeys(CLARITY_SETTINGS)
    chosen = {"model": "robinson", "min_deviation": 0.3}
    assert left_to_choice(none, chosen) == tuple(sorted([*CHOOSABLE, "min_deviation"]))
    assert left_to_choice(none | {"min_deviation": 0.3}, chosen) == tuple(sorted(CHOOSABLE))
    assert left_to_choice(none, {}) == tuple(sorted(CHOOSABLE))


WORDS = {"analyzer": None, "token_pattern": DEFAULT_TOKEN_PATTERN}


@pytest.mark.parametrize(
    ("given", "are_open"),
    [
        ({}, True),
        ({"analyzer": "auto", "alpha": 1.0}, True),
        ({"model": "auto", "ngrams": "auto", "min_df": "auto"}, True),
        ({"ngrams": "auto"}, False),
        ({"analyzer": "word"}, False),
        ({"analyzer": "mail"}, False),
        ({"alpha": 1.0}, False),
        ({"tokenizer": "tweet"}, False),
        ({"token_pattern": "x+"}, False),
        ({"stop_words": "english"}, False),
        ({"vocabulary": ["a"]}, False),
    ],
)
def test_what_terms_are_made_of_is_open_where_nothing_says_it(given, are_open):
    assert units_are_open(NONE | WORDS | given) is are_open
