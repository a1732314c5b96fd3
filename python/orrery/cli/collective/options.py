# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery collective` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.collective.call import DEFAULT_SIZES, Operation
from orrery.collective.sizes import byte_size
from orrery.experiment.settings import DEFAULT_MAPPING, SimulationSettings, Vary
from orrery.platform.model import Model
from orrery.verbs import same


def _type_size(text: str) -> int:
    return byte_size(str(text), "--type-size")


def _type_extent(text: str) -> int:
    return byte_size(str(text), "--type-extent")


@dataclass(frozen=True, kw_only=True)
class CollectiveOptions:
    """Which calls, on what, by which algorithms, and what is shown."""

    kinds: Annotated[list[str], typer.Argument(metavar="KIND...")]
    """Collectives: allreduce, bcast, ..."""
    ranks: Annotated[str, typer.Option("-n", "-np", "--ranks", metavar="N,...")]
    """Numbers of ranks."""
    sizes: Annotated[
        str | None,
        typer.Option(
            "-s", "--size", metavar="BYTES,...", help=f"Sizes, such as 8,64KiB or 8:1M; by default {DEFAULT_SIZES}."
        ),
    ] = None
    root: Annotated[int, typer.Option("--root", metavar="RANK")] = 0
    """Root of collectives that have one."""
    platform: Annotated[str, same(SimulationSettings)] = "default"
    model: Annotated[Model | None, same(SimulationSettings)] = None
    mapping: Annotated[str, same(SimulationSettings)] = DEFAULT_MAPPING
    selector: Annotated[str, same(SimulationSettings)] = "default"
    coll: Annotated[str, typer.Option("--coll", metavar="KIND=ALGORITHM,...")] = ""
    """Algorithms that overrule the selector's."""
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    immediate: Annotated[bool, typer.Option("--immediate")] = False
    """Non-blocking calls, such as MPI_Ibcast."""
    algorithm: Annotated[list[str] | None, typer.Option("--algorithm", metavar="NAME|all")] = None
    """Algorithm, by Orrery's name or Open MPI's; or all. May be repeated."""
    segment: Annotated[str | None, typer.Option("--segment", metavar="BYTES,...")] = None
    """Segment sizes for algorithms that have them; 0: none."""
    fanout: Annotated[int, typer.Option("--fanout", metavar="N")] = 0
    """Chains, or radix of a tree; 0: the algorithm's own."""
    most_messages: Annotated[int, typer.Option("--most-messages", metavar="N")] = 20_000_000
    """Leave out of `all` what would send more."""
    messages: Annotated[bool, typer.Option("--messages")] = False
    """Print the messages as CSV."""
    sequence: Annotated[bool, typer.Option("--sequence")] = False
    """Each message on a line of its own."""
    ppn: Annotated[int | None, typer.Option("--ppn", metavar="K", min=1)] = None
    """For --messages: K ranks on each node, laid as --map says."""
    type_size: Annotated[int, typer.Option("--type-size", metavar="BYTES", parser=_type_size)] = 0
    """Size of one element of the datatype; 0: 8 for reductions, else 1."""
    type_extent: Annotated[int, typer.Option("--type-extent", metavar="BYTES", parser=_type_extent)] = 0
    """From one element to the next, of a datatype with gaps; 0: no gaps."""
    operation: Annotated[Operation, typer.Option("--operation")] = "built-in"
    """Operation of reductions: one of MPI's own, or a user's."""
    in_place: Annotated[bool, typer.Option("--in-place")] = False
    """An all-to-all with MPI_IN_PLACE."""
    versus_sends: Annotated[bool, typer.Option("--versus-sends")] = False
    """Compare with as many sends as do the same, one after the other."""
    barrier: Annotated[bool, typer.Option("--barrier")] = False
    """Count a barrier after the collective, for --versus-sends."""
    replicas: Annotated[int, same(SimulationSettings)] = 1
    vary: Annotated[Vary, same(SimulationSettings)] = "noise"
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print times as JSON; in seconds."""
    as_csv: Annotated[bool, typer.Option("--csv")] = False
    """Print times as CSV; in seconds."""
    output: Annotated[
        list[Path] | None,
        output_option(
            "What to write, by its ending: times (FILE.json, FILE.csv) or a drawing of them (FILE.html, .svg, .png); may be "
            "repeated."
        ),
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    @property
    def wants_messages(self) -> bool:
        """Whether nothing is simulated."""
        return self.messages or self.sequence
