# SPDX-License-Identifier: BSD-3-Clause
"""Where Orrery's MPI is installed."""

from __future__ import annotations

from pathlib import Path

import orrery
from orrery.errors import OrreryError


def prefix() -> Path:
    """The folder that holds bin, include and lib of Orrery's MPI. Raises OrreryError where it is not installed."""
    folder = Path(orrery.__file__).parent / "prefix"
    if not folder.is_dir():
        raise OrreryError(f"{folder} is not there: this installation of Orrery is not complete; install it again")
    return folder
