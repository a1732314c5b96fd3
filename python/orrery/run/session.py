# SPDX-License-Identifier: BSD-3-Clause
"""One run from settings to record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from orrery import _core
from orrery.errors import InputError, Interrupt
from orrery.experiment.settings import check_vary
from orrery.platform import core
from orrery.record import profile
from orrery.record.circumstances import digest_of_files
from orrery.record.document import Record
from orrery.run import folding, sampling
from orrery.run.cautions import cautions_of, cautions_of_start
from orrery.run.ending import ending_of
from orrery.run.groups import cautions_of as cautions_of_groups
from orrery.run.groups import environment_of, landed_groups, places_of
from orrery.run.host_load import HostLoad
from orrery.run.host_load import cautions_of as cautions_of_load
from orrery.run.output import Terminal
from orrery.run.processes import check_processes
from orrery.run.repeat import repeated
from orrery.run.settings import RunSettings
from orrery.run.starting import StartPlan
from orrery.simulate.conclusion import record_of
from orrery.simulate.description import recorded
from orrery.simulate.experiment import Experiment
from orrery.simulate.link_load import links_kept
from orrery.simulate.live import live_line
from orrery.simulate.replicas import ReplicaTimes, replicas_of
from orrery.simulate.steady import steady_of
from orrery.simulate.stopping import stopping
from orrery.temporary import temporary_folder
from orrery.units import show_time

if TYPE_CHECKING:
    from orrery.simulate.traces import Traces


def simulate(settings: RunSettings) -> Record:
    """Run the program to its end, whatever that is; several times if that is wanted.

    Raises InputError for settings that cannot be used.
    """
    check_vary(settings.vary, settings.replicas)
    if settings.repeat == 1:
        return _simulate_once(settings)
    if settings.replicas > 1:
        raise InputError("--repeat measures computation anew, --replicas draws the platform's noise: use one of them")
    return repeated(settings, _simulate_once)


def _simulate_once(settings: RunSettings) -> Record:
    if settings.replicas == 1 or settings.trace is not None:
        return _simulate(settings)
    with temporary_folder() as folder:
        return _simulate(replace(settings, trace=folder / "replicas.trace"))


def _simulate(settings: RunSettings) -> Record:
    check_processes(settings.ranks)
    search = _core.Stop()
    experiment = Experiment.of(
        settings, settings.ranks, stop=search, later=settings.spawn_limit, said=settings.writer is None
    )
    starting = StartPlan.of(settings)
    groups = landed_groups(settings, experiment)
    run = _ready(settings, experiment, starting.parts(settings, environment_of(groups)))
    terminal = Terminal(label=settings.label, on_closed=run.stop, aside=settings.output_aside)
    limit_s = settings.timeout_s or 0.0
    load = HostLoad.now()
    with (
        links_kept(experiment, run),
        stopping(search.set, run.stop, limit_s=limit_s, pass_on=run.signal) as received,
        live_line(run, _progress_of(settings.ranks), terminal),
    ):
        outcome = run.run(settings.writer or terminal.write)
    others = HostLoad.now().others_since(load) if settings.compute != "none" else None
    ending = ending_of(outcome, settings, received=received, lost=terminal.lost)
    found = ReplicaTimes()
    if settings.replicas > 1 and ending.end == "completed" and not outcome.trace_error:
        found = replicas_of(experiment, _traces(settings), run)
    return record_of(
        experiment,
        run,
        found,
        cautions=[
            *ending.cautions,
            *cautions_of(settings, experiment, run),
            *cautions_of_start(outcome, settings.ranks),
            *cautions_of_load(others),
            *cautions_of_groups(groups),
        ],
        groups=places_of(groups),
        seed_said=settings.seed != 0,
        trace_error=outcome.trace_error,
        command=settings.command,
        start=starting.became(outcome),
        shared_by_fork=outcome.shared_by_fork,
        clock=settings.clock,
        compute=settings.compute,
        wall_s=outcome.wall_s,
        peak_rss_bytes=outcome.peak_rss_bytes or None,
        exit_code=Interrupt.exit_code if found.interrupted else ending.exit_code,
        end=ending.end,
        cause=ending.cause,
        profile=profile.rows(profile.entries(run.profile()), _core.routine_names()),
        computation=_computation(settings),
        steady=steady_of(run.computation()),
        interface=starting.interfaces,
        folded=folding.folded_of(run.folding()),
        sampled=sampling.blocks_of(run.sampling()),
        sampled_time=sampling.time_of(run.sampling(), run.simulated_s),
    )


def _ready(settings: RunSettings, experiment: Experiment, started: dict[str, Any]) -> _core.Run:
    """The run, before it begins. `started`: what is started, and how."""
    variant = experiment.variants.of(settings.seed)
    charged = "steady" if settings.is_steady else "raw"
    more = {"selector": settings.selector, "compute": str(settings.compute), "charged": charged}
    more |= {"computation": "none"} if settings.compute == "none" else {}
    return _core.Run(
        variant.hardware,
        variant.parameters,
        experiment.selector,
        label=settings.label,
        no_data=settings.data == "none",
        fold_from_bytes=settings.fold_heap,
        execute_all=settings.whole,
        measure_compute=settings.compute != "none",
        compute_scale=_factor(settings),
        steady=settings.is_steady,
        simulated_clock=settings.clock == "simulated",
        buffered_limit_bytes=core.buffered_limit_bytes(experiment.platform, experiment.model),
        **started,
        **experiment.on(variant, _factor(settings)),
        **recorded(experiment, settings.command, more),
    )


def _factor(settings: RunSettings) -> float:
    """Simulated seconds for a second of processor time here, on a core of speed 1."""
    return settings.compute if isinstance(settings.compute, float) else 1.0


def _traces(settings: RunSettings) -> Traces:
    """What the run did, to be simulated as the run was."""
    from orrery.simulate.traces import Traces
    from orrery.trace.sources import SourceOptions

    paths = [settings.trace] if settings.trace is not None else []
    return Traces(paths=paths, reading=SourceOptions(), compute_factor=_factor(settings), steady=settings.is_steady)


def _computation(settings: RunSettings) -> str:
    if settings.compute == "none":
        return "none"
    return digest_of_files([settings.trace]) if settings.trace is not None and settings.trace.exists() else ""


def _progress_of(ranks: int) -> Callable[[_core.Progress, float], str]:
    return lambda now, rate: (
        f"simulated {show_time(now.now_s)}   {now.ranks_alive:,} of {ranks:,} ranks   {rate:,.0f} messages/s"
    )
