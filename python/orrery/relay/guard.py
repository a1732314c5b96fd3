# SPDX-License-Identifier: BSD-3-Clause
"""The process beside each helper that ends what the job has on the node when the helper is killed.

The helper starts `python -m orrery.relay.guard` and holds the only other end of its standard input. A word there says that the helper
ends in order; if the pipe closes without one, the helper has been killed. The guard has a session of its own, so that what
the terminal sends to the job does not reach it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from orrery import terminal
from orrery.relay.ending import processes_of, steps
from orrery.relay.tally import Tally, read_load

_IN_ORDER = b"."
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Guard:
    """The guard of the helper that this process is."""

    def __init__(self, job: str, helper: str, tally: Tally) -> None:
        """Start it. `helper`: for people."""
        line = [sys.executable, "-P", "-m", "orrery.relay.guard", job, helper, str(tally.file)]
        self._process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[tally.file],
            start_new_session=True,
        )
        self.number = self._process.pid
        """Its process number."""

    def dismiss(self) -> None:
        """The helper ends in order."""
        with contextlib.suppress(OSError):  # somebody has killed it
            self._process.communicate(_IN_ORDER)


def watch(job: str, helper: str, tally: int) -> None:
    """Wait for the helper's end; if it was killed, say so and end the job's processes here."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    if os.read(0, 1):
        return
    with contextlib.suppress(OSError):
        terminal.write(
            f"orrery: {helper} has ended unexpectedly; it carried {read_load(tally)}; the job ends on this node\n",
            sys.stderr,
        )
        sys.stderr.flush()
    for pause_s in steps(lambda: processes_of(job)):
        time.sleep(pause_s)


if __name__ == "__main__":
    watch(sys.argv[1], sys.argv[2], int(sys.argv[3]))
