"""What is chosen for messages: from which candidates, by what, and where it is said."""

import random

import numpy as np
import pytest

from textnb import TextClassifier, load
from textnb.model.parameters import AUTO, MAIL_LITERATURE
from textnb.selection import tuning
from textnb.selection.candidates import FOR_MAIL
from textnb.selection.objectives import share_caught
from textnb.selection.tuning import Candidate, Fixed, tune
from textnb.text.analyzer import Analyzer
from textnb.text.counting import RememberedCounts

WORDS = {
    "ham": ["lunch", "meeting", "minutes", "report", "project", "thanks", "dinner", "tomorrow", "agenda", "notes"],
    "spam": ["cheap", "pills", "free", "prize", "claim", "cash", "winner", "offer", "click", "watches"],
}
MAIL = Analyzer(kind="mail")


def messages(n=60):
    choose = random.Random(3)
    labels = ["ham", "spam"] * (n // 2)
    everything = WORDS["ham"] + WORDS["spam"]
    texts = [" ".join(choose.choices(WORDS[label], k=4) + choose.choices(everything, k=3)) for label in labels]
    return [f"Subject: {text.split()[0]}\n\n{text}\n" for text in texts], np.array(labels)


TEXTS, LABELS = messages()
CLASS_IDS = (LABELS == "spam").astype(int)


def test_every_candidate_is_tried_once_and_the_best_catches_most():
    choice = tune(TEXTS, CLASS_IDS, analyzer=MAIL, positive=1)
    assert {trial.candidate for trial in choice.trials} == set(FOR_MAIL)
    assert len(choice.trials) == len(FOR_MAIL)
    assert choice.objective == choice.to_json()["objective"] == "caught"
    assert choice.best.caught == max(trial.caught for trial in choice.trials)
    assert choice.to_json()["best"]["caught"] == choice.best.caught


@pytest.mark.parametrize("at", [0, 2, 4, 5, 6])
def test_a_trial_is_the_classifier_of_its_candidate_left_one_out(at):
    candidate = FOR_MAIL[at]
    (trial,) = (
        trial for trial in tune(TEXTS, CLASS_IDS, analyzer=MAIL, positive=1).trials if trial.candidate == candidate
    )
    model = TextClassifier(**candidate._asdict() | {"analyzer": "mail"}, calibrate=False).fit(TEXTS, LABELS)
    scores = np.diff(model.leave_one_out()).ravel()
    assert trial.caught == pytest.approx(share_caught(scores, LABELS == "spam"))
    assert trial.accuracy == np.mean((scores > 0) == (LABELS == "spam"))


def test_of_many_messages_some_are_tried_on_and_their_counts_are_those_of_all(monkeypatch):
    monkeypatch.setattr("textnb.selection.tuning.MOST_MESSAGES", 40)
    monkeypatch.setattr("textnb.selection.tuning.FEWEST_MESSAGES", 10)
    some = np.linspace(0, len(TEXTS) - 1, 40).astype(int)
    alone = tune([TEXTS[i] for i in some], CLASS_IDS[some], analyzer=MAIL, positive=1)
    count = RememberedCounts(TEXTS)
    chosen = tune(TEXTS, CLASS_IDS, analyzer=MAIL, positive=1, count=count)
    assert chosen == alone == tune(TEXTS, CLASS_IDS, analyzer=MAIL, positive=1)
    assert chosen.n_documents == chosen.to_json()["n_documents"] == 40
    assert count.known(MAIL)[1].shape[0] == len(TEXTS)


def test_where_a_class_is_rare_among_many_messages_all_are_tried_on(monkeypatch):
    monkeypatch.setattr("textnb.selection.tuning.MOST_MESSAGES", 20)
    class_ids = np.arange(len(TEXTS)) % 20 == 1
    assert tune(TEXTS, class_ids.astype(int), analyzer=MAIL, positive=1).n_documents == len(TEXTS)


@pytest.mark.parametrize(
    ("objective", "positive", "used"),
    [(None, None, "accuracy"), ("accuracy", 1, "accuracy"), ("log-loss", 1, "log-loss"), ("caught", 0, "caught")],
)
def test_the_objective_is_the_one_given_or_that_of_spam(objective, positive, used):
    choice = tune(TEXTS, CLASS_IDS, analyzer=MAIL, positive=positive, objective=objective)
    assert choice.objective == used
    if used == "log-loss":
        assert choice.best.log_loss == min(trial.log_loss for trial in choice.trials)


def test_words_are_chosen_by_accuracy_unless_another_objective_is_given():
    fixed = Fixed(model="multinomial", weights="counts")
    assert tune(TEXTS, CLASS_IDS, fixed=fixed, positive=1).objective == "accuracy"
    assert tune(TEXTS, CLASS_IDS, fixed=fixed, positive=1, objective="caught").objective == "caught"
    with pytest.raises(ValueError, match="'caught' needs the class to be caught, and none is called spam"):
        tune(TEXTS, CLASS_IDS, fixed=fixed, objective="caught")


def test_what_is_given_is_not_chosen():
    def candidates(**given):
        return Fixed(**given).for_mail()

    assert candidates(model="fisher") == [candidate for candidate in FOR_MAIL if candidate.model == "fisher"]
    assert candidates(model="complement") == []
    assert {candidate.alpha for candidate in candidates(alpha=0.5)} == {0.5}
    assert {candidate.min_deviation for candidate in candidates(min_deviation=0.1)} == {None, 0.1}
    assert candidates(model="robinson", alpha=0.5, min_deviation=0.1) == [
        Candidate("robinson", "binary", (1, 1), 1, 0.5, 0.1)
    ]


def test_other_models_of_mail_are_tried_as_those_of_words_are():
    choice = tune(TEXTS, CLASS_IDS, analyzer=MAIL, fixed=Fixed(model="complement", weights="counts"), positive=1)
    assert {trial.candidate.model for trial in choice.trials} == {"complement"}
    assert len({trial.candidate[2:4] for trial in choice.trials}) == 3


def test_fit_chooses_for_messages_and_the_file_says_what(tmp_path):
    model = TextClassifier(analyzer="mail", mail="all").fit(TEXTS, LABELS)
    best = model.choice_.best.candidate
    assert model.choice_.objective == "caught"
    in_use = model.parameters_in_use
    assert Candidate(*(in_use[name] for name in Candidate._fields))._replace(analyzer=None) == best
    model.save(tmp_path / "model.tnb")
    again = load(tmp_path / "model.tnb")
    assert again.parameters_in_use == in_use
    assert again.get_params() == model.get_params()
    again.save(tmp_path / "again.tnb")
    assert (tmp_path / "again.tnb").read_bytes() == (tmp_path / "model.tnb").read_bytes()


def test_a_chosen_deviation_is_kept_and_saved(tmp_path):
    model = TextClassifier("robinson", "binary", (1, 1), "mail", AUTO, min_df=1).fit(TEXTS, LABELS)
    chosen = model.choice_.best.candidate
    assert model.parameters_in_use["min_deviation"] == chosen.min_deviation
    model.save(tmp_path / "model.tnb")
    again = load(tmp_path / "model.tnb")
    assert again.min_deviation is None
    assert again.parameters_in_use["min_deviation"] == chosen.min_deviation
    assert again.predict_proba(TEXTS[:3]).tobytes() == model.predict_proba(TEXTS[:3]).tobytes()


def test_few_messages_get_what_the_literature_has():
    model = TextClassifier(analyzer="mail").fit(TEXTS[:20], LABELS[:20])
    in_use = model.parameters_in_use
    assert {name: in_use[name] for name in MAIL_LITERATURE} == MAIL_LITERATURE
    assert in_use["min_deviation"] == 0.375


def test_a_rare_class_is_among_the_messages_that_are_tried_on():
    """Of 26,000 messages, two of them spam, those that were tried on had none, and counting what is caught failed."""
    for n, n_spam in ((26_000, 2), (30_000, 60), (3_000, 40)):
        class_ids = np.zeros(n, dtype=np.int64)
        class_ids[np.linspace(1, n - 2, n_spam).astype(int)] = 1
        some = tuning._some_messages(class_ids)
        assert class_ids[some].sum() >= min(n_spam, tuning.FEWEST_MESSAGES)
        assert (np.diff(some) > 0).all()


def test_one_of_several_classes_is_caught_against_the_rest():
    labels = np.array(["ham", "junk", "work"] * 20)
    words = {**WORDS, "junk": WORDS["spam"], "work": ["invoice", "contract", "client", "lunch", "report"]}
    choose = random.Random(5)
    everything = sorted({word for some in words.values() for word in some})
    texts = [" ".join(choose.choices(words[label], k=4) + choose.choices(everything, k=4)) for label in labels]
    model = TextClassifier(analyzer="mail", positive="junk", calibrate=False).fit(texts, labels)
    choice = model.choice_
    assert (choice.objective, choice.positive) == ("caught", "junk")
    assert choice.best.caught == max(trial.caught for trial in choice.trials)
    joint = model.leave_one_out()
    scores = joint[:, 1] - np.logaddexp(joint[:, 0], joint[:, 2])
    assert choice.best.caught == pytest.approx(share_caught(scores, labels == "junk"))
    assert TextClassifier(analyzer="mail").fit(texts, labels).choice_.objective == "accuracy"
    renamed = np.where(labels == "junk", "spam", labels)
    asked = TextClassifier(analyzer="mail", objective="caught").fit(texts, renamed).choice_
    assert (asked.positive, asked.best.caught) == (
        "spam",
        TextClassifier(analyzer="mail", positive="spam").fit(texts, renamed).choice_.best.caught,
    )


def test_the_class_to_be_caught_must_be_there():
    with pytest.raises(ValueError, match=r"there is no class 'junk' to be caught \(--positive\): there are ham, spam"):
        TextClassifier(analyzer="mail", positive="junk").fit(TEXTS[:20], LABELS[:20])


def test_the_class_to_be_caught_keeps_its_place_where_some_documents_are_tried_on(monkeypatch):
    """A class of which none is among them moves the numbers of those after it."""
    monkeypatch.setattr("textnb.selection.tuning.MOST_DOCUMENTS", 30)
    class_ids = np.where(np.arange(60) % 2, 2, 1)
    class_ids[1] = 0
    fixed = Fixed(model="multinomial", weights="counts", ngrams=(1, 1), min_df=1)
    chosen = tune(TEXTS, class_ids, fixed=fixed, objective="caught", positive=2)
    some = np.linspace(0, 59, 30).astype(int)
    assert 0 not in class_ids[some]
    alone = tune(
        [TEXTS[i] for i in some], (class_ids[some] == 2).astype(int), fixed=fixed, objective="caught", positive=1
    )
    assert chosen.best.caught == alone.best.caught
