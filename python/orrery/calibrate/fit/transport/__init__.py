# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of messages that share links: limiter, queues, connections, time-outs."""

from orrery.calibrate.fit.transport.first_message import first_message_of
from orrery.calibrate.fit.transport.sharing import SharingCase, SharingParameters, sharing_of
from orrery.calibrate.fit.transport.timeouts import TimeoutParameters, timeouts_of

__all__ = [
    "SharingCase",
    "SharingParameters",
    "TimeoutParameters",
    "first_message_of",
    "sharing_of",
    "timeouts_of",
]
