"""Tokenizers and stemmers by name, and patterns that cannot run away."""

import re
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text import tokenize
from textnb.text.tokenize import (
    DEFAULT_TOKEN_PATTERN,
    STEMMERS,
    TOKENIZERS,
    is_simple_pattern,
    named_stemmer,
    named_tokenizer,
    pattern_tokenizer,
)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("toktok", ["Don", "'", "t", "panic", ",", "it", "'", "s", "£", "5", "!"]),
        ("treebank", ["Do", "n't", "panic", ",", "it", "'s", "£5", "!"]),
        ("tweet", ["Don't", "panic", ",", "it's", "£", "5", "!"]),
        ("whitespace", ["Don't", "panic,", "it's", "£5!"]),
        ("wordpunct", ["Don", "'", "t", "panic", ",", "it", "'", "s", "£", "5", "!"]),
    ],
)
def test_tokenizers_by_name(name, tokens):
    assert named_tokenizer(name)("Don't panic, it's £5!") == tokens


def test_every_name_is_one_that_works():
    assert all(named_tokenizer(name)("a tale of two cities") for name in TOKENIZERS)
    assert all(isinstance(named_stemmer(name)("stories"), str) for name in STEMMERS)


def test_what_nltk_would_have_to_fetch_or_unpickle_is_never_looked_for(monkeypatch):
    import nltk.data

    def refuse(*arguments, **options):
        raise AssertionError(f"nltk looks for {arguments}")

    monkeypatch.setattr(nltk.data, "find", refuse)
    monkeypatch.setattr(nltk.data, "load", refuse)
    for name in TOKENIZERS:
        assert list(named_tokenizer(name)("Running, it wasn't 5 o'clock :)"))
    for name in STEMMERS:
        assert named_stemmer(name)("running")


def test_an_nltk_that_unpickles_is_not_accepted():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert "nltk>=3.9.3" in project["project"]["dependencies"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("porter", "stori"), ("lancaster", "story"), ("snowball", "stori"), ("snowball-english", "stori")],
)
def test_stemmers_by_name(name, stem):
    assert named_stemmer(name)("stories") == stem


def test_a_stemmer_of_another_language():
    assert named_stemmer("snowball-german")("häuser") == "haus"


def test_unknown_names_are_refused_with_those_there_are():
    with pytest.raises(
        ValueError, match=r"unknown tokenizer 'spacy'; choose one of punctuation, toktok, .*, or pass a callable"
    ):
        named_tokenizer("spacy")
    with pytest.raises(ValueError, match=r"unknown stemmer 'snowball-latin'; choose one of .*snowball-german"):
        named_stemmer("snowball-latin")


SIMPLE = [
    DEFAULT_TOKEN_PATTERN,
    "",
    ".",
    r"\w+",
    r"\S+",
    r"(\w+)",
    r"(?:\w+)",
    r"(?u)\b\w+\b",
    r"\b(\w+)\b",
    r"(?i)[a-z]+",
    r"\b[a-z]{2,}\b",
    r"\d{1,3}",
    r"#?\w+",
    r"\w+|[^\w\s]",
    r"[]+*(]+",
    r"\(\w+",
]
NOT_SIMPLE = [
    r"(a+)+$",  # nested
    r"(a|a)*",
    r"(a{1,64}){1,64}",
    r"a*a*b",  # doubled
    r"a{0,9}b{0,9}",
    "a?" * 30 + "a" * 30,  # optional, 2³⁰ ways
    "(?:a|a)" * 30 + "b",
    r"(a)\1",  # refers back
    r"(?P<letter>a)(?P=letter)",
    r"\w+x",  # fails at the end, and starts again at the next character
    r"a+$",
    r"[a-z]+\b",
    r"(?=a)\w+",
    "(?x)#[\n(a+)+$#]",  # a comment that hides what follows
    "(?#[)(a+)+$(?#])",
    r"\\b" * 400 + r"\w+",  # long
]


@pytest.mark.parametrize("pattern", SIMPLE)
def test_simple_patterns_are_recognised(pattern):
    assert is_simple_pattern(pattern)


@pytest.mark.parametrize("pattern", NOT_SIMPLE)
def test_patterns_that_may_backtrack_for_long_are_recognised(pattern):
    re.compile(pattern)
    assert not is_simple_pattern(pattern)


@pytest.mark.parametrize("pattern", SIMPLE)
@pytest.mark.parametrize("piece", ["a", "a ", "a1é", " ", "_\u0301", "((", "aaaab"])
def test_simple_patterns_take_linear_time(pattern, piece):
    started = time.perf_counter()
    pattern_tokenizer(pattern)(piece * 100_000 + "é\u0301!")
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(a+a+)+c"])
def test_a_pattern_that_runs_away_is_stopped(pattern, monkeypatch):
    monkeypatch.setattr(tokenize, "PATTERN_SECONDS", 0.1)
    text = "a" * 29 + "b" + "a" * 5000 + "b"
    started = time.perf_counter()
    with pytest.raises(ValueError, match=r"took longer than 0\.1 s on a document of 5031 characters that starts 'aaaa"):
        pattern_tokenizer(pattern)(text)
    assert time.perf_counter() - started < 2


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd", "Po", "Zs"])), st.sampled_from([r"\w+ ?\w+", r"[a-z]+\W+"]))
def test_both_engines_find_the_same_in_letters_and_digits(text, pattern):
    assert not is_simple_pattern(pattern)
    assert pattern_tokenizer(pattern)(text) == re.findall(pattern, text)


def test_the_group_of_a_pattern_is_what_counts():
    assert pattern_tokenizer(r"<(\w+)")("<a b <cd>") == ["a", "cd"]


def test_more_than_one_group_is_refused():
    with pytest.raises(ValueError, match="More than 1 capturing group in token pattern"):
        pattern_tokenizer(r"(\w)(\w)")


@pytest.mark.parametrize("pattern", ["(", "[a", "*", -1.0, "a{3,2}", "(" * 10_000 + ")" * 10_000])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(ValueError, match="is not a regular expression"):
        pattern_tokenizer(pattern)


def test_a_long_run_of_digits_is_no_attack():
    """nltk's pattern of phone numbers took 80 s for it, or gave up after 5 and took all other documents with it."""
    started = time.perf_counter()
    assert "".join(named_tokenizer("tweet")("call " + "1" * 150_000 + " now")) == "call" + "1" * 150_000 + "now"
    assert time.perf_counter() - started < 3


def test_a_tokenizer_that_gives_up_says_on_what(monkeypatch):
    """Its TimeoutError was taken for one of the operating system's."""

    def give_up(tokenizer, text):
        raise TimeoutError

    monkeypatch.setattr("nltk.tokenize.TweetTokenizer.tokenize", give_up)
    with pytest.raises(ValueError, match=r"'tweet' took longer .* document of 3 characters that starts 'abc'"):
        named_tokenizer("tweet")("abc")
