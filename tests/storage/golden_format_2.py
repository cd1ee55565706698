"""Make golden/format-2.tnb, the witness that files of format 2 stay readable. Run once, never again.

The layout is that of format 1; what a classifier keeps in it is not, and older versions must not read it.
PYTHONPATH=.:tests python tests/storage/golden_format_2.py
"""

from storage.golden_format_1 import ARRAYS, SETTINGS, WRITER
from storage.golden_format_1 import PATH as FIRST

from textnb.storage import write_model

PATH = FIRST.with_name("format-2.tnb")

if __name__ == "__main__":
    write_model(PATH, ARRAYS, SETTINGS, writer=WRITER)
