"""Making a model file smaller, for where it only has to predict."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from textnb.model.compact import write_compact
from textnb.model.derive import kept_terms
from textnb.model.file import fitted_of, learner_of
from textnb.model.update import open_text_model
from textnb.workflow.outputs import KnownDocuments, ModelOutput


@dataclass(frozen=True)
class Compaction:
    """A compact file, and the one that it was made from."""

    model_file: str
    made_from: str
    bytes: int
    bytes_before: int
    n_documents: int
    n_terms: int
    rounded: bool  # whether scores are close to those of the other file, and not the same

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def compact(model: str | PathLike[str], output: str | PathLike[str], *, overwrite: bool = False) -> Compaction:
    """Write a smaller file that predicts as a text model does, and can no longer learn, forget or be merged.

    Scores of counts are the same to the last digit, those of tf-idf close: `textnb.model.compact` says how close.

    Examples
    --------
    >>> import os, tempfile, textnb
    >>> texts, labels = ["cheap pills", "lunch at noon"], ["spam", "ham"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, small = (os.path.join(folder, name) for name in ("mail.tnb", "small.tnb"))
    ...     textnb.TextClassifier().fit(texts, labels).save(path)
    ...     compact(path, small).n_terms, textnb.load(small).predict(["cheap lunch", "noon"]).tolist()
    (5, ['spam', 'ham'])
    """
    path = fspath(model)
    place = ModelOutput.of(output, [path], overwrite=overwrite)
    file = open_text_model(path)
    learner, fitted = learner_of(file), fitted_of(file)
    known = KnownDocuments.learned_by(learner)
    place.check(known)
    sizes: list[int] = []
    written = place.save(known, lambda path: sizes.append(write_compact(path, learner, fitted)))
    return Compaction(
        model_file=written,
        made_from=path,
        bytes=sizes[-1],
        bytes_before=file.nbytes,
        n_documents=learner.counts.n_documents,
        n_terms=int(kept_terms(learner).sum()),
        rounded=learner.recipe.is_tfidf and learner.rule is None,
    )
