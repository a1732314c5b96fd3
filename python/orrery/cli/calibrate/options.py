# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery calibrate` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.errors import InputError
from orrery.verbs import budget

if TYPE_CHECKING:
    from orrery.calibrate.measure import CalibrationSettings, LogSettings

OF_MEASURING = ("mpirun", "mpicc", "nodes", "ppn", "cabinets", "vms_per_host", "budget", "seed", "fresh")
OF_LAUNCHING = tuple(name for name in OF_MEASURING if name not in ("nodes", "ppn"))
OF_FITTING = ("accept_bimodal", "most_regimes", "as_json", "report")
"""Options that act on one of the two steps alone."""


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """What is measured, how it is fitted, and where both goes."""

    output: Annotated[
        Path,
        output_option(
            "The platform file to write; FILE.html (or --report) and the folder FILE.calibration come beside it."
        ),
    ] = Path("cluster.toml")
    report: ReportOption = None
    overwrite: OverwriteOption = False
    mpirun: Annotated[str, typer.Option("--mpirun", metavar="COMMAND")] = "mpirun -np {n}"
    """How to start MPI programs, with {n}, {nodes}, {ppn}."""
    mpicc: Annotated[str, typer.Option("--mpicc", metavar="COMMAND")] = "mpicc"
    """The compiler of that MPI."""
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1)] = None
    """Nodes to measure."""
    ppn: Annotated[int, typer.Option("--ppn", metavar="N", min=1)] = 1
    """Ranks on each node."""
    cabinets: Annotated[str | None, typer.Option("--cabinets", metavar="N,N,...")] = None
    """Nodes of each cabinet or site, in rank order."""
    vms_per_host: Annotated[int | None, typer.Option("--vms-per-host", metavar="N", min=1)] = None
    """Nodes are virtual machines, so many on each host, in rank order."""
    cores: Annotated[int | None, typer.Option("--cores", metavar="N", min=1)] = None
    """Cores of a node, if not as its system says."""
    budget: Annotated[str, typer.Option("--budget", metavar="TIME")] = "9min"
    """For measuring, such as 5min or 90s; a number: minutes."""
    seed: Annotated[int, typer.Option("--seed", metavar="N")] = 1
    """Seed of the message sizes that are drawn."""
    name: Annotated[str | None, typer.Option("--name", metavar="NAME")] = None
    """Name of the platform."""
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False
    """Write the plan; print a job script instead of measuring."""
    ingest: Annotated[list[Path] | None, typer.Option("--ingest", metavar="FOLDER|FILE")] = None
    """Use what was measured there, start nothing: a folder of samples, or files with the output of osu_latency or of IMB-MPI1
    PingPong, which may be several; with these, --cores, and --nodes of the cluster, 2 by default."""
    fresh: Annotated[bool, typer.Option("--fresh")] = False
    """Measure anew; samples of an earlier run are put aside."""
    accept_bimodal: Annotated[bool, typer.Option("--accept-bimodal")] = False
    """A ping-pong whose times fall into two groups makes no poor calibration, only a usable one."""
    most_regimes: Annotated[int, typer.Option("--most-regimes", metavar="N", min=1, max=20)] = 6
    """Between two changes of protocol."""
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print everything that was found as JSON; SI units."""

    def log_settings(self, files: tuple[Path, ...], *, ppn_said: bool) -> LogSettings:
        """What files of other benchmarks are read with."""
        from orrery.calibrate.measure import LogSettings

        return LogSettings(
            files=files,
            folder=self.output.with_suffix(".calibration"),
            name=self.name or self.output.stem,
            cores=self.cores,
            nodes=self.nodes or 2,
            ppn=self.ppn if ppn_said else None,
        )

    def settings(self) -> CalibrationSettings:
        """What is measured. Raises InputError where that is not said, or cannot be."""
        from orrery.calibrate.measure import CalibrationSettings, parse_cabinets

        if self.nodes is None:
            raise InputError("--nodes is missing: how many nodes shall be measured? (and --ppn: ranks on each)")
        return CalibrationSettings(
            output=self.output,
            mpirun=self.mpirun,
            mpicc=self.mpicc,
            nodes=self.nodes,
            ppn=self.ppn,
            cabinets=parse_cabinets(self.cabinets, self.nodes) if self.cabinets else (),
            cores=self.cores,
            budget_s=budget(self.budget),
            seed=self.seed,
            name=self.name or self.output.stem,
            vms_per_host=self.vms_per_host,
            folder=self.output.with_suffix(".calibration"),
            fresh=self.fresh,
        )
