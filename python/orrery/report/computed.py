# SPDX-License-Identifier: BSD-3-Clause
"""What the computation in a trace is: what was measured, of which a simulation may have charged something else."""

from __future__ import annotations

from collections.abc import Mapping

from orrery.record.speed import AS_MEASURED


def as_measured(properties: Mapping[str, str]) -> str:
    """How the recorded computation differs from what the run was charged, in a clause; empty: it does not.

    Args:
        properties: of the trace.
    """
    if properties.get("source") != "simulated":
        return "as measured, noise of its hosts included" if properties.get("source") else ""
    later = ["the host's noise is taken out"] if properties.get("charged") == "steady" else []
    if not {properties.get("speed", AS_MEASURED), _factor(properties)} <= {AS_MEASURED}:
        later.append("it is scaled")
    return f"as measured, before {' and '.join(later)}" if later else ""


def _factor(properties: Mapping[str, str]) -> str:
    """`--compute FACTOR`, where a trace has one; `1` otherwise."""
    said = properties.get("compute", "")
    try:
        return f"{float(said):g}"
    except ValueError:  # a word
        return AS_MEASURED
