# SPDX-License-Identifier: BSD-3-Clause
"""The platform file of a calibration and its summary as JSON."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from orrery.calibrate.fit import CalibrationOutcome
from orrery.calibrate.measure import About, host_kernel_s
from orrery.calibrate.write.document import document, values_of
from orrery.calibrate.write.provenance import provenance
from orrery.output import Output
from orrery.platform.schema import Verdict


def write_platform(outcome: CalibrationOutcome, about: About, verdict: Verdict, output: Output) -> None:
    """Write the platform file. Raises InputError if that fails."""
    host_kernel = host_kernel_s()
    others = [values_of(draw, provenance(draw, about, host_kernel)) for draw in outcome.draws]
    output.write(document(outcome, provenance(outcome, about, host_kernel), verdict, others))


def summary(outcome: CalibrationOutcome, about: About, verdict: Verdict) -> dict[str, Any]:
    """All results as values for JSON, in SI units."""
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
        "network": [asdict(regime) for regime in network.regimes],
        "memory": None if outcome.memory is None else [asdict(regime) for regime in outcome.memory.regimes],
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
        "overlap": [asdict(overlap) for overlap in outcome.overlaps],
        "first_message_s": outcome.first_message_s,
        "clock_drift_s_per_s": outcome.drift_s_per_s,
        "unsteadiness": outcome.unsteadiness,
        "interrupted_share": outcome.interrupted_share,
        "host": asdict(outcome.host),
        "experiments_left": outcome.left,
    }
