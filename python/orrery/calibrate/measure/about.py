# SPDX-License-Identifier: BSD-3-Clause
"""What the raw samples do not say of themselves."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.settings import CalibrationSettings
from orrery.errors import InputError


@dataclass(frozen=True)
class About:
    """What the raw samples do not say of themselves."""

    date: str
    host: str
    command: str
    mpicc: str
    nodes: int
    ppn: int
    cabinets: list[int]
    cores: int | None
    budget_s: float
    seed: int
    name: str


def about_of(settings: CalibrationSettings) -> About:
    """As of now and here."""
    return About(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        host=socket.gethostname(),
        command=settings.mpirun,
        mpicc=settings.mpicc,
        nodes=settings.nodes,
        ppn=settings.ppn,
        cabinets=settings.groups,
        cores=settings.cores,
        budget_s=settings.budget_s,
        seed=settings.seed,
        name=settings.name,
    )


def read_about(files: Files) -> About:
    """Raises InputError when the folder holds no calibration."""
    try:
        return About(**json.loads(files.about.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(
            f"{files.about}: {error.strerror}; expected the folder of a calibration (NAME.calibration)"
        ) from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{files.about}: {error}; is it of this version of orrery?") from None


def write_about(files: Files, about: About) -> None:
    """Raises InputError when it cannot be written."""
    try:
        files.about.write_text(json.dumps(asdict(about), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{files.about}: {error.strerror}") from None
