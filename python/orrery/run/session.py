# SPDX-License-Identifier: BSD-3-Clause
"""One run from settings to record."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from orrery import _core
from orrery.collective import best
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, Placement, place, places_after
from orrery.experiment.room import check_room
from orrery.experiment.settings import check_vary
from orrery.experiment.variants import is_random, seed_caution
from orrery.platform import core
from orrery.platform.find import find
from orrery.platform.model import Model
from orrery.platform.trusted import cautions_of, trusted, verdict_of
from orrery.record import profile
from orrery.record.circumstances import digest_of_files, here, now
from orrery.record.document import Record
from orrery.run.failure import cause
from orrery.run.interface import Needs, needs
from orrery.run.output import Terminal, progress_line
from orrery.run.programs import startable
from orrery.run.repeat import repeated
from orrery.run.settings import RunSettings
from orrery.simulate.description import description, platform_of
from orrery.simulate.replicas import Found

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
_TIMED_OUT = 124  # as of timeout(1)


def simulate(settings: RunSettings) -> Record:
    """Run the program to its end, whatever that is; several times if that is wanted.

    Raises InputError for settings that cannot be used.
    """
    check_vary(settings)
    if settings.repeat == 1:
        return _simulate_once(settings)
    if settings.replicas > 1:
        raise InputError("--repeat measures computation anew, --replicas draws the platform's noise: use one of them")
    return repeated(settings, _simulate_once)


def _simulate_once(settings: RunSettings) -> Record:
    if settings.replicas == 1 or settings.trace is not None:
        return _simulate(settings)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="orrery-") as folder:
        return _simulate(replace(settings, trace=Path(folder) / "replicas.trace"))


def _simulate(settings: RunSettings) -> Record:
    platform = trusted(settings.platform, force=settings.force, said=not settings.silent)
    model = settings.model or platform["model"]
    hardware = core.build(platform)
    hosts = hardware.hosts
    room = Hosts.of(hardware, settings.mapping)
    placement = place(settings.ranks, room, settings.mapping)
    check_room(platform, placement, force=settings.force)
    later = places_after(settings.ranks, settings.spawn_limit, room, settings.mapping)
    search = _core.Stop()
    if settings.selector == best.NAME:
        otherwise = selector_named("default", settings.coll, None)
        selector = best.best(platform, hardware, model, placement.where, otherwise, stop=search)
    else:
        selector = selector_named(settings.selector, settings.coll, settings.rules)
    commands = [startable(program.command, os.environ) for program in settings.programs]
    wanted = [needs(command, os.environ) for command in commands]
    start = _launch(settings, wanted)
    run = _core.Run(
        hardware,
        core.parameters(platform, model, settings.seed),
        selector,
        command=commands[0],
        environment=_environment(wanted[0]),
        programs=_several(settings, commands, wanted),
        ranks=settings.ranks,
        host_of_rank=placement.followed_by(later).where,
        compute_factor=_compute_factors(settings, hosts, placement) + _compute_factors(settings, hosts, later),
        start=_core.Start[start.upper()],
        label=settings.label,
        measure_compute=settings.compute != "none",
        simulated_clock=settings.clock == "simulated",
        buffered_limit_bytes=core.buffered_limit_bytes(platform, model),
        storage=core.storage(platform),
        **platform["compute"],
        **_tracing(settings, platform, model),
    )
    terminal = Terminal(label=settings.label, on_closed=run.stop, aside=settings.output_aside, silent=settings.silent)
    with _stopping(run, search, settings.timeout_s) as received, progress_line(terminal, run, settings.ranks):
        outcome = run.run(terminal.write)
    found = Found()
    if settings.replicas > 1 and outcome.end == _core.End.COMPLETED and not outcome.trace_error:
        from orrery.simulate.replicas import replicas_of
        from orrery.simulate.traces import Experiment, of_run

        every = placement.followed_by(later)
        again = Experiment(of_run(settings), platform, hardware, model, selector, every)
        found = replicas_of(again, run)
    names = _core.routine_names()
    rows = profile.rows(profile.entries(run.profile()), names)
    return Record(
        command=settings.command,
        platform=platform["name"],
        platform_file=str(find(settings.platform)),
        platform_source=platform["source"],
        calibration=verdict_of(platform),
        model=model,
        selector=selector.name,
        coll=settings.coll,
        rules=None if settings.rules is None else str(settings.rules),
        mapping=settings.mapping,
        hosts=placement.hosts_used,
        start=start,
        clock=settings.clock,
        compute=settings.compute,
        ranks=settings.ranks,
        simulated_s=run.simulated_s,
        wall_s=outcome.wall_s,
        messages=run.messages_sent,
        bytes=run.bytes_sent,
        file_accesses=run.file_accesses,
        file_bytes_read=run.file_bytes_read,
        file_bytes_written=run.file_bytes_written,
        events=run.events,
        peak_rss_bytes=outcome.peak_rss_bytes or None,
        exit_code=_exit_code(outcome, received, closed=terminal.failure is not None),
        end=outcome.end.name.lower(),
        cause=terminal.failure or _timed_out(outcome, received, settings) or cause(outcome),
        cautions=[
            *_cautions(settings, platform, model, placement, run),
            *seed_caution(platform, model, said=settings.seed != 0),
            *found.cautions,
            *filter(None, [outcome.trace_error]),
        ],
        stalled=run.stalled,
        stalled_s=run.stalled_s,
        seed=settings.seed,
        vary=settings.vary,
        replicas_s=found.times_s,
        replicas_routines_s=found.routines_s,
        interval=found.interval,
        profile=rows,
        algorithms=profile.algorithms_of(run, names),
        date=now(),
        folder=here(),
        noisy=is_random(platform, model),
        computation=_computation(settings),
        interface=", ".join(dict.fromkeys(one.interface.name for one in wanted)),
    )


def _launch(settings: RunSettings, wanted: list[Needs]) -> str:
    """How ranks become processes. Raises InputError where that cannot be by forking."""
    several = len(settings.programs) > 1
    if settings.launch == "fork" and several:
        raise InputError("--launch fork: ranks of several programs cannot be forked from one; leave it out")
    if settings.launch != "auto":
        return settings.launch
    return "exec" if several or any(one.is_script for one in wanted) else "fork"


def _environment(wanted: Needs) -> list[str]:
    return [f"{name}={value}" for name, value in {**os.environ, **wanted.environment}.items()]


def _several(
    settings: RunSettings, commands: list[list[str]], wanted: list[Needs]
) -> list[tuple[list[str], list[str], int]]:
    """The programs as the core takes them; none: there is but one."""
    if len(settings.programs) == 1:
        return []
    return [
        (command, _environment(need), program.ranks)
        for command, need, program in zip(commands, wanted, settings.programs, strict=True)
    ]


def _tracing(settings: RunSettings, platform: core.Plain, model: Model) -> dict[str, Any]:
    """Where the trace goes, and what it says of itself."""
    if settings.trace is None:
        return {}
    more = {"selector": settings.selector, "compute": str(settings.compute)}
    said = description(settings, settings.command, platform_of(settings.platform, platform), model, more)
    return {"trace": str(settings.trace), "trace_properties": said}


def _computation(settings: RunSettings) -> str:
    if settings.compute == "none":
        return "none"
    return digest_of_files([settings.trace]) if settings.trace is not None and settings.trace.exists() else ""


def _compute_factors(settings: RunSettings, hosts: list[_core.Host], placement: Placement) -> list[float]:
    """Simulated seconds for a second of processor time here: FACTOR, over the host's speed, times ranks per core."""
    factor = settings.compute if isinstance(settings.compute, float) else 1.0
    speeds = [host.speed for host in hosts]
    return [factor * load / speeds[host] for host, load in zip(placement.host_of_rank, placement.load, strict=True)]


@contextmanager
def _stopping(run: _core.Run, search: _core.Stop, timeout_s: float | None) -> Iterator[list[int]]:
    """Ctrl-C, requests to end and the time limit stop the run in order, and a search for algorithms under way.

    Gives the signals that came.
    """
    received: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        search.set()
        run.stop()

    before = {number: signal.signal(number, stop) for number in _STOPPING}
    signal.setitimer(signal.ITIMER_REAL, timeout_s or 0)
    try:
        yield received
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _timed_out(outcome: _core.Outcome, received: list[int], settings: RunSettings) -> str | None:
    if outcome.end != _core.End.INTERRUPTED or received[:1] != [signal.SIGALRM] or settings.timeout_s is None:
        return None
    return f"it took longer than its time limit of {settings.timeout_s:g} s"


def _exit_code(outcome: _core.Outcome, received: list[int], *, closed: bool) -> int:
    if outcome.end == _core.End.COMPLETED:
        return 0
    if outcome.end != _core.End.INTERRUPTED:
        return outcome.exit_code or 1  # what failed never looks well, even if the program left with 0
    if received:
        return _TIMED_OUT if received[0] == signal.SIGALRM else 128 + received[0]
    return 128 + signal.SIGPIPE if closed else outcome.exit_code


def _cautions(
    settings: RunSettings, platform: core.Plain, model: Model, placement: Placement, run: _core.Run
) -> list[str]:
    out = []
    if placement.oversubscribed:
        load = max(placement.load)
        out.append(
            f"more ranks than cores, up to {load:g} per core: computation is taken to be as much slower; "
            f"messages between ranks that wait for their turn are not"
        )
    if settings.compute != "none" and settings.repeat == 1 and settings.replicas == 1:
        out.append(
            "computation was measured once on this host, and the next run differs: --repeat 6 says how much; compare on "
            "one trace (-o FILE.trace, then `orrery replay`)"
        )
    if settings.clock == "host":
        out.append("the program's clocks follow this host: times that it prints are not simulated")
    if model == "fluid":
        out.append("model fluid has no protocol: small messages look faster than they are")
    if model == "loggps":
        out.append(
            "model loggps knows no contention between nodes: collectives of many ranks look faster than they are"
        )
    if run.file_accesses > 0 and platform["storage"] is None:
        out.append("the platform has no [storage]: files cost what a small file system of typical values would")
    if run.outside_waits > 0:
        out.append(
            "a rank waited for something outside of MPI (a connection, a pipe), and the others went on without it: "
            "what it did next begins when they had come so far"
        )
    out += cautions_of(platform)
    if "not measured" in platform["source"]:
        out.append("parts of the platform are typical, not measured: trust comparisons more than figures")
    return out
