# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run on a real MPI with a library of ours in front of it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from orrery.errors import InputError
from orrery.real_mpi.starter import passing


def preload(library: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Environment variables of ranks: the library before what is preloaded already, and its own variables."""
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
        InputError: the command cannot be started.
    """
    variables = preload(library, variables)
    line = passing(command, variables)
    try:
        process = subprocess.Popen(line, env={**os.environ, **variables}, stdout=2 if output_aside else None)
    except OSError as error:
        raise InputError(f'cannot start "{command[0]}": {error.strerror}') from None
    with _handing_on_signals(process):
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _handing_on_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Requests to end go to the launcher, which ends its ranks; we then put together what there is.

    Ctrl-C reaches the launcher by itself, as it is in the foreground too.
    """
    handlers = {
        signal.SIGINT: lambda *_: None,
        signal.SIGTERM: lambda *_: process.terminate(),
        signal.SIGHUP: lambda *_: process.terminate(),
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: not installed by Python, but by a library that is loaded here, too
                signal.signal(number, handler)
