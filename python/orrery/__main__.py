# SPDX-License-Identifier: BSD-3-Clause
"""The program `orrery`, but for what src/program does of it before Python starts; also as `python -m orrery`.

Starting quickly matters: a run of a thousand ranks takes less time than Python would take to collect garbage while it
imports, and to take everything apart at its end.
"""

import gc
import os
import sys


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


def _run() -> int:
    from orrery.cli import app

    commands = app.load(sys.argv[1:])
    gc.freeze()
    gc.enable()
    return app.main(commands)


if __name__ == "__main__":
    main()
