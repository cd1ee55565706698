"""One bit flipped anywhere, or a cut anywhere, and the file is refused."""

import numpy as np
import pytest
from storage.forge import in_child

from textnb.storage import ModelFileError, open_model, write_model


def refused(path, content, verify="all"):
    """Whether these bytes are refused, at the latest once everything was touched."""
    path.write_bytes(content)
    try:
        model = open_model(path, verify)
        for name in model.names:
            model.array(name)
    except ModelFileError as error:
        return str(path) in str(error)
    return False


def flipped(content, bit):
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return changed


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    path = tmp_path_factory.mktemp("damage") / "tiny.tnb"
    write_model(path, {"coef": np.array([1.5, 2.5]), "terms": np.frombuffer(b"abc", dtype=np.uint8)}, {"alpha": 1.0})
    return path.read_bytes()


@pytest.mark.parametrize("verify", ["all", "touched"])
def test_every_flipped_bit_is_refused(tmp_path, tiny, verify):
    path = tmp_path / "broken.tnb"
    assert not refused(path, tiny, verify)
    accepted = [bit for bit in range(len(tiny) * 8) if not refused(path, flipped(tiny, bit), verify)]
    assert accepted == []


@pytest.mark.parametrize("verify", ["all", "touched"])
def test_every_cut_and_every_addition_is_refused(tmp_path, tiny, verify):
    path = tmp_path / "broken.tnb"
    assert [size for size in range(len(tiny)) if not refused(path, tiny[:size], verify)] == []
    assert [size for size in range(len(tiny)) if not refused(path, tiny[size + 1 :], verify)] == []
    assert refused(path, tiny + b"\0", verify)
    assert refused(path, tiny + tiny, verify)


@pytest.mark.parametrize("seed", [0, 1])
def test_random_damage_to_a_mapped_file_never_ends_the_process(tmp_path, seed):
    path = tmp_path / f"broken{seed}.tnb"
    write_model(path, {"coef": np.random.default_rng(seed).random((9000, 20)), "intercept": np.zeros(20)}, {})
    content = path.read_bytes()
    assert len(content) > 1 << 20

    def batch():
        generator = np.random.default_rng(seed)
        for bit in generator.integers(0, len(content) * 8, 60).tolist():
            assert refused(path, flipped(content, bit), "all")
            assert refused(path, flipped(content, bit), "touched")
        for size in generator.integers(0, len(content), 40).tolist():
            assert refused(path, content[:size], "touched")

    assert in_child(batch) == 0
