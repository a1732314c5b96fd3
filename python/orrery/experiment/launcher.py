# SPDX-License-Identifier: BSD-3-Clause
"""`--launcher`: jobs are started otherwise than the platform's `[launch]` says."""

from __future__ import annotations

import re
from typing import get_args

from orrery.errors import InputError
from orrery.platform.core import Plain


def launched_by(platform: Plain, launcher: str) -> Plain:
    """The platform with this launcher, such as `ssh` or `ssh:8`; without a number, no fan-out.

    Raises InputError if there is no such launcher, or if the platform does not say what launching takes.
    """
    from orrery.platform.tables.launch import Launcher  # loads pydantic, which few runs need

    pattern = rf"({'|'.join(get_args(Launcher))})(?::([1-9]\d{{0,8}}))?"
    if (spelled := re.fullmatch(pattern, launcher)) is None:
        raise InputError(f'--launcher "{launcher}": expected ssh, ssh:FANOUT, manager or manager:FANOUT')
    if platform["launch"] is None:
        raise InputError(
            f"--launcher {launcher}: platform {platform['name']} does not say what it takes to start a job; add a table "
            "[launch] to its file"
        )
    fanout = None if spelled[2] is None else int(spelled[2])
    return {**platform, "launch": {**platform["launch"], "launcher": spelled[1], "fanout": fanout}}
