"""Checked records: dataclasses to plain JSON and back, every field checked against its type.

A field that may be None and is None by default is left out of the JSON where it is None. All others must be there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")

_LARGEST = 1 << 62
_LONGEST = 1 << 20  # characters of a string


def to_json(value: Any) -> Any:
    """A record, or a value in one, in the types of JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        items = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: to_json(item) for field, item in items if not (item is None and field.default is None)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's
        return to_json(value.tolist())
    return value


def from_json(record: type[Record], value: Any, name: str = "") -> Record:
    """The record that `to_json` gave; a ValueError that names the field for anything else.

    What values mean together is for the record's own constructor.
    """
    types, required = _fields(record)  # type: ignore[arg-type]
    if not isinstance(value, dict) or not required <= value.keys() <= types.keys():
        raise ValueError(f"{name or record.__name__} must have {', '.join(types)}, and nothing else")
    prefix = f"{name}." if name else ""
    return record(**{key: _checked(types[key], item, prefix + key) for key, item in value.items()})


@cache
def _fields(record: type) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The types of a record's fields, and the names of those that must be there."""
    types, known = get_type_hints(record), fields(record)
    required = frozenset(field.name for field in known if field.default is not None)
    return {field.name: types[field.name] for field in known}, required


def _checked(kind: Any, value: Any, name: str) -> Any:
    """The value, if it is of a kind that an annotation names; lists become what the annotation says."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _first_that_fits(arguments, value, name)
    if origin is Literal:
        fits = isinstance(value, str) and value in arguments
    elif is_dataclass(kind):
        return from_json(kind, value, name)  # type: ignore[arg-type]
    elif origin in (list, tuple, frozenset):
        return _checked_items(origin, arguments, value, name)
    elif origin is dict:  # for another record to check
        fits = type(value) is dict
    elif kind is float:
        fits = type(value) in (int, float) and abs(value) <= sys.float_info.max
        value = float(value) if fits else value
    elif kind is int:
        fits = type(value) is int and abs(value) < _LARGEST
    elif kind is str:
        fits = type(value) is str and len(value) <= _LONGEST
    else:
        fits = type(value) is kind
    if not fits:
        raise wrong_value(name, value)
    return value


def normalized(record: type, value: Any) -> Any:
    """What `to_json` gives of the record that is read from this, which has one form for equal values."""
    return to_json(from_json(record, to_json(value)))


def _first_that_fits(kinds: tuple[Any, ...], value: Any, name: str) -> Any:
    if type(value) in kinds:  # a whole number stays one
        return _checked(type(value), value, name)
    reason = wrong_value(name, value)
    for kind in kinds:
        try:
            return _checked(kind, value, name)
        except ValueError as error:
            if is_dataclass(kind) or get_origin(kind) is not None:
                reason = error
    raise reason


def _checked_items(origin: Any, arguments: tuple[Any, ...], value: Any, name: str) -> Any:
    if not isinstance(value, list):
        raise wrong_value(name, value)
    if origin is tuple and Ellipsis not in arguments:
        if len(value) != len(arguments):
            raise ValueError(f"{name} has {len(value)} values, not {len(arguments)}")
        kinds = arguments
    else:
        kinds = (arguments[0],) * len(value)
    return origin(_checked(kind, item, name) for kind, item in zip(kinds, value, strict=True))


def wrong_value(name: str, value: Any) -> ValueError:
    return ValueError(f"{name} is {value!r:.60}")
