# SPDX-License-Identifier: BSD-3-Clause
"""The program `orrery`, but for what src/program does of it before Python starts; also as `python -m orrery`.

Starting quickly matters: a run of a thousand ranks takes less time than Python would take to collect garbage while it
imports, and to take everything apart at its end.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.disable()
    code = _run()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # whoever read it has gone, or it is closed
            code = code or 141
    os._exit(code)


def mpiexec() -> None:
    """Run `orrery mpiexec`, under a name of its own."""
    sys.argv.insert(1, "mpiexec")
    main()


def _run() -> int:
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, _unheard)
    from orrery.cli.ending import code_of

    return code_of(lambda: _do(sys.argv[1:]))


def _unheard(number: int, _frame: object) -> None:
    """Signals for a run's ranks, which mpiexec passes on: where there are none, they end nothing."""
    with suppress(OSError):
        os.write(2, f"orrery: {signal.Signals(number).name} came, but there are no ranks to pass it on to\n".encode())


def _do(words: list[str]) -> object:
    from orrery.cli.ending import unwind_on_signals
    from orrery.temporary import remove_abandoned

    unwind_on_signals()
    remove_abandoned()
    if words[:1] in (["run"], ["replay"]):
        from orrery.cli.plain import command_of

        if (plain := command_of(words)) is not None:
            _collect_garbage()
            return plain()
    return _command(words)


def _command(words: list[str]) -> object:
    from orrery.cli import app

    sys.argv[1:] = words = app.help_as_option(words)
    commands = app.load(words)
    _collect_garbage()
    return app.command(commands)


def _collect_garbage() -> None:
    """From now on, and not what was loaded."""
    gc.freeze()
    gc.enable()


if __name__ == "__main__":
    main()
