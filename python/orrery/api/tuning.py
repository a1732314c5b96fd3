# SPDX-License-Identifier: BSD-3-Clause
"""Settings that make collective calls of a real MPI quicker."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from orrery.api import html
from orrery.api.checks import PathLike, check_choice, check_number, numbers, optional_path, path_of
from orrery.api.ending import Interrupted
from orrery.api.frames import Table, Tabular
from orrery.api.platforms import Platform, named
from orrery.api.watching import Watching, say, watched
from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.progress import progress as _progress
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.benchmark.real import RealLibrary
    from orrery.tune.session import TuningResult

_WORTH = 1.05


class Tuned(Tabular):
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
        return self._tuning.program_s

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
        from orrery.tune.results import WrittenRules, as_json

        return dict(as_json(self._tuning, WrittenRules()))

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
        return f"<Tuned: {self._verdict()}>"

    def _repr_html_(self) -> str:
        best = sorted((cell for cell in self._tuning.cells if cell.gain > _WORTH), key=lambda cell: -cell.gain)
        rows = [
            {
                "collective": cell.found.case.test,
                "ranks": cell.found.case.ranks,
                "size": show_bytes(cell.found.case.bytes),
                "library's own": cell.found.default,
                "rule": cell.chosen,
                "own time": show_time(cell.found.default_s),
                "gain": f"{cell.gain:.2f}",
            }
            for cell in best
        ]
        tuning = self._tuning
        rests = {"platform": tuning.platform, "model": tuning.model, "caution": self.cautions}
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        cells = self._tuning.cells
        better = sum(cell.gain > _WORTH for cell in cells)
        name = self._tuning.tuned.library.name
        return f"{name}: {self.gain:.2f} times as fast in the mean of {len(cells):,} cells, {better:,} of them by more than 5 %."


def tune(
    kinds: str | Sequence[str] = (),
    *,
    library: str | None = None,
    own_choices: PathLike | None = None,
    platform: str | os.PathLike[str] | Platform = "default",
    ranks: int | str | Sequence[int | str] | None = None,
    sizes: int | str | Sequence[int | str] | None = None,
    program: PathLike | None = None,
    mapping: str | None = None,
    mpirun: str | None = None,
    mpicc: str | None = None,
    share: float = 0.1,
    rounds: int = 3,
    own: bool = True,
    any_operation: bool = False,
    check: bool = False,
    least_gain: float = 0.05,
    budget_s: float | None = None,
    keep: PathLike | None = None,
    model: Model | None = None,
    seed: int = 0,
    force: bool = False,
    progress: Watching = True,
) -> Tuned:
    """Find settings that make collective calls of a real MPI quicker on a cluster, as `orrery tune` does.

    Args:
        kinds: collectives, by default eight.
        library: such as "openmpi-4.1"; by default that of `mpirun`.
        own_choices: file of rules that say what the library chooses itself, where that is not known ("intel-2021").
        platform: as of `run`; so are `model`, `seed` and `force`.
        ranks: numbers of ranks, by default 4, 8 and 16; of a program that is run, its one.
        sizes: bytes, as of `collective`; by default from 4 bytes to 1 MiB.
        program: its trace, or with `ranks` a command that is run: only what it calls is tuned, as its ranks arrive (`--for`).
        mapping: where ranks are, as of `run`; by default as the trace of a program was recorded, or "slot".
        mpirun: measure what the simulation cannot decide: what starts programs with the real library, with {n}.
        mpicc: compiler of that MPI, by default the one beside the launcher.
        share: of the loops of a search without simulation, that is measured at most, in [0, 1].
        rounds: how often each is measured.
        own: look for algorithms of Orrery's own that are quicker, too.
        any_operation: leave out algorithms that are wrong for operations that do not commute.
        check: compare the rules with the library as it is, on the real cluster, and take out those that do not hold.
        least_gain: gains of less, as a share, keep the library's own choice.
        budget_s: seconds of simulation at most; None: as long as it takes.
        keep: folder that keeps each loop, from which the same call goes on.
        progress: as of `run`.
    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher or a program on the real library failed.
        Interrupted: Ctrl-C, or the end of the budget; its `result` has rules of what was there.

    Example:
        >>> o.tune("allreduce", library="mpich-5.0", platform="graphene", ranks=64).frame()
    """
    from orrery.tune.request import TuningRequest, tuned

    wrong = {
        "sizes: chooses nothing with program, which says what is called": program is not None and sizes is not None,
        "kinds: chooses nothing with program, which says what is called": program is not None and len(kinds) > 0,
        "check: needs mpirun, the real library": check and mpirun is None,
        f"share {share}: expected 0 to 1": not 0 <= share <= 1,
        f"least_gain {least_gain}: expected 0 or more": not least_gain >= 0,
        f"budget_s {budget_s}: expected more than 0": budget_s is not None and not budget_s > 0,
    }
    for said, is_wrong in wrong.items():
        if is_wrong:
            raise InputError(said)
    check_number("rounds", rounds, 1)
    check_number("seed", seed, 0)
    check_choice("model", model, get_args(Model))
    request = TuningRequest(
        kinds=(kinds,) if isinstance(kinds, str) else tuple(kinds),
        library=library,
        own_choices=optional_path(own_choices),
        platform=named(platform),
        ranks=None if ranks is None else numbers(ranks),
        sizes=None if sizes is None else numbers(sizes),
        source=None if program is None else os.fspath(program),
        mapping=mapping,
        mpirun=mpirun,
        mpicc=mpicc,
        share=share,
        rounds=rounds,
        others=own,
        any_operation=any_operation,
        check=check,
        least_gain=least_gain,
        budget_s=budget_s,
        keep=optional_path(keep),
        model=model,
        seed=seed,
        force=force,
    )
    with watched(progress), _progress() as advanced:
        tuning = tuned(request, say, advanced)
    result = Tuned(tuning, request.real) if tuning.cells else None
    if tuning.missing or result is None:
        whole = len(tuning.cells) + len(tuning.missing)
        raise Interrupted(f"interrupted: {len(tuning.cells)} of {whole} cells are there", result)
    return result
