"""Parquet, Arrow and Feather files, read a batch of rows at a time, and of them only the columns that are wanted."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO, Any, NamedTuple

from textnb.corpora.columns import found_columns
from textnb.corpora.decoding import STRAY_BYTES, LongLine, longest
from textnb.corpora.delimited import quoted_cell
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadRow, BadTable, Line, Note, ReadOptions, Record, checked_row

ROWS = 1024  # made Python's at a time
BATCH_BYTES = 1 << 26  # that a batch of rows has about
MAX_SCHEMA = 1 << 24  # bytes, and parts, of what a file says of itself
FEATHER_1 = b"FEA1"
ARROW_FILE = b"ARROW1"
DELIMITERS = {"csv": ",", "tsv": "\t"}


class Table(NamedTuple):
    """An open file: its schema, and its batches of the columns that are wanted."""

    schema: Any
    batches: Any  # of column names to batches


def parquet_records(file: IO[bytes], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows of a Parquet file, located by `place` and their number."""
    return _records(_parquet, file, options, place, note)


def arrow_records(file: IO[bytes], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    """The rows of an Arrow or a Feather file, located by `place` and their number."""
    return _records(_arrow, file, options, place, note)


def parquet_names(file: IO[bytes], encoding: str | None) -> list[str]:
    return _names(_parquet, file)


def arrow_names(file: IO[bytes], encoding: str | None) -> list[str]:
    return _names(_arrow, file)


def _names(open_table: Any, file: IO[bytes]) -> list[str]:
    pa = _pyarrow()
    try:
        return list(open_table(pa, file).schema.names)
    except Exception as error:
        raise _bad_table(pa, error) from error


def _records(open_table: Any, file: IO[bytes], options: ReadOptions, place: str, note: Note) -> Iterator[Record]:
    pa, number = _pyarrow(), 0
    try:
        table = open_table(pa, file)
        names = list(table.schema.names)
        options = found_columns(options, names, note)
        reader = _Rows(pa, table.schema, options, note)
        if reader.written:
            yield None, reader.line(reader.written, reader.written)
        for batch in table.batches(reader.names):
            for start in range(0, batch.num_rows, ROWS):
                for values in reader.rows(batch.slice(start, ROWS)):
                    number += 1
                    yield reader.record(f"{place}row {number}", values)
    except Exception as error:
        bad = _bad_table(pa, error)
        if bad is error and not (number and isinstance(bad, BadTable)):
            raise
        if not number:
            raise bad from error
        yield Problem(f"{place}the rest of the file", f"it cannot be read: {bad}"), None


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise BadTable(
            'it is read by pyarrow, which is not installed: pip install ".[arrow]" in the clone of textnb'
        ) from None
    return pyarrow


def _bad_table(pa: Any, error: Exception) -> Exception:
    """The error of a file that is damaged; any other as it is."""
    if isinstance(error, BadTable):
        return error
    if isinstance(error, MemoryError):
        return BadTable("it is damaged, or one batch of its rows does not fit in memory")
    is_of_system = isinstance(error, OSError) and error.errno is not None
    if isinstance(error, pa.ArrowException | UnicodeDecodeError | IndexError | OSError) and not is_of_system:
        return BadTable(f"it is damaged, or not what its name says: {' '.join(str(error).split())[:200]}")
    return error


def _parquet(pa: Any, file: IO[bytes]) -> Table:
    import pyarrow.parquet as pq

    limits = {"thrift_string_size_limit": MAX_SCHEMA, "thrift_container_size_limit": MAX_SCHEMA}
    schema = pq.ParquetFile(file, **limits).schema_arrow

    def batches(names: list[str]) -> Iterator[Any]:
        # A text that is repeated is kept once, as in the file: or a small file could hold gigabytes.
        texts = [name for name in names if _is_string(pa, schema.field(name).type)]
        opened = pq.ParquetFile(file, read_dictionary=texts, buffer_size=1 << 20, **limits)
        about = opened.metadata
        for group in range(about.num_row_groups):
            row_group = about.row_group(group)
            each = row_group.total_byte_size // max(row_group.num_rows, 1)
            if each > BATCH_BYTES:
                raise BadTable(f"its rows have {each:,} bytes on average, and each would have to fit in memory")
            n_rows = min(BATCH_BYTES // max(each, 1), 8 * ROWS)  # of columns, damaged files would not let us ask
            yield from opened.iter_batches(n_rows, row_groups=[group], columns=names, use_threads=False)

    return Table(schema, batches)


def _arrow(pa: Any, file: IO[bytes]) -> Table:
    start = file.read(len(ARROW_FILE))
    file.seek(0)
    if start.startswith(FEATHER_1):
        raise BadTable("it is of the first version of Feather: write it anew as .feather or .parquet")
    is_file = start == ARROW_FILE
    opened = partial(pa.ipc.open_file if is_file else pa.ipc.open_stream, file)
    schema = opened().schema

    def batches(names: list[str]) -> Iterator[Any]:
        file.seek(0)
        reader = opened(
            options=pa.ipc.IpcReadOptions(included_fields=list(map(schema.names.index, names)), use_threads=False)
        )
        some = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        for batch in some:
            batch.validate(full=True)  # or what it says of its own places in memory would be believed
            yield batch

    return Table(schema, batches)


class _Rows:
    """Rows of batches as records: their texts, labels and further columns, and how they are written."""

    def __init__(self, pa: Any, schema: Any, options: ReadOptions, note: Note) -> None:
        self.pa, self.options = pa, options
        label = options.label if options.label in schema.names else None
        chosen = [name for name in (options.text, label, *options.more) if name is not None]
        self.written = _written(pa, schema, options, note)
        self.names = list(dict.fromkeys([*chosen, *self.written]))
        for name in chosen:
            _check_type(pa, name, schema.field(name).type, is_text=name == options.text)
        self.label = label
        self.class_names = {} if label is None else _class_names(schema, note)
        self.delimiter = DELIMITERS.get(options.written_as or "")

    def rows(self, batch: Any) -> Iterator[dict[str, Any]]:
        columns = [_values(self.pa, batch.column(name)) for name in self.names]
        return (dict(zip(self.names, values, strict=True)) for values in zip(*columns, strict=True))

    def record(self, where: str, values: dict[str, Any]) -> Record:
        options, line = self.options, None
        if self.written:
            shown = {name: self._shown(name, values[name]) for name in self.written}
            line = self.line(shown.values(), shown)
        try:
            text = "" if options.text is None else values[options.text] or ""
            if isinstance(text, LongLine):
                raise BadRow(text.why)
            label = "" if self.label is None else self._label(values[self.label])
            cells = [_as_text(self._shown(name, values[name])) for name in options.more]
            return checked_row(where, text, label, options, cells), line
        except BadRow as error:
            return Problem(where, str(error)), line

    def line(self, values: Any, cells: Any) -> Line:
        """A row as a line of the table that is written."""
        if self.delimiter is None:
            named = {name: _or_null(cells[name]) for name in cells} if isinstance(cells, dict) else None
            return Line("" if named is None else json.dumps(named, default=str), cells)
        texts = [_as_text(value) for value in values]
        return Line(self.delimiter.join(quoted_cell(text, self.delimiter) for text in texts), texts, self.delimiter)

    def _label(self, value: Any) -> str:
        shown = self._shown(self.label, value)
        if isinstance(shown, int) and not isinstance(shown, bool) and self.label in self.class_names:
            raise BadRow(f"its {self.label!r} is {value}, which stands for no class")
        return _as_text(shown)

    def _shown(self, name: str | None, value: Any) -> Any:
        """A value, or the name of the class that it is the number of."""
        names = self.class_names.get(name or "")
        if names is not None and isinstance(value, int) and 0 <= value < len(names):
            return names[value]
        return value


def _written(pa: Any, schema: Any, options: ReadOptions, note: Note) -> list[str]:
    """The columns of the rows that are written: those of plain values."""
    if options.written_as is None:
        return []
    if len(set(schema.names)) < len(schema.names):
        raise BadTable("it has two columns of one name, which cannot be told apart where they are written")
    is_left_out = [pa.types.is_nested(field.type) or _is_binary(pa, field.type) for field in schema]
    left_out = [field.name for field, out in zip(schema, is_left_out, strict=True) if out]
    if left_out:
        note(f"the columns {', '.join(map(repr, left_out))} are no plain values, and are not written")
    return [name for name in schema.names if name not in left_out]


def _check_type(pa: Any, name: str, type: Any, *, is_text: bool) -> None:
    own = type.value_type if pa.types.is_dictionary(type) else type
    if is_text and not _is_string(pa, own):
        raise BadTable(f"its column {name!r} has no texts, it is of the type {own}: choose another by --text")
    if pa.types.is_nested(own) or _is_binary(pa, own):
        raise BadTable(f"its column {name!r} has neither strings nor numbers, it is of the type {own}")


def _is_string(pa: Any, type: Any) -> bool:
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def _is_binary(pa: Any, type: Any) -> bool:
    own = type.value_type if pa.types.is_dictionary(type) else type
    checks = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(check(own) for check in checks)


def _values(pa: Any, column: Any) -> list[Any]:
    """The values of a column; those of a dictionary are made once each."""
    if not pa.types.is_dictionary(column.type):
        return _plain_values(column)
    indices = column.indices.to_pylist()
    values = {index: None if index is None else _value(column.dictionary[index]) for index in set(indices)}
    return [values[index] for index in indices]


def _plain_values(column: Any) -> list[Any]:
    if column.nbytes > longest(is_packed=True):  # one of them may be too long
        return list(map(_value, column))
    try:
        return column.to_pylist()
    except UnicodeDecodeError:
        return list(map(_value, column))


def _value(scalar: Any) -> Any:
    """A value as Python has it; as in other tables, bytes that are no UTF-8 are read as Windows-1252."""
    if hasattr(scalar, "as_buffer") and scalar.is_valid and scalar.as_buffer().size > (most := longest(is_packed=True)):
        return LongLine.of(most)
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return bytes(scalar.as_buffer()).decode("utf-8", STRAY_BYTES)


def _or_null(value: Any) -> Any:
    """A value, or null for NaN and infinities, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _as_text(value: Any) -> str:
    """A string as it is, null and NaN as the empty one, a number or true or false as JSON writes it."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    return json.dumps(value) if isinstance(value, bool | int | float) else str(value)


def _class_names(schema: Any, note: Note) -> dict[str, Sequence[str]]:
    """The names of the classes that the integers of a column stand for, as Hugging Face's files have them."""
    about = (schema.metadata or {}).get(b"huggingface")
    if about is None:
        return {}
    try:
        features = json.loads(about)["info"]["features"]
        named = {name: feature["names"] for name, feature in features.items() if "names" in feature}
        if not all(isinstance(name, str) for names in named.values() for name in names):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        note("what it says of its classes is damaged, and not read")
        return {}
    return named
