"""Fitting a model anew with the same settings: how linear models learn, and others forget all that they knew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath

import numpy as np

from textnb.arrays import Array
from textnb.corpora.corpus import select
from textnb.corpora.rows import ReadOptions
from textnb.estimators.text_model import TextModel, open_fitted_model
from textnb.model.file import is_compact
from textnb.model.policy import Policy
from textnb.storage import open_model
from textnb.workflow.inputs import TextInput, remembered_columns
from textnb.workflow.outputs import KnownDocuments, ModelOutput, OutputRefused
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import CorpusLike, opened, require_two_classes, with_columns
from textnb.workflow.updating import ModelSummary


@hears_steps
def refit(
    model: str | PathLike[str],
    corpus: CorpusLike,
    output: str | PathLike[str] | None = None,
    *,
    subset: str | None = None,
    options: ReadOptions | None = None,
    label: str | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> ModelSummary:
    """Fit the model of a file anew to a corpus, with the settings that it has, and save it.

    What was chosen for it stays, C and beta of linear models too. Its vocabulary, idf, weights, calibration and
    threshold are those of the corpus. Models that are derived from counts forget what they had learned.

    Parameters
    ----------
    model : path
        A model file of text, a compact one too.
    corpus, options, label, progress
        As in `evaluate`.
    output : path, optional
        Where to save the model; by default in the file that it is of. As everywhere, a model that has learned documents
        which are not in the corpus is not overwritten, unless `overwrite` is true.
    subset : {"train", "test", "all"}, optional
        Which part of the corpus; by default its own training part if it has one, else all.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> from textnb.corpora.corpus import make_corpus
    >>> texts, labels = ["cheap pills", "buy pills", "lunch at noon", "noon"], ["spam", "spam", "ham", "ham"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier(model="nbsvm", min_df=1).fit(texts, labels).save(path)
    ...     more = make_corpus("mail", [*texts, "cheap watches"], [*labels, "spam"], "made up")
    ...     refit(path, more).documents
    {'ham': 2, 'spam': 3}
    """
    path = fspath(model)
    file = open_model(path, verify="touched")
    if file.settings.get("kind") == "mixed":
        raise ValueError(f"{path} is a model of several columns: train it again, with the columns that it has")
    fitted = open_fitted_model(path)
    assert isinstance(fitted, TextModel)
    place = ModelOutput.of(path if output is None else output, [corpus], overwrite=overwrite)
    columns = TextInput().with_text(None if options is None else options.text)
    reading = with_columns(options or ReadOptions(text=None), remembered_columns(path), label)
    read = opened(corpus, columns.options(replace(reading, mail=columns.is_mail(fitted))), progress)
    part = ("all" if read.split is None else "train") if subset is None else subset
    if part != "all":
        read = select(read, part)
    require_two_classes(read)
    known = KnownDocuments.of(read.texts, read.classes)
    try:
        place.check(known)
    except OutputRefused as error:
        if part == "train" and subset is None:
            raise ValueError(f"{error}; what it is fitted to is the training part: --subset all takes all") from None
        raise
    progress.status(f"fitting to {len(read):,} documents …")
    anew = fitted_anew(fitted, read.texts, _as_known(read.labels, fitted), read.groups)
    anew.columns_ = fitted.fitted_record().columns
    compact = is_compact(file)
    written = place.save(known, lambda path: anew.save(path, compact=compact))
    assert anew.learner_ is not None
    return ModelSummary.of(written, anew.learner_, changes={"refitted_to": len(read)})


def fitted_anew(fitted: TextModel, texts: Sequence[str], labels: Array, groups: Array | None) -> TextModel:
    """A model of the settings of a fitted one, with its prices and its ceiling, fitted to other documents."""
    anew = _same_settings(fitted)
    anew.fit(texts, labels, groups=groups)
    if fitted.policy_ is not None:
        _decide_as(anew, fitted.policy_)
    return anew


def _same_settings(fitted: TextModel) -> TextModel:
    """A model that is not fitted, with the settings in use, of which nothing is chosen again."""
    used = fitted.parameters_in_use
    names = TextModel().get_params()
    return TextModel(**{name: used[name] for name in names})


def _as_known(labels: np.ndarray, fitted: TextModel) -> np.ndarray:
    """Labels in the kind that the classes of the model have, which may be numbers."""
    classes = fitted.classes_
    if classes.dtype.kind == "U":
        return labels
    known = {str(label): label for label in classes.tolist()}
    strange = sorted(set(labels.tolist()) - known.keys())
    if strange:
        raise ValueError(f"the classes of the model are numbers, such as {classes[0]}: {strange[0]!r} is none of them")
    return np.array([known[label] for label in labels.tolist()])


def _decide_as(model: TextModel, policy: Policy) -> None:
    """Decide by the same costs, and by a threshold that keeps the same ceiling; what costs nothing more is left out."""
    known = set(model.classes_.tolist())
    costs = {(true, named): cost for true, named, cost in policy.prices if {true, named} <= known}
    model.decide_by(costs, unsure=policy.unsure, protected=policy.protected, ceiling=policy.ceiling)
