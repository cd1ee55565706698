"""Wrong calls: one line on stderr that says what was wrong, nothing on stdout, exit code 2."""

import os
import re

import pytest

from textnb.storage import write_model

# The call, and what its message must say.
WRONG = [
    ("trian", "'trian'.*train"),
    ("--foo", "--foo"),
    ("train", "CORPUS.*textnb train --help"),
    ("train nothere", "'nothere' is neither .* Named corpora: 20news"),
    ("train 20new", "Did you mean '20news'"),
    ("train mail.csv more", "more"),
    ("train mail.csv --modle multinomial", "--modle.*--model"),
    ("train mail.csv --model svm", "--model.*'svm'.*'multinomial'"),
    ("train mail.csv --weights x", "--weights.*'x'.*'tfidf'"),
    ("train mail.csv --alpha -1", "--alpha.*0"),
    ("train mail.csv --alpha x", "--alpha.*number|--alpha.*float"),
    ("train mail.csv --alpha inf", "--alpha.*inf"),
    ("train apart.csv --alpha 0", "alpha > 0.*Use"),
    ("train mail.csv --ngrams 0,1", "--ngrams.*such as 1,2.*'0,1'"),
    ("train mail.csv --ngrams 2,1", "--ngrams.*'2,1'"),
    ("train mail.csv --ngrams a", "--ngrams.*'a'"),
    ("train mail.csv --analyzer words", "--analyzer.*'words'.*'char_wb'"),
    ("train mail.csv --analyzer char --stemmer porter", "--stemmer.*words"),
    ("train mail.csv --tokenizer foo", "--tokenizer.*toktok.*'foo'"),
    ("train mail.csv --stemmer foo", "--stemmer.*porter.*'foo'"),
    ("train mail.csv --stop-words french", "--stop-words.*english.*'french'"),
    ("train mail.csv --min-df 0.x", "--min-df.*'0.x'"),
    ("train mail.csv --min-df 0", "--min-df.*'0'"),
    ("train mail.csv --max-df 2.0", "--max-df.*'2.0'"),
    ("train mail.csv --min-df 1000", "min_df: no term is in 1,000 of 5[0-9] documents: lower it"),
    ("train mail.csv --max-features 0", "--max-features.*1"),
    ("train mail.csv --categories ham", "only the class 'ham'.*two"),
    ("train mail.csv --categories ham,spm", "no class 'spm'. Did you mean 'spam'"),
    ("train mail.csv --categories ,", "categories is empty"),
    ("train mail.csv --strip headers", "20 Newsgroups.*leave strip out"),
    ("train 20news --strip head", "headers, footers, quotes.*'head'"),
    ("train mail.csv --text body", "no column 'body'.*'text', 'label'"),
    ("train mail.csv --label kind", "no column 'kind'"),
    ("train mail.csv --encoding utf-99", "'utf-99'.*utf-8"),
    ("train mail.csv --test-size 2", "--test-size.*2"),
    ("train mail.csv --test-size 0.001", "0.001 of 80 documents.*--test-size"),
    ("train mail.csv --cv 1", "--cv.*2"),
    ("train mail.csv --cv 50", "40 documents.*50 folds.*fewer folds"),
    ("train mail.csv --seed x", "--seed"),
    ("train mail.csv --jobs 0", "--jobs.*-1"),
    ("train mail.csv --output nodir/mail.tnb", "nodir/mail.tnb: the folder does not exist; create it"),
    ("train mail.csv --output folder", "folder: it exists and is not a regular file"),
    ("train mail.csv --output /dev/full", "/dev/full: .* not a regular file"),
    ("train mail.csv --plot x.gif", "'x.gif'.*.png, .svg or .pdf"),
    ("train mail.csv --plot nodir/x.png", "nodir/x.png: the folder does not exist"),
    ("train plain.txt", "plain.txt is of no known kind.*.csv"),
    ("train empty.csv", "empty.csv.*empty"),
    ("train folder", "folder has no usable documents"),
    ("evaluate mail.tnb", "CORPUS.*textnb evaluate --help"),
    ("evaluate missing.tnb mail.csv", "missing.tnb: No such file or directory; check the path"),
    ("evaluate mail.csv mail.csv", "'mail.csv' is not a textnb model file"),
    ("evaluate mail.tnb nothere", "'nothere' is neither"),
    ("evaluate mail.tnb mail.csv --subset test", "no train and test parts.*--subset"),
    ("evaluate mail.tnb mail.csv --subset some", "--subset.*'some'.*'train'"),
    ("evaluate mail.tnb mail.csv --plot x", "'x'.*.png"),
    ("evaluate mail.tnb mail.csv --reliability x", "'x'.*.png"),
    ("train mail.csv --reliability nodir/x.png", "--reliability nodir/x.png: the folder does not exist"),
    ("predict", "MODEL.*textnb predict --help"),
    ("predict missing.tnb", "missing.tnb: No such file or directory; check the path"),
    ("predict folder", "'folder' is not a textnb model file: it is not a regular file"),
    ("predict plain.txt", "'plain.txt' is not a textnb model file"),
    ("predict cut.tnb", "'cut.tnb' is damaged"),
    ("predict foreign.tnb", "'foreign.tnb' is damaged.*settings"),
    ("predict mail.tnb missing.txt", "missing.txt: No such file or directory; check the path"),
    ("predict mail.tnb plain.txt --line", "--line.*--lines"),
    ("inspect", "MODEL"),
    ("inspect cut.tnb", "'cut.tnb' is damaged"),
    ("inspect mail.tnb --terms -1", "--terms.*0"),
    ("corpora foo", "'foo'"),
    ("corpora fetch", "NAME"),
    ("corpora fetch 20new", "no corpus named '20new'. Did you mean '20news'"),
]


@pytest.fixture
def files(model, mail_csv, tmp_path):
    (tmp_path / "plain.txt").write_text("just text, and enough of it to be longer than any header of a model file is")
    (tmp_path / "apart.csv").write_text("text,label\n" + "only here,a\nand there,b\n" * 5)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.tnb").write_bytes(model.read_bytes()[:-50])
    write_model(tmp_path / "foreign.tnb", {}, {"a": 1})


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_a_wrong_call_is_one_line_and_exit_code_2(textnb, files, call, said):
    done = textnb(*call.split(), stdin=b"some text")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("textnb: ")
    assert done.err.count("\n") == 1
    assert re.search(said, done.err)


def test_no_arguments_show_the_help(textnb):
    assert textnb() == textnb("--help")


def test_a_folder_that_may_not_be_written_to(textnb, mail_csv, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # whoever runs the tests
    done = textnb("train", mail_csv)
    assert (done.code, done.out) == (2, "")
    assert done.err == "textnb: --output mail.tnb: the folder may not be written to; choose another\n"


def test_a_full_disk_names_the_model_file(textnb, mail_csv, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", ".textnb-1234.tmp")

    assert textnb("train", mail_csv, "--output", "old.tnb", "--weights", "counts").code == 0
    before = mail_csv.with_name("old.tnb").read_bytes()
    reason = "the model cannot be written: No space left on device; make room, or choose another folder"
    for call, model in [
        (("train", mail_csv), "mail.tnb"),
        (("train", mail_csv, "--stream"), "mail.tnb"),
        (("count", mail_csv, "-o", "part.tnb"), "part.tnb"),
        (("learn", "old.tnb", mail_csv), "old.tnb"),
        (("merge", "-o", "old.tnb", "old.tnb", "old.tnb", "--overwrite"), "old.tnb"),
    ]:
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            done = textnb(*call)
        assert (done.code, done.out, done.err) == (2, "", f"textnb: {model}: {reason}\n")
    assert [path.name for path in mail_csv.parent.glob("*.tnb")] == ["old.tnb"]
    assert mail_csv.with_name("old.tnb").read_bytes() == before


def test_a_mistake_of_ours_is_one_line_too(textnb, model, monkeypatch):
    def mistaken(path):
        raise KeyError("unforeseen")

    monkeypatch.setattr("textnb.workflow.prediction.open_scorer", mistaken)
    done = textnb("predict", model)
    assert done.code == 2
    assert done.err.startswith("textnb: a mistake in textnb, KeyError: 'unforeseen'; set TEXTNB_DEBUG=1")
    monkeypatch.setenv("TEXTNB_DEBUG", "1")
    with pytest.raises(KeyError):
        textnb("predict", model)


@pytest.mark.parametrize(
    ("error", "code", "said"), [(KeyboardInterrupt(), 130, ""), (MemoryError(), 2, "not enough memory")]
)
def test_an_interrupt_and_want_of_memory_end_cleanly(textnb, model, monkeypatch, error, code, said):
    def stopped(path):
        raise error

    monkeypatch.setattr("textnb.workflow.prediction.open_scorer", stopped)
    done = textnb("predict", model)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert done.err.count("\n") <= 1


def test_a_corpus_that_cannot_be_fetched_has_a_line_for_each_source(textnb, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.corpora.sources._far", lambda edition, quiet: [])  # no network
    monkeypatch.setenv("TEXTNB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TEXTNB_CORPORA", str(tmp_path / "nowhere"))
    code, out, err = textnb("train", "sms-spam")
    first, cache, local, advice = err.splitlines()
    assert (code, out, first) == (2, "", "textnb: sms-spam could not be loaded. Tried:")
    assert cache.startswith("  cache ")
    assert local == f"  $TEXTNB_CORPORA {tmp_path / 'nowhere'}: it is not a folder"
    assert advice.startswith("textnb: Check the connection, or put sms_spam.tar.xz in a folder")


@pytest.mark.parametrize("command", ["train", "tune", "audit", "count -o c.tnb", "evaluate model.tnb", "corpora fetch"])
def test_a_mistyped_corpus_gets_a_suggestion(textnb, model, command):
    code, _, err = textnb(*command.replace("model.tnb", str(model)).split(), "20newz")
    assert code == 2
    assert "Did you mean '20news'?" in err
    assert err.count("\n") == 1


def test_an_output_that_links_to_itself_is_one_line(textnb, mail_csv, tmp_path):
    (tmp_path / "loop.tnb").symlink_to(tmp_path / "loop.tnb")
    done = textnb("train", mail_csv, "--output", tmp_path / "loop.tnb")
    assert done.code == 2
    assert "it is a link that leads to itself" in done.err
    assert len(done.err.splitlines()) == 1
