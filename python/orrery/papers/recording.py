# SPDX-License-Identifier: BSD-3-Clause
"""Traces of programs that an experiment brings: each is run once, to see what its ranks do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orrery.errors import OrreryError
from orrery.run.programs import MpiProgram
from orrery.run.session import simulate
from orrery.run.settings import RunSettings, no_output


def recorded(program: Path, arguments: Sequence[str], ranks: int, place: Path) -> Path:
    """A trace of a program, in the folder `place`; its computation is what it declares.

    On which platform it runs does not matter: programs that ask what comes first are not for this. Raises OrreryError when
    it fails, KeyboardInterrupt after Ctrl-C.
    """
    trace = place / f"{program.name}-{ranks}.trace"
    command = [str(program), *arguments]
    settings = RunSettings(
        programs=[MpiProgram(command, ranks)], compute="none", writer=no_output, trace=trace, force=True
    )
    record = simulate(settings)
    if record.end == "interrupted":
        raise KeyboardInterrupt
    if record.exit_code != 0:
        name = f"{program.name} {' '.join(arguments)} with {ranks} ranks"
        raise OrreryError(f"{name}: {record.cause or f'exit code {record.exit_code}'}")
    return trace
