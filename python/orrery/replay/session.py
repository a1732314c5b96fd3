# SPDX-License-Identifier: BSD-3-Clause
"""One replay from settings to record."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from orrery import _core
from orrery.collective import best
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.experiment.room import check_room
from orrery.experiment.variants import is_random, seed_caution
from orrery.platform import core
from orrery.platform.find import find
from orrery.platform.trusted import cautions_of, trusted, verdict_of
from orrery.record import profile
from orrery.record.circumstances import digest_of_files, here, now
from orrery.record.document import Record
from orrery.replay.as_it_was import Now, as_it_was, differences
from orrery.replay.check import check_kinds
from orrery.replay.recorded import recorded_selector
from orrery.replay.recording import recording
from orrery.replay.settings import RECORDED, ReplaySettings
from orrery.simulate.description import platform_of
from orrery.simulate.replicas import Found, replicas_of, stopping
from orrery.simulate.traces import Experiment
from orrery.trace.sources import Opened, open_source
from orrery.units import show_time

_PERIOD_S = 0.1


def replay(settings: ReplaySettings) -> Record:
    """Replay to the end, whatever that is. Raises InputError for traces or settings that cannot be used."""
    settings, opened = _opened(settings)
    properties = [one.properties for one in opened]
    platform = trusted(settings.platform, force=settings.force)
    model = settings.model or platform["model"]
    hardware = core.build(platform)
    ranks = sum(one.source.capacity for one in opened)
    placement = place(ranks, Hosts.of(hardware, settings.mapping), settings.mapping)
    check_room(platform, placement, force=settings.force)
    search = _core.Stop()
    said: list[str] = []
    if settings.selector == RECORDED:
        selector, said = recorded_selector(settings, properties)
    elif settings.selector == best.NAME:
        otherwise = selector_named("default", settings.coll, None)
        selector = best.best(platform, hardware, model, placement.where, otherwise, stop=search)
    else:
        selector = selector_named(settings.selector, settings.coll, settings.rules)
    if len(settings.start_s) > len(opened):
        raise InputError(f"--start: {len(settings.start_s)} values for {len(opened)} traces")
    experiment = Experiment(settings, platform, hardware, model, selector, placement)
    about = platform_of(settings.platform, platform)
    run = experiment.simulation(settings.seed, opened, **recording(settings, opened, about, model))
    with _progress_line(run), stopping(run.stop, search.set):
        end = run.run()
    found = replicas_of(experiment, run) if end == _core.ReplayEnd.COMPLETED else Found()
    names = _core.routine_names()
    return Record(
        command=["replay", *map(str, settings.traces)],
        platform=platform["name"],
        platform_file=str(find(settings.platform)),
        platform_source=platform["source"],
        calibration=verdict_of(platform),
        model="ideal" if settings.ideal else model,
        selector=RECORDED if settings.selector == RECORDED else selector.name,
        coll=settings.coll,
        rules=None if settings.rules is None else str(settings.rules),
        mapping=settings.mapping,
        hosts=placement.hosts_used,
        start="replay",
        clock="simulated",
        compute="none" if settings.compute_scale == 0 else settings.compute_scale,
        ranks=ranks,
        simulated_s=run.simulated_s,
        wall_s=run.wall_s,
        messages=run.messages_sent,
        bytes=run.bytes_sent,
        file_accesses=run.file_accesses,
        file_bytes_read=run.file_bytes_read,
        file_bytes_written=run.file_bytes_written,
        events=run.events,
        peak_rss_bytes=None,
        exit_code=_EXIT_CODES[end],
        end=end.name.lower(),
        cause=_cause(end, run),
        cautions=[
            *said,
            *(caution for one in opened for caution in one.cautions),
            *_cautions(platform, placement.oversubscribed),
            *seed_caution(platform, model, said="seed" in settings.said),
            *found.cautions,
            *filter(None, [run.trace_error]),
        ],
        profile=profile.table_of(run.profile(), names),
        algorithms=profile.algorithms_of(run, names),
        stalled=run.stalled,
        stalled_s=run.stalled_s,
        seed=settings.seed,
        vary=settings.vary,
        replicas_s=found.times_s,
        replicas_routines_s=found.routines_s,
        interval=found.interval,
        jobs=_jobs(settings, run) if len(opened) > 1 else [],
        date=now(),
        folder=here(),
        noisy=is_random(platform, model) and not settings.ideal,
        computation="none" if settings.compute_scale == 0 else digest_of_files(settings.traces),
        differs=differences(settings, properties, Now(about.name, about.digest, "ideal" if settings.ideal else model)),
    )


_EXIT_CODES = {_core.ReplayEnd.COMPLETED: 0, _core.ReplayEnd.DEADLOCKED: 1, _core.ReplayEnd.INTERRUPTED: 130}


def _opened(settings: ReplaySettings) -> tuple[ReplaySettings, list[Opened]]:
    """The settings as in the recording where the user says nothing, and the traces opened with them."""
    opened = [open_source(path, settings.reading) for path in settings.traces]
    check_kinds(settings, [one.kind for one in opened])
    return as_it_was(settings, [one.properties for one in opened]), opened


def _cause(end: _core.ReplayEnd, run: _core.Replay) -> str | None:
    if end == _core.ReplayEnd.INTERRUPTED:
        return "it was interrupted"
    if end == _core.ReplayEnd.COMPLETED:
        return None
    if run.cut_off:
        return f"the streams of {run.cut_off:,} ranks end where their trace was cut off: others wait for them"
    return f"no rank can go on\n{run.deadlock}"


def _cautions(platform: core.Plain, oversubscribed: bool) -> list[str]:  # noqa: FBT001  one call, by position
    out = []
    if oversubscribed:
        out.append("more ranks than cores: computation is taken to be as much slower")
    out += cautions_of(platform)
    if "not measured" in platform["source"]:
        out.append("parts of the platform are typical, not measured: trust comparisons more than figures")
    return out


def _jobs(settings: ReplaySettings, run: _core.Replay) -> list[dict[str, object]]:
    """Each trace's ranks, and when its last one ended."""
    first = [*run.first_ranks, len(run.end_of_ranks_s)]
    return [
        {"trace": str(path), "first_rank": first[i], "ranks": first[i + 1] - first[i],
         "end_s": max(run.end_of_ranks_s[first[i] : first[i + 1]], default=0.0)}
        for i, path in enumerate(settings.traces)
    ]  # fmt: skip


@contextmanager
def _progress_line(run: _core.Replay) -> Iterator[None]:
    """Ten times a second, where error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(run, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        sys.stderr.write("\r\x1b[2K")


def _follow(run: _core.Replay, done: threading.Event) -> None:
    before = 0
    while not done.wait(_PERIOD_S):
        now = run.progress()
        rate = (now.messages - before) / _PERIOD_S
        before = now.messages
        expected = run.operations_expected
        share = f"{min(1.0, run.operations / expected):4.0%}   " if expected else ""
        sys.stderr.write(
            f"\r\x1b[2K{share}simulated {show_time(now.now_s)}   {now.ranks_alive:,} ranks   {rate:,.0f} messages/s"
        )
        sys.stderr.flush()
