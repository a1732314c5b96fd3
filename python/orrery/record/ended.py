# SPDX-License-Identifier: BSD-3-Clause
"""Whether a simulation that another one builds on came to its end."""

from __future__ import annotations

from orrery.errors import InputError, Interrupt
from orrery.record.document import Record


def check_end(record: Record, what: str) -> None:
    """Raises InputError where a simulation failed: "WHAT failed: CAUSE", and KeyboardInterrupt where Ctrl-C ended it."""
    if record.end == "interrupted" or record.exit_code == Interrupt.exit_code:
        raise KeyboardInterrupt
    if record.cause:
        raise InputError(f"{what} failed: {record.cause}")
