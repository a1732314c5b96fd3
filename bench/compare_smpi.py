#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Orrery beside SimGrid's SMPI: the same programs, on the same machine, in one run.

Both sides compile `bench/programs/*.c` and simulate a star of 1 Gb/s nodes with a limiter of 1.5 times a node's bandwidth.
They charge no time for computation, but in the cases that say `measured`. Wall time is that of the whole command, start-up
included; runs of the two sides alternate, and the median counts. Rates subtract nothing. The last column is by how much the times of a
fixed loop before each run differ: above some per cent the machine was busy.

    bench/compare_smpi.py                       # smpicc and smpirun from PATH (Debian: libsimgrid-dev)
    bench/compare_smpi.py --only ring --repeat 3
    bench/compare_smpi.py --only pairwise --repeat 1    # a million messages in one collective call
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from host import Disturbance

HERE = Path(__file__).resolve().parent
NODES = 4096

SMPI_PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="star" prefix="node-" suffix="" radical="0-{NODES - 1}" speed="1Gf" bw="125MBps" lat="24us"
             sharing_policy="SPLITDUPLEX" limiter_link="187.5MBps"/>
  </zone>
</platform>
"""


@dataclass(frozen=True)
class Case:
    """One program at one size: what is compared, how much work it is, and how many times better it has to be."""

    name: str
    program: str
    ranks: int
    arguments: tuple[str, ...]
    messages: int  # 0: the wall time itself is compared
    bar: float
    algorithm: str = ""  # of the collective that the program is named after, by Orrery's name; empty: the default
    smpi_algorithm: str = ""  # by SMPI's
    without_program: bool = False  # Orrery's side is `orrery collective`
    measured: bool = False  # computation takes the time that it takes here, as both do by default
    on_node: int = 1  # ranks that share a node


def cases(quick: bool) -> list[Case]:
    """What is compared, and how many times better Orrery is meant to be."""
    total = 100_000 if quick else 1_000_000
    found = [
        Case(f"ring {ranks}", "ring", ranks, (str(max(1, total // ranks)), "8"), max(1, total // ranks) * ranks, bar)
        for ranks, bar in ((2, 2.0), (16, 4.0), (256, 5.0), (1024, 8.0))
    ]
    for ranks, calls in ((256, 100 if quick else 1000), (1024, 20 if quick else 200)):
        found.append(Case(f"allreduce 8 B {ranks}", "allreduce", ranks, (str(calls), "1"), 0, 6.0))
    for ranks in (64, 128, 256):
        for measured in (False, True):
            name = f"alltoall 1 KiB {ranks}" + " measured" * measured
            found.append(Case(name, "alltoall", ranks, ("1", "1024"), 0, 10.0, measured=measured))
    found.append(
        Case("alltoall 1 KiB 256 on 16 measured", "alltoall", 256, ("1", "1024"), 0, 10.0, measured=True, on_node=16)
    )
    pair = {"messages": 1024 * 1023, "bar": 10.0, "algorithm": "pairwise", "smpi_algorithm": "pair"}
    found.append(Case("alltoall pairwise call", "alltoall", 1024, ("1", "1024"), without_program=True, **pair))
    found.append(Case("alltoall pairwise run", "alltoall", 1024, ("1", "1024"), **pair))
    found.append(Case("hello 1024", "hello", 1024, (), 0, 1.0))
    found.append(Case("hello 4096", "hello", 4096, (), 0, 3.0))
    return found


def installed() -> dict[str, str]:
    """The environment in which Python keeps what it has compiled, as every installation has it after its first run."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def wall(command: list[str], environment: dict[str, str], timeout: float) -> float | None:
    """Seconds that the command took; None if it failed or did not end in time."""
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        print(f"failed: {' '.join(command)}\n{done.stderr.decode(errors='replace')[-500:]}", file=sys.stderr)
        return None
    return time.perf_counter() - begin


def commands(case: Case, options: argparse.Namespace, work: Path) -> tuple[list[str], list[str]]:
    """Orrery's command and SMPI's."""
    on_star = ["-n", str(case.ranks), "--platform", str(work / f"star-{case.on_node}.toml"), "--map", "slot"]
    coll = ["--coll", f"{case.program}={case.algorithm}"] if case.algorithm else []
    compute = [] if case.measured else ["--compute", "none"]
    ours = [options.orrery, "run", *on_star, *compute, *coll,
            str(work / f"orrery-{case.program}"), *case.arguments]  # fmt: skip
    if case.without_program:
        ours = [options.orrery, "collective", case.program, *on_star, "-s", case.arguments[1],
                "--algorithm", case.algorithm]  # fmt: skip
    chosen = [f"--cfg=smpi/{case.program}:{case.smpi_algorithm}"] if case.smpi_algorithm else []
    theirs = [options.smpirun, "-np", str(case.ranks), "-platform", str(work / "star.xml"), "-hostfile",
              str(work / f"hosts-{case.on_node}"), f"--cfg=smpi/simulate-computation:{'yes' if case.measured else 'no'}",
              "--log=root.thres:critical", *chosen, *options.smpi_option, str(work / f"smpi-{case.program}"), *case.arguments]  # fmt: skip
    return ours, theirs


def main() -> int:
    """Build both sides, run the cases, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orrery", default=shutil.which("orrery") or str(HERE.parent / ".venv/bin/orrery"))
    parser.add_argument("--smpicc", default=shutil.which("smpicc"))
    parser.add_argument("--smpirun", default=shutil.which("smpirun"))
    parser.add_argument(
        "--smpi-option", action="append", default=[], help="passed to smpirun, e.g. --cfg=smpi/allreduce:rdb"
    )
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.smpicc or not options.smpirun:
        print("smpicc and smpirun not found (Debian: libsimgrid-dev): only Orrery's side is measured", file=sys.stderr)

    results = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "star.xml").write_text(SMPI_PLATFORM)
        star = (HERE / "platforms" / "star.toml").read_text()
        for on_node in {case.on_node for case in cases(options.quick)}:
            places = "".join(f"node-{i // on_node}\n" for i in range(NODES))
            (work / f"hosts-{on_node}").write_text(places)
            (work / f"star-{on_node}.toml").write_text(re.sub(r"(?m)^cores = 1$", f"cores = {on_node}", star))
        prefix = subprocess.run([options.orrery, "prefix"], capture_output=True, text=True, check=True).stdout.strip()
        environment = dict(os.environ)
        for program in ("ring", "allreduce", "alltoall", "hello"):
            source = str(HERE / "programs" / f"{program}.c")
            subprocess.run([f"{prefix}/bin/mpicc", "-O2", source, "-o", str(work / f"orrery-{program}")], check=True)
            if options.smpicc:
                subprocess.run([options.smpicc, "-O2", source, "-o", str(work / f"smpi-{program}")], check=True)
        print(f"{'case':24} {'Orrery s':>10} {'SMPI s':>10} {'ratio':>7} {'bar':>5}  Orrery Mmsg/s  SMPI Mmsg/s  host")
        for case in cases(options.quick):
            if options.only not in case.name:
                continue
            ours, theirs = commands(case, options, work)
            times: dict[str, list[float]] = {"orrery": [], "smpi": []}
            host = Disturbance()
            for _ in range(options.repeat):
                for side, command in (("orrery", ours), ("smpi", theirs)):
                    host.spin()
                    if side == "smpi" and not options.smpirun:
                        continue
                    seconds = wall(command, environment, options.timeout)
                    if seconds is not None:
                        times[side].append(seconds)
            median = {side: statistics.median(values) if values else None for side, values in times.items()}
            mine, other = median["orrery"], median["smpi"]
            ratio = other / mine if mine and other else None
            rate = {side: case.messages / t / 1e6 if t and case.messages else None for side, t in median.items()}
            results.append(
                {
                    "case": case.name,
                    "bar": case.bar,
                    "ratio": ratio,
                    "times_s": times,
                    "median_s": median,
                    "host": host.seconds,
                }
            )
            show = lambda value, digits: "-" if value is None else f"{value:.{digits}f}"  # noqa: E731
            print(f"{case.name:24} {show(mine, 3):>10} {show(other, 3):>10} {show(ratio, 2):>7} {case.bar:>5}"
                  f"  {show(rate['orrery'], 3):>13}  {show(rate['smpi'], 3):>11}  {host!s:>4}", flush=True)  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
