# SPDX-License-Identifier: BSD-3-Clause
"""The result of a run or a replay."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from orrery.api import html
from orrery.api.checks import PathLike, path_of
from orrery.api.frames import Library, Table
from orrery.errors import InputError, did_you_mean
from orrery.output import checked
from orrery.record.document import Record, Row, read, to_json
from orrery.units import show_time

if TYPE_CHECKING:
    from orrery.noise.intervals import Interval, MedianInterval
    from orrery.record.expected import ExpectedInterval

_TOP = 8
"""Routines of the small page."""

TableName = Literal["routines", "per_rank", "algorithms", "jobs"]


class Result:
    """What a run or a replay gave: the record that `orrery run -o FILE.json` writes, with views of it.

    Example:
        >>> result = o.load("run.json")
        >>> result.simulated_s
        >>> result.frame("routines", library="pandas")
    """

    def __init__(self, record: Record) -> None:
        self.recorded = record
        """The record, with attributes."""

    @property
    def simulated_s(self) -> float:
        """Simulated seconds until the last rank finalised; of a run that failed, the time that it reached."""
        return self.recorded.simulated_s

    @property
    def wall_s(self) -> float:
        """Seconds that it took on this host."""
        return self.recorded.wall_s

    @property
    def expected(self) -> ExpectedInterval | None:
        """Where the real time is in 9 of 10 cases: `low_s`, `high_s`; None: there are no residuals for
        the model, or none for such a platform (`recorded.not_expected`).
        """
        return self.recorded.expected

    @property
    def interval(self) -> Interval | MedianInterval | None:
        """Interval over repeated runs or replicas: `median_s`, `low_s`, `high_s`; None: of a single simulation."""
        return self.recorded.repeats or self.recorded.interval

    @property
    def ranks(self) -> int:
        """Size of MPI_COMM_WORLD."""
        return self.recorded.ranks

    @property
    def messages(self) -> int:
        """Messages sent, those inside collectives included."""
        return self.recorded.messages

    @property
    def bytes(self) -> int:
        """Bytes sent."""
        return self.recorded.bytes

    @property
    def completed(self) -> bool:
        """Whether it came to its end."""
        return self.recorded.end == "completed"

    @property
    def cautions(self) -> list[str]:
        """Limits of the result, a sentence each."""
        return list(self.recorded.cautions)

    @property
    def differs(self) -> list[str]:
        """What is not as it was recorded, in a replay, a sentence each."""
        return list(self.recorded.differs)

    @property
    def routines(self) -> Any:
        """`frame("routines")`: time in each routine, summed over ranks."""
        return self.frame("routines")

    @property
    def per_rank(self) -> Any:
        """`frame("per_rank")`: time in each routine of each rank."""
        return self.frame("per_rank")

    @property
    def algorithms(self) -> Any:
        """`frame("algorithms")`: which algorithms collective calls used."""
        return self.frame("algorithms")

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery run --json`)."""
        values: dict[str, Any] = json.loads(to_json(self.recorded))
        return values

    @property
    def provenance(self) -> dict[str, Any]:
        """What the result rests on: program, platform and where its parameters come from, model, selector, placement, date."""
        record = self.recorded
        names = ("command", "ranks", "hosts", "mapping", "platform", "platform_file", "platform_source", "calibration",
                 "model", "selector", "coll", "rules", "compute", "clock", "seed", "date", "folder", "orrery")  # fmt: skip
        return {name: getattr(record, name) for name in names}

    def table(self, name: TableName) -> Table:
        """A table, see `frame`."""
        return Table(self._rows(name))

    def frame(self, name: TableName = "routines", library: Library | None = None) -> Any:
        """A table of the result as a DataFrame.

        Args:
            name: `routines` (a row for each routine, summed over ranks), `per_rank` (a row for each routine of each rank; of more
                than 16,384 ranks none), `algorithms` (a row for each algorithm of each collective), `jobs` (of a replay of
                several traces). Phases of the program have rows of their own. Times are seconds, sizes bytes.
            library: `pandas`, `polars`, or `rows` for a list of dictionaries; None: pandas, or
                polars where only that is installed.
        Raises:
            InputError: there is no such table, or the library is not installed, or none of both.
        """
        return self.table(name).frame(library)

    def save(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Write the record to FILE.json, which `load`, `orrery profile` and `orrery compare` read; gives the path.

        Raises InputError where it cannot be written, or is a file that Orrery did not write (unless `overwrite`).
        """
        place = path_of(path)
        if place.suffix.lower() != ".json":
            raise InputError(f"{place}: its ending says what is written; expected .json")
        checked(place, overwrite=overwrite).write(to_json(self.recorded, indent=1) + "\n")
        return place

    def __str__(self) -> str:
        from orrery.report.simulation import text

        return text(self.recorded)

    def __repr__(self) -> str:
        return f"<Result: {self._verdict()}>"

    def _repr_html_(self) -> str:
        profile = _whole(self.recorded.profile.summed)
        total_s = sum(row.exclusive_s for row in profile) or 1.0
        rows = [
            {"routine": row.name, "share": f"{row.exclusive_s / total_s:.1%}", "time per rank": show_time(row.exclusive_s / self.ranks),
             "calls": row.calls, "messages": row.messages}
            for row in profile[:_TOP]
        ]  # fmt: skip
        record = self.recorded
        rests = {
            "platform": f"{record.platform}, {record.ranks:,} ranks on {record.hosts:,} hosts, {record.mapping}",
            "parameters": record.platform_source or "of unknown origin",
            "model": f"{record.model}; collectives: {record.chooser}",
            "date": f"{record.date}, Orrery {record.orrery}",
            "not as recorded": record.differs,
            "caution": record.cautions,
        }
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        record = self.recorded
        what = " ".join(record.command)
        if record.cause is not None:
            return f"{what}: failed after {show_time(record.simulated_s)} of simulated time: {record.cause}"
        said = f"{what}: {show_time(record.simulated_s)} on {record.ranks:,} ranks of {record.platform}"
        if (found := self.interval) is not None:
            said += f", median {show_time(found.median_s)} ({show_time(found.low_s)} to {show_time(found.high_s)})"
        if record.expected is not None:
            low, high = show_time(record.expected.low_s), show_time(record.expected.high_s)
            said += f"; in 9 of 10 cases the real time is from {low} to {high}"
        elif record.not_expected:
            said += f"; how far the real time is from that is not known: {record.not_expected}"
        return f"{said}."

    def _rows(self, name: str) -> Iterable[dict[str, Any]]:
        record = self.recorded
        tables: dict[str, Iterable[Any]] = {
            "routines": record.profile.summed,
            "per_rank": record.profile.per_rank,
            "algorithms": record.algorithms,
        }
        if name == "jobs":
            return [dict(job) for job in record.jobs]
        if name not in tables:
            known = [*tables, "jobs"]
            raise InputError(f'table "{name}": there are {", ".join(known)}{did_you_mean(name, known)}')
        rows = [asdict(row) for row in tables[name]]
        return [{key: value for key, value in row.items() if name != "routines" or key != "rank"} for row in rows]


def load(path: PathLike) -> Result:
    """The result in a record that `Result.save`, `orrery run -o FILE.json` or `orrery replay -o FILE.json` wrote.

    Raises InputError for a file that cannot be read, or holds no record.
    """
    return Result(read(path_of(path)))


def _whole(rows: Iterable[Row]) -> list[Row]:
    """Those of the whole run, by decreasing time."""
    return sorted((row for row in rows if row.phase is None), key=lambda row: -row.exclusive_s)
