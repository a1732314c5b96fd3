# SPDX-License-Identifier: BSD-3-Clause
"""The table [loggps] of a platform file, from the fitted parameters of the hybrid model."""

from __future__ import annotations

from orrery.calibrate.fit import CalibrationOutcome, Fit, MessagePath, Wire
from orrery.calibrate.write import typical
from orrery.calibrate.write.toml import line, number


def loggps_table(outcome: CalibrationOutcome) -> str:
    """The table [loggps]: one set of parameters between nodes, and one inside a node."""
    text = "# LogGPS, from the values above: one set for all sizes, so it is only as good as that.\n"
    text += _loggps_set("between_nodes", outcome.network)
    return text + (f"\n{_loggps_set('inside_node', outcome.memory)}" if outcome.memory else typical.MEMORY_LOGGPS)


def _loggps_set(name: str, path: MessagePath) -> str:
    first, last = path.regimes[0], path.regimes[-1]
    eager = [regime for regime in path.regimes if regime.protocol == "asynchronous"][-1:] or [first]
    per_frame = 1.0
    if path.wire.framing:
        per_frame += path.wire.framing.overhead_bytes / path.wire.framing.payload_bytes
    limit = path.limits.detached if path.limits.detached is not None else path.limits.tried
    text = f"[loggps.{name}]\n"
    text += line("latency_s", number(first.fit.latency_s), "L: of the first regime")
    text += line("overhead_s", number((first.fit.send_s + first.fit.recv_s) / 2), "o: mean of its two")
    text += line("send_overhead_s_per_byte", number(eager[0].fit.send_s_per_byte), "O_s: of the largest eager messages")
    text += line("recv_overhead_s_per_byte", number(eager[0].fit.recv_s_per_byte), "O_r")
    text += line(
        "gap_s_per_byte_short", number(_gap(first.fit, path.wire, per_frame)), "g: the rate of the first regime"
    )
    text += line("gap_s_per_byte", number(_gap(last.fit, path.wire, per_frame)), "G: the rate of the last one")
    text += line("short_limit_bytes", str(first.end or 0), "s: where the first regime ends")
    return text + line("sync_threshold_bytes", str(limit), "S: S_d")


def _gap(values: Fit, wire: Wire, per_frame: float) -> float:
    return per_frame / min(values.rate_bytes_per_s, wire.rate_bytes_per_s)
