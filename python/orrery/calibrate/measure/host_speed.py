# SPDX-License-Identifier: BSD-3-Clause
"""Speed of this host: the time of the same arithmetic as on the cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import orrery
from orrery.calibrate.measure.results import UNDISTURBED, read
from orrery.errors import InputError, OrreryError
from orrery.real_mpi.compiled import build
from orrery.temporary import temporary_folder

_PLAN = "hosts0 hosts\ncompute1 compute rank=0 bytes=65536 reps=5\n"
_TIMEOUT_S = 60.0


def host_kernel_s() -> float | None:
    """Seconds of the fixed piece of arithmetic (src/measure/bench/compute.c) on this host; None if it cannot run here.

    The program runs as one rank of Orrery's own MPI, with the clock of the host.
    """
    mpicc = Path(orrery.__file__).parent / "prefix" / "bin" / "mpicc"
    with temporary_folder() as folder:
        plan, results = folder / "plan.txt", folder / "results.csv"
        plan.write_text(_PLAN, encoding="utf-8")
        try:
            _run([str(_program(str(mpicc), folder)), str(plan), str(results)], folder)
            values = np.concatenate([experiment.values("kernel") for experiment in read(plan, results).of("compute")])
        except (OrreryError, OSError, ValueError, subprocess.SubprocessError):
            return None
    return float(np.quantile(values, UNDISTURBED))


def _program(mpicc: str, folder: Path) -> Path:
    """Where others are kept, so that it is compiled once; in `folder` where nothing can be kept."""
    try:
        return build("bench", mpicc)
    except (InputError, OSError):
        return build("bench", mpicc, folder)


def _run(program: list[str], folder: Path) -> None:
    command = [sys.executable, "-m", "orrery", "run", "-n", "1", "--clock", "host", *program]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    subprocess.run(command, check=True, capture_output=True, timeout=_TIMEOUT_S, env=environment)
