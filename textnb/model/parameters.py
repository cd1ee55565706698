"""The parameters of a text classifier: what they can be, and what is taken where they are left out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from textnb.likelihood.families import family
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN

Model: TypeAlias = Literal["multinomial", "complement", "bernoulli", "robinson", "fisher", "log-odds", "nbsvm", "nblr"]
Weights: TypeAlias = Literal["counts", "binary", "tfidf", "log-tfidf"]
Units: TypeAlias = Literal["word", "char", "char_wb", "mail"]
Unknown: TypeAlias = Literal["ignore", "token"]
Accents: TypeAlias = Literal["ascii", "unicode"]
Auto: TypeAlias = Literal["auto"]
Best: TypeAlias = Literal["best"]
Calibrate: TypeAlias = bool | Literal["offsets"]
Choosable: TypeAlias = Literal["model", "weights", "ngrams", "min_df", "alpha"]
# The first two where it is open what terms are made of, the others only where the model has them.
Chosen: TypeAlias = Choosable | Literal["analyzer", "tokenizer", "min_deviation", "C", "beta"]

AUTO: Auto = "auto"
BEST: Best = "best"  # of naive Bayes and linear models, whose other parameters are open where they are left out
CHOOSABLE: tuple[str, ...] = get_args(Choosable)
UNITS = ("analyzer", "tokenizer")  # what terms are made of
_OF_WORDS = (*("tokenizer", "stemmer", "stop_words", "strip_accents", "vocabulary", "mail"),)
CLARITY_SETTINGS = ("assumed", "min_deviation", "most_terms")  # of families that combine clear terms
FITTING_SETTINGS = ("C", "beta")  # of families that are fitted to documents
LITERATURE: Mapping[str, Any] = MappingProxyType(  # Rennie et al. 2003, without their normalised weights
    {"model": "complement", "weights": "log-tfidf", "ngrams": (1, 1), "min_df": 1, "alpha": 1.0}
)
MAIL_LITERATURE: Mapping[str, Any] = MappingProxyType(
    {"model": "robinson", "weights": "binary", "ngrams": (1, 1), "min_df": 1, "alpha": family("robinson").alpha}
)
FITTED_USUAL: Mapping[str, Any] = (
    MappingProxyType(  # words and pairs, as in Wang & Manning 2012; what one document has says little
        {"weights": "log-tfidf", "ngrams": (1, 2), "min_df": 2}
    )
)


def literature(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The five parameters that are taken where they are left out: for the analyzer and, if one is given, the model."""
    usual = dict(MAIL_LITERATURE if parameters.get("analyzer") == "mail" else LITERATURE)
    model = parameters.get("model")
    if is_open(model):
        return usual
    chosen = family(str(model))
    fitted = dict(FITTED_USUAL if chosen.fitted_to_documents else {})
    return usual | {"alpha": chosen.alpha, "weights": usual_weights(chosen.name, usual["weights"])} | fitted


def usual_weights(model: str, usual: str) -> str:
    """The weights of a model for which none are given, where these are the usual ones."""
    found = None if is_open(model) else family(model)
    return usual if found is None or found.clarity is None else found.weighting(usual)


def check_weights_of(model: Any, weights: Any) -> None:
    """Refuse weights that a model of clear terms does not take, where both are given."""
    if is_open(model) or is_open(weights):
        return
    found = family(model)
    if found.clarity is not None and weights not in found.weightings:
        raise ValueError(
            f"a {model} model takes {' or '.join(found.weightings)} weights, got {weights}: leave --weights out"
        )


def open_parameters(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters that are to be chosen: all five if each is None, else those that are "auto".

    Of the best model, all that are not given.
    """
    if is_best(parameters["model"]):
        return tuple(name for name in CHOOSABLE if is_open(parameters[name]))
    if all(parameters[name] is None for name in CHOOSABLE):
        return CHOOSABLE
    return tuple(name for name in CHOOSABLE if is_auto(parameters[name]))


def units_are_open(parameters: Mapping[str, Any]) -> bool:
    """Whether it is to be chosen what terms are made of.

    It is where the analyzer is "auto", or not given while both the n-grams and min_df are to be chosen; but not where
    something is given that is for words alone.
    """
    given = any(parameters.get(name) is not None for name in _OF_WORDS)
    if given or parameters.get("token_pattern", DEFAULT_TOKEN_PATTERN) != DEFAULT_TOKEN_PATTERN:
        return False
    analyzer = parameters.get("analyzer")
    return is_auto(analyzer) or (analyzer is None and {"ngrams", "min_df"} <= set(open_parameters(parameters)))


def with_literature(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The five parameters: "auto" for those that are open, the literature's value for others that are None."""
    opened = open_parameters(parameters)
    return {name: AUTO if name in opened else _given(parameters, name) for name in CHOOSABLE}


def effective(parameters: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters, with what was chosen for those that are None or "auto", else the literature's value for None."""
    found = dict(parameters)
    for name in CHOOSABLE:
        if name in chosen and is_open(found[name]):
            found[name] = chosen[name]
        elif is_auto(found[name]) or is_best(found[name]):
            raise ValueError(
                f"{name}={found[name]!r} is chosen by fit, from documents that are all in memory: give a value"
            )
        else:
            found[name] = _given(parameters, name)
    fitting = family(found["model"]).fitting
    for name in parameters.keys() & set(FITTING_SETTINGS):
        if fitting is None:  # of the best model, it was for the linear ones among the candidates
            found[name] = None if is_auto(found[name]) or is_best(parameters["model"]) else found[name]
        elif is_open(found[name]):
            found[name] = chosen.get(name, getattr(fitting, name))
    for name in UNITS:
        if name in chosen and is_open(found.get(name)):
            found[name] = chosen[name]
    if "analyzer" in found and is_open(found["analyzer"]):
        found["analyzer"] = "word"
    clarity = family(found["model"]).clarity
    for name in parameters.keys() & CLARITY_SETTINGS:
        if clarity is not None and found[name] is None:
            found[name] = chosen.get(name, getattr(clarity, name))
        elif clarity is None and "model" in chosen:  # it was for the models of clear terms among the candidates
            found[name] = None
    return found


def left_to_choice(parameters: Mapping[str, Any], chosen: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters left out that a fit may choose or has chosen; where others are given, None is a fixed value."""
    names = {name for name in CHOOSABLE if parameters[name] is None}
    further = {name for name in chosen if parameters[name] is None}
    return tuple(sorted(names | further if len(names) == len(CHOOSABLE) else further))


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def is_best(model: Any) -> bool:
    return isinstance(model, str) and model == BEST


def is_open(value: Any) -> bool:
    """Whether a parameter is left out, or to be chosen."""
    return value is None or is_auto(value) or is_best(value)


def _given(parameters: Mapping[str, Any], name: str) -> Any:
    return literature(parameters)[name] if parameters[name] is None else parameters[name]
