# SPDX-License-Identifier: BSD-3-Clause
"""One replay from settings to record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from orrery import _core
from orrery.collective.asked import refuse_unserved
from orrery.errors import InputError, Interrupt
from orrery.record import profile
from orrery.record.document import Record
from orrery.replay.as_it_was import ReplayConditions, as_it_was, differences
from orrery.replay.check import check_kinds, check_sites
from orrery.replay.recorded import recorded_selector
from orrery.replay.recording import computation_of, recording
from orrery.replay.settings import RECORDED, ReplaySettings
from orrery.simulate.conclusion import record_of
from orrery.simulate.description import platform_of
from orrery.simulate.experiment import Experiment
from orrery.simulate.link_load import links_kept
from orrery.simulate.live import ErrorLine, live_line
from orrery.simulate.replicas import ReplicaTimes, replicas_of
from orrery.simulate.steady import steady_of
from orrery.simulate.stopping import stopping
from orrery.simulate.traces import Traces
from orrery.trace.broken_streams import BrokenStreams
from orrery.trace.sources import OpenTrace, open_source, streams_broken_in
from orrery.units import show_time


def replay(settings: ReplaySettings) -> Record:
    """Replay to the end, whatever that is. Raises InputError for traces or settings that cannot be used."""
    settings, opened = opened_as_it_was(settings)
    properties = [trace.properties for trace in opened]
    search = _core.Stop()
    recorded = settings.selector == RECORDED
    selector, said = recorded_selector(settings, properties) if recorded else (None, [])
    ranks = sum(trace.source.capacity for trace in opened)
    experiment = Experiment.of(settings, ranks, stop=search, selector=selector)
    if len(settings.start_s) > len(opened):
        raise InputError(f"--start: {len(settings.start_s)} values for {len(opened)} traces")
    traces = traces_of(settings)
    run = traces.simulation(experiment, settings.seed, opened, **recording(settings, opened, experiment))
    with links_kept(experiment, run), live_line(run, _progress_of(run), ErrorLine()), stopping(run.stop, search.set):
        end = run.run()
    if end == _core.ReplayEnd.COMPLETED:
        refuse_unserved(run.algorithm_use(), experiment.selector)
    broken = _broken_streams(settings.traces) if run.cut_off else {}
    damage = [f"{path}: {what}" for path, streams in broken.items() for what in streams.damage]
    damage += [what for trace in opened for what in trace.damage]
    ended = _ending(end, run, damage, list(broken.values()))
    found = replicas_of(experiment, traces, run) if ended.end == "completed" else ReplicaTimes()
    model = "ideal" if settings.ideal else experiment.model
    own = {"model": model, "noisy": False} if settings.ideal else {}
    about = platform_of(settings.platform, experiment.platform)
    return record_of(
        experiment,
        run,
        found,
        cautions=[
            *said,
            *damage,
            *(caution for trace in opened for caution in trace.cautions),
            *experiment.placement.cautions,
        ],
        seed_said="seed" in settings.said,
        trace_error=run.trace_error,
        command=["replay", *map(str, settings.traces)],
        start="replay",
        clock="simulated",
        compute="none" if settings.compute_scale == 0 else settings.compute_scale,
        wall_s=run.wall_s,
        peak_rss_bytes=None,
        exit_code=Interrupt.exit_code if found.interrupted else ended.exit_code,
        end=ended.end,
        cause=ended.cause,
        profile=profile.table_of(run.profile(), _core.routine_names()),
        jobs=_jobs(settings, run) if len(opened) > 1 else [],
        computation=computation_of(settings),
        steady=steady_of(run.computation()),
        differs=differences(settings, properties, ReplayConditions(about.name, about.digest, model)),
        **own,
    )


class _RecordedEnd(NamedTuple):
    """How a replay ended, as its record has it."""

    end: str
    exit_code: int
    cause: str | None = None


def opened_as_it_was(settings: ReplaySettings) -> tuple[ReplaySettings, list[OpenTrace]]:
    """The settings as in the recording where the user says nothing, and the traces opened with them."""
    opened = [open_source(path, settings.reading) for path in settings.traces]
    check_kinds(settings, [trace.kind for trace in opened])
    check_sites(settings, opened)
    return as_it_was(settings, [trace.properties for trace in opened]), opened


def traces_of(settings: ReplaySettings) -> Traces:
    """The traces, and how they are replayed."""
    return Traces(
        paths=settings.traces,
        reading=settings.reading,
        start_s=settings.start_s,
        compute_factor=settings.compute_scale,
        steady=settings.compute == "steady",
        ideal=settings.ideal,
    )


def _broken_streams(paths: Sequence[Path]) -> dict[Path, BrokenStreams]:
    """Find the streams that end too early, by trace. A trace that can no longer be read is left out: the replay of it is over."""
    broken = {}
    for path in paths:
        with suppress(InputError, OSError):
            broken[path] = streams_broken_in(path)
    return broken


def _ending(
    end: _core.ReplayEnd, run: _core.Replay, damage: Sequence[str], broken: Sequence[BrokenStreams]
) -> _RecordedEnd:
    """A trace that is not whole is replayed as far as it goes; that is no result of the program."""
    if end == _core.ReplayEnd.INTERRUPTED:
        return _RecordedEnd("interrupted", Interrupt.exit_code, "it was interrupted")
    if run.cut_off:
        ranks = len(run.end_of_ranks_s)
        which = f"{run.cut_off:,} of {ranks:,} ranks end before MPI_Finalize, {_why_early(broken)}"
        others = ": others wait for them" if end == _core.ReplayEnd.DEADLOCKED else ""
        return _RecordedEnd("cut_off", 1, f"the trace is not complete: the calls of {which}{others}")
    if end == _core.ReplayEnd.DEADLOCKED:
        return _RecordedEnd("deadlocked", 1, f"no rank can go on\n{run.deadlock}")
    if damage:
        return _RecordedEnd("cut_off", 1, f"the trace is not complete: {damage[0]}")
    return _RecordedEnd("completed", 0)


def _why_early(broken: Sequence[BrokenStreams]) -> str:
    """Why calls of ranks end before MPI_Finalize."""
    where = ", ".join(streams.where_damaged for streams in broken if streams.damaged)
    if not where:
        return "where the trace was cut off"
    cut_off = "where the trace was cut off, or " if any(streams.cut_off for streams in broken) else ""
    return f"{cut_off}at a damaged block ({where})"


def _jobs(settings: ReplaySettings, run: _core.Replay) -> list[dict[str, object]]:
    """Each trace's ranks, and when its last one ended."""
    first = [*run.first_ranks, len(run.end_of_ranks_s)]
    return [
        {"trace": str(path), "first_rank": first[i], "ranks": first[i + 1] - first[i],
         "end_s": max(run.end_of_ranks_s[first[i] : first[i + 1]], default=0.0)}
        for i, path in enumerate(settings.traces)
    ]  # fmt: skip


def _progress_of(run: _core.Replay) -> Callable[[_core.Progress, float], str]:
    def text(now: _core.Progress, rate: float) -> str:
        expected = run.operations_expected
        share = f"{min(1.0, run.operations / expected):4.0%}   " if expected else ""
        return f"{share}simulated {show_time(now.now_s)}   {now.ranks_alive:,} ranks   {rate:,.0f} messages/s"

    return text
