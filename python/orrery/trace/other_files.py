# SPDX-License-Identifier: BSD-3-Clause
"""Files that are no recorded traces, or of tools whose files are not read: what they are, and what helps."""

from __future__ import annotations

import re
from pathlib import Path

from orrery.trace.compressed import first_bytes
from orrery.trace.goal import is_goal
from orrery.trace.ti import files_of
from orrery.words import shell

_BEGINNING = 1 << 12
_LIBALLPROF = re.compile(rb"\A# htor's PMPI Tracer|\A(?:#[^\n]*+\n|\s++)*MPI_\w+:(?:\d+|-):")
"""The head of liballprof's files, or the first call of a file without one: its name, when it began, its arguments."""

_NOT_READ = {
    ".cubex": "a profile of Score-P or Scalasca; their traces are read: measure with SCOREP_ENABLE_TRACING=true",
    ".mpits": "what Extrae writes before it is merged: `mpi2prv -f {path} -o OUT.prv` merges it, and OUT.prv is read",
    ".otf": "a trace of OTF 1, which is not read; OTF2 is",
    ".trc": "a trace of TAU's, which is not read: measure with TAU_TRACE_FORMAT=otf2",
    ".slog2": "a trace for Jumpshot, which is not read",
}
"""By ending."""


def what_cannot_be_read(path: Path) -> str | None:
    """The whole refusal of a file of another tool that no command reads; None: it is none that is known."""
    if path.is_file() and _LIBALLPROF.match(first_bytes(path, _BEGINNING)):
        return (
            f"{path}: is a trace of liballprof, which is not read: `schedgen -p trace --traces FILE -o OUT.goal` of "
            "LogGOPSim, FILE being that of rank 0, makes a GOAL schedule of it, and `orrery replay OUT.goal` simulates "
            "that; or record the program again with `orrery capture`"
        )
    if path.exists() and (what := _NOT_READ.get(path.suffix.lower())) is not None:
        return f"{path}: is {what.format(path=path)}"
    return None


def what_has_to_be_simulated(path: Path) -> str | None:
    """The whole refusal of a file that says what ranks do, but not when; None: it is none.

    Raises InputError when a file that it names is not there.
    """
    what = _without_times(path)
    if what is None:
        return None
    return f"{path}: is {what}, which does not say when anything happened: {simulation_gives_times(path)}"


def simulation_gives_times(path: Path) -> str:
    """What to do with calls that have no times: the end of a refusal."""
    return f"`orrery replay {shell(path)} -o FILE.trace` simulates it on a platform, and FILE.trace has the times; take that"


def _without_times(path: Path) -> str | None:
    if path.is_file() and is_goal(first_bytes(path, _BEGINNING)):
        return "a GOAL schedule"
    if path.is_file() and path.suffix == ".toml":
        return "the TOML file of a workload" if b"[[phase" in first_bytes(path, 1 << 16) else None
    if path.exists() and files_of(path):
        return "a time-independent trace of SimGrid's"
    return None
