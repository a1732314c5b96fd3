# SPDX-License-Identifier: BSD-3-Clause
"""The user's own launcher in the foreground, as if the user had typed its command."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from orrery.errors import InputError


def run_in_foreground(command: Sequence[str], variables: Mapping[str, str], *, output_aside: bool = False) -> int:
    """Start a command, wait for its end, and give its exit code, 128 + signal for one that was killed.

    Args:
        command: its words.
        variables: of its environment, besides those of this process.
        output_aside: what it writes to standard output goes to standard error.
    Raises:
        InputError: it cannot be started.
    """
    try:
        process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=2 if output_aside else None)
    except OSError as error:
        raise InputError(f'cannot start "{command[0]}": {error.strerror}') from None
    with _handing_on_signals(process):
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _handing_on_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Requests to end go to the launcher, which ends its ranks; then it is for the caller to end.

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
