#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GOAL schedules beside LogGOPSim: the same files, on the same machine, in one run.

    bench/compare_goal.py PATH/LogGOPSim dissemination-65536.bin ...

Orrery runs once before, on the first schedule, so that Python has compiled its modules, as an installation has. Prints wall
time of whole commands, peak memory, how many times faster Orrery is, as a whole and in reading and simulating alone (Python's
start, hundredths of a second, is most of a small schedule's time), and whether the times of the last rank are equal.
LogGOPSim and the generator of its schedules (Schedgen, txt2bin) are built from github.com/spcl/LogGOPSim.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path

from compare_smpi import installed

HERE = Path(__file__).resolve().parent
PATTERNS = (r": ([0-9,]+) ns", r"events +([0-9,]+)", r"([0-9,]+) per second")


def timed(command: list[str]) -> tuple[float, int, str]:
    """Wall seconds, peak memory in KiB and output of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=installed())
    out = process.stdout.read() if process.stdout else ""
    _, _, usage = wait4(process)
    return time.perf_counter() - begin, usage.ru_maxrss, out


def wait4(process: subprocess.Popen[str]) -> tuple[int, int, resource.struct_rusage]:
    """What the kernel says of this one child."""
    found = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(found[1])
    return found


def compare_goal(orrery: str, loggopsim: str, schedule: str) -> None:
    """One schedule under LogGOPS with the defaults of LogGOPSim."""
    theirs_s, theirs_kib, theirs = timed([loggopsim, "-b", "-f", schedule])
    ours_s, ours_kib, ours = timed([orrery, "replay", "--loggops", "", schedule])
    end, events, rate = (int(re.search(pattern, ours)[1].replace(",", "")) for pattern in PATTERNS)  # type: ignore[index]
    last = re.search(r"Maximum finishing time at host \d+: (\d+)", theirs)
    same = "not known" if last is None else "equal" if int(last.group(1)) == end else f"DIFFERENT: {last.group(1)}"
    print(f"{Path(schedule).name:<28} {events:>10,} events   orrery {ours_s:7.2f} s {ours_kib / 1024:7.0f} MiB   "
          f"LogGOPSim {theirs_s:7.2f} s {theirs_kib / 1024:7.0f} MiB   {theirs_s / ours_s:6.1f} times, alone {theirs_s * rate / events:6.1f}   {end:,} ns {same}",
          flush=True)  # fmt: skip


def main() -> int:
    """Run what is named, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orrery", default=shutil.which("orrery") or str(HERE.parent / ".venv/bin/orrery"))
    parser.add_argument("loggopsim")
    parser.add_argument("schedules", nargs="+", metavar="SCHEDULE", help="in binary form")
    options = parser.parse_args()
    timed([options.orrery, "replay", "--loggops", "", options.schedules[0]])
    for schedule in options.schedules:
        compare_goal(options.orrery, options.loggopsim, schedule)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
