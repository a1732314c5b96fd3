# SPDX-License-Identifier: BSD-3-Clause
"""Checks that ranks share nodes in the same way in the measurement and in the simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orrery.calibrate.measure import Layout
from orrery.errors import InputError

_POLICIES = ("slot", "node", "cabinet")
"""Mappings that a launcher may follow."""

HostsOf = Callable[[int, str], Sequence[int]]
"""Function that gives the hosts of so many ranks by a mapping, on the platform of the prediction."""


def check_places(layout: Layout, hosts_of: HostsOf, mapping: str) -> None:
    """Refuse to compare ranks that share nodes with ranks that do not. Raises InputError that names the cure.

    Names of nodes do not matter, nor which node is the first: only which ranks are together.
    """
    names = _names(layout)
    measured = _numbered(names)
    simulated = _numbered(hosts_of(len(names), mapping))
    if measured == simulated:
        return
    rank, other = _apart(measured, simulated)
    if measured[rank] == measured[other]:
        found = f"ranks {rank} and {other} both ran on {names[rank]}, but by --map {mapping} they are on two nodes"
    else:
        found = (
            f"ranks {rank} and {other} ran on {names[rank]} and {names[other]}, "
            f"but by --map {mapping} they share a node"
        )
    fitting = [policy for policy in _POLICIES if _numbered(hosts_of(len(names), policy)) == measured]
    cure = f"say --map {fitting[0]}, which is how they ran" if fitting else "say how they ran: --map file:PATH"
    raise InputError(
        f"--mpirun with {len(names)} ranks: {found} of the platform; what would be compared is not the same. "
        f"Let the launcher place them so (its host list, its option for ranks on a node), or {cure}"
    )


def _names(layout: Layout) -> list[str]:
    """The node of each rank."""
    node_of = {rank: node for node, ranks in layout.nodes.items() for rank in ranks}
    return [node_of[rank] for rank in sorted(node_of)]


def _numbered(nodes: Sequence[object]) -> list[int]:
    """Numbers of nodes by the order in which ranks use them first: equal lists share nodes equally."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(node, len(numbers)) for node in nodes]


def _apart(measured: Sequence[int], simulated: Sequence[int]) -> tuple[int, int]:
    """The first two ranks that share a node in one of two different lists, and not in the other."""
    return next(
        (rank, other)
        for other in range(len(measured))
        for rank in range(other)
        if (measured[rank] == measured[other]) != (simulated[rank] == simulated[other])
    )
