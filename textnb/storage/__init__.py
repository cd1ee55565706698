"""The model file: named arrays and settings in one file of the safetensors layout. It knows no estimator."""

from textnb.storage.header import ModelFileError
from textnb.storage.reader import LazyArray, ModelFile, open_model
from textnb.storage.writer import write_model

__all__ = ["LazyArray", "ModelFile", "ModelFileError", "open_model", "write_model"]
