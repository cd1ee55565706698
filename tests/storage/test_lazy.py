"""What `verify="touched"` promises: what is used was checked, and nothing else need be whole."""

import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from textnb.storage import ModelFileError, open_model, reader, write_model
from textnb.text.terms import Terms

ARRAYS = {
    "narrow": np.arange(3000, dtype=np.int64),
    "rows": np.arange(3000.0).reshape(500, 6),
    "wide": np.arange(60_000, dtype=np.int32).reshape(10, 6000),  # a row takes six blocks
    "none": np.zeros((5, 0)),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("lazy") / "model.tnb"
    write_model(path, ARRAYS, {})
    return path


def damage(path, name, byte, bit=0):
    """Flip a bit of one array in the file."""
    content = bytearray(path.read_bytes())
    place = content.index(ARRAYS[name].tobytes()) + byte
    content[place] ^= 1 << bit
    broken = path.with_name("broken.tnb")
    broken.write_bytes(content)
    return broken


@hypothesis_settings(deadline=None)  # a busy disk is no failure
@given(st.data())
def test_rows_are_those_of_numpy(path, data):
    name = data.draw(st.sampled_from(sorted(ARRAYS)))
    size = len(ARRAYS[name])
    model = open_model(path, "touched")
    rows = st.integers(-size, size - 1)
    indices = data.draw(hnp.arrays(st.sampled_from(["i4", "i8"]), st.integers(0, 9), elements=rows))
    assert np.array_equal(model.rows(name, indices), ARRAYS[name][indices])
    cut = data.draw(st.slices(size))
    assert np.array_equal(model.lazy(name)[cut], ARRAYS[name][cut])


def test_rows_are_copies_and_arrays_are_views(path):
    model = open_model(path, "touched")
    assert model.rows("rows", np.array([1, 2])).flags.writeable
    assert not model.array("rows").flags.writeable
    assert not np.asarray(model.lazy("rows")).flags.owndata


@pytest.mark.parametrize("index", [500, -501])
def test_a_row_out_of_range_is_an_index_error(path, index):
    with pytest.raises(IndexError):
        open_model(path, "touched").rows("rows", np.array([index]))


@pytest.mark.parametrize("name", ["narrow", "rows", "wide"])
def test_damage_is_met_where_it_is_touched_and_nowhere_else(path, name):
    array = ARRAYS[name]
    row_bytes = array.nbytes // len(array)
    for row in (0, len(array) // 2, len(array) - 1):
        for byte in (0, row_bytes - 1):
            broken = damage(path, name, row * row_bytes + byte)
            with pytest.raises(ModelFileError, match=rf"broken.tnb' is damaged: array '{name}'"):
                open_model(broken)
            with pytest.raises(ModelFileError, match="block"):
                open_model(broken, "touched").rows(name, np.array([row]))
            with pytest.raises(ModelFileError, match="block"):
                open_model(broken, "touched").lazy(name)[row : row + 1]
            with pytest.raises(ModelFileError, match="block"):
                open_model(broken, "touched").array(name)
            far = (row + len(array) // 2) % len(array)
            model = open_model(broken, "touched")
            assert np.array_equal(model.rows(name, np.array([far])), array[[far]])
            for other in ARRAYS.keys() - {name}:
                assert np.array_equal(model.array(other), ARRAYS[other])


def test_damage_is_reported_each_time(path):
    model = open_model(damage(path, "rows", 0), "touched")
    for _ in range(2):
        with pytest.raises(ModelFileError):
            model.rows("rows", np.array([0]))


@hypothesis_settings(deadline=None)  # a busy disk is no failure
@given(st.lists(st.integers(-10, 3010)))
def test_searching_is_numpys(path, values):
    values = np.array(values, dtype=np.int64)
    found = open_model(path, "touched").lazy("narrow").searchsorted(values)
    assert np.array_equal(found, np.searchsorted(ARRAYS["narrow"], values))


@pytest.mark.parametrize("place", [0, 510, 511, 512, 513, 1499, 2999])
@pytest.mark.parametrize("bit", [0, 1, 9, 63])
def test_a_search_that_damage_misled_is_refused(path, place, bit):
    """512 values are a block: next to its edges, one of the two neighbours lies in another."""
    broken = damage(path, "narrow", place * 8 + bit // 8, bit % 8)
    refused = 0
    for value in (*range(1030), *range(1490, 1510), *range(2990, 3000)):
        try:
            found = open_model(broken, "touched").lazy("narrow").searchsorted(np.array([value]))
        except ModelFileError:
            refused += 1
        else:
            assert found.tolist() == [value]
    assert refused > 1


def test_a_block_is_checked_once(path, monkeypatch):
    checked = []
    monkeypatch.setattr(reader, "crc32", lambda data: checked.append(data) or zlib.crc32(data))
    model = open_model(path, "touched")
    for _ in range(2):
        model.rows("rows", np.array([0, 1, 499]))
        assert len(checked) == 2
    model.array("rows")
    assert len(checked) == 6
    open_model(path, "all").array("rows")
    assert len(checked) == 6


def test_a_flipped_bit_never_misleads_a_lookup(tmp_path):
    """The binary search reads blocks unchecked: what it finds must still be right, or refused."""
    terms = sorted({f"term{number * 7919 % 100_003}" for number in range(3000)})
    arrays = Terms.of(terms).arrays()
    write_model(tmp_path / "m.tnb", arrays, {})
    intact = (tmp_path / "m.tnb").read_bytes()
    wanted = [*terms[::100], "absent", ""]
    expected = [*range(0, len(terms), 100), -1, -1]
    generator = np.random.default_rng(0)
    refused = 0
    for array in arrays.values():
        start = intact.index(array.tobytes())
        for bit in generator.integers(0, array.nbytes * 8, 60).tolist():
            content = bytearray(intact)
            content[start + bit // 8] ^= 1 << bit % 8
            (tmp_path / "broken.tnb").write_bytes(content)
            model = open_model(tmp_path / "broken.tnb", "touched")
            try:
                found = Terms(*(model.lazy(part) for part in arrays)).find(wanted)
            except ModelFileError:
                refused += 1
            else:
                assert found.tolist() == expected
    assert refused > 100


def test_a_lookup_reads_little_of_a_large_file(tmp_path):
    terms = [f"{number:07}" for number in range(200_000)]
    write_model(tmp_path / "m.tnb", {**Terms.of(terms).arrays(), "coef": np.ones((200_000, 20))}, {})
    tracemalloc.start()
    model = open_model(tmp_path / "m.tnb", "touched")
    found = Terms(*(model.lazy(name) for name in ("terms", "offsets", "hashes", "order"))).find(["0123456", "x"])
    assert model.rows("coef", found[:1]).tolist() == [[1.0] * 20]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.tolist() == [123456, -1]
    assert peak < 200_000


def test_a_missing_array_is_named(path):
    with pytest.raises(ModelFileError, match="no array 'coefs'"):
        open_model(path).array("coefs")


def test_verify_has_two_values(path):
    with pytest.raises(ValueError, match="'all' or 'touched'"):
        open_model(path, "none")
