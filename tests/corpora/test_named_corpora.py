"""Every named corpus has its published counts; its options do what they say."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from corpora.small_corpus import EDITION, ENTRY, MEMBERS
from corpora_for_tests import corpus_or_skip
from sklearn.datasets import _twenty_newsgroups as reference

from textnb.corpora import corpus_names, load_corpus, open_corpus
from textnb.corpora.layouts import reuters
from textnb.corpora.manifest import find_entry, read_manifest
from textnb.corpora.named import build_corpus
from textnb.corpora.newsgroups import strip_footers, strip_headers, strip_quotes, thread_numbers
from textnb.corpora.recognition import is_mail
from textnb.corpora.rows import has_surrogates
from textnb.corpora.sources import find_members

WITH_SPLIT = {
    "20news": (11314, 7532, 20),
    "imdb": (25000, 25000, 2),
    "reuters": (6532, 2568, 52),
    "r8": (5485, 2189, 8),
}
WITHOUT_SPLIT = {
    "sms-spam": {"ham": 4827, "spam": 747},
    "spamassassin": {"ham": 4150, "spam": 1896},
    "enron-spam": {"ham": 16545, "spam": 17170},
    "movie-reviews": {"neg": 1000, "pos": 1000},
    "sentence-polarity": {"neg": 5331, "pos": 5331},
    "subjectivity": {"objective": 5000, "subjective": 5000},
}


def test_every_corpus_is_counted_here() -> None:
    assert sorted([*WITH_SPLIT, *WITHOUT_SPLIT]) == corpus_names()


@pytest.mark.parametrize("name", WITH_SPLIT)
def test_corpora_with_a_split_have_their_published_counts(name: str) -> None:
    train, test, classes = WITH_SPLIT[name]
    corpus = corpus_or_skip(name)
    if corpus.edition == find_entry("20news").editions[1].title:
        train, test = 11293, 7528
    assert (Counter(corpus.split.tolist()), len(corpus.classes)) == ({"train": train, "test": test}, classes)
    assert len(corpus) == len(corpus.labels) == train + test
    assert corpus.split[:train].tolist() == ["train"] * train
    assert sorted(set(corpus.labels.tolist())) == corpus.classes
    part = corpus_or_skip(name, subset="test")
    assert part.texts == corpus.texts[train:]
    np.testing.assert_array_equal(part.labels, corpus.labels[train:])


@pytest.mark.parametrize("name", WITHOUT_SPLIT)
def test_corpora_without_a_split_have_their_published_counts(name: str) -> None:
    corpus = corpus_or_skip(name)
    assert Counter(corpus.labels.tolist()) == WITHOUT_SPLIT[name]
    assert corpus.classes == sorted(WITHOUT_SPLIT[name])
    assert corpus.split is None
    assert corpus.groups is None
    with pytest.raises(ValueError, match=f"{name} has no split of its own.*subset='all'"):
        load_corpus(name, "train", quiet=True)


@pytest.fixture
def newsgroups():
    corpus = corpus_or_skip("20news")
    if corpus.groups is None:
        pytest.skip("corpus not available: 20news with headers")
    return corpus


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        (strip_headers, reference.strip_newsgroup_header),
        (strip_footers, reference.strip_newsgroup_footer),
        (strip_quotes, reference.strip_newsgroup_quoting),
    ],
)
def test_stripping_equals_scikit_learn_on_every_post(newsgroups, own, theirs) -> None:
    assert [own(text) for text in newsgroups.texts] == [theirs(text) for text in newsgroups.texts]


@pytest.mark.parametrize("text", ["", "\n", "a", "-", "--\n", "a\n--\nb", "\n\nx", "a\n\nb\n--", " \n-- \nsig", "> q"])
def test_stripping_equals_scikit_learn_on_odd_texts(text: str) -> None:
    assert strip_headers(text) == reference.strip_newsgroup_header(text)
    assert strip_footers(text) == reference.strip_newsgroup_footer(text)
    assert strip_quotes(text) == reference.strip_newsgroup_quoting(text)


@pytest.mark.slow
def test_parts_are_stripped_in_the_order_of_scikit_learn(newsgroups) -> None:
    stripped = load_corpus("20news", strip=("quotes", "headers", "footers"), quiet=True)
    for text, expected in zip(stripped.texts, newsgroups.texts, strict=True):
        expected = reference.strip_newsgroup_header(expected)
        expected = reference.strip_newsgroup_footer(expected)
        assert text == reference.strip_newsgroup_quoting(expected)


def test_loading_again_after_stripping_gives_whole_posts(newsgroups) -> None:
    load_corpus("20news", strip=["headers"], quiet=True)
    assert load_corpus("20news", quiet=True).texts == newsgroups.texts


def test_threads_keep_their_numbers_in_a_subset(newsgroups) -> None:
    part = load_corpus("20news", "test", categories=["sci.space", "sci.med"], quiet=True)
    chosen = (newsgroups.split == "test") & np.isin(newsgroups.labels, ["sci.space", "sci.med"])
    assert part.classes == ["sci.med", "sci.space"]
    np.testing.assert_array_equal(part.groups, newsgroups.groups[chosen])


def test_replies_are_of_the_thread_and_posts_without_a_subject_are_alone() -> None:
    posts = [
        "Subject: Orbits\n\nx",
        "From: a\nSubject: Re: RE:  orbits \n\ny",
        "From: b\n\nSubject: Orbits",
        "Subject: Re:\n\nz",
        "subject: re: Re: other\n\n",
        "Subject: Return of the comet\n\n",
    ]
    assert thread_numbers(posts).tolist() == [0, 0, 1, 2, 3, 4]


def test_enron_messages_stand_in_the_order_of_arrival() -> None:
    entry = find_entry("enron-spam")
    names = ["enron2/ham/0001.b.txt", "enron1/spam/0010.c.txt", "enron1/ham/0002.a.txt", "enron1/ham/10000.z.txt"]
    corpus = build_corpus(entry, entry.editions[0], {name: name.encode() for name in names})
    assert corpus.texts == [names[2], names[1], names[3], names[0]]


def test_reviews_that_may_be_of_one_film_are_a_group() -> None:
    entry = find_entry("imdb")
    names = ["train/neg/0_1.txt", "train/neg/29_2.txt", "train/neg/30_3.txt", "train/pos/0_9.txt", "test/neg/0_1.txt"]
    corpus = build_corpus(entry, entry.editions[0], {name: name.encode() for name in names})
    group = dict(zip(corpus.texts, corpus.groups.tolist(), strict=True))
    assert group["train/neg/0_1.txt"] == group["train/neg/29_2.txt"]
    assert len(set(group.values())) == 4


def test_reuters_keeps_documents_of_one_topic_that_both_parts_have() -> None:
    def story(part: str, topics: str, text: str, kept: str = "YES") -> str:
        return f'<REUTERS TOPICS="{kept}" LEWISSPLIT="{part}" NEWID="1">\n<TOPICS>{topics}</TOPICS>{text}</REUTERS>\n'

    whole = "<TEXT>&#2;\n<TITLE>AT&amp;T</TITLE><BODY>Profit &lt;up>\n&#3;</BODY></TEXT>"
    sgml = "".join(
        [
            story("TRAIN", "<D>earn</D>", whole),
            story("TEST", "<D>earn</D>", '<TEXT TYPE="UNPROC">&#2;\nraw\n</TEXT>'),
            story("TEST", "<D>earn</D>", '<TEXT TYPE="BRIEF">&#2;\n<TITLE>Brief</TITLE></TEXT>'),
            story("TRAIN", "<D>earn</D><D>acq</D>", whole),
            story("TRAIN", "", whole),
            story("TRAIN", "<D>tea</D>", whole),
            story("NOT-USED", "<D>earn</D>", whole),
            story("TRAIN", "<D>earn</D>", whole, kept="NO"),
        ]
    )
    documents = list(reuters({"reut2-000.sgm": sgml.encode("latin-1")}))
    assert [(document.text, document.label, document.part) for document in documents] == [
        ("AT&T\nProfit <up>", "earn", "train"),
        ("raw", "earn", "test"),
        ("Brief", "earn", "test"),
    ]


def test_lines_break_at_line_feeds_alone() -> None:
    entry = find_entry("sms-spam")
    content = 'ham\tone\x85two\u2028three\nspam\t\x1cwin "now\n'.encode()
    corpus = build_corpus(entry, entry.editions[0], {"SMSSpamCollection": content})
    assert corpus.texts == ["one\x85two\u2028three", '\x1cwin "now']


def test_mail_that_is_not_utf_8_is_still_text() -> None:
    entry = find_entry("spamassassin")
    members = {"easy/ham/1": "é".encode(), "spam/2": b"caf\xe9 \x93q\x94", "spam/2/3": b"\x81\xe9"}
    corpus = build_corpus(entry, entry.editions[0], members)
    assert corpus.texts == ["é", "café “q”", "\x81é"]
    assert corpus.labels.tolist() == ["ham", "spam", "spam"]


def test_an_unknown_name_is_an_error_with_the_list_and_a_guess() -> None:
    with pytest.raises(ValueError, match=r"'20newz'. Did you mean '20news'\? Known: 20news, enron-spam"):
        load_corpus("20newz")


def test_an_unknown_subset_or_part_is_an_error() -> None:
    with pytest.raises(ValueError, match="train, test, all, got 'dev'"):
        load_corpus("20news", "dev")
    with pytest.raises(ValueError, match="headers, footers, quotes; got 'header'"):
        load_corpus("20news", strip="header")


def test_an_unknown_category_is_an_error_with_the_list(newsgroups) -> None:
    with pytest.raises(ValueError, match=r"no class 'sci.spcae'. Did you mean 'sci.space'\? Known: alt.atheism"):
        load_corpus("20news", categories=["sci.med", "sci.spcae"], quiet=True)
    with pytest.raises(ValueError, match="categories is empty"):
        load_corpus("20news", categories=[], quiet=True)
    assert load_corpus("20news", categories="sci.med", quiet=True).classes == ["sci.med"]


def test_other_corpora_cannot_be_stripped() -> None:
    corpus_or_skip("sms-spam")
    with pytest.raises(ValueError, match="Only 20 Newsgroups with headers can be stripped"):
        load_corpus("sms-spam", strip=["headers"], quiet=True)


def test_every_document_of_a_small_corpus_is_labelled_by_its_folder() -> None:
    corpus = build_corpus(ENTRY, EDITION, MEMBERS)
    assert corpus.texts == ["see you at noon", "win a prize", "running late", "prize prize prize"]
    assert corpus.labels.tolist() == ["ham", "spam", "ham", "spam"]
    assert corpus.split.tolist() == ["train", "train", "test", "test"]


def test_the_manifest_is_complete() -> None:
    for entry in read_manifest().values():
        assert entry.title
        assert entry.licence
        assert entry.citation
        for edition in entry.editions:
            assert len(edition.digest) == 64
            assert edition.archives
            assert all(address.startswith("https://") for address in edition.addresses)


def test_importing_costs_no_heavy_module() -> None:
    heavy = "{'sklearn', 'scipy', 'tqdm', 'nltk', 'urllib.request'}"
    script = f"import sys, textnb.corpora; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_raw_messages_are_bytes_without_the_line_of_a_mailbox() -> None:
    entry = find_entry("spamassassin")
    content = b"From a@example.org Thu Aug 22 12:36:23 2002\nSubject: caf\xe9\n\n>From me\n"
    members = {"easy/ham/1": content, "spam/2": b"Subject: x\n\n>From me\n"}
    corpus = build_corpus(entry, entry.editions[0], members, raw=True)
    assert corpus.is_mail
    assert corpus.texts == ["Subject: caf\udce9\n\nFrom me\n", "Subject: x\n\n>From me\n"]


def test_only_mail_has_raw_messages() -> None:
    with pytest.raises(ValueError, match="20news has no raw messages: leave raw out"):
        load_corpus("20news", raw=True)


def test_the_mail_of_a_named_corpus_is_read_as_mail_unless_plain_text_is_wanted() -> None:
    plain = corpus_or_skip("spamassassin")
    corpus = open_corpus("spamassassin", quiet=True)
    assert (corpus.is_mail, plain.is_mail, len(corpus)) == (True, False, len(plain))
    assert corpus.class_counts == plain.class_counts
    assert sum(has_surrogates(text) for text in corpus.texts) == 500  # that are not UTF-8
    assert open_corpus("spamassassin", mail=False, quiet=True).texts == plain.texts


@pytest.mark.parametrize(("name", "expected"), [("spamassassin", True), ("enron-spam", False), ("20news", False)])
def test_real_folders_of_mail_and_of_articles_are_told_apart(tmp_path, name, expected) -> None:
    entry = find_entry(name)
    corpus_or_skip(name)
    _, members = find_members(entry, quiet=True)
    if len(members) < 400:
        pytest.skip("corpus not available with a file per document: the package index has tables")
    for i, member in enumerate(sorted(members)[:: len(members) // 400]):
        folder = tmp_path / name / Path(member).parent.as_posix().replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / str(i)).write_bytes(members[member])
    assert is_mail(str(tmp_path / name)) is expected
    assert [is_mail(str(folder)) for folder in (tmp_path / name).iterdir()].count(expected) >= 5
