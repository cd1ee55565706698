"""Make golden/format-3.tnb, the witness that files of format 3 stay readable. Run once, never again.

The layout is that of formats 1 and 2, with one more type of numbers.
PYTHONPATH=.:tests python tests/storage/golden_format_3.py
"""

import numpy as np
from storage.golden_format_1 import ARRAYS as OLD_ARRAYS
from storage.golden_format_1 import PATH as FIRST
from storage.golden_format_1 import SETTINGS, WRITER

from textnb.storage import write_model

PATH = FIRST.with_name("format-3.tnb")
ARRAYS = OLD_ARRAYS | {"narrow": np.array([0, 1, 2**16 - 1], dtype=np.uint16)}

if __name__ == "__main__":
    write_model(PATH, ARRAYS, SETTINGS, writer=WRITER)
