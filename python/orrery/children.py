# SPDX-License-Identifier: BSD-3-Clause
"""Commands that Orrery waits for, such as compilers: they end with whoever waits, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class Children:
    """Commands of one piece of work, which may wait for them in several threads."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def finished(
        self, command: Sequence[str], *, variables: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """What a command has said, once it has ended; it reads nothing.

        An exception that comes meanwhile, such as the one of Ctrl-C, ends it and all that it has started first.

        Args:
            command: the program and its arguments.
            variables: the whole environment; None: this one.
            folder: where it runs; None: here.
        Raises OSError when it cannot be started.
        """
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
        self._running.add(process)
        try:
            if self._ended:
                _kill(process)
            out, err = process.communicate()
        except BaseException:
            _kill(process)
            raise
        finally:
            self._running.discard(process)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def end(self) -> None:
        """End all, also what other threads wait for and what they are about to start: exceptions come to one thread."""
        self._ended = True
        for process in tuple(self._running):
            _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    """With its group. The process has its number until somebody has waited for it."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
