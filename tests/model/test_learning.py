"""What users do with learn, forget and merge: what arrives, what leaves, what is refused, and what stays as it was."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sklearn.feature_extraction.text as their_text
import sklearn.naive_bayes as their_models
from corpora_for_tests import corpus_or_skip
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from textnb import TextClassifier, load

TEXTS = ["cheap pills now", "win a free prize now", "lunch at noon", "minutes of the meeting", "free lunch"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
MORE, MORE_LABELS = ["cheap holiday, cheap villa", "nothing at noon"], ["offers", "ham"]
ASKED = [*TEXTS, *MORE, "unheard of", ""]

uncalibrated = partial(TextClassifier, calibrate=False)  # what is calibrated depends on the documents of one fit
counting = {"model": "multinomial", "weights": "counts"}
KINDS = {
    "counts": counting,
    "binary": {"model": "complement", "weights": "binary"},
    "bernoulli": {"model": "bernoulli", "unknown": "token"},
    "tfidf": {"model": "multinomial", "weights": "tfidf", "unknown": "token"},
    "log-tfidf": {"min_df": 1, "ngrams": (1, 2)},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def fitted(**options):
    return uncalibrated(**options).fit(TEXTS, LABELS)


def state(classifier, tmp_path):
    classifier.save(tmp_path / "state.tnb")
    return (tmp_path / "state.tnb").read_bytes(), classifier.predict_log_proba(ASKED).tobytes()


# What arrives and what leaves


@every_kind
def test_new_words_and_classes_arrive(kind):
    classifier = fitted(**KINDS[kind]).learn(MORE * 3, MORE_LABELS * 3)
    assert classifier.classes_.tolist() == ["ham", "offers", "spam"]
    assert "holiday" in classifier.vocabulary_
    assert classifier.predict(["villa holiday"]).tolist() == ["offers"]


@every_kind
def test_a_word_or_class_of_which_nothing_is_left_is_gone(kind):
    classifier = fitted(**KINDS[kind]).learn(MORE, MORE_LABELS).forget(MORE, MORE_LABELS)
    assert classifier.classes_.tolist() == ["ham", "spam"]
    assert "holiday" not in classifier.vocabulary_
    assert classifier.forget(TEXTS[:1], ["spam"]).vocabulary_.keys().isdisjoint({"cheap", "pills"})


def test_a_classifier_learns_without_a_fit():
    one = uncalibrated(**counting)
    for text, label in zip(TEXTS, LABELS, strict=True):
        one.learn([text], [label])
    assert np.array_equal(one.predict_log_proba(ASKED), fitted(**counting).predict_log_proba(ASKED))


def test_the_first_documents_learned_decide_the_idf():
    one = uncalibrated().learn(TEXTS, LABELS).learn(MORE, MORE_LABELS)
    assert np.array_equal(one.predict_log_proba(ASKED), fitted().learn(MORE, MORE_LABELS).predict_log_proba(ASKED))


def test_what_was_forgotten_entirely_can_be_learned_anew():
    classifier = fitted(**counting).forget(TEXTS, LABELS)
    assert classifier.classes_.tolist() == []
    with pytest.raises(ValueError, match="all its documents were forgotten"):
        classifier.predict(ASKED)
    classifier.learn(["one two", "three"], [1, 2])  # even labels of another kind
    expected = uncalibrated(**counting).fit(["one two", "three"], [1, 2])
    assert classifier.classes_.tolist() == [1, 2]
    assert np.array_equal(classifier.predict_log_proba(["two three"]), expected.predict_log_proba(["two three"]))


def totals(classifier):
    """One row per class, one column per term."""
    return classifier.statistics_.totals.toarray().T


def test_limits_apply_when_the_rule_is_derived():
    classifier = uncalibrated(**counting, min_df=2).fit(TEXTS, LABELS)
    assert "villa" not in classifier.vocabulary_ and "cheap" not in classifier.vocabulary_
    classifier.learn(MORE, MORE_LABELS)
    assert "cheap" in classifier.vocabulary_  # one document of the fit and one that came later
    assert totals(classifier)[:, classifier.vocabulary_["cheap"]].tolist() == [0, 2, 1]
    assert "cheap" not in classifier.forget(MORE, MORE_LABELS).vocabulary_


def test_a_given_vocabulary_stays_as_it_is_given():
    classifier = uncalibrated(**counting, unknown="token", vocabulary=["lunch", "cheap", "never"]).fit(TEXTS, LABELS)
    before = totals(classifier)[:, -1]
    classifier.learn(["lunch holiday villa"], ["ham"])
    assert classifier.vocabulary_ == {"cheap": 0, "lunch": 1, "never": 2}
    assert (totals(classifier)[:, -1] - before).tolist() == [2, 0]  # both words, under <UNK>
    classifier.forget(TEXTS, LABELS)
    assert classifier.vocabulary_ == {"cheap": 0, "lunch": 1, "never": 2}


# Columns


def test_columns_are_the_places_of_the_sorted_terms_while_documents_come_and_go(tmp_path):
    classifier = fitted(**counting)
    changes = [
        lambda: classifier.learn(["aardvark zebra", "bee"], ["zoo", "zoo"]),
        lambda: classifier.forget(["aardvark zebra"], ["zoo"]),
        lambda: classifier.learn(["zebra crossing"], ["zoo"]),
    ]
    for change in changes:
        change()
        terms = sorted(classifier.vocabulary_)
        assert classifier.vocabulary_ == dict(zip(terms, range(len(terms)), strict=True))
    classifier.save(tmp_path / "m.tnb")
    assert load(tmp_path / "m.tnb").vocabulary_ == classifier.vocabulary_


@pytest.mark.parametrize("unknown", ["ignore", "token"])
@pytest.mark.parametrize("model", ["multinomial", "complement", "bernoulli"])
def test_the_model_has_the_columns_of_the_vocabulary(model, unknown):
    classifier = fitted(model=model, weights="counts", unknown=unknown)
    classifier.learn(["aardvark zebra"], ["ham"]).forget(["cheap pills now"], ["spam"])
    columns, width = classifier.vocabulary_, classifier.statistics_.totals.shape[0]
    asked = ["aardvark free lunch", "prize prize"]
    X = np.zeros((len(asked), width), dtype=np.int64)
    for row, text in enumerate(asked):
        for word in text.split():
            X[row, columns[word]] += 1
    assert totals(classifier)[:, columns["zebra"]].tolist() == [1, 0]
    assert np.allclose(classifier.model_.predict_log_proba(X), classifier.predict_log_proba(asked), rtol=1e-12)


# tf-idf


def test_idf_is_that_of_the_fit_and_a_new_word_has_that_of_no_document():
    classifier = fitted()
    before = dict(zip(classifier.vocabulary_, classifier.predictor_.weighting.idf, strict=True))
    classifier.learn(MORE * 3, MORE_LABELS * 3)
    after = dict(zip(sorted(classifier.vocabulary_), classifier.predictor_.weighting.idf, strict=True))
    assert {term: after[term] for term in before} == before
    assert after["holiday"] == np.log(1 + len(TEXTS)) + 1
    assert fitted().fit(TEXTS + MORE, LABELS + MORE_LABELS).predictor_.weighting.idf.max() < after["holiday"]


@pytest.mark.parametrize("weights", ["tfidf", "log-tfidf"])
@pytest.mark.parametrize("model", ["MultinomialNB", "ComplementNB"])
@pytest.mark.parametrize("min_df", [1, 3])
def test_integer_sums_of_tfidf_give_the_probabilities_of_floating_point(newsgroups, weights, model, min_df):
    train, test = newsgroups
    vectorizer = their_text.TfidfVectorizer(sublinear_tf=weights == "log-tfidf", min_df=min_df)
    theirs = make_pipeline(vectorizer, getattr(their_models, model)()).fit(train.texts, train.labels)
    ours = uncalibrated(model[:-2].lower(), weights, min_df=min_df).fit(train.texts, train.labels)
    assert ours.vocabulary_ == vectorizer.vocabulary_
    difference = ours.predict_log_proba(test.texts) - theirs.predict_log_proba(test.texts)
    assert np.abs(difference).max() < 1.3e-11
    assert np.array_equal(ours.predict(test.texts), theirs.predict(test.texts))


# Forgetting what is not there


@every_kind
def test_forgetting_what_was_not_learned_names_the_document_and_changes_nothing(kind, tmp_path):
    classifier = fitted(**KINDS[kind])
    before = state(classifier, tmp_path)
    with pytest.raises(ValueError, match=r"document 1 \('never seen'\) was not learned as ham"):
        classifier.forget([TEXTS[2], "never seen"], ["ham", "ham"])
    with pytest.raises(ValueError, match=r"document 0 \('lunch at noon'\) was not learned as spam"):
        classifier.forget([TEXTS[2]], ["spam"])
    with pytest.raises(ValueError, match=r"document 1 \('lunch at noon'\) was not learned as ham, or not so often"):
        classifier.forget([TEXTS[2], TEXTS[2]], ["ham", "ham"])
    with pytest.raises(ValueError, match=r"document 0 \('(long ){10}…'\) was not learned as ham"):
        classifier.forget(["long " * 20], ["ham"])
    with pytest.raises(ValueError, match="was not learned as eggs"):
        classifier.forget([TEXTS[2]], ["eggs"])
    assert state(classifier, tmp_path) == before


def test_without_a_ledger_forgetting_more_than_there_is_is_refused_too(tmp_path):
    classifier = fitted(**counting, ledger=False)
    before = state(classifier, tmp_path)
    for texts, labels, why in (
        (["lunch at midnight"], ["ham"], "'midnight'"),
        (["lunch"], ["eggs"], "'eggs'"),
        (["cheap lunch"], ["ham"], "not learned"),
        (["lunch " * 3], ["ham"], "not learned"),
    ):
        with pytest.raises(ValueError, match=why):
            classifier.forget(texts, labels)
    assert state(classifier, tmp_path) == before


def test_weighted_documents_cannot_be_forgotten():
    classifier = uncalibrated(**counting).fit(TEXTS, LABELS, sample_weight=[1, 2, 0.5, 1, 1])
    with pytest.raises(ValueError, match="weighted documents cannot forget"):
        classifier.forget(TEXTS[:1], LABELS[:1])
    classifier.learn(MORE, MORE_LABELS)
    with pytest.raises(ValueError, match="weighted documents cannot forget"):
        classifier.forget(MORE, MORE_LABELS)


def test_an_unfitted_classifier_has_nothing_to_forget_or_to_merge():
    for act in (lambda c: c.forget(TEXTS, LABELS), lambda c: c.merge(fitted()), lambda c: c + fitted()):
        with pytest.raises(NotFittedError):
            act(uncalibrated())
    with pytest.raises(NotFittedError):
        fitted().merge(uncalibrated())


# The ledger


def test_once_leaves_what_is_known_and_moves_what_was_relabelled(tmp_path):
    expected = uncalibrated(**counting).fit([*TEXTS, "new one"], ["spam", "ham", *LABELS[2:], "spam"])
    classifier = fitted(**counting)
    classifier.learn([TEXTS[0], TEXTS[1], "new one", "new one"], ["spam", "ham", "ham", "spam"], once=True)
    assert state(classifier, tmp_path) == state(expected, tmp_path)
    classifier.learn([TEXTS[0], TEXTS[1], "new one"], ["spam", "ham", "spam"], once=True)
    assert state(classifier, tmp_path) == state(expected, tmp_path)


def test_once_says_what_became_of_the_documents():
    learner = fitted(**counting).learner_
    _, told = learner.learn([TEXTS[0], TEXTS[1], "new", "new"], np.array(["spam", "ham", "ham", "ham"]), once=True)
    assert (told.learned, told.known, told.moved) == (1, 2, 1)


def test_all_copies_of_a_document_move_into_one(tmp_path):
    classifier = fitted(**counting).learn([TEXTS[2]] * 2, ["ham"] * 2).learn([TEXTS[2]], ["spam"], once=True)
    expected = uncalibrated(**counting).fit(TEXTS, ["spam", "spam", "spam", "ham", "ham"])
    assert state(classifier, tmp_path) == state(expected, tmp_path)


def test_fit_and_learn_count_duplicates():
    classifier = uncalibrated(**counting).fit(TEXTS * 2, LABELS * 2).learn(TEXTS, LABELS)
    assert classifier.statistics_.documents.tolist() == [9, 6]
    classifier.forget(TEXTS * 3, LABELS * 3)
    with pytest.raises(ValueError, match="not learned"):
        classifier.forget(TEXTS[:1], LABELS[:1])


@pytest.mark.parametrize(("options", "texts"), [({"ledger": False}, TEXTS), ({}, iter(TEXTS))])
def test_where_there_is_no_ledger_once_says_so(options, texts):
    classifier = uncalibrated(**counting, **options).fit(texts, LABELS)
    with pytest.raises(ValueError, match="needs the ledger of a model, and this one has none"):
        classifier.learn(TEXTS, LABELS, once=True)
    classifier.forget(TEXTS[:1], LABELS[:1])  # by its counts


def test_a_ledger_can_be_asked_for_with_an_iterator():
    classifier = uncalibrated(**counting, ledger=True).fit(iter(TEXTS), LABELS)
    assert classifier.learn(TEXTS, LABELS, once=True).statistics_.documents.tolist() == [3, 2]


# Merging


def test_merging_changes_the_first_and_adding_neither(tmp_path):
    a, b = fitted(**counting), uncalibrated(**counting).fit(MORE, MORE_LABELS)
    whole = uncalibrated(**counting).fit(TEXTS + MORE, LABELS + MORE_LABELS)
    before = state(a, tmp_path), state(b, tmp_path)
    both = a + b
    assert (state(a, tmp_path), state(b, tmp_path)) == before
    assert state(both, tmp_path) == state(whole, tmp_path)
    assert a.merge(b) is a
    assert state(a, tmp_path) == state(whole, tmp_path)
    a.learn(["later"], ["ham"])
    assert state(b, tmp_path) == before[1]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "complement"},
        {"weights": "binary"},
        {"alpha": 0.5},
        {"ngrams": (1, 2)},
        {"lowercase": False},
        {"min_df": 2},
        {"max_df": 1},  # one document, not all of them
        {"unknown": "token"},
        {"stop_words": ["the"]},
        {"class_prior": [0.5, 0.5]},
        {"fit_prior": False},
    ],
)
def test_other_settings_are_not_merged(other, tmp_path):
    classifier = fitted(**counting)
    before = state(classifier, tmp_path)
    with pytest.raises(ValueError, match="different settings"):
        classifier.merge(fitted(**counting | other))
    assert state(classifier, tmp_path) == before


def test_the_number_of_threads_is_no_setting():
    assert fitted(n_jobs=1).merge(copy.deepcopy(fitted(n_jobs=2))).statistics_.documents.tolist() == [6, 4]


@pytest.mark.parametrize("options", [{}, {"model": "bernoulli", "unknown": "token"}])
def test_what_was_weighed_by_another_fit_is_not_merged(options):
    with pytest.raises(ValueError, match="another idf, or other words that count as unknown"):
        fitted(**options).merge(uncalibrated(**options).fit(TEXTS[1:] + MORE, LABELS[1:] + MORE_LABELS))
    with pytest.raises(ValueError, match="another idf, or other words that count as unknown"):
        fitted(**options).merge(uncalibrated(**options).fit([*TEXTS[1:], "cheap pill now"], [*LABELS[1:], "spam"]))


def test_other_given_vocabularies_are_not_merged():
    a, b = (uncalibrated(**counting, vocabulary=given).fit(TEXTS, LABELS) for given in (["lunch"], ["noon"]))
    for other in (b, fitted(**counting)):
        with pytest.raises(ValueError, match="different given vocabularies"):
            a.merge(other)


def test_labels_of_another_kind_are_refused_and_change_nothing(tmp_path):
    classifier = fitted(**counting)
    before = state(classifier, tmp_path)
    with pytest.raises(ValueError, match="different types: 'ham' and 1"):
        classifier.merge(uncalibrated(**counting).fit(TEXTS, [1, 1, 2, 2, 3]))
    for once in (False, True):
        with pytest.raises(ValueError, match="different types: 'ham' and 1"):
            classifier.learn(TEXTS[:1], [1], once=once)
    assert state(classifier, tmp_path) == before


def test_only_a_classifier_is_added_to_a_classifier():
    with pytest.raises(TypeError):
        fitted() + 1


def test_a_merged_model_without_a_ledger_on_one_side_has_none():
    both = fitted(**counting) + uncalibrated(**counting, ledger=False).fit(MORE, MORE_LABELS)
    with pytest.raises(ValueError, match="needs the ledger"):
        both.learn(TEXTS, LABELS, once=True)


# partial_fit


def test_learning_after_partial_fit_still_grows_and_partial_fit_then_fixes_the_vocabulary():
    classifier = uncalibrated(**counting).partial_fit(TEXTS, LABELS, classes=["ham", "spam"])
    classifier.learn(MORE, MORE_LABELS)
    assert "villa" in classifier.vocabulary_
    columns = classifier.vocabulary_
    classifier.partial_fit(["strange words, cheap"], ["spam"])
    assert classifier.vocabulary_ == columns
    with pytest.raises(ValueError, match="eggs"):
        classifier.partial_fit(["cheap"], ["eggs"])
    classifier.learn(["strange words, cheap"], ["eggs"])
    assert classifier.vocabulary_ == columns
    assert classifier.classes_.tolist() == ["eggs", "ham", "offers", "spam"]


@every_kind
def test_what_partial_fit_added_can_be_forgotten(kind):
    classifier = fitted(**KINDS[kind]).partial_fit(TEXTS[:2], LABELS[:2])
    expected = classifier.predict_log_proba(ASKED)
    classifier.partial_fit([*MORE, "cheap"], ["ham", "ham", "spam"]).forget([*MORE, "cheap"], ["ham", "ham", "spam"])
    assert np.array_equal(classifier.predict_log_proba(ASKED), expected)


# Errors, copies


@every_kind
def test_what_cannot_be_learned_changes_nothing(kind, tmp_path):
    classifier = fitted(**KINDS[kind])
    before = state(classifier, tmp_path)
    for texts, labels in (
        (["fine", None], ["ham", "ham"]),
        (["fine", float("nan")], ["ham", "ham"]),
        (["fine", b"\xff"], ["ham", "ham"]),
        (["fine"], ["ham", "spam"]),
        (["fine"], [1]),
        (["fine"], [None]),
        (["fine"], [0.5]),
        ([], []),
        ("fine", ["ham"]),
    ):
        for act in (classifier.learn, classifier.forget):
            with pytest.raises(ValueError):
                act(texts, labels)
    with pytest.raises(ValueError, match="cannot become"):
        classifier.set_params(lowercase=False).learn(MORE, MORE_LABELS)
    assert state(classifier.set_params(lowercase=True), tmp_path) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda classifier: pickle.loads(pickle.dumps(classifier))])
@every_kind
def test_copies_go_their_own_ways(kind, copied, tmp_path):
    classifier = fitted(**KINDS[kind]).learn(MORE, MORE_LABELS)
    before = state(classifier, tmp_path)
    other = copied(classifier.forget(MORE[:1], MORE_LABELS[:1]).learn(MORE[:1], MORE_LABELS[:1]))
    assert other.vocabulary_ == classifier.vocabulary_
    other.learn(["something else"], ["ham"])
    assert state(classifier, tmp_path) == before
    assert state(other.forget(["something else"], ["ham"]), tmp_path) == before


def test_a_clone_has_learned_nothing():
    with pytest.raises(NotFittedError):
        clone(fitted().learn(MORE, MORE_LABELS)).predict(ASKED)


def test_alpha_may_change_between_calls(tmp_path):
    classifier = fitted(**counting).set_params(alpha=0.1).learn(MORE, MORE_LABELS)
    whole = uncalibrated(**counting, alpha=0.1).fit(TEXTS + MORE, LABELS + MORE_LABELS)
    assert state(classifier, tmp_path) == state(whole, tmp_path)


def test_labels_may_be_numbers_or_booleans(tmp_path):
    for spam, ham, offers in ((1, -1, 7), (True, False, True), (4.0, 2.0, -1.0)):
        labels, more = [spam, spam, ham, ham, ham], [offers, ham]
        classifier = uncalibrated(**counting).fit(TEXTS, labels).learn(MORE, more)
        assert state(classifier, tmp_path) == state(uncalibrated(**counting).fit(TEXTS + MORE, labels + more), tmp_path)
        classifier.forget(MORE, more)
        assert state(classifier, tmp_path) == state(uncalibrated(**counting).fit(TEXTS, labels), tmp_path)


def test_what_cannot_be_saved_says_so(tmp_path):
    classifier = uncalibrated("multinomial", "counts", analyzer=lambda text: list(map(len, text.split())))
    classifier.fit(TEXTS, LABELS).learn(MORE, MORE_LABELS)
    with pytest.raises(ValueError, match="cannot be saved"):
        classifier.save(tmp_path / "m.tnb")


def test_what_a_fit_calibrated_stays_while_documents_come_and_go(tmp_path):
    classifier = TextClassifier(**counting).fit(TEXTS * 3, LABELS * 3)
    calibration, before = classifier.calibration_, state(classifier, tmp_path)
    assert calibration is not None
    after = replace(calibration, labels=("ham", "spam"))  # which says what it was fitted to, now that there are more
    assert classifier.learn(MORE, MORE_LABELS).calibration_ == after
    assert (classifier + classifier).calibration_ == after
    assert state(classifier.forget(MORE, MORE_LABELS), tmp_path) == before
    assert TextClassifier(**counting).learn(TEXTS, LABELS).calibration_ is None


# 20 Newsgroups


@pytest.fixture(scope="module")
def newsgroups():
    names = ["alt.atheism", "rec.autos", "sci.space", "talk.politics.misc"]
    return [corpus_or_skip("20news", subset=subset, categories=names) for subset in ("train", "test")]


def one_by_one(classifier, texts, labels):
    for text, label in zip(texts, labels, strict=True):
        classifier.learn([text], [label])
    return classifier


def in_batches(classifier, texts, labels):
    for start in range(0, len(texts), 100):
        classifier.learn(texts[start : start + 100], labels[start : start + 100])
    return classifier


def test_newsgroups_however_they_are_learned(newsgroups):
    train, test = newsgroups
    texts, labels, half = train.texts, train.labels, len(train.texts) // 2
    expected = uncalibrated(**counting).fit(texts, labels).predict_log_proba(test.texts)
    a, b = (uncalibrated(**counting).learn(texts[part], labels[part]) for part in (slice(half), slice(half, None)))
    shuffled = np.random.default_rng(0).permutation(len(texts))
    for classifier in (
        a + b,
        in_batches(uncalibrated(**counting), [texts[i] for i in shuffled], labels[shuffled]),
        one_by_one(uncalibrated(**counting).learn(texts[:-500], labels[:-500]), texts[-500:], labels[-500:]),
    ):
        assert np.array_equal(classifier.predict_log_proba(test.texts), expected)


def test_newsgroups_weighed_by_the_idf_of_one_half(newsgroups):
    train, test = newsgroups
    texts, labels, half = train.texts, train.labels, len(train.texts) // 2
    common = uncalibrated().fit(texts[:half], labels[:half])
    empty = copy.deepcopy(common).forget(texts[:half], labels[:half])
    rest, rest_labels = texts[half:], labels[half:]
    expected = copy.deepcopy(common).learn(rest, rest_labels).predict_log_proba(test.texts)
    a, b = (copy.deepcopy(empty).learn(rest[part], rest_labels[part]) for part in (slice(300), slice(300, None)))
    for classifier in (
        (b + common) + a,
        in_batches(copy.deepcopy(common), rest[::-1], rest_labels[::-1]),
        one_by_one(copy.deepcopy(common).learn(rest[:-300], rest_labels[:-300]), rest[-300:], rest_labels[-300:]),
    ):
        assert np.array_equal(classifier.predict_log_proba(test.texts), expected)


@pytest.mark.parametrize("kind", ["counts", "tfidf"])
def test_pruning_after_forgetting_takes_nothing_away_twice(kind):
    """The names that it took away were those of terms of forgotten documents, too: the counts could not be added up."""
    learner = uncalibrated(**KINDS[kind]).learn(TEXTS, LABELS).forget(TEXTS[:2], LABELS[:2]).learner_
    pruned = learner.prune(1).counts
    assert pruned.n_documents == 3
    totals = [counts.totals.column_sums() + counts.outside for counts in (learner.counts, pruned)]
    assert totals[0].tolist() == totals[1].tolist()


@pytest.mark.parametrize("unknown", ["ignore", "token"])
def test_documents_whose_words_were_left_out_when_the_vocabulary_was_fixed_cannot_be_forgotten_wrongly(unknown):
    """They had other lengths, and so other weights, than they would have now: what was taken was not what was there."""
    classifier = uncalibrated(model="multinomial", weights="tfidf", unknown=unknown, max_features=2)
    classifier.learn(["aa bb", "aa bb cc"], ["x", "y"]).learn(["aa dd"], ["x"]).partial_fit(["aa"], ["y"])
    before = classifier.predict_log_proba(["aa bb dd"])
    with pytest.raises(ValueError, match="a pruned model cannot forget"):
        classifier.forget(["aa dd"], ["x"])
    assert np.array_equal(classifier.predict_log_proba(["aa bb dd"]), before)
