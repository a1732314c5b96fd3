# SPDX-License-Identifier: BSD-3-Clause
"""Runs and replays, as functions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

from orrery.api.checks import PathLike, check_number, filled_profile, output_of, path_of
from orrery.api.ending import ended
from orrery.api.result import Result
from orrery.api.verbs import function_of
from orrery.api.watching import Watching, watched
from orrery.errors import InputError
from orrery.replay.settings import ReplaySettings
from orrery.run.settings import RunSettings, no_output


@function_of(RunSettings)
def run(
    settings: dict[str, Any],
    command: str | Sequence[str | os.PathLike[str] | float],
    *,
    ranks: int,
    groups_out: PathLike | None = None,
    trace: PathLike | None = None,
    report: PathLike | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    check: bool = True,
    progress: Watching = True,
) -> Result:
    """Run an MPI program on a simulated cluster, as `orrery run` does.

    Args:
        command: program and arguments, texts, paths or numbers; a single text is split as a shell does. Several programs in one MPI_COMM_WORLD have ":" between
            them, each later one with its own "-n", N.
        ranks: number of ranks: the size of MPI_COMM_WORLD; of several programs, that of the first.
        groups_out: FILE, to write the job profile back with its blanks filled in.
        quiet: what the program writes goes nowhere, and it has nothing to read.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: the program crashed, is not there, left early, or no rank could go on; it has the `result` so far.
        InterruptedCall: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> result = o.run(["./heat2d", "1024", "100"], ranks=64, platform="graphene", mapping="node")
        >>> result.simulated_s, result.routines
    """
    from orrery.report.pages.reported import reported_in
    from orrery.run.programs import programs_of
    from orrery.run.session import simulate

    check_number("ranks", ranks, 1)
    words = shlex.split(command) if isinstance(command, str) else [_word(word) for word in command]
    filled = None if groups_out is None else filled_profile(settings.get("groups"), groups_out, overwrite=overwrite)
    asked = RunSettings(
        programs=programs_of(ranks, words), groups_out=filled, writer=no_output if quiet else None, **settings
    )
    place = None if trace is None else output_of("trace", trace, ".trace", overwrite=overwrite)
    page = None if report is None else output_of("report", report, ".html", overwrite=overwrite)
    with watched(progress):
        record = reported_in(page, place, asked, simulate)
    return ended(Result(record), "run", check=check)


@function_of(ReplaySettings, given_only=True)
def replay(
    settings: dict[str, Any],
    traces: PathLike | Sequence[PathLike],
    *,
    trace: PathLike | None = None,
    report: PathLike | None = None,
    overwrite: bool = False,
    check: bool = True,
    progress: Watching = True,
) -> Result:
    """Simulate traces and synthetic workloads, as `orrery replay` does.

    What is None is as in the recording. All replays of one trace have the same computation, so their differences are those of
    what was changed (`compare`).

    Args:
        traces: a file, or several, which are jobs that share the platform: traces of `run(trace=...)` and `orrery capture`, of
            DUMPI, Paraver, OTF2 and SimGrid, GOAL schedules, workloads (TOML); compressed ones (.xz, .gz), too.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: no rank can go on, or a trace was cut off; it has the `result` so far.
        InterruptedCall: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> ring = o.replay("heat.trace", coll="allreduce=ring")
        >>> fast = o.replay("heat.trace", platform=o.Platform.load("graphene").with_values({"cluster.latency_s": "1us"}))
    """
    from orrery.replay.check import check_together
    from orrery.replay.session import replay as simulate
    from orrery.report.pages.reported import reported_in
    from orrery.trace.sources import files_read

    paths = [path_of(path) for path in ([traces] if isinstance(traces, str | os.PathLike) else traces)]
    if not paths:
        raise InputError("traces: expected at least one file")
    asked = ReplaySettings.of(paths, **settings)
    check_together(asked)
    read = files_read(paths) if trace is not None or report is not None else ()
    place = None if trace is None else output_of("trace", trace, ".trace", overwrite=overwrite, read=read)
    page = None if report is None else output_of("report", report, ".html", overwrite=overwrite, read=read)
    with watched(progress):
        record = reported_in(page, place, asked, simulate)
    return ended(Result(record), "replay", check=check)


def _word(word: str | os.PathLike[str] | float) -> str:
    return str(word) if isinstance(word, int | float) else os.fspath(word)
