# SPDX-License-Identifier: BSD-3-Clause
"""The table [node] of a platform file: progress, noise of handling, and shared processors."""

from __future__ import annotations

from orrery.calibrate.fit import Outcome, Processors
from orrery.calibrate.write.toml import line, number
from orrery.units import show_time


def node_table(outcome: Outcome) -> str:
    """The table [node]; empty if none of its effects was found."""
    text = ""
    if outcome.sharing.grants_wait:
        text += line("progress", '"in-calls"', "exchanges of a pair of processes: one direction after the other")
    if outcome.noise.seen:
        text += line("handling_noise_s", number(outcome.noise.handling_s), "of a small message")
    text += _processors(outcome.processors)
    return "[node]\n" + text if text else ""


def _processors(found: Processors | None) -> str:
    if found is None:
        return ""
    each = "seconds of a processor for each message"
    least, most = (show_time(value) for value in found.seen_work_s)
    text = "\n[node.processors]                     # the nodes are containers of one machine\n"
    text += line("count", str(found.count))
    text += line("send_work_s", number(found.send_work_s), each)
    text += line("recv_work_s", number(found.recv_work_s), each)
    text += line("wake_work_s", number(found.wake_work_s), f"more, where the receiver slept: {least} to {most} in all")
    if found.slice_s:
        text += line("slice_s", number(found.slice_s), "of computation, then another rank gets the processor")
    if found.idle_wake_s:
        text += line("idle_wake_s", number(found.idle_wake_s), "part of the latency: idle processors that wake")
    return text + line(
        "frame_work_s", number(found.frame_work_s), "of each frame but a message's first: part of the above"
    )
