"""Make golden/format-1.tnb, the witness that files of format 1 stay readable. Run once, never again."""

from pathlib import Path

import numpy as np

from textnb.storage import write_model

PATH = Path(__file__).parent / "golden" / "format-1.tnb"
WRITER = {"textnb": "0.1.0", "unicode": "14.0.0"}
SETTINGS = {
    "classes": ["ham", "späm", "\ud83d alone"],
    "model": "complement",
    "alpha": 0.1,
    "ngrams": [1, 2],
    "calibrate": False,
    "stop_words": None,
    "nested": {"empty": {}, "large": 2**70, "quote": '"\\\x00'},
}
ARRAYS = {
    "coef": (np.arange(1800) / 8).reshape(600, 3),  # several blocks
    "counts": np.arange(12, dtype=np.int64).reshape(2, 3, 2) * 10**15,
    "hashes": np.array([0, 1, 2**64 - 1], dtype=np.uint64),
    "order": np.array([2, 0, -1], dtype=np.int32),
    "ranks": np.array([0, 2**32 - 1], dtype=np.uint32),
    "floats": np.array([np.nan, np.inf, -0.0, 1e-45], dtype=np.float32),
    "terms": np.frombuffer("aéb".encode(), dtype=np.uint8),
    "empty": np.zeros((0, 3)),
    "scalar": np.array(7.5),
}

if __name__ == "__main__":
    write_model(PATH, ARRAYS, SETTINGS, writer=WRITER)
