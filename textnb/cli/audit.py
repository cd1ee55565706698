"""`textnb audit`: what leave-one-out says about the documents themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.output import report_skipped, show, show_json, status

if TYPE_CHECKING:
    from textnb.classifier import TextClassifier
    from textnb.corpora import Corpus
    from textnb.selection.audit import CrossClassDuplicate, Novelty, SuspiciousLabel
    from textnb.text.rows import Array


def audit(
    corpus: options.CorpusName,
    new: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="Documents to compare with those of CORPUS: how new are they?"),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="How many of each to show; --json has them all.")] = 20,
    threshold: Annotated[float, typer.Option(help="How alike near duplicates are, from 0 to 1.")] = 0.8,
    model: Annotated[options.Model, typer.Option(help="Which naive Bayes judges labels.")] = options.Model.complement,
    weights: Annotated[options.Weights, typer.Option(help="How terms weigh.")] = options.Weights.log_tfidf,
    alpha: options.Alpha = 1.0,
    categories: Annotated[str | None, typer.Option(help="Only these classes: a,b,c.")] = None,
    strip: Annotated[str, typer.Option(help="20news: leave out headers,footers,quotes.")] = "",
    text: options.Text = None,
    label: options.Label = "label",
    encoding: options.Encoding = None,
    jobs: options.Jobs = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """List the documents of CORPUS whose label looks wrong, and near duplicates that bear different labels.

    Each document is judged by the model that has learned all others but not it. With --new also how unlike known
    documents new ones are: by their probability, compared with known ones of their length, and by their unknown words.

    \b
    Examples:
      textnb audit mail.csv --text body --label kind
      textnb audit mail.csv --new later.jsonl --json
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"--threshold is a share above 0 and at most 1, got {threshold:g}")
    source = options.source(categories, strip, text or "text", label, encoding, strict)
    settings = {"model": model.value, "weights": weights.value, "alpha": alpha, "n_jobs": jobs}
    found = run_audit(corpus, source, settings, new, threshold, quiet=quiet)
    report_skipped([*found.corpus.problems, *([] if found.new is None else found.new.problems)], quiet)
    show_json(found.to_json()) if as_json else show(found.to_text(most))


@dataclass(frozen=True)
class Audit:
    """What was found, by position in a corpus, and in a second one of new documents."""

    corpus: Corpus
    suspicious: list[SuspiciousLabel]
    duplicates: list[CrossClassDuplicate]
    new: Corpus | None
    novelties: list[Novelty]
    estimate: str

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "corpus": self.corpus.name,
            "edition": self.corpus.edition,
            "n_documents": len(self.corpus),
            "estimate": self.estimate,
            "suspicious_labels": [
                {"where": self.corpus.place(entry.position), **entry.to_json()} for entry in self.suspicious
            ],
            "cross_class_duplicates": [
                {"where": [self.corpus.place(entry.first), self.corpus.place(entry.second)], **entry.to_json()}
                for entry in self.duplicates
            ],
        }
        if self.new is not None:
            found["novelty"] = [
                {"where": self.new.place(entry.position), **entry.to_json()} for entry in self.novelties
            ]
        return found

    def to_text(self, most: int) -> str:
        from textnb.report import printable

        lines = [
            f"corpus     {printable(self.corpus.name)}: {printable(self.corpus.edition)}",
            f"documents  {len(self.corpus):,}, judged by {self.estimate}",
            "",
            f"labels that look wrong: {len(self.suspicious):,}",
            *self._table(
                ("where", "label", "rather", "margin", "text"),
                [
                    (
                        self.corpus.place(e.position),
                        e.label,
                        e.suggested,
                        f"{e.margin:.3f}",
                        opening(self.corpus.texts[e.position]),
                    )
                    for e in self.suspicious[:most]
                ],
                "lllrl",
            ),
            "",
            f"near duplicates that bear different labels: {len(self.duplicates):,}",
            *self._table(
                ("first", "label", "second", "label", "alike"),
                [
                    (
                        self.corpus.place(e.first),
                        e.first_label,
                        self.corpus.place(e.second),
                        e.second_label,
                        f"{e.similarity:.2f}",
                    )
                    for e in self.duplicates[:most]
                ],
                "llllr",
            ),
        ]
        if self.new is not None:
            rows = [
                (
                    self.new.place(e.position),
                    f"{e.z:.1f}",
                    f"{e.unknown_share:.0%}",
                    opening(self.new.texts[e.position]),
                )
                for e in self.novelties[:most]
            ]
            lines += ["", f"the newest of {len(self.new):,} new documents (deviations from known ones of their length)"]
            lines += self._table(("where", "z", "unknown", "text"), rows, "lrrl")
        return "\n".join(lines)

    @staticmethod
    def _table(names: tuple[str, ...], rows: list[tuple[Any, ...]], align: str) -> list[str]:
        from textnb.report import table
        from textnb.report.safe import name

        return [table(names, [[name(cell, 32) for cell in row] for row in rows], align)] if rows else []


def run_audit(
    spec: str, source: dict[str, Any], settings: dict[str, Any], new: str | None, threshold: float, *, quiet: bool
) -> Audit:
    """What leave-one-out says about a corpus, and about new documents beside it."""
    import numpy as np

    from textnb.classifier import TextClassifier
    from textnb.corpora import open_corpus
    from textnb.selection.audit import cross_class_duplicates, suspicious_labels

    status(f"reading {spec} …", quiet)
    corpus = open_corpus(spec, quiet=quiet, **source)
    if len(corpus.classes) < 2:
        raise ValueError(f"{spec} has only the class {corpus.classes[0]!r}: there is nothing to compare labels with")
    status(f"judging {len(corpus):,} documents …", quiet)
    classifier = TextClassifier(ledger=False, calibrate=False, **settings)
    classifier.fit(corpus.texts, corpus.labels, groups=corpus.groups)
    training = classifier.training_documents()
    joint = training.leave_one_out(classifier.fitted_.learner, training.groups)
    class_ids, classes = training.class_ids, np.array(corpus.classes)
    fresh, novelties = None, []
    if new is not None:
        fresh = open_corpus(new, quiet=quiet, **source | {"label_required": False, "categories": None})
        novelties = rate_novelty(classifier, fresh.texts, class_ids)
    return Audit(
        corpus,
        suspicious_labels(joint, class_ids, training.weighed.row_sums(), classes),
        cross_class_duplicates(training.counts, class_ids, classes, threshold),
        fresh,
        novelties,
        "leave-one-out" if training.groups is None else "leave-one-group-out",
    )


def rate_novelty(classifier: TextClassifier, texts: list[str], class_ids: Array) -> list[Novelty]:
    """How unlike the documents that a classifier was fitted on new ones are, by a multinomial model of their counts."""
    import numpy as np

    from textnb.models.count import MultinomialNB
    from textnb.selection.audit import LengthStandard, log_evidence, novelty
    from textnb.selection.subtraction import leave_one_out_scores
    from textnb.text.counting import count_known
    from textnb.text.sklearn_compat import to_public_csr

    counts = classifier.training_documents().counts
    known = counts.append_column(np.zeros(counts.shape[0], dtype=np.int64))  # an unknown word is one never counted
    model = MultinomialNB(alpha=0.1)
    (scores,) = leave_one_out_scores(model, known, class_ids, [model.alpha])
    reference = LengthStandard.of(log_evidence(scores), known.row_sums())
    rows, outside = count_known(texts, classifier.predictor_.analyzer, classifier.predictor_.vocabulary)
    fresh = rows.append_column(outside)
    lengths = fresh.row_sums()
    joint = model.fit(to_public_csr(known), class_ids).predict_joint_log_proba(to_public_csr(fresh))
    return novelty(log_evidence(joint), lengths, outside / np.maximum(lengths, 1), reference)


def opening(text: str, most: int = 32) -> str:
    """How a document begins, on one line."""
    line = " ".join(text[: 10 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
