# SPDX-License-Identifier: BSD-3-Clause
"""The text of a platform file, with a comment on every measured value."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence

from orrery.calibrate.fit import CalibrationOutcome
from orrery.calibrate.write.calibration import calibration_table, uncertainty_tables, verdict_table
from orrery.calibrate.write.cluster import cluster_table, head_of
from orrery.calibrate.write.compute import compute_table
from orrery.calibrate.write.loggps import loggps_table
from orrery.calibrate.write.network import network_table
from orrery.calibrate.write.node import node_table
from orrery.calibrate.write.provenance import Provenance
from orrery.calibrate.write.transport import transport_table
from orrery.platform.draws import leaves
from orrery.platform.schema import Verdict
from orrery.toml_lines import dotted


def document(
    outcome: CalibrationOutcome, made: Provenance, verdict: Verdict, others: Sequence[Mapping[str, float]] = ()
) -> str:
    """The text of the whole file. `others`: for each draw of the samples its values by key (`values_of`)."""
    spread = {key: values for key, values in by_key(others).items() if min(values) < max(values)}
    head, *rest = _parameters(outcome, made)
    return "\n".join(
        [
            _comments(outcome, made, verdict) + head,
            verdict_table(verdict),
            *rest,
            calibration_table(outcome, made),
            uncertainty_tables(outcome, spread),
        ]
    )


def values_of(outcome: CalibrationOutcome, made: Provenance) -> dict[str, float]:
    """All numbers of the file for `outcome`, by dotted key."""
    tables = tomllib.loads("\n".join(_parameters(outcome, made)))
    return {dotted(key): float(value) for key, value in leaves(tables) if isinstance(value, int | float)}


def by_key(others: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """For each key its values in all draws; 0 for a draw without that key, which means that the effect was not found."""
    keys = dict.fromkeys(key for draw in others for key in draw)
    return {key: [draw.get(key, 0.0) for draw in others] for key in keys}


def _parameters(outcome: CalibrationOutcome, made: Provenance) -> list[str]:
    parts = [
        head_of(outcome, made),
        cluster_table(outcome, made),
        network_table(outcome),
        transport_table(outcome),
        node_table(outcome, made),
        loggps_table(outcome),
        compute_table(outcome),
    ]
    return [part for part in parts if part]


def _comments(outcome: CalibrationOutcome, made: Provenance, verdict: Verdict) -> str:
    return (
        "# SPDX-License-Identifier: BSD-3-Clause\n"
        f"# This calibration is {verdict.grade}{': see why below' if verdict.reasons else ''}.\n"
        f"# Written by `orrery calibrate` on {made.date} from {outcome.samples:,} samples; see [calibration] at the end.\n"
        "# Comments and [calibration.intervals] give 95 % intervals. What was measured once is as good as that day: measure again after changes.\n\n"
    )
