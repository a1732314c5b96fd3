# SPDX-License-Identifier: BSD-3-Clause
"""The connect layer, built with the user's C compiler when it is first needed, and what makes processes use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orrery.errors import InputError
from orrery.real_mpi.compiled import Said, build
from orrery.real_mpi.preloaded import check_preloadable
from orrery.relay.ending import JOB

COMPILER = "cc"
_OPTIONS = ("-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-ldl")


def layer(compiler: str, said: Said) -> Path:
    """The library. Raises InputError: the compiler is not there, or refuses."""
    try:
        return build("relay", compiler, options=_OPTIONS, said=said)
    except InputError as error:
        raise InputError(str(error).replace("--mpicc", "--cc").replace("of your MPI", "of C programs")) from None


def environment(library: Path, job: str, before: Mapping[str, str] = os.environ) -> dict[str, str]:
    """That of processes which use the layer. Raises InputError where its path cannot be preloaded."""
    check_preloadable(library)
    others = [
        preloaded for preloaded in before.get("LD_PRELOAD", "").split(":") if preloaded and Path(preloaded) != library
    ]
    return {**before, "LD_PRELOAD": ":".join([str(library), *others]), JOB: job}
