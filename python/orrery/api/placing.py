# SPDX-License-Identifier: BSD-3-Clause
"""The best nodes for the ranks of a program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from orrery.api import html
from orrery.api.checks import PathLike, check_choice, path_of
from orrery.api.frames import Table, Tabular
from orrery.api.verbs import function_of
from orrery.errors import InputError
from orrery.placement.settings import PlaceSettings
from orrery.published import as_json
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.placement.result import CandidateMapping, PlacementGain, PlacementOutcome
    from orrery.placement.settings import Format


class Placement(Tabular):
    """Where ranks should be: what `orrery place` finds.

    Example:
        >>> found = o.place("cg.trace", platform="grid2")
        >>> found.gain.median, found.write("cg.ranks")
    """

    def __init__(self, placed: PlacementOutcome, read: Path) -> None:
        self._placed = placed
        self._read = read

    @property
    def kept(self) -> bool:
        """Whether no mapping is better than the given one."""
        return self._placed.kept

    @property
    def gain(self) -> PlacementGain | None:
        """How much less simulated time the best mapping takes than the given one, as a share of that: median, low and high (5th and
        95th percentile of pairs of replicas). None: the given mapping is kept, or the source is a matrix.
        """
        return self._placed.gain

    @property
    def hosts(self) -> list[str]:
        """Name of the host of each rank."""
        return list(self._placed.hosts)

    @property
    def table(self) -> Table:
        """A row for each mapping that was looked at, the best first: name, start, simulated_s, cost_s (seconds; None where nothing was
        simulated), pairs_s and busiest_s, the two terms of the cost, fits (groups have what they need), and a column for each level
        with the bytes that cross it.
        """
        return Table(_row(mapping) for mapping in self._placed.tried)

    @property
    def cautions(self) -> list[str]:
        """Limits of the results, a sentence each."""
        return list(self._placed.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery place --json`)."""
        return dict(as_json(self._placed))

    def write(self, path: PathLike, format: Format = "orrery", *, overwrite: bool = False) -> str:  # noqa: A002 - the option's name
        """Write the mapping.

        Args:
            path: the file.
            format: as of `orrery place --format`: `orrery`, `openmpi-rankfile`, `hydra-hostfile`, `slurm-arbitrary` or `cray-reorder`.
            overwrite: replace a file that Orrery did not write.
        Returns:
            How a launcher is told to use it.
        Raises:
            InputError: the format cannot say this mapping, or the file cannot be written.
        """
        from orrery.output import checked
        from orrery.placement import formats
        from orrery.placement.settings import Format

        check_choice("format", format, get_args(Format))
        output = checked(path_of(path), overwrite=overwrite, read=[self._read])
        return formats.write(output, format, self._placed)

    def __str__(self) -> str:
        from orrery.report.placement import text

        return text(self._placed)

    def __repr__(self) -> str:
        return f"<Placement: {self._verdict()}>"

    def _repr_html_(self) -> str:
        rows = [
            {
                "mapping": mapping.name,
                "from": mapping.start,
                "time": "" if mapping.simulated_s is None else show_time(mapping.simulated_s),
                **{name: show_bytes(size) for name, size in mapping.level_bytes.items()},
            }
            for mapping in self._placed.tried
        ]
        placed = self._placed
        rests = {"platform": placed.platform, "model": placed.model, "caution": self.cautions}
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        placed = self._placed
        said = f"{placed.source}: {placed.ranks:,} ranks"
        if self.kept:
            return f"{said}; the given mapping is as good as any."
        gain = "" if self.gain is None else f", {self.gain.median:.1%} less simulated time than the given mapping"
        return f"{said}; best is {placed.best.name}{gain}."


def _row(mapping: CandidateMapping) -> dict[str, Any]:
    alike = {
        name: getattr(mapping, name)
        for name in ("name", "start", "simulated_s", "cost_s", "pairs_s", "busiest_s", "fits")
    }
    return alike | {f"{level}_bytes": size for level, size in mapping.level_bytes.items()}


@function_of(PlaceSettings)
def place(settings: dict[str, Any], source: PathLike | Sequence[str]) -> Placement:
    """Find the best nodes for the ranks of a program, as `orrery place` does.

    Args:
        source: who sends how much to whom: a trace; a matrix, FILE.csv or FILE.mtx; a record of `orrery profile --json`, FILE.json; or,
            with `ranks`, a program and its arguments, which is run once in simulation.
    Raises:
        InputError: something cannot be used as it is, groups cannot be served, or a simulation failed.

    Example:
        >>> o.place(["./cg", "-v"], ranks=64, platform="graphene").frame()
    """
    from orrery.placement.session import placed
    from orrery.platform.trusted import said_once

    words = [os.fspath(source)] if isinstance(source, str | os.PathLike) else list(source)
    if not words:
        raise InputError("source: expected a trace, a matrix, or a program")
    asked = PlaceSettings(source=path_of(words[0]), program=words[1:], **settings)
    if asked.program and asked.ranks is None:
        raise InputError(f"{words[1]}: {words[0]} is placed as it is, and a program needs ranks")
    if asked.of_matrix and asked.selector is not None:
        raise InputError(f"selector: acts not on {asked.source}: a matrix cannot be simulated")
    with said_once():
        return Placement(placed(asked), asked.source)
