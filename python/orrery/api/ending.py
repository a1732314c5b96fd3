# SPDX-License-Identifier: BSD-3-Clause
"""How simulations end for who called them: with a result, or with an exception that has what there is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orrery.errors import SimulationError

if TYPE_CHECKING:
    from orrery.api.result import Result

_INTERRUPTED = 130


class InterruptedCall(KeyboardInterrupt):
    """Ctrl-C, or the interrupt of a notebook, came before the end."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result
        """What there was until then: a `Result`, `Collectives`, `Tuning` or `Validation`; None: nothing."""


def ended(result: Result, what: str, *, check: bool) -> Result:
    """The result of a simulation. `what`: "run" or "replay"; `check`: failures are exceptions.

    A record that completed has exit code 0, but where its further replicas were interrupted.

    Raises:
        InterruptedCall: Ctrl-C came.
        SimulationError: the simulation failed, and `check`.
    """
    record = result.recorded
    if record.exit_code == _INTERRUPTED and record.end in ("interrupted", "completed"):
        said = f", with {len(record.replicas_s)} replicas done" if record.end == "completed" else ""
        raise InterruptedCall(f"the {what} was interrupted{said}", result)
    if record.cause is not None and check:
        text = record.cause if record.end == "not_started" else f"the {what} failed: {record.cause}"
        raise SimulationError(text, result, record.exit_code)
    return result
