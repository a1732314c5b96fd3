#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GOAL schedules beside LogGOPSim: the same files, on the same machine, in one run.

    bench/compare_goal.py PATH/LogGOPSim dissemination-65536.bin ...

Prints wall time of whole commands and their peak memory (medians of --repeat), how many times faster Orrery is, as a whole
and in reading and simulating alone, whether the times of the last rank are equal, and by how much the times of a fixed loop before each
run differ: above some per cent the machine was busy. Needs GNU time (Debian: time), as
Linux counts what a process was before it became a program among that program's memory. LogGOPSim and the generator of its
schedules (Schedgen, txt2bin) are built from github.com/spcl/LogGOPSim.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from host import Disturbance

HERE = Path(__file__).resolve().parent
PATTERNS = (r": ([0-9,]+) ns", r"events +([0-9,]+)", r"([0-9,]+) per second")


@dataclass(frozen=True)
class Timed:
    """A command that ran several times."""

    wall_s: float
    """Median."""
    peak_kib: int
    """Median."""
    out: str
    """Output of the last run."""


def timed(command: list[str], repeat: int, host: Disturbance) -> Timed:
    """Run a command; it may end with any exit code."""
    walls, peaks, out = list[float](), list[int](), ""
    with tempfile.NamedTemporaryFile("r") as peak:
        for _ in range(repeat):
            host.spin()
            begin = time.perf_counter()
            out = subprocess.run(
                ["time", "-q", "-f", "%M", "-o", peak.name, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
            ).stdout  # fmt: skip
            walls.append(time.perf_counter() - begin)
            peaks.append(int(Path(peak.name).read_text().split()[-1]))
    return Timed(statistics.median(walls), int(statistics.median(peaks)), out)


def compare_goal(orrery: str, loggopsim: str, schedule: str, repeat: int) -> None:
    """One schedule under LogGOPS with the defaults of LogGOPSim."""
    host = Disturbance()
    theirs = timed([loggopsim, "-b", "-f", schedule], repeat, host)
    ours = timed([orrery, "replay", "--loggops", "", schedule], repeat, host)
    end, events, rate = (int(re.search(pattern, ours.out)[1].replace(",", "")) for pattern in PATTERNS)  # type: ignore[index]
    last = re.search(r"Maximum finishing time at host \d+: (\d+)", theirs.out)
    same = "not known" if last is None else "equal" if int(last.group(1)) == end else f"DIFFERENT: {last.group(1)}"
    print(f"{Path(schedule).name:<28} {events:>10,} events   orrery {ours.wall_s:7.4f} s {ours.peak_kib / 1024:6.1f} MiB   "
          f"LogGOPSim {theirs.wall_s:7.4f} s {theirs.peak_kib / 1024:6.1f} MiB   {theirs.wall_s / ours.wall_s:5.1f} times, "
          f"alone {theirs.wall_s * rate / events:5.1f}   {end:,} ns {same}   host {host}",
          flush=True)  # fmt: skip


def main() -> int:
    """Run what is named, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orrery", default=shutil.which("orrery") or str(HERE.parent / ".venv/bin/orrery"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("loggopsim")
    parser.add_argument("schedules", nargs="+", metavar="SCHEDULE", help="in binary form")
    options = parser.parse_args()
    for schedule in options.schedules:
        compare_goal(options.orrery, options.loggopsim, schedule, options.repeat)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
