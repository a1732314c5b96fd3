# SPDX-License-Identifier: BSD-3-Clause
"""How a job's processes on a node are ended: in steps, each with its time, and nobody is left out.

A process of the job is known by the variable `ORRERY_RELAY=JOB` in its environment and by its network namespace, as a node is one:
so daemons are found that have left their parent, session and process group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

JOB = "ORRERY_RELAY"
"""Environment variable with the job's name."""
GRACE_S = 5.0
"""How long processes have in each step (docs/how-to/span-clusters.md)."""
_PAUSE_S = 0.1
_STEPS = (None, signal.SIGTERM, signal.SIGKILL)


def steps(find: Callable[[], Iterable[int]]) -> Iterator[float]:
    """End processes: let them end by themselves, ask them, make them. Each step takes `GRACE_S` at most, all together 15 s.

    Args:
        find: numbers of those that are still there; asked again and again.

    Yields pauses in seconds, which the caller waits before it goes on.
    """
    for number in _STEPS:
        until = time.monotonic() + GRACE_S
        told = set[int]()
        while living := set(find()):
            if number is not None:
                tell(living - told, number)
                told |= living
            if time.monotonic() > until:
                break
            yield _PAUSE_S


def tell(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to those that are still there, and of this user."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def processes_of(job: str) -> set[int]:
    """Numbers of the job's processes on this node, this one left out."""
    mark, node = f"{JOB}={job}".encode(), Path("/proc/self/ns/net").stat().st_ino
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if mark in (process / "environ").read_bytes().split(b"\0") and (process / "ns/net").stat().st_ino == node:
                found.add(int(process.name))
    return found - {os.getpid()}


def children() -> set[int]:
    """Numbers of this process's children, orphans that it has taken over among them, and those that have ended."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found |= set(map(int, (task / "children").read_text(encoding="ascii").split()))
    return found
