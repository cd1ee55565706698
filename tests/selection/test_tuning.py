"""What is chosen is the best of what was tried, and each trial is what refitting without each document gives."""

import random
from itertools import product

import numpy as np
import pytest
from selection.refitting import refitted

from textnb import BernoulliNB, ComplementNB, CountVectorizer, MultinomialNB, TfidfTransformer
from textnb.likelihood.families import FAMILIES
from textnb.model.decision import log_posterior
from textnb.selection import tuning
from textnb.selection.candidates import FURTHER_TERMS, PLAIN_WORDS, WITHOUT_BLANKS
from textnb.selection.trials import measured as measured_scores
from textnb.selection.tuning import ALPHAS, COARSE_ALPHAS, FINALISTS, TERMS, Candidate, Fixed, Terms, Trial, tune
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.limits import Limits
from textnb.text.terms import Terms as Table

MODELS = {"complement": ComplementNB, "multinomial": MultinomialNB, "bernoulli": BernoulliNB}
LABELS = np.arange(30) % 3


def made_texts(seed=0, n=30):
    """Short texts of three classes that share most of their words."""
    choose = random.Random(seed)
    words = [[f"word{(5 * c + i) % 20}" for i in range(12)] for c in range(3)]
    return [" ".join(choose.choices(words[i % 3], k=choose.randint(1, 8))) for i in range(n)]


RECIPES = [
    (family.name, weights) for family in FAMILIES.values() if family.clarity is None for weights in family.weightings
]
TEXTS = made_texts()


def weighed(texts, candidate):
    """The documents in the columns and weights of a candidate."""
    rows = CountVectorizer(ngram_range=candidate.ngrams, min_df=candidate.min_df).fit_transform(texts)
    if candidate.weights == "binary":
        return (rows > 0).astype(np.int64)
    if candidate.weights == "counts":
        return rows
    return TfidfTransformer(sublinear_tf=candidate.weights == "log-tfidf").fit_transform(rows)


def measured(texts, labels, candidate, groups=None):
    """Accuracy and log-loss of a candidate, by fitting it anew without each document, or group, vocabulary and all.

    Only idf, and with it the lengths of other documents, are those of all documents.
    """
    everything, is_tfidf = weighed(texts, candidate).toarray(), candidate.weights.endswith("tfidf")
    present, joint = everything > 0, np.empty((len(texts), labels.max() + 1))
    of_row = np.arange(len(texts)) if groups is None else groups
    for group in np.unique(of_row):
        others = of_row != group
        known = present[others].sum(axis=0) >= candidate.min_df
        model = MODELS[candidate.model](alpha=candidate.alpha).fit(everything[others][:, known], labels[others])
        own = everything[~others][:, known]
        if is_tfidf:
            lengths = np.linalg.norm(own, axis=1, keepdims=True)
            own = own / np.where(lengths > 0, lengths, 1)
        joint[~others] = model.predict_joint_log_proba(own)
    prior = np.log(np.bincount(labels) / len(labels))
    posterior = log_posterior(joint, prior)
    return np.mean(posterior.argmax(axis=1) == labels), -posterior[np.arange(len(labels)), labels].mean()


@pytest.mark.parametrize("groups", [None, np.arange(30) // 4], ids=["documents", "groups"])
def test_every_trial_is_a_refit_and_the_best_is_chosen(groups):
    choice = tune(TEXTS, LABELS, groups=groups)
    for trial in choice.trials:
        accuracy, log_loss = measured(TEXTS, LABELS, trial.candidate, groups)
        assert trial.accuracy == pytest.approx(accuracy, abs=1e-12), trial.candidate
        assert trial.log_loss == pytest.approx(log_loss, rel=1e-8), trial.candidate
    assert choice.best == min(choice.trials, key=lambda trial: trial.rank)


def test_the_search_has_three_steps():
    choice = tune(TEXTS, LABELS)
    steps = iter(trial.candidate for trial in choice.trials)
    first, *more = TERMS["word"]
    coarse = len(RECIPES) * len(COARSE_ALPHAS)
    one = [next(steps) for _ in range(coarse)]
    assert one == [Candidate(*recipe, *first, alpha) for recipe, alpha in product(RECIPES, COARSE_ALPHAS)]
    ranked = sorted(choice.trials[:coarse], key=lambda trial: trial.rank)
    finalists = list(dict.fromkeys(trial.candidate[:2] for trial in ranked))[:FINALISTS]
    two = [next(steps) for _ in range(len(more) * FINALISTS * len(COARSE_ALPHAS))]
    assert two == [
        Candidate(*recipe, *terms, alpha) for terms, recipe, alpha in product(more, finalists, COARSE_ALPHAS)
    ]
    winner = min(choice.trials[: coarse + len(two)], key=lambda trial: trial.rank).candidate
    assert list(steps) == [winner._replace(alpha=alpha) for alpha in ALPHAS if alpha not in COARSE_ALPHAS]


def test_equal_accuracies_are_told_apart_by_log_loss():
    candidate = Candidate("complement", "counts", (1, 1), 1, 1.0)
    better = Trial(candidate, 0.9, 0.3)
    assert better.rank < Trial(candidate, 0.9, 0.4).rank < Trial(candidate, 0.8, 0.1).rank


@pytest.mark.parametrize(
    ("fixed", "recipes"),
    [
        (Fixed(), set(RECIPES)),
        (Fixed(model="multinomial"), {recipe for recipe in RECIPES if recipe[0] == "multinomial"}),
        (Fixed(weights="tfidf"), {("complement", "tfidf"), ("multinomial", "tfidf"), ("bernoulli", "binary")}),
        (Fixed(model="complement", weights="counts"), {("complement", "counts")}),
        (Fixed(model="bernoulli", weights="log-tfidf"), {("bernoulli", "binary")}),
    ],
)
def test_a_given_model_or_weighting_is_kept(fixed, recipes):
    choice = tune(TEXTS, LABELS, fixed=fixed)
    assert {trial.candidate[:2] for trial in choice.trials} == recipes


def test_given_terms_and_alpha_are_kept():
    choice = tune(TEXTS, LABELS, fixed=Fixed(ngrams=(1, 3), min_df=3, alpha=0.7))
    assert {trial.candidate[2:5] for trial in choice.trials} == {((1, 3), 3, 0.7)}
    assert len(choice.trials) == len(RECIPES)


def test_a_single_candidate_is_tried_once():
    choice = tune(TEXTS, LABELS, fixed=Fixed("complement", "counts", (1, 1), 1, 0.5))
    assert [trial.candidate for trial in choice.trials] == [Candidate("complement", "counts", (1, 1), 1, 0.5)]


@pytest.mark.parametrize("kind", ["char", "char_wb"])
def test_characters_have_longer_ngrams(kind):
    choice = tune(TEXTS, LABELS, analyzer=Analyzer(kind=kind))
    assert {trial.candidate[2:4] for trial in choice.trials} == set(TERMS[kind])


def test_each_ngram_range_is_counted_once():
    counted = []

    def count(texts, analyzer, jobs):
        counted.append(analyzer.ngrams)
        return count_all(texts, analyzer, jobs)

    tune(TEXTS, LABELS, count=count)
    assert sorted(counted) == sorted({ngrams for ngrams, _ in TERMS["word"]})


def test_limits_and_a_given_vocabulary_are_kept_to():
    fixed = Fixed("multinomial", "counts", (1, 1), 1, 1.0)
    few = ["word1", "word7"]
    ours = tune(TEXTS, LABELS, fixed=fixed, vocabulary=Table.of(few)).best
    X = CountVectorizer(vocabulary=few).transform(TEXTS)
    joint = refitted(MultinomialNB(), X, LABELS)
    assert ours.accuracy == np.mean(joint.argmax(axis=1) == LABELS)

    fixed = Fixed("bernoulli", "binary", (1, 1), 1, 1.0)
    more = [*few, "never", "neither"]
    ours = tune(TEXTS, np.sort(LABELS) // 2, fixed=fixed, vocabulary=Table.of(sorted(more))).best
    X = CountVectorizer(vocabulary=more).transform(TEXTS)
    posterior = log_posterior(refitted(BernoulliNB(), X, np.sort(LABELS) // 2), np.log([2 / 3, 1 / 3]))
    assert ours.log_loss == pytest.approx(-posterior[np.arange(30), np.sort(LABELS) // 2].mean(), rel=1e-12)

    fixed = Fixed("multinomial", "counts", (1, 1), 1, 1.0)
    ours = tune(TEXTS, LABELS, fixed=fixed, limits=Limits(1, 1.0, 3)).best
    X = CountVectorizer(max_features=3).fit_transform(TEXTS)
    assert ours.accuracy == np.mean(refitted(MultinomialNB(), X, LABELS).argmax(axis=1) == LABELS)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("texts", "limits"),
    [([f"own{i} word{i}" for i in range(30)], Limits()), (TEXTS, Limits(1, 1))],
    ids=["words of one document each", "max_df 1"],
)
def test_candidates_that_leave_no_term_are_passed_over(texts, limits):
    choice = tune(texts, LABELS, limits=limits)
    assert {trial.candidate.min_df for trial in choice.trials} == {1}


def test_that_no_candidate_leaves_a_term_is_an_error():
    with pytest.raises(ValueError, match="After pruning, no terms remain"):
        tune(TEXTS, LABELS, fixed=Fixed(min_df=30))
    with pytest.raises(ValueError, match="empty vocabulary; perhaps the documents only contain stop words"):
        tune(["", "a b"] * 15, LABELS)


def test_a_log_loss_of_nothing_has_no_sign():
    sure = np.where(np.eye(3)[LABELS], 0.0, -1000.0)
    trial, right = measured_scores(None, sure, sure, LABELS, "accuracy", None)
    assert (right.all(), str(trial.log_loss)) == (True, "0.0")


def test_of_very_many_documents_some_are_tried_on(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_DOCUMENTS", 12)
    groups = np.arange(30) // 4
    some = np.unique(np.linspace(0, 29, 12).astype(int))
    ours, theirs = (
        tune(texts, labels, groups=kept)
        for texts, labels, kept in (
            (TEXTS, LABELS, groups),
            ([TEXTS[i] for i in some], LABELS[some], groups[some]),
        )
    )
    assert ours == theirs
    assert ours.n_documents == 12


def test_progress_hears_of_every_trial():
    heard = []
    assert tune(TEXTS, LABELS, progress=heard.append).trials == heard


@pytest.mark.filterwarnings("error")
def test_a_class_of_one_document_is_impossible_without_it():
    choice = tune([*TEXTS, "alone"], np.append(LABELS, 3))
    assert choice.best.log_loss == np.inf
    assert choice.to_json()["best"]["log_loss"] is None


# Documents that are nearly the same


def test_near_duplicates_are_warned_of():
    choice = tune(TEXTS + TEXTS, np.tile(LABELS, 2))
    assert choice.near_duplicated == 1
    assert choice.warning.startswith("100% of the documents are nearly the same as another: leave-one-out flatters")
    assert choice.to_json()["near_duplicated"] == 1


def test_there_is_no_warning_where_documents_differ():
    choice = tune([f"{text} own{i} own{i}a own{i}b" for i, text in enumerate(TEXTS)], LABELS)
    assert choice.near_duplicated == 0
    assert choice.warning is None


def test_groups_need_no_warning():
    choice = tune(TEXTS + TEXTS, np.tile(LABELS, 2), groups=np.tile(np.arange(30), 2))
    assert (choice.estimate, choice.near_duplicated, choice.warning) == ("leave-one-group-out", None, None)
    assert tune(TEXTS, LABELS).estimate == "leave-one-out"


# What terms are made of

OPEN = Fixed(units=False)


def spelled(seed=0, n=60):
    """Words that nobody has seen before, of letters that tell the class: what words cannot tell and characters can."""
    choose = random.Random(seed)
    letters = ["abcdefgh", "defghijk", "ghijklmn"]
    return [" ".join("".join(choose.choices(letters[i % 3], k=6)) for _ in range(4)) for i in range(n)]


def test_where_the_units_are_open_all_kinds_of_terms_are_tried():
    choice = tune(TEXTS, LABELS, fixed=OPEN)
    tried = {trial.candidate.terms for trial in choice.trials}
    assert tried == {*PLAIN_WORDS, *FURTHER_TERMS}
    assert choice.screening is None
    chinese = tune([text.replace("word", "\u4e2d\u6587") for text in TEXTS], LABELS, fixed=OPEN)
    assert {trial.candidate.terms for trial in chinese.trials} - tried == set(WITHOUT_BLANKS)


def test_characters_are_chosen_where_words_say_nothing():
    labels = np.arange(60) % 3
    choice = tune(spelled(), labels, fixed=OPEN)
    best = choice.best.candidate
    assert best.analyzer in ("char", "char_wb")
    plain = max(trial.accuracy for trial in choice.trials if trial.candidate.terms.has_plain_units)
    assert plain < 0.6 < choice.best.accuracy
    every = {trial.candidate[:2] for trial in choice.trials if trial.candidate.terms == best.terms}
    assert every == set(RECIPES)  # words had told nothing about models either
    assert {trial.candidate.alpha for trial in choice.trials if trial.candidate[:2] == best[:2]} >= set(ALPHAS)


def test_plain_words_are_taken_where_others_are_better_by_chance_alone():
    choice = tune(TEXTS, LABELS, fixed=OPEN)
    accuracies = {
        is_plain: max(t.accuracy for t in choice.trials if t.candidate.terms.has_plain_units == is_plain)
        for is_plain in (True, False)
    }
    assert accuracies[True] <= accuracies[False] < accuracies[True] + 0.1
    assert choice.best.candidate.terms.has_plain_units
    assert choice.within_chance


def test_of_much_text_terms_are_looked_at_on_some_documents_first(monkeypatch):
    monkeypatch.setattr(tuning, "SCREENED_FROM", 100)
    monkeypatch.setattr(tuning, "SCREENED_ON", 1)
    monkeypatch.setattr(tuning, "FEWEST_SCREENED", 30)
    labels = np.arange(60) % 3
    choice = tune(spelled(), labels, fixed=OPEN)
    seen = choice.screening
    assert seen.n_documents == 30
    assert {terms for terms, _ in seen.accuracies} == set(FURTHER_TERMS)
    assert {trial.candidate.terms for trial in choice.trials} == {PLAIN_WORDS[0], *seen.kept}  # no word is in two
    accuracies = dict(seen.accuracies)
    assert choice.best.candidate.terms == max(seen.kept, key=accuracies.__getitem__) or len(seen.kept) > 1
    assert all(accuracies[terms] >= seen.plain_accuracy - 0.2 for terms in seen.kept)
    assert choice.to_json()["screening"]["plain_accuracy"] == seen.plain_accuracy
    monkeypatch.setattr(tuning, "MOST_KEPT", 1)
    (kept,) = tune(spelled(), labels, fixed=OPEN).screening.kept
    assert accuracies[kept] == max(accuracies.values())


def test_what_does_worse_than_words_on_some_documents_is_dropped(monkeypatch):
    monkeypatch.setattr(tuning, "SCREENED_FROM", 100)
    monkeypatch.setattr(tuning, "SCREENED_ON", 1)
    monkeypatch.setattr(tuning, "FEWEST_SCREENED", 60)
    choose = random.Random(1)
    names = ["".join(choose.sample("abcdefgh", 8)) for _ in range(9)]  # anagrams: only as wholes do they differ
    texts = [" ".join(choose.choices(names[3 * (i % 3) : 3 * (i % 3) + 3], k=2)) for i in range(120)]
    choice = tune(texts, np.arange(120) % 3, fixed=OPEN)
    assert choice.best.candidate.terms.has_plain_units
    assert Terms((1, 3), 1, "char") not in {trial.candidate.terms for trial in choice.trials}
