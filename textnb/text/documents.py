"""What users pass as a collection of documents, made a plain iterable of documents or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

Item = TypeVar("Item")

BLOCK_CHARACTERS = 1 << 26  # of text counted at a time; the result does not depend on it
BATCH_CHARACTERS = 1 << 24  # of texts that are taken together; nor on this


def as_documents(texts: Any) -> Iterable[Any]:
    """Lists, arrays, columns of data frames, single-column tables and iterators of documents; not a lone string."""
    if isinstance(texts, str | bytes):
        raise ValueError(
            "Iterable over raw text documents expected, string object received. For one document, pass [text]."
        )
    shape = getattr(texts, "shape", None)
    if shape is None and hasattr(texts, "to_pylist"):  # pyarrow's columns would give scalars of their own
        return texts.to_pylist()
    if shape is not None and len(shape) == 2 and not hasattr(texts, "indptr"):
        if shape[1] != 1:
            raise ValueError(
                f"expected one column of documents, got a table of shape {tuple(shape)}; select one column"
            )
        return np.asarray(texts, dtype=object).ravel()
    if shape is not None and len(shape) != 1:
        raise ValueError(f"expected a list of documents, got an array of shape {tuple(shape)}")
    if not isinstance(texts, Iterable):
        raise ValueError(f"expected a list of documents, got {type(texts).__name__}")
    return texts


def as_strings(texts: Any, *, is_mail: bool = False) -> Iterator[str]:
    """What users pass as documents, each as a str: bytes are UTF-8; those of mail may be any, with surrogates for them.

    That is how `textnb.text.mail.as_message` reads a message, which has the encodings of its parts in itself. Messages
    are made canonical, so that whoever reads a message, it is the same document.
    """
    if not is_mail:
        return decoded(as_documents(texts))
    from textnb.text.mail.canonical import canonical  # which other text need not wait for

    return map(canonical, decoded(as_documents(texts), errors="surrogateescape"))


def decoded(documents: Iterable[Any], encoding: str = "utf-8", errors: str = "strict") -> Iterator[str]:
    """Every document as a str; what is no document is refused with its position."""
    for position, document in enumerate(documents):
        yield decode_document(document, position, encoding, errors)


def decode_document(document: Any, position: int | None, encoding: str, errors: str) -> str:
    where = "" if position is None else f"document {position}: "
    if isinstance(document, str):
        return document
    if isinstance(document, bytes | bytearray | memoryview):
        try:
            return bytes(document).decode(encoding, errors)
        except UnicodeDecodeError as error:
            reason = f"{error.reason} ({where}decode it first, or set encoding or decode_error)"
            raise UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason) from None
        except LookupError:
            raise ValueError(f"unknown encoding {encoding!r}") from None
    if document is None or (isinstance(document, float) and document != document):
        name = "None" if document is None else "np.nan"
        raise ValueError(
            f"{where}{name} is an invalid document, expected byte or unicode string. Drop it or use an empty string."
        )
    raise ValueError(f"{where}expected a string, got {type(document).__name__}: {document!r:.60}")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of up to `size` items; of texts, or of tuples with a text in the second place, not too large together."""
    batch: list[Item] = []
    characters = 0
    for item in items:
        batch.append(item)
        text: Any = item[1] if isinstance(item, tuple) else item
        characters += len(text) if isinstance(text, str) else 0
        if len(batch) == size or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def text_blocks(documents: Iterable[str]) -> Iterator[list[str]]:
    """Lists of documents of about BLOCK_CHARACTERS characters."""
    block: list[str] = []
    characters = 0
    for document in documents:
        block.append(document)
        characters += len(document)
        if characters >= BLOCK_CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block
