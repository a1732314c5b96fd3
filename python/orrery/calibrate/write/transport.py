# SPDX-License-Identifier: BSD-3-Clause
"""The table [transport] of a platform file: connection setup, connections, queues and time-outs."""

from __future__ import annotations

from orrery.calibrate.fit import CalibrationOutcome, SharingParameters, TimeoutParameters
from orrery.calibrate.write.toml import line, number

_EVEN = 0.95
"""`later_share` from which on the messages of a node count as sharing its link evenly."""


def transport_table(outcome: CalibrationOutcome) -> str:
    """The table [transport]; empty if none of its effects was found."""
    sharing = outcome.sharing
    text = ""
    if outcome.first_message_s > outcome.network.regimes[0].fit.latency_s:
        text += line(
            "connection_setup_s", number(outcome.first_message_s), "more, of the first message of two processes"
        )
    connections = _connections(sharing)
    if has_connections(outcome):
        text += "\n[transport.connections]               # messages of two nodes follow each other\n" + connections
    else:
        text += _remarks(connections)
    text += _timeouts(outcome.timeouts)
    return "[transport]\n" + text if text else ""


def has_connections(outcome: CalibrationOutcome) -> bool:
    """Whether the file has [transport.connections], so that messages between two nodes are first in, first out."""
    return outcome.sharing.grants_wait or outcome.processors is not None


def _remarks(lines: str) -> str:
    """The table as comments: with it a CTS waits behind data, which it does not where exchanges run at full duplex."""
    if not lines:
        return ""
    return (
        "# Measured, but not in use where exchanges run at full duplex. As a table it makes pipelines right, exchanges not:\n"
        + "".join(f"# {row}\n" for row in ["[transport.connections]", *lines.splitlines()] if row)
    )


def _connections(sharing: SharingParameters) -> str:
    text = ""
    if sharing.ack_fraction:
        text += line("ack_fraction", number(sharing.ack_fraction), "of a transfer's bytes go back")
    if sharing.queue_bytes:
        text += "\n[transport.connections.queue]\n"
        text += line("depth_bytes", str(round(sharing.queue_bytes)), "of a large message, before small ones")
        if sharing.later_share < _EVEN:
            text += line("later_share", number(sharing.later_share), "of the rate of what the same node wrote before")
    return text


def _timeouts(found: TimeoutParameters | None) -> str:
    if found is None:
        return ""
    text = "\n[transport.timeouts]                  # packets that the switch dropped\n"
    text += line("wait_s", number(found.wait_s), "of a message whose end was lost")
    text += line("flows", str(found.flows), "messages to one node that the switch carried without loss")
    return text + line(
        "probability", number(found.probability), f"with more: {found.stalled} of {found.exposed} waited"
    )
