# SPDX-License-Identifier: BSD-3-Clause
"""What to keep in mind when reading the figures of a run."""

from __future__ import annotations

from orrery import _core
from orrery.evidence.repeats import computation_spread
from orrery.record.last_run import earlier_times
from orrery.run import folding, sampling
from orrery.run.settings import RunSettings
from orrery.simulate.description import digest_of
from orrery.simulate.experiment import Experiment
from orrery.simulate.steady import steady_of
from orrery.units import show_time


def cautions_of(settings: RunSettings, experiment: Experiment, run: _core.Run) -> list[str]:
    """A sentence each, of a run that has ended."""
    placement, model = experiment.placement, experiment.model
    out = placement.cautions
    if settings.compute != "none" and settings.repeat == 1 and settings.replicas == 1:
        out.append(
            f"computation was measured once on this host, and two runs differ{_differences(settings, experiment, run)}; "
            "compare on one trace (-o FILE.trace, then `orrery replay`)"
        )
    if settings.clock == "host":
        out.append("the program's clocks follow this host: times that it prints are not simulated")
    if settings.data == "none":
        out.append(
            "messages carried no floating-point numbers but short ones (--data none): values that the program prints may be "
            "wrong, and so is when it stops if that depends on them"
        )
    if model == "fluid":
        out.append("model fluid has no protocol: small messages look faster than they are")
    if model == "loggps":
        out.append(
            "model loggps knows no contention between nodes: collectives of many ranks look faster than they are"
        )
    if run.file_accesses > 0 and experiment.platform["storage"] is None:
        out.append("the platform has no [storage]: files cost what a small file system of typical values would")
    if run.outside_waits > 0:
        out.append(
            "a rank waited for something outside of MPI (a connection, a pipe), and the others went on without it: "
            "what it did next begins when they had come so far"
        )
    waiting, seconds = run.memory_waits()
    if waiting > 0:
        out.append(_memory_waits(settings, waiting, seconds))
    return out + folding.cautions_of(run.folding()) + sampling.cautions_of(run.sampling())


def cautions_of_start(outcome: _core.Outcome, ranks: int) -> list[str]:
    """What to know of how ranks were started, where it was not by the plain way."""
    if not outcome.shared_by_fork or ranks == 1:
        return []
    if outcome.afresh:
        return [
            (
                f"before MPI_Init the program has {outcome.shared_by_fork}: so that ranks do not share that, each was started "
                "afresh instead of forked from one process"
            )
        ]
    return [
        (
            f"--launch fork: before MPI_Init the program has {outcome.shared_by_fork}, which all ranks share: a file has one "
            "position for all of them, and seeds and names are the same; leave out --launch fork"
        )
    ]


def _memory_waits(settings: RunSettings, ranks: int, seconds: float) -> str:
    who = "a rank" if ranks == 1 else f"{ranks:,} ranks"
    if settings.compute == "none":
        return (
            f"{who} used a processor for seconds without a call of MPI, and most likely waited for others by reading memory in a "
            f"loop: the others went on, and the loop took simulated time ({show_time(seconds)} of this host's); two runs differ"
        )
    return (
        f"{who} used a processor for {show_time(seconds)} without a call of MPI while others went on, and may share memory with "
        "them: if that was a loop that waits for a value, it saw the value when this host had written it, which is the later the busier this host is"
    )


def _differences(settings: RunSettings, experiment: Experiment, run: _core.Run) -> str:
    """By how much, as the runs say that were made here before; else how that is found out."""
    same = {
        "command": settings.command,
        "platform_digest": digest_of(experiment.platform),
        "model": experiment.model,
        "mapping": settings.mapping,
        "selector": settings.selector,
        "coll": settings.coll,
        "rules": None if settings.rules is None else str(settings.rules),
        "seed": settings.seed,
        "sharing_error": settings.error_of_sharing,
        "ranks": settings.ranks,
        "compute": settings.compute,
        "clock": settings.clock,
    }
    times_s = [*earlier_times(same), run.simulated_s]
    if len(times_s) == 1 or min(times_s) <= 0:
        spread = computation_spread(steady_of(run.computation()))
        mostly = "" if spread is None else f" (9 of 10 are within {spread:.0%} of the computation of their median)"
        return f"{mostly}: --repeat 6 says how much"
    return (
        f", the last {len(times_s)} of this command by {max(times_s) / min(times_s) - 1:.1%} (--repeat 6: an interval)"
    )
