"""`textnb check`: the exit code answers, every failure is 3, and no message is lost."""

import bz2
import gzip
import io
import json
import lzma
import sys
import tarfile

import numpy as np
import pytest
from opened_models import open_predictor

import textnb as library
from textnb.cli.app import run
from textnb.model.policy import Policy
from textnb.storage import open_model
from textnb.workflow import checking

SPAM = b"Subject: prize\n\ncheap pills, free prize, claim cash\n"
HAM = b"Subject: lunch\n\nlunch tomorrow, minutes of the meeting\n"
TEXTS = ["cheap pills", "free prize", "claim cash", "lunch tomorrow", "minutes of the meeting", "agenda notes"]
LABELS = ["spam"] * 3 + ["ham"] * 3


def saved(path, labels=LABELS, policy=None, **settings):
    chosen = {"model": "multinomial", "weights": "counts", "alpha": 0.5, "calibrate": False, **settings}
    classifier = library.TextClassifier(**chosen).fit(TEXTS, labels)
    if policy is not None:
        classifier.decide_by(**policy)
    classifier.save(path)
    return path


@pytest.fixture
def simple(tmp_path):
    return saved(tmp_path / "simple.tnb")


@pytest.fixture
def passed(tmp_path, monkeypatch):
    """`passed("check", "mail.tnb", "--passthrough", stdin=b"…")`: the exit code and the bytes on stdout."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=b"", stdout=None):
        stdout = stdout or io.BytesIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
            patched.setattr(sys, "stdout", io.TextIOWrapper(stdout))
            code = run([str(argument) for argument in arguments])
            sys.stdout.detach()
        return code, stdout.getvalue()

    return call


# The answer


def test_the_exit_code_is_0_for_spam_and_1_for_ham(textnb, simple, tmp_path):
    (tmp_path / "message").write_bytes(SPAM)
    for call in (("message",), ("-",), ()):
        done = textnb("check", simple, *call, stdin=SPAM)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("spam; 0.99")
    done = textnb("check", simple, stdin=HAM)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("ham; 0.0")


def test_the_line_has_label_probability_of_spam_and_score(textnb, simple):
    for message in (SPAM, HAM):
        ((ham, spam),) = open_predictor(simple).log_proba([message.decode()])
        label, probability, score = textnb("check", simple, stdin=message).out.rstrip("\n").split("; ")
        assert label == ("spam" if message is SPAM else "ham")
        assert float(probability) == pytest.approx(np.exp(spam), abs=5e-4)
        assert score == f"score {spam - ham:.1f}"


def test_quiet_prints_nothing(textnb, simple):
    assert textnb("check", simple, "--quiet", stdin=SPAM) == (0, "", "")
    assert textnb("check", simple, "-qv", stdin=HAM) == (1, "", "")
    assert textnb("check", simple, "-q", "--json", stdin=HAM) == (1, "", "")


def test_json_says_it_all(textnb, simple, tmp_path):
    (tmp_path / "message").write_bytes(HAM)
    found = textnb("check", simple, "message", "--json").json
    assert set(found) == {"id", "label", "probabilities", "positive", "probability", "score", "is_positive"}
    assert (found["id"], found["label"], found["positive"], found["is_positive"]) == ("message", "ham", "spam", False)
    assert found["probability"] == found["probabilities"]["spam"] < 0.1
    predicted = textnb("predict", simple, "message", "--json").json
    assert found == found | predicted


def test_the_policy_decides(textnb, tmp_path):
    expensive = saved(tmp_path / "costs.tnb", policy={"costs": {("ham", "spam"): 1e9}})
    done = textnb("check", expensive, stdin=SPAM)
    assert (done.code, done.out[:8]) == (1, "ham; 0.9")
    unsure = saved(tmp_path / "unsure.tnb", policy={"costs": {("ham", "spam"): 1e9}, "unsure": 0.01})
    done = textnb("check", unsure, stdin=SPAM)
    assert (done.code, done.out[:11]) == (2, "unsure; 0.9")
    found = textnb("check", unsure, "--json", stdin=SPAM)
    assert (found.code, found.json["label"], found.json["is_positive"]) == (2, None, None)
    ceiling = saved(tmp_path / "ceiling.tnb")
    file = open_model(ceiling)
    from model.test_model_files import forged

    policy = Policy(protected="ham", ceiling=0.001, threshold=50.0)
    ceiling = forged(ceiling, settings={**file.settings, "policy": {**vars(policy), "prices": []}})
    assert textnb("check", ceiling, stdin=SPAM).code == 1


def test_the_class_that_counts_as_spam_is_named_so_or_given(textnb, tmp_path):
    capital = saved(tmp_path / "a.tnb", ["SPAM"] * 3 + ["ham"] * 3)
    assert textnb("check", capital, stdin=SPAM).out.startswith("SPAM; 0.99")
    other = saved(tmp_path / "b.tnb", ["junk"] * 3 + ["good"] * 3)
    done = textnb("check", other, stdin=SPAM)
    assert (done.code, done.out) == (3, "")
    assert done.err.endswith("b.tnb has no class named spam: say which counts as such (--positive): 'good', 'junk'\n")
    assert textnb("check", other, "--positive", "junk", stdin=SPAM).code == 0
    assert textnb("check", other, "--positive", "junk", stdin=HAM).code == 1
    assert textnb("check", other, "--positive", "good", stdin=SPAM).code == 1
    done = textnb("check", other, "--positive", "spam", stdin=SPAM)
    assert (done.code, done.err) == (3, "textnb: the model has no class 'spam'; it has 'good', 'junk'\n")
    numbers = saved(tmp_path / "c.tnb", [1] * 3 + [0] * 3)
    found = textnb("check", numbers, "--positive", 1, "--json", stdin=SPAM)
    assert (found.code, found.json["label"], found.json["positive"]) == (0, 1, 1)
    both = saved(tmp_path / "d.tnb", ["Spam"] * 3 + ["SPAM"] * 3)
    assert textnb("check", both, stdin=SPAM).code == 3
    exact = saved(tmp_path / "e.tnb", ["spam"] * 3 + ["Spam"] * 3)
    assert textnb("check", exact, stdin=SPAM).code == 0


def test_any_other_class_is_ham(textnb, tmp_path):
    path = saved(tmp_path / "three.tnb", ["spam"] * 3 + ["work", "work", "friends"])
    found = textnb("check", path, "--json", stdin=b"agenda notes")
    assert (found.code, found.json["label"], found.json["is_positive"]) == (1, "friends", False)
    assert textnb("check", path, stdin=b"agenda notes").out.startswith("friends; 0.")


def test_models_that_only_the_predictor_reads_answer_alike(textnb, tmp_path, monkeypatch):
    path = saved(tmp_path / "m.tnb")
    fused = [textnb("check", path, "--json", stdin=message) for message in (SPAM, HAM)]
    monkeypatch.setenv("TEXTNB_KERNEL", "python")
    for before, message in zip(fused, (SPAM, HAM), strict=True):
        after = textnb("check", path, "--json", stdin=message)
        assert after.code == before.code
        assert after.json["score"] == pytest.approx(before.json["score"], rel=1e-12)


def test_verbose_shows_the_terms_that_decided(textnb, simple):
    plain = textnb("check", simple, stdin=SPAM).out
    done = textnb("check", simple, "-v", stdin=SPAM)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(plain)
    why = library.load(simple).explain(SPAM.decode(), label="spam")
    assert done.out.splitlines()[1].split()[0] == why.rows[0].term
    assert done.out.splitlines()[-1].split() == ["spam", "against", "ham", f"{why.log_odds:+.2f}"]
    ham = textnb("check", simple, "--verbose", stdin=HAM)
    assert ham.code == 1
    assert ham.out.splitlines()[-1].startswith("    spam against ham ")
    assert textnb("check", simple, "-v", "--json", stdin=SPAM).json["explanation"]["label"] == "spam"


def test_what_strangers_wrote_is_inert(textnb, tmp_path):
    label = "spam\x1b[2J\r\nX: \u202e"
    classifier = library.TextClassifier("multinomial", "counts", alpha=0.5, analyzer="char", calibrate=False)
    classifier.fit(["a\x1b[31m\x07", "b"], [label, "ham"]).save(tmp_path / "m.tnb")
    done = textnb("check", "m.tnb", "-v", "--positive", label, stdin=b"a\x1b\x07")
    assert done.code == 0
    assert all(character.isprintable() or character == "\n" for character in done.out)


def test_a_mailbox_is_one_message_here(textnb, simple):
    mailbox = b"From a@b Mon Jan  5 10:00:00 2004\n" + SPAM + b"\nFrom a@b Mon Jan  5 10:00:00 2004\n" + HAM
    assert len(textnb("check", simple, "--json", stdin=mailbox).out.splitlines()) == 1


def test_a_table_is_a_message_too(textnb, simple, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"text,label\ncheap pills,ham\n")
    assert textnb("check", simple, "t.csv").code == 0
    assert textnb("check", simple, stdin=b"text,label\ncheap pills,ham\n").code == 0


def test_a_mail_model_reads_messages_whatever_their_bytes(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb", analyzer="mail")
    for message in (SPAM, SPAM.replace(b"\n", b"\r\n"), SPAM + b"\xff\xfe\0", b"X-Textnb: ham\n" + SPAM):
        assert textnb("check", path, stdin=message).code == 0
    scores = {
        textnb("check", path, "--json", stdin=message).json["score"]
        for message in (HAM, HAM.replace(b"\n", b"\r\n"), b"X-Textnb: spam; 0.998; score 6.2\n" + HAM)
    }
    assert len(scores) == 1
    assert textnb("check", path, stdin=b" \n") == (3, "", "textnb: stdin: it is empty\n")


# Failures


@pytest.mark.parametrize(
    "call",
    [
        "check",
        "check simple.tnb --foo",
        "check simple.tnb message more",
        "check simple.tnb --update-above x",
        "check simple.tnb --update --update-above 2",
        "check simple.tnb --update-above 0.9",
        "check simple.tnb --positive",
        "check simple.tnb --positive none",
        "check simple.tnb --json=1",
        "check missing.tnb",
        "check message",
        "check folder",
        "check cut.tnb",
        "check columns.tnb",
        "check simple.tnb missing",
        "check simple.tnb folder",
        "check simple.tnb empty",
        "check simple.tnb nul",
        "--json check simple.tnb",
    ],
)
@pytest.mark.parametrize("passes", [False, True], ids=["plain", "passthrough"])
def test_every_failure_is_3_and_one_line(textnb, passed, simple, tmp_path, call, passes, capsys):
    (tmp_path / "message").write_bytes(SPAM)
    (tmp_path / "empty").touch()
    (tmp_path / "nul").write_bytes(b"\0")
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.tnb").write_bytes(simple.read_bytes()[:-50])
    save_model_of_columns(tmp_path / "columns.tnb")
    if not passes:
        done = textnb(*call.split(), stdin=SPAM)
        assert (done.code, done.out) == (3, "")
        error = done.err
    else:
        first, *words = call.split()
        code, out = passed(first, "--passthrough", *words, stdin=SPAM)
        assert code == 3
        named = call.split()[2:3]
        own = {"empty": b"", "nul": b"\0", "missing": b"", "folder": b""}
        expected = own.get(named[0], SPAM) if named and "simple" in call else SPAM
        assert out == expected
        error = capsys.readouterr().err
    assert error.startswith("textnb: ")
    assert error.count("\n") == 1


def save_model_of_columns(path):
    from textnb.estimators.mixed_file import save_mixed

    parts = [("categorical", library.CategoricalNB(), [0])]
    save_mixed(library.MixedNB(parts).fit(np.array([["a"], ["b"]], dtype=object), ["ham", "spam"]), path)


ERRORS = [
    KeyboardInterrupt(),
    MemoryError(),
    KeyError("unforeseen"),
    BrokenPipeError(),
    OSError(5, "broken"),
    SyntaxError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_goes_wrong_is_3_and_passes_the_message_on(textnb, passed, simple, monkeypatch, error):
    def stopped(path):
        raise error

    monkeypatch.setattr("textnb.workflow.prediction.open_scorer", stopped)
    done = textnb("check", simple, stdin=SPAM)
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") <= 1
    assert passed("check", simple, "--passthrough", stdin=SPAM) == (3, SPAM)
    assert passed("check", "-q", "--passthrough", simple, stdin=SPAM) == (3, SPAM)


def test_a_command_that_cannot_be_imported_is_3_and_passes_the_message_on(passed, simple, monkeypatch):
    monkeypatch.setitem(sys.modules, "textnb.cli.check", None)
    assert passed("check", simple, stdin=SPAM) == (3, b"")
    assert passed("check", simple, "--passthrough", stdin=SPAM) == (3, SPAM)


def test_a_mistake_is_3_for_those_who_debug_too(simple, monkeypatch, capsys):
    from textnb.cli import main

    def mistaken(path):
        raise KeyError("unforeseen")

    monkeypatch.setattr("textnb.workflow.prediction.open_scorer", mistaken)
    monkeypatch.setenv("TEXTNB_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["textnb", "check", str(simple), str(simple)])
    monkeypatch.setattr("signal.signal", lambda number, handler: None)  # of the process that tests
    with pytest.raises(SystemExit, match="3"):
        main()
    assert "KeyError: 'unforeseen'" in capsys.readouterr().err


def test_a_stream_of_errors_that_is_full_changes_nothing(textnb, monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    assert textnb("check", "missing.tnb", stdin=SPAM).code == 3
    assert textnb("predict", "missing.tnb", stdin=SPAM).code == 2


def test_help_is_no_failure(textnb):
    for call in (("--help",), ("-h",), ("m.tnb", "--passthrough", "--help")):
        done = textnb("check", *call)
        assert (done.code, done.err) == (0, "")
        assert "0 for spam, 1 for ham, 2 for unsure, and 3 for every failure" in " ".join(done.out.split())
        assert "* ? textnb check" in done.out


# Passing through


@pytest.mark.parametrize("message", [SPAM, HAM, SPAM.replace(b"\n", b"\r\n"), b"From a@b Mon\n" + HAM + b"\xff\xfe"])
def test_the_message_passes_through_with_its_verdict(textnb, passed, simple, message):
    from textnb.workflow.tagging import tagged

    line = textnb("check", simple, stdin=message).out.rstrip("\n")
    assert passed("check", simple, "--passthrough", stdin=message) == (0, tagged(message, line))
    forged = message.replace(b"Subject:", b"x-textnb: ham; 0.001\nSubject:", 1)
    code, out = passed("check", simple, "--passthrough", stdin=forged)
    assert code == 0
    assert out.lower().count(b"x-textnb") == 1


def test_unsure_passes_through_with_0(passed, tmp_path):
    path = saved(tmp_path / "m.tnb", policy={"costs": {("ham", "spam"): 1e9}, "unsure": 0.01})
    code, out = passed("check", path, "--passthrough", stdin=SPAM)
    assert (code, out[:17]) == (0, b"X-Textnb: unsure;")


def test_labels_cannot_add_headers(passed, tmp_path):
    path = saved(tmp_path / "m.tnb", ["a\r\nBcc: \xe9" + "x" * 2000] * 3 + ["spam"] * 3)
    code, out = passed("check", path, "--passthrough", stdin=SPAM)
    first, _, rest = out.partition(b"\n")
    assert (code, rest) == (0, SPAM)
    assert first.startswith(b"X-Textnb: a\\r\\nBcc: \\xe9xxx")
    assert len(first) < 200


@pytest.mark.parametrize("option", ["--json", "--verbose"])
def test_nothing_else_is_written_to_the_message(passed, simple, option, capsys):
    assert passed("check", simple, "--passthrough", option, stdin=SPAM) == (3, SPAM)
    assert f"leave out {option}" in capsys.readouterr().err


class FullDisk(io.BytesIO):
    def write(self, content):
        raise OSError(28, "No space left on device")


def test_a_full_disk_under_the_message_is_3(passed, simple, capsys):
    assert passed("check", simple, "--passthrough", stdin=SPAM, stdout=FullDisk())[0] == 3
    assert "the result cannot be written: No space left on device" in capsys.readouterr().err


def test_closed_streams_are_failures(simple, monkeypatch, capsys, tmp_path):
    (tmp_path / "message").write_bytes(SPAM)
    message = str(tmp_path / "message")
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["check", str(simple)]) == 3
    assert run(["check", str(simple), "--passthrough"]) == 3
    assert run(["check", str(simple), "--passthrough", "--foo"]) == 3
    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        codes = [run(["check", str(simple), message, *call]) for call in ((), ("-q",), ("--passthrough",), ("--json",))]
    assert codes == [3, 0, 3, 3]
    assert "stdout is closed" in capsys.readouterr().err


@pytest.mark.slow
def test_a_message_of_fifty_megabytes(passed, simple):
    message = SPAM + b"free prize, claim cash\r\n" * 2_100_000
    code, out = passed("check", simple, "--passthrough", stdin=message)
    assert code == 0
    assert out.endswith(message)
    assert out.startswith(b"X-Textnb: spam; 1.000; score ")


# Learning


def n_documents(path):
    return int(open_model(path).array("documents").sum())


def test_nothing_is_learned_unasked(textnb, simple):
    before = simple.read_bytes()
    assert textnb("check", simple, stdin=SPAM).code == 0
    assert simple.read_bytes() == before


def test_what_it_is_sure_of_is_learned_once(textnb, simple):
    content = SPAM + b"cheap pills, free prize, claim cash\n"
    done = textnb("check", simple, "--update", stdin=content)
    assert (done.code, done.err) == (0, "textnb: learned it as spam\n")
    assert n_documents(simple) == 7
    again = textnb("check", simple, "--update", stdin=content)
    assert (again.code, again.err, n_documents(simple)) == (0, "", 7)
    assert textnb("check", simple, "--update", "-q", stdin=content + content) == (0, "", "")
    assert n_documents(simple) == 8
    assert textnb("forget", simple, "--label", "spam", stdin=content).code == 0


def test_how_sure_can_be_said(textnb, simple):
    for options, n in ((), 6), (("--update-above", 1), 6), (("--update-above", 0.9), 7):
        done = textnb("check", simple, "--update", *options, stdin=b"lunch tomorrow, minutes")
        assert (done.code, n_documents(simple)) == (1, n)


def test_what_it_is_unsure_of_is_not_learned(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb", policy={"costs": {("ham", "spam"): 1e9}, "unsure": 0.01})
    assert textnb("check", path, "--update", "--update-above", 0.5, stdin=SPAM).code == 2
    assert n_documents(path) == 6


@pytest.mark.parametrize("analyzer", ["word", "mail"])
def test_a_label_given_by_hand_is_never_overturned(textnb, tmp_path, analyzer):
    path = saved(tmp_path / "m.tnb", analyzer=analyzer)
    *others, message = [b"Message-ID: <%d@example.org>\n%s" % (n, SPAM) for n in range(40)]
    documents = [checking._read(content, "stdin", analyzer == "mail")[0] for content in (*others, message)]
    classifier = library.load(path)
    classifier.learn(documents, ["spam"] * len(others) + ["ham"])
    classifier.save(path)
    content = path.read_bytes()
    copies = [message] if analyzer == "word" else [message, b"Received: on another way\n" + message]
    for copy in copies:
        done = textnb("check", path, "--update", "--update-above", 0.5, stdin=copy)
        assert (done.code, done.err, path.read_bytes() == content) == (0, "", True)
    assert textnb("check", path, "--update", "--update-above", 0.5, stdin=SPAM * 2).code == 0
    assert path.read_bytes() != content


def test_a_failure_to_learn_is_3_unless_the_message_is_passed_on(textnb, passed, simple, monkeypatch, capsys):
    def locked(*_):
        raise OSError(11, "locked")

    monkeypatch.setattr("textnb.workflow.updating.learn_if_new", locked)
    message = SPAM + b"cheap pills, free prize, claim cash\n"
    expected = textnb("check", simple, stdin=message)
    done = textnb("check", simple, "--update", stdin=message)
    assert (expected.code, done.code, done.out) == (0, 3, expected.out)
    assert done.err == "textnb: locked\n"
    _, tagged = passed("check", simple, "--passthrough", stdin=message)
    capsys.readouterr()
    assert passed("check", simple, "--passthrough", "--update", stdin=message) == (0, tagged)
    assert capsys.readouterr().err == "textnb: locked\n"
    assert tagged.startswith(b"X-Textnb: spam; 0.99")


def test_a_model_without_a_ledger_says_that_it_cannot_learn_so(textnb, passed, simple):
    assert textnb("forget", simple, "--ledger").code == 0
    done = textnb("check", simple, "--update", stdin=HAM)
    assert (done.code, done.out) == (3, "")
    assert "simple.tnb has no ledger of what it has learned, which --update needs" in done.err
    assert passed("check", simple, "--passthrough", "--update", stdin=HAM) == (3, HAM)


@pytest.mark.parametrize("option", ["--passthrough=true", "--passt", "--passthrough", "--pass=1"])
def test_a_message_is_passed_on_however_the_option_is_written(passed, simple, option):
    assert passed("check", simple, option, "--nonsense", stdin=SPAM) == (3, SPAM)


# Packed messages


@pytest.mark.parametrize("packer", [gzip, bz2, lzma])
def test_a_packed_message_is_judged_as_what_it_holds(textnb, passed, simple, tmp_path, packer):
    packed = packer.compress(SPAM)
    (tmp_path / "message").write_bytes(packed)
    expected = textnb("check", simple, stdin=SPAM)
    assert textnb("check", simple, "message") == textnb("check", simple, stdin=packed) == expected
    assert json.loads(textnb("predict", simple, "message", "--json").out)["score"] == pytest.approx(
        textnb("check", simple, "message", "--json").json["score"]
    )
    assert passed("check", simple, "--passthrough", stdin=packed) == (0, packed)


def test_archives_damaged_and_huge_packed_messages_are_3(textnb, passed, simple, tmp_path, monkeypatch):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    for packed, why in [
        (content.getvalue(), "stdin: it is an archive of files, not one message"),
        (gzip.compress(SPAM)[:-9], "stdin: it is damaged"),
        (gzip.compress(b"pills " * 100), "stdin: it has more than 500 bytes"),
    ]:
        monkeypatch.setattr("textnb.corpora.mbox.MAX_MESSAGE", 500)
        done = textnb("check", simple, stdin=packed)
        assert (done.code, done.out) == (3, "")
        assert why in done.err
        assert passed("check", simple, "--passthrough", stdin=packed) == (3, packed)


# The score of `predict`


def test_predict_has_the_score_of_the_positive_class(textnb, simple, tmp_path):
    (tmp_path / "t.csv").write_text("text,n\ncheap pills,1\nlunch,2\n")
    (tmp_path / "lines").write_text("cheap pills\nlunch\n")
    expected = [open_predictor(simple).score([text], "spam")[0] for text in ("cheap pills", "lunch")]
    for call in (("t.csv",), ("--lines", "lines"), ("--lines", "lines", "--explain"), ("--lines", "lines", "--raw")):
        found = [json.loads(line) for line in textnb("predict", simple, *call, "--json").out.splitlines()]
        assert [one["score"] for one in found] == pytest.approx(expected, rel=1e-12)
        other = textnb("predict", simple, *call, "--json", "--positive", "ham").out.splitlines()
        assert [json.loads(line)["score"] for line in other] == pytest.approx([-score for score in expected], rel=1e-12)


@pytest.mark.parametrize("analyzer", ["word", "mail"])
def test_messages_of_a_mailbox_have_the_scores_that_check_gives_them(textnb, tmp_path, analyzer):
    path = saved(tmp_path / "m.tnb", analyzer=analyzer)
    messages = [b"From: a@example.org\nTo: b@example.org\nMessage-ID: <1@b>\n" + content for content in (SPAM, HAM)]
    (tmp_path / "box").write_bytes(b"".join(b"From a Mon Jan  5 10:00:00 2004\n%s\n" % message for message in messages))
    found = [json.loads(line)["score"] for line in textnb("predict", path, "box", "--json").out.splitlines()]
    assert found == [textnb("check", path, "--json", stdin=message).json["score"] for message in messages]
    assert found[0] > 0 > found[1]


def test_without_a_positive_class_predict_has_no_score(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb", ["junk"] * 3 + ["good"] * 3)
    assert "score" not in textnb("predict", path, "--json", stdin=SPAM).json
    assert textnb("predict", path, "--json", "--positive", "junk", stdin=SPAM).json["score"] > 0
    done = textnb("predict", path, "--json", "--positive", "spam", stdin=SPAM)
    assert (done.code, done.err) == (2, "textnb: the model has no class 'spam'; it has 'good', 'junk'\n")
    for call in ((), ("--json", "-o", "out.csv")):
        assert "--positive names the class" in textnb("predict", path, "--positive", "junk", *call, stdin=SPAM).err


def test_scores_rank_where_probabilities_tie(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb", calibrate=False)
    lines = "\n".join("cheap pills " * n for n in range(30, 90)).encode()
    found = [json.loads(line) for line in textnb("predict", path, "--lines", "--json", stdin=lines).out.splitlines()]
    assert len({one["probabilities"]["spam"] for one in found}) < 10
    scores = [one["score"] for one in found]
    assert scores == sorted(set(scores))


def test_scores_are_not_calibrated(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb")
    from model.test_model_files import forged

    raw = textnb("predict", path, "--json", stdin=SPAM).json
    calibration = {"temperature": 3.0, "length_exponent": 0.0, "offsets": [0.0, 1.0]}
    calibrated = textnb("predict", forged(path, settings={"calibration": calibration}), "--json", stdin=SPAM).json
    assert calibrated["score"] == raw["score"]
    assert calibrated["probabilities"] != raw["probabilities"]


def test_infinite_odds_are_numbers_that_json_has(textnb, tmp_path):
    path = saved(tmp_path / "m.tnb", alpha=0.0)
    assert textnb("predict", path, "--json", stdin=b"cheap").json["score"] == sys.float_info.max
    assert textnb("predict", path, "--json", stdin=b"lunch").json["score"] == -sys.float_info.max
    assert textnb("check", path, stdin=b"lunch").out == "ham; 0.000; score -inf\n"


def test_rows_of_columns_have_scores_too(textnb, tmp_path):
    rows = [(f"{word} {n}", label, n) for n in range(20) for word, label in (("lunch", "ham"), ("cash", "spam"))]
    (tmp_path / "t.csv").write_text("text,label,n\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    assert textnb("train", "t.csv", "--numeric", "n", "-o", "mixed.tnb", "-q").code == 0
    found = [json.loads(line) for line in textnb("predict", "mixed.tnb", "t.csv", "--json").out.splitlines()]
    for one in found:
        log_odds = np.log(one["probabilities"]["spam"]) - np.log(one["probabilities"]["ham"])
        assert one["score"] == pytest.approx(log_odds, rel=1e-6)


def test_a_model_of_one_class_says_nothing(passed, tmp_path):
    saved(tmp_path / "one.tnb", ["spam"] * 6)
    assert passed("check", "one.tnb", stdin=HAM) == (3, b"")
    assert passed("check", "one.tnb", "--passthrough", "--update", stdin=HAM) == (3, HAM)


def test_of_a_large_message_the_beginning_is_judged_and_it_is_not_learned(textnb, passed, simple, monkeypatch):
    large = b"cheap pills, win cash now" + b" lunch at noon" * 1000
    assert textnb("check", simple, stdin=large).code == 1
    monkeypatch.setattr(checking, "MOST_BYTES", 26)
    assert textnb("check", simple, "--update", "--update-above", "0.5", "--json", stdin=large).json["learned"] is False
    assert textnb("check", simple, stdin=large).code == 0
    code, out = passed("check", simple, "--passthrough", stdin=large)
    assert (code, out.endswith(b"\n\n" + large)) == (0, True)


def test_a_message_of_which_nothing_is_known_is_unsure(textnb, tmp_path):
    """The first class was named, which is spam where the other one sorts behind it."""
    (tmp_path / "s").write_bytes(b"Subject: cheap\n\ncheap pills")
    (tmp_path / "w").write_bytes(b"Subject: lunch\n\nlunch at noon")
    assert textnb("learn", "new.tnb", "--label", "spam", "s").code == 0
    assert textnb("learn", "new.tnb", "--label", "wanted", "--new-class", "w").code == 0
    done = textnb("check", "new.tnb", stdin=b"qqq: vvv\n\nzzz")
    assert (done.code, done.out) == (2, "unsure; 0.500; score 0.0\n")


def test_json_says_whether_it_was_learned(textnb, simple):
    words = ["--update", "--update-above", "0.5", "--json"]
    assert textnb("check", simple, *words, stdin=SPAM).json["learned"] is True
    assert textnb("check", simple, *words, stdin=SPAM).json["learned"] is False
    assert "learned" not in textnb("check", simple, "--json", stdin=SPAM).json
