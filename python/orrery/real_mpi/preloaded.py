# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run on a real MPI with a library of ours in front of it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from orrery.errors import InputError, OrreryError
from orrery.real_mpi.foreground import run_in_foreground
from orrery.real_mpi.starter import passing


def check_preloadable(library: Path) -> None:
    """Raise InputError for a path that LD_PRELOAD cannot name: the loader divides it at blanks and colons, and replaces `$`."""
    if re.search(r"[\s:$]", str(library)):
        raise InputError(
            f"{library.parent}: libraries in a folder with blanks, colons or $ in its name cannot be preloaded; keep them in another "
            "one: set XDG_CACHE_HOME"
        )


def preload(library: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Environment variables of ranks: the library before what is preloaded already, and its own variables.

    Raises InputError where its path cannot be preloaded.
    """
    check_preloadable(library)
    before = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD", "")]))
    return {"LD_PRELOAD": before, **variables}


def run_preloaded(
    command: Sequence[str], library: Path, variables: Mapping[str, str], *, output_aside: bool = False
) -> int:
    """Exit code of a launcher whose ranks get the library; of a signal 128 and its number.

    Args:
        command: the launcher and its arguments.
        library: is preloaded.
        variables: what it reads; given to ranks on other hosts, too.
        output_aside: standard output is ours: what the program prints goes to standard error.
    Raises:
        InputError: the command cannot be started, or the library's path cannot be preloaded.
    """
    variables = preload(library, variables)
    return run_in_foreground(passing(command, variables), variables, output_aside=output_aside)


def not_reached(what: str, code: int, command: Sequence[str], compiler: str, option: str) -> OrreryError:
    """What to say where no rank came by the library, and why that may be.

    Args:
        what: in words, such as "no rank was captured".
        code: exit code of the launcher.
        command: the launcher and its arguments.
        compiler: what the library was built with.
        option: by which another one is named.
    """
    return OrreryError(
        f"{what} (exit code {code} of {command[0]}): the program uses another MPI than that of {compiler} (name its "
        f"compiler: {option}), is linked statically, or did not come as far as MPI_Init"
    )
