"""What changed between two models, against a plain loop over the definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import TextClassifier
from textnb.workflow.comparison import Answer, ClassShare, Flip, answers, compare_classes, compare_terms

OLD = (["cheap pills", "lunch at noon", "cheap prize", "minutes of lunch"], ["spam", "ham", "spam", "ham"])
NEW = (["cheap pills", "lunch at noon", "free prize", "cheap dinner"], ["spam", "ham", "spam", "ham"])


def predictor(texts, labels, **settings):
    return TextClassifier(**settings).fit(texts, labels).predictor_


def weights(model):
    """{(class, term): weight}, as `top_terms` shows them."""
    return {(label, term): weight for label, found in model.top_terms(1000).items() for term, weight in found}


def naive_changes(before, after):
    """{term: {class: change}} over the classes of both."""
    old, new = weights(before), weights(after)
    both = set(before.classes.tolist()) & set(after.classes.tolist())
    return {
        term: {label: new.get((label, term), 0.0) - old.get((label, term), 0.0) for label in both}
        for _, term in old | new
    }


def test_a_term_weighs_what_top_terms_shows():
    before, after = predictor(*OLD), predictor(*NEW)
    old, new = weights(before), weights(after)
    found = compare_terms(before, after, 100, by_class=True)
    assert len(found.moved) == 2 * len({term for _, term in old | new})
    for moved in found.moved:
        key = (moved.label, moved.term)
        assert (moved.before, moved.after) == (old.get(key), new.get(key))


def test_terms_that_came_and_went():
    found = compare_terms(predictor(*OLD), predictor(*NEW), 100, by_class=True)
    assert (found.added, found.removed) == (2, 2)
    assert {moved.term for moved in found.moved if moved.before is None} == {"free", "dinner"}
    assert {moved.term for moved in found.moved if moved.after is None} == {"minutes", "of"}
    assert all(moved.change == -moved.before for moved in found.moved if moved.after is None)


def test_overall_a_term_appears_once_for_the_class_it_moved_towards():
    found = compare_terms(predictor(*OLD), predictor(*NEW), 100)
    terms = [moved.term for moved in found.moved]
    assert len(terms) == len(set(terms)) == 10
    assert all(moved.change > 0 for moved in found.moved)
    towards = {moved.term: moved.label for moved in found.moved}
    assert (towards["free"], towards["cheap"]) == ("spam", "ham")


documents = st.lists(
    st.tuples(st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee", "ff"]), min_size=1), st.sampled_from("xyz")),
    min_size=1,
    max_size=8,
)


@given(documents, documents, st.integers(0, 8), st.sampled_from(["ignore", "token"]), st.booleans())
def test_changes_are_those_of_a_plain_loop(old, new, n, unknown, counts):
    settings = {"model": "multinomial", "weights": "counts" if counts else "tfidf"}
    before = predictor([" ".join(words) for words, _ in old], [label for _, label in old], **settings)
    after = predictor([" ".join(words) for words, _ in new], [label for _, label in new], unknown=unknown, **settings)
    expected = naive_changes(before, after)

    largest = sorted((max(map(abs, by_label.values()), default=0) for by_label in expected.values()), reverse=True)
    overall = compare_terms(before, after, n)
    assert [abs(moved.change) for moved in overall.moved] == pytest.approx([size for size in largest if size][:n])
    assert all(moved.change == expected[moved.term][moved.label] for moved in overall.moved)

    by_class = compare_terms(before, after, n, by_class=True).moved
    for label in set(before.classes.tolist()) & set(after.classes.tolist()):
        sizes = sorted((abs(by_label[label]) for by_label in expected.values()), reverse=True)
        assert [abs(moved.change) for moved in by_class if moved.label == label] == [s for s in sizes if s][:n]

    old_terms, new_terms = set(before.features.names()), set(after.features.names())
    assert (overall.added, overall.removed) == (len(new_terms - old_terms), len(old_terms - new_terms))


def test_nothing_moved_between_equal_models():
    found = compare_terms(predictor(*OLD), predictor(*OLD))
    assert (found.added, found.removed, found.moved) == (0, 0, [])


def test_unknown_words_are_a_term_that_can_be_new():
    found = compare_terms(predictor(*OLD), predictor(*OLD, unknown="token"), 100)
    assert (found.added, found.removed) == (0, 0)
    assert [moved.before for moved in found.moved if moved.term == "<UNK>"] == [None]


def test_without_a_class_in_common_no_term_is_compared():
    texts, labels = OLD
    found = compare_terms(predictor(*OLD), predictor([*texts, "more"], [label.upper() for label in [*labels, "x"]]))
    assert (found.added, found.moved) == (1, [])


def test_labels_are_compared_as_text():
    texts, _ = OLD
    found = compare_terms(predictor(texts, [1, 2, 1, 2]), predictor(texts, list("1211")))
    assert {moved.label for moved in found.moved} <= {"1", "2"}
    assert found.moved


def test_new_classes_come_last():
    share = ClassShare(1, 0.5)
    found = compare_classes({"b": share, "c": share}, {"a": share, "b": ClassShare(2, 0.4)})
    assert [(change.label, change.before, change.after) for change in found] == [
        ("b", share, ClassShare(2, 0.4)),
        ("c", share, None),
        ("a", None, share),
    ]


@pytest.mark.parametrize(("true", "verdict"), [("b", "better"), ("a", "worse"), ("c", None), (None, None)])
def test_a_flip_is_for_the_better_or_the_worse_if_one_label_is_right(true, verdict):
    assert Flip("line 2", Answer("a", 0.9), Answer("b", 0.8), true).verdict == verdict


def test_an_answer_is_the_most_probable_class():
    texts = ["cheap lunch", "prize prize", ""]
    classifier = TextClassifier(model="multinomial").fit(*OLD)
    found = list(answers(classifier.predictor_, texts))
    assert [answer.label for answer in found] == classifier.predict(texts).tolist()
    assert [answer.probability for answer in found] == pytest.approx(classifier.predict_proba(texts).max(axis=1))
