# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a trace as Parquet files: one row for each operation, or for each routine of each rank.

Written in batches, so that memory does not grow with the trace. Needs pyarrow, which `pip install orrery[parquet]` brings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from orrery import _core
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.marks import PARQUET_KEY
from orrery.trace.export_times import beside_operations
from orrery.trace.reading import Operation, operations

if TYPE_CHECKING:
    import pyarrow as pa

Table = Literal["events", "profile"]

_BATCH = 1 << 16
_EVENTS = {
    "rank": "int32", "number": "int64", "begin_s": "float64", "end_s": "float64", "compute_s": "float64", "kind": "name",
    "routine": "name", "collective": "name", "algorithm": "name", "peer": "int32", "tag": "int32", "comm": "uint32",
    "bytes": "int64", "requests": "list", "site": "name",
}  # fmt: skip
_PROFILE = {
    "rank": "int32", "phase": "int32", "routine": "name", "calls": "int64", "time_s": "float64", "messages": "int64",
    "bytes": "int64",
}  # fmt: skip


def export_parquet(file: _core.TraceFile, path: Path, out: Path, table: Table) -> Omissions:
    """Write a table of the trace `file`, read from `path`; times in seconds, null where they are not known.

    Returns what is not in it. Raises InputError when pyarrow is missing or `out` cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("Parquet needs pyarrow, which is not installed: pip install pyarrow") from None
    columns, rows = (_EVENTS, _event_rows(file)) if table == "events" else (_PROFILE, _profile_rows(file, path))
    schema = _schema(pa, columns, {PARQUET_KEY: table} | dict(file.properties))
    try:
        with pq.ParquetWriter(out, schema, compression="zstd") as writer:
            while batch := list(islice(rows, _BATCH)):
                arrays = [
                    pa.array(column, field.type) for column, field in zip(zip(*batch, strict=True), schema, strict=True)
                ]
                writer.write_batch(pa.record_batch(arrays, schema=schema))
    except OSError as error:
        raise InputError(f"{out}: {error.strerror or error}: cannot write the table") from None
    return beside_operations(file) if table == "events" else Omissions()


def _schema(arrow: Any, columns: dict[str, str], metadata: dict[str, str]) -> pa.Schema:
    types = {
        "int32": arrow.int32(), "int64": arrow.int64(), "uint32": arrow.uint32(), "float64": arrow.float64(),
        "name": arrow.dictionary(arrow.int32(), arrow.string()), "list": arrow.list_(arrow.uint32()),
    }  # fmt: skip
    fields = [arrow.field(name, types[kind]) for name, kind in columns.items()]
    return cast("pa.Schema", arrow.schema(fields, metadata=metadata))


def _event_rows(file: _core.TraceFile) -> Iterator[Sequence[object]]:
    for rank in range(file.streams):
        for number, operation in enumerate(operations(file, rank)):
            yield _event(rank, number, operation)


def _event(rank: int, number: int, o: Operation) -> Sequence[object]:
    timed = o.end_ns >= 0
    begin, end = (o.begin_ns * 1e-9, o.end_ns * 1e-9) if timed else (None, None)
    requests = o.requests or ([o.request] if o.request else [])
    return (rank, number, begin, end, o.compute_s, o.kind, o.routine, o.collective, o.ran, o.peer, o.tag, o.comm, o.bytes,
            requests, o.site)  # fmt: skip


def _profile_rows(file: _core.TraceFile, path: Path) -> Iterator[Sequence[object]]:
    names = file.routines
    for rank, phase, routine, calls, time_s, messages, size in _core.TraceUsage(str(path)).calls:
        yield (rank, phase, names.get(routine, f"routine {routine}") if routine else ".application", calls, time_s,
               messages, size)  # fmt: skip
