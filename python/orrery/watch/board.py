# SPDX-License-Identifier: BSD-3-Clause
"""Boards: what the watching library (src/measure/watch) keeps of each rank, read while the rank writes."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

COLLECTIVES, SENDS, RECEIVES = 1, 2, 3
"""What a cell counts."""
COMMUTES, UNEQUAL, UNORDERED = 1, 2, 4
"""Flags of a cell."""
WORLD = 1
"""Number of MPI_COMM_WORLD."""
ANY_TAG = -2
LEFT = (
    "non-blocking and persistent collectives",
    "collectives between two groups",
    "collectives among neighbours",
    "communicators made",
    "one-sided accesses",
    "accesses to files",
    "partitioned messages",
    "calls of more classes than are kept apart",
)
"""Calls that no cell has, by their numbers in src/measure/watch/watch.h."""

_HEAD_BYTES = 4096
_MAGIC = b"ORRWATCH"
_TRIES = 20
_HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("rank", "u4"),
        ("ranks", "u4"),
        ("cells", "u4"),
        ("finalized", "u4"),
        ("threads", "u4"),
        ("aborted", "u4"),
        ("cores", "u4"),
        ("unused", "u4"),
        ("now_ns", "i8"),
        ("calls", "i8"),
        ("mpi_ns", "i8"),
        ("drift_ns", "i8"),
        ("span_ns", "i8"),
        ("left", "u8", len(LEFT)),
        ("host", "S256"),
        ("library", "S256"),
    ]
)
_SAMPLE = np.dtype([("posted_ns", "i8"), ("begin_ns", "i8"), ("end_ns", "i8"), ("bytes", "i8"), ("together", "i8")])
_CELL = np.dtype(
    [
        ("version", "u4"),
        ("what", "u1"),
        ("collective", "u1"),
        ("flags", "u1"),
        ("bucket", "u1"),
        ("comm", "u8"),
        ("ranks", "i4"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("stride", "u4"),
        ("element", "i8"),
        ("extent", "i8"),
        ("calls", "i8"),
        ("bytes", "i8"),
        ("time_ns", "i8"),
        ("least_ns", "i8"),
        ("most_ns", "i8"),
        ("observed", "i8"),
        ("unused", "i8", 4),
        ("samples", _SAMPLE, 48),
    ]
)


@dataclass(frozen=True, slots=True)
class CallTimes:
    """Times of one call in seconds, on the clock of rank 0, since the start of the run."""

    posted_s: float
    """The operation was started."""
    begin_s: float
    """The call began that completed it."""
    end_s: float
    bytes: int
    together: int
    """Operations that this call completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCell:
    """All calls of one class that a rank made."""

    what: int
    collective: int
    """Kind, by its number in capture.h."""
    flags: int
    bucket: int
    """Class of the size: bits that its number of bytes has."""
    comm: int
    ranks: int
    peer: int
    """World rank that messages go to or come from; the root of a collective, in the communicator."""
    tag: int
    stride: int
    element: int
    extent: int
    calls: int
    bytes: int
    """Sum over all calls."""
    time_s: float
    """Sum over all calls; for messages, over those that were completed alone."""
    samples: dict[int, CallTimes]
    """By the number of the call in its class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One rank."""

    rank: int
    ranks: int
    finalized: bool
    threads: bool
    """It asked for MPI_THREAD_MULTIPLE."""
    now_s: float
    """When its last call ended."""
    calls: int
    mpi_s: float
    """Time in calls that send or receive."""
    cores: int
    """Cores of its host."""
    left: list[int]
    """Calls that no cell has, as `LEFT`."""
    host: str
    library: str
    """What the MPI library says of itself."""
    cells: list[BoardCell]


def boards_in(folder: Path) -> dict[int, Board]:
    """Boards by rank. Those that have just been created are left out."""
    files = (path for path in folder.glob("*.watch") if path.stem.isdigit())
    return {board.rank: board for path in files if (board := _read(path)) is not None}


def members_in(folder: Path) -> dict[int, tuple[int, ...]]:
    """World ranks of the members of communicators, by number; MPI_COMM_WORLD is not among them."""
    found: dict[int, tuple[int, ...]] = {}
    for path in folder.glob("*.members"):
        for line in path.read_text(encoding="ascii", errors="replace").splitlines():
            words = line.split()
            if len(words) > 2 and all(word.isdigit() for word in words):
                number, *members = map(int, words)
                found[number] = tuple(members)
    return found


def _read(path: Path) -> Board | None:
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # gone, or empty
        return None
    with mapped:
        if len(mapped) < _HEAD_BYTES or mapped[: len(_MAGIC)] != _MAGIC:
            return None
        head = np.frombuffer(mapped[: _HEAD.itemsize], _HEAD)[0]
        room = (len(mapped) - _HEAD_BYTES) // _CELL.itemsize
        drift = float(head["drift_ns"]) / float(head["span_ns"]) if head["span_ns"] > 0 else 0.0
        cells = [cell for raw in _cells(mapped, min(int(head["cells"]), room)) if (cell := _cell(raw, 1 + drift))]
    return Board(
        rank=int(head["rank"]),
        ranks=int(head["ranks"]),
        finalized=bool(head["finalized"]),
        threads=bool(head["threads"]),
        now_s=float(head["now_ns"]) * 1e-9,
        calls=int(head["calls"]),
        mpi_s=float(head["mpi_ns"]) * 1e-9,
        cores=int(head["cores"]),
        left=[int(count) for count in head["left"]],
        host=head["host"].decode(errors="replace"),
        library=head["library"].decode(errors="replace"),
        cells=cells,
    )


def _cells(mapped: mmap.mmap, count: int) -> Iterator[Any]:
    """Those that were not written meanwhile."""
    for number in range(count):
        start = _HEAD_BYTES + number * _CELL.itemsize
        for _ in range(_TRIES):
            before = mapped[start : start + 4]
            raw = mapped[start : start + _CELL.itemsize]
            if before == mapped[start : start + 4] and before[0] % 2 == 0:
                yield np.frombuffer(raw, _CELL)[0]
                break


def _cell(raw: Any, rate: float) -> BoardCell | None:
    """`rate`: of rank 0's clock against the rank's."""
    if raw["what"] == 0:
        return None
    samples = raw["samples"]
    stride = int(raw["stride"])
    times = np.stack([samples[name] for name in ("posted_ns", "begin_ns", "end_ns")], axis=1) * (1e-9 * rate)
    there = np.flatnonzero(samples["end_ns"])
    return BoardCell(
        what=int(raw["what"]),
        collective=int(raw["collective"]),
        flags=int(raw["flags"]),
        bucket=int(raw["bucket"]),
        comm=int(raw["comm"]),
        ranks=int(raw["ranks"]),
        peer=int(raw["peer"]),
        tag=int(raw["tag"]),
        stride=stride,
        element=int(raw["element"]),
        extent=int(raw["extent"]),
        calls=int(raw["calls"]),
        bytes=int(raw["bytes"]),
        time_s=float(raw["time_ns"]) * 1e-9,
        samples={
            int(i) * stride: CallTimes(
                float(times[i, 0]),
                float(times[i, 1]),
                float(times[i, 2]),
                int(samples["bytes"][i]),
                int(samples["together"][i]),
            )
            for i in there
        },
    )
