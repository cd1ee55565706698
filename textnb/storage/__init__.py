"""The model file: named arrays and settings in one file of the safetensors layout. It knows no estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb import lazy_names

if TYPE_CHECKING:
    from textnb.storage.header import ModelFileError
    from textnb.storage.reader import LazyArray, ModelFile, open_model
    from textnb.storage.writer import write_model

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "LazyArray": "textnb.storage.reader",
        "ModelFile": "textnb.storage.reader",
        "ModelFileError": "textnb.storage.header",
        "open_model": "textnb.storage.reader",
        "write_model": "textnb.storage.writer",
    },
)

__all__ = ["LazyArray", "ModelFile", "ModelFileError", "open_model", "write_model"]
