# SPDX-License-Identifier: BSD-3-Clause
"""The table [compute] of a platform file: the cost of polling, reducing and copying."""

from __future__ import annotations

from orrery.calibrate.fit import CalibrationOutcome
from orrery.calibrate.write.toml import line, number
from orrery.units import show_time


def compute_table(outcome: CalibrationOutcome) -> str:
    """The table [compute], from undisturbed calls."""
    calls = outcome.calls
    text = "[compute]\n"
    text += line(
        "poll_cost_s",
        number(max(calls.test_s, 1e-9)),
        f"MPI_Test; MPI_Iprobe {show_time(calls.iprobe_s)}, MPI_Wtime {show_time(calls.wtime_s)}",
    )
    text += line("reduce_s_per_byte", number(calls.reduce_s_per_byte), "sum of doubles, in the cache")
    text += line("copy_s_per_byte", number(calls.copy_s_per_byte), "in the cache")
    return text + line("nonblocking_collective_s", number(calls.nonblocking_s), "MPI_Iallreduce, less MPI_Allreduce")
