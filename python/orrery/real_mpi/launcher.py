# SPDX-License-Identifier: BSD-3-Clause
"""Start of programs on the user's real MPI, by the launcher of the cluster."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orrery import words
from orrery.errors import InputError, OrreryError

_HOLDERS = ("n", "nodes", "ppn", "program")
_LINES_OF_FAILURE = 12
_NO_CAUSE = re.compile(
    r"={20,}$|=   |This typically refers to a problem with your application|Please see the FAQ page|.*\[0x[0-9a-f]+\]$"
)
"""Lines that say no cause of a failure, and would hide those that do: Hydra's frame, and addresses of a backtrace."""
_PATIENCE_S = 10.0
_LOOK_S = 0.25
"""Between looks at how far a program is."""


class LaunchError(OrreryError):
    """The launcher failed to run a program; the message has the last output of the launcher."""


@dataclass(frozen=True)
class Launcher:
    """A command with places to fill: `mpirun -np {n} --hostfile hosts`, `srun -N {nodes} -n {n}`.

    `{n}` is the number of ranks, `{nodes}` of nodes, `{ppn}` of ranks on a node; the program follows, or stands where
    `{program}` is. Inside of a longer word, which is for another shell, the program is quoted for that.
    """

    template: str
    nodes: int
    ppn: int = 1

    def __post_init__(self) -> None:
        """Refuse templates that cannot work. Raises InputError."""
        if "{n}" not in self.template and "{nodes}" not in self.template:
            raise InputError(
                f'--mpirun "{self.template}": says nowhere how many ranks to start; write {{n}} where the number belongs, '
                f'as in "mpirun -np {{n}} --hostfile hosts"'
            )
        try:
            self.command(["p"])
        except (AttributeError, KeyError, IndexError, ValueError) as error:
            raise InputError(
                f'--mpirun "{self.template}": {error}; places to fill are {", ".join(f"{{{h}}}" for h in _HOLDERS)}'
            ) from None

    @property
    def ranks(self) -> int:
        """Number of ranks that are started."""
        return self.nodes * self.ppn

    def command(self, program: Sequence[str]) -> list[str]:
        """The whole command line for a program and its arguments."""
        line = shlex.split(self.template if "{program}" in self.template else f"{self.template} {{program}}")
        places = {"n": self.ranks, "nodes": self.nodes, "ppn": self.ppn, "program": words.command(program)}
        return [
            filled
            for word in line
            for filled in (map(str, program) if word == "{program}" else [word.format(**places)])
        ]

    def run(
        self,
        program: Sequence[str],
        *,
        timeout_s: float,
        log: Path,
        watch: Callable[[], object] = lambda: None,
        environment: dict[str, str] | None = None,
    ) -> None:
        """Start the program and wait for its end, calling `watch` now and then; its output goes to `log`.

        What `watch` gives says how far the program is: it has `timeout_s` seconds for each step, of which there is one where
        `watch` gives always the same. Nothing stays behind: on a time-out, or when the user interrupts, the launcher and all that it started here are
        ended. Raises LaunchError with the end of the output when it fails.
        """
        command = self.command(program)
        with log.open("ab") as output:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    env=environment,
                    # Hydra tells ranks that have died already to end, and would itself die of SIGPIPE before it says why.
                    restore_signals=False,
                )
            except OSError as error:
                raise InputError(f'--mpirun: cannot start "{command[0]}": {error.strerror}') from None
            try:
                code = _wait(process, timeout_s, watch)
            finally:
                _end(process)
        if code is None:
            raise LaunchError(
                f"{words.command(command)}: no end, and nothing new, after {timeout_s:.0f} s, stopped; what was measured is kept, the same command goes on from there{_tail(log)}"
            )
        if code != 0:
            raise LaunchError(f"{words.command(command)}: {_how(code)}{_tail(log)}")


def _wait(process: subprocess.Popen[bytes], timeout_s: float, watch: Callable[[], object]) -> int | None:
    """The exit code; None where the program was not one step further after so many seconds."""
    most = int(timeout_s / _LOOK_S) + 1
    before, looks = watch(), 0
    while looks < most:
        try:
            return process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            now = watch()
            before, looks = now, looks + 1 if now == before else 0
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the launcher and its children to stop, then make them."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue


def _how(code: int) -> str:
    """How the launcher ended."""
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    last = ([line for line in lines if not _NO_CAUSE.match(line)] or lines)[-_LINES_OF_FAILURE:]
    return "".join(f"\n  | {line}" for line in last) + f"\n  (all of it: {log})"
