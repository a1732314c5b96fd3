# SPDX-License-Identifier: BSD-3-Clause
"""The selector `best`: for each call the algorithm that is the cheapest in simulation."""

from __future__ import annotations

from orrery import _core
from orrery.platform import core
from orrery.platform.model import Model


def best(
    platform: core.Plain,
    hardware: _core.Platform,
    model: Model,
    host_of_rank: list[int],
    otherwise: _core.Selector,
    *,
    sharing_error: float = core.SHARING_ERROR,
    stop: _core.Stop,
) -> _core.Selector:
    """Simulates when it is first asked for a kind, number of ranks and class of sizes; `otherwise` chooses the rest.

    A search under way ends with KeyboardInterrupt, or interrupts the run, once `stop` is set.
    """
    return _core.best_selector(
        hardware,
        core.parameters(platform, model, sharing_error=sharing_error),
        host_of_rank=host_of_rank,
        reduce_s_per_byte=platform["compute"]["reduce_s_per_byte"],
        copy_s_per_byte=platform["compute"]["copy_s_per_byte"],
        nonblocking_collective_s=platform["compute"]["nonblocking_collective_s"],
        otherwise=otherwise,
        stop=stop,
    )
