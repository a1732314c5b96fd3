# SPDX-License-Identifier: BSD-3-Clause
"""The file about.json of a calibration: options, host and date, which the raw samples do not contain."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from orrery.calibrate.measure.files import Files
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError


@dataclass(frozen=True)
class About:
    """Options, host and date of a calibration."""

    date: str
    """YYYY-MM-DD, UTC."""
    host: str
    """Name of the host on which `orrery calibrate` ran."""
    command: str
    """Template of the launcher's command line."""
    mpicc: str
    nodes: int
    ppn: int
    cabinets: list[int]
    """Number of nodes in each cabinet or site."""
    cores: int | None
    """Cores of a node, if the user gave them."""
    budget_s: float
    seed: int
    name: str
    vms_per_host: int | None = None
    """How many nodes are virtual machines of one host; None: none are."""


def about_of(settings: CalibrationSettings) -> About:
    """`About` for a calibration that starts now on this host."""
    return About(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        host=socket.gethostname(),
        command=settings.mpirun,
        mpicc=settings.mpicc,
        nodes=settings.launcher.nodes,
        ppn=settings.launcher.ppn,
        cabinets=settings.groups,
        cores=settings.cores,
        budget_s=settings.budget_s,
        seed=settings.seed,
        name=settings.platform_name,
        vms_per_host=settings.vms_per_host,
    )


def read_about(files: Files) -> About:
    """Read about.json. Raises InputError if the folder holds no calibration."""
    try:
        return About(**json.loads(files.about.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(
            f"{files.about}: {error.strerror}; expected the folder of a calibration (NAME.calibration)"
        ) from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{files.about}: {error}; is it of this version of orrery?") from None


def write_about(files: Files, about: About) -> None:
    """Write about.json. Raises InputError if that fails."""
    try:
        files.about.write_text(json.dumps(asdict(about), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{files.about}: {error.strerror}") from None
