# SPDX-License-Identifier: BSD-3-Clause
"""Runs and replays, as functions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orrery.api.checks import PathLike, check_number, check_settings, filled_profile, optional_path, output_of, path_of
from orrery.api.ending import ended
from orrery.api.platforms import Platform, named
from orrery.api.result import Result
from orrery.api.watching import Watching, watched
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING, Vary
from orrery.platform.model import Model
from orrery.run.settings import Clock, Data, Launch, Unmet

if TYPE_CHECKING:
    from orrery.replay.settings import Charge, Match


def run(
    command: str | Sequence[str | os.PathLike[str] | float],
    *,
    ranks: int,
    platform: str | os.PathLike[str] | Platform = "default",
    model: Model | None = None,
    mapping: str = DEFAULT_MAPPING,
    launcher: str = "",
    selector: str = "default",
    coll: str = "",
    rules: PathLike | None = None,
    launch: Launch = "auto",
    clock: Clock = "simulated",
    compute: str | float = "steady",
    data: Data = "all",
    fold_heap: str | int | None = None,
    whole: bool = False,
    label: bool = False,
    groups: PathLike | None = None,
    groups_out: PathLike | None = None,
    groups_unmet: Unmet = "refuse",
    timeout_s: float | None = None,
    spawn_limit: int = 256,
    repeat: int = 1,
    replicas: int = 1,
    vary: Vary = "noise",
    seed: int = 0,
    force: bool = False,
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
        platform: a built-in name (`platforms`), a TOML file, or a `Platform`.
        model: network model, by default the platform's own.
        mapping: where ranks go: "slot", "node", "socket", "cabinet", "ppr:N", "random:SEED" or "file:PATH"; "node@n1,n2:4" for
            some hosts only.
        launcher: how jobs are started, where the platform says what that takes: "ssh", "ssh:FANOUT" or "manager".
        selector: who chooses algorithms of collectives, such as "openmpi-5.0", or "best"; `coll` fixes some
            ("allreduce=ring"), and `rules` is a rules file of Open MPI or MPICH.
        launch: how ranks become processes.
        clock: what clocks of the program follow, simulated time or that of this host.
        compute: what computation costs: "steady", "raw", "none", or a factor above 0.
        data: "none": messages carry no floating-point numbers but short ones.
        fold_heap: blocks of the heap of so many bytes or more ("1MiB") are the same pages in all ranks.
        whole: execute blocks that the program samples (orrery.h) each time.
        label: put `[rank] ` before each line that the program writes.
        groups: a job profile, TOML or XML: which groups of ranks the program asks for, and what they need. `groups_out`: FILE, to
            write it back with its blanks filled in; `groups_unmet`: what happens if they get less, "refuse" or "warn".
        timeout_s: end the run after so many seconds on this host.
        spawn_limit: most ranks that the program may start besides.
        repeat: run the program so many times, for an interval of the median.
        replicas: simulate so many times with other noise (`vary` says what differs, `seed` is the first one's).
        force: use a platform whose calibration is poor.
        trace: FILE.trace, to record in; see `replay`. `overwrite`: even if Orrery did not write what is there.
        report: FILE.html, a page that explains the result: timeline, waiting, who sends to whom.
        quiet: what the program writes goes nowhere, and it has nothing to read.
        check: raise SimulationError if the run fails; otherwise the result says so (`Result.completed`).
        progress: a function that is told an `Advance` some times a second; False: nobody is told.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: the program crashed, is not there, left early, or no rank could go on; it has the `result` so far.
        Interrupted: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> result = o.run(["./heat2d", "1024", "100"], ranks=64, platform="graphene", mapping="node")
        >>> result.simulated_s, result.routines
    """
    from orrery.report.pages.reported import reported_in
    from orrery.run.programs import programs_of
    from orrery.run.session import simulate
    from orrery.run.settings import RunSettings, no_output, parse_compute, parse_fold_heap, parse_timeout

    check_number("ranks", ranks, 1)
    words = shlex.split(command) if isinstance(command, str) else [_word(word) for word in command]
    filled = None if groups_out is None else filled_profile(groups, groups_out, overwrite=overwrite)
    settings = RunSettings(
        programs=programs_of(ranks, words),
        groups=optional_path(groups),
        groups_out=filled,
        groups_unmet=groups_unmet,
        platform=named(platform),
        rules=optional_path(rules),
        compute=parse_compute(str(compute)),
        fold_heap_bytes=0 if fold_heap is None else parse_fold_heap(str(fold_heap)),
        timeout_s=None if timeout_s is None else parse_timeout(str(timeout_s)),
        writer=no_output if quiet else None,
        model=model, mapping=mapping, launcher=launcher, selector=selector, coll=coll, launch=launch, clock=clock, data=data, whole=whole, label=label,
        spawn_limit=spawn_limit, repeat=repeat, replicas=replicas, vary=vary, seed=seed, force=force,
    )  # fmt: skip
    check_settings(settings)
    place = None if trace is None else output_of("trace", trace, ".trace", overwrite=overwrite)
    page = None if report is None else output_of("report", report, ".html", overwrite=overwrite)
    with watched(progress):
        record = reported_in(page, place, settings, simulate)
    return ended(Result(record), "run", check=check)


def replay(
    traces: PathLike | Sequence[PathLike],
    *,
    platform: str | os.PathLike[str] | Platform | None = None,
    model: Model | None = None,
    ideal: bool = False,
    mapping: str | None = None,
    launcher: str | None = None,
    compute: Charge | None = None,
    compute_scale: float | None = None,
    bytes_scale: float | None = None,
    match: Match | None = None,
    selector: str | None = None,
    coll: str | None = None,
    rules: PathLike | None = None,
    start_s: Sequence[float] | None = None,
    replicas: int | None = None,
    vary: Vary | None = None,
    seed: int | None = None,
    flops_per_s: float | None = None,
    force: bool = False,
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
        platform: as of `run`.
        model: network model.
        ideal: with a network that costs nothing.
        mapping: where ranks go, as of `run`; `launcher` as there, too.
        compute: what recorded computation costs: "steady", what the parts of the program that repeat usually took each rank, or
            "raw", just what was measured.
        compute_scale: simulated seconds for a second of recorded computation; 0: none.
        bytes_scale: make all messages so many times as long.
        match: whose messages receives of any source take: "again", what comes first, or as "recorded".
        selector: as of `run`, or "recorded"; so are `coll` and `rules`.
        start_s: seconds after which each trace begins.
        replicas: as of `run`; so are `vary`, `seed` and `force`.
        flops_per_s: of time-independent traces of SimGrid, what a second of computation stands for.
        trace: FILE.trace, to record the replay in; `report` and `overwrite` as of `run`.
        check: raise SimulationError if no rank can go on; otherwise the result says so.
        progress: as of `run`.
    Raises:
        InputError: something cannot be used as it is.
        SimulationError: no rank can go on, or a trace was cut off; it has the `result` so far.
        Interrupted: Ctrl-C; a KeyboardInterrupt with the `result` so far.

    Example:
        >>> ring = o.replay("heat.trace", coll="allreduce=ring")
        >>> fast = o.replay("heat.trace", platform=o.Platform.load("graphene").with_values({"cluster.latency_s": "1us"}))
    """
    from orrery.replay.check import check_together
    from orrery.replay.session import replay as simulate
    from orrery.replay.settings import settings_of
    from orrery.report.pages.reported import reported_in
    from orrery.trace.sources import files_read

    paths = [path_of(path) for path in ([traces] if isinstance(traces, str | os.PathLike) else traces)]
    if not paths:
        raise InputError("traces: expected at least one file")
    numbers = {"compute_scale": compute_scale, "bytes_scale": bytes_scale, "flops": flops_per_s}
    more: dict[str, Any] = {name: None if value is None else str(value) for name, value in numbers.items()}
    settings = settings_of(
        paths,
        **more,
        start=None if start_s is None else ",".join(map(str, start_s)),
        platform=None if platform is None else named(platform),
        rules=optional_path(rules),
        model=model, ideal=ideal, mapping=mapping, launcher=launcher, compute=compute, match=match, selector=selector, coll=coll,
        replicas=replicas, vary=vary, seed=seed, force=force,
    )  # fmt: skip
    check_settings(settings)
    check_together(settings)
    read = files_read(paths) if trace is not None or report is not None else ()
    place = None if trace is None else output_of("trace", trace, ".trace", overwrite=overwrite, read=read)
    page = None if report is None else output_of("report", report, ".html", overwrite=overwrite, read=read)
    with watched(progress):
        record = reported_in(page, place, settings, simulate)
    return ended(Result(record), "replay", check=check)


def _word(word: str | os.PathLike[str] | float) -> str:
    return str(word) if isinstance(word, int | float) else os.fspath(word)
