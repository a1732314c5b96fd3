# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that are expected to contain the real time of a prediction, from residuals of earlier predictions.

A residual is the relative difference of a measured time and its prediction, on clusters that were measured and calibrated
in the same hour (`tests/evidence`, from `orrery validate residuals`).

Collectives: locally weighted conformal prediction, by clusters. The difficulty of a case is the mean error of cases like it, where
each counts relative to the spread that its calibration states, times the spread that the calibration of the new case states
(`Difficulty`). The score of a known case is its error over its difficulty by all clusters but its own. The half-width for a new case
is its difficulty times the quantile of the known scores, where all clusters weigh the same.

Programs: split conformal prediction on residuals relative to the time in MPI, over the difficulty of calls with messages of their size.

Platforms that were written by hand state nothing of their uncertainty. The half-width is the quantile of the errors of machines with
such platforms, where all machines weigh the same. No program was measured on such a machine.

If the cluster of the new case and those of the known ones are exchangeable, the interval contains the real time with a probability
of about 0.9. There are few clusters, so this holds on average over clusters; on one of them it may be less.

Sources: Lei, G'Sell, Rinaldo, Tibshirani, Wasserman 2018, doi:10.1080/01621459.2017.1307116, section 5.2; Dunn, Wasserman, Ramdas 2023,
doi:10.1080/01621459.2022.2060112, for groups.
"""

from __future__ import annotations

from math import exp, hypot, log2, sqrt

from orrery.evidence.residuals import LEVEL, Residuals, evidence, weighted_quantile
from orrery.evidence.statement import Statement
from orrery.noise.intervals import Interval
from orrery.record.expected import ExpectedInterval
from orrery.units import show_bytes

NO_CALIBRATION = "no calibration says how uncertain this platform is"
"""What is said of a platform that was written by hand."""
_NO_PROGRAMS = "the platform is not calibrated (`orrery calibrate`)"
"""No program was measured on a platform that was written by hand."""
_DISTURBED = "nodes were busy when calibrated: calibrate again"
"""Programs were measured in undisturbed hours only."""


def expected_of_call(
    kind: str,
    ranks: int,
    size: int,
    time_s: float,
    *,
    statement: Statement | None,
    interval: Interval | None = None,
    residuals: Residuals | None = None,
) -> ExpectedInterval:
    """Expected interval of one collective call.

    Args:
        kind: the collective, such as `bcast`.
        ranks: number of participating ranks.
        size: bytes, in the sense of the collective (see `orrery collective --help`).
        time_s: predicted time; the median if there are replicas.
        statement: what the platform's calibration says of its uncertainty; None: the platform was written by hand.
        interval: that of the replicas; the result encloses it.
        residuals: residuals to use, by default those that come with Orrery.
    """
    from_ = residuals or evidence()
    reach = reach_of_call(kind, ranks, size, statement=statement, residuals=from_)
    low_s, high_s = _enclosing(time_s * exp(-reach), time_s * exp(reach), interval)
    if statement is None:
        machines = from_.hand_written
        cases, beyond = sum(len(machine.calls) for machine in machines), [_by_hand(len(machines), reach)]
        return ExpectedInterval(
            low_s=low_s, high_s=high_s, level=LEVEL, cases=cases, clusters=len(machines), by_hand=True, beyond=beyond
        )
    beyond = _beyond(from_, kind, ranks, size)
    return ExpectedInterval(
        low_s=low_s,
        high_s=high_s,
        level=LEVEL,
        cases=len(from_.calls),
        clusters=len(from_.clusters),
        beyond=beyond,
    )


def reach_of_call(
    kind: str, ranks: int, size: int, *, statement: Statement | None, residuals: Residuals | None = None
) -> float:
    """Half-width of the interval of 90 % of ln(real over predicted time) of one call. Arguments are those of `expected_of_call`.

    Beyond the evidence it is that of its limits, or wider.
    """
    from_ = residuals or evidence()
    if statement is None:
        return weighted_quantile(
            (error, 1 / len(machine.calls)) for machine in from_.hand_written for error in machine.calls
        )
    difficulty = from_.difficulty.of(kind, ranks, size, statement)
    return from_.score * difficulty * _wider(ranks, from_.most_ranks)


def reach_of_ratio(
    kind: str, ranks: int, size: int, *, statement: Statement | None, residuals: Residuals | None = None
) -> float:
    """Half-width of the interval of 90 % of ln(ratio), for the ratio of the times of two algorithms for one call.

    Residuals of two collectives of one hour, size and number of ranks are as far apart as if they were independent: the
    half-width is sqrt(2) times that of one call. On platforms that were written by hand, errors of two algorithms are alike, and it is
    measured. Arguments are those of `expected_of_call`.
    """
    from_ = residuals or evidence()
    if statement is None:
        return weighted_quantile(
            (error, 1 / len(machine.ratios)) for machine in from_.hand_written for error in machine.ratios
        )
    return sqrt(2) * reach_of_call(kind, ranks, size, statement=statement, residuals=from_)


def expected_of_program(
    ranks: int,
    time_s: float,
    mpi_s: float,
    message_bytes: int,
    *,
    statement: Statement | None,
    computation_spread_s: float = 0,
    interval: Interval | None = None,
    residuals: Residuals | None = None,
) -> ExpectedInterval | None:
    """Expected interval of one run of a program; None where no program was measured on a platform like this one (`why_no_program`).

    Args:
        ranks: number of ranks of the program.
        time_s: predicted time; the median if there are replicas.
        mpi_s: predicted time in MPI, mean over ranks. Only this part of the time is subject to the model's error.
        computation_spread_s: half-width of the interval of 90 % of the time by how computation was measured (`spread_of`).
        message_bytes: mean size of its messages.
        statement: what the platform's calibration says of its uncertainty; None: the platform was written by hand.
        interval: that of the replicas; the result encloses it.
        residuals: residuals to use, by default those that come with Orrery.
    """
    from_ = residuals or evidence()
    if statement is None or why_no_program(statement, from_):
        return None
    reach = mpi_s * reach_of_program(ranks, message_bytes, statement=statement, residuals=from_)
    low_s = max(0.0, time_s - hypot(min(reach, mpi_s), computation_spread_s))
    low_s, high_s = _enclosing(low_s, time_s + hypot(reach, computation_spread_s), interval)
    return ExpectedInterval(
        low_s=low_s,
        high_s=high_s,
        level=LEVEL,
        cases=len(from_.programs),
        clusters=len({from_.hours[program.hour].cluster for program in from_.programs}),
        beyond=_more(ranks, from_.most_ranks_of_programs),
    )


def why_no_program(statement: Statement | None, residuals: Residuals | None = None) -> str:
    """Why there is no interval for programs on a platform, in words; empty if there is one. Arguments are those of `expected_of_call`."""
    if statement is None:
        return _NO_PROGRAMS
    from_ = residuals or evidence()
    states = {from_.hours[program.hour].statement.host for program in from_.programs}
    return "" if statement.host in states else _DISTURBED


def reach_of_program(
    ranks: int, message_bytes: int, *, statement: Statement, residuals: Residuals | None = None
) -> float:
    """Half-width of the interval of 90 % of a program's time, over its time in MPI. Arguments are those of `expected_of_program`."""
    from_ = residuals or evidence()
    difficulty = from_.difficulty.of("", ranks, message_bytes, statement)
    return from_.program_score * difficulty * _wider(ranks, from_.most_ranks_of_programs)


def _wider(ranks: int, most: int) -> float:
    """Factor on the half-width for more ranks than were measured: the ratio of log2 of both.

    A collective has about log2(ranks) rounds, and each is assumed to have the same error.
    """
    return max(1.0, log2(max(2, ranks)) / log2(most))


def caution_of_ratios(statement: Statement | None, residuals: Residuals | None = None) -> list[str]:
    """What ranges of ratios rest on where the platform has no calibration; nothing where it has one."""
    if statement is not None:
        return []
    machines = sum(bool(machine.ratios) for machine in (residuals or evidence()).hand_written)
    return [f"{NO_CALIBRATION}: ranges are as wide as ratios were off on {machines} machines with platforms by hand"]


def _by_hand(machines: int, reach: float) -> str:
    return f"{NO_CALIBRATION}: 9 of 10 were within a factor of {exp(reach):.2g} on {machines} machines with platforms by hand"


def _beyond(from_: Residuals, kind: str, ranks: int, size: int) -> list[str]:
    out = _more(ranks, from_.most_ranks)
    if not any(call.kind == kind for call in from_.calls):
        out.append(f"no {kind} was measured: that of all collectives of this size counts")
    if size > (largest := max(call.bytes for call in from_.calls)):
        out.append(f"more than {show_bytes(largest)} was not measured: that of the largest sizes counts")
    return out


def _more(ranks: int, most: int) -> list[str]:
    if ranks <= most:
        return []
    return [f"{ranks:,} ranks, where at most {most} were measured: {_wider(ranks, most):.2g} times as wide"]


def _enclosing(low_s: float, high_s: float, interval: Interval | None) -> tuple[float, float]:
    """Both ends, or those of the interval where it is wider."""
    if interval is None:
        return low_s, high_s
    return min(low_s, interval.low_s), max(high_s, interval.high_s)
