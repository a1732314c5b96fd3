#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery capture`, or `orrery watch`, costs a program: the same runs with and without, in turn, on a real MPI.

Per call: `bench/programs/calls.c` times loops that do nothing but call MPI, on one rank and between two. The cost is the
difference of the medians. Per program: NPB's (or others that print such a line) say at which rate they worked; the cost is
how much longer they took, by the medians. What the command does before and after the run (putting the trace together) is not
in it. Runs with and without alternate; one of each comes before and does not count.

The machine must be quiet and have a core for each rank.

    bench/capture_overhead.py --mpi mpich openmpi                                # the cost per call
    bench/capture_overhead.py --mpi mpich -n 2 cg.A.x lu.W.x --repeat 9          # and of programs, built for that MPI
    bench/capture_overhead.py --tool watch -n 2 cg.A.x                           # the same of orrery watch
    bench/capture_overhead.py --mpi openmpi --rate 'steps/s: ([0-9.]+)' ./mine   # a program that says its rate so
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
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CALL_BAR_NS = 1000.0
RUN_BAR = {"capture": 0.05, "watch": 0.01}
OPTIONS = {"capture": ["-o", "it.trace"], "watch": []}
NPB_RATE = r"Mop/s total\s*=\s*([0-9.]+)"
ANY_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclass(frozen=True)
class Cost:
    """What was measured of one loop or program; times are nanoseconds per call, or seconds per unit of work."""

    mpi: str
    name: str
    without: list[float]
    captured: list[float]

    @property
    def more(self) -> float:
        """By how much the median grows."""
        return statistics.median(self.captured) - statistics.median(self.without)

    @property
    def share(self) -> float:
        """By what share of the run without."""
        return self.more / statistics.median(self.without)


def quartiles(values: list[float]) -> str:
    """`lower - upper`, with as many digits as tell them apart."""
    if len(values) < 2:
        return ""
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return f"{lower:.4g} - {upper:.4g}"


def output_of(command: list[str], folder: Path) -> str:
    """Standard output of a run; ends the program when the run fails."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | ANY_ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout


def calls_in(text: str) -> dict[str, float]:
    """Nanoseconds per call by the name of the loop, as calls.c prints them."""
    return {name: float(number) for name, number in (line.split() for line in text.splitlines())}


def alternate(
    mpi: str, programs: Iterable[list[str]], options: argparse.Namespace, folder: Path, read: dict[str, str]
) -> list[Cost]:
    """Run each program with and without the tool in turn.

    Args:
        programs: command lines without the launcher.
        read: for each program's name the pattern of its rate; empty for calls.c, whose lines are read as they are.
    """
    costs = list[Cost]()
    for program in programs:
        launch = [f"mpirun.{mpi}", "-n", str(options.ranks), *program]
        sides = {"without": launch, "captured": [options.orrery, options.tool, *OPTIONS[options.tool], "--", *launch]}
        found: dict[str, dict[str, list[float]]] = {}
        for turn in range(options.repeat + 1):
            for side, command in sides.items():
                text = output_of(command, folder)
                pattern = read.get(program[0])
                if pattern is None:
                    values = calls_in(text)
                else:
                    rate = re.search(pattern, text)
                    if rate is None:
                        sys.exit(f"{program[0]} printed nothing that {pattern} fits: name its rate with --rate")
                    values = {Path(program[0]).name: 1 / float(rate[1])}
                for name, value in values.items():
                    times = found.setdefault(name, {"without": [], "captured": []})
                    if turn > 0:
                        times[side].append(value)
        costs += [Cost(mpi, name, **times) for name, times in found.items()]
    return costs


def show_calls(costs: list[Cost]) -> None:
    """A line for each loop."""
    print(f"{'MPI':8} {'calls':22} {'ns/call':>9} {'captured':>9} {'quartiles':>19} {'cost':>7}   bar {CALL_BAR_NS:g}")
    for cost in costs:
        print(
            f"{cost.mpi:8} {cost.name:22} {statistics.median(cost.without):9.1f} "
            f"{statistics.median(cost.captured):9.1f} {quartiles(cost.captured):>19} {cost.more:7.1f}"
        )


def show_programs(costs: list[Cost], bar: float) -> None:
    """A line for each program: times are relative to the median without the tool."""
    print(f"{'MPI':8} {'program':22} {'without':>15} {'captured':>15} {'cost':>7}   bar {100 * bar:g}%")
    for cost in costs:
        middle = statistics.median(cost.without)
        without, captured = ([value / middle for value in side] for side in (cost.without, cost.captured))
        print(
            f"{cost.mpi:8} {cost.name:22} {quartiles(without):>15} {quartiles(captured):>15} {100 * cost.share:6.2f}%"
        )


def main() -> int:
    """Measure what was asked for; exit code 1 when something misses its bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="programs to run besides, with arguments in quotes")
    parser.add_argument("--tool", choices=sorted(RUN_BAR), default="capture")
    parser.add_argument("--mpi", nargs="+", default=["mpich", "openmpi"], help="there are mpicc.NAME and mpirun.NAME")
    parser.add_argument("-n", "--ranks", type=int, default=2)
    parser.add_argument("--rate", default=NPB_RATE, help="pattern of the rate that programs print (default: NPB's)")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each loop of calls")
    parser.add_argument("--no-calls", action="store_true", help="only the programs")
    parser.add_argument("--orrery", default=shutil.which("orrery") or str(HERE.parent / ".venv/bin/orrery"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    lines = [program.split() for program in options.programs]
    lines = [[str(Path(line[0]).resolve()), *line[1:]] for line in lines]
    calls, runs = list[Cost](), list[Cost]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for mpi in options.mpi:
            if not options.no_calls:
                binary = str(folder / f"calls.{mpi}")
                subprocess.run([f"mpicc.{mpi}", "-O2", HERE / "programs" / "calls.c", "-o", binary], check=True)
                calls += alternate(mpi, [[binary, str(options.seconds)]], options, folder, {})
            runs += alternate(mpi, lines, options, folder, {line[0]: options.rate for line in lines})
    if calls:
        show_calls(calls)
    if runs:
        show_programs(runs, RUN_BAR[options.tool])
    if options.json:
        options.json.write_text(json.dumps([asdict(cost) for cost in (*calls, *runs)], indent=1))
    missed = [c.name for c in calls if c.more > CALL_BAR_NS] + [c.name for c in runs if c.share > RUN_BAR[options.tool]]
    if missed:
        print(f"above the bar: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
