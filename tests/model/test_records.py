"""Records: what is written is read back, and everything else is refused by the name of its field."""

import json
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.model.calibration import Calibration
from textnb.model.records import from_json, normalized, to_json


@dataclass(frozen=True)
class Inner:
    """A record in a record."""

    count: int
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"count is {self.count}")


@dataclass(frozen=True, kw_only=True)
class Outer:
    """A field of every kind."""

    kind: Literal["a", "b"] = "a"
    name: str
    flag: bool
    number: int | float
    pair: tuple[int, int]
    weights: tuple[float, ...]
    words: frozenset[str] | None = None
    inner: Inner | None = None
    several: tuple[Inner, ...] = field(default=())
    anything: dict[str, object] = field(default_factory=dict)


finite = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(2**62) + 1, 2**62 - 1)
inners = st.builds(Inner, st.integers(0, 2**62 - 1), finite)
outers = st.builds(
    Outer,
    kind=st.sampled_from(["a", "b"]),
    name=st.text(),
    flag=st.booleans(),
    number=whole | finite,
    pair=st.tuples(whole, whole),
    weights=st.lists(finite, max_size=3).map(tuple),
    words=st.none() | st.frozensets(st.text(max_size=3), max_size=3),
    inner=st.none() | inners,
    several=st.lists(inners, max_size=2).map(tuple),
)


@given(outers)
def test_what_is_written_is_read_back(record):
    again = from_json(Outer, json.loads(json.dumps(to_json(record))))
    assert again == record
    assert type(again.number) is type(record.number)
    assert normalized(Outer, record) == to_json(record)


def test_what_is_none_by_default_is_left_out_and_nothing_else_may_be():
    stored = to_json(Outer(name="x", flag=True, number=1, pair=(1, 2), weights=()))
    assert "words" not in stored and "inner" not in stored
    for name in stored:
        with pytest.raises(ValueError, match="Outer must have kind, name"):
            from_json(Outer, {key: value for key, value in stored.items() if key != name})
    assert from_json(Outer, stored | {"words": None}).words is None


def test_numbers_of_numpy_become_plain_ones():
    stored = to_json(Outer(name="x", flag=np.True_, number=np.int64(3), pair=np.array([1, 2]), weights=[np.float32(2)]))
    assert json.loads(json.dumps(stored)) == stored
    assert from_json(Outer, stored).pair == (1, 2)


def test_whole_numbers_serve_as_floats_in_one_form():
    assert normalized(Calibration, {"temperature": 1, "length_exponent": 0, "offsets": [1]}) == {
        "temperature": 1.0,
        "length_exponent": 0.0,
        "offsets": [1.0],
    }
    assert type(from_json(Inner, {"count": 1, "share": 2}).share) is float


GOOD = {"kind": "a", "name": "x", "flag": True, "number": 1, "pair": [1, 2], "weights": [0.5]}
GOOD |= {"words": ["a"], "inner": {"count": 1, "share": 0.5}, "several": [], "anything": {}}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kind", ["c", None, 1, ["a"], "a\0"]),
        ("name", [None, 5, ["x"], "x" * ((1 << 20) + 1)]),
        ("flag", [None, 1, 0.0, "yes"]),
        ("number", [None, True, "1", [1], 2**62, -(2**62), float("inf"), float("nan")]),
        ("pair", [None, [], [1], [1, 2, 3], [1, 2.0], [1, True], "12", {"1": 2}]),
        ("weights", [None, 0.5, ["a"], [[0.5]], [True], [10**400], [float("nan")]]),
        ("words", ["a", 5, [5], [["a"]], {"a": 1}]),
        ("inner", [5, [], {}, {"count": 1}, {"count": 1, "share": 0.5, "more": 1}, {"count": -1, "share": 0.5}]),
        ("several", [None, {}, [None], [{}], [{"count": 1.5, "share": 0.5}]]),
        ("anything", [None, [], "x"]),
    ],
)
def test_a_value_of_another_kind_is_refused_by_name(name, values):
    from_json(Outer, GOOD)
    for value in values:
        with pytest.raises(ValueError, match=rf"^({name}|count) ?(\.|is|has|must have)"):
            from_json(Outer, GOOD | {name: value})


@pytest.mark.parametrize("value", [None, 5, "record", [], {}, GOOD | {"more": 1}])
def test_what_is_no_such_record_is_refused(value):
    with pytest.raises(ValueError, match=r"Outer must have kind, name, .*, and nothing else"):
        from_json(Outer, value)


def test_every_field_is_tried_here():
    assert GOOD.keys() == {part.name for part in fields(Outer)}
