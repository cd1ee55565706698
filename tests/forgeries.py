"""Forged model files with valid checksums: any model with some of its arrays and settings changed, by a seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from textnb.storage import open_model, write_model
from textnb.storage.header import DTYPES

EVIL = "\x1b[31m\u202e\x07<script>"
NUMBERS = [-1, 0, 1, 2, 3, 63, 64, 65, 255, 2**16, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**64 - 1]
FLOATS = [-1.0, -0.0, 0.0, 0.5, 1e-320, 1e-300, 1e300, 1e308, -1e308, float("inf"), float("-inf"), float("nan")]
DEEP: list[Any] = []
for _ in range(400):
    DEEP = [DEEP]
VALUES: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 5, 2**31, 2**63, 10**400, -(10**400), -1.5, 0.0, 0.5, 1e-320, 1e99, 1e308),
    *("", "a", EVIL, "a\0", "\ud800", "ham", "word", "char", "char_wb", "mail", "unicode", "english", "os.system"),
    *("counts", "binary", "tfidf", "multinomial", "complement", "bernoulli", "robinson", "nbsvm", "given", "token"),
    *("a" * 3000, "(", "a{4294967290}", "(?i)" + "[Ā-\U0010ffff]" * 400, "(?:a|aa)+$", "(?:(?:a{99}){99}){99}"),
    *([], {}, [1, 2], [1, 10**8], [1, 64], [64, 1], ["a", "b", "c"], [0.2, 0.3, 0.5], [None], DEEP, list(range(1000))),
    *({"more": 1}, [[]], ["ham", "ham", "spam"], [1e308] * 3, [-1.0, 1.0, 1.0], ["a" * 1000, "b", "c"]),
]

Content = tuple[dict[str, np.ndarray], dict[str, Any]]


def forgeries(models: list[Path], path: Path, seeds: range) -> Iterator[tuple[int, Path]]:
    """Write one forged file per seed to a path: each has the content of a model with one to three changes."""
    contents = [_content(model) for model in models]
    for seed in seeds:
        random = np.random.default_rng(seed)
        place = int(random.integers(len(models)))
        arrays, settings = contents[place][0].copy(), json.loads(contents[place][1])
        for _ in range(random.integers(1, 4)):
            if random.random() < 0.6:
                _change_an_array(random, arrays)
            else:
                _change_a_setting(random, settings)
        try:
            write_model(path, arrays, settings, reader=5)
        except (ValueError, OverflowError, RecursionError):  # no header can say so
            continue
        yield seed, models[place]


def _content(model: Path) -> tuple[dict[str, np.ndarray], str]:
    file = open_model(model)
    return {name: file.array(name) for name in file.names}, json.dumps(file.settings)


def _change_an_array(random: np.random.Generator, arrays: dict[str, np.ndarray]) -> None:
    name = str(random.choice(sorted(arrays)))
    change = CHANGES[int(random.integers(len(CHANGES)))]
    changed = change(random, arrays[name], arrays)
    if changed is None:
        del arrays[name]
    else:
        arrays[name] = np.ascontiguousarray(changed)


def _value_for(random: np.random.Generator, dtype: np.dtype) -> Any:
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return dtype.type(random.choice(FLOATS))
    return np.array(NUMBERS[int(random.integers(len(NUMBERS)))] % 2**64, dtype=np.uint64).astype(dtype)


def _set_some(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    changed = array.copy()
    if changed.size:
        at = random.integers(changed.size, size=random.integers(1, 4))
        changed.reshape(-1)[at] = _value_for(random, changed.dtype)
    return changed


def _fill(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    return np.full_like(array, _value_for(random, array.dtype))


def _step(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    changed = array.copy()
    if changed.size:
        changed.reshape(-1)[random.integers(changed.size)] += changed.dtype.type(1)
    return changed


def _swap_two(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    changed = array.copy()
    if len(changed):
        i, j = random.integers(len(changed), size=2)
        changed[[i, j]] = changed[[j, i]]
    return changed


def _xor(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    changed = array.copy()
    if changed.size:
        bits = changed.reshape(-1).view(np.uint8)
        bits[random.integers(len(bits))] ^= 1 << random.integers(8)
    return changed


def _as_another_type(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array.astype(DTYPES[str(random.choice(sorted(DTYPES)))])


def _of_no_rows(random: np.random.Generator, array: np.ndarray, _: Any) -> np.ndarray:
    shape = [(0, 2**29), (2**29, 0), (0, 2**40), (0,), (0, 0), (2**33, 0, 5)][int(random.integers(6))]
    return np.zeros(shape, dtype=array.dtype)


def _of_another(random: np.random.Generator, array: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
    return arrays[str(random.choice(sorted(arrays)))]


CHANGES: list[Callable[[np.random.Generator, np.ndarray, dict[str, np.ndarray]], np.ndarray | None]] = [
    *[_set_some] * 4,
    *[_step] * 2,
    *[_swap_two] * 2,
    _fill,
    _xor,
    _as_another_type,
    _of_no_rows,
    _of_another,
    lambda random, array, arrays: None,
    lambda random, array, arrays: array[::-1],
    lambda random, array, arrays: np.sort(array, axis=0),
    lambda random, array, arrays: array[: random.integers(len(array) + 1)],
    lambda random, array, arrays: np.concatenate([array, array]),
    lambda random, array, arrays: array[..., np.newaxis],
    lambda random, array, arrays: np.resize(array, (1 << 16, *array.shape[1:])),
]


def _change_a_setting(random: np.random.Generator, settings: dict[str, Any]) -> None:
    """Replace, drop or double a value somewhere in the settings."""
    holder, key = _place(random, settings)
    how = random.random()
    value = VALUES[int(random.integers(len(VALUES)))]
    if how < 0.1:
        del holder[key]
    elif how < 0.2 and isinstance(holder, list):
        holder.insert(key, value)
    elif how < 0.3 and isinstance(holder, dict):
        holder["more" if random.random() < 0.5 else str(value)[:20]] = value
    else:
        holder[key] = value


def _place(random: np.random.Generator, holder: Any) -> tuple[Any, Any]:
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = keys[int(random.integers(len(keys)))]
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.2:
            return holder, key
        holder = inner
