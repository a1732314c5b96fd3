# SPDX-License-Identifier: BSD-3-Clause
"""The table [node] of a platform file: progress, noise of handling, interruptions, and shared processors."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.calibrate.fit import CalibrationOutcome, Interruptions, SharedProcessors, StolenTime
from orrery.calibrate.write.provenance import Provenance
from orrery.calibrate.write.toml import line, number
from orrery.units import show_time


def node_table(outcome: CalibrationOutcome, made: Provenance) -> str:
    """The table [node]; empty if none of its effects was found."""
    text = ""
    if outcome.sharing.grants_wait:
        text += line("progress", '"in-calls"', "exchanges of a pair of processes: one direction after the other")
    if noise_s := _noise_s(outcome, made):
        text += line("handling_noise_s", number(noise_s), "of a small message")
    kinds = interruptions(outcome, made)
    text += _processors(outcome.processors)
    text += _interruptions(kinds) if kinds else _hypervisor(outcome.stolen, made)
    return "[node]\n" + text if text else ""


def _noise_s(outcome: CalibrationOutcome, made: Provenance) -> float:
    """Noise of handling, without that of virtual machines that wake, which is in their own table."""
    if not outcome.noise.seen:
        return 0.0
    stolen = outcome.stolen if made.vms_per_host is not None else None
    return max(0.0, outcome.noise.handling_s - (stolen.wake_delay_s if stolen else 0.0))


def _hypervisor(found: StolenTime | None, made: Provenance) -> str:
    """What is stolen: of virtual machines a table; of other nodes a comment, since it may be a matter of that hour."""
    if found is None or not found.seen:
        return ""
    if made.vms_per_host is None:
        share = f"{found.share:.1%} of the time of ranks was taken from them, {show_time(found.piece_s)} at once"
        return f"# {share}; --vms-per-host has it simulated.\n" if found.share else ""
    text = "\n[node.hypervisor]\n"
    if found.slice_s:
        text += line("slice_s", number(found.slice_s), "of computation, then another machine gets the core")
    if found.share:
        text += line("steal_share", number(found.share), "of the time of a rank while all others sleep")
        text += line("steal_s", number(found.piece_s), "at once")
    if found.wake_delay_s:
        text += line("wake_delay_s", number(found.wake_delay_s), "by which pauses are longer than they usually are")
    return text


def interruptions(outcome: CalibrationOutcome, made: Provenance) -> Sequence[Interruptions]:
    """Kinds of interruption, where nodes are machines of their own and ranks have processors for themselves: others interrupt each other."""
    crowded = outcome.stolen is not None and outcome.stolen.crowding > 1
    if outcome.processors is not None or made.vms_per_host is not None or crowded:
        return ()
    return outcome.interruptions


def _interruptions(kinds: Sequence[Interruptions]) -> str:
    text = ""
    for kind in kinds:
        text += "\n[[node.noise]]\n"
        text += line("every_s", number(kind.every_s), "interruptions while all ranks computed at the same time")
        text += line("takes_s", number(kind.takes_s), f"mean of {kind.count:,}: {kind.share:.2g} of the time")
    return text


def _processors(found: SharedProcessors | None) -> str:
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
