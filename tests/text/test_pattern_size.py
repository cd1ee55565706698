"""Patterns of a stranger's file: none that compiles for long, or into much memory."""

import pytest

from textnb.text.analyzer import Analyzer
from textnb.text.pattern_size import LONGEST_PATTERN, MOST_PARTS, check_pattern_size
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN

USUAL = [
    DEFAULT_TOKEN_PATTERN,
    r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    r"(?i)(?<![a-z])\p{L}{2,30}(?P<rest>\w{3,})?",
    r"[](){}]{3}|\({2}|[[:alpha:](]{2,}",
    f"a{{{MOST_PARTS - 1}}}b",
]
LARGE = [
    "(?:" + "a{60000}b?" * 80 + ")*z",  # took 1.3 GB
    "a{4294967290}",  # took 5.6 GB
    "(?:(?:a{100}b){100}c){100}",
    "(?:(?:a{1000}[)]b){1000}){1000}",
    "(?:a{,999}[(]b){999}",
    r"(?:a{999}\(b){999}",
]
HIDING = [
    "(?#[)a{100000}(?#])",
    "(?x)a{1 0 0 0 0 0 0}",
    "(?V1)(?:a{999}[[b](]){999}",
]


@pytest.mark.parametrize("pattern", USUAL)
def test_usual_patterns_are_not_large(pattern):
    check_pattern_size(pattern)
    Analyzer(token_pattern=pattern).check_storable()


@pytest.mark.parametrize("pattern", [*LARGE, *HIDING])
def test_repetitions_that_become_large_are_refused(pattern):
    with pytest.raises(ValueError, match="use smaller numbers"):
        check_pattern_size(pattern)


def test_long_patterns_are_refused():
    """3,000 sets of characters took a minute, since the case of each of their characters is looked up."""
    with pytest.raises(ValueError, match="up to 2,000 characters"):
        check_pattern_size("(?i)" + "[Ā-\U0010ffff]" * 3000)
    check_pattern_size("a" * LONGEST_PATTERN)
