# SPDX-License-Identifier: BSD-3-Clause
"""How many processes this machine lets a run start."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from orrery.errors import InputError

_OTHERS = 200
"""Processes that are there besides."""
_SYSTEM = ("/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max", "/sys/fs/cgroup/pids.max")


def check_processes(ranks: int) -> None:
    """Raises InputError for more ranks than the system allows processes: it would refuse some of them in the midst of the run."""
    most, name = min(_limits(), default=(ranks + _OTHERS, ""))
    if ranks > most - _OTHERS:
        raise InputError(
            f"-n {ranks}: each rank is a process, and this machine allows {most:,} ({name}); start fewer ranks, or raise it. "
            "A workload (docs/workloads.md) or a trace of fewer ranks needs no processes: `orrery replay`"
        )


def _limits() -> Iterator[tuple[int, str]]:
    for file in _SYSTEM:
        with suppress(OSError, ValueError):  # not there, or "max"
            yield int(Path(file).read_text(encoding="ascii")), file
    soft = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        yield soft, "ulimit -u"
