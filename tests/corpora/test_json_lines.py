"""Lines of JSON: two parsers that agree, and lines that are found as bytes."""

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textnb.corpora import json_lines
from textnb.corpora.decoding import STRAY_BYTES
from textnb.corpora.json_lines import json_records, parse_object
from textnb.corpora.problems import Problem
from textnb.corpora.rows import DEFAULT_OPTIONS, BadRow, decoded_lines

HOSTILE = [
    '{"text": "a", "label": NaN}',
    '{"text": "a", "label": "b", "more": [Infinity, -Infinity]}',
    '{"text": "lone \\ud800", "label": "\\udfff"}',
    '{"text": "turned round \\ude00\\ud83d", "label": "x", "\\ud800": 1}',
    '{"text": "a pair \\ud83d\\ude00", "label": "x"}',
    '{"text": "cut \\ud83d\\u0041", "label": "x"}',
    '{"text": "a byte \udc80", "label": "x"}',
    '{"text": "first", "text": "second", "label": 1, "label": 2}',
    '{"more": ' + "[" * 500 + "]" * 500 + ', "text": "a", "label": "b"}',
    '{"more": ' + "[" * 100_000 + "]" * 100_000 + ', "text": "a", "label": "b"}',
    '{"more": ' + '{"a":' * 100_000 + "1" + "}" * 100_000 + ', "text": "a", "label": "b"}',
    '{"text": "a", "label": ' + "1" * 40 + "}",
    '{"text": "a", "label": ' + "1" * 4300 + "}",
    '{"text": "a", "label": "b", "more": ' + "1" * 5000 + "}",
    '{"text": "a", "label": 1e400}',
    '{"text": "a", "label": -1e-400}',
    '{"text": "a", "label": 0.1000000000000000055511151231257827}',
    '{"text": "a", "label": -0}',
    '{"text": "a", "label": -0.0}',
    '{"text": "a", "label": 1E+2}',
    '{"text": "a", "label": null}',
    '{"text": "a", "label": true}',
    '{"text": "a", "label": ["b"]}',
    '{"text": ["a"], "label": "b"}',
    '{"text": "a\\u0000", "label": "b"}',
    '{"text": "a\x00", "label": "b"}',
    '{"text": "a\tb", "label": "b"}',
    '{"text": "a\x7f\u2028", "label": "b"}',
    '{"text": "\\q", "label": "b"}',
    '{"text": "\\u00g0", "label": "b"}',
    '{"text": "\\U00000041", "label": "b"}',
    '{"text": "a", "label": 01}',
    '{"text": "a", "label": .5}',
    '{"text": "a", "label": 1.}',
    '{"text": "a", "label": +1}',
    '{"text": "a", "label": 0x1}',
    '{"text": "a", "label": "b",}',
    '{"text": "a", "label": "b"} {}',
    '{"text": "a", "label": "b"',
    "{'text': 'a', 'label': 'b'}",
    '{"text": "a" "label": "b"}',
    '{"text": "a", /* no */ "label": "b"}',
    '\ufeff{"text": "a", "label": "b"}',
    '{"text":\x0b"a", "label": "b"}',
    '{"text":\u00a0"a", "label": "b"}',
    "{1: 2}",
    "[]",
    "null",
    "1",
    '"text"',
    "tru",
    "",
]


def read(line):
    """What a line gives, or why it gives nothing."""
    return [row for row, _ in json_records([line], DEFAULT_OPTIONS, "", lambda notice: None)]


def read_by_the_standard_library(line):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_quick_parser", lambda: lambda line: None)
        return read(line)


def test_msgspec_is_used_where_it_is_installed():
    pytest.importorskip("msgspec", reason="an extra")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_parsed", None)
        assert parse_object('{"a": "b"}') == {"a": "b"}


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: ascii(line)[1:40])
def test_both_parsers_read_hostile_lines_alike(line):
    pytest.importorskip("msgspec", reason="an extra")
    assert repr(read(line)) == repr(read_by_the_standard_library(line))


PIECES = ["{", "}", "[", "]", ":", ",", '"', "\\", "text", '"text"', '"label"', '"a"', "1", "-", ".", "e", "null", " "]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(st.sampled_from(PIECES) | st.characters(), max_size=20).map("".join)
    | st.builds(
        lambda text, label, more: json.dumps({"text": text, "label": label, "more": more}), st.text(), VALUES, VALUES
    )
)
def test_both_parsers_read_any_line_alike(line):
    pytest.importorskip("msgspec", reason="an extra")
    assert repr(read(line)) == repr(read_by_the_standard_library(line))


def test_without_a_quick_parser_the_reasons_are_the_same():
    with pytest.raises(BadRow, match="it is not JSON: Expecting"):
        parse_object('{"a": }')


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", "é".encode(), b"\xe9", b"\x80", b"\xe2\x82"])).map(b"".join)
)
@example(b"a\rb")
@example(b"a\r\nb\r\r\nc\r")
@example(b"\xe2\x82\na")
def test_lines_found_as_bytes_are_those_of_the_text(content):
    expected = list(io.TextIOWrapper(io.BytesIO(content), "utf-8", STRAY_BYTES, newline=""))
    assert list(decoded_lines(io.BufferedReader(io.BytesIO(content)), None)) == expected


def test_a_null_is_called_null() -> None:
    lines = ['{"text": "a", "label": "x"}', '{"text": null, "label": "x"}', '{"text": "b", "label": null}']
    problems = [row for row, _ in json_records(lines, DEFAULT_OPTIONS, "", print) if isinstance(row, Problem)]
    assert [problem.why for problem in problems] == ["its 'text' is null", "its 'label' is null"]
