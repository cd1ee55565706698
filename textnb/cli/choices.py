"""The choices of --model and --weights, from the tables that define the models and the weightings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from textnb.cli.options import AUTO, BEST
from textnb.cli.parameters import Option
from textnb.likelihood.families import FAMILIES, FITTED, MODELS
from textnb.text.weights import WEIGHTINGS

if TYPE_CHECKING:  # a type checker knows no choices that are found at run time
    Model: TypeAlias = str
    Weights: TypeAlias = str
    ModelOrAuto: TypeAlias = str
    WeightsOrAuto: TypeAlias = str
else:
    Model, ModelOrAuto = Literal[tuple(MODELS)], Literal[(*MODELS, AUTO, BEST)]
    Weights, WeightsOrAuto = Literal[tuple(WEIGHTINGS)], Literal[(*WEIGHTINGS, AUTO)]

AutoModel = Annotated[
    ModelOrAuto | None,
    Option(
        metavar="MODEL",
        help=f"Which model, for text: {', '.join(FAMILIES)}; {' and '.join(FITTED)} are linear models; {AUTO}: naive "
        f"Bayes is chosen; {BEST}: linear models are tried too.",
    ),
]
AutoWeights = Annotated[WeightsOrAuto | None, Option(help="How terms weigh.")]
