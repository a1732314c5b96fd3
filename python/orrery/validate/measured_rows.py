# SPDX-License-Identifier: BSD-3-Clause
"""Measured collectives in tables with commas: those of Orrery, or of others with the same columns.

Columns of Orrery's: op, nprocs, bytes, iters, tmax_min, tmax_med, tmax_p90: the longest local durations of calls over the
ranks. Of others: op or test, nprocs or nodes and ppn, bytes, and us (or avg_us), the mean over ranks and calls; min_us and
max_us, over ranks, and iters may exist. Both may have nodes and ppn, the ranks on each node. Times are microseconds.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orrery import _core
from orrery.collective.call import Call
from orrery.errors import InputError

_NEEDED = ("op", "nprocs", "bytes", "iters", "tmax_min", "tmax_med", "tmax_p90")
_GZIP = b"\x1f\x8b"
_NOT_COLLECTIVES = ("latency", "bandwidth", "pingpong", "bw", "bibw")
"""Tests that others write into the same tables."""
_CALLS = 20
"""Where nobody says how many there were."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one case; times in microseconds."""

    call: Call
    calls: int
    least_us: float
    middle_us: float
    """Median of the calls, or their mean."""
    most_us: float
    """90th percentile of the calls, or the longest mean of a rank."""
    nodes: int | None = None
    ppn: int | None = None
    """Ranks on each node."""
    mean: bool = False
    """Times are means over the ranks and the calls."""

    @property
    def has_spread(self) -> bool:
        """Whether more than one figure is known."""
        return self.least_us < self.most_us


def is_table(file: Path) -> bool:
    """Whether the first line is that of a table with commas. A file that cannot be read is taken for one."""
    try:
        first = _text(file).lstrip().split("\n", 1)[0]
    except InputError:
        return True
    return "," in first and not first.startswith(("{", "[", "#"))


def runs_of_table(file: Path, where: Mapping[str, str]) -> list[Run]:
    """Those whose columns have the values of `where`, and that were synchronised by a barrier. Raises InputError."""
    names, rows = _rows(file)
    read = _OwnRows if {"tmax_med"} <= set(names) else _OtherRows
    read_row = read(file, names)
    found = []
    for number, row in rows:
        if row.get("sync", "barrier") != "barrier" or any(row.get(key) != value for key, value in where.items()):
            continue
        if (run := read_row(number, row)) is not None:
            found.append(run)
    return found


class _Rows:
    """Reads rows; mistakes are told with their lines."""

    def __init__(self, file: Path, names: list[str], needed: tuple[str, ...]) -> None:
        self.file = file
        if missing := [name for name in needed if name not in names]:
            raise self.fail(1, f"no column {', '.join(missing)}; expected {', '.join(_NEEDED)} with times in microseconds, or "
                               "op, nprocs (or nodes and ppn), bytes and us")  # fmt: skip

    def fail(self, number: int, problem: str) -> InputError:
        return InputError(f"--ingest {self.file}: line {number}: {problem}")

    def number(self, number: int, row: Mapping[str, str], name: str) -> float:
        try:
            return float(row[name])
        except (KeyError, TypeError, ValueError):
            raise self.fail(number, f"not a number where one belongs: {name}={row.get(name)!r}") from None

    def whole(self, number: int, row: Mapping[str, str], name: str) -> int:
        value = self.number(number, row, name)
        if value != int(value):
            raise self.fail(number, f"{name}={row[name]}: expected a whole number")
        return int(value)

    def optional(self, number: int, row: Mapping[str, str], name: str) -> int | None:
        return self.whole(number, row, name) if row.get(name) else None

    def call(self, number: int, row: Mapping[str, str], kind: str, ranks: int) -> Call:
        if kind not in {algorithm.collective for algorithm in _core.algorithms()}:
            raise self.fail(number, f'op "{kind}" is no collective')
        return Call(kind, self.whole(number, row, "bytes"), ranks)

    def checked(self, number: int, row: Mapping[str, str], run: Run) -> Run:
        if (
            run.call.ranks < 1
            or run.call.size < 0
            or run.calls <= 0
            or min(run.least_us, run.middle_us, run.most_us) <= 0
        ):
            raise self.fail(number, f"ranks, iterations and times must be positive: {dict(row)}")
        return run


class _OwnRows(_Rows):
    """Rows of Orrery's."""

    def __init__(self, file: Path, names: list[str]) -> None:
        super().__init__(file, names, _NEEDED)

    def __call__(self, number: int, row: Mapping[str, str]) -> Run | None:
        run = Run(
            call=self.call(number, row, row["op"], self.whole(number, row, "nprocs")),
            calls=self.whole(number, row, "iters"),
            least_us=self.number(number, row, "tmax_min"),
            middle_us=self.number(number, row, "tmax_med"),
            most_us=self.number(number, row, "tmax_p90"),
            nodes=self.optional(number, row, "nodes"),
            ppn=self.optional(number, row, "ppn"),
        )
        return self.checked(number, row, run)


class _OtherRows(_Rows):
    """Rows of others, with means."""

    def __init__(self, file: Path, names: list[str]) -> None:
        self._op = "op" if "op" in names else "test"
        self._time = "us" if "us" in names else "avg_us"
        ranks = ("nprocs",) if "nprocs" in names or not {"nodes", "ppn"} & set(names) else ("nodes", "ppn")
        told = ("op", *ranks, "bytes", "us") if {"us", "avg_us"} & set(names) else _NEEDED
        super().__init__(
            file, [*names, "op"] if self._op in names else names, tuple({"us": self._time}.get(n, n) for n in told)
        )
        self._by_nodes = ranks != ("nprocs",)

    def __call__(self, number: int, row: Mapping[str, str]) -> Run | None:
        kind = row[self._op].removeprefix("osu_")
        if kind in _NOT_COLLECTIVES:
            return None
        nodes, ppn = self.optional(number, row, "nodes"), self.optional(number, row, "ppn")
        if self._by_nodes and (nodes is None or ppn is None):
            raise self.fail(number, "how many ranks there were is not said: expected nodes and ppn, or nprocs")
        ranks = (nodes or 0) * (ppn or 0) if self._by_nodes else self.whole(number, row, "nprocs")
        mean = self.number(number, row, self._time)
        run = Run(
            call=self.call(number, row, kind, ranks),
            calls=self.optional(number, row, "iters") or _CALLS,
            least_us=self.number(number, row, "min_us") if row.get("min_us") else mean,
            middle_us=mean,
            most_us=self.number(number, row, "max_us") if row.get("max_us") else mean,
            nodes=nodes,
            ppn=ppn,
            mean=True,
        )
        return self.checked(number, row, run)


def _rows(file: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    try:
        reader = csv.DictReader(_text(file).splitlines())
        rows = list(enumerate(reader, start=2))
    except csv.Error as error:
        raise InputError(f"--ingest {file}: {error}") from None
    return list(reader.fieldnames or []), rows


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
        return (gzip.decompress(data) if data.startswith(_GZIP) else data).decode()
    except UnicodeDecodeError:
        raise InputError(f"--ingest {file}: is not UTF-8 text") from None
    except (OSError, EOFError) as error:
        raise InputError(f"--ingest {file}: {getattr(error, 'strerror', None) or error}") from None
