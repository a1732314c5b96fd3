# SPDX-License-Identifier: BSD-3-Clause
"""`orrery replay`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.recorded import WRITES
from orrery.cli.replaced import check_words
from orrery.cli.replaying import replay_and_report
from orrery.errors import InputError
from orrery.replay.settings import ReplaySettings
from orrery.verbs import every

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
    """The traces, how they are replayed, and what is written."""

    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...")]
    """Files to replay."""
    settings: Annotated[Mapping[str, Any], every(ReplaySettings, given_only=True)]
    output: Annotated[list[Path] | None, output_option(WRITES)] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print the record, or LogGOPS's times, as JSON."""


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
    return replay_and_report(
        ReplaySettings.of(traces, **options.settings),
        options.output or [],
        options.report,
        as_json=options.as_json,
        overwrite=options.overwrite,
    )
