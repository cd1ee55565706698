"""Files made to hurt: sealed with a correct checksum, so that only the checks behind it stand in the way."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from storage.forge import PREFIX, seal, split

from textnb.storage import ModelFileError, open_model, write_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "model.tnb"
    write_model(path, {"coef": np.arange(6.0).reshape(2, 3), "order": np.arange(3, dtype=np.int32)}, {"alpha": 1.0})
    return path


def edited(model, change):
    """The model with its header changed, and sealed again."""
    header, data = split(model)
    content = json.loads(header)
    change(content, content["__metadata__"])
    path = model.with_name("edited.tnb")
    path.write_bytes(seal(json.dumps(content, separators=(",", ":")).encode()) + data)
    return path


def replaced(model, old, new):
    """The model with bytes of its header replaced, and sealed again."""
    header, data = split(model)
    assert header.count(old) == 1
    path = model.with_name("replaced.tnb")
    path.write_bytes(seal(header.replace(old, new)) + data)
    return path


def test_sealing_again_is_not_what_is_refused(model):
    assert open_model(edited(model, lambda content, metadata: None)).array("coef")[1, 2] == 5
    path = edited(model, lambda content, metadata: metadata.update(settings='{"alpha":2.0}'))
    assert open_model(path).settings == {"alpha": 2.0}


@pytest.mark.parametrize("part", ["coef", "order", "__blocks__"])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dtype", "U8"),
        ("dtype", "BOOL"),
        ("dtype", ["F64"]),
        ("dtype", None),
        ("shape", [5]),
        ("shape", [2, 4]),
        ("shape", [-2, -3]),
        ("shape", [2.0, 3.0]),
        ("shape", [True, 6]),
        ("shape", [2**64, 2**64]),
        ("shape", [0, 2**70]),
        ("shape", [10**4000] * 8),
        ("shape", [1] * 70),
        ("shape", "23"),
        ("shape", None),
        ("data_offsets", [0, 40]),
        ("data_offsets", [8, 56]),
        ("data_offsets", [48, 0]),
        ("data_offsets", [-8, 40]),
        ("data_offsets", [0.0, 48.0]),
        ("data_offsets", [0, 2**63]),
        ("data_offsets", []),
        ("data_offsets", None),
        ("more", 1),
    ],
)
def test_a_wrong_record_is_refused(model, part, key, value):
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(edited(model, lambda content, metadata: content[part].update({key: value})), "touched")


@pytest.mark.parametrize("record", [None, 1, "F64", [], {}, {"dtype": "F64"}])
def test_a_record_that_is_none_is_refused(model, record):
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(edited(model, lambda content, metadata: content.update(coef=record)))


def drop(part):
    return lambda content, metadata: content.pop(part)


def reverse(content, metadata):
    content["coef"] = content.pop("coef")


def rename(content, metadata):
    content["z\x1b[31m"] = content.pop("order")
    metadata["checksums"] = metadata["checksums"].replace("order", "z\\u001b[31m")


def lend_to_the_table(content, metadata):
    content["__blocks__"].update(shape=[3], data_offsets=[48, 60])
    content["order"].update(shape=[2], data_offsets=[60, 68])


def sign_the_table(content, metadata):
    content["__blocks__"]["dtype"] = "I32"


def forget_checksums(content, metadata):
    metadata["checksums"] = "{}"


def number_the_versions(content, metadata):
    metadata["writer"] = '{"textnb":1}'


DROPS = [drop("coef"), drop("order"), drop("__blocks__")]
CHANGES = [reverse, rename, lend_to_the_table, sign_the_table, forget_checksums, number_the_versions]


@pytest.mark.parametrize("change", [*DROPS, *CHANGES])
def test_parts_that_do_not_belong_together_are_refused(model, change):
    with pytest.raises(ModelFileError, match="damaged") as caught:
        open_model(edited(model, change))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("key", ["checksums", "reader", "settings", "writer"])
@pytest.mark.parametrize(
    "value",
    [
        *(None, 1, {}, "", "0", "-1", "x", "[]", "1.0"),
        *('{"a":NaN}', '{"a":1e999}', '{"a":1,"a":1}', '{"b":1,"a":1}', '{"a": 1}'),
        '{"a":' + "9" * 5000 + "}",
        '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_wrong_metadata_are_refused(model, key, value):
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(edited(model, lambda content, metadata: metadata.update({key: value})), "touched")


@pytest.mark.parametrize("key", ["checksums", "reader", "settings", "writer"])
def test_missing_metadata_are_refused(model, key):
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(edited(model, lambda content, metadata: metadata.pop(key)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b',"order":', b',"coef":{},"order":'),  # a duplicate key
        (b',"order":', b', "order":'),
        (b',"order":', b',"\\u006frder":'),
        (b',"order":', b',"more":NaN,"order":'),
        (b',"order":', b',"more":' + b"9" * 5000 + b',"order":'),
        (b',"order":', b',"more":' + b"[" * 100_000 + b"]" * 100_000 + b',"order":'),
        (b',"order":', b',"more":' + b"[" * 100_000 + b',"order":'),
        (b',"order":', b',"\xff\xfe":0,"order":'),
        (b'"reader":"3"', b'"reader":"3","reader":"3"'),
        (b'"format":"3"', b'"format":"3"}'),
    ],
)
def test_text_that_we_would_not_write_is_refused(model, old, new):
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(replaced(model, old, new))


@pytest.mark.parametrize("extra", [b" " * 8, b"\n" + b" " * 7, b"\0" * 8])
def test_other_padding_is_refused(model, extra):
    header, data = split(model)
    path = model.with_name("padded.tnb")
    path.write_bytes(seal(header + extra) + data)
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(path)


def test_the_checksum_in_capitals_is_refused(model):
    content = bytearray(model.read_bytes())
    start = 8 + len(PREFIX)
    assert content[start : start + 64].upper() != content[start : start + 64]
    content[start : start + 64] = content[start : start + 64].upper()
    path = model.with_name("capitals.tnb")
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged"):
        open_model(path)


def test_a_newer_file_says_so(model):
    with pytest.raises(ModelFileError, match=r"newer textnb: needs reader version 6. Upgrade"):
        open_model(edited(model, lambda content, metadata: metadata.update(reader="6", format="6")))


def test_a_newer_format_that_this_reader_understands_is_read(model):
    path = edited(model, lambda content, metadata: metadata.update(format="4", remark="more"))
    assert open_model(path).settings == {"alpha": 1.0}


@hypothesis_settings(deadline=None)  # a busy disk is no failure
@given(content=st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "arbitrary.tnb"
    for start in (b"", (200).to_bytes(8, "little"), (200).to_bytes(8, "little") + PREFIX):
        path.write_bytes(start + content)
        with pytest.raises(ModelFileError, match=r"not a textnb model file|damaged"):
            open_model(path)


@pytest.mark.parametrize("length", [2**24, 2**31, 2**60, 2**63, 2**64 - 1])
def test_a_claimed_length_costs_no_memory(model, length):
    path = model.with_name("claim.tnb")
    path.write_bytes(length.to_bytes(8, "little") + model.read_bytes()[8:])
    os.truncate(path, 1 << 33)  # the claim could even be true: a file of holes
    tracemalloc.start()
    with pytest.raises(ModelFileError, match="not a textnb model file"):
        open_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    path.unlink()
    assert peak < 100_000


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(ModelFileError, match="not a regular file"):
            open_model(path)


def test_an_empty_file_is_no_model(tmp_path):
    (tmp_path / "empty.tnb").touch()
    with pytest.raises(ModelFileError, match="not a textnb model file"):
        open_model(tmp_path / "empty.tnb")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_model(tmp_path / "missing.tnb")


def test_no_descriptor_is_left_open(model):
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(5):
        open_model(model)
        with pytest.raises(ModelFileError):
            open_model(edited(model, drop("coef")))
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
