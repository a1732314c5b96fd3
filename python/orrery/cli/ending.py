# SPDX-License-Identifier: BSD-3-Clause
"""How commands end: exit codes, and mistakes as the user sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from orrery import terminal
from orrery.errors import Interrupted, OrreryError

NOTHING_KEPT = "nothing is there yet; the same command begins anew"
"""Of Ctrl-C, where a command has no more to say."""


def code_of(command: Callable[[], object]) -> int:
    """Do what `command` does and give its exit code; mistakes are one line on standard error, never a traceback."""
    try:
        code = command()
        sys.stdout.flush()
    except Interrupted as error:
        code = interrupted(str(error))
    except OrreryError as error:
        code = complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = interrupted(NOTHING_KEPT)
    except MemoryError:
        code = complain("out of memory: this machine, or a limit that is set (ulimit -v), gives no more", 1)
    except BrokenPipeError:
        # Whoever read our output has gone: nothing is left to say, and Python must not try at exit.
        sys.stderr.close()
        code = 141
    except OSError as error:  # files that cannot be used are InputError: this is where output goes, a full disk
        code = complain(f"{error.filename or 'standard output'}: {error.strerror}", 1)
    except SystemExit as left:  # typer's own way out, where whoever read our output has gone
        code = left.code
    return code if isinstance(code, int) else 0


def interrupted(message: str) -> int:
    """Say what is there after Ctrl-C and how to go on, and give the exit code."""
    terminal.write(f"orrery: interrupted: {message}\n", sys.stderr)
    return Interrupted.exit_code


def complain(message: str, code: int) -> int:
    """Say what is wrong, and give `code`."""
    terminal.write(f"orrery: error: {message}\n", sys.stderr)
    return code
