# SPDX-License-Identifier: BSD-3-Clause
"""One start of a launcher with a job profile: from the profile to the environment of the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orrery.errors import InputError
from orrery.job import table
from orrery.job.handing import environment, filled
from orrery.job.profile import GroupPlacement, JobGroup
from orrery.job.ranks import show
from orrery.job.reading import load
from orrery.job.writing import text_for
from orrery.output import Output
from orrery.real_mpi.compiled import Said
from orrery.real_mpi.foreground import run_in_foreground
from orrery.real_mpi.starter import family_of, passing, ranks_of


@dataclass(frozen=True, kw_only=True)
class LaunchSettings:
    """What is started, and the groups that it has."""

    command: list[str]
    """The command line that starts the program, as it would be without Orrery."""
    groups: Path
    """Job profile, TOML or XML."""
    ranks: int | None = None
    """Number of ranks; None: as the command line says."""
    groups_out: Output | None = None
    """Write the profile there, with the ranks of its groups."""


def launch(settings: LaunchSettings, said: Said) -> int:
    """Start the command, with the groups in the environment of its ranks; its exit code.

    `said` is told what the user has to see to.

    Raises:
        InputError: the profile cannot be used or does not fit the ranks, or the command cannot be started.
    """
    job = load(settings.groups)
    groups = job.resolve(_ranks(settings))
    found = [GroupPlacement(ranks=show(group.ranks), colour=group.colour) for group in groups.all]
    variables = environment(job, groups, found)
    if settings.groups_out is not None:
        settings.groups_out.write(text_for(settings.groups_out.path, filled(job, groups, found)))
    if why := _not_handed_on(settings.command):
        said(f"{table.VARIABLE} is set in the environment of {settings.command[0]}, {why}")
    if any(_needs(group.asked) for group in groups.all) or groups.pairs:
        said(
            "what the groups need is handed on to the program; whether they get it is for the launcher, and not checked"
        )
    return run_in_foreground(passing(settings.command, variables), variables)


def _ranks(settings: LaunchSettings) -> int:
    found = settings.ranks or ranks_of(settings.command)
    if found is None:
        raise InputError(
            f"{settings.command[0]}: its options do not say how many ranks there are (-n N); say it before: --ranks N"
        )
    return found


def _not_handed_on(command: list[str]) -> str:
    """Why ranks might not get the variable; empty: they do."""
    family = family_of(command)
    if family == "":
        return "which is no launcher that Orrery knows: whether ranks on other hosts get it is its affair"
    kept = ("-envnone", "-genvnone", "-envlist", "-genvlist")
    if family == "hydra" and (word := next((word for word in command if f"-{word.lstrip('-')}" in kept), "")):
        return f"and its option {word} keeps it from ranks: name {table.VARIABLE} there, too"
    for word in command if family == "slurm" else []:
        if word.startswith("--export=") and "ALL" not in word and table.VARIABLE not in word:
            return f"and its option {word} keeps it from ranks: add {table.VARIABLE} there"
    return ""


def _needs(group: JobGroup) -> bool:
    return any(value is not None for value in (group.cores, group.speed_at_least, group.memory_bytes, group.inside))
