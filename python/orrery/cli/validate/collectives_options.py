# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery validate collectives` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.validate.shared import (
    JsonOption,
    PlatformOption,
    WhereOption,
    WrittenOption,
    columns,
    models,
)
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING, SimulationSettings, Vary
from orrery.units import whole_number
from orrery.verbs import same

if TYPE_CHECKING:
    from orrery.validate.measure import Plan
    from orrery.validate.measured_logs import UserLayout
    from orrery.validate.settings import CollectiveValidation


@dataclass(frozen=True, kw_only=True)
class CollectivesOptions:
    """What is measured, and how it is predicted."""

    kinds: Annotated[list[str] | None, typer.Argument(metavar="KIND...")] = None
    """Collectives to measure."""
    platform: PlatformOption = "default"
    selector: Annotated[str, same(SimulationSettings)] = "default"
    coll: Annotated[str, same(SimulationSettings)] = ""
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    mapping: Annotated[str, same(SimulationSettings)] = DEFAULT_MAPPING
    model: Annotated[list[str] | None, typer.Option("--model", metavar="hybrid|loggps|fluid")] = None
    """Network model; may be repeated; by default all."""
    replicas: Annotated[int, typer.Option("--replicas", min=1, metavar="N")] = 3
    """Predict as intervals: median, 5th and 95th percentile over so many seeds of the noise."""
    vary: Annotated[Vary, same(SimulationSettings)] = "noise"
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    ingest: Annotated[list[Path] | None, typer.Option("--ingest", metavar="FILE")] = None
    """Measured times: CSV, or the output of the OSU micro-benchmarks, of IMB-MPI1, nccl-tests or rccl-tests; may be repeated."""
    where: WhereOption = None
    mpirun: Annotated[str | None, typer.Option("--mpirun", metavar="COMMAND")] = None
    """What starts programs: "mpirun -np {n} ..."."""
    mpicc: Annotated[str, typer.Option("--mpicc", metavar="COMMAND")] = "mpicc"
    """Compiler of that MPI."""
    ranks: Annotated[str, typer.Option("-n", "-np", "--ranks", metavar="N,...")] = ""
    """Numbers of ranks to measure; of measured tables that do not say it, how many ranks they are of."""
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1)] = None
    """Nodes of measured tables that do not say it."""
    ppn: Annotated[int | None, typer.Option("--ppn", metavar="N", min=1)] = None
    """Ranks on each node, of measured tables that do not say it."""
    sizes: Annotated[str, typer.Option("-s", "--size", metavar="BYTES,...")] = (
        "4,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB"
    )
    """Sizes to measure, such as 4:1MiB:4."""
    budget: Annotated[str, typer.Option("--budget", metavar="TIME")] = "2min"
    """For measuring each number of ranks: 2min, 90s; a number: minutes."""
    keep: Annotated[Path | None, typer.Option("--keep", metavar="FILE")] = None
    """Where measured times go; goes on from what is there."""
    most_median: Annotated[float | None, typer.Option("--most-median", metavar="X")] = None
    """Bound of the median error, such as 0.1."""
    most_p90: Annotated[float | None, typer.Option("--most-p90", metavar="X")] = None
    """Bound of the 90th percentile."""
    as_json: JsonOption = False
    every_case: Annotated[bool, typer.Option("--cases/--no-cases")] = True
    """Show each case, too."""
    output: WrittenOption = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    def plan(self, seconds: float) -> Plan:
        """What is measured, where it is."""
        from orrery.validate.measure import Plan

        return Plan(
            mpirun=self.mpirun or "",
            mpicc=self.mpicc,
            kinds=tuple(self.kinds or ()),
            ranks=self.ranks,
            sizes=self.sizes,
            seconds=seconds,
            file=self.keep,
        )

    def told(self) -> UserLayout:
        """What is said about measured tables. Raises InputError for several numbers of ranks."""
        from orrery.validate.measured_logs import UserLayout

        ranks = whole_number(self.ranks) if self.ranks else None
        if self.ranks and not ranks:
            raise InputError(
                f"-n {self.ranks}: with --ingest, say one whole number above 0, for tables that do not say it"
            )
        return UserLayout(ranks, self.nodes, self.ppn)

    def validation(self, plan: Plan) -> CollectiveValidation:
        """The validation of the files that were named, or of what the plan measures."""
        from orrery.validate.measured_logs import UserLayout
        from orrery.validate.settings import CollectiveValidation

        return CollectiveValidation(
            platform=self.platform,
            selector=self.selector,
            coll=self.coll,
            rules=self.rules,
            mapping=self.mapping,
            models=models(self.model),
            replicas=self.replicas,
            seed=self.seed,
            vary=self.vary,
            force=self.force,
            ingest=(plan.times,) if self.mpirun else tuple(self.ingest or ()),
            told=UserLayout() if self.mpirun else self.told(),
            where=columns(self.where),
            most_median=self.most_median,
            most_p90=self.most_p90,
        )
