# SPDX-License-Identifier: BSD-3-Clause
"""The table [calibration] of a platform file: verdict, provenance, noise, slowdowns, intervals and draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orrery.calibrate.fit import QUANTILES, CalibrationOutcome
from orrery.calibrate.uncertainty import TAILS
from orrery.calibrate.write.provenance import Provenance
from orrery.calibrate.write.toml import line, number, quoted
from orrery.calibrate.write.transport import has_connections
from orrery.platform.schema import Verdict

_KEPT_DRAWS = 50
"""Number of draws in the file: enough for percentiles of replicas. All draws would make the file ten times as long as its
parameters."""


def verdict_table(verdict: Verdict) -> str:
    """The grade, and each reason with its cure."""
    text = "[calibration.verdict]                 # good, usable or poor: how far the values below can be trusted\n"
    text += line("grade", quoted(verdict.grade))
    for reason in verdict.reasons:
        text += (
            "\n[[calibration.verdict.reason]]\n"
            + line("about", quoted(reason.about))
            + line("grade", quoted(reason.grade))
        )
        text += line("found", quoted(reason.found)) + line("cure", quoted(reason.cure))
    return text


def calibration_table(outcome: CalibrationOutcome, made: Provenance) -> str:
    """Provenance, and measured values that the simulation does not use."""
    text = "[calibration]                         # how this file came about; the simulation does not use it\n"
    text += line("date", quoted(made.date)) + line("host", quoted(made.host))
    text += line("mpi", quoted(outcome.layout.mpi)) + line("command", quoted(made.command))
    text += line("mpicc", quoted(made.mpicc)) + line("nodes", str(made.nodes))
    text += line("ranks_per_node", str(made.ranks_per_node)) + line("budget_s", number(made.budget_s))
    text += line("seed", str(made.seed)) + line("samples", str(outcome.samples))
    text += line("clock_drift_s_per_s", number(outcome.drift_s_per_s), "largest; compared before each use")
    text += line("unsteadiness", number(outcome.unsteadiness), "what the same arithmetic took more at times")
    text += line("arithmetic_s", number(outcome.calls.kernel_s), "the same in every calibration, where not disturbed")
    text += line("interrupted_share", number(outcome.interrupted_share), "of its repetitions waited for a processor")
    at = outcome.bottleneck
    text += line("disjoint_slowdown", number(at.slowdown), f"of {at.pairs} transfers at once that share no link")
    text += line("frame_load", number(at.frame_load), "of shared processors, by frames of all nodes at full rate")
    text += line("first_message_s", number(outcome.first_message_s), "what a pair's first message takes more")
    text += line(
        "half_duplex_share", number(outcome.sharing.half_duplex_share), "of blocking exchanges of a pair of processes"
    )
    text += line("overlap", _overlaps(outcome), "[bytes, sender, receiver]: part of a transfer without calls of MPI")
    text += line("noise_quantiles", "[" + ", ".join(map(str, QUANTILES)) + "]", "of measured over fitted times, below")
    text += "\n[calibration.noise]                   # measured over fitted one-way times of the regimes\n"
    for name, path in (("between_nodes", outcome.network), ("inside_node", outcome.memory)):
        for index, regime in enumerate(path.regimes if path else []):
            text += line(f'"{name}.{index}"', "[" + ", ".join(number(value) for value in regime.noise) + "]")
    text += "\n[calibration.slowdown]                # transfers at once over one alone: least, median, most\n"
    for case in outcome.sharing.cases:
        key = f'"{case.name}.{case.transfers}.{case.bytes}{case.delay}"'
        values = (case.slowdown.min(), sorted(case.slowdown)[len(case.slowdown) // 2], case.slowdown.max())
        text += line(key, "[" + ", ".join(number(float(value)) for value in values) + "]")
    return text


def _overlaps(outcome: CalibrationOutcome) -> str:
    return (
        "["
        + ", ".join(
            f"[{overlap.bytes}, {number(overlap.sender)}, {number(overlap.receiver)}]" for overlap in outcome.overlaps
        )
        + "]"
    )


def uncertainty_tables(outcome: CalibrationOutcome, spread: Mapping[str, Sequence[float]]) -> str:
    """Intervals of 95 % and some of the draws from which they follow.

    `spread`: for each key its value in every draw. The draws also show how values are correlated.
    """
    text = "[calibration.intervals]               # 95 %, by key\n"
    intervals = {key: np.quantile(values, TAILS) for key, values in spread.items()}
    if not outcome.layout.alone:
        intervals |= {"cluster[0].limiter_factor": np.array(outcome.sharing.limiter_interval)}
    if outcome.sharing.ack_fraction and has_connections(outcome):
        intervals |= {"transport.connections.ack_fraction": np.array(outcome.sharing.ack_interval)}
    for key, interval in intervals.items():
        text += line(f'"{key}"', "[" + ", ".join(number(float(value)) for value in interval) + "]")
    if not spread:
        return text
    text += "\n[calibration.draws]                   # as likely values; the n-th of all keys belong together\n"
    for key, values in spread.items():
        text += line(f'"{key}"', "[" + ", ".join(f"{value:.4g}" for value in values[:_KEPT_DRAWS]) + "]")
    return text
