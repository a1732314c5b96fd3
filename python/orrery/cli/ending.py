# SPDX-License-Identifier: BSD-3-Clause
"""How commands end: exit codes, and mistakes as the user sees them."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable

from orrery import terminal
from orrery.errors import Interrupt, OrreryError

_LONG_WORD = re.compile(r"\S{500,}")
_SHOWN = 80
"""Characters of a word that a file or an argument has, and nobody would read."""
NOTHING_KEPT = "nothing is there yet; the same command begins anew"
"""What is said at Ctrl-C where a command has no more to say."""


class _EndSignal(KeyboardInterrupt):
    """SIGTERM or SIGHUP: a command ends as at Ctrl-C, so that what it has is kept and what is temporary is removed."""


_signalled: list[int] = []
"""Signals that have come."""


def unwind_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does; one that comes again ends it at once. Those that are ignored stay so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _unwind)


def _unwind(number: int, _frame: object) -> None:
    _signalled.append(number)
    signal.signal(number, signal.SIG_DFL)
    raise _EndSignal


def code_of(command: Callable[[], object]) -> int:
    """Do what `command` does and give its exit code; mistakes are one line on standard error, never a traceback."""
    try:
        code = command()
        sys.stdout.flush()
    except Interrupt as error:
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
    if code == Interrupt.exit_code and _signalled:
        return 128 + _signalled[0]
    return code if isinstance(code, int) else 0


def interrupted(message: str) -> int:
    """Say what is there after Ctrl-C or a signal and how to go on, and give the exit code."""
    by = f" by {signal.Signals(_signalled[0]).name}" if _signalled else ""
    terminal.write(f"orrery: interrupted{by}: {message}\n", sys.stderr)
    return Interrupt.exit_code


def complain(message: str, code: int) -> int:
    """Say what is wrong, and give `code`."""
    terminal.write(f"orrery: error: {_LONG_WORD.sub(_shortened, message)}\n", sys.stderr)
    return code


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:_SHOWN]}... ({len(word[0]):,} characters)"
