# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask of a calibration, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from orrery.errors import InputError
from orrery.real_mpi.launcher import Launcher
from orrery.units import whole_number
from orrery.verbs import budget, setting

FITS_NOTHING = {"dry_run": "not with {dry_run}, which fits nothing yet; say it with {ingest}"}
"""Why a setting of the fit acts on nothing."""
_MEASURES_NOTHING = {"ingest": "not with {ingest}, which measures nothing"}


def _sizes(text: str) -> tuple[int, ...]:
    """Return the numbers of nodes of "8,8". Raises InputError for anything else."""
    sizes = tuple(whole_number(word.strip()) or 0 for word in text.split(",")) if text else ()
    if 0 in sizes:
        raise InputError(f'--cabinets "{text}": expected numbers of nodes, as in 8,8')
    return sizes


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings:
    """What is measured, or has been, and how it is fitted."""

    output: Annotated[Path, setting("-o", "--output", metavar="FILE")] = Path("cluster.toml")
    """The platform file to write; FILE.html (or {report}) and the folder FILE.calibration come beside it."""
    mpirun: Annotated[
        str,
        setting("--mpirun", metavar="COMMAND", beside=_MEASURES_NOTHING, values={"nodes": "{nodes}", "ppn": "{ppn}"}),
    ] = "mpirun -np {n}"
    """How to start MPI programs, with {n}, {nodes}, {ppn}."""
    mpicc: Annotated[str, setting("--mpicc", metavar="COMMAND", beside=_MEASURES_NOTHING)] = "mpicc"
    """The compiler of that MPI."""
    nodes: Annotated[int | None, setting("--nodes", metavar="N", least=1)] = None
    """Nodes to measure."""
    ppn: Annotated[int | None, setting("--ppn", metavar="N", least=1)] = None
    """Ranks on each node; by default 1."""
    cabinets: Annotated[
        tuple[int, ...],
        setting("--cabinets", metavar="N,N,...", kind="numbers", read=_sizes, beside=_MEASURES_NOTHING),
    ] = ()
    """Nodes of each cabinet or site, in rank order."""
    vms_per_host: Annotated[
        int | None,
        setting(
            "--vms-per-host", metavar="N", least=1,
            beside={"cabinets": "not with {cabinets}; hosts are what is measured then", **_MEASURES_NOTHING},
        ),
    ] = None  # fmt: skip
    """Nodes are virtual machines, so many on each host, in rank order."""
    cores: Annotated[int | None, setting("--cores", metavar="N", least=1)] = None
    """Cores of a node, if not as its system says."""
    budget_s: Annotated[
        float, setting("--budget", metavar="TIME", least=1, read=budget, written="9min", beside=_MEASURES_NOTHING)
    ] = 540.0
    """For measuring, such as 5min or 90s; a number: minutes (of Python: seconds)."""
    seed: Annotated[int, setting("--seed", metavar="N", beside=_MEASURES_NOTHING)] = 1
    """Seed of the message sizes that are drawn."""
    name: Annotated[str | None, setting("--name", metavar="NAME")] = None
    """Name of the platform."""
    dry_run: Annotated[
        bool,
        setting(
            "--dry-run", in_python=False,
            beside={"ingest": "is the step before {ingest}: first the one, and when the job has run, the other"},
        ),
    ] = False  # fmt: skip
    """Write the plan; print a job script instead of measuring."""
    ingest: Annotated[tuple[Path, ...], setting("--ingest", metavar="FOLDER|FILE", kind="paths")] = ()
    """Use what was measured there, start nothing: a folder of samples, or files with the output of osu_latency or of IMB-MPI1
    PingPong, which may be several; with these, {cores}, and {nodes} of the cluster, 2 by default."""
    fresh: Annotated[bool, setting("--fresh", beside=_MEASURES_NOTHING)] = False
    """Measure anew; samples of an earlier run are put aside."""
    accept_bimodal: Annotated[bool, setting("--accept-bimodal", beside=FITS_NOTHING)] = False
    """A ping-pong whose times fall into two groups makes no poor calibration, only a usable one."""
    most_regimes: Annotated[int, setting("--most-regimes", metavar="N", least=1, most=20, beside=FITS_NOTHING)] = 6
    """Between two changes of protocol."""

    def __post_init__(self) -> None:
        """Raise InputError for what cannot be measured: a launcher that is no template, parts that are not all nodes, one rank."""
        if self.ingest:
            return
        launcher = self.launcher
        nodes, whole = launcher.nodes, sum(self.cabinets)
        if self.cabinets and whole != nodes:
            sizes = ",".join(map(str, self.cabinets))
            raise InputError(f"--cabinets {sizes}: these are {whole} nodes, but --nodes says {nodes}")
        if self.vms_per_host is not None and nodes <= self.vms_per_host:
            raise InputError(
                f"--vms-per-host {self.vms_per_host}: with --nodes {nodes} there is one host; measure two or more"
            )
        if launcher.ranks < 2:
            raise InputError(
                "--nodes 1 --ppn 1: one rank exchanges no messages; say --ppn 2 or more for a node by itself, or --nodes 2 or more"
            )

    @property
    def launcher(self) -> Launcher:
        """What starts the ranks; it knows how many there are, and on how many nodes."""
        if self.nodes is None:
            raise InputError(
                "--nodes is missing: how many nodes shall be measured? (and --ppn: ranks on each); --ingest takes what was measured"
            )
        return Launcher(self.mpirun, self.nodes, self.ppn or 1)

    @property
    def folder(self) -> Path:
        """Folder of plan, raw samples and log."""
        return self.output.with_suffix(".calibration")

    @property
    def platform_name(self) -> str:
        """Name of the platform, by default that of its file."""
        return self.name or self.output.stem

    @property
    def groups(self) -> list[int]:
        """Number of nodes in each cabinet, or on each host; without either, all nodes form one group."""
        nodes = self.launcher.nodes
        if (most := self.vms_per_host) is not None and most > 1:
            return [min(most, nodes - first) for first in range(0, nodes, most)]
        return list(self.cabinets) or [nodes]
