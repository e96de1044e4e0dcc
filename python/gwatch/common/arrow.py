"""Slices as Arrow tables, for pandas, Polars, DuckDB and Spark.

Needs ``pip install gwatch[arrow]``. One row a slice. Columns that the core holds already are used
in place; texts are dictionaries.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gwatch import PRODUCER, libpygwatch
from gwatch.errors import FileError, UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

ROWS_A_GROUP = 1_000_000
"""Rows that are in memory at a time while a file is written."""


def to_arrow(trace: libpygwatch.Trace) -> pa.Table:
    """All slices of all runs as one table; docs/export.md lists its columns."""
    pa = _pyarrow()
    schema = _schema(pa)
    batches = [
        _batch(pa, schema, trace, number, 0, len(run.slices))
        for number, run in enumerate(trace.runs)
        # Arrow ends the process at a buffer without memory, which an empty column may be.
        if len(run.slices) > 0
    ]
    return pa.Table.from_batches(batches, schema)


def marks_to_arrow(trace: libpygwatch.Trace) -> pa.Table:
    """All marks of all runs as one table; docs/export.md lists its columns."""
    pa = _pyarrow()
    schema = _mark_schema(pa)
    return pa.Table.from_batches(list(_mark_batches(pa, schema, trace)), schema)


def to_pandas(trace: libpygwatch.Trace) -> pd.DataFrame:
    """The table of :func:`to_arrow` as a pandas DataFrame; texts are categories."""
    if importlib.util.find_spec("pandas") is None:
        raise _missing("pandas")
    return to_arrow(trace).unify_dictionaries().to_pandas()


def to_polars(trace: libpygwatch.Trace) -> pl.DataFrame:
    """The table of :func:`to_arrow` as a Polars DataFrame."""
    try:
        import polars
    except ImportError as error:
        raise _missing("polars") from error
    return polars.DataFrame(to_arrow(trace))


def write_parquet(trace: libpygwatch.Trace, path: str, marks: bool = False) -> None:
    """Write the table of :func:`to_arrow` to a Parquet file, piece by piece.

    With ``marks`` it is the table of :func:`marks_to_arrow`.

    Raises:
        UsageError: pyarrow is not installed.
        FileError: the file cannot be written.
    """
    pa = _pyarrow()
    import pyarrow.parquet as pq

    schema = _mark_schema(pa) if marks else _schema(pa)
    schema = schema.with_metadata({"producer": PRODUCER, "title": trace.title})
    batches = _mark_batches(pa, schema, trace) if marks else _pieces(pa, schema, trace)
    try:
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
    except OSError as error:
        raise FileError(
            f"cannot write {path}: {error}",
            hint="Check that the path exists and that you may use it.",
        ) from error


def _pieces(pa: Any, schema: pa.Schema, trace: libpygwatch.Trace) -> Iterator[pa.RecordBatch]:
    libpygwatch.begin_progress(sum(len(run.slices) for run in trace.runs))
    for number, run in enumerate(trace.runs):
        for first in range(0, len(run.slices), ROWS_A_GROUP):
            end = min(first + ROWS_A_GROUP, len(run.slices))
            yield _batch(pa, schema, trace, number, first, end)
            libpygwatch.advance_progress(end - first)


def _mark_batches(pa: Any, schema: pa.Schema, trace: libpygwatch.Trace) -> Iterator[pa.RecordBatch]:
    for number, run in enumerate(trace.runs):
        rows = len(run.marks)
        if not rows:
            continue
        columns = _run_columns(pa, run, number, rows)
        columns |= _lane_columns(pa, libpygwatch.SliceRows.of_marks(run))
        columns["time_ns"] = columns.pop("end_ns")
        columns |= _scope_columns(pa, run, run.marks.scope)
        columns["thread_mask"] = _in_place(pa, pa.uint32(), run.marks.mask)
        columns |= _payload_columns(pa, schema, libpygwatch.PayloadRows.of_marks(run), rows)
        yield pa.record_batch([columns[name] for name in schema.names], schema)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise _missing("pyarrow") from error
    return pyarrow


def _missing(package: str) -> UsageError:
    hint = "pip install 'gwatch[arrow]'" if package == "pyarrow" else f"pip install {package}"
    return UsageError(f"this needs the package {package}", hint=hint)


def _schema(pa: Any) -> pa.Schema:
    text = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("run", pa.int32()),
            ("kernel", text),
            ("device", text),
            ("device_index", pa.uint32()),
            ("host", text),
            ("rank", pa.uint32()),
            ("run_start_globaltimer_ns", pa.uint64()),
            ("block", pa.uint64()),
            ("block_x", pa.uint32()),
            ("block_y", pa.uint32()),
            ("block_z", pa.uint32()),
            ("warp", pa.uint32()),
            ("sm", pa.uint32()),
            ("cluster_rank", pa.uint32()),
            ("scope_id", pa.int32()),
            ("scope", text),
            ("source", text),
            ("depth", pa.uint16()),
            ("thread_mask", pa.uint32()),
            ("start_ns", pa.int64()),
            ("end_ns", pa.int64()),
            ("duration_ns", pa.int64()),
            ("payload_kind", text),
            ("payload_int", pa.int64()),
            ("payload_uint", pa.uint64()),
            ("payload_float", pa.float64()),
        ]
    )


def _mark_schema(pa: Any) -> pa.Schema:
    only_of_slices = ("depth", "end_ns", "duration_ns")
    fields = [field for field in _schema(pa) if field.name not in only_of_slices]
    return pa.schema([f.with_name("time_ns") if f.name == "start_ns" else f for f in fields])


def _batch(
    pa: Any, schema: pa.Schema, trace: libpygwatch.Trace, number: int, first: int, end: int
) -> pa.RecordBatch:
    """The slices [first, end) of one run."""
    run = trace.runs[number]
    columns = _run_columns(pa, run, number, end - first)
    columns |= _lane_columns(pa, libpygwatch.SliceRows(run, first, end))
    columns |= _scope_columns(pa, run, run.slices.scope[first:end])
    columns |= _slice_columns(pa, run, first, end)
    payloads = libpygwatch.PayloadRows(run, first, end)
    columns |= _payload_columns(pa, schema, payloads, end - first)
    return pa.record_batch([columns[name] for name in schema.names], schema)


def _run_columns(pa: Any, run: libpygwatch.Run, number: int, rows: int) -> dict[str, Any]:
    """Columns of one value."""
    launch = run.launch
    indices = pa.Array.from_buffers(pa.int32(), rows, [None, pa.py_buffer(bytes(4 * rows))])

    def text(value: str | None) -> Any:
        if value is None:
            return pa.nulls(rows, pa.dictionary(pa.int32(), pa.string()))
        return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))

    def repeat(value: int | None, type_: Any) -> Any:
        return pa.nulls(rows, type_) if value is None else pa.repeat(pa.scalar(value, type_), rows)

    return {
        "run": repeat(number + 1, pa.int32()),
        "kernel": text(launch.kernel_demangled or launch.kernel),
        "device": text(launch.device),
        "device_index": repeat(launch.device_index, pa.uint32()),
        "host": text(launch.host),
        "rank": repeat(launch.rank, pa.uint32()),
        "run_start_globaltimer_ns": repeat(run.time.start_globaltimer_ns, pa.uint64()),
    }


def _lane_columns(pa: Any, rows: libpygwatch.SliceRows) -> dict[str, Any]:
    """What the core derives from the warp of each row."""
    names = ("block_x", "block_y", "block_z", "warp", "sm", "cluster_rank")
    columns = {name: _in_place(pa, pa.uint32(), getattr(rows, name)) for name in names}
    columns["block"] = _in_place(pa, pa.uint64(), rows.block)
    columns["end_ns"] = _in_place(pa, pa.int64(), rows.end_ns)
    return columns


def _slice_columns(pa: Any, run: libpygwatch.Run, first: int, end: int) -> dict[str, Any]:
    slices = run.slices
    return {
        "depth": _in_place(pa, pa.uint16(), slices.depth[first:end]),
        "thread_mask": _in_place(pa, pa.uint32(), slices.mask[first:end]),
        "start_ns": _in_place(pa, pa.int64(), slices.start_ns[first:end]),
        "duration_ns": _in_place(pa, pa.int64(), slices.duration_ns[first:end]),
    }


def _payload_columns(
    pa: Any, schema: pa.Schema, rows: libpygwatch.PayloadRows, count: int
) -> dict[str, Any]:
    """Each value is in the column of its type, exactly; the others have none there."""
    names = ("payload_kind", "payload_int", "payload_uint", "payload_float")
    if not len(rows.kind[0]):
        return {name: pa.nulls(count, schema.field(name).type) for name in names}

    def numbers(type_: Any, column: tuple[memoryview, memoryview]) -> Any:
        values, valid = column
        buffers = [pa.py_buffer(valid), pa.py_buffer(values)]
        return pa.Array.from_buffers(type_, len(values), buffers)

    kinds = pa.array(libpygwatch.payload_kinds(), pa.string())
    columns = (
        pa.DictionaryArray.from_arrays(numbers(pa.int32(), rows.kind), kinds),
        numbers(pa.int64(), rows.as_signed),
        numbers(pa.uint64(), rows.as_unsigned),
        numbers(pa.float64(), rows.as_float),
    )
    return dict(zip(names, columns, strict=True))


def _scope_columns(pa: Any, run: libpygwatch.Run, column: memoryview) -> dict[str, Any]:
    scopes = run.scopes
    # The same bytes: pandas takes signed indices only, and no table has 2^31 scopes.
    indices = _in_place(pa, pa.int32(), column)
    ids = pa.array([scope.id for scope in scopes], pa.int32())
    sources = [f"{scope.file}:{scope.line}" if scope.line else None for scope in scopes]
    return {
        "scope_id": ids.take(indices),
        "scope": _dictionary(pa, indices, [scope.name for scope in scopes]),
        "source": _dictionary(pa, indices, sources),
    }


def _dictionary(pa: Any, indices: Any, texts: Sequence[str | None]) -> Any:
    """A text for each index; each text is in the dictionary once."""
    if None not in texts and len(set(texts)) == len(texts):
        return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
    distinct = pa.array(texts, pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(distinct.indices.take(indices), distinct.dictionary)


def _in_place(pa: Any, type_: Any, column: memoryview) -> Any:
    """A column of the core as an Arrow array that keeps its owner alive."""
    return pa.Array.from_buffers(type_, len(column), [None, pa.py_buffer(column)])
