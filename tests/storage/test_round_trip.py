import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from storage import golden_format_1 as golden
from storage import golden_format_2, golden_format_3

from textnb.storage import open_model, write_model

DTYPES = ["uint8", "uint16", "float16", "int32", "int64", "uint32", "uint64", "float32", "float64"]
TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too
SETTINGS = st.dictionaries(
    TEXT,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda children: st.lists(children) | st.dictionaries(TEXT, children),
        max_leaves=10,
    ),
)
ARRAYS = st.dictionaries(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,20}", fullmatch=True),
    st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0))),
    max_size=5,
)


def assert_same(left: np.ndarray, right: np.ndarray) -> None:
    assert left.dtype == right.dtype
    assert left.shape == right.shape
    assert left.tobytes() == right.tobytes()


@hypothesis_settings(deadline=None)  # a busy disk is no failure
@given(ARRAYS, SETTINGS)
def test_what_is_written_is_read(tmp_path_factory, arrays, settings):
    path = tmp_path_factory.getbasetemp() / "round.tnb"
    write_model(path, arrays, settings)
    for verify in ("all", "touched"):
        model = open_model(path, verify)
        assert model.settings == settings
        assert model.names == sorted(arrays)
        for name, array in arrays.items():
            assert_same(model.array(name), array)
    written = path.read_bytes()
    assert model.nbytes == len(written)
    write_model(path, dict(reversed(arrays.items())), dict(reversed(settings.items())))
    assert path.read_bytes() == written


@hypothesis_settings(deadline=None)  # a busy disk is no failure
@given(ARRAYS, SETTINGS)
def test_safetensors_reads_it(tmp_path_factory, arrays, settings):
    path = tmp_path_factory.getbasetemp() / "foreign.tnb"
    write_model(path, arrays, settings)
    with safetensors.safe_open(path, framework="numpy") as opened:
        assert set(opened.keys()) == {*arrays, "__blocks__"}
        for name, array in arrays.items():
            assert_same(opened.get_tensor(name), array)


def test_large_files_are_mapped_read_only_and_aligned(tmp_path):
    path = tmp_path / "large.tnb"
    arrays = {"coef": np.random.default_rng(0).random((20_000, 20)), "letters": np.arange(7, dtype=np.uint8)}
    write_model(path, arrays, {})
    model = open_model(path)
    for name, array in arrays.items():
        assert_same(model.array(name), array)
        assert not model.array(name).flags.writeable
        assert not model.array(name).flags.owndata
        assert model.array(name).flags.aligned
    write_model(path, {name: model.array(name) for name in model.names}, {"over": "itself"})
    assert_same(model.array("coef"), arrays["coef"])
    assert_same(open_model(path).array("coef"), arrays["coef"])


def test_byte_order_and_strides_do_not_change_the_bytes(tmp_path):
    plain = np.arange(12.0).reshape(3, 4)
    write_model(tmp_path / "plain", {"x": plain}, {})
    for other in (plain.astype(">f8"), np.asfortranarray(plain), np.repeat(plain, 2, axis=0)[::2]):
        write_model(tmp_path / "other", {"x": other}, {})
        assert (tmp_path / "other").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize(
    ("path", "arrays"),
    [
        (golden.PATH, golden.ARRAYS),
        (golden_format_2.PATH, golden.ARRAYS),
        (golden_format_3.PATH, golden_format_3.ARRAYS),
    ],
)
def test_files_of_every_format_stay_readable(path, arrays):
    model = open_model(path)
    assert model.settings == golden.SETTINGS
    assert model.writer == golden.WRITER
    assert model.names == sorted(arrays)
    for name, array in arrays.items():
        assert_same(model.array(name), array)


def test_the_golden_file_rewrites_to_the_same_bytes(tmp_path):
    model, again = open_model(golden_format_3.PATH), tmp_path / "again.tnb"
    write_model(again, {name: model.array(name) for name in model.names}, model.settings, writer=model.writer)
    assert again.read_bytes() == golden_format_3.PATH.read_bytes()


def test_the_writer_is_recorded(tmp_path):
    import unicodedata

    write_model(tmp_path / "m.tnb", {}, {})
    assert open_model(tmp_path / "m.tnb").writer["unicode"] == unicodedata.unidata_version


@pytest.mark.parametrize(
    "settings",
    [
        {"x": float("nan")},
        {"x": float("inf")},
        {"x": (1, 2)},
        {1: "x"},
        {"x": {1: "x"}},
        {"x": {1, 2}},
        {"x": np.int64(1)},
        {"x": b"bytes"},
        {"x": 10**5000},
    ],
)
def test_settings_that_would_read_back_differently_are_refused(tmp_path, settings):
    with pytest.raises(ValueError, match="plain JSON"):
        write_model(tmp_path / "m.tnb", {}, settings)
    assert list(tmp_path.iterdir()) == []


def test_settings_nested_too_deeply_are_refused(tmp_path):
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(ValueError, match="plain JSON"):
        write_model(tmp_path / "m.tnb", {}, {"x": nested})


def test_settings_too_large_for_a_header_are_refused(tmp_path):
    with pytest.raises(ValueError, match="too large"):
        write_model(tmp_path / "m.tnb", {}, {"x": "y" * (1 << 24)})


@pytest.mark.parametrize(
    "dtype", ["bool", "complex128", "longdouble", "int16", "object", "U3", "datetime64[s]", "int8"]
)
def test_other_dtypes_are_refused(tmp_path, dtype):
    with pytest.raises(ValueError, match="dtype"):
        write_model(tmp_path / "m.tnb", {"x": np.zeros(3, dtype=dtype)}, {})


@pytest.mark.parametrize("name", ["", "__metadata__", "__blocks__", "é", "a b", "a\n", "a" * 101, "1"])
def test_names_that_could_clash_or_confuse_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="array name"):
        write_model(tmp_path / "m.tnb", {name: np.zeros(3)}, {})


def test_opening_imports_numpy_alone():
    program = (
        "import sys, textnb.storage; textnb.storage.open_model(sys.argv[1]); "
        "sys.exit(any(name in sys.modules for name in ('scipy', 'sklearn', 'importlib.metadata', 'unicodedata')))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program, golden.PATH], cwd=root).returncode == 0
