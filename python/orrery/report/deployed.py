# SPDX-License-Identifier: BSD-3-Clause
"""Summary of a program that ran with collectives of ours, as text."""

from __future__ import annotations

from orrery.deploy.session import DeployOutcome, DeployUse
from orrery.rules import LIBRARY

_HOSTS = 5
"""So many are named in a line."""


def text(deployed: DeployOutcome) -> str:
    """What stands in the way of it first, then a line for each kind of calls."""
    lines = [
        f"{tool} wraps MPI, too: of two tools only the first sees a call, and what one says lacks the other's"
        for tool in deployed.tools
    ]
    if deployed.unknown_hosts:
        hosts, more = deployed.unknown_hosts[:_HOSTS], len(deployed.unknown_hosts) - _HOSTS
        named = ", ".join(hosts) + (f" and {more:,} more" if more > 0 else "")
        verb = "is" if len(deployed.unknown_hosts) == 1 else "are"
        lines.append(f"the topology does not say where {named} {verb}: all such hosts are taken to be together")
    if deployed.multiple_threads:
        lines.append("MPI_THREAD_MULTIPLE: all calls were left to the library")
    elif deployed.ended:
        lines += [f"a rank ended the job: {why}" for why in deployed.ended]
    elif not deployed.finalized:
        lines.append("the program did not come to MPI_Finalize: what it called is not known")
    elif not deployed.uses:
        lines.append(f"{deployed.ranks:,} ranks made no collective call that there are rules for")
    lines += [_line(use) for use in deployed.uses]
    return "".join(f"orrery: {line}\n" for line in lines)


def _line(use: DeployUse) -> str:
    calls = f"{use.collective}: {use.calls:,} calls"
    if use.rule is None:
        return f"{calls} left to the library: {use.left}"
    if use.algorithm == LIBRARY:
        return f"{calls} left to the library: rule {use.rule}"
    return f"{calls} by {use.algorithm} (rule {use.rule})"
