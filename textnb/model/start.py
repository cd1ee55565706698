"""The model that `learn` starts where there is none. numpy alone."""

from __future__ import annotations

from textnb.likelihood.families import family
from textnb.model.learner import Learner
from textnb.model.recipe import Recipe
from textnb.model.settings import USUAL_COLUMNS, Columns, Fitted
from textnb.text.analyzer import Analyzer
from textnb.text.limits import Limits

STARTING_ALPHA = 0.5


def start_model(
    columns: Columns = USUAL_COLUMNS, *, is_mail: bool = False, mail: str | None = None
) -> tuple[Learner, Fitted]:
    """A model that has learned nothing, with a ledger: of words multinomial on plain counts, of mail robinson.

    `mail` says what is read of messages.

    It grows message by message, so no weight may depend on the first one, as that of tf-idf would, whose document
    frequencies stay those of the first documents. On the SMS corpus, 1,000 messages learned one by one give an accuracy
    of 0.977 on the others, and 0.949 for the complement model on log-tfidf that `TextClassifier` has by default.
    """
    recipe = Recipe(
        analyzer=Analyzer("mail", mail=mail) if is_mail else Analyzer(),
        model="robinson" if is_mail else "multinomial",
        weights="binary" if is_mail else "counts",
        unknown=False,
        limits=Limits(),
        alpha=family("robinson").alpha if is_mail else STARTING_ALPHA,
        fit_prior=True,
        class_prior=None,
        norm=False,
    )
    return Learner.new(recipe, keep_ledger=True), Fitted(columns=columns)
