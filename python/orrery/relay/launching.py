# SPDX-License-Identifier: BSD-3-Clause
"""The launch agent: what mpirun calls in place of ssh, so that each node gets its helper."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from orrery import words
from orrery.errors import InputError
from orrery.temporary import system_folder

_SCRIPT = """#!/bin/sh
# [OPTION...] HOST COMMAND...: run the command there under a helper of orrery relay. Arguments are joined for the shell of that
# host, as ssh does; what starts the helper is quoted for that shell, too.
set -f
options=
while :; do
  case "$1" in
    -*) options="$options $1"; shift ;;
    *) break ;;
  esac
done
host=$1
shift
quoted=$(printf '%s' "$*" | sed "s/'/'\\\\\\\\''/g")
exec {agent} $options "$host" {start}" '$quoted'"
"""
_OTHERS = ("plm_rsh_agent", "plm_ssh_agent", "-launcher-exec", "-bootstrap-exec")


def check_command(command: Sequence[str]) -> None:
    """Raises InputError: the command names a launch agent of its own, so that nodes would get no helper."""
    for word in command:
        if word.lstrip("-") in {option.lstrip("-") for option in _OTHERS}:
            raise InputError(
                f"{word}: nodes would get no helper; name the launch agent to orrery relay run: --agent COMMAND"
            )


def program() -> str:
    """Orrery, as other nodes can call it."""
    beside = Path(sys.executable).with_name("orrery")
    return str(beside) if beside.exists() else shutil.which("orrery") or "orrery"


def agent_folder() -> str:
    """Where the launch agent is written: the folder of temporary files, or another one where launchers cannot have that in a word.

    Open MPI divides the agent's path at blanks and colons.
    """
    folders = (str(system_folder()), "/tmp", "/var/tmp")  # noqa: S108  the agent gets a folder of its own there
    return next(
        (folder for folder in folders if not re.search(r"[\s:,]", folder) and os.access(folder, os.W_OK | os.X_OK)),
        folders[0],
    )


def write_agent(folder: Path, agent: str, start: Sequence[str]) -> Path:
    """The script. `agent`: what reaches a node, such as ssh; `start`: what starts a shell command under a helper there."""
    script = folder / "agent"
    script.write_text(_SCRIPT.format(agent=agent, start=words.shell(words.command(start))), encoding="utf-8")
    script.chmod(0o700)
    return script


def variables(script: Path) -> dict[str, str]:
    """Environment variables by which launchers take it: Open MPI up to 4, from 5 on, MPICH and its relatives."""
    return {
        "OMPI_MCA_plm_rsh_agent": str(script),
        "PRTE_MCA_plm_ssh_agent": str(script),
        "HYDRA_LAUNCHER": os.environ.get("HYDRA_LAUNCHER", "ssh"),
        "HYDRA_LAUNCHER_EXEC": str(script),
    }
