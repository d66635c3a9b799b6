"""Frames as files to upload, and answers as frames. pandas, polars and pyarrow are imported where they are needed."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

Into = Literal["pandas", "polars", "arrow"]
#: A path, bytes, a binary file, a frame of pandas, polars or pyarrow, or rows as mappings.
Uploadable = Any

#: Rows of an iterator are kept in memory up to this size, and in a temporary file beyond it.
SPOOLED = 16 * 1024 * 1024


@dataclass(frozen=True)
class Source:
    """A file that can be sent more than once."""

    file: IO[bytes]
    name: str
    #: Columns whose cells are texts, whatever they look like.
    texts: Sequence[str]
    #: True where `file` was opened here.
    owned: bool


def to_polars(stream: bytes) -> Any:
    """polars has decimals of 38 digits; longer ones become texts, for which pyarrow is needed."""
    import polars

    try:
        import pyarrow
    except ImportError:
        return polars.read_ipc_stream(io.BytesIO(stream))
    table = pyarrow.ipc.open_stream(stream).read_all()
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_decimal256(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pyarrow.string()))
    return polars.from_arrow(table)


def from_arrow(stream: bytes, into: Into) -> Any:
    """Exact decimals, dates and nulls stay what they are in each of the three."""
    if into == "polars":
        return to_polars(stream)
    import pyarrow

    table = pyarrow.ipc.open_stream(stream).read_all()
    if into == "arrow":
        return table
    if into != "pandas":
        raise ValueError(f"into must be pandas, polars or arrow, not {into!r}")
    import pandas

    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def library_of(data: object) -> str:
    return type(data).__module__.split(".")[0]


def days_of(column: Any) -> Any:
    """Timestamps as days if all are midnights, in their time zone if they have one; otherwise as texts with the offset."""
    import pyarrow

    wall = pyarrow.compute.local_timestamp(column) if column.type.tz else column
    # Casting to a day cuts the time off, whether it is safe or not.
    days = wall.cast(pyarrow.date32(), safe=False)
    return days if days.cast(wall.type, safe=False).equals(wall) else column.cast(pyarrow.string())


def arrow_source(table: Any) -> Source:
    """Strings in quotes, nulls as empty fields, days as days, times as texts."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    texts: list[str] = []
    for place, field in enumerate(table.schema):
        column = table.column(place)
        kind = column.type
        if pyarrow.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
            kind = column.type
        if pyarrow.types.is_timestamp(kind):
            column = days_of(column)
        if pyarrow.types.is_duration(kind):
            raise TypeError(f"column {field.name!r} has durations; upload them as numbers of a unit, or as texts")
        if pyarrow.types.is_floating(kind):
            column = pyarrow.compute.if_else(pyarrow.compute.is_nan(column), None, column)
        if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
            texts.append(field.name)
        table = table.set_column(place, field.name, column)
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(SPOOLED))
    arrow_csv.write_csv(table, file)
    return Source(file, "data.csv", texts, owned=True)


def frame_source(data: Any) -> Source | None:
    """None: not a frame."""
    library = library_of(data)
    if library == "polars":
        return arrow_source((data.collect() if hasattr(data, "collect") else data).to_arrow())
    if library == "pandas" and hasattr(data, "columns"):
        import pyarrow
        import pyarrow.compute

        return arrow_source(pyarrow.Table.from_pandas(data, preserve_index=False))
    if library == "pyarrow":
        import pyarrow
        import pyarrow.compute

        return arrow_source(data if isinstance(data, pyarrow.Table) else pyarrow.Table.from_batches([data]))
    return None


def rows_source(rows: Iterator[Any]) -> Source:
    """Rows as mappings, the first of which names the columns."""
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(SPOOLED))
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    names: Sequence[str] | None = None
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {number} is a {type(row).__name__}; rows are mappings of names to values")
        if names is None:
            names = list(row)
            writer.writerow(names)
        unknown = [name for name in row if name not in names]
        if unknown:
            raise ValueError(f"row {number} has {unknown[0]!r}, which the first row lacks")
        writer.writerow([row.get(name) for name in names])
    if names is None:
        raise ValueError("there are no rows: the first one names the columns")
    text.detach()
    return Source(file, "data.csv", [], owned=True)


def source_of(data: Uploadable) -> Source:
    frame = frame_source(data)
    if frame is not None:
        return frame
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        return Source(path.open("rb"), path.name, [], owned=True)
    if isinstance(data, (bytes, bytearray, memoryview)):
        return Source(io.BytesIO(data), "data.csv", [], owned=True)
    if hasattr(data, "read"):
        if data.seekable():
            return Source(data, os.path.basename(str(getattr(data, "name", "data.csv"))), [], owned=False)
        data = iter(lambda: data.read(1 << 20), b"")
        return pieces_source(data)
    if isinstance(data, Iterable):
        return iterator_source(iter(data))
    raise TypeError(f"a {type(data).__name__} is no file, frame or iterator of rows")


def pieces_source(pieces: Iterable[bytes]) -> Source:
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(SPOOLED))
    for piece in pieces:
        file.write(piece)
    return Source(file, "data.csv", [], owned=True)


def iterator_source(items: Iterator[Any]) -> Source:
    """Pieces of a CSV file, or rows."""
    first = next(items, None)
    if first is None:
        raise ValueError("the iterator has neither rows nor pieces of a file")

    def all_items() -> Iterator[Any]:
        yield first
        yield from items

    return pieces_source(all_items()) if isinstance(first, bytes) else rows_source(all_items())
