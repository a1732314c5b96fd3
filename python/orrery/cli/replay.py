# SPDX-License-Identifier: BSD-3-Clause
"""`orrery replay`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.options import option
from orrery.cli.recorded import WRITES
from orrery.cli.replaced import check_words
from orrery.cli.replaying import replay_and_report
from orrery.cli.simulating import (
    SELECTORS,
    ForceOption,
    ModelOption,
    ReplayedColl,
    ReplayedLauncher,
    ReplayedMapping,
    ReplayedSeed,
    RulesOption,
)
from orrery.errors import InputError
from orrery.experiment.settings import Vary
from orrery.replay.settings import RECORDED, Match, ReplaySettings, settings_of

_HELP = """
Simulate traces and synthetic workloads: what the recorded programs would take on another platform, with other algorithms,
faster processors, longer messages.

A replay is as the recording was: platform, model, mapping, selector, what was fixed besides, and the factor of
computation come from the trace, and the simulated time is that of the recording, to the last bit. What you say instead
is told on standard error, next to how it was. Several traces are jobs that share the platform; then the first one
says how it was.

\b
Exit code: 0; 1 when no rank can go on, or a trace was cut off; 130 for Ctrl-C; 2 for
input that cannot be used.

\b
Examples:
  orrery run -n 64 -o cg.trace ./cg                   record
  orrery replay cg.trace                              the same again
  orrery replay cg.trace --platform graphene          on another platform
  orrery replay cg.trace --report cg.html             a page: timeline, waiting, who sends to whom
  orrery replay cg.trace --compute raw                with computation just as it was measured
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
  orrery replay halo.toml -o halo.trace               and its trace, to look into or convert
"""


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """The traces, and what `settings_of` takes, by the same names."""

    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...")]
    """Files to replay."""
    platform: Annotated[str | None, option(ReplaySettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = None
    model: ModelOption = None
    ideal: Annotated[bool, option(ReplaySettings, "ideal", "--ideal")] = False
    mapping: ReplayedMapping = None
    launcher: ReplayedLauncher = None
    compute: Annotated[str | None, option(ReplaySettings, "compute", "--compute", metavar="steady|raw")] = None
    compute_scale: Annotated[
        str | None, option(ReplaySettings, "compute_scale", "--compute-scale", metavar="FACTOR")
    ] = None
    bytes_scale: Annotated[str | None, option(ReplaySettings, "bytes_scale", "--bytes-scale", metavar="FACTOR")] = None
    match: Annotated[Match | None, option(ReplaySettings, "match", "--match", metavar="again|recorded")] = None
    selector: Annotated[
        str | None,
        option(ReplaySettings, "selector", "--selector", metavar="NAME", values=[*SELECTORS, RECORDED]),
    ] = None
    coll: ReplayedColl = None
    rules: RulesOption = None
    start: Annotated[str | None, option(ReplaySettings, "start_s", "--start", metavar="SECONDS,...")] = None
    replicas: Annotated[int | None, option(ReplaySettings, "replicas", "--replicas", metavar="N", min=1)] = None
    vary: Annotated[Vary | None, option(ReplaySettings, "vary", "--vary", metavar="noise|calibration")] = None
    seed: ReplayedSeed = None
    force: ForceOption = False
    loggops: Annotated[str | None, option(ReplaySettings, "loggops", "--loggops", metavar="L=NS,o=NS,...")] = None
    flops: Annotated[str | None, option(ReplaySettings, "flops_per_s", "--flops", metavar="FLOPS")] = None
    output: Annotated[list[Path] | None, output_option(WRITES)] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print the record, or LogGOPS's times, as JSON."""


_OF_OUTPUT = ("output", "report", "overwrite", "as_json")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app, "replay", ReplayOptions, _replay, help=_HELP, short_help="Simulate traces and synthetic workloads."
    )


def _replay(_context: typer.Context, options: ReplayOptions) -> int:
    traces = options.traces
    if options.as_json:
        said = next(filter(None, (check_words("replay", "--json", str(trace)) for trace in traces)), None)
        if said is not None:
            raise InputError(said)
    more = {name: value for name, value in vars(options).items() if name not in ("traces", *_OF_OUTPUT)}
    return replay_and_report(
        settings_of(traces, **more),
        options.output or [],
        options.report,
        as_json=options.as_json,
        overwrite=options.overwrite,
    )
