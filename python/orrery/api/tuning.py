# SPDX-License-Identifier: BSD-3-Clause
"""Settings that make collective calls of a real MPI quicker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orrery.api import html
from orrery.api.checks import PathLike, path_of
from orrery.api.ending import InterruptedCall
from orrery.api.frames import Table, Tabular
from orrery.api.verbs import function_of
from orrery.api.watching import Watching, say, watched
from orrery.progress import progress as _progress
from orrery.published import as_json
from orrery.tune.settings import TuningRequest
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.benchmark.real import RealLibrary
    from orrery.tune.session import TuningResult


class Tuning(Tabular):
    """Rules for an MPI library, and what they gain: what `orrery tune` finds.

    Example:
        >>> found = o.tune(library="openmpi-4.1", platform="mine.toml", ranks=[4, 8, 16])
        >>> found.gain, found.write("tuned")
    """

    def __init__(self, tuning: TuningResult, real: RealLibrary | None) -> None:
        self._tuning = tuning
        self._real = real

    @property
    def gain(self) -> float:
        """How many times as fast calls are, geometric mean of all cells; with a program weighted by the time in them."""
        return self._tuning.gain

    @property
    def program_s(self) -> tuple[float, float] | None:
        """Simulated seconds of the program without the rules and with them; None: no program was named."""
        before_s, after_s = self._tuning.program_s, self._tuning.program_tuned_s
        return None if before_s is None or after_s is None else (before_s, after_s)

    @property
    def table(self) -> Table:
        """A row for each collective, number of ranks and size: default and chosen algorithm, their simulated and, where that was done,
        measured times in seconds, best and best_s, gain.
        """
        return Table(self.record["cells"])

    @property
    def rules(self) -> Table:
        """A row for each rule: collective, min_ranks, max_ranks, min_bytes, max_bytes (included), algorithm as the library calls it,
        segment_bytes, fanout, and coll, the same as `coll=` has it.
        """
        return Table(self.record["rules"])

    @property
    def checked(self) -> Table:
        """With `check`, a row for each cell that has a rule, and for the program: gain, low, high (95 %) and whether it holds."""
        return Table(self.record["checked"])

    @property
    def measurements(self) -> tuple[int, int]:
        """Loops that were measured on the real library, and those that a search without simulation would have measured."""
        return self._tuning.measurements, self._tuning.exhaustive

    @property
    def cautions(self) -> list[str]:
        """Limits of the results, a sentence each."""
        return list(self._tuning.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery tune --json`)."""
        from orrery.tune.results import TuningReport, WrittenRules

        return dict(as_json(TuningReport(self._tuning, WrittenRules())))

    def write(self, folder: PathLike, *, overwrite: bool = False, see: bool = True) -> list[str]:
        """Write the files that the library loads; they are read back.

        Args:
            folder: where; it is made.
            overwrite: replace files of the same names that Orrery did not write.
            see: where calls were measured (`mpirun`), load the files in small jobs on the real library, and see that each rule acts.
        Returns:
            Commands that make the library load them.
        Raises:
            InputError: they cannot be written.
            orrery.errors.OrreryError: a rule does not act.
        """
        from orrery.tune.request import written

        place = path_of(folder)
        load = written(self._tuning, place, overwrite=overwrite).load
        if self._real is not None and see:
            from orrery.tune.seen import see as seen

            seen(self._tuning.tuned, place, self._real, say)
        return load

    def __str__(self) -> str:
        from orrery.report.tuned import text
        from orrery.tune.results import WrittenRules

        return text(self._tuning, WrittenRules())

    def __repr__(self) -> str:
        return f"<Tuning: {self._verdict()}>"

    def _repr_html_(self) -> str:
        best = sorted((cell for cell in self._tuning.cells if cell.pays), key=lambda cell: -cell.gain)
        rows = [
            {
                "collective": cell.collective,
                "ranks": cell.ranks,
                "size": show_bytes(cell.bytes),
                "library's own": cell.default,
                "rule": cell.chosen,
                "own time": show_time(cell.default_s),
                "gain": f"{cell.gain:.2f}",
            }
            for cell in best
        ]
        tuning = self._tuning
        rests = {"platform": tuning.platform, "model": tuning.model, "caution": self.cautions}
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        cells = self._tuning.cells
        better = sum(cell.pays for cell in cells)
        return f"{self._tuning.library}: {self.gain:.2f} times as fast in the mean of {len(cells):,} cells, {better:,} of them by more than 5 %."


@function_of(TuningRequest, "kinds")
def tune(given: dict[str, Any], *, progress: Watching = True) -> Tuning:
    """Find settings that make collective calls of a real MPI quicker on a cluster, as `orrery tune` does.

    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher or a program on the real library failed.
        InterruptedCall: Ctrl-C, or the end of the budget; its `result` has rules of what was there.

    Example:
        >>> o.tune("allreduce", library="mpich-5.0", platform="graphene", ranks=64).frame()
    """
    from orrery.tune.request import tuned

    request = TuningRequest(**given)
    with watched(progress), _progress() as advanced:
        tuning = tuned(request, say, advanced)
    result = Tuning(tuning, request.real) if tuning.cells else None
    if tuning.missing or result is None:
        whole = len(tuning.cells) + len(tuning.missing)
        raise InterruptedCall(f"interrupted: {len(tuning.cells)} of {whole} cells are there", result)
    return result
