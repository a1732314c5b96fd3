# SPDX-License-Identifier: BSD-3-Clause
"""From samples to files: the platform, the report, the summary."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from orrery.calibrate.fit.outcome import Outcome, evaluate
from orrery.calibrate.measure.host_speed import host_kernel_s
from orrery.calibrate.measure.results import Results
from orrery.calibrate.measure.session import About
from orrery.calibrate.uncertainty.draws import with_draws
from orrery.calibrate.write.document import Provenance, document, values_of
from orrery.output import Output
from orrery.platform.schema import Verdict


def outcome_of(results: Results, about: About, *, most_regimes: int) -> Outcome:
    """Fit what was measured. Raises CalibrationError when nothing can be fitted to it."""
    outcome = evaluate(
        results,
        nodes=about.nodes,
        ppn=about.ppn,
        groups=about.cabinets,
        most_regimes=most_regimes,
    )
    return with_draws(outcome, results, about.cabinets)


def provenance(outcome: Outcome, about: About, host_kernel: float | None) -> Provenance:
    """What the file says of how it came about."""
    measured = outcome.calls.kernel_s
    return Provenance(
        name=about.name,
        date=about.date,
        host=about.host,
        command=about.command,
        mpicc=about.mpicc,
        nodes=about.nodes,
        ranks_per_node=about.ppn,
        groups=about.cabinets,
        cores=about.cores,
        budget_s=about.budget_s,
        seed=about.seed,
        speed=host_kernel / measured if host_kernel and measured > 0 else 0.0,
    )


def write_platform(outcome: Outcome, about: About, verdict: Verdict, output: Output) -> None:
    """The platform file. Raises InputError when it cannot be written."""
    host_kernel = host_kernel_s()
    others = [values_of(one, provenance(one, about, host_kernel)) for one in outcome.draws]
    output.write(document(outcome, provenance(outcome, about, host_kernel), verdict, others))


def summary(outcome: Outcome, about: About, verdict: Verdict) -> dict[str, Any]:
    """Everything that was found, as JSON takes it; SI units."""
    network = outcome.network
    return {
        "verdict": verdict.model_dump(),
        "about": asdict(about),
        "mpi": outcome.layout.mpi,
        "nodes": outcome.layout.nodes,
        "shared_processors": outcome.layout.shared_kernel,
        "samples": outcome.samples,
        "asynchronous_limit_bytes": network.limits.asynchronous,
        "detached_limit_bytes": network.limits.detached,
        "wire": asdict(replace(network.wire, alternatives=())),
        "rate_interval_bytes_per_s": network.wire.interval("rate_bytes_per_s"),
        "burst_interval_bytes": network.wire.interval("burst_bytes"),
        "network": [asdict(one) for one in network.regimes],
        "memory": None if outcome.memory is None else [asdict(one) for one in outcome.memory.regimes],
        "sharing": {key: value for key, value in vars(outcome.sharing).items() if key != "cases"},
        "slowdown": [
            {
                "case": case.name,
                "transfers": case.transfers,
                "bytes": case.bytes,
                "values": np.sort(case.slowdown).tolist(),
            }
            for case in outcome.sharing.cases
        ],
        "processors": None if outcome.processors is None else asdict(outcome.processors),
        "bottleneck": asdict(outcome.bottleneck),
        "noise": asdict(outcome.noise),
        "uplink": None if outcome.uplink is None else asdict(outcome.uplink),
        "timeouts": None if outcome.timeouts is None else asdict(outcome.timeouts),
        "calls": asdict(outcome.calls),
        "overlap": [asdict(one) for one in outcome.overlaps],
        "first_message_s": outcome.first_message_s,
        "clock_drift_s_per_s": outcome.drift_s_per_s,
        "unsteadiness": outcome.unsteadiness,
        "interrupted_share": outcome.interrupted_share,
        "host": asdict(outcome.host),
        "experiments_left": outcome.left,
    }
