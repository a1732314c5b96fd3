# SPDX-License-Identifier: BSD-3-Clause
"""`orrery replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery import _core
from orrery.cli.options import option
from orrery.cli.replaying import replay_and_report
from orrery.cli.simulating import (
    CollOption,
    ForceOption,
    MappingOption,
    ModelOption,
    ReplicasOption,
    RulesOption,
    SeedOption,
    VaryOption,
)
from orrery.trace.settings import RECORDED, Match, ReplaySettings, settings_of

_HELP = """
Simulate traces and synthetic workloads: what the recorded programs would take on another platform, with other algorithms,
faster processors, longer messages.

On the platform of the recording, with the same settings, a replay takes the same simulated time
as the run that was recorded, to the last bit. Several traces are jobs that share the platform.

\b
Exit code: 0; 1 when no rank can go on, as where a trace was cut off; 130 for Ctrl-C; 2 for
input that cannot be used.

\b
Examples:
  orrery run -n 64 --trace cg.trace ./cg              record
  orrery replay cg.trace                              the same again
  orrery replay cg.trace --platform graphene          on another platform
  orrery replay cg.trace --compute-scale 0.5          with processors twice as fast
  orrery replay cg.trace --ideal                      with a network that costs nothing
  orrery replay cg.trace --selector openmpi-5.0       with Open MPI's algorithms
  orrery replay cg.trace --replicas 20                how far the platform's noise moves its time
  orrery replay cg.trace --selector recorded          with the algorithms that the trace says ran
  orrery replay cg.trace lu.trace --start 0,1.5       two jobs, the second 1.5 s later
  orrery replay smpi_simgrid.txt --flops 2e9          a time-independent trace of SimGrid's
  orrery replay scorep-cg/traces.otf2                 a trace of Score-P; also of DUMPI and Paraver
  orrery replay fft.goal                              a GOAL schedule on a platform
  orrery replay fft.goal --loggops L=2500,o=1500      the same under LogGOPSim's model
  orrery replay halo.toml                             a synthetic workload (docs/workloads.md)
  orrery replay halo.toml --trace halo.trace          and its trace, to look into or convert
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("replay", help=_HELP)(_replay)


def _replay(
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Files to replay.")],
    *,
    platform: Annotated[str | None, option(ReplaySettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = None,
    model: ModelOption = None,
    ideal: Annotated[bool, option(ReplaySettings, "ideal", "--ideal")] = False,
    mapping: MappingOption = "slot",
    compute_scale: Annotated[str, option(ReplaySettings, "compute_scale", "--compute-scale", metavar="FACTOR")] = "1",
    bytes_scale: Annotated[str, option(ReplaySettings, "bytes_scale", "--bytes-scale", metavar="FACTOR")] = "1",
    match: Annotated[Match, option(ReplaySettings, "match", "--match", metavar="again|recorded")] = "again",
    selector: Annotated[
        str, option(ReplaySettings, "selector", "--selector", metavar="NAME", values=[*_core.selectors(), RECORDED])
    ] = "default",
    coll: CollOption = "",
    rules: RulesOption = None,
    start: Annotated[str | None, option(ReplaySettings, "start_s", "--start", metavar="SECONDS,...")] = None,
    replicas: ReplicasOption = 1,
    vary: VaryOption = "noise",
    seed: SeedOption = 0,
    force: ForceOption = False,
    loggops: Annotated[str | None, option(ReplaySettings, "loggops", "--loggops", metavar="L=NS,o=NS,...")] = None,
    as_json: Annotated[
        bool, typer.Option("--print-json", help="Print the record, or LogGOPS's times, as JSON.")
    ] = False,
    flops: Annotated[str, option(ReplaySettings, "flops_per_s", "--flops", metavar="FLOPS")] = "1e9",
    json_file: Annotated[Path | None, option(ReplaySettings, "json_file", "--json", metavar="FILE")] = None,
    trace: Annotated[Path | None, option(ReplaySettings, "trace", "--trace", metavar="FILE")] = None,
) -> int:
    settings = settings_of(
        traces,
        platform=platform,
        model=model,
        ideal=ideal,
        mapping=mapping,
        compute_scale=compute_scale,
        bytes_scale=bytes_scale,
        match=match,
        selector=selector,
        coll=coll,
        rules=rules,
        start=start,
        replicas=replicas,
        vary=vary,
        seed=seed,
        force=force,
        loggops=loggops,
        flops=flops,
        json_file=json_file,
        trace=trace,
    )
    return replay_and_report(settings, as_json=as_json)
