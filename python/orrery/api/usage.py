# SPDX-License-Identifier: BSD-3-Clause
"""What a trace says of a run, without any simulation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from orrery.api import html
from orrery.api.checks import PathLike, output_of, path_of
from orrery.api.frames import Library, Table
from orrery.errors import InputError, did_you_mean
from orrery.published import members
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.trace.usage import UsageReport

_TOP = 8

UsageTable = Literal["routines", "per_rank", "ranks", "messages", "sizes", "communicators", "sites"]


class Usage:
    """How the run in a trace used MPI: what `orrery profile TRACE` shows.

    Example:
        >>> usage = o.profile("cg.trace")
        >>> usage.frame("ranks")
    """

    def __init__(self, report: UsageReport, trace: Path) -> None:
        self._report = report
        self._trace = trace

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self._report.ranks)

    @property
    def total_s(self) -> float:
        """Recorded seconds of the rank that took longest."""
        return max((rank.total_s for rank in self._report.ranks), default=0.0)

    @property
    def properties(self) -> dict[str, str]:
        """What the trace says of its recording: command, MPI, date, and more."""
        return dict(self._report.properties)

    @property
    def completed(self) -> bool:
        """Whether the trace is complete: nothing of it is damaged, and the calls of all ranks come to MPI_Finalize.

        A trace that is not complete raises nothing here, as what is left of it is what it says; `print` and a notebook show
        first what is missing. `replay` raises SimulationError for it.
        """
        return not self._report.incomplete

    @property
    def damage(self) -> list[str]:
        """What could not be read or imported, a sentence each."""
        return list(self._report.damage)

    def table(self, name: UsageTable) -> Table:
        """A table, see `frame`."""
        return Table(self._rows(name))

    def frame(self, name: UsageTable = "routines", library: Library | None = None) -> Any:
        """A table of the trace as a DataFrame.

        Args:
            name: `routines` (time in each routine, summed over ranks), `per_rank` (the same for each rank), `ranks` (a row for each
                rank: total_s, mpi_s, computed_s, calls, messages, bytes, cut_off), `messages` (what each rank sent to each other),
                `sizes` (of messages and collective calls, by powers of two), `communicators`, `sites` (where in the program
                calls stand, if the capture has noted it).
            library: as of `Table.frame`.
        Raises:
            InputError: there is no such table, or the library is not installed, or none of both.
        """
        return self.table(name).frame(library)

    def write_report(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Write FILE.html, the page of `orrery profile --report`: timeline, waiting, who sends to whom; gives the path.

        Raises InputError where it cannot be written, or is a file that Orrery did not write (unless `overwrite`).
        """
        from orrery.page.document import write_page
        from orrery.report.pages.trace import page_of_trace

        place = output_of("report", path, ".html", overwrite=overwrite, read=[self._trace])
        write_page(page_of_trace(self._trace, self._report), place)
        return place.path

    def __str__(self) -> str:
        from orrery.report.usage import text

        return text(self._report)

    def __repr__(self) -> str:
        return f"<Usage: {self._verdict()}>"

    def _repr_html_(self) -> str:
        profile = [row for row in self._report.profile.summed if row.phase is None]
        total_s = sum(row.exclusive_s for row in profile) or 1.0
        rows = [
            {"routine": row.name, "share": f"{row.exclusive_s / total_s:.1%}", "time": show_time(row.exclusive_s),
             "calls": row.calls}
            for row in sorted(profile, key=lambda row: -row.exclusive_s)[:_TOP]
        ]  # fmt: skip
        rests = {key: self.properties.get(key) for key in ("command", "mpi", "date")} | {"caution": self.damage}
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        ranks = self._report.ranks
        share = sum(rank.mpi_s for rank in ranks) / (sum(rank.total_s for rank in ranks) or 1.0)
        sent = show_bytes(sum(rank.bytes for rank in ranks))
        incomplete = f"is not complete: {self._report.incomplete}; what is left has " if self._report.incomplete else ""
        return f"{self._report.trace}: {incomplete}{self.ranks:,} ranks, {show_time(self.total_s)}, {share:.0%} of it in MPI; {sent} in messages, besides collectives."

    def _rows(self, name: str) -> Iterable[dict[str, Any]]:
        report = self._report
        tables: dict[str, Iterable[Any]] = {
            "routines": report.profile.summed,
            "per_rank": report.profile.per_rank,
            "ranks": report.ranks,
            "messages": report.edges,
            "sizes": report.sizes,
            "communicators": report.comms,
            "sites": report.sites,
        }
        if name not in tables:
            raise InputError(f'table "{name}": there are {", ".join(tables)}{did_you_mean(name, list(tables))}')
        return map(members, tables[name])


def profile(trace: PathLike) -> Usage:
    """What a trace says: of `orrery capture`, of `run(trace=...)`, of DUMPI, Paraver or OTF2; compressed ones (.xz, .gz), too.

    Raises InputError where it cannot be read. Of a trace that is not complete it has what is left: see `Usage.completed`.

    Example:
        >>> o.profile("cg.trace").frame("messages")
    """
    from orrery.trace.usage import read_usage

    path = path_of(trace)
    return Usage(read_usage(path), path)
