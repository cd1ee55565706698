"""Spam filters side by side on the same messages in the same order: textnb, bogofilter, scikit-learn's naive Bayes.

    python benchmarks/mail.py [--corpora spamassassin by-date enron sms] [--seeds 5] [--dry-run]

A filter learns a folder of spam and a folder of ham and scores a folder of later messages, each by its own commands, so
the messages per second include starting up and reading. "Caught" is the share of spam that scores above all but the
given share of ham; the threshold is the best one in hindsight, for every filter alike. Ties count against a filter.

- spamassassin: random halves. Once as the messages are, once without the headers that tell where they were collected
  (textnb reads them with `--mail no-source`; the other filters get messages from which those headers were removed).
- by-date: the same messages in the order of their delivery, each classified and then learned. bogofilter decides by its
  own cut-offs, and unsure spam is missed spam; textnb decides for the more probable class.
- enron: Enron-Spam 1 to 6 in the order of arrival, the first half learned. These messages have no header but a subject.
- sms: the first 30 % learned.

textnb's constants for mail are bogofilter's (s, minimum deviation). That headers and content have a vote each, and what
is read of To, Cc and Subject, was chosen on SpamAssassin's halves; that the subject is content, and how much a vote of
few terms counts, on them and on Enron-Spam. Of scikit-learn's models and alphas the best is taken by cross-validation
on what is learned. bogofilter is Debian's package; without it, its rows are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from common import write_results
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from textnb import TextClassifier, load_corpus
from textnb.arrays import Array
from textnb.corpora.manifest import find_entry
from textnb.corpora.sources import find_members
from textnb.text.mail.headers import SENDER_HEADERS
from textnb.workflow.metrics import wilson_interval
from textnb.workflow.reporting.intervals import auc_interval

TEXTNB = [str(Path(sys.executable).with_name("textnb"))]
HAM_LOST = (0.001, 0.01)
SPAM, HAM = "spam", "ham"


@dataclass(frozen=True)
class Mail:
    """Messages with their labels, in their order."""

    messages: list[bytes]
    is_spam: Array

    def take(self, rows: Array) -> Mail:
        return Mail([self.messages[i] for i in rows], self.is_spam[rows])

    def without_source(self) -> Mail:
        return Mail(list(map(without_source, self.messages)), self.is_spam)


@dataclass(frozen=True)
class Scored:
    """Scores of messages, the higher the more like spam, and the rates of learning and of scoring."""

    scores: Array
    learned_per_second: float
    scored_per_second: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=list(MEASUREMENTS), choices=list(MEASUREMENTS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--dry-run", action="store_true", help="show the results, and write none")
    arguments = parser.parse_args()
    for name in arguments.corpora:
        rows = MEASUREMENTS[name](arguments.seeds)
        if not arguments.dry_run:
            write_results(f"mail-{name}", {"rows": rows})


# What is measured


def spamassassin(seeds: int) -> list[dict[str, Any]]:
    """Random halves, with all headers and without those that tell the source."""
    mail = raw_mail()
    bare = mail.without_source()
    rows: list[dict[str, Any]] = []
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(mail.messages))
        first, later = np.split(order, [len(order) // 2])
        for preset, others in (("all", mail), ("no-source", bare)):
            rows += compared(f"spamassassin, {preset}", ["--mail", preset], mail, others, first, later, seed=seed)
        rows[-1]["ceiling"] = ceiling_kept(mail.take(first), mail.take(later))
    return rows


def by_date(seeds: int) -> list[dict[str, Any]]:
    """In the order of delivery, each message classified and then learned."""
    mail = raw_mail()
    ordered = mail.take(np.argsort([delivered(message) for message in mail.messages], kind="stable"))
    rows = [{"corpus": "spamassassin by date", "filter": "textnb", **errors(ordered, online_textnb(ordered))}]
    if has_bogofilter():
        rows.append(
            {"corpus": "spamassassin by date", "filter": "bogofilter", **errors(ordered, online_bogofilter(ordered))}
        )
    for row in rows:
        print(row)
    half = len(ordered.messages) // 2
    everything = np.arange(len(ordered.messages))
    kept = ceiling_kept(ordered.take(everything[:half]), ordered.take(everything[half:]))
    return [*rows, {"corpus": "spamassassin by date", "filter": "textnb", "ceiling": kept}]


def enron(seeds: int) -> list[dict[str, Any]]:
    """Each of the six mailboxes in the order of arrival: the first half learned."""
    _, members = find_members(find_entry("enron-spam"), quiet=True)
    mailboxes = groupby(sorted(members, key=arrival), key=lambda name: arrival(name)[0])
    rows = []
    for mailbox, arrived in mailboxes:
        names = list(arrived)
        mail = Mail([members[name] for name in names], np.array([name.split("/")[1] == SPAM for name in names]))
        first, later = np.split(np.arange(len(names)), [len(names) // 2])
        rows += compared(mailbox, ["--analyzer", "mail"], mail, mail, first, later)
    return rows


def sms(seeds: int) -> list[dict[str, Any]]:
    """The first 30 % learned."""
    corpus = load_corpus("sms-spam", quiet=True)
    mail = Mail([text.encode() for text in corpus.texts], corpus.labels == SPAM)
    first, later = np.split(np.arange(len(mail.messages)), [int(0.3 * len(mail.messages))])
    return compared("sms", [], mail, mail, first, later)


MEASUREMENTS: dict[str, Callable[[int], list[dict[str, Any]]]] = {
    "spamassassin": spamassassin,
    "by-date": by_date,
    "enron": enron,
    "sms": sms,
}


def compared(
    name: str, options: list[str], mail: Mail, for_others: Mail, first: Array, later: Array, **more: Any
) -> list[dict[str, Any]]:
    """One row per filter, which learns the first messages and scores the later ones; `options` are textnb's."""
    filters: dict[str, Callable[[Mail, Mail], Scored]] = {
        "textnb": lambda a, b: by_textnb(a, b, *options),
        "scikit-learn": by_sklearn,
    }
    if has_bogofilter():
        filters["bogofilter"] = by_bogofilter
    rows = []
    for filter, score in filters.items():
        messages = mail if filter == "textnb" else for_others
        scored = score(messages.take(first), messages.take(later))
        row = {"corpus": name, "filter": filter, **more, **judged(mail.is_spam[later], scored)}
        rows.append(row)
        caught = ", ".join(f"{share:.4f}" for share in row["caught"])
        rates = f"{scored.learned_per_second:,.0f} and {scored.scored_per_second:,.0f} messages/s"
        print(f"{name}, {filter}: caught {caught}, (1-AUC) {row['one_minus_auc']:.4f} %, {rates}", flush=True)
    return rows


def judged(is_spam: Array, scored: Scored) -> dict[str, Any]:
    """Spam caught at each loss of ham and (1 − AUC) %, with 95 % intervals, and the rates."""
    spam, ham = scored.scores[is_spam], np.sort(scored.scores[~is_spam])[::-1]
    caught = [int((spam > ham[int(lost * len(ham))]).sum()) for lost in HAM_LOST]
    ordered = np.sort(ham)
    below = (np.searchsorted(ordered, spam) + np.searchsorted(ordered, spam, side="right")) / (2 * len(ham))
    interval = auc_interval(is_spam, scored.scores)
    return {
        "n_spam": len(spam),
        "n_ham": len(ham),
        "caught": [n / len(spam) for n in caught],
        "caught_intervals": [wilson_interval(n / len(spam), len(spam)) for n in caught],
        "one_minus_auc": 100 * float(1 - below.mean()),
        "one_minus_auc_interval": None if interval is None else [100 * (1 - bound) for bound in reversed(interval)],
        "learned_per_second": scored.learned_per_second,
        "scored_per_second": scored.scored_per_second,
    }


def errors(mail: Mail, decided_spam: Array) -> dict[str, Any]:
    return {
        "n": len(mail.messages),
        "ham_lost": int((decided_spam & ~mail.is_spam).sum()),
        "spam_missed": int((~decided_spam & mail.is_spam).sum()),
    }


# The filters


def by_textnb(first: Mail, later: Mail, *options: str) -> Scored:
    """By its command line, as a user would call it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_classes(folder / "first", first)
        paths = write_messages(folder / "later", later.messages)
        model = str(folder / "mail.tnb")
        sources = [f"{label}={folder / 'first' / label}" for label in (SPAM, HAM)]
        learning = timed([*TEXTNB, "train", *sources, "--test-size", "0", "--quiet", "--output", model, *options])
        scoring = timed([*TEXTNB, "predict", model, str(folder / "later"), "--json", "--quiet"])
        scores = {Path(row["id"]).name: row["score"] for row in map(json.loads, scoring.output.splitlines())}
    return Scored(
        np.array([scores[path.name] for path in paths]),
        len(first.messages) / learning.seconds,
        len(later.messages) / scoring.seconds,
    )


def by_bogofilter(first: Mail, later: Mail) -> Scored:
    """By Debian's bogofilter, whose -b reads the names of files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_classes(folder / "first", first)
        paths = write_messages(folder / "later", later.messages)
        command = ["bogofilter", "-d", str(folder)]
        learning = sum(
            timed([*command, option, "-b"], listed((folder / "first" / label).iterdir())).seconds
            for option, label in (("-s", SPAM), ("-n", HAM))
        )
        scoring = timed([*command, "-TT", "-b"], listed(paths))
        scores = [float(line.rsplit(" ", 1)[1]) for line in scoring.output.splitlines()]
    return Scored(np.array(scores), len(first.messages) / learning, len(later.messages) / scoring.seconds)


def by_sklearn(first: Mail, later: Mail) -> Scored:
    """Words of the messages as they are, Latin-1; the model, its weights and alpha by cross-validation."""
    started = time.perf_counter()
    vectorizer = CountVectorizer(encoding="latin-1", min_df=2, binary=True)
    counts = vectorizer.fit_transform(first.messages)
    weighting = TfidfTransformer().fit(counts)
    candidates = [
        (cross_val_score(model(alpha=alpha), X, first.is_spam, cv=3, scoring="roc_auc").mean(), model, alpha, weighted)
        for weighted, X in ((False, counts), (True, weighting.transform(counts)))
        for model in (MultinomialNB, ComplementNB)
        for alpha in (0.001, 0.01, 0.1, 1.0)
    ]
    _, model, alpha, weighted = max(candidates, key=lambda candidate: candidate[0])
    fitted = model(alpha=alpha).fit(weighting.transform(counts) if weighted else counts, first.is_spam)
    learned = time.perf_counter()
    X = vectorizer.transform(later.messages)
    joint = fitted.predict_joint_log_proba(weighting.transform(X) if weighted else X)
    scored = time.perf_counter()
    return Scored(
        joint[:, 1] - joint[:, 0], len(first.messages) / (learned - started), len(later.messages) / (scored - learned)
    )


def online_textnb(mail: Mail) -> Array:
    model = TextClassifier("robinson", analyzer="mail", calibrate=False)
    decided = np.zeros(len(mail.messages), dtype=bool)
    for i, message in enumerate(mail.messages):
        if i:
            decided[i] = model.predict([message])[0] == SPAM
        model.learn([message], [SPAM if mail.is_spam[i] else HAM])
    return decided


def online_bogofilter(mail: Mail) -> Array:
    decided = np.zeros(len(mail.messages), dtype=bool)
    with tempfile.TemporaryDirectory() as folder:
        for i, message in enumerate(mail.messages):
            command = ["bogofilter", "-d", folder]
            decided[i] = subprocess.run(command, input=message, check=False, stderr=subprocess.DEVNULL).returncode == 0
            subprocess.run([*command, "-s" if mail.is_spam[i] else "-n"], input=message, check=True)
    return decided


def ceiling_kept(first: Mail, later: Mail, ceiling: float = 0.001) -> dict[str, Any]:
    """What a ceiling that is chosen on the first messages loses and catches among the later ones."""
    labels = np.where(first.is_spam, SPAM, HAM)
    model = TextClassifier("robinson", analyzer="mail").fit(first.messages, labels)
    model.decide_by(protected=HAM, ceiling=ceiling)
    spam = np.array([label == SPAM for label in model.decide(later.messages)])
    lost, caught = int(spam[~later.is_spam].sum()), int(spam[later.is_spam].sum())
    n_ham, n_spam = int((~later.is_spam).sum()), int(later.is_spam.sum())
    kept = {
        "asked": ceiling,
        "ham_lost": lost / n_ham,
        "ham_lost_interval": wilson_interval(lost / n_ham, n_ham),
        "caught": caught / n_spam,
        "caught_interval": wilson_interval(caught / n_spam, n_spam),
    }
    print(f"a ceiling of {ceiling:.1%}: {lost} of {n_ham} ham lost, {caught / n_spam:.4f} of spam caught", flush=True)
    return kept


# Messages and files


def raw_mail() -> Mail:
    corpus = load_corpus("spamassassin", raw=True, quiet=True)
    return Mail([text.encode("utf-8", "surrogateescape") for text in corpus.texts], corpus.labels == SPAM)


HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:.*\n(?:[ \t].*\n)*")


def without_source(message: bytes) -> bytes:
    """A message without the envelope and the headers that tell where it was collected."""
    text = message.replace(b"\r\n", b"\n")
    position = text.index(b"\n") + 1 if text.startswith(b"From ") else 0
    kept = []
    while header := HEADER.match(text, position):
        if header[1].decode("ascii").lower() in SENDER_HEADERS:
            kept.append(header[0])
        position = header.end()
    return b"".join(kept) + text[position:]


def delivered(message: bytes) -> float:
    """When the last relay received a message or, if it does not say, when it was written."""
    head = re.sub(r"\n[ \t]+", " ", message.decode("latin-1").partition("\n\n")[0])
    dates = [line.rpartition(";")[2] for line in head.split("\n") if line.lower().startswith("received:")]
    dates += [line[5:] for line in head.split("\n") if line.lower().startswith("date:")]
    parsed = (parsedate_tz(date) for date in dates)
    return next(float(mktime_tz(date)) for date in parsed if date is not None)


def arrival(name: str) -> tuple[str, int]:
    """The mailbox of a message of Enron-Spam, and its number in the order of arrival."""
    mailbox, _, file = name.split("/")
    return mailbox, int(file.partition(".")[0])


def write_messages(folder: Path, messages: Iterable[bytes]) -> list[Path]:
    folder.mkdir(parents=True)
    paths = []
    for i, message in enumerate(messages):
        paths.append(folder / f"{i:06}")
        paths[-1].write_bytes(message)
    return paths


def write_classes(folder: Path, mail: Mail) -> None:
    for label, rows in ((SPAM, mail.is_spam), (HAM, ~mail.is_spam)):
        write_messages(folder / label, mail.take(np.flatnonzero(rows)).messages)


def listed(paths: Iterable[Path]) -> str:
    return "".join(f"{path}\n" for path in sorted(paths))


def has_bogofilter() -> bool:
    return shutil.which("bogofilter") is not None


@dataclass(frozen=True)
class Timed:
    output: str
    seconds: float


def timed(command: list[str], given: str | None = None) -> Timed:
    started = time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode > 2 or (command[0] == TEXTNB[0] and done.returncode):
        raise SystemExit(f"{' '.join(command[:4])} failed: {done.stderr}")
    return Timed(done.stdout, time.perf_counter() - started)


if __name__ == "__main__":
    main()
