# SPDX-License-Identifier: BSD-3-Clause
"""The record of a simulation that has ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orrery import _core
from orrery.collective.asked import cautions_of_uses, remarks_on
from orrery.evidence.expectation import expected_of_program, why_no_program
from orrery.evidence.repeats import computation_spread
from orrery.evidence.statement import statement_of
from orrery.experiment.variants import is_random, seed_caution
from orrery.platform.find import find
from orrery.platform.reach import TECHNIQUES
from orrery.platform.trusted import cautions_of, verdict_of
from orrery.platform.typical import caution_of_typical
from orrery.record import profile
from orrery.record.circumstances import here, now
from orrery.record.document import Record, Row
from orrery.record.expected import ExpectedInterval
from orrery.record.unserved import sentences
from orrery.simulate.description import digest_of
from orrery.simulate.experiment import Experiment
from orrery.simulate.replicas import ReplicaTimes
from orrery.units import show_bytes


def record_of(
    experiment: Experiment,
    run: _core.Simulated,
    found: ReplicaTimes,
    *,
    cautions: Sequence[str],
    seed_said: bool,
    trace_error: str,
    **own: Any,
) -> Record:
    """The record of a run or a replay that has ended.

    Args:
        experiment: the experiment that was simulated.
        run: the simulation.
        found: its replicas.
        cautions: cautions about the program or the traces; those about algorithms that did not serve come before, those about
            the platform and the noise behind.
        seed_said: whether the user gave a seed.
        trace_error: why the recorded trace is incomplete; empty if it is complete. Then the simulation has failed, though it
            came to its end.
        own: fields of `Record` that runs and replays set differently; they override those that are set here.
    """
    settings, platform, model = experiment.settings, experiment.platform, experiment.model
    algorithms = profile.algorithms_of(run.algorithm_use(), _core.routine_names())
    alike = {
        "platform": platform["name"],
        "platform_file": str(find(settings.platform)),
        "platform_digest": digest_of(platform),
        "platform_source": platform["source"],
        "calibration": verdict_of(platform),
        "model": model,
        "selector": settings.selector,
        "coll": settings.coll,
        "rules": None if settings.rules is None else str(settings.rules),
        "mapping": settings.mapping,
        "hosts": experiment.placement.hosts_used,
        "ranks": len(experiment.placement.host_of_rank),
        "host_of_rank": _hosts(experiment),
        "speeds": experiment.speeds,
        "simulated_s": run.simulated_s,
        "launched_s": run.launched_s,
        "messages": run.messages_sent,
        "bytes": run.bytes_sent,
        "file_accesses": run.file_accesses,
        "file_bytes_read": run.file_bytes_read,
        "file_bytes_written": run.file_bytes_written,
        "events": run.events,
        "cautions": [
            *sentences(algorithms),
            *_never_received(run, own),
            *_of_selector(experiment, run, complete=own.get("end") == "completed"),
            *cautions,
            *(steady.cautions() if (steady := own.get("steady")) else []),
            *cautions_of(platform),
            *caution_of_typical(platform, own.get("model", model), files=run.file_accesses > 0),
            *seed_caution(platform, model, said=seed_said),
            *found.cautions,
            *([trace_error] if trace_error and own["cause"] else []),
        ],
        "stalled": run.stalled,
        "stalled_s": run.stalled_s,
        "connections": _connections(experiment, run),
        "connecting_s": run.connecting_s,
        "relayed_messages": run.relayed_messages,
        "relayed_bytes": run.relayed_bytes,
        "seed": settings.seed,
        "vary": settings.vary,
        "sharing_error": settings.error_of_sharing,
        "replicas_s": found.times_s,
        "replicas_routines_s": found.routines_s,
        "interval": found.interval,
        "expected": _expected(experiment, run, found, own),
        "not_expected": _why_not(experiment, own),
        "algorithms": algorithms,
        "date": now(),
        "folder": here(),
        "noisy": is_random(platform, model),
    }
    return Record(**{**alike, **own, "cause": own["cause"] or trace_error or None})


def _never_received(run: _core.Simulated, own: dict[str, Any]) -> list[str]:
    """A caution where messages were sent to nobody, of a simulation that came to its end."""
    if own["end"] != "completed":
        return []
    messages, size, source, dest = run.unreceived
    if messages == 0:
        return []
    if messages == 1:
        return [f"a message of {show_bytes(size)}, from rank {source} to rank {dest}, was never received"]
    return [
        f"{messages:,} messages with {show_bytes(size)} were never received, such as one from rank {source} to rank {dest}"
    ]


def _connections(experiment: Experiment, run: _core.Simulated) -> dict[str, int]:
    if experiment.platform["broker"] is None:
        return {}
    return dict(zip(TECHNIQUES, run.connections, strict=True))


def _expected(
    experiment: Experiment, run: _core.Simulated, found: ReplicaTimes, own: dict[str, Any]
) -> ExpectedInterval | None:
    """Expected interval of the real time; None if there are no residuals for the run."""
    if not _is_judged(experiment, own):
        return None
    ranks = len(experiment.placement.host_of_rank)
    rows = (row for row in own["profile"].summed if row.phase is None)
    mpi_s = (
        sum(row.exclusive_s for row in rows if row.name.startswith("MPI_") and row.name not in _START_AND_END) / ranks
    )
    return expected_of_program(
        ranks,
        found.interval.median_s if found.interval else run.simulated_s,
        mpi_s,
        run.bytes_sent // max(1, run.messages_sent),
        computation_spread_s=_computation_s(own) / ranks * (computation_spread(own.get("steady")) or 0),
        interval=found.interval,
        statement=statement_of(experiment.platform),
    )


def _computation_s(own: dict[str, Any]) -> float:
    """Time outside of MPI, summed over ranks."""
    rows: list[Row] = own["profile"].summed
    return sum(row.exclusive_s for row in rows if row.phase is None and row.name == profile.APPLICATION)


def _is_judged(experiment: Experiment, own: dict[str, Any]) -> bool:
    """Whether there are residuals for runs like this one: they are of complete runs with model hybrid."""
    return bool(own.get("model", experiment.model) == "hybrid" and own["end"] == "completed")


def _why_not(experiment: Experiment, own: dict[str, Any]) -> str:
    """Why there is no expected interval, where the platform is the reason."""
    return why_no_program(statement_of(experiment.platform)) if _is_judged(experiment, own) else ""


_START_AND_END = ("MPI_Init()", "MPI_Init_thread()", "MPI_Finalize()")


def _of_selector(experiment: Experiment, run: _core.Simulated, *, complete: bool) -> list[str]:
    """When a run did not complete, nobody knows which calls would have come."""
    rules = experiment.settings.rules
    found = cautions_of_uses(run.algorithm_use(), experiment.selector, rules) if complete else []
    return [*remarks_on(rules), *found]


def _hosts(experiment: Experiment) -> list[str]:
    """Names by rank, where the profile has ranks, too."""
    placed = experiment.placement.host_of_rank
    if len(placed) > profile.MOST_TABLES:
        return []
    hosts = experiment.hardware.hosts
    return [hosts[number].name for number in placed]
